//! A corpus without some of its documents, or with labels on all of them, in its own format.
//!
//! 1. What is kept, is kept byte by byte: the records of lines, JSONL, CSV and TSV with their
//!    quotes, spaces and line ends; files as they are; of Parquet every column with its type, the
//!    metadata of the schema, and the row groups; of Arrow every column and batch. Labels are
//!    further columns after the others.
//! 2. Nothing is lost but what was to go: records that are no documents (broken lines, texts
//!    that are null, lines over the limit) are copied, too. A file that cannot be read is the one
//!    exception, and counted in the summary.
//! 3. The output appears whole or not at all.
//!
//! A file takes the records of all inputs, which then have the same format and header. A folder
//! takes a file for each input file, under its own name; it is what a folder of shards becomes,
//! unless the output has a name with an extension. Names that end in `.gz`, `.zst`, `.bz2` or
//! `.xz` say that the output is packed; UTF-16 comes out as UTF-8.

mod batches;
mod folder;
mod labels;
mod rows;
mod stream;

pub use labels::{LABELS, Label};

use crate::documents::{Corpus, Format, Found, ReadOptions, Reader, Summary};
use crate::files::write_atomically;
use crate::inputs::Source;
use crate::packing::Packing;
use crate::stream::write_packed;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// How many documents are in the output.
    pub kept: u64,
    /// How many are not.
    pub dropped: u64,
    /// What was read.
    pub summary: Summary,
}

/// Copies the documents whose ordinals `keep` wants, and everything that is no document, to a
/// file, or to a folder if the output is one (a folder that exists and is empty, a name with a
/// slash at its end, or without an extension if a folder was read) or if the documents are files.
/// The options are those of the reading that gave the ordinals; `keep` is called for each in order.
///
/// # Errors
/// What [`crate::documents::for_each_document`] says, [`Error::Write`] with the output's name,
/// and [`Error::Once`], [`Error::OutputFormat`], [`Error::Different`], [`Error::Occupied`],
/// [`Error::Inside`] and [`Error::SameName`] where inputs and output do not go together.
pub fn rewrite(
    inputs: &[PathBuf],
    options: &ReadOptions,
    keep: impl FnMut(u64) -> bool,
    output: &Path,
) -> Result<Rewritten> {
    if inputs.is_empty() || inputs.iter().any(|input| input == Path::new("-")) {
        return Err(Error::Once { name: "standard input".into() });
    }
    let corpus = Corpus::open(inputs, options)?;
    rewrite_unchanged(&corpus, options, corpus.fingerprint()?, keep, output)
}

/// [`rewrite`], if the inputs still have the fingerprint of the reading that gave the ordinals.
///
/// # Errors
/// As [`rewrite`], and [`Error::Changed`] if they have not; nothing is written then.
pub fn rewrite_unchanged(
    corpus: &Corpus,
    options: &ReadOptions,
    as_read: u64,
    mut keep: impl FnMut(u64) -> bool,
    output: &Path,
) -> Result<Rewritten> {
    copy_all(corpus, options, as_read, &mut keep, None, output)
}

/// Copies all documents, each with its [`Label`] in further columns, as [`rewrite_unchanged`]
/// does. The corpus must have columns.
///
/// # Errors
/// As [`rewrite_unchanged`], and [`Error::ColumnExists`] if the corpus has a column of a label's
/// name.
pub fn label_unchanged<'l>(
    corpus: &Corpus,
    options: &ReadOptions,
    as_read: u64,
    label: &'l dyn Fn(u64) -> Label<'l>,
    output: &Path,
) -> Result<Rewritten> {
    copy_all(corpus, options, as_read, &mut |_| true, Some(label), output)
}

/// Whether this output is a folder, whatever is there now.
///
/// # Errors
/// [`Error::Read`] for a folder that is gone, [`Error::Different`] for files of several formats
/// that would become one.
pub fn is_folder(corpus: &Corpus, output: &Path) -> Result<bool> {
    Ok(single_file(corpus, output)?.is_none())
}

/// Refuses an output that does not go together with the inputs, before anything is read.
///
/// # Errors
/// As [`rewrite`].
pub fn check_output(corpus: &Corpus, output: &Path) -> Result<()> {
    corpus.check_outside(output)?;
    match single_file(corpus, output)? {
        Some(sources) => {
            let format = sources.first().map_or(Format::Lines, |source| source.format);
            check_name(output, format)?;
            crate::files::check_writable(output)
        }
        None => crate::files::check_new_folder(output),
    }
}

fn copy_all<'l>(
    corpus: &Corpus,
    options: &ReadOptions,
    as_read: u64,
    keep: &mut dyn FnMut(u64) -> bool,
    label: Option<&'l dyn Fn(u64) -> Label<'l>>,
    output: &Path,
) -> Result<Rewritten> {
    corpus.check_outside(output)?;
    let options = &options.again();
    let unchanged = || match corpus.fingerprint()? == as_read {
        true => Ok(()),
        false => Err(Error::Changed { output: output.to_owned() }),
    };
    unchanged()?;
    let mut copy = Copying {
        reader: Reader::new(corpus, options).without_names(),
        keep,
        label,
        quotes: options.quotes,
        result: Rewritten::default(),
    };
    match single_file(corpus, output)? {
        Some(sources) => {
            let format = sources.first().map_or(Format::Lines, |source| source.format);
            check_name(output, format)?;
            let copy = &mut copy;
            match format {
                Format::Parquet => write_atomically(output, |out| {
                    rows::copy(copy, &sources, output, out).and_then(|()| unchanged())
                })?,
                Format::Arrow => write_atomically(output, |out| {
                    batches::copy(copy, &sources, output, out).and_then(|()| unchanged())
                })?,
                _ => write_packed(output, |out| {
                    stream::copy(copy, &sources, output, out).and_then(|()| unchanged())
                })?,
            }
        }
        None => folder::copy(&mut copy, corpus, output, &unchanged)?,
    }
    copy.result.summary = copy.reader.into_summary();
    Ok(copy.result)
}

/// Reading, deciding and counting.
struct Copying<'o, 'k, 'l> {
    reader: Reader<'o>,
    keep: &'k mut dyn FnMut(u64) -> bool,
    /// The labels of documents, if they get any.
    label: Option<&'l dyn Fn(u64) -> Label<'l>>,
    quotes: bool,
    result: Rewritten,
}

impl Copying<'_, '_, '_> {
    /// Calls `write` with what is to be written of a file, and with whether it is its head.
    fn kept_of(
        &mut self,
        source: &Source,
        write: &mut impl FnMut(Kept<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { reader, keep, result, .. } = self;
        reader.read(source, &mut |found| match found {
            Found::Document { document, raw } => {
                let is_kept = keep(document.ordinal);
                *(if is_kept { &mut result.kept } else { &mut result.dropped }) += 1;
                write(if is_kept { Kept::Record(raw, Some(document.ordinal)) } else { Kept::Not })
            }
            Found::Head { raw, names } => write(Kept::Head { raw, names }),
            Found::Other(raw) => write(Kept::Record(raw, None)),
        })
    }

    /// Which rows of a file are kept, with their ordinals if they are documents.
    fn rows_of(&mut self, source: &Source) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.kept_of(source, &mut |row| {
            rows.push(match row {
                Kept::Not => Row::Dropped,
                Kept::Record(_, ordinal) => Row::Kept(ordinal),
                Kept::Head { .. } => return Ok(()),
            });
            Ok(())
        })?;
        Ok(rows)
    }
}

/// What is written of a file.
enum Kept<'a> {
    /// What comes once: a byte-order mark, a header with its names.
    Head { raw: &'a [u8], names: &'a [String] },
    /// A record, or what is between records; with its ordinal if it is a document.
    Record(&'a [u8], Option<u64>),
    /// A document that goes.
    Not,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Dropped,
    /// With its ordinal if it is a document.
    Kept(Option<u64>),
}

impl Row {
    const fn is_kept(self) -> bool {
        matches!(self, Self::Kept(_))
    }
}

/// The files to be written into one, or none if the output is a folder.
fn single_file(corpus: &Corpus, output: &Path) -> Result<Option<Vec<Source>>> {
    let ends_in_slash = output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if output.is_dir() || ends_in_slash {
        return Ok(None);
    }
    let is_shards = corpus.has_folder();
    if is_shards && output.extension().is_none() && output != Path::new("-") && !output.exists() {
        return Ok(None);
    }
    let mut sources: Vec<Source> = Vec::new();
    let mut has_files = false;
    corpus.for_each_source(|source| {
        let Ok(source) = source else { return Ok(()) };
        has_files |= source.format == Format::Files;
        if has_files {
            return Ok(());
        }
        if let Some(first) = sources.first().filter(|first| first.format != source.format) {
            let (first, second) = (first.path.clone(), source.path);
            return Err(Error::Different { first, second, what: "their formats" });
        }
        sources.push(source);
        Ok(())
    })?;
    Ok(if has_files { None } else { Some(sources) })
}

/// What the name of the output says must be what is written.
fn check_name(output: &Path, format: Format) -> Result<()> {
    let is_binary = matches!(format, Format::Parquet | Format::Arrow);
    let expected = match Format::of_path(output) {
        Some(other) if other != format => other.name(),
        _ if is_binary && Packing::of_path(output).is_some() => "a packed file",
        _ => return Ok(()),
    };
    Err(Error::OutputFormat { name: output.to_owned(), expected, got: format.name() })
}
