//! Making a cascade of keys with their categories.

use super::training::Sources;
use crate::output::escaped;
use crate::progress::Progress;
use crate::values::{self, counted};
use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use std::fmt;
use std::path::{Path, PathBuf};
use tamis::cascade::classic::{self, Algorithm, Functions};
use tamis::cascade::{Example, MAX_SEEDS, TrainError, Trainer};
use tamis::filter::Stored;
use tamis::hash::KeyHash;
use tamis_corpus::categories::Labelled;
use tamis_corpus::files::write_atomically;

/// What is made, and where to.
#[derive(Debug, Args)]
pub struct Making {
    /// Where to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Tamis)]
    format: Format,

    /// The algorithm of a bfc file
    #[arg(long, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    algorithm: u8,

    /// The functions of the filters of a bfc file: one number for algorithm 0, two for 1
    #[arg(long, value_name = "K1,K2", value_delimiter = ',')]
    functions: Vec<u8>,

    /// Refuse keys that were not trained, but for one in 2^BITS
    #[arg(long, value_name = "BITS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=32))]
    reject: u32,

    /// Another choice of hashes
    #[arg(long, default_value_t = 0, value_parser = values::seed)]
    seed: u64,

    /// Print nothing about the run
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Near the entropy of the categories
    Tamis,
    /// The classic Bloom cascade
    Bfc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnConflict {
    /// Refuse, and name both lines
    Error,
    /// The first category counts
    First,
    /// The last one counts
    Last,
}

impl From<OnConflict> for tamis::cascade::OnConflict {
    fn from(on_conflict: OnConflict) -> Self {
        match on_conflict {
            OnConflict::Error => Self::Error,
            OnConflict::First => Self::First,
            OnConflict::Last => Self::Last,
        }
    }
}

impl Making {
    /// Makes the cascade, and says what it is.
    pub fn run(&self, sources: &Sources<'_>, on_conflict: OnConflict) -> anyhow::Result<()> {
        let told = match self.format {
            Format::Tamis => {
                ensure!(self.functions.is_empty(), "--functions is for --format bfc");
                self.exact(sources, on_conflict)?
            }
            Format::Bfc => {
                ensure!(
                    self.reject == 0,
                    "--reject is for --format tamis: a bfc file has no room for it"
                );
                self.bfc(sources, on_conflict)?
            }
        };
        if !self.quiet {
            eprintln!("{told}");
        }
        Ok(())
    }

    fn exact(&self, sources: &Sources<'_>, on_conflict: OnConflict) -> anyhow::Result<String> {
        let hash = KeyHash::new(self.seed);
        let trainer = Trainer::from_source(hash, on_conflict.into(), |visit| {
            sources.for_each(|path, labelled| {
                let Labelled { key, category, line } = labelled;
                visit(Example { key, category, place: Place { path, line } })
            })
        });
        let trainer = trainer.map_err(described)?;
        let progress = Progress::shared_keys("placing");
        let cascade = trainer.build_watched(self.reject, &progress)?;
        drop(progress);
        write_atomically(&self.output, |out| -> anyhow::Result<()> { Ok(cascade.write(out)?) })?;
        self.told(cascade.counts(), cascade.entropy_bits())
    }

    /// What was made, in a line.
    fn told(&self, counts: &[u64], entropy_bits: f64) -> anyhow::Result<String> {
        let size = std::fs::metadata(&self.output)?.len();
        let categories = values::categories(counts.len());
        let keys = counted(counts.iter().sum(), "key");
        let least = match entropy_bits {
            0.0 => String::new(),
            bits => format!(", {:.3} of the least possible", size as f64 * 8.0 / bits),
        };
        Ok(format!("{keys} in {categories}, {}{least}", values::size(size)))
    }

    fn bfc(&self, sources: &Sources<'_>, on_conflict: OnConflict) -> anyhow::Result<String> {
        let functions = match (self.algorithm, self.functions.as_slice()) {
            (0, []) => Algorithm::Zero.functions(),
            (_, []) => Algorithm::One.functions(),
            (0, [count]) => Functions::Zero(*count),
            (1, [first, second]) => Functions::One(*first, *second),
            _ => bail!("--functions takes one number for algorithm 0 and two for algorithm 1"),
        };
        let mut training = classic::Training::new();
        let names = sources.for_each(|path, key| {
            if training.insert(key.category, key.key).is_none() {
                return Ok(());
            }
            match on_conflict {
                OnConflict::First => Ok(()),
                OnConflict::Last => {
                    training.replace(key.category, key.key);
                    Ok(())
                }
                OnConflict::Error => {
                    let place = format!("{}:{}", path.display(), key.line);
                    Err(two_categories(key.key, &first_place(sources, key.key)?, &place))
                }
            }
        })?;
        for name in names {
            training.category(name)?;
        }
        let cascade = training.build(functions, self.seed)?;
        write_atomically(&self.output, |out| -> anyhow::Result<()> { Ok(cascade.write(out)?) })?;
        let counts = training.counts();
        let told = self.told(&counts, tamis::cascade::entropy_bits(&counts))?;
        Ok(format!("{told}, {}", counted(cascade.rounds() as u64, "round")))
    }
}

fn two_categories(key: &[u8], first: &str, second: &str) -> anyhow::Error {
    let key = escaped(key);
    anyhow::anyhow!(
        "{key} has two categories: {first} and {second}; --on-conflict first or last settles that"
    )
}

/// Where a key comes first.
fn first_place(sources: &Sources<'_>, wanted: &[u8]) -> anyhow::Result<String> {
    let mut place = None;
    sources.for_each(|path, key| {
        if key.key == wanted && place.is_none() {
            place = Some(format!("{}:{}", path.display(), key.line));
        }
        Ok(())
    })?;
    Ok(place.unwrap_or_default())
}

/// A line of a file.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

fn described(error: TrainError<Place<'_>, anyhow::Error>) -> anyhow::Error {
    match error {
        TrainError::Source(error) => error,
        TrainError::TwoCategories { key, first, second } => {
            two_categories(&key, &first.to_string(), &second.to_string())
        }
        TrainError::Seeds => anyhow::anyhow!(
            "different keys share their hashes with {MAX_SEEDS} seeds; try --seed with another number"
        ),
        TrainError::TooManyCategories { place } => {
            anyhow::anyhow!("{place}: this is category 65,537, and there are at most 65,536")
        }
        TrainError::Refused(error) => error.into(),
    }
}
