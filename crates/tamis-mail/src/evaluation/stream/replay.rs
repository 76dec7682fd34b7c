//! Carries out a plan with Tamis and says how the filter did along the way.

use super::{Index, Plan, Step, StreamError};
use crate::evaluation::{Findings, Judged, Options, Pupil, findings, ranking};
use crate::filter::Verdict;
use crate::traits::Traits;
use ranking::Scored;
use std::fs;
use std::path::Path;

/// How many stretches a stream is reported in.
pub const STRETCHES: usize = 10;

/// The number of the label spam.
const SPAM: u8 = 1;

/// One of the equal parts of the judged messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Numbers of its first and last message in the stream, counted from 1.
    pub messages: (usize, usize),
    /// Messages judged, spam and others.
    pub tested: (usize, usize),
    /// The share of the spam with the verdict spam.
    pub spam_recall: f64,
    /// The share of the others with the verdict spam.
    pub ham_lost: f64,
    /// (1-AUC) in percent of all messages judged up to the end of this stretch.
    pub one_minus_auc_percent: f64,
}

/// A stream that was replayed.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The filter after the last step.
    pub pupil: Pupil,
    /// The judgements in their order.
    pub judged: Vec<Judged>,
    /// Figures over all of them.
    pub findings: Findings,
    /// Figures along the way.
    pub stretches: Vec<Stretch>,
    /// Messages read, learned ones included.
    pub messages: usize,
}

/// Learns and judges the messages of an index as planned. `each` is called after every step with
/// the number of steps done and of all steps.
///
/// # Errors
/// As [`Plan::steps`] and [`Pupil::new`]; [`StreamError::Read`] for a message that cannot be read.
pub fn replay(
    index: &Index,
    plan: &Plan,
    options: Options,
    mut each: impl FnMut(usize, usize),
) -> Result<Replay, StreamError> {
    let steps = plan.steps(&index.entries)?;
    let mut pupil = Pupil::new(&index.labels, options)?;
    let mut judged = Vec::new();
    let mut places = Vec::new();
    let mut told = Vec::new();
    // With immediate feedback a message is learned right after it was judged: it is read once.
    let mut newest: Option<(usize, Traits)> = None;
    for (done, step) in (1..).zip(&steps) {
        match *step {
            Step::SetCuts => pupil.set_cuts(),
            Step::Learn(place) => {
                let entry = &index.entries[place];
                match newest.take().filter(|(newest, _)| *newest == place) {
                    Some((_, traits)) => pupil.learn(&traits, entry.label),
                    None => pupil.learn(&pupil.read(&read(&entry.path)?), entry.label),
                }
            }
            Step::Judge(place) => {
                let entry = &index.entries[place];
                let traits = pupil.read(&read(&entry.path)?);
                let now = Judged { label: entry.label, judgement: pupil.filter().judge(&traits) };
                told.push((now.judgement.probability, entry.label == SPAM));
                judged.push(now);
                places.push(place);
                newest = Some((place, traits));
            }
        }
        each(done, steps.len());
    }
    let mut all = findings(&pupil, &judged);
    all.brier = ranking::brier(&told);
    all.expected_error = ranking::expected_error(&told);
    let stretches = stretches(&judged, &places);
    let messages = steps.iter().filter(|step| **step != Step::SetCuts).count();
    Ok(Replay { pupil, judged, findings: all, stretches, messages })
}

fn read(path: &Path) -> Result<Vec<u8>, StreamError> {
    fs::read(path).map_err(|source| StreamError::Read { name: path.to_owned(), source })
}

/// The score that messages are ranked by.
const fn score(judged: &Judged) -> f64 {
    judged.judgement.score
}

fn stretches(judged: &[Judged], places: &[usize]) -> Vec<Stretch> {
    let scores: Vec<Scored> = judged.iter().map(|j| (score(j), j.label == SPAM)).collect();
    let bounds: Vec<usize> = (0..=STRETCHES).map(|part| part * judged.len() / STRETCHES).collect();
    let stretch = |bounds: &[usize]| {
        let &[start, end] = bounds else { return None };
        let part = judged.get(start..end).filter(|part| !part.is_empty())?;
        let called = |is_spam: bool| {
            let of_class = part.iter().filter(|j| (j.label == SPAM) == is_spam);
            let verdicts = of_class.clone().map(|j| j.judgement.verdict);
            (of_class.count(), verdicts.filter(|v| *v == Verdict::Label(SPAM)).count())
        };
        let ((spam, found), (ham, lost)) = (called(true), called(false));
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        Some(Stretch {
            messages: (places[start] + 1, places[end - 1] + 1),
            tested: (spam, ham),
            spam_recall: share(found, spam),
            ham_lost: share(lost, ham),
            one_minus_auc_percent: 100.0 * ranking::one_minus_auc(&scores[..end]),
        })
    };
    bounds.windows(2).filter_map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::stream::{Entry, Feedback};

    /// Alternating spam and ham with words of their own; the tempfile keeps the messages.
    fn stream(count: usize) -> (tempfile::TempDir, Index) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let entry = |number: usize| {
            let label = (number % 2) as u8;
            let own = [["meeting", "leek", "report"], ["winner", "pills", "claim"]];
            let word = own[number % 2][number / 2 % 3];
            let text =
                format!("From: a{number}@example.org\nSubject: {word}\n\nabout {word} {number}\n");
            let path = folder.path().join(number.to_string());
            fs::write(&path, text).expect("written");
            Entry { path, label, feedback: true }
        };
        let entries = (0..count).map(entry).collect();
        let labels = ["ham", "spam"].map(str::to_owned).to_vec();
        (folder, Index { labels, entries, moved: 0 })
    }

    #[test]
    fn stretches_cover_what_was_judged() {
        let (_folder, index) = stream(505);
        let options = Options { bits: 14, ..Options::default() };
        let plan = Plan { from: Some(6), ..Plan::default() };
        let run = replay(&index, &plan, options, |_, _| {}).expect("a replay");
        assert_eq!((run.judged.len(), run.stretches.len(), run.messages), (500, STRETCHES, 1005));
        assert!(run.stretches.iter().all(|stretch| stretch.tested == (25, 25)));
        let numbers: Vec<_> = run.stretches.iter().map(|stretch| stretch.messages).collect();
        assert_eq!((numbers[0], numbers[9]), ((6, 55), (456, 505)));
        let last = run.stretches[9].one_minus_auc_percent;
        assert_eq!(last, run.findings.one_minus_auc_percent, "the last stretch is the whole");
    }

    #[test]
    fn later_feedback_leaves_less_learned_and_less_sure() {
        let (_folder, index) = stream(300);
        let options = Options { bits: 14, ..Options::default() };
        let run = |feedback| {
            let plan = Plan { feedback, ..Plan::default() };
            replay(&index, &plan, options, |_, _| {}).expect("a replay").findings
        };
        let (now, later) = (run(Feedback::Immediate), run(Feedback::Delayed(200)));
        assert_eq!((now.learned, later.learned), ((150, 150), (50, 50)));
        assert!(now.brier < later.brier, "{} {}", now.brier, later.brier);
        assert_eq!(run(Feedback::Partial(0.0)).learned, (0, 0));
    }
}
