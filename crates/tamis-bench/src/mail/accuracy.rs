//! How well each filter tells spam from ham.

use super::collection::{Collection, SPAM, files};
use super::folds::Division;
use super::peers::Peer;
use serde::Serialize;
use std::path::PathBuf;
use tamis_mail::evaluation::ranking::{self, Scored};
use tamis_mail::evaluation::{Example, Novelty, Options, train_and_test};
use tamis_mail::filter::Verdict;

/// Ours.
pub(crate) const OURS: &str = "tamis";

/// Bits of the table for mail of a person, and for the larger collection.
pub(crate) const BITS: [u32; 2] = [20, 22];

/// How often Tamis learns a training part, each time in another order.
const ORDERS: u64 = 3;

/// How well a filter did.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Accuracy {
    pub(crate) division: &'static str,
    pub(crate) contender: &'static str,
    /// Messages judged, over all folds.
    pub(crate) judged: usize,
    /// The probability that a spam does not score above a ham, in percent.
    pub(crate) one_minus_auc_percent: f64,
    /// Recall when 0.1, 0.5 and 1 % of the ham are lost.
    pub(crate) recall_at: [f64; 3],
    /// The part of the spam that it calls spam.
    pub(crate) found: f64,
    /// The part of the ham that it calls spam.
    pub(crate) lost: f64,
    /// The part of all messages of which it is unsure.
    pub(crate) unsure: f64,
    /// The expected difference between probability and frequency, over all folds together.
    pub(crate) expected_error: f64,
}

/// A message that was judged.
#[derive(Debug, Clone, Copy)]
struct Answer {
    is_spam: bool,
    score: f64,
    probability: f64,
    called_spam: bool,
    unsure: bool,
}

/// Judges a collection by Tamis and these peers.
///
/// # Errors
/// A command that fails.
pub(crate) fn measure(collection: &Collection, peers: &[Peer]) -> anyhow::Result<Vec<Accuracy>> {
    match collection {
        Collection::Mail(all) => divided(all, peers),
        Collection::Bodies { training, testing, .. } => in_parts(training, testing, peers),
    }
}

fn divided(all: &[Example], peers: &[Peer]) -> anyhow::Result<Vec<Accuracy>> {
    let mut accuracies = Vec::new();
    for division in Division::ALL {
        eprintln!("{}", division.name());
        let mut parts = division.parts(all);
        parts.retain(|(_, testing)| !testing.is_empty());
        if parts.is_empty() {
            continue;
        }
        let options = Options { bits: BITS[0], ..Options::default() };
        let each = parts.iter().map(|(training, testing)| ours(training, testing, options));
        let runs = each.collect::<anyhow::Result<Vec<_>>>()?;
        accuracies.push(accuracy(division.name(), OURS, &runs));
        for peer in peers {
            let each = parts.iter().map(|(training, testing)| theirs(*peer, training, testing));
            let runs = each.collect::<anyhow::Result<Vec<_>>>()?;
            accuracies.push(accuracy(division.name(), peer.name(), &runs));
        }
    }
    Ok(accuracies)
}

fn in_parts(
    training: &[Example],
    testing: &[Example],
    peers: &[Peer],
) -> anyhow::Result<Vec<Accuracy>> {
    eprintln!("testing part");
    let mut all = Vec::new();
    let orders = (0..ORDERS).map(|order| {
        let options = Options { bits: BITS[1], body_only: true, order, ..Options::default() };
        ours(training, testing, options)
    });
    all.push((OURS, orders.collect::<anyhow::Result<Vec<_>>>()?));
    for peer in peers {
        all.push((peer.name(), vec![theirs(*peer, training, testing)?]));
    }
    let novelty = Novelty::of(training, testing)?;
    let is_new = |(place, answer): (usize, &Answer)| (!novelty.is_copy(place)).then_some(*answer);
    let new = |run: &Vec<Answer>| run.iter().enumerate().filter_map(is_new).collect();
    let of_all = all.iter().map(|(name, runs)| accuracy("testing part", name, runs));
    let of_new = all.iter().map(|(name, runs)| {
        let runs: Vec<Vec<Answer>> = runs.iter().map(new).collect();
        accuracy("without near-copies", name, &runs)
    });
    Ok(of_all.chain(of_new).collect())
}

fn ours(
    training: &[Example],
    testing: &[Example],
    options: Options,
) -> anyhow::Result<Vec<Answer>> {
    let labels = ["ham".to_owned(), "spam".to_owned()];
    let (pupil, judged) = train_and_test(&labels, training, testing, options)?;
    let cuts = pupil.filter().labels()[0].cuts;
    let answers = judged.iter().map(|judged| {
        let score = judged.judgement.evidence[0].score();
        Answer {
            is_spam: judged.label == SPAM,
            score,
            probability: cuts.probability(score),
            called_spam: judged.judgement.verdict == Verdict::Label(SPAM),
            unsure: judged.judgement.verdict == Verdict::Unsure,
        }
    });
    Ok(answers.collect())
}

fn theirs(peer: Peer, training: &[Example], testing: &[Example]) -> anyhow::Result<Vec<Answer>> {
    let store = tempfile::tempdir()?;
    for spam in [true, false] {
        for job in peer.learn(store.path(), spam, &files(training, spam)) {
            job.run()?;
        }
    }
    let names: Vec<PathBuf> = testing.iter().map(|example| example.path.clone()).collect();
    let said = peer.judge(store.path(), &names)?;
    let answers = said.into_iter().zip(testing).map(|(said, example)| Answer {
        is_spam: example.label == SPAM,
        score: said.probability,
        probability: said.probability,
        called_spam: said.is_spam,
        unsure: said.is_unsure,
    });
    Ok(answers.collect())
}

/// The mean over the runs; probabilities are looked at together.
fn accuracy(division: &'static str, contender: &'static str, runs: &[Vec<Answer>]) -> Accuracy {
    let mean = |figure: &dyn Fn(&[Answer]) -> f64| {
        runs.iter().map(|run| figure(run)).sum::<f64>() / runs.len().max(1) as f64
    };
    let scores = |run: &[Answer]| -> Vec<Scored> {
        run.iter().map(|answer| (answer.score, answer.is_spam)).collect()
    };
    let part = |of: &dyn Fn(&Answer) -> bool, with: &dyn Fn(&Answer) -> bool| {
        mean(&|run| {
            let of: Vec<&Answer> = run.iter().filter(|answer| of(answer)).collect();
            of.iter().filter(|answer| with(answer)).count() as f64 / of.len().max(1) as f64
        })
    };
    let probabilities: Vec<Scored> =
        runs.iter().flatten().map(|answer| (answer.probability, answer.is_spam)).collect();
    Accuracy {
        division,
        contender,
        judged: probabilities.len(),
        one_minus_auc_percent: mean(&|run| 100.0 * ranking::one_minus_auc(&scores(run))),
        recall_at: [0.001, 0.005, 0.01]
            .map(|lost| mean(&|run| ranking::recall_at(&scores(run), lost))),
        found: part(&|answer| answer.is_spam, &|answer| answer.called_spam),
        lost: part(&|answer| !answer.is_spam, &|answer| answer.called_spam),
        unsure: part(&|_| true, &|answer| answer.unsure),
        expected_error: ranking::expected_error(&probabilities),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_averaged_and_probabilities_pooled() {
        let answer = |is_spam, probability: f64| Answer {
            is_spam,
            score: probability,
            probability,
            called_spam: probability > 0.5,
            unsure: probability == 0.5,
        };
        let right = vec![answer(true, 1.0), answer(false, 0.0)];
        let wrong = vec![answer(true, 0.0), answer(false, 1.0)];
        let found = accuracy("all", OURS, &[right, wrong]);
        assert_eq!((found.judged, found.one_minus_auc_percent), (4, 50.0));
        assert_eq!((found.found, found.lost, found.unsure), (0.5, 0.5, 0.0));
        assert_eq!(found.expected_error, 0.5);
    }
}
