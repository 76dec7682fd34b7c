//! Cascades that are nothing but a short code in one structure: five equal categories, for example.

use super::code::Code;
use super::exact::{Answer, Cascade};
use crate::memory::prefetch::{Ahead, pipeline};
use crate::memory::{Line, Storage};
use crate::simd::machine::{Machine, Work};
use crate::solve::ribbon::{BATCH, Few, Ribbon};

/// What is asked of such a cascade, side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShortCode {
    few: Few,
    /// The category of each value.
    table: [u32; Few::VALUES],
}

impl ShortCode {
    /// That of a code with these structures, if its bits are few and all in one.
    pub fn of(code: &Code, steps: &[Ribbon]) -> Option<Self> {
        let (reversed, few) = (code.reversed()?, Few::of(steps.first()?)?);
        // What is behind a shorter code does not matter.
        let table = core::array::from_fn(|value| reversed[value % reversed.len()]);
        Some(Self { few, table })
    }

    /// The category of a key, unless it was bumped.
    #[inline(always)]
    fn category(&self, lines: &[Line], hash: u64, machine: impl Machine) -> Option<u32> {
        let (value, is_there) = self.few.get(lines, hash, self.few.start(hash), machine);
        is_there.then_some(self.table[value])
    }
}

/// One question.
pub(super) struct One<'a, S> {
    pub cascade: &'a Cascade<S>,
    pub hash: u64,
}

impl<S: Storage> Work for One<'_, S> {
    type Output = Answer;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> Answer {
        let Self { cascade, hash } = self;
        let short = cascade.short.as_ref();
        match short.and_then(|short| short.category(cascade.storage.lines(), hash, machine)) {
            Some(category) => Answer::Unknowable(category),
            None => cascade.classify_at_length(hash),
        }
    }
}

/// Many questions.
pub(super) struct Many<'a, S> {
    pub cascade: &'a Cascade<S>,
    pub short: &'a ShortCode,
    pub hashes: &'a [u64],
    pub answers: &'a mut [Answer],
}

impl<S: Storage> Work for Many<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        let Self { cascade, short, hashes, answers } = self;
        for (hashes, answers) in hashes.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            batch(cascade, short, hashes, answers, machine);
        }
    }
}

/// Answers as if no key was bumped, and once more for those that were.
#[inline(always)]
fn batch<S: Storage>(
    cascade: &Cascade<S>,
    ShortCode { few, table }: &ShortCode,
    hashes: &[u64],
    answers: &mut [Answer],
    machine: impl Machine,
) {
    let lines = cascade.storage.lines();
    let (mut bumped, mut count) = ([0; BATCH], 0);
    let mut places = answers.iter_mut().enumerate();
    pipeline(
        Ahead::of(lines.len(), 1),
        hashes.iter(),
        &mut places,
        #[inline(always)]
        |&hash| (hash, few.start(hash)),
        #[inline(always)]
        |(_, start), _| few.fetch(lines, start),
        #[inline(always)]
        |(hash, start), places| {
            let (value, is_there) = few.get(lines, hash, start, machine);
            let Some((index, answer)) = places.next() else { return };
            *answer = Answer::Unknowable(table[value]);
            // Written in any case: no branch waits for the answer.
            bumped[count % BATCH] = index;
            count += usize::from(!is_there);
        },
    );
    for &index in &bumped[..count] {
        answers[index] = cascade.classify_at_length(hashes[index]);
    }
}

#[cfg(all(test, feature = "train"))]
mod tests {
    use super::*;
    use crate::cascade::Trainer;
    use crate::filter::Stored as _;
    use crate::hash::KeyHash;
    use crate::simd::machine::Plain;

    fn trained(sizes: &[u64], reject: u32) -> Cascade {
        let mut trainer = Trainer::new(KeyHash::new(9));
        for (category, &size) in sizes.iter().enumerate() {
            let number = trainer.category([category as u8]).unwrap();
            (0..size).for_each(|key| trainer.insert(number, &(key << 8 | category as u64)));
        }
        trainer.build(reject).unwrap()
    }

    #[test]
    fn short_codes_are_asked_the_shortest_way() {
        assert!(trained(&[20_000; 5], 0).short.is_some());
        assert!(trained(&[40_000; 3], 0).short.is_some());
        assert!(trained(&[20_000; 5], 4).short.is_none(), "others are refused first");
        assert!(trained(&[200; 5], 0).short.is_none(), "a structure for each step");
        assert!(trained(&[10_000; 12], 0).short.is_none(), "codes of four bits");
    }

    /// Trained keys and others, one by one and at once, whether they were bumped or not.
    #[test]
    fn the_shortest_way_leads_to_the_same_answers() {
        let cascade = trained(&[20_000; 5], 0);
        let mut file = Vec::new();
        cascade.write(&mut file).unwrap();
        assert_eq!(Cascade::from_bytes(&file).unwrap(), cascade);
        let hashes: Vec<u64> = (0..200_001).map(|key| cascade.hash().integer(key)).collect();
        let mut answers = vec![Answer::NotCovered; hashes.len()];
        cascade.classify_hashes(&hashes, &mut answers);
        for (&hash, &answer) in hashes.iter().zip(&answers) {
            assert_eq!(cascade.classify_hash(hash), answer);
            assert_eq!(cascade.classify_at_length(hash), answer);
        }
        for key in 0..20_000u64 {
            for category in 0..5 {
                let answer = cascade.classify(&(key << 8 | category));
                assert_eq!(answer, Answer::Unknowable(category as u32));
            }
        }
        let lines = cascade.storage.lines();
        let short = cascade.short.as_ref().unwrap();
        let bumped = hashes
            .iter()
            .filter(|&&hash| !short.few.get(lines, hash, short.few.start(hash), Plain).1);
        // One in 31 is expected: 6,450 of them, in a few hundred buckets.
        assert!((3_000..12_000).contains(&bumped.count()));
    }
}
