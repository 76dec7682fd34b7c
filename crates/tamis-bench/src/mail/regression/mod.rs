//! Logistic regressions that other filters use, written for this benchmark.
//!
//! - [`ftrl`]: FTRL-Proximal on words and headers, as the mail server Stalwart configures it.
//! - [`grams`]: gradient descent on byte 4-grams of the raw message, as in the TREC spam tracks.
//!
//! Both read a message from its file, learn one message at a time in the given order and need no
//! further step before they judge.

mod features;
mod ftrl;
mod grams;

use super::contender::{Answer, Contender, Mail};
use ftrl::Ftrl;
use grams::Grams;
use std::fs;

/// A linear model of the log odds of spam.
trait Model {
    /// A message as the model sees it.
    type Vector;
    /// What it is called in a table.
    const NAME: &'static str;
    /// A message with at least this probability is called spam.
    const CUT: f64;

    fn read(raw: &[u8]) -> Self::Vector;
    fn score(&self, vector: &Self::Vector) -> f64;
    fn learn(&mut self, vector: &Self::Vector, is_spam: bool);
}

/// A model in a comparison.
struct Regression<M>(M);

/// Both with nothing learned.
pub(crate) fn all() -> [Box<dyn Contender>; 2] {
    [Box::new(Regression(Ftrl::new())), Box::new(Regression(Grams::new()))]
}

impl<M: Model> Contender for Regression<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn learn(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<()> {
        for message in messages {
            self.0.learn(&M::read(&fs::read(message.path)?), message.is_spam());
        }
        Ok(())
    }

    fn judge(&mut self, messages: &[Mail<'_>]) -> anyhow::Result<Vec<Answer>> {
        let judge = |message: &Mail<'_>| {
            let score = self.0.score(&M::read(&fs::read(message.path)?));
            let probability = sigmoid(score);
            let (is_spam, called_spam) = (message.is_spam(), probability >= M::CUT);
            // Ranked by the log odds: probabilities near 1 would be ties.
            Ok(Answer { is_spam, score, probability, called_spam, unsure: false })
        };
        messages.iter().map(judge).collect()
    }
}

fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mail of two kinds that share most of their bytes.
    fn message(number: usize) -> (Vec<u8>, bool) {
        let is_spam = number.is_multiple_of(2);
        let word = if is_spam { "pills" } else { "leeks" };
        let text = format!(
            "From: a{number}@example.org\nSubject: number {number}\n\nthe {word} of day {}\n",
            number % 13
        );
        (text.into_bytes(), is_spam)
    }

    fn errors<M: Model>(mut model: M) -> usize {
        for (raw, is_spam) in (0..200).map(message) {
            model.learn(&M::read(&raw), is_spam);
        }
        let is_wrong = |(raw, is_spam): &(Vec<u8>, bool)| {
            (sigmoid(model.score(&M::read(raw))) >= M::CUT) != *is_spam
        };
        (200..400).map(message).filter(is_wrong).count()
    }

    #[test]
    fn both_learn_which_word_is_spam() {
        assert_eq!(errors(Ftrl::new()), 0);
        assert_eq!(errors(Grams::new()), 0);
    }

    #[test]
    fn nothing_learned_is_even_odds() {
        let (raw, _) = message(0);
        assert_eq!(Ftrl::new().score(&Ftrl::read(&raw)), 0.0);
        assert_eq!(Grams::new().score(&Grams::read(&raw)), 0.0);
    }
}
