//! How much a plain text and its HTML alternative have in common.
//!
//! Both are compared as sets of words. Addresses are left out: plain text spells out what HTML hides
//! behind links.

/// Maximum number of words that are compared.
const MAX_WORDS: usize = 2_000;

/// Fewest different words for a plain text to be judged.
const LEAST_WORDS: usize = 20;

/// Fewest bytes of a word.
const LEAST_LENGTH: usize = 3;

/// The hash of no bytes.
const FIRST: u64 = 0xCBF2_9CE4_8422_2325;

/// A set of words, as sorted hashes.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<u64>);

impl Words {
    /// The words of texts with at least three letters.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut words = Vec::with_capacity(256);
        for chunk in texts.flat_map(str::split_ascii_whitespace) {
            if words.len() >= MAX_WORDS {
                break;
            }
            let chunk = chunk.as_bytes();
            let is_address = chunk.starts_with(b"www.")
                || chunk.contains(&b'@')
                || (chunk.len() > 6 && chunk.windows(3).any(|part| part == b"://"));
            if is_address {
                continue;
            }
            // FNV-1a of each word in lower case.
            let (mut hash, mut length) = (FIRST, 0);
            for byte in chunk {
                if byte.is_ascii_alphanumeric() || *byte >= 0x80 {
                    let byte = u64::from(byte.to_ascii_lowercase());
                    hash = (hash ^ byte).wrapping_mul(0x0100_0000_01B3);
                    length += 1;
                    continue;
                }
                if length >= LEAST_LENGTH {
                    words.push(hash);
                }
                (hash, length) = (FIRST, 0);
            }
            if length >= LEAST_LENGTH {
                words.push(hash);
            }
        }
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of common words.
    fn common(&self, other: &Self) -> usize {
        let mut rest = other.0.iter().peekable();
        let mut common = 0;
        for word in &self.0 {
            while rest.next_if(|other| *other < word).is_some() {}
            common += usize::from(rest.peek() == Some(&word));
        }
        common
    }

    /// Jaccard similarity; none if either has no words.
    pub(super) fn similarity(&self, other: &Self) -> Option<f64> {
        let common = self.common(other);
        let union = self.len() + other.len() - common;
        (self.len() > 0 && other.len() > 0).then(|| common as f64 / union as f64)
    }

    /// Whether most of these words are not among others.
    pub(super) fn is_foreign_to(&self, other: &Self) -> bool {
        self.len() >= LEAST_WORDS && 2 * self.common(other) < self.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_that_of_the_sets_of_words() {
        let of = |text: &str| Words::of([text].into_iter());
        let plain = of("Buy the blue pills NOW! http://pills.example/now a@b.example");
        assert_eq!(plain.similarity(&of("buy <the> blue pills now")), Some(1.0));
        assert_eq!(plain.similarity(&of("the blue sky")), Some(2.0 / 6.0));
        assert_eq!(plain.similarity(&of("")), None);
        let words: String = (0..30).map(|n| format!("word{n} ")).collect();
        assert!(of(&words).is_foreign_to(&plain) && !of(&words).is_foreign_to(&of(&words)));
        assert!(!plain.is_foreign_to(&of(&words)), "too short to be judged");
    }
}
