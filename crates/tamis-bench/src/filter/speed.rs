//! The race: every contender, round after round, on the same keys.
//!
//! A round of a contender empties it (which touches all of its memory), inserts the keys, asks
//! for some of them and for as many absent ones. The first round of each is not counted: in it
//! the memory comes from the operating system.

use super::contender::{BenchKey, Contender, Entry};
use crate::timing::{SLICE, Times, Track, timed};
use serde::Serialize;
use std::time::{Duration, Instant};

/// What one contender did with one kind and number of keys.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Speed {
    pub(crate) keys: &'static str,
    pub(crate) size: usize,
    pub(crate) requested_rate: f64,
    pub(crate) contender: &'static str,
    pub(crate) rounds: usize,
    /// Nanoseconds per insertion.
    pub(crate) insert: Times,
    /// Nanoseconds per question for a key that is in.
    pub(crate) positive: Times,
    /// Nanoseconds per question for a key that is not.
    pub(crate) negative: Times,
    pub(crate) bits_per_key: f64,
    /// Measured on [`Load::absent`].
    pub(crate) measured_rate: f64,
}

/// The keys of a race.
pub(crate) struct Load<'a, K> {
    pub(crate) kind: &'static str,
    pub(crate) rate: f64,
    pub(crate) present: &'a [K],
    /// A million or more, for the measured rate.
    pub(crate) absent: &'a [K],
    /// How many questions of each kind are timed.
    pub(crate) questions: usize,
    pub(crate) rounds: usize,
    /// After this time no further round is begun.
    pub(crate) budget: Duration,
}

/// The fewest rounds that count, whatever the time.
const FEWEST_ROUNDS: usize = 2;

#[derive(Default)]
struct Tracks {
    insert: Track,
    positive: Track,
    negative: Track,
}

/// Runs all rounds.
///
/// # Errors
/// A contender that denies a key which it was given.
pub(crate) fn race<K: BenchKey>(
    load: &Load<'_, K>,
    entries: &mut [Entry<'_, K>],
) -> anyhow::Result<Vec<Speed>> {
    let mut tracks: Vec<Tracks> = entries.iter().map(|_| Tracks::default()).collect();
    let questions = load.questions.min(load.present.len()).min(load.absent.len());
    let start = Instant::now();
    for round in 0..=load.rounds {
        if round > FEWEST_ROUNDS && start.elapsed() > load.budget {
            break;
        }
        for turn in 0..entries.len() {
            // Another one starts each round, so that nobody always follows the same neighbour.
            let place = (turn + round) % entries.len();
            let Entry { name, contender } = &mut entries[place];
            contender.clear();
            let insert = insert(contender.as_mut(), load.present);
            let (positive, found) = ask(contender.as_ref(), &load.present[..questions]);
            let (negative, _) = ask(contender.as_ref(), &load.absent[..questions]);
            let is_floor = name.starts_with("floor");
            anyhow::ensure!(
                found == questions || is_floor,
                "{name} denies a key that it was given"
            );
            if round > 0 {
                let track = &mut tracks[place];
                track.insert.record(load.present.len(), &insert);
                track.positive.record(questions, &positive);
                track.negative.record(questions, &negative);
            }
        }
    }
    let speed = |(Entry { name, contender }, tracks): (&Entry<'_, K>, &Tracks)| Speed {
        keys: load.kind,
        size: load.present.len(),
        requested_rate: load.rate,
        contender: name,
        rounds: tracks.insert.rounds(),
        insert: tracks.insert.times(),
        positive: tracks.positive.times(),
        negative: tracks.negative.times(),
        bits_per_key: contender.bits() as f64 / load.present.len() as f64,
        measured_rate: contender.count(load.absent) as f64 / load.absent.len() as f64,
    };
    Ok(entries.iter().zip(&tracks).map(speed).collect())
}

fn insert<K>(contender: &mut dyn Contender<K>, keys: &[K]) -> Vec<Duration> {
    let slice = if contender.is_static() { keys.len() } else { SLICE };
    keys.chunks(slice).map(|keys| contender.insert_time(keys)).collect()
}

fn ask<K>(contender: &dyn Contender<K>, keys: &[K]) -> (Vec<Duration>, usize) {
    let mut found = 0;
    let ask = |keys| timed(|| found += contender.count(keys));
    (keys.chunks(SLICE).map(ask).collect(), found)
}
