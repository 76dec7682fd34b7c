//! The claims of the project about similarity, each with its limit and what was measured.

use super::accuracy::{Accuracy, Sizes};
use super::contender::OURS;
use super::pairs::Search;
use super::speed::Speed;
use crate::bar::Bar;

/// All claims.
pub(crate) fn bars(speeds: &[Speed], accuracies: &[Accuracy], searches: &[Search]) -> Vec<Bar> {
    let mut bars = vec![speed(speeds)];
    for components in [128, 400, 1000] {
        bars.extend(errors(accuracies, components));
    }
    let cost = |search: &Search| Some(search.cpu);
    let memory = |search: &Search| search.memory;
    bars.push(ratio(searches, 0.8, "txtfp", "processor time", 0.5, cost));
    bars.push(ratio(searches, 0.8, "exact join", "processor time", 0.25, cost));
    for threshold in [0.8, 0.5] {
        bars.push(ratio(searches, threshold, "txtfp", "memory", 1.0, memory));
    }
    for (threshold, recall) in [(0.8, 0.99), (0.5, 0.98)] {
        bars.extend(found(searches, threshold, recall));
    }
    bars
}

fn speed(speeds: &[Speed]) -> Bar {
    let best = |is: &dyn Fn(&Speed) -> bool| {
        speeds.iter().filter(|speed| is(speed)).map(|speed| speed.best).reduce(f64::max)
    };
    let ours = best(&|speed| speed.contender == OURS && speed.components == 128);
    // The faster of its hashes.
    let txtfp = best(&|speed| speed.contender.starts_with("txtfp"));
    let ratio = ours.zip(txtfp).map(|(ours, txtfp)| ours / txtfp);
    Bar {
        claim: "text to signature, k = 128: speed / txtfp".to_owned(),
        limit: "at least 1.80".to_owned(),
        measured: ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        holds: ratio.map(|ratio| ratio >= 1.8),
    }
}

/// The error ratio and the mean error, over all kinds of sets.
fn errors(accuracies: &[Accuracy], components: usize) -> [Bar; 2] {
    let of = |sizes: Sizes| {
        accuracies.iter().find(|accuracy| {
            (accuracy.contender, accuracy.components, accuracy.sizes) == (OURS, components, sizes)
        })
    };
    let rows: Vec<&Accuracy> = Sizes::EVERY.into_iter().filter_map(of).collect();
    let words = |figure: &dyn Fn(&Accuracy) -> String| {
        let words = rows.iter().map(|row| format!("{} {}", figure(row), row.sizes.name()));
        words.collect::<Vec<_>>().join(", ")
    };
    let all = |holds: &dyn Fn(&Accuracy) -> bool| {
        (!rows.is_empty()).then(|| rows.iter().all(|row| holds(row)))
    };
    [
        Bar {
            claim: format!("k = {components}: error / that of independent functions"),
            limit: "at most 0.80".to_owned(),
            measured: words(&|row| format!("{:.3}", row.ratio)),
            holds: all(&|row| row.ratio <= 0.8),
        },
        Bar {
            claim: format!("k = {components}: mean error"),
            limit: "within 0.003".to_owned(),
            measured: words(&|row| format!("{:+.4}", row.mean_error)),
            holds: all(&|row| row.mean_error.abs() <= 0.003),
        },
    ]
}

fn search<'a>(searches: &'a [Search], contender: &str, threshold: f64) -> Option<&'a Search> {
    let same = |row: &&Search| row.contender == contender && row.threshold == threshold;
    searches.iter().find(same)
}

/// Ours over a peer's.
fn ratio(
    searches: &[Search],
    threshold: f64,
    peer: &str,
    what: &str,
    most: f64,
    figure: fn(&Search) -> Option<f64>,
) -> Bar {
    let ours = search(searches, OURS, threshold).and_then(figure);
    // Whatever its bands, the peer's least counts.
    let theirs = searches.iter().filter(|row| row.threshold == threshold);
    let theirs = theirs.filter(|row| row.contender.starts_with(peer)).filter_map(figure);
    let ratio = ours.zip(theirs.reduce(f64::min)).map(|(ours, theirs)| ours / theirs);
    Bar {
        claim: format!("all pairs at {threshold}: {what} / {peer}"),
        limit: format!("at most {most:.2}"),
        measured: ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        holds: ratio.map(|ratio| ratio <= most),
    }
}

/// Precision and recall.
fn found(searches: &[Search], threshold: f64, least: f64) -> [Bar; 2] {
    let ours = search(searches, OURS, threshold);
    let bar = |what: &str, limit: String, figure: Option<f64>, least: f64| Bar {
        claim: format!("all pairs at {threshold}: {what}"),
        limit,
        measured: figure.map(|figure| format!("{figure:.4}")).unwrap_or_default(),
        holds: figure.map(|figure| figure >= least),
    };
    let precision = ours.map(|search| search.precision);
    let recall = ours.map(|search| search.recall);
    [
        bar("precision", "1".to_owned(), precision, 1.0),
        bar("recall", format!("at least {least}"), recall, least),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_neither_holds_nor_falls_short() {
        assert!(bars(&[], &[], &[]).iter().all(|bar| bar.holds.is_none()));
    }

    #[test]
    fn one_wrong_pair_is_not_precise() {
        let row = |precision| Search {
            contender: OURS,
            threshold: 0.8,
            cpu: 1.0,
            memory: None,
            pairs: 10,
            precision,
            recall: 0.995,
            has_pairs: true,
            copies: crate::similar::pairs::Copies { removed: 0, precision: 1.0, recall: 1.0 },
        };
        for (precision, holds) in [(1.0, true), (0.9999, false)] {
            let [bar, recall] = found(&[row(precision)], 0.8, 0.99);
            assert_eq!((bar.holds, recall.holds), (Some(holds), Some(true)));
        }
    }
}
