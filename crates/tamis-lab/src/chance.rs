//! Random numbers: SplitMix64, which has nothing in common with the hashes that are examined.

/// A sequence of random numbers, always the same for a seed.
#[derive(Debug, Clone)]
pub struct Chance(u64);

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Chance {
    /// A sequence of its own for each seed and purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut start = Self(seed);
        let mixed = start.number() ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self(Self(mixed).number())
    }

    /// 64 random bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// A number less than `end`, by its high bits.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / 2f64.powi(53)
    }

    /// So many random numbers.
    pub fn numbers(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.number()).collect()
    }

    /// A random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }

    /// So many different strings of 1 to 50 letters and digits, each length as probable as the others.
    ///
    /// They have to be different: of one letter there are only 62, and a string that came again would fall into
    /// the same interval again. Longer ones than five letters do not come twice.
    pub fn strings(&mut self, count: usize) -> Vec<Vec<u8>> {
        let mut short = std::collections::HashSet::new();
        let mut strings = Vec::with_capacity(count);
        while strings.len() < count {
            let length = 1 + self.below(50) as usize;
            let string: Vec<u8> =
                (0..length).map(|_| LETTERS[self.below(LETTERS.len() as u64) as usize]).collect();
            if length > 5 || short.insert(string.clone()) {
                strings.push(string);
            }
        }
        strings
    }
}

/// Zipf's law: item `i` of `0..count` with a probability like `1 / (i + 1)^exponent`.
#[derive(Debug, Clone)]
pub struct Zipf(Vec<f64>);

impl Zipf {
    /// The law for so many items.
    #[must_use]
    pub fn new(count: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = (1..=count)
            .map(|rank| {
                sum += (rank as f64).powf(-exponent);
                sum
            })
            .collect();
        sums.iter_mut().for_each(|part| *part /= sum);
        Self(sums)
    }

    /// A random item.
    pub fn draw(&self, chance: &mut Chance) -> usize {
        let place = chance.unit();
        self.0.partition_point(|sum| *sum < place).min(self.0.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_everything() {
        assert_eq!(Chance::new(1, 2).numbers(3), Chance::new(1, 2).numbers(3));
        assert_ne!(Chance::new(1, 2).numbers(3), Chance::new(1, 3).numbers(3));
        assert_ne!(Chance::new(1, 2).numbers(3), Chance::new(2, 2).numbers(3));
    }

    #[test]
    fn strings_are_different() {
        let mut strings = Chance::new(1, 0).strings(20_000);
        assert!(strings.iter().all(|string| (1..=50).contains(&string.len())));
        strings.sort();
        strings.dedup();
        assert_eq!(strings.len(), 20_000);
    }
}
