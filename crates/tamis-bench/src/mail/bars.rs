//! The claims of the project about mail, each with its limit and what was measured.

use super::accuracy::{Accuracy, OURS};
use super::folds::Division;
use super::peers::Peer;
use super::speed::Speed;
use super::stream::DIVISION;
use super::tables::divisions;
use crate::bar::Bar;

/// The most memory, in megabytes.
const MEMORY: f64 = 80.0;

/// The share of the ham that a cut may lose on a stream.
const HAM_LOST: f64 = 0.001;

/// Tables as a power of two, and the most megabytes of a store.
const STORES: [(u32, f64); 2] = [(20, 64.0), (22, 128.0)];

/// All claims.
pub(crate) fn bars(accuracies: &[Accuracy], speeds: &[Speed]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for division in divisions(accuracies) {
        bars.extend(better(accuracies, division));
    }
    bars.extend(expected_errors(accuracies));
    let tamis: Vec<&Speed> = speeds.iter().filter(|row| row.contender == OURS).collect();
    let base = speeds.iter().find(|row| row.contender == Peer::Bogofilter.name());
    for ours in tamis {
        bars.extend(times(ours, base));
        bars.extend(sizes(ours));
    }
    bars
}

/// The claims about a stream: ahead of bogofilter in the same run, and within what may be lost.
pub(crate) fn of_stream(accuracies: &[Accuracy]) -> Vec<Bar> {
    let of = |contender: &str| accuracies.iter().find(|row| row.contender == contender);
    let (ours, base) = (of(OURS), of(Peer::Bogofilter.name()));
    let percent = |part: Option<f64>| part.map(|part| format!("{:.2} %", 100.0 * part));
    let (found, found_by_base) = (ours.map(|row| row.found), base.map(|row| row.found));
    let at_most = |what: &str, share: Option<f64>, most: f64| Bar {
        claim: format!("{DIVISION}: {what}"),
        limit: format!("at most {} %", 100.0 * most),
        measured: percent(share).unwrap_or_default(),
        holds: share.map(|share| share <= most),
    };
    let mut bars = better(accuracies, DIVISION).to_vec();
    bars.push(Bar {
        claim: format!("{DIVISION}: spam found at the own cut"),
        limit: percent(found_by_base)
            .map(|base| format!("over bogofilter's {base}"))
            .unwrap_or_default(),
        measured: percent(found).unwrap_or_default(),
        holds: found.zip(found_by_base).map(|(ours, base)| ours > base),
    });
    bars.push(at_most("ham lost at the own cut", ours.map(|row| row.lost), HAM_LOST));
    bars.push(at_most("expected error of probabilities", ours.map(|row| row.expected_error), 0.02));
    bars
}

/// Order and recall, against bogofilter's.
fn better(accuracies: &[Accuracy], division: &str) -> [Bar; 2] {
    let of = |contender: &str| {
        accuracies.iter().find(|row| row.division == division && row.contender == contender)
    };
    let (ours, base) = (of(OURS), of(Peer::Bogofilter.name()));
    let both = |figure: fn(&Accuracy) -> f64| (ours.map(figure), base.map(figure));
    let bar =
        |what: &str, word: &str, (ours, base): (Option<f64>, Option<f64>), digits, sign| Bar {
            claim: format!("{division}: {what}"),
            limit: base.map(|base| format!("{word} {base:.digits$}")).unwrap_or_default(),
            measured: ours.map(|ours| format!("{ours:.digits$}")).unwrap_or_default(),
            holds: ours.zip(base).map(|(ours, base): (f64, f64)| sign * ours > sign * base),
        };
    [
        bar("(1-AUC) %", "under bogofilter's", both(|row| row.one_minus_auc_percent), 4, -1.0),
        bar(
            "recall % at 0.1 % lost",
            "over bogofilter's",
            both(|row| 100.0 * row.recall_at[0]),
            2,
            1.0,
        ),
    ]
}

/// Of raw mail, however it is divided.
fn expected_errors(accuracies: &[Accuracy]) -> impl Iterator<Item = Bar> {
    Division::ALL.into_iter().map(|division| {
        let name = division.name();
        let ours = accuracies.iter().find(|row| row.division == name && row.contender == OURS);
        let error = ours.map(|row| row.expected_error);
        Bar {
            claim: format!("{name}: expected error of probabilities"),
            limit: "at most 2 %".to_owned(),
            measured: error.map(|error| format!("{:.2} %", 100.0 * error)).unwrap_or_default(),
            holds: error.map(|error| error <= 0.02),
        }
    })
}

/// Speed, as a part of bogofilter's.
fn times(ours: &Speed, base: Option<&Speed>) -> [Bar; 3] {
    let ratio = |figure: fn(&Speed) -> f64| base.map(|base| figure(ours) / figure(base));
    let bar = |what: &str, limit: &str, ratio: Option<f64>, holds: fn(f64) -> bool| Bar {
        claim: format!("{}: {what} / bogofilter", ours.name()),
        limit: limit.to_owned(),
        measured: ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        holds: ratio.map(holds),
    };
    let least = |ratio: f64| ratio >= 1.0;
    [
        bar("learned per second", "at least 1.00", ratio(Speed::learn_rate), least),
        bar("checked per second", "at least 1.00", ratio(Speed::check_rate), least),
        bar("time of one check", "at most 1.50", ratio(|row| row.one), |ratio| ratio <= 1.5),
    ]
}

/// Memory and store.
fn sizes(ours: &Speed) -> Vec<Bar> {
    let memory = ours.learn.memory.zip(ours.check.memory);
    let mut bars = vec![Bar {
        claim: format!("{}: largest memory", ours.name()),
        limit: format!("under {MEMORY:.0} MB"),
        measured: memory
            .map(|(learn, check)| format!("{learn:.1} learn, {check:.1} check"))
            .unwrap_or_default(),
        holds: memory.map(|(learn, check)| learn.max(check) < MEMORY),
    }];
    if let Some((_, most)) = STORES.into_iter().find(|(bits, _)| ours.bits == Some(*bits)) {
        let store = ours.store as f64 / 1e6;
        bars.push(Bar {
            claim: format!("{}: store of {} messages", ours.name(), ours.learned),
            limit: format!("under {most:.0} MB"),
            measured: format!("{store:.1} MB"),
            holds: Some(store < most),
        });
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::Pace;
    use super::*;

    #[test]
    fn what_was_not_measured_neither_holds_nor_falls_short() {
        assert!(bars(&[], &[]).iter().all(|bar| bar.holds.is_none()));
    }

    fn row(contender: &'static str, figure: f64) -> Accuracy {
        Accuracy {
            division: DIVISION,
            contender,
            judged: 1,
            one_minus_auc_percent: 1.0 - figure,
            recall_at: [figure; 3],
            found: figure,
            lost: 0.0,
            unsure: 0.0,
            expected_error: 0.0,
            pace: Pace::default(),
        }
    }

    #[test]
    fn as_good_as_bogofilter_is_not_better() {
        for (figure, holds) in [(0.75, true), (0.5, false), (0.25, false)] {
            let rows = [row(OURS, figure), row(Peer::Bogofilter.name(), 0.5)];
            let bars = of_stream(&rows);
            let ahead = bars.iter().filter(|bar| bar.limit.contains("bogofilter"));
            assert_eq!(ahead.clone().count(), 3);
            assert!(ahead.clone().all(|bar| bar.holds == Some(holds)));
        }
    }

    #[test]
    fn a_stream_without_bogofilter_still_has_its_limits() {
        let bars = of_stream(&[Accuracy { lost: 0.0011, ..row(OURS, 0.75) }]);
        let holds: Vec<_> = bars.iter().map(|bar| bar.holds).collect();
        assert_eq!(holds, [None, None, None, Some(false), Some(true)]);
    }
}
