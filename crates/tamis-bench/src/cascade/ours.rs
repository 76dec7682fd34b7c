//! The cascade of this project, and the classic ones.

use super::contender::{Classes, Contender};
use tamis::cascade::classic::{Algorithm, Classic, Training};
use tamis::cascade::{Answer, Cascade, Trainer};
use tamis::filter::Stored as _;
use tamis::hash::KeyHash;

/// How many keys are asked for at once.
const BATCH: usize = 1024;

/// The cascade of this project.
pub(crate) struct Ours(Cascade);

impl Contender for Ours {
    const BATCHES: bool = true;

    fn train(classes: &Classes<'_>) -> anyhow::Result<Self> {
        let mut trainer = Trainer::new(KeyHash::new(1));
        for (category, keys) in classes.iter().enumerate() {
            let category = trainer.category([name(category)])?;
            keys.iter().for_each(|key| trainer.insert(category, key.as_bytes()));
        }
        Ok(Self(trainer.build(0)?))
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        let mut file = Vec::new();
        self.0.write(&mut file)?;
        Ok(file.len())
    }

    fn category(&self, key: &str) -> u32 {
        number(self.0.classify(key.as_bytes()))
    }

    fn categories(&self, keys: &[&str], into: &mut [u32]) {
        let mut hashes = [0; BATCH];
        let mut answers = [Answer::NotCovered; BATCH];
        for (keys, into) in keys.chunks(BATCH).zip(into.chunks_mut(BATCH)) {
            for (key, hash) in keys.iter().zip(&mut hashes) {
                *hash = self.0.hash().bytes(key.as_bytes());
            }
            let answers = &mut answers[..keys.len()];
            self.0.classify_hashes(&hashes[..keys.len()], answers);
            for (answer, category) in answers.iter().zip(into) {
                *category = number(*answer);
            }
        }
    }
}

fn number(answer: Answer) -> u32 {
    answer.category().unwrap_or(u32::MAX)
}

/// Names of one byte, in the order of categories.
const fn name(category: usize) -> u8 {
    b'a' + category as u8
}

/// The keys for a classic cascade.
///
/// # Errors
/// A name that is refused.
pub(crate) fn training<'k>(classes: &Classes<'k>) -> anyhow::Result<Training<'k>> {
    let mut training = Training::new();
    for (category, keys) in classes.iter().enumerate() {
        let category = training.category([name(category)])?;
        for key in *keys {
            training.insert(category, key.as_bytes());
        }
    }
    Ok(training)
}

/// Algorithm 0 or 1, with the numbers of functions of the report.
pub(crate) struct ClassicOf<const ALGORITHM: u8>(Classic<'static>);

impl<const ALGORITHM: u8> Contender for ClassicOf<ALGORITHM> {
    fn train(classes: &Classes<'_>) -> anyhow::Result<Self> {
        let algorithm = if ALGORITHM == 0 { Algorithm::Zero } else { Algorithm::One };
        Ok(Self(training(classes)?.build(algorithm.functions(), 1)?))
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        let mut file = Vec::new();
        self.0.write(&mut file)?;
        Ok(file.len())
    }

    fn category(&self, key: &str) -> u32 {
        let name = self.0.classify(key.as_bytes());
        name.first().map_or(u32::MAX, |byte| u32::from(byte.wrapping_sub(b'a')))
    }
}
