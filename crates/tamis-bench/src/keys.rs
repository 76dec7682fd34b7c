//! Keys to measure with: the same on every machine, all different, and like real ones.
//!
//! Key `i` of a kind never equals key `j`: what a filter is asked about after the first `n`
//! was certainly not inserted, and `n` insertions are `n` different keys. Repetitions would
//! leave a filter emptier than it was made for and its measured rate too good.

use std::collections::HashSet;

/// A bijection of 64-bit integers that looks random (Steele, Lea and Flood 2014).
pub(crate) const fn splitmix64(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Integers `range.start ..` of the sequence.
pub(crate) fn integers(range: std::ops::Range<u64>) -> Vec<u64> {
    range.map(splitmix64).collect()
}

/// A source of text keys, one after the other.
pub(crate) trait TextKeys {
    /// Appends the next key to `text`.
    fn append(&mut self, text: &mut String);
}

/// Many text keys in one piece of memory, so that the walk over them costs all filters the same.
pub(crate) struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// The next `count` keys of a source.
    pub(crate) fn take(source: &mut dyn TextKeys, count: usize) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(count));
        for _ in 0..count {
            source.append(&mut text);
            ends.push(text.len());
        }
        Self { text, ends }
    }

    /// The keys.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.text[start..end]).collect()
    }
}

/// Random letters and digits, 1 to 50 of them, each length equally often.
#[derive(Default)]
pub(crate) struct RandomStrings {
    draws: u64,
    /// The strings of up to eight bytes so far; longer ones do not repeat by chance.
    short: HashSet<u64>,
}

impl RandomStrings {
    fn draw(&mut self) -> u64 {
        self.draws += 1;
        splitmix64(self.draws)
    }
}

impl TextKeys for RandomStrings {
    fn append(&mut self, text: &mut String) {
        const ALPHABET: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let start = text.len();
        loop {
            let length = 1 + self.draw() % 50;
            let mut random = 0;
            for i in 0..length {
                // Eight characters from one draw: 62^8 is far below 2^64.
                random = if i % 8 == 0 { self.draw() } else { random / 62 };
                text.push(char::from(ALPHABET[(random % 62) as usize]));
            }
            let packed = text.as_bytes()[start..].iter().fold(0, |p, &b| p << 8 | u64::from(b));
            if length > 8 || self.short.insert(packed) {
                return;
            }
            text.truncate(start);
        }
    }
}

/// Plausible e-mail addresses: two names, perhaps a number, a domain.
#[derive(Default)]
pub(crate) struct Emails {
    next: u64,
}

impl TextKeys for Emails {
    fn append(&mut self, text: &mut String) {
        let mut rest = permute(self.next);
        self.next += 1;
        let mut choose = |count: usize| {
            let choice = rest % count as u64;
            rest /= count as u64;
            choice as usize
        };
        let (first, last) = (FIRST[choose(32)], LAST[choose(32)]);
        let (domain, style) = (DOMAINS[choose(16)], choose(4));
        match style {
            0 => text.extend([first, ".", last]),
            1 => text.extend([first, "_", last]),
            2 => text.extend([last, ".", first]),
            _ => text.extend([&first[..1], "-", last, ".", first]),
        }
        if rest > 0 {
            text.push_str(&rest.to_string());
        }
        text.extend(["@", domain]);
    }
}

/// A bijection of the integers under 2^33, of which each choice of an address takes some bits.
const fn permute(index: u64) -> u64 {
    const MASK: u64 = (1 << 33) - 1;
    let mut x = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) & MASK;
    x ^= x >> 17;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9) & MASK;
    x ^ (x >> 15)
}

// No name is in both lists, none contains a sign that joins two of them.
const FIRST: [&str; 32] = [
    "ada", "alan", "anna", "bart", "beatriz", "carla", "daan", "david", "elena", "emma", "felix",
    "femke", "grace", "hugo", "ines", "james", "joana", "karel", "laura", "lotte", "maria", "mark",
    "nina", "olga", "pedro", "peter", "rosa", "sara", "sven", "thomas", "vera", "willem",
];
const LAST: [&str; 32] = [
    "almeida", "bakker", "becker", "bosch", "carvalho", "costa", "dejong", "dias", "evans",
    "ferreira", "fischer", "garcia", "hansen", "hopper", "jansen", "jones", "keller", "kowalski",
    "lopes", "lovelace", "meijer", "moreau", "novak", "oliveira", "pinto", "rossi", "santos",
    "silva", "smith", "turing", "visser", "weber",
];
const DOMAINS: [&str; 16] = [
    "gmail.com",
    "example.org",
    "outlook.com",
    "yahoo.com",
    "mail.example.net",
    "students.uni.example",
    "hotmail.com",
    "proton.me",
    "sapo.pt",
    "ziggo.nl",
    "web.de",
    "orange.fr",
    "city.gov.example",
    "company.example",
    "lists.example.com",
    "icloud.com",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn all_different(source: &mut dyn TextKeys) {
        let texts = Texts::take(source, 200_000);
        let keys = texts.keys();
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
    }

    #[test]
    fn no_key_repeats() {
        all_different(&mut RandomStrings::default());
        all_different(&mut Emails::default());
        let integers: HashSet<u64> = integers(0..200_000).into_iter().collect();
        assert_eq!(integers.len(), 200_000);
    }

    #[test]
    fn strings_have_every_length_from_1_to_50() {
        let texts = Texts::take(&mut RandomStrings::default(), 50_000);
        let mut lengths = [0; 51];
        for key in texts.keys() {
            assert!(key.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            lengths[key.len()] += 1;
        }
        assert_eq!((lengths[0], lengths[1]), (0, 62), "only 62 strings have one character");
        // A thousand expected of each length above 2: within six standard deviations.
        assert!(lengths[3..].iter().all(|count| (800..1300).contains(count)), "{lengths:?}");
    }

    #[test]
    fn addresses_look_like_addresses() {
        let texts = Texts::take(&mut Emails::default(), 1000);
        for key in texts.keys() {
            let (name, domain) = key.split_once('@').unwrap();
            assert!(name.len() >= 5 && domain.contains('.'), "{key}");
            assert!((10..=50).contains(&key.len()), "{key}");
        }
    }

    #[test]
    fn the_permutation_has_an_inverse() {
        let images: HashSet<u64> = (0..1 << 18).map(permute).collect();
        assert_eq!(images.len(), 1 << 18);
    }
}
