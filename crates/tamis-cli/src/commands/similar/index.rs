//! `tamis similar index`: documents, ready for questions.

use super::arguments::{Banding, Reading, Shingling};
use super::summary;
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input;
use crate::progress::Progress;
use crate::values::{self, counted, grouped};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};
use tamis::codec::File;
use tamis::filter::{Mapped, Storage, Stored};
use tamis::similar::index::Index;
use tamis::similar::{Set, Shingler, Shingles};
use tamis_corpus::documents::{Corpus, Format, ReadOptions, Summary};
use tamis_corpus::files::{self, Bytes};
use tamis_corpus::pictures::for_each_picture_of;

#[derive(Debug, Args)]
#[command(after_help = "A document of the same id replaces the one before.

Examples:
  tamis similar index texts/ -o texts.tamis
  tamis similar index --into texts.tamis new.jsonl
  tamis similar index --into texts.tamis --remove report-17")]
pub struct IndexArgs {
    /// Folders, files, patterns such as 'part-*.jsonl', addresses of objects (s3, gs, az, http);
    /// standard input for `-`
    #[arg(value_name = "INPUT", required_unless_present = "remove")]
    files: Vec<PathBuf>,

    /// Make a new index
    #[arg(long, short, value_name = "INDEX", required_unless_present = "into")]
    output: Option<PathBuf>,

    /// Insert into this index, or remove from it
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["output", "shingle", "tokens", "lowercase", "normalize", "components", "bands", "rows", "seed", "threshold"])]
    into: Option<PathBuf>,

    /// Take the document with this id out
    #[arg(long, value_name = "ID", requires = "into")]
    remove: Vec<String>,

    /// The least similarity that questions will ask for
    #[arg(long, short, value_parser = values::rate, default_value = "0.5")]
    threshold: f64,

    #[command(flatten)]
    shingling: Shingling,

    #[command(flatten)]
    banding: Banding,

    #[command(flatten)]
    pub reading: Reading,

    /// No summary
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(args: &IndexArgs) -> anyhow::Result<ExitCode> {
    match (&args.into, &args.output) {
        (Some(path), _) => {
            let _lock = input::lock(path)?;
            change(args, path, load(path)?)
        }
        (None, Some(path)) => {
            files::check_writable(path)?;
            let _lock = input::lock(path)?;
            let bands = args.banding.bands(args.threshold)?;
            let index = Index::new(args.banding.signer()?, bands)?;
            change(args, path, index.with_shingler(args.shingling.shingler()))
        }
        (None, None) => {
            anyhow::bail!("name an index: -o for a new one, --into for one that is there")
        }
    }
}

fn change<S: Storage>(
    args: &IndexArgs,
    path: &Path,
    mut index: Index<S>,
) -> anyhow::Result<ExitCode> {
    let shingler = shingler_of(&index, path)?;
    for id in &args.remove {
        anyhow::ensure!(index.remove(id), "{} has no document {id}", path.display());
    }
    let (mut inserted, mut replaced) = (0, 0);
    if !args.files.is_empty() {
        let corpus = open_corpus(&args.files, &args.reading.options()?, &shingler)?;
        corpus.check_outside(path)?;
        let read =
            for_each_set(&corpus, &args.reading.options()?, &shingler, "indexing", |id, set| {
                replaced += u64::from(index.insert(id, &set));
                inserted += 1;
                Ok(())
            })?;
        summary::tell(&read, args.quiet);
    }
    files::write_atomically(path, |out| -> anyhow::Result<()> { Ok(index.write(out)?) })
        .with_context(|| path.display().to_string())?;
    if !args.quiet {
        let again = if replaced > 0 {
            format!(" ({} in place of one with the same id)", grouped(replaced))
        } else {
            String::new()
        };
        eprintln!(
            "{} inserted{again}, {} removed: {} in {}",
            grouped(inserted),
            grouped(args.remove.len() as u64),
            counted(index.len() as u64, "document"),
            path.display()
        );
    }
    Ok(ExitCode::Yes)
}

/// Looks at inputs as this shingler takes them.
pub fn open_corpus(
    inputs: &[PathBuf],
    options: &ReadOptions,
    shingler: &Shingler,
) -> anyhow::Result<Corpus> {
    let is_picture = shingler.shingles() == Shingles::Picture;
    let format = if is_picture { Some(Format::Files) } else { options.format };
    Ok(Corpus::open(inputs, &ReadOptions { format, ..options.clone() })?)
}

/// Calls `visit` with the id and the set of each document or picture.
pub fn for_each_set(
    corpus: &Corpus,
    options: &ReadOptions,
    shingler: &Shingler,
    what: &'static str,
    mut visit: impl FnMut(&str, Set) -> anyhow::Result<()>,
) -> anyhow::Result<Summary> {
    let mut progress = Progress::bytes(what, corpus.size()?);
    if shingler.shingles() == Shingles::Picture {
        let advance = |bytes| progress.advance(bytes);
        return for_each_picture_of(corpus, shingler, &options.tolerance, visit, advance);
    }
    let mut position = 0;
    corpus.for_each_document(options, |document| {
        visit(document.id, shingler.set(document.text))?;
        progress.advance(document.position.saturating_sub(position));
        position = document.position;
        Ok(())
    })
}

/// An index straight from a mapped file.
pub fn open(path: &Path) -> anyhow::Result<Index<Mapped<Bytes>>> {
    Index::in_place(files::map(path)?).with_context(|| path.display().to_string())
}

/// An index in memory, to be changed; its content is checked first.
fn load(path: &Path) -> anyhow::Result<Index<Mapped<Bytes>>> {
    let bytes = files::map(path)?;
    File::open(bytes.as_ref())
        .and_then(|file| file.verify())
        .with_context(|| path.display().to_string())?;
    open(path)
}

/// How the documents of an index become sets.
pub fn shingler_of<S: Storage>(index: &Index<S>, path: &Path) -> anyhow::Result<Shingler> {
    index.shingler().cloned().ok_or_else(|| {
        anyhow::anyhow!("{} does not say how its documents became sets", path.display())
            .context(Hint("it was made by a program; ask it there"))
    })
}
