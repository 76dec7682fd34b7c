//! How well each filter tells spam from ham, and how fast.

use super::collection::Collection;
use super::contender::{Answer, Command, Contender, Mail, Tamis};
use super::folds::Division;
use super::peers::Peer;
use super::regression;
use serde::Serialize;
use std::time::Instant;
use tamis::hash::KeyHash;
use tamis_mail::evaluation::ranking::{self, Scored};
use tamis_mail::evaluation::{Example, Novelty, Options};

/// Ours.
pub(crate) const OURS: &str = "tamis";

/// Bits of the table for mail of a person, and for the larger collection.
pub(crate) const BITS: [u32; 2] = [20, 22];

/// How often a training part is learned, each time in another order.
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
    /// Wall time over all folds, reading files included.
    pub(crate) pace: Pace,
}

/// How fast a filter learned and judged.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Pace {
    pub(crate) learned: usize,
    pub(crate) learn_seconds: f64,
    pub(crate) judged: usize,
    pub(crate) judge_seconds: f64,
}

impl Pace {
    /// Messages learned per second.
    pub(crate) fn learn_rate(self) -> f64 {
        self.learned as f64 / self.learn_seconds
    }

    /// Messages judged per second.
    pub(crate) fn judge_rate(self) -> f64 {
        self.judged as f64 / self.judge_seconds
    }
}

/// The answers of one filter to one part, and its pace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) answers: Vec<Answer>,
    pub(crate) pace: Pace,
}

impl Run {
    /// Learns messages.
    ///
    /// # Errors
    /// As [`Contender::learn`].
    pub(crate) fn learn(
        &mut self,
        contender: &mut dyn Contender,
        messages: &[Mail<'_>],
    ) -> anyhow::Result<()> {
        let start = Instant::now();
        contender.learn(messages)?;
        self.pace.learned += messages.len();
        self.pace.learn_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Judges messages.
    ///
    /// # Errors
    /// As [`Contender::judge`].
    pub(crate) fn judge(
        &mut self,
        contender: &mut dyn Contender,
        messages: &[Mail<'_>],
    ) -> anyhow::Result<()> {
        let start = Instant::now();
        self.answers.extend(contender.judge(messages)?);
        self.pace.judged += messages.len();
        self.pace.judge_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Judges a collection by Tamis, these peers and the regressions.
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
    let options = Options { bits: BITS[0], ..Options::default() };
    let mut accuracies = Vec::new();
    for division in Division::ALL {
        eprintln!("{}", division.name());
        let mut parts = division.parts(all);
        parts.retain(|(_, testing)| !testing.is_empty());
        let judged = parts.iter().map(|(_, testing)| testing.len()).sum();
        let mut runs = Runs::default();
        for (training, testing) in &parts {
            runs.add(training, testing, options, peers)?;
        }
        accuracies.extend(runs.accuracies(division.name(), judged));
    }
    Ok(accuracies)
}

fn in_parts(
    training: &[Example],
    testing: &[Example],
    peers: &[Peer],
) -> anyhow::Result<Vec<Accuracy>> {
    eprintln!("testing part");
    let options = Options { bits: BITS[1], body_only: true, ..Options::default() };
    let mut all = Runs::default();
    all.add(training, testing, options, peers)?;
    let novelty = Novelty::of(training, testing)?;
    let new = all.only(|place| !novelty.is_copy(place));
    let novel = (0..testing.len()).filter(|place| !novelty.is_copy(*place)).count();
    let of_all = all.accuracies("testing part", testing.len());
    Ok(of_all.chain(new.accuracies("without near-copies", novel)).collect())
}

/// The runs of each contender.
#[derive(Default)]
struct Runs(Vec<(&'static str, Vec<Run>)>);

impl Runs {
    /// Everyone learns one part and judges the other. The order of learning matters to all but the
    /// peers, so those have several runs.
    fn add(
        &mut self,
        training: &[Example],
        testing: &[Example],
        options: Options,
        peers: &[Peer],
    ) -> anyhow::Result<()> {
        for order in 0..ORDERS {
            for mut contender in contenders(options, if order == 0 { peers } else { &[] })? {
                let run = in_two(contender.as_mut(), training, testing, order)?;
                match self.0.iter_mut().find(|(name, _)| *name == contender.name()) {
                    Some((_, runs)) => runs.push(run),
                    None => self.0.push((contender.name(), vec![run])),
                }
            }
        }
        Ok(())
    }

    /// The same runs with some of their answers, by their place.
    fn only(&self, is_wanted: impl Fn(usize) -> bool) -> Self {
        let some = |run: &Run| {
            let wanted = run.answers.iter().enumerate().filter(|(place, _)| is_wanted(*place));
            Run { answers: wanted.map(|(_, answer)| *answer).collect(), pace: run.pace }
        };
        Self(self.0.iter().map(|(name, runs)| (*name, runs.iter().map(some).collect())).collect())
    }

    fn accuracies(&self, division: &'static str, judged: usize) -> impl Iterator<Item = Accuracy> {
        let row = move |(name, runs): &(&'static str, Vec<Run>)| Accuracy {
            judged,
            ..accuracy(division, name, runs)
        };
        self.0.iter().map(row)
    }
}

fn labels() -> [String; 2] {
    ["ham".to_owned(), "spam".to_owned()]
}

/// Tamis first, then the peers, then the regressions, with nothing learned.
fn contenders(options: Options, peers: &[Peer]) -> anyhow::Result<Vec<Box<dyn Contender>>> {
    let mut all: Vec<Box<dyn Contender>> = vec![Box::new(Tamis::new(&labels(), options)?)];
    for peer in peers {
        all.push(Box::new(Command::new(*peer)?));
    }
    all.extend(regression::all());
    Ok(all)
}

/// Learns one part in a random order and judges the other.
fn in_two(
    contender: &mut dyn Contender,
    training: &[Example],
    testing: &[Example],
    order: u64,
) -> anyhow::Result<Run> {
    // Not the seed of any division: a part that was drawn by the same hash would come in that order, the last
    // messages all of one class.
    let hash = KeyHash::new(1000 + order);
    let mut shuffled: Vec<&Example> = training.iter().collect();
    shuffled.sort_by_cached_key(|example| hash.bytes(&example.raw));
    let mut run = Run::default();
    run.learn(contender, &shuffled.into_iter().map(Mail::of).collect::<Vec<_>>())?;
    contender.set_cuts();
    run.judge(contender, &testing.iter().map(Mail::of).collect::<Vec<_>>())?;
    Ok(run)
}

/// The mean over the runs; probabilities are pooled, and so are times.
pub(crate) fn accuracy(division: &'static str, contender: &'static str, runs: &[Run]) -> Accuracy {
    let mean = |figure: &dyn Fn(&[Answer]) -> f64| {
        runs.iter().map(|run| figure(&run.answers)).sum::<f64>() / runs.len().max(1) as f64
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
        runs.iter().flat_map(|run| &run.answers).map(|a| (a.probability, a.is_spam)).collect();
    let pace = runs.iter().fold(Pace::default(), |sum, Run { pace, .. }| Pace {
        learned: sum.learned + pace.learned,
        learn_seconds: sum.learn_seconds + pace.learn_seconds,
        judged: sum.judged + pace.judged,
        judge_seconds: sum.judge_seconds + pace.judge_seconds,
    });
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
        pace,
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
        let pace = Pace { learned: 1, learn_seconds: 0.5, judged: 2, judge_seconds: 0.25 };
        let runs = [right, wrong].map(|answers| Run { answers, pace });
        let found = accuracy("all", OURS, &runs);
        assert_eq!((found.pace.learn_rate(), found.pace.judge_rate()), (2.0, 8.0));
        assert_eq!((found.judged, found.one_minus_auc_percent), (4, 50.0));
        assert_eq!((found.found, found.lost, found.unsure), (0.5, 0.5, 0.0));
        assert_eq!(found.expected_error, 0.5);
    }
}
