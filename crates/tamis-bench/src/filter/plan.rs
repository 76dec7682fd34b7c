//! Which races are run: kinds and numbers of keys, who takes part, how many rounds.

use super::bars::short;
use std::fmt;
use std::time::Duration;

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Crowd {
    /// The two layouts, the two floors, and the peers that the claims name.
    Layouts,
    /// And the counting and concurrent filters.
    Bars,
    /// And all others.
    Everyone,
}

/// One race.
#[derive(Debug)]
pub(crate) struct Heat {
    pub(crate) kind: &'static str,
    pub(crate) size: usize,
    pub(crate) crowd: Crowd,
    pub(crate) rounds: usize,
    /// After this time no further round is begun, so that a busy machine ends, too.
    pub(crate) budget: Duration,
    /// Timed questions of each kind.
    pub(crate) questions: usize,
}

impl fmt::Display for Heat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, rounds, budget, .. } = self;
        write!(f, "times: {} {kind}, {rounds} rounds", short(self.size))?;
        match *budget {
            Duration::MAX => Ok(()),
            budget => write!(f, " or {budget:?}"),
        }
    }
}

/// The races of a run.
pub(crate) fn heats(quick: bool, sizes: &[usize]) -> Vec<Heat> {
    let defaults: &[usize] = match quick {
        true => &[100_000, 1_000_000, 10_000_000],
        false => &[100_000, 1_000_000, 10_000_000, 100_000_000],
    };
    let sizes = if sizes.is_empty() { defaults } else { sizes };
    let kinds = ["integers", "strings", "e-mails"];
    let all = kinds.into_iter().flat_map(|kind| sizes.iter().map(move |&size| (kind, size)));
    all.filter(|&(kind, size)| size <= largest(kind, quick))
        .map(|(kind, size)| {
            let (rounds, budget) = effort(size, quick);
            let questions = size.min(if quick { 1_000_000 } else { 4_000_000 });
            Heat { kind, size, crowd: crowd(kind, size, quick), rounds, budget, questions }
        })
        .collect()
}

/// The checks of rates of a run: kind and number of keys.
pub(crate) fn rate_checks(sizes: &[usize]) -> Vec<(&'static str, usize)> {
    let sizes = if sizes.is_empty() { &[100_000, 10_000_000] } else { sizes };
    let sizes = sizes.iter().filter(|&&size| size <= 10_000_000);
    sizes.flat_map(|&size| ["integers", "strings"].map(|kind| (kind, size))).collect()
}

/// Text keys are not made by the hundred million, and quick runs leave more out.
fn largest(kind: &str, quick: bool) -> usize {
    match (kind, quick) {
        ("integers", _) => usize::MAX,
        ("strings", true) => 1_000_000,
        (_, true) => 100_000,
        (_, false) => 10_000_000,
    }
}

fn crowd(kind: &str, size: usize, quick: bool) -> Crowd {
    match (kind, size) {
        (_, 10_000_001..) => Crowd::Layouts,
        ("integers", 100_001..) if quick => Crowd::Bars,
        ("integers", _) => Crowd::Everyone,
        _ if quick || size > 1_000_000 => Crowd::Layouts,
        _ => Crowd::Everyone,
    }
}

/// How many rounds, and how long at most.
fn effort(size: usize, quick: bool) -> (usize, Duration) {
    let (rounds, seconds) = match (size.max(1).ilog10(), quick) {
        (..=5, true) => (25, 8),
        (..=5, false) => (50, 60),
        (6, true) => (6, 16),
        (6, false) => (20, 180),
        (7, true) => (3, 32),
        (7, false) => (7, 400),
        (_, true) => (2, 60),
        (_, false) => (4, 600),
    };
    (rounds, Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_million_keys_are_integers_of_the_full_run_alone() {
        assert!(heats(true, &[]).iter().all(|heat| heat.size <= 10_000_000));
        let large: Vec<Heat> =
            heats(false, &[]).into_iter().filter(|heat| heat.size > 10_000_000).collect();
        assert_eq!(large.len(), 1);
        assert_eq!((large[0].kind, large[0].crowd), ("integers", Crowd::Layouts));
    }

    #[test]
    fn small_sizes_have_many_rounds() {
        for quick in [true, false] {
            assert!(effort(100_000, quick).0 >= 25);
        }
    }

    #[test]
    fn the_sizes_can_be_chosen() {
        assert!(heats(true, &[5_000]).iter().all(|heat| heat.size == 5_000));
        assert_eq!(rate_checks(&[5_000]), [("integers", 5_000), ("strings", 5_000)]);
    }
}
