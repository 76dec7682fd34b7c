//! What is learned, what is judged, and in which order.
//!
//! A plan turns an index into steps. Each message up to [`Plan::to`] is judged if its number is in
//! the range, and learned if the index gives feedback and the plan uses it: at once, after a delay,
//! or for a share of the messages. A split ([`Plan::learn`]) learns the first messages only, and a
//! [`Draw`] learns a random sample before anything is judged.

use super::{Entry, StreamError};
use std::str::FromStr;
use tamis::hash::KeyHash;

/// Cuts are set again after this many learned messages; after each one up to this many in all.
pub const CUTS_EVERY: usize = 100;

/// When the filter learns what a message was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Feedback {
    /// Right after the message was judged.
    #[default]
    Immediate,
    /// After this many further messages were judged.
    Delayed(usize),
    /// For this share of the messages, right after each was judged; never for the others.
    Partial(f64),
}

/// How many messages are drawn at random to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// Messages labelled spam.
    pub spam: usize,
    /// Messages labelled ham.
    pub ham: usize,
}

/// Which messages are learned and which are judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// When a message is learned.
    pub feedback: Feedback,
    /// Learn the first messages only, this many.
    pub learn: Option<usize>,
    /// The first message to judge, counted from 1; by default the first one that a split leaves.
    pub from: Option<usize>,
    /// The last message of the stream.
    pub to: Option<usize>,
    /// Learn a random sample, then judge all others.
    pub draw: Option<Draw>,
    /// Which random sample, and which share with partial feedback.
    pub seed: u64,
    /// Judge this many messages before the first of them is learned, at least 1.
    pub batch: usize,
}

impl Default for Plan {
    fn default() -> Self {
        let (learn, from, to, draw) = (None, None, None, None);
        Self { feedback: Feedback::Immediate, learn, from, to, draw, seed: 0, batch: 1 }
    }
}

/// One step of a plan; messages are given by their place in the index, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Learn a message with its label.
    Learn(usize),
    /// Set the cuts from what was learned so far.
    SetCuts,
    /// Judge a message.
    Judge(usize),
}

impl Plan {
    /// The steps for these messages.
    ///
    /// # Errors
    /// [`StreamError::TooFew`] for a draw of more than there is, [`StreamError::Empty`] if no
    /// message is judged.
    pub fn steps(&self, entries: &[Entry]) -> Result<Vec<Step>, StreamError> {
        let to = self.to.unwrap_or(entries.len()).min(entries.len());
        let entries = &entries[..to];
        let from = self.from.unwrap_or(self.learn.unwrap_or(0) + 1).max(1);
        let steps = match self.draw {
            Some(draw) => self.sample_first(draw, entries, from)?,
            None => self.in_order(entries, from),
        };
        if !steps.iter().any(|step| matches!(step, Step::Judge(_))) {
            return Err(StreamError::Empty { from, to });
        }
        Ok(with_cuts(&steps))
    }

    fn in_order(&self, entries: &[Entry], from: usize) -> Vec<Step> {
        let delay = if let Feedback::Delayed(messages) = self.feedback { messages } else { 0 };
        let mut steps = Vec::with_capacity(2 * entries.len());
        let mut learned = 0;
        for start in (0..entries.len()).step_by(self.batch.max(1)) {
            let end = entries.len().min(start + self.batch.max(1));
            steps.extend((start..end).filter(|place| place + 1 >= from).map(Step::Judge));
            let due = end.saturating_sub(delay).max(learned);
            let is_learned = |place: &usize| entries[*place].feedback && self.uses(*place);
            steps.extend((learned..due).filter(is_learned).map(Step::Learn));
            learned = due;
        }
        steps
    }

    /// Whether the plan uses the feedback on a message.
    fn uses(&self, place: usize) -> bool {
        let in_split = self.learn.is_none_or(|first| place < first);
        let in_share = match self.feedback {
            Feedback::Partial(share) => {
                // The upper 53 bits: exact as a float.
                let chance = (KeyHash::new(self.seed).integer(place as u64) >> 11) as f64;
                chance < share * (1u64 << 53) as f64
            }
            _ => true,
        };
        in_split && in_share
    }

    fn sample_first(
        &self,
        draw: Draw,
        entries: &[Entry],
        from: usize,
    ) -> Result<Vec<Step>, StreamError> {
        let mut is_drawn = vec![false; entries.len()];
        let mut learned = Vec::with_capacity(draw.spam + draw.ham);
        let hash = KeyHash::new(self.seed);
        for (label, name, wanted) in [(1, "spam", draw.spam), (0, "ham", draw.ham)] {
            let has_label = |place: &usize| entries[*place].label == label;
            let mut places: Vec<usize> =
                (0..entries.len()).filter(|p| has_label(p) && entries[*p].feedback).collect();
            if places.len() < wanted {
                let got = places.len();
                return Err(StreamError::TooFew { label: name, wanted, got });
            }
            places.sort_by_key(|place| (hash.integer(*place as u64), *place));
            places.truncate(wanted);
            places.sort_unstable();
            places.iter().for_each(|place| is_drawn[*place] = true);
            // Both labels in proportion, as `mail learn` does: an index may name all spam first.
            let share = |nth: usize| (nth as f64 + 0.5) / wanted as f64;
            learned.extend(places.into_iter().enumerate().map(|(nth, place)| (share(nth), place)));
        }
        learned.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let learned = learned.into_iter().map(|(_, place)| Step::Learn(place));
        let judged = (from - 1..entries.len()).filter(|place| !is_drawn[*place]).map(Step::Judge);
        Ok(learned.chain(judged).collect())
    }
}

/// The steps with the cuts set where a judgement would need them.
fn with_cuts(steps: &[Step]) -> Vec<Step> {
    let last = steps.iter().rposition(|step| matches!(step, Step::Learn(_))).unwrap_or(0);
    let (mut learned, mut fresh) = (0, 0);
    let mut all = Vec::with_capacity(steps.len() + steps.len() / CUTS_EVERY + CUTS_EVERY);
    for (number, step) in steps.iter().enumerate() {
        let is_due = fresh >= CUTS_EVERY || learned <= CUTS_EVERY || number > last;
        match step {
            Step::Learn(_) => {
                learned += 1;
                fresh += 1;
            }
            Step::Judge(_) if fresh > 0 && is_due => {
                all.push(Step::SetCuts);
                fresh = 0;
            }
            _ => {}
        }
        all.push(*step);
    }
    all
}

impl FromStr for Feedback {
    type Err = StreamError;

    fn from_str(text: &str) -> Result<Self, StreamError> {
        let unknown = || StreamError::Feedback { got: text.to_owned() };
        match text.split_once(':') {
            None if text == "immediate" => Ok(Self::Immediate),
            Some(("delayed", messages)) => {
                messages.parse().map(Self::Delayed).map_err(|_| unknown())
            }
            Some(("partial", share)) => {
                let (number, unit) = match share.strip_suffix('%') {
                    Some(percent) => (percent.trim_end(), 0.01),
                    None => (share, 1.0),
                };
                let share = number.parse::<f64>().map_err(|_| unknown())? * unit;
                (0.0..=1.0).contains(&share).then_some(Self::Partial(share)).ok_or_else(unknown)
            }
            _ => Err(unknown()),
        }
    }
}

impl FromStr for Draw {
    type Err = StreamError;

    fn from_str(text: &str) -> Result<Self, StreamError> {
        let numbers = text.split_once('+').and_then(|(spam, ham)| {
            Some(Self { spam: spam.trim().parse().ok()?, ham: ham.trim().parse().ok()? })
        });
        numbers.ok_or_else(|| StreamError::Draw { got: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::Step::{Judge, Learn, SetCuts};
    use super::*;

    /// Every third message is ham; the last one has no feedback.
    fn entries(count: usize) -> Vec<Entry> {
        let entry = |place: usize| Entry {
            path: place.to_string().into(),
            label: u8::from(!place.is_multiple_of(3)),
            feedback: place + 1 < count,
        };
        (0..count).map(entry).collect()
    }

    fn steps(plan: Plan, count: usize) -> Vec<Step> {
        let mut steps = plan.steps(&entries(count)).expect("steps");
        steps.retain(|step| *step != SetCuts);
        steps
    }

    fn learned(steps: &[Step]) -> Vec<usize> {
        steps
            .iter()
            .filter_map(|step| if let Learn(place) = step { Some(*place) } else { None })
            .collect()
    }

    #[test]
    fn each_message_is_judged_before_it_is_learned_and_without_feedback_never_learned() {
        assert_eq!(steps(Plan::default(), 3), [Judge(0), Learn(0), Judge(1), Learn(1), Judge(2)]);
        let batches = Plan { batch: 2, ..Plan::default() };
        assert_eq!(steps(batches, 3), [Judge(0), Judge(1), Learn(0), Learn(1), Judge(2)]);
    }

    #[test]
    fn a_delayed_label_arrives_after_that_many_further_messages() {
        let plan = Plan { feedback: Feedback::Delayed(2), ..Plan::default() };
        let expected = [Judge(0), Judge(1), Judge(2), Learn(0), Judge(3), Learn(1)];
        assert_eq!(steps(plan, 4), expected);
    }

    #[test]
    fn partial_feedback_is_that_share_and_the_same_one_each_time() {
        let plan = Plan { feedback: Feedback::Partial(0.3), ..Plan::default() };
        let places = learned(&steps(plan, 10_000));
        // Binomial: the standard deviation is 46.
        assert!(places.len().abs_diff(3000) < 230, "{}", places.len());
        assert_eq!(places, learned(&steps(plan, 10_000)));
        assert_ne!(places, learned(&steps(Plan { seed: 1, ..plan }, 10_000)));
        let all = Plan { feedback: Feedback::Partial(1.0), ..Plan::default() };
        assert_eq!(learned(&steps(all, 100)).len(), 99);
    }

    #[test]
    fn a_split_learns_the_first_messages_and_judges_the_rest() {
        let plan = Plan { learn: Some(2), to: Some(4), ..Plan::default() };
        assert_eq!(steps(plan, 9), [Learn(0), Learn(1), Judge(2), Judge(3)]);
        let later = Plan { from: Some(4), ..plan };
        assert_eq!(steps(later, 9), [Learn(0), Learn(1), Judge(3)]);
        let none = Plan { from: Some(5), ..plan };
        assert!(matches!(none.steps(&entries(9)), Err(StreamError::Empty { from: 5, to: 4 })));
    }

    #[test]
    fn a_draw_learns_so_many_of_each_class_and_judges_all_others() {
        let draw = Draw { spam: 20, ham: 5 };
        let plan = Plan { draw: Some(draw), ..Plan::default() };
        let all = steps(plan, 300);
        let places = learned(&all);
        let spam = places.iter().filter(|place| !place.is_multiple_of(3)).count();
        assert_eq!((places.len(), spam, all.len()), (25, 20, 300));
        assert!(all[..25].iter().all(|step| matches!(step, Learn(_))));
        assert_ne!(places, learned(&steps(Plan { seed: 1, ..plan }, 300)));
        let many = Plan { draw: Some(Draw { spam: 0, ham: 101 }), ..plan };
        let rejected = many.steps(&entries(300));
        assert!(matches!(rejected, Err(StreamError::TooFew { label: "ham", got: 100, .. })));
    }

    #[test]
    fn cuts_are_set_often_at_first_then_every_hundred_and_when_learning_ends() {
        let all = Plan::default().steps(&entries(1000)).expect("steps");
        let cuts = all.iter().filter(|step| **step == SetCuts).count();
        // After each of 100 messages, then at 200 to 900, then after the last one with feedback.
        assert_eq!(cuts, 100 + 8 + 1);
        let split =
            Plan { learn: Some(950), ..Plan::default() }.steps(&entries(1000)).expect("steps");
        let place = split.iter().position(|step| *step == SetCuts);
        assert_eq!((place, split[949], split[951]), (Some(950), Learn(949), Judge(950)));
        assert_eq!(split.iter().filter(|step| **step == SetCuts).count(), 1);
    }

    #[test]
    fn feedback_and_draws_are_read_as_they_are_written() {
        let read = |text: &str| text.parse::<Feedback>().ok();
        assert_eq!(read("immediate"), Some(Feedback::Immediate));
        assert_eq!(read("delayed:500"), Some(Feedback::Delayed(500)));
        assert_eq!(read("partial:25%"), Some(Feedback::Partial(0.25)));
        assert_eq!(read("partial:0.25"), Some(Feedback::Partial(0.25)));
        for wrong in ["", "now", "delayed", "delayed:-1", "partial:", "partial:101%", "partial:nan"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!("20+0".parse::<Draw>().ok(), Some(Draw { spam: 20, ham: 0 }));
        assert!("20".parse::<Draw>().is_err());
    }
}
