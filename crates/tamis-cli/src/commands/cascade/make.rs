//! Making a cascade of keys with their categories.

use super::training::Sources;
use crate::output::escaped;
use crate::progress::Progress;
use crate::values::{self, counted};
use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use std::collections::HashMap;
use std::path::PathBuf;
use tamis::cascade::classic::{self, Algorithm, Functions};
use tamis::cascade::{Conflict, MAX_CATEGORIES, Trainer};
use tamis::filter::Stored;
use tamis::hash::KeyHash;
use tamis_corpus::files::write_atomically;

/// Seeds that are tried: two different keys share a hash once in a hundred thousand times with 25 million keys.
const ATTEMPTS: u64 = 8;

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
        for attempt in 0..ATTEMPTS {
            let hash = KeyHash::new(self.seed.wrapping_add(attempt));
            let mut trainer = Trainer::new(hash);
            let names = sources.for_each(|path, key| {
                if key.category as usize >= MAX_CATEGORIES {
                    let (name, line) = (path.display(), key.line);
                    bail!("{name}:{line}: this is category 65,537, and there are at most 65,536");
                }
                trainer.insert(key.category, key.key);
                Ok(())
            })?;
            for name in names {
                trainer.category(name)?;
            }
            let conflicts = trainer.conflicts();
            if !conflicts.is_empty() {
                match settle(on_conflict, sources, &hash, &conflicts)? {
                    Settled::Chosen(chosen) => trainer.settle(|hash| chosen.get(&hash).copied()),
                    Settled::Accident => continue,
                }
            }
            let progress = Progress::shared_keys("placing");
            let cascade = trainer.build_watched(self.reject, &progress)?;
            drop(progress);
            write_atomically(&self.output, |out| -> anyhow::Result<()> {
                Ok(cascade.write(out)?)
            })?;
            return self.told(cascade.counts(), cascade.entropy_bits());
        }
        bail!(
            "different keys share their hashes with {ATTEMPTS} seeds; try --seed with another number"
        );
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

enum Settled {
    Chosen(HashMap<u64, u32>),
    /// Different keys have the same hash.
    Accident,
}

/// Looks again for the keys whose hashes have several categories.
fn settle(
    on_conflict: OnConflict,
    sources: &Sources<'_>,
    hash: &KeyHash,
    conflicts: &[Conflict],
) -> anyhow::Result<Settled> {
    let mut first: HashMap<u64, (String, Vec<u8>, u32)> = HashMap::new();
    let mut chosen: HashMap<u64, u32> = HashMap::new();
    let (mut accident, mut refused) = (false, None);
    sources.for_each(|path, key| {
        let own = hash.bytes(key.key);
        if conflicts.binary_search_by_key(&own, |conflict| conflict.hash).is_err() {
            return Ok(());
        }
        let place = format!("{}:{}", path.display(), key.line);
        let (before, same, category) =
            first.entry(own).or_insert_with(|| (place.clone(), key.key.to_vec(), key.category));
        accident |= same.as_slice() != key.key;
        if *category != key.category && refused.is_none() {
            refused = Some(two_categories(key.key, before, &place));
        }
        let category = if on_conflict == OnConflict::First { *category } else { key.category };
        chosen.insert(own, category);
        Ok(())
    })?;
    match refused {
        _ if accident => Ok(Settled::Accident),
        Some(refused) if on_conflict == OnConflict::Error => Err(refused),
        _ => Ok(Settled::Chosen(chosen)),
    }
}
