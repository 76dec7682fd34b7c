//! The claims of the project about cascades and static filters, each with its limit and what was measured.

use super::contender::{CHAIN, CLUBCARD, COMP_VFUNC, OURS};
use super::static_filter::{self, StaticRow};
use super::trial::Trial;
use crate::bar::Bar;

/// The largest sizes over the bound.
pub(super) const SIZES: [(&str, f64); 6] =
    [("A", 1.010), ("B", 1.070), ("C", 1.045), ("D", 1.030), ("D2", 1.070), ("E", 1.050)];

/// Sets on which ours is no larger than clubcard.
const AGAINST_CLUBCARD: [&str; 5] = ["3 equal", "10 equal", "1:2", "1:4", "1:10"];

/// The set of the times.
const LARGE: &str = "C";

/// The most seconds of the processor for the training of [`LARGE`].
const TRAINING: f64 = 20.0;

/// All claims.
pub(crate) fn bars(trials: &[Trial], filters: &[StaticRow]) -> Vec<Bar> {
    let mut bars: Vec<Bar> = SIZES.iter().map(|(set, most)| size(trials, set, *most)).collect();
    bars.extend(AGAINST_CLUBCARD.map(|set| no_larger(trials, set)));
    bars.push(errors(trials));
    bars.extend(times(trials));
    for (rate, peer) in [(0.01, "xorf fuse 8"), (0.0001, "xorf fuse 16")] {
        bars.extend(filter(filters, rate, peer));
    }
    bars
}

/// A contender's trial on a whole set: what holds for a part of the keys is not what is claimed.
fn whole<'a>(trials: &'a [Trial], contender: &str, set: &str) -> Option<&'a Trial> {
    let mut rows = trials.iter().filter(|row| row.set == set && row.scale >= 1.0);
    rows.find(|row| row.contender == contender)
}

/// A claim about a figure, which is there or not.
fn bar(claim: String, limit: String, figure: Option<(String, bool)>) -> Bar {
    let (measured, holds) = figure.unzip();
    Bar { claim, limit, measured: measured.unwrap_or_default(), holds }
}

fn size(trials: &[Trial], set: &str, most: f64) -> Bar {
    let ratio = whole(trials, OURS, set).map(Trial::ratio);
    let figure = ratio.map(|ratio| (format!("{ratio:.4}"), ratio <= most));
    bar(format!("{set}: bytes / n H"), format!("at most {most:.3}"), figure)
}

fn no_larger(trials: &[Trial], set: &str) -> Bar {
    let peers = [CLUBCARD, CHAIN].into_iter().filter_map(|peer| whole(trials, peer, set));
    let peer = peers.min_by_key(|row| row.bytes);
    let limit = peer.map(|peer| format!("at most clubcard's {:.4}", peer.ratio()));
    let both = whole(trials, OURS, set).zip(peer);
    let figure =
        both.map(|(ours, peer)| (format!("{:.4}", ours.ratio()), ours.bytes <= peer.bytes));
    bar(format!("{set}: bytes / n H"), limit.unwrap_or_default(), figure)
}

/// Of whole sets and of parts.
fn errors(trials: &[Trial]) -> Bar {
    let rows: Vec<&Trial> = trials.iter().filter(|row| row.contender == OURS).collect();
    let errors: u64 = rows.iter().map(|row| row.errors).sum();
    let keys: u64 = rows.iter().map(|row| row.keys).sum();
    let figure = (keys > 0).then(|| (format!("{errors} of {keys}"), errors == 0));
    bar("wrong categories of trained keys".to_owned(), "0".to_owned(), figure)
}

fn times(trials: &[Trial]) -> [Bar; 4] {
    let ours = whole(trials, OURS, LARGE);
    let cpu = ours.map(|ours| (format!("{:.1} s", ours.cpu), ours.cpu <= TRAINING));
    let single = ours.map(|ours| ours.single.best);
    let batched = ours.and_then(|ours| ours.batched).map(|times| times.best);
    let of = |peer: &str| whole(trials, peer, LARGE).map(|row| row.single.best);
    let at_most = |own: Option<f64>, most: f64| {
        let ratio = own.zip(of(COMP_VFUNC)).map(|(own, peer)| own / peer);
        ratio.map(|ratio| (format!("{ratio:.2}"), ratio <= most))
    };
    let faster = single.zip(of(CLUBCARD)).map(|(own, peer)| peer / own);
    [
        bar(
            format!("{LARGE}: processor time of the training"),
            format!("at most {TRAINING:.0} s"),
            cpu,
        ),
        bar(
            format!("{LARGE}: lookup / {COMP_VFUNC}"),
            "at most 1.50".to_owned(),
            at_most(single, 1.5),
        ),
        bar(
            format!("{LARGE}: lookup in batches / {COMP_VFUNC}"),
            "at most 1.00".to_owned(),
            at_most(batched, 1.0),
        ),
        bar(
            format!("{LARGE}: lookup of {CLUBCARD} / ours"),
            "at least 5.00".to_owned(),
            faster.map(|ratio| (format!("{ratio:.2}"), ratio >= 5.0)),
        ),
    ]
}

/// Size, rate and time of the static filter, the last against the peer of the next lower rate.
fn filter(filters: &[StaticRow], rate: f64, peer: &str) -> [Bar; 3] {
    let ours =
        filters.iter().find(|row| row.contender == static_filter::OURS && row.requested == rate);
    let peer_row = filters.iter().find(|row| row.contender == peer);
    let name = format!("static filter at {} %", 100.0 * rate);
    let bits = ours.map(StaticRow::ratio);
    let rates = ours.map(|row| row.measured / row.requested);
    let ratios = ours.zip(peer_row).map(|(ours, peer)| {
        [ours.positive.best / peer.positive.best, ours.negative.best / peer.negative.best]
    });
    [
        bar(
            format!("{name}: bits / log2(1 / p)"),
            "at most 1.03".to_owned(),
            bits.map(|bits| (format!("{bits:.4}"), bits <= 1.03)),
        ),
        bar(
            format!("{name}: measured / p"),
            "0.90 to 1.10".to_owned(),
            rates.map(|rate| (format!("{rate:.3}"), (0.9..=1.1).contains(&rate))),
        ),
        bar(
            format!("{name}: lookup / {peer}"),
            "at most 1.20".to_owned(),
            ratios.map(|[positive, negative]| {
                let text = format!("{positive:.2} positive, {negative:.2} negative");
                (text, positive.max(negative) <= 1.2)
            }),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Times;

    fn times(best: f64) -> Times {
        Times { best, median: best }
    }

    fn row(contender: &str, set: &str, bytes: u64, nanoseconds: f64) -> Trial {
        Trial {
            contender: contender.to_owned(),
            set: set.to_owned(),
            scale: 1.0,
            keys: 8000,
            bound: 1000.0,
            bytes,
            cpu: 10.0,
            wall: 10.0,
            memory: None,
            errors: 0,
            single: times(nanoseconds),
            batched: Some(times(nanoseconds / 2.0)),
        }
    }

    fn holds(bars: &[Bar], claim: &str) -> Option<bool> {
        bars.iter().find(|bar| bar.claim == claim).and_then(|bar| bar.holds)
    }

    #[test]
    fn what_was_not_measured_neither_holds_nor_falls_short() {
        assert!(bars(&[], &[]).iter().all(|bar| bar.holds.is_none()));
        let part = Trial { scale: 0.5, ..row(OURS, "A", 1000, 1.0) };
        assert_eq!(holds(&bars(&[part], &[]), "A: bytes / n H"), None);
    }

    #[test]
    fn a_broken_ratio_falls_short() {
        for (bytes, expected) in [(1010, true), (1011, false)] {
            let bars = bars(&[row(OURS, "A", bytes, 1.0)], &[]);
            assert_eq!(holds(&bars, "A: bytes / n H"), Some(expected));
        }
        for (bytes, expected) in [(1100, true), (1101, false)] {
            let rows = [row(OURS, "1:2", bytes, 1.0), row(CLUBCARD, "1:2", 1100, 1.0)];
            assert_eq!(holds(&bars(&rows, &[]), "1:2: bytes / n H"), Some(expected));
        }
    }

    #[test]
    fn errors_and_slow_answers_fall_short() {
        let slow = |nanoseconds| {
            let ours = Trial { errors: 1, cpu: 21.0, ..row(OURS, LARGE, 1000, nanoseconds) };
            bars(&[ours, row(COMP_VFUNC, LARGE, 1, 10.0), row(CLUBCARD, LARGE, 1, 100.0)], &[])
        };
        let claims = [
            "wrong categories of trained keys",
            "C: processor time of the training",
            "C: lookup / sux CompVFunc",
            "C: lookup in batches / sux CompVFunc",
            "C: lookup of clubcard / ours",
        ];
        assert_eq!(claims.map(|claim| holds(&slow(21.0), claim)), [Some(false); 5]);
        let quick = claims.map(|claim| holds(&slow(15.0), claim) == Some(true));
        assert_eq!(quick, [false, false, true, true, true]);
    }

    #[test]
    fn a_static_filter_is_held_to_its_rate_size_and_time() {
        let row = |contender, requested: f64, measured, bits: f64, nanoseconds| StaticRow {
            contender,
            keys: 1,
            requested,
            measured,
            bits_per_key: bits,
            build: 1.0,
            positive: times(nanoseconds),
            negative: times(nanoseconds),
        };
        let peer = row("xorf fuse 8", 0.0039, 0.0039, 9.0, 10.0);
        for (measured, bits, nanoseconds, expected) in
            [(0.0105, 6.8, 12.0, true), (0.0112, 6.9, 12.1, false)]
        {
            let ours = row(static_filter::OURS, 0.01, measured, bits, nanoseconds);
            let bars = filter(&[ours, peer.clone()], 0.01, "xorf fuse 8");
            assert!(bars.iter().all(|bar| bar.holds == Some(expected)), "{bars:?}");
        }
    }
}
