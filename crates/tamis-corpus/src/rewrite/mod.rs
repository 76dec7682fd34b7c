//! A corpus without some of its documents, in its own format.
//!
//! 1. What is kept, is kept byte by byte: the records of lines, JSONL, CSV and TSV with their
//!    quotes, spaces and line ends; files as they are; of Parquet every column with its type, the
//!    metadata of the schema, and the row groups.
//! 2. Nothing is lost but what was to go: records that are no documents (broken lines, texts
//!    that are null, lines over the limit) are copied, too. A file that cannot be read is the one
//!    exception, and counted in the summary.
//! 3. The output appears whole or not at all.
//!
//! A file takes the records of all inputs, which then have the same format and header. A folder
//! takes a file for each input file, under its own name. Names that end in `.gz` or `.zst` say
//! that the output is packed; UTF-16 comes out as UTF-8.

mod folder;
mod rows;
mod stream;

use crate::documents::{
    Format, Found, ReadOptions, Reader, Source, Summary, fingerprint, for_each_source,
};
use crate::files::{folder_of, write_atomically};
use crate::stream::{Packing, write_packed};
use crate::{Error, Result};
use std::fs;
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
/// slash at its end) or if the documents are files. The options are those of the reading that
/// gave the ordinals; `keep` is asked for each in order.
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
    rewrite_unchanged(inputs, options, fingerprint(inputs, options.format)?, keep, output)
}

/// [`rewrite`], if the inputs still have the fingerprint of the reading that gave the ordinals.
///
/// # Errors
/// As [`rewrite`], and [`Error::Changed`] if they have not; nothing is written then.
pub fn rewrite_unchanged(
    inputs: &[PathBuf],
    options: &ReadOptions,
    as_read: u64,
    mut keep: impl FnMut(u64) -> bool,
    output: &Path,
) -> Result<Rewritten> {
    check_inputs(inputs, output)?;
    let unchanged = || match fingerprint(inputs, options.format)? == as_read {
        true => Ok(()),
        false => Err(Error::Changed { output: output.to_owned() }),
    };
    let mut copy = Copying {
        reader: Reader::new(inputs, options),
        keep: &mut keep,
        result: Rewritten::default(),
    };
    match single_file(inputs, options, output)? {
        Some(sources) => {
            let format = sources.first().map_or(Format::Lines, |source| source.format);
            check_name(output, format)?;
            if format == Format::Parquet {
                write_atomically(output, |out| {
                    rows::copy(&mut copy, &sources, output, out).and_then(|()| unchanged())
                })?;
            } else {
                write_packed(output, |out| {
                    stream::copy(&mut copy, &sources, output, out).and_then(|()| unchanged())
                })?;
            }
        }
        None => folder::copy(&mut copy, inputs, options, output, &unchanged)?,
    }
    copy.result.summary = copy.reader.into_summary();
    Ok(copy.result)
}

/// Reading, deciding and counting.
struct Copying<'o, 'k> {
    reader: Reader<'o>,
    keep: &'k mut dyn FnMut(u64) -> bool,
    result: Rewritten,
}

impl Copying<'_, '_> {
    /// Calls `write` with what is to be written of a file, and with whether it is its head.
    fn kept_of(
        &mut self,
        source: &Source,
        write: &mut impl FnMut(Kept<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { reader, keep, result } = self;
        reader.read(source, &mut |found| match found {
            Found::Document { document, raw } => {
                let is_kept = keep(document.ordinal);
                *(if is_kept { &mut result.kept } else { &mut result.dropped }) += 1;
                write(if is_kept { Kept::Record(raw) } else { Kept::Not })
            }
            Found::Head { raw, names } => write(Kept::Head { raw, names }),
            Found::Other(raw) => write(Kept::Record(raw)),
        })
    }
}

/// What is written of a file.
enum Kept<'a> {
    /// What comes once: a byte-order mark, a header with its names.
    Head { raw: &'a [u8], names: &'a [String] },
    /// A record, or what is between records.
    Record(&'a [u8]),
    /// A document that goes.
    Not,
}

/// The files to be written into one, or none if the output is a folder.
fn single_file(
    inputs: &[PathBuf],
    options: &ReadOptions,
    output: &Path,
) -> Result<Option<Vec<Source>>> {
    let ends_in_slash = output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if output.is_dir() || ends_in_slash {
        return Ok(None);
    }
    let mut sources: Vec<Source> = Vec::new();
    let mut has_files = false;
    for_each_source(inputs, options.format, false, |source| {
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

/// An input must be there for a second reading, and must not grow by what is written.
fn check_inputs(inputs: &[PathBuf], output: &Path) -> Result<()> {
    let standard_input = [PathBuf::from("-")];
    let inputs = if inputs.is_empty() { &standard_input[..] } else { inputs };
    let above = fs::canonicalize(folder_of(output)).ok();
    for input in inputs {
        let failed = |source| Error::Read { name: input.clone(), source };
        if input == Path::new("-") {
            return Err(Error::Once { name: "standard input".into() });
        }
        let metadata = fs::metadata(input).map_err(failed)?;
        if metadata.is_dir() {
            let folder = fs::canonicalize(input).map_err(failed)?;
            if above.as_ref().is_some_and(|above| above.starts_with(&folder)) {
                return Err(Error::Inside { output: output.to_owned(), input: input.clone() });
            }
        } else if !metadata.is_file() {
            return Err(Error::Once { name: input.clone() });
        }
    }
    Ok(())
}

/// What the name of the output says must be what is written.
fn check_name(output: &Path, format: Format) -> Result<()> {
    let expected = match Format::of_path(output) {
        Some(other) if other != format => other.name(),
        _ if format == Format::Parquet && Packing::of_path(output).is_some() => "a packed file",
        _ => return Ok(()),
    };
    Err(Error::OutputFormat { name: output.to_owned(), expected, got: format.name() })
}
