//! `tamis cascade train`.

use super::training::{Sources, Training};
use crate::exit::ExitCode;
use crate::output::escaped;
use crate::values::{self, counted, grouped};
use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use std::collections::HashMap;
use std::path::PathBuf;
use tamis::cascade::classic::{self, Algorithm, Functions};
use tamis::cascade::{Cascade, Trainer};
use tamis::hash::KeyHash;
use tamis_corpus::files::write_atomically;

/// Seeds that are tried: two different keys share a hash once in a hundred thousand times with 25 million keys.
const ATTEMPTS: u64 = 8;

#[derive(Debug, Args)]
#[command(
    after_help = "A key that starts with [ and ends with ] is written with a backslash before it. The same key twice in a category
counts once.

Examples:
  tamis cascade train -o classes.tamis classes.txt
  tamis cascade train --reject 8 -o classes.tamis --tsv classes.tsv
  tamis cascade train --listed ads.hosts --unlisted sites.txt -o ads.tamis
  tamis cascade train --format bfc --algorithm 1 -o classes.bfc classes.txt"
)]
pub struct TrainArgs {
    #[command(flatten)]
    training: Training,

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

    /// What to do with a key in two categories
    #[arg(long, value_enum, default_value_t = OnConflict::Error)]
    on_conflict: OnConflict,

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
enum OnConflict {
    /// Refuse, and name both lines
    Error,
    /// The first category counts
    First,
    /// The last one counts
    Last,
}

pub fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let sources = args.training.open()?;
    match args.format {
        Format::Tamis => {
            ensure!(args.functions.is_empty(), "--functions is for --format bfc");
            exact(args, &sources)?;
        }
        Format::Bfc => {
            ensure!(
                args.reject == 0,
                "--reject is for --format tamis: a bfc file has no room for it"
            );
            bfc(args, &sources)?;
        }
    }
    Ok(ExitCode::Yes)
}

fn exact(args: &TrainArgs, sources: &Sources) -> anyhow::Result<()> {
    for attempt in 0..ATTEMPTS {
        let hash = KeyHash::new(args.seed.wrapping_add(attempt));
        let mut trainer = Trainer::new(hash);
        let categories = sources.for_each(|_, key| trainer.insert(key.category, key.key))?;
        for name in categories.names() {
            trainer.category(name)?;
        }
        let conflicts = trainer.conflicts();
        if !conflicts.is_empty() {
            match settle(args.on_conflict, sources, &hash, &conflicts)? {
                Settled::Chosen(chosen) => trainer.settle(|hash| chosen.get(&hash).copied()),
                Settled::Accident => continue,
            }
        }
        let cascade = trainer.build(args.reject)?;
        let mut size = 0;
        write_atomically(&args.output, |out| -> anyhow::Result<()> {
            let mut bytes = Vec::new();
            cascade.write(&mut bytes)?;
            size = bytes.len() as u64;
            Ok(out.write_all(&bytes)?)
        })?;
        if !args.quiet {
            told(&cascade, size);
        }
        return Ok(());
    }
    bail!(
        "different keys share their hashes with {ATTEMPTS} seeds; try --seed with another number"
    );
}

fn told(cascade: &Cascade, size: u64) {
    let keys: u64 = cascade.counts().iter().sum();
    let bound = cascade.entropy_bits() / 8.0;
    let ratio = if bound > 0.0 {
        format!(", {:.3} of the least possible", size as f64 / bound)
    } else {
        String::new()
    };
    eprintln!(
        "{} in {}, {}{ratio}",
        counted(keys, "key"),
        counted(cascade.counts().len() as u64, "category").replace("categorys", "categories"),
        values::size(size)
    );
}

enum Settled {
    Chosen(HashMap<u64, u32>),
    /// Different keys have the same hash.
    Accident,
}

/// Looks again for the keys whose hashes have several categories.
fn settle(
    on_conflict: OnConflict,
    sources: &Sources,
    hash: &KeyHash,
    conflicts: &[u64],
) -> anyhow::Result<Settled> {
    let mut first: HashMap<u64, (String, Vec<u8>, u32)> = HashMap::new();
    let mut chosen: HashMap<u64, u32> = HashMap::new();
    let (mut accident, mut refused) = (false, None);
    sources.for_each(|path, key| {
        let own = hash.bytes(key.key);
        if conflicts.binary_search(&own).is_err() {
            return;
        }
        let place = format!("{}:{}", path.display(), key.line);
        let (before, same, category) =
            first.entry(own).or_insert_with(|| (place.clone(), key.key.to_vec(), key.category));
        accident |= same.as_slice() != key.key;
        if *category != key.category && refused.is_none() {
            let name = escaped(key.key);
            refused = Some(format!("{name} has two categories: {before} and {place}"));
        }
        let category = if on_conflict == OnConflict::First { *category } else { key.category };
        chosen.insert(own, category);
    })?;
    match refused {
        _ if accident => Ok(Settled::Accident),
        Some(refused) if on_conflict == OnConflict::Error => {
            bail!("{refused}; --on-conflict first or last settles that")
        }
        _ => Ok(Settled::Chosen(chosen)),
    }
}

fn bfc(args: &TrainArgs, sources: &Sources) -> anyhow::Result<()> {
    let functions = match (args.algorithm, args.functions.as_slice()) {
        (0, []) => Algorithm::Zero.functions(),
        (_, []) => Algorithm::One.functions(),
        (0, [count]) => Functions::Zero(*count),
        (1, [first, second]) => Functions::One(*first, *second),
        _ => bail!("--functions takes one number for algorithm 0 and two for algorithm 1"),
    };
    let mut training = classic::Training::new();
    let mut refused = None;
    let mut keys: HashMap<&[u8], String> = HashMap::new();
    let categories = sources.for_each(|path, key| {
        if training.insert(key.category, key.key).is_none() {
            return;
        }
        match args.on_conflict {
            OnConflict::First => {}
            OnConflict::Last => training.replace(key.category, key.key),
            OnConflict::Error => {
                keys.entry(key.key).or_insert_with(|| format!("{}:{}", path.display(), key.line));
            }
        }
    })?;
    if let Some((conflict, second)) = keys.iter().min_by_key(|(_, place)| (*place).clone()) {
        sources.for_each(|path, key| {
            if key.key == *conflict && refused.is_none() {
                refused = Some(format!("{}:{}", path.display(), key.line));
            }
        })?;
        bail!(
            "{} has two categories: {} and {second}; --on-conflict first or last settles that",
            escaped(conflict),
            refused.unwrap_or_default()
        );
    }
    for name in categories.names() {
        training.category(name)?;
    }
    let cascade = training.build(functions, args.seed)?;
    write_atomically(&args.output, |out| -> anyhow::Result<()> { Ok(cascade.write(out)?) })?;
    if !args.quiet {
        let keys: u64 = training.counts().iter().sum();
        eprintln!("{} keys, {} rounds", grouped(keys), cascade.rounds());
    }
    Ok(())
}
