//! A learner that rests between lessons: others may learn, and what it has in memory is not read again.

use super::{Learner, lock};
use crate::Result;
use crate::store::follow::Stamp;
use std::fs;

/// A learner without the lock of its store.
#[derive(Debug)]
pub struct Resting {
    learner: Learner,
    /// Of the tables when it began to rest.
    stamp: Stamp,
}

impl Learner {
    /// As [`Learner::close`], but what is in memory can be used again.
    ///
    /// # Errors
    /// As [`Learner::close`].
    pub fn rest(mut self) -> Result<Resting> {
        self.settle()?;
        let stamp = Stamp::of(&self.folder)?;
        // The lock ends with its file.
        self.lock = None;
        Ok(Resting { learner: self, stamp })
    }
}

impl Resting {
    /// Learns again, when no other process learns any more. A store that others have changed is opened anew.
    ///
    /// # Errors
    /// As [`Learner::open`].
    pub fn wake(self) -> Result<Learner> {
        let Self { mut learner, stamp } = self;
        let file = lock(&learner.folder)?;
        let written = fs::metadata(learner.journal.path()).map_or(0, |found| found.len());
        let is_same = Stamp::of(&learner.folder).is_ok_and(|now| now == stamp)
            && written == learner.journal.end();
        if !is_same {
            let folder = learner.folder.clone();
            drop(learner);
            drop(file);
            return Learner::open(&folder);
        }
        learner.lock = Some(file);
        Ok(learner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Change, Settings, Store};

    fn message(number: usize) -> Vec<u8> {
        format!("From: a{number}@b.example\n\nwords of message {number}\n").into_bytes()
    }

    #[test]
    fn what_was_learned_after_a_rest_is_what_would_have_been_learned_without() {
        let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        for (folder, rests) in folders.iter().zip([true, false]) {
            let path = folder.path().join("store");
            let mut learner = Learner::create(&path, 12, 7, Settings::default()).expect("a store");
            for number in 0..600 {
                let label = ["ham", "spam"][number % 2];
                learner.learn(&message(number), label, 5).expect("learned");
                learner = match rests {
                    true => learner.rest().and_then(Resting::wake).expect("awake"),
                    false => {
                        learner.close().expect("closed");
                        Learner::open(&path).expect("open")
                    }
                };
            }
            learner.close().expect("closed");
        }
        let read = |folder: &tempfile::TempDir, name: &str| {
            std::fs::read(folder.path().join("store").join(name)).expect("a file")
        };
        for name in ["tables.tamis", "journal-1.log"] {
            assert!(read(&folders[0], name) == read(&folders[1], name), "{name}");
        }
    }

    #[test]
    fn what_others_learn_meanwhile_is_known_afterwards() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let mut learner = Learner::create(&path, 12, 7, Settings::default()).expect("a store");
        learner.learn(&message(1), "spam", 5).expect("learned");
        let resting = learner.rest().expect("resting");
        let mut other = Learner::open(&path).expect("the lock is free");
        other.learn(&message(2), "spam", 5).expect("learned");
        other.close().expect("closed");
        let mut learner = resting.wake().expect("awake");
        assert_eq!(learner.learn(&message(2), "spam", 5).expect("learned"), Change::Known);
        let resting = learner.rest().expect("resting");
        Learner::open(&path).expect("the lock is free").rebuild(|_| ()).expect("rebuilt");
        let mut learner = resting.wake().expect("awake");
        assert!(learner.forget(&message(1)).expect("forgotten"), "after its files were replaced");
        learner.close().expect("closed");
        assert_eq!(Store::open(&path).expect("a store").info().expect("facts").labels[1].1, 1);
    }
}
