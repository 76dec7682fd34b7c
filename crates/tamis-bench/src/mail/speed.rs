//! Time, memory and size: each filter as its command, one after the other on one core.

use super::accuracy::OURS;
use super::collection::{Collection, files, folders};
use super::peers::Peer;
use super::process::{Cost, Job, cost_of};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Processes for the time of one.
const PROCESSES: usize = 200;

/// What a filter needs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Speed {
    pub(crate) contender: &'static str,
    /// Cells of the table as a power of two.
    pub(crate) bits: Option<u32>,
    /// Messages learned.
    pub(crate) learned: usize,
    pub(crate) learn: Cost,
    /// Messages checked.
    pub(crate) checked: usize,
    pub(crate) check: Cost,
    /// Milliseconds of a process that checks one message.
    pub(crate) one: f64,
    /// Bytes of what is kept.
    pub(crate) store: u64,
}

impl Speed {
    /// What it is called in a table.
    pub(crate) fn name(&self) -> String {
        match self.bits {
            Some(bits) => format!("{}, 2^{bits} cells", self.contender),
            None => self.contender.to_owned(),
        }
    }

    /// Messages learned in a second.
    pub(crate) fn learn_rate(&self) -> f64 {
        self.learned as f64 / self.learn.seconds
    }

    /// Messages checked in a second.
    pub(crate) fn check_rate(&self) -> f64 {
        self.checked as f64 / self.check.seconds
    }
}

/// Someone in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contender {
    Tamis { bits: u32 },
    Peer(Peer),
}

/// A race over a collection.
pub(crate) struct Race<'a> {
    /// The command `tamis`.
    pub(crate) tamis: &'a Path,
    /// Tables of Tamis.
    pub(crate) bits: &'a [u32],
    pub(crate) peers: &'a [Peer],
    /// spamprobe has one round.
    pub(crate) rounds: usize,
}

/// The files of a race.
struct Files {
    spam: Vec<PathBuf>,
    ham: Vec<PathBuf>,
    checked: Vec<PathBuf>,
}

impl Race<'_> {
    /// Learns and checks everything, as often as there are rounds.
    ///
    /// # Errors
    /// A command that fails.
    pub(crate) fn run(&self, collection: &Collection) -> anyhow::Result<Vec<Speed>> {
        let (learned, checked) = (collection.learned(), collection.checked());
        let files = Files {
            spam: files(learned, true),
            ham: files(learned, false),
            checked: checked.iter().map(|example| example.path.clone()).collect(),
        };
        let tamis = self.bits.iter().map(|&bits| Contender::Tamis { bits });
        let contenders: Vec<Contender> =
            tamis.chain(self.peers.iter().map(|&peer| Contender::Peer(peer))).collect();
        let mut best: Vec<Option<Speed>> = vec![None; contenders.len()];
        for round in 0..self.rounds {
            eprintln!("learn and check, round {} of {}", round + 1, self.rounds);
            for (contender, best) in contenders.iter().zip(&mut best) {
                if round > 0 && *contender == Contender::Peer(Peer::Spamprobe) {
                    continue;
                }
                let speed = self.round(*contender, &files)?;
                *best = Some(match best.take() {
                    None => speed,
                    Some(before) => Speed {
                        learn: speed.learn.best(before.learn),
                        check: speed.check.best(before.check),
                        one: speed.one.min(before.one),
                        ..speed
                    },
                });
            }
        }
        Ok(best.into_iter().flatten().collect())
    }

    fn round(&self, contender: Contender, files: &Files) -> anyhow::Result<Speed> {
        let scratch = tempfile::Builder::new().prefix("tamis-bench-").tempdir()?;
        let store = scratch.path().join("store");
        let (learn, check) = match contender {
            Contender::Tamis { bits } => {
                let learn = Job::new(self.tamis)
                    .with(["mail", "learn", "--quiet", "--seed", "1", "--table", &bits.to_string()])
                    .with(["--store"])
                    .with([&store])
                    .with(["--spam"])
                    .with(folders(&files.spam))
                    .with(["--ham"])
                    .with(folders(&files.ham));
                (vec![learn], vec![self.check(&store).with(folders(&files.checked))])
            }
            Contender::Peer(peer) => {
                fs::create_dir(&store)?;
                let mut learn = peer.learn(&store, true, &files.spam);
                learn.extend(peer.learn(&store, false, &files.ham));
                (learn, peer.check(&store, &files.checked))
            }
        };
        let learn = cost_of(&learn, scratch.path())?;
        let check = cost_of(&check, scratch.path())?;
        let step = (files.checked.len() / PROCESSES).max(1);
        let some: Vec<&PathBuf> = files.checked.iter().step_by(step).take(PROCESSES).collect();
        let mut seconds = 0.0;
        for file in &some {
            let job = match contender {
                Contender::Tamis { .. } => self.check(&store).with([file]),
                Contender::Peer(peer) => peer.check_one(&store, file),
            };
            seconds += job.seconds()?;
        }
        let (contender, bits) = match contender {
            Contender::Tamis { bits } => (OURS, Some(bits)),
            Contender::Peer(peer) => (peer.name(), None),
        };
        Ok(Speed {
            contender,
            bits,
            learned: files.spam.len() + files.ham.len(),
            learn,
            checked: files.checked.len(),
            check,
            one: 1e3 * seconds / some.len().max(1) as f64,
            store: bytes_in(&store)?,
        })
    }

    fn check(&self, store: &Path) -> Job {
        Job::new(self.tamis).with(["mail", "check", "--store"]).with([store])
    }
}

fn bytes_in(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}
