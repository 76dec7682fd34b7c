//! `tamis cascade classify`, `info` and `verify`.

use super::open::Any;
use super::training::Training;
use crate::exit::ExitCode;
use crate::input::KeyInput;
use crate::output::{Output, escaped};
use crate::values::{self, counted};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use tamis::cascade::classic::Algorithm;
use tamis_corpus::files::map;

#[derive(Debug, Args)]
#[command(
    after_help = "A line for each key. A key that was not trained gets some category, or (not covered) if the cascade was trained
with --reject.

Examples:
  tamis cascade classify classes.tamis keys.txt
  tail -f access.log | tamis cascade classify --with-key classes.tamis"
)]
pub struct ClassifyArgs {
    /// The cascade, of either kind
    cascade: PathBuf,

    /// Print the key and a tab before its category
    #[arg(long)]
    with_key: bool,

    #[command(flatten)]
    input: KeyInput,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis cascade info classes.tamis")]
pub struct InfoArgs {
    /// The cascade, of either kind
    cascade: PathBuf,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit code 1 if a key has another category than the cascade says.

Example:\n  tamis cascade verify classes.tamis --against classes.txt")]
pub struct VerifyArgs {
    /// The cascade, of either kind
    cascade: PathBuf,

    /// Also ask for every key of a training file
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// The training file has a key, a tab and a category in each line
    #[arg(long, requires = "against")]
    tsv: bool,
}

pub fn classify(args: &ClassifyArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let bytes = map(&args.cascade)?;
    let cascade = Any::open(&args.cascade, bytes.as_ref())?;
    let separator = args.input.separator().byte();
    // Whoever types, or follows a log, wants each answer at once.
    let files = &args.input.files;
    let streamed = files.is_empty() || files.iter().any(|path| path == Path::new("-"));
    cascade.classify_all(&args.input, &args.cascade, |keys, names| {
        for (key, name) in keys.iter().zip(names) {
            if args.with_key {
                out.data(key)?;
                out.byte(b'\t')?;
            }
            out.data(name)?;
            out.byte(separator)?;
        }
        if streamed {
            out.flush()?;
        }
        Ok(())
    })?;
    Ok(ExitCode::Yes)
}

pub fn info(args: &InfoArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let bytes = map(&args.cascade)?;
    let size = bytes.as_ref().len() as u64;
    match Any::open(&args.cascade, bytes.as_ref())? {
        Any::Exact(cascade) => {
            let keys: u64 = cascade.counts().iter().sum();
            let bound = cascade.entropy_bits() / 8.0;
            let bits = size as f64 * 8.0 / keys.max(1) as f64;
            let ratio = (bound > 0.0).then(|| size as f64 / bound);
            let names: Vec<String> = cascade.categories().map(escaped).collect();
            if args.json {
                let list: Vec<_> = names
                    .iter()
                    .zip(cascade.counts())
                    .map(|(name, count)| json!({ "name": name, "keys": count }))
                    .collect();
                out.json(&json!({
                    "format": "tamis", "keys": keys, "categories": list, "bytes": size, "bits_per_key": bits,
                    "entropy_bytes": bound, "ratio": ratio, "structures": cascade.structures(), "layers": cascade.layers(),
                    "reject_bits": cascade.reject_bits(), "seed": cascade.hash().seed(),
                }))?;
                return Ok(ExitCode::Yes);
            }
            let mut row = |name: &str, value: String| out.text(format_args!("{name:16}{value}\n"));
            row("format", "tamis".to_owned())?;
            for (name, count) in names.iter().zip(cascade.counts()) {
                row("category", format!("{name}: {}", counted(*count, "key")))?;
            }
            row("size", format!("{}, {bits:.3} bits per key", values::size(size)))?;
            let ratio = ratio.map_or(String::new(), |ratio| format!(", {ratio:.3} of it used"));
            row("entropy bound", format!("{}{ratio}", values::size(bound.ceil() as u64)))?;
            let layers: Vec<String> = cascade.layers().iter().map(usize::to_string).collect();
            let layers = match layers.is_empty() {
                true => String::new(),
                false => format!(", of {} layers", layers.join(", ")),
            };
            row("structures", format!("{}{layers}", cascade.structures()))?;
            row(
                "unknown keys",
                match cascade.reject_bits() {
                    0 => "get some category".to_owned(),
                    bits => format!("are refused but for one in 2^{bits}"),
                },
            )?;
        }
        Any::Classic(cascade) => {
            let algorithm = u8::from(cascade.algorithm() == Algorithm::One);
            let names: Vec<String> = cascade.categories().map(escaped).collect();
            if args.json {
                out.json(&json!({ "format": "bfc", "algorithm": algorithm, "categories": names, "bytes": size, "rounds": cascade.rounds() }))?;
                return Ok(ExitCode::Yes);
            }
            let mut row = |name: &str, value: String| out.text(format_args!("{name:16}{value}\n"));
            row("format", format!("bfc, algorithm {algorithm}"))?;
            row("categories", names.join(", "))?;
            row("size", values::size(size))?;
            row("rounds", cascade.rounds().to_string())?;
        }
    }
    Ok(ExitCode::Yes)
}

pub fn verify(args: &VerifyArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let bytes = map(&args.cascade)?;
    Any::verify(&args.cascade, bytes.as_ref())?;
    let cascade = Any::open(&args.cascade, bytes.as_ref())?;
    let Some(file) = &args.against else {
        out.text("sound\n")?;
        return Ok(ExitCode::Yes);
    };
    let training = Training::of(file.clone(), args.tsv);
    let sources = training.open()?;
    // The names are known when all is read.
    let names = sources.for_each(|_, _| Ok(()))?;
    let (mut keys, mut errors) = (0u64, 0u64);
    let mut example = None;
    sources.for_each(|_, key| {
        keys += 1;
        if cascade.classify(key.key) != names[key.category as usize] {
            errors += 1;
            example.get_or_insert_with(|| escaped(key.key));
        }
        Ok(())
    })?;
    out.text(format_args!("{}, {}\n", counted(keys, "key"), counted(errors, "error")))?;
    if let Some(example) = example {
        eprintln!("the first: {example}");
    }
    Ok(ExitCode::from_found(errors == 0))
}
