//! Times on a machine that others use, too.
//!
//! A pass over the keys is cut into slices of a few milliseconds, and each slice is timed by
//! itself. What is reported as *best* is the sum, over the slices, of the fastest time that
//! each had in any round: an interruption spoils one slice of one round and nothing else. The
//! *median* is that of whole rounds, interruptions included. Rounds of all contenders are
//! interleaved, so that a slow minute is slow for everyone.

use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Keys in a slice: 0.2 to 10 ms.
pub(crate) const SLICE: usize = 1 << 16;

/// How long `work` takes; its result counts as used.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// The times of one operation of one contender over all rounds.
#[derive(Debug, Default)]
pub(crate) struct Track {
    items: usize,
    best: Vec<Duration>,
    rounds: Vec<Duration>,
}

impl Track {
    /// Adds a round: the time of each slice, in the same order every round.
    pub(crate) fn record(&mut self, items: usize, slices: &[Duration]) {
        self.items = items;
        self.rounds.push(slices.iter().sum());
        if self.best.is_empty() {
            self.best = slices.to_vec();
        }
        for (best, &slice) in self.best.iter_mut().zip(slices) {
            *best = slice.min(*best);
        }
    }

    /// How many rounds were counted.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// Nanoseconds per item.
    pub(crate) fn times(&self) -> Times {
        let per_item = |time: Duration| time.as_nanos() as f64 / self.items.max(1) as f64;
        let mut rounds = self.rounds.clone();
        rounds.sort_unstable();
        let median = rounds.get(rounds.len() / 2).copied().unwrap_or_default();
        Times { best: per_item(self.best.iter().sum()), median: per_item(median) }
    }
}

/// Nanoseconds per key.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Times {
    /// The sum of the fastest slices.
    pub(crate) best: f64,
    /// The median round.
    pub(crate) median: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_spoils_the_median_and_not_the_best() {
        let nanoseconds = |times: [u64; 2]| times.map(Duration::from_nanos);
        let mut track = Track::default();
        track.record(10, &nanoseconds([100, 900]));
        track.record(10, &nanoseconds([700, 200]));
        track.record(10, &nanoseconds([110, 210]));
        let times = track.times();
        assert!((times.best - 30.0).abs() < 1e-9);
        assert!((times.median - 90.0).abs() < 1e-9);
    }
}
