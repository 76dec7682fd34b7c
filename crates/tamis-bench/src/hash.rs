//! `tamis-bench hash`: how fast candidates for the filters' hash are on short keys.

use crate::keys::{Emails, RandomStrings, TextKeys, Texts, integers};
use crate::report::{self, Machine, Table};
use crate::timing::{SLICE, Times, Track, timed};
use serde::Serialize;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::hint::black_box;
use tamis::hash::{Algorithm, KeyHash};

/// How long to look.
#[derive(clap::Args)]
pub(crate) struct HashArguments {
    /// Fewer rounds
    #[arg(long)]
    quick: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

/// One hash on one kind of keys.
#[derive(Debug, Serialize)]
struct HashSpeed {
    keys: &'static str,
    hash: &'static str,
    /// Nanoseconds per key.
    time: Times,
}

#[derive(Debug, Serialize)]
struct Findings {
    machine: Machine,
    quick: bool,
    speeds: Vec<HashSpeed>,
}

/// How many keys of each kind: they fit in the caches, and the branches that depend on their
/// lengths cannot be learned.
const KEYS: usize = SLICE;

/// Runs the comparison.
///
/// # Errors
/// A failure to write.
pub(crate) fn run(arguments: &HashArguments) -> anyhow::Result<()> {
    let rounds = if arguments.quick { 200 } else { 2000 };
    let numbers = integers(0..KEYS as u64);
    let strings = Texts::take(&mut RandomStrings::default(), KEYS);
    let emails = Texts::take(&mut Emails::default() as &mut dyn TextKeys, KEYS);
    let mut speeds = race("integers", &numbers, rounds);
    speeds.extend(race("strings", &strings.keys(), rounds));
    speeds.extend(race("e-mails", &emails.keys(), rounds));
    let findings = Findings { machine: Machine::this(), quick: arguments.quick, speeds };
    if arguments.json {
        return report::print(&(serde_json::to_string_pretty(&findings)? + "\n"));
    }
    report::print(&render(&findings))
}

/// A pass over keys: the exclusive or of all hashes.
type Pass<'a, K> = Box<dyn Fn(&[K]) -> u64 + 'a>;

/// A key that can be hashed as a filter's user would.
trait HashKey: std::hash::Hash {
    fn ours(&self, hash: &KeyHash) -> u64;
}

impl HashKey for u64 {
    #[inline(always)]
    fn ours(&self, hash: &KeyHash) -> u64 {
        hash.integer(*self)
    }
}

impl HashKey for &str {
    #[inline(always)]
    fn ours(&self, hash: &KeyHash) -> u64 {
        hash.bytes(self.as_bytes())
    }
}

fn ours<'a, K: HashKey>(algorithm: Algorithm) -> Pass<'a, K> {
    let hash = KeyHash::with_algorithm(algorithm, 1);
    Box::new(move |keys| keys.iter().fold(0, |all, key| all ^ key.ours(&hash)))
}

fn standard<'a, K: HashKey>(build: impl BuildHasher + 'a) -> Pass<'a, K> {
    Box::new(move |keys| keys.iter().fold(0, |all, key| all ^ build.hash_one(key)))
}

fn race<K: HashKey>(kind: &'static str, keys: &[K], rounds: usize) -> Vec<HashSpeed> {
    let passes: [(&'static str, Pass<'_, K>); 7] = [
        ("default (xxh3, rapidhash)", ours(Algorithm::Xxh3)),
        ("farmhash64", ours(Algorithm::FarmHash64)),
        ("murmur3", ours(Algorithm::Murmur3)),
        ("rapidhash", standard(rapidhash::fast::SeedableState::fixed())),
        ("foldhash", standard(foldhash::fast::FixedState::with_seed(1))),
        ("ahash", standard(ahash::RandomState::with_seeds(1, 2, 3, 4))),
        ("SipHash 1-3 (std)", standard(BuildHasherDefault::<DefaultHasher>::default())),
    ];
    let mut tracks: Vec<Track> = passes.iter().map(|_| Track::default()).collect();
    for round in 0..=rounds {
        for turn in 0..passes.len() {
            let place = (turn + round) % passes.len();
            let time = timed(|| (passes[place].1)(black_box(keys)));
            if round > 0 {
                tracks[place].record(keys.len(), &[time]);
            }
        }
    }
    let speed = |((hash, _), track): (&(&'static str, Pass<'_, K>), &Track)| HashSpeed {
        keys: kind,
        hash,
        time: track.times(),
    };
    passes.iter().zip(&tracks).map(speed).collect()
}

fn render(findings: &Findings) -> String {
    let mut table = Table::new(["hash", "integers", "", "strings 1..50", "", "e-mails", ""]);
    let kinds = ["integers", "strings", "e-mails"];
    for first in findings.speeds.iter().filter(|speed| speed.keys == kinds[0]) {
        let mut cells = vec![first.hash.to_owned()];
        for kind in kinds {
            let same = |speed: &&HashSpeed| speed.keys == kind && speed.hash == first.hash;
            if let Some(HashSpeed { time, .. }) = findings.speeds.iter().find(same) {
                cells.push(format!("{:.2}", time.best));
                cells.push(format!("({:.2})", time.median));
            }
        }
        table.row(cells);
    }
    let Machine { processor, cores, .. } = &findings.machine;
    format!("{processor}, {cores} cores. Nanoseconds per key, best (median).\n\n{}", table.render())
}
