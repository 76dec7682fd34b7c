//! A folder in the place of a corpus of many files.

use super::{Copying, Kept, batches, check_name, rows, stream};
use crate::documents::{Corpus, Format};
use crate::files::write_folder_atomically;
use crate::inputs::Source;
use crate::stream::pack;
use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Copies what is kept of these inputs into a folder, a file for each file.
pub(super) fn copy(
    copy: &mut Copying<'_, '_, '_>,
    corpus: &Corpus,
    output: &Path,
    unchanged: &dyn Fn() -> Result<()>,
) -> Result<()> {
    if output == Path::new("-") {
        let (name, expected) = ("standard output".into(), "a stream");
        return Err(Error::OutputFormat { name, expected, got: Format::Files.name() });
    }
    write_folder_atomically(output, |folder| {
        let inputs: Vec<&Path> = corpus.paths().collect();
        corpus.for_each_source(|source| match source {
            Ok(source) => {
                let relative = place_of(&source, &inputs)?;
                copy_file(copy, &source, &folder.join(&relative), &output.join(&relative))
            }
            Err(obstacle) => copy.reader.pass(&obstacle),
        })?;
        unchanged()
    })
}

/// Where a file goes in the new folder: where it was in the old one, below the name of its
/// input if there are others.
fn place_of(source: &Source, inputs: &[&Path]) -> Result<PathBuf> {
    let Some(relative) = &source.relative else {
        return Ok(source.path.file_name().map_or_else(|| source.path.clone(), PathBuf::from));
    };
    if inputs.len() == 1 {
        return Ok(relative.clone());
    }
    let input = inputs[source.input];
    let whole = fs::canonicalize(input).unwrap_or_else(|_| input.to_owned());
    Ok(whole.file_name().map_or_else(PathBuf::new, PathBuf::from).join(relative))
}

/// Copies what is kept of one file; `name` is what the copy will be called in the end.
fn copy_file(
    copy: &mut Copying<'_, '_, '_>,
    source: &Source,
    target: &Path,
    name: &Path,
) -> Result<()> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::SameName { name: name.to_owned() },
        _ => Error::Write { name: name.to_owned(), source },
    };
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    if source.format == Format::Files {
        return copy_whole(copy, source, target, failed);
    }
    check_name(target, source.format)?;
    let mut out = BufWriter::with_capacity(1 << 16, File::create_new(target).map_err(failed)?);
    let sources = std::slice::from_ref(source);
    match source.format {
        Format::Parquet => rows::copy(copy, sources, name, &mut out)?,
        Format::Arrow => batches::copy(copy, sources, name, &mut out)?,
        _ => pack(target, &mut out, |out| stream::copy(copy, sources, name, out))?,
    }
    out.flush().map_err(failed)
}

fn copy_whole(
    copy: &mut Copying<'_, '_, '_>,
    source: &Source,
    target: &Path,
    failed: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let mut is_kept = true;
    copy.kept_of(source, &mut |kept| {
        is_kept = !matches!(kept, Kept::Not);
        Ok(())
    })?;
    // What cannot be opened is counted as such; all else is copied, document or not.
    if !is_kept || source.open().is_err() {
        return Ok(());
    }
    if target.exists() {
        return Err(failed(io::ErrorKind::AlreadyExists.into()));
    }
    source.copy_to(target).map_err(failed)
}
