//! The claims of the project about its filters, each with its limit and what was measured.

use super::rates::Rate;
use super::speed::Speed;
use crate::bar::Bar;

/// All claims, in the order of the issue.
pub(crate) fn bars(speeds: &[Speed], rates: &[Rate]) -> Vec<Bar> {
    let speeds = Speeds(speeds);
    let mut bars = Vec::new();
    for (layout, least) in [("classic", Some(0.85)), ("blocked", None)] {
        bars.extend([100_000, 10_000_000].map(|size| rate_bar(rates, layout, size, least)));
    }
    for (layout, rate, most) in [
        ("classic", 0.01, 9.595),
        ("classic", 0.0001, 19.25),
        ("blocked", 0.01, 10.6),
        ("blocked", 0.0001, 23.0),
    ] {
        bars.push(bits_bar(rates, layout, rate, most));
    }
    for size in [100_000, 1_000_000, 10_000_000, 100_000_000] {
        bars.push(speeds.compare("integers", size, "classic", "fastbloom foldhash", 1.0, ALL));
    }
    for size in [100_000, 1_000_000] {
        bars.push(speeds.compare("integers", size, "blocked", "sbbf-rs-safe", 1.15, ALL));
    }
    for size in [10_000_000, 100_000_000] {
        let ours = "blocked many";
        bars.push(speeds.compare("integers", size, ours, "sbbf-rs-safe", 0.7, LOOKUPS));
        bars.push(speeds.compare("integers", size, ours, "floor in batches", 1.5, LOOKUPS));
    }
    for size in [100_000, 1_000_000, 10_000_000] {
        bars.push(speeds.compare("strings", size, "blocked", "sbbf-rs-safe", 1.0, ALL));
    }
    for size in [1_000_000, 10_000_000] {
        bars.push(speeds.compare(
            "integers",
            size,
            "counting 4",
            "fastbloom-rs counting",
            0.4,
            ALL,
        ));
    }
    for size in [1_000_000, 10_000_000] {
        for many in ["", " many"] {
            bars.extend(speeds.concurrent(size, many));
        }
    }
    bars
}

fn rate_bar(rates: &[Rate], layout: &str, size: usize, least: Option<f64>) -> Bar {
    let ratios: Vec<f64> = rates
        .iter()
        .filter(|rate| rate.contender == layout && rate.size == size)
        .map(|rate| rate.ratio)
        .collect();
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(0.0, f64::max);
    Bar {
        claim: format!("{layout}, {} keys: measured over requested rate", short(size)),
        limit: least.map_or("at most 1.10".to_owned(), |least| format!("{least:.2} to 1.10")),
        measured: match ratios.len() {
            0 => String::new(),
            rates => format!("{low:.3} to {high:.3} ({rates} rates)"),
        },
        holds: (!ratios.is_empty()).then_some(low >= least.unwrap_or(0.0) && high <= 1.10),
    }
}

fn bits_bar(rates: &[Rate], layout: &str, requested: f64, most: f64) -> Bar {
    let most_measured = rates
        .iter()
        .filter(|rate| rate.contender == layout && rate.requested == requested)
        .map(|rate| rate.bits_per_key)
        .fold(0.0, f64::max);
    Bar {
        claim: format!("{layout}: bits per key at {} %", requested * 100.0),
        limit: format!("at most {}", format_bits(most)),
        measured: if most_measured > 0.0 { format!("{most_measured:.3}") } else { String::new() },
        holds: (most_measured > 0.0).then_some(most_measured <= most),
    }
}

/// The classic limits are rounded figures: 9.59 stands for up to 9.595.
fn format_bits(most: f64) -> String {
    match most {
        9.595 => "9.59".to_owned(),
        19.25 => "19.2".to_owned(),
        other => other.to_string(),
    }
}

const ALL: [bool; 3] = [true; 3];
const LOOKUPS: [bool; 3] = [false, true, true];
const OPERATIONS: [&str; 3] = ["insert", "positive", "negative"];

/// The measured times.
pub(crate) struct Speeds<'a>(pub(crate) &'a [Speed]);

impl Speeds<'_> {
    /// The best times of one contender: insert, positive, negative.
    fn best(&self, keys: &str, size: usize, contender: &str) -> Option<[f64; 3]> {
        let row = self
            .0
            .iter()
            .find(|row| row.keys == keys && row.size == size && row.contender == contender)?;
        Some([row.insert, row.positive, row.negative].map(|times| times.best))
    }

    /// Ours over theirs, operation by operation.
    pub(crate) fn ratios(
        &self,
        keys: &str,
        size: usize,
        ours: &str,
        theirs: &str,
    ) -> Option<[f64; 3]> {
        let (ours, theirs) = (self.best(keys, size, ours)?, self.best(keys, size, theirs)?);
        Some(std::array::from_fn(|i| ours[i] / theirs[i]))
    }

    fn compare(
        &self,
        keys: &str,
        size: usize,
        ours: &str,
        theirs: &str,
        most: f64,
        operations: [bool; 3],
    ) -> Bar {
        let ratios: Option<Vec<(&str, f64)>> =
            self.ratios(keys, size, ours, theirs).map(|ratios| {
                let named = OPERATIONS.into_iter().zip(ratios).zip(operations);
                named.filter_map(|(ratio, asked)| asked.then_some(ratio)).collect()
            });
        let words = |ratios: &Vec<(&str, f64)>| {
            let words: Vec<String> =
                ratios.iter().map(|(name, ratio)| format!("{ratio:.2} {name}")).collect();
            words.join(", ")
        };
        Bar {
            claim: format!("{ours} / {theirs}, {} {keys}", short(size)),
            limit: format!("at most {most:.2}"),
            measured: ratios.as_ref().map(words).unwrap_or_default(),
            // What rounds to the limit is at the limit.
            holds: ratios.map(|ratios| ratios.iter().all(|(_, ratio)| *ratio < most + 0.005)),
        }
    }

    /// The time per insertion with two threads against that with one and with the plain filter.
    fn concurrent(&self, size: usize, many: &str) -> [Bar; 2] {
        let insert = |name: String| self.best("integers", size, &name).map(|times| times[0]);
        let plain = insert(format!("blocked{many}"));
        let one = insert(format!("concurrent 1 thread{many}"));
        let two = insert(format!("concurrent 2 threads{many}"));
        let bar = |claim: &str, limit: &str, ratio: Option<f64>, most: f64| Bar {
            claim: format!("concurrent insert{many}, {} integers: {claim}", short(size)),
            limit: limit.to_owned(),
            measured: ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            holds: ratio.map(|ratio| ratio < most),
        };
        let alone =
            one.zip(plain).map(|(one, plain)| format!(" ({:.2} with 1 thread)", one / plain));
        let faster = two.zip(one).map(|(two, one)| two / one);
        let dearer = two.zip(plain).map(|(two, plain)| two / plain);
        let mut cost = bar("2 threads / plain", "at most 1.50", dearer, 1.505);
        cost.measured += &alone.unwrap_or_default();
        [bar("2 threads / 1 thread", "under 1.00", faster, 1.0), cost]
    }
}

/// 100 k, 10 M.
pub(crate) fn short(count: usize) -> String {
    match count {
        count if count >= 1_000_000 && count % 1_000_000 == 0 => format!("{} M", count / 1_000_000),
        count if count >= 1000 && count % 1000 == 0 => format!("{} k", count / 1000),
        count => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Times;

    fn speed(contender: &'static str, best: f64) -> Speed {
        let times = Times { best, median: best };
        Speed {
            keys: "integers",
            size: 100_000,
            requested_rate: 0.01,
            contender,
            rounds: 1,
            insert: times,
            positive: times,
            negative: times,
            bits_per_key: 10.0,
            measured_rate: 0.01,
        }
    }

    #[test]
    fn what_was_not_measured_neither_holds_nor_falls_short() {
        assert!(bars(&[], &[]).iter().all(|bar| bar.holds.is_none()));
    }

    #[test]
    fn a_slower_filter_falls_short_and_a_faster_one_holds() {
        for (ours, holds) in [(11.4, true), (11.6, false)] {
            let rows = [speed("blocked", ours), speed("sbbf-rs-safe", 10.0)];
            let bars = bars(&rows, &[]);
            let bar = bars.iter().find(|bar| bar.claim.starts_with("blocked / sbbf")).unwrap();
            assert_eq!(bar.holds, Some(holds), "{bar:?}");
        }
    }
}
