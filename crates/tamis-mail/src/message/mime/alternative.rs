//! How much a plain text and its HTML alternative have in common.
//!
//! Both are compared as sets of words. Addresses are left out: plain text spells out what HTML hides
//! behind links.

/// Maximum number of words that are compared.
const MAX_WORDS: usize = 2_000;

/// Fewest different words for a plain text to be judged.
const LEAST_WORDS: usize = 20;

/// A set of words, as sorted hashes.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<u64>);

impl Words {
    /// The words of texts with at least three letters.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut words = Vec::new();
        for chunk in texts.flat_map(str::split_ascii_whitespace) {
            if words.len() >= MAX_WORDS {
                break;
            }
            let is_address = chunk.starts_with("www.")
                || chunk.bytes().any(|byte| byte == b'@')
                || (chunk.len() > 6 && chunk.contains("://"));
            if is_address {
                continue;
            }
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
            for word in chunk.as_bytes().split(|byte| !is_word(byte)) {
                if word.len() >= 3 {
                    words.push(hash(word));
                }
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
        self.0.iter().filter(|word| other.0.binary_search(word).is_ok()).count()
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

/// FNV-1a of a word in lower case.
fn hash(word: &[u8]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    word.iter().map(u8::to_ascii_lowercase).fold(0xCBF2_9CE4_8422_2325, step)
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
