//! How a key lies inside of one cache line, and what that costs in false positives.
//!
//! A line has eight words of `W` slots: 64 bits, 16 four-bit or 8 eight-bit counters.
//! [`crate::simd::slots`] places the functions of a key in it; `line = reduce(h, lines)`. The line
//! comes from the high bits of the hash and the slots from the low ones, so that the two are
//! independent up to 2^32 lines.
//!
//! With `j` keys in a line, `i` given slots of a word are all missed by one key with
//! probability `q_i = (1 - i/W)^rounds (1 - (t/8)(i/W))`, so `u` given slots are all
//! taken with probability `sum_i (-1)^i C(u, i) q_i^j`. Two functions of a
//! key in one word may fall together, which is counted in. The keys of a line
//! are Poisson distributed. That gives the rate exactly but for the weak dependence
//! between words, and the size by bisection.

use super::Design;
use crate::Result;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::memory::{Line, WORDS};
use crate::simd::slots::{Rounds, visits};

/// The mathematics of a line with `slots` slots in each word and `hashes` functions per key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    slots: u32,
    hashes: u32,
}

/// Most functions in one word: [`super::bloom::Blocked`] has up to 32, in four rounds.
const MOST: usize = 4;

impl Model {
    pub(crate) const fn new(slots: u32, hashes: u32) -> Self {
        Self { slots, hashes }
    }

    /// The probability that one key misses `i` given slots of a word.
    fn miss(&self, i: u32) -> f64 {
        let rounds = Rounds::of(self.hashes);
        let part = f64::from(i) / f64::from(self.slots);
        let partial = f64::from(rounds.partial) / WORDS as f64;
        (1.0 - part).powi(rounds.full as i32) * (1.0 - partial * part)
    }

    /// `distinct[u]`: the probability that `draws` functions in a word take `u` different slots.
    fn distinct(&self, draws: u32) -> [f64; MOST + 1] {
        let mut now = [0.0; MOST + 1];
        now[0] = 1.0;
        for _ in 0..draws {
            let mut next = [0.0; MOST + 1];
            for u in 0..MOST {
                let taken = u as f64 / f64::from(self.slots);
                next[u] += now[u] * taken;
                next[u + 1] += now[u] * (1.0 - taken);
            }
            now = next;
        }
        now
    }

    /// The false-positive rate when lines hold `load` keys each on average.
    pub(crate) fn rate(&self, load: f64) -> f64 {
        if load <= 0.0 {
            return 0.0;
        }
        // Every slot is taken; the sum below would take as long as there are keys.
        if load > self.most_load() {
            return 1.0;
        }
        let rounds = Rounds::of(self.hashes);
        let (fewer, more) = (self.distinct(rounds.full), self.distinct(rounds.full + 1));
        let miss: [f64; MOST + 1] = core::array::from_fn(|i| self.miss(i as u32));

        // Only loads within twelve standard deviations weigh anything.
        let spread = 12.0 * load.sqrt() + 30.0;
        let first = (load - spread).max(0.0).floor();
        let last = (load + spread).ceil();
        let mut weight = poisson(first, load);
        let mut missed = miss.map(|q| q.powf(first));
        let mut rate = 0.0;
        let mut keys = first;
        while keys <= last {
            let taken: [f64; MOST + 1] = core::array::from_fn(|u| all_taken(u, &missed));
            let word = |distinct: &[f64; MOST + 1]| -> f64 {
                distinct.iter().zip(taken).map(|(p, t)| p * t).sum()
            };
            let partial = rounds.partial as i32;
            rate += weight * word(&more).powi(partial) * word(&fewer).powi(WORDS as i32 - partial);
            keys += 1.0;
            weight *= load / keys;
            for (m, q) in missed.iter_mut().zip(miss) {
                *m *= q;
            }
        }
        rate.min(1.0)
    }

    /// With so many keys a line has a free slot with a probability under 1e-24.
    fn most_load(&self) -> f64 {
        64.0 * f64::from(self.slots) * WORDS as f64
    }

    /// The largest load of a line that keeps the rate, rounded down a little so that every
    /// machine's logarithms give the same.
    pub(crate) fn load_for(&self, rate: f64) -> f64 {
        let slots = f64::from(self.slots) * WORDS as f64;
        // From small loads on: the rate of a large one takes as long as it is large.
        let most = self.most_load();
        let (mut low, mut high) = (0.0, 1.0);
        while high < most && self.rate(high) <= rate {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > most * 0.5f64.powi(48) {
            let middle = 0.5 * (low + high);
            if self.rate(middle) <= rate {
                low = middle;
            } else {
                high = middle;
            }
        }
        let slots_per_key = ((slots / low) * 1024.0).ceil() / 1024.0;
        slots / slots_per_key
    }

    /// The number of functions and the number of lines that hold `items` keys at `rate` in
    /// least room. Whole rounds are preferred for 2 % more, being faster.
    pub(crate) fn best(slots: u32, most: u32, items: u64, rate: f64) -> Result<(u32, u64)> {
        let ideal = (1.0 / rate).log2();
        let from = ((0.45 * ideal) as u32).clamp(1, most);
        let to = ((1.3 * ideal) as u32 + 5).clamp(1, most);
        let mut best = (f64::MAX, 1, 1.0);
        for hashes in from..=to {
            let load = Self::new(slots, hashes).load_for(rate);
            let penalty = if hashes % WORDS as u32 == 0 { 1.0 } else { 1.02 };
            if penalty / load < best.0 {
                best = (penalty / load, hashes, load);
            }
        }
        let lines = (items.max(1) as f64 / best.2).ceil();
        let bits = Design::check_bits(lines * super::LINE_BITS as f64)?;
        Ok((best.1, bits / super::LINE_BITS))
    }

    /// The expected number of keys when this part of the slots is taken:
    /// a Poisson load leaves `exp(-load (1 - q_1))` of them free.
    pub(crate) fn estimated_load(&self, fill: f64) -> f64 {
        -(1.0 - fill).max(f64::MIN_POSITIVE).ln() / (1.0 - self.miss(1))
    }

    /// The probability that a key which was not inserted is found in a line whose words have
    /// this many slots taken.
    pub(crate) fn rate_of_line(&self, taken: [u32; WORDS]) -> f64 {
        let rounds = Rounds::of(self.hashes);
        let (fewer, more) = (self.distinct(rounds.full), self.distinct(rounds.full + 1));
        let word = |distinct: &[f64; MOST + 1], count: u32| -> f64 {
            let mut all = 1.0;
            let mut sum = distinct[0];
            for u in 1..=MOST as u32 {
                all *= f64::from(count.saturating_sub(u - 1)) / f64::from(self.slots - (u - 1));
                sum += distinct[u as usize] * all;
            }
            sum
        };
        let fewer = taken.map(|count| word(&fewer, count));
        if rounds.partial == 0 {
            return fewer.iter().product();
        }
        let more = taken.map(|count| word(&more, count));
        let product = |start: usize| -> f64 {
            (0..WORDS)
                .map(|w| if visits(w, start, rounds.partial) { more[w] } else { fewer[w] })
                .product()
        };
        (0..WORDS).map(product).sum::<f64>() / WORDS as f64
    }

    /// The mean of [`Self::rate_of_line`] over lines, given how to count the slots of a word.
    pub(crate) fn rate_of_lines(&self, lines: &[Line], taken: impl Fn(u64) -> u32) -> f64 {
        let sum: f64 = lines
            .iter()
            .map(|line| self.rate_of_line(core::array::from_fn(|w| taken(line.word(w)))))
            .sum();
        sum / lines.len().max(1) as f64
    }
}

/// The probability that `u` given slots are all taken: inclusion and exclusion over the
/// probabilities that `i` of them are all missed.
fn all_taken(u: usize, missed: &[f64; MOST + 1]) -> f64 {
    let mut sum = 0.0;
    let mut binomial = 1.0;
    for (i, m) in missed.iter().enumerate().take(u + 1) {
        sum += binomial * m;
        binomial *= -((u - i) as f64) / (i + 1) as f64;
    }
    sum.max(0.0)
}

/// The Poisson probability of `keys` with mean `load`, by logarithms.
fn poisson(keys: f64, load: f64) -> f64 {
    let log_factorial: f64 = (1..=keys as u64).map(|i| (i as f64).ln()).sum();
    (keys * load.ln() - load - log_factorial).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of an independent computation of the same model (Python, exact
    /// fractions of a bit by bisection, without words that fall together).
    #[test]
    fn sizes_agree_with_the_theory_of_blocked_filters() {
        for (hashes, rate, bits) in [(8, 0.01, 10.10), (8, 0.001, 15.72), (3, 0.1, 4.84)] {
            let got = 512.0 / Model::new(64, hashes).load_for(rate);
            assert!((got - bits).abs() < 0.02, "k = {hashes}: {got} bits, expected {bits}");
        }
    }

    #[test]
    fn an_empty_line_finds_nothing_and_a_full_one_everything() {
        for hashes in 1..=32 {
            let model = Model::new(64, hashes);
            assert!(model.rate_of_line([0; 8]) == 0.0);
            assert!((model.rate_of_line([64; 8]) - 1.0).abs() < 1e-12);
        }
    }
}
