//! Pictures of folders: PNG and JPEG, decoded one at a time.
//!
//! What is no picture is skipped and counted, or refused when reading is strict. A picture that
//! unpacks to more than [`MAX_PIXELS`] is not unpacked.

use crate::documents::{Format, Problem, Summary, for_each_source};
use crate::files::name_of;
use crate::{Error, Result};
use image::{ImageReader, Limits};
use rayon::prelude::*;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use tamis::similar::shingle::Picture;
use tamis::similar::{Set, Shingler};

/// The most pixels of a picture: 100 million.
pub const MAX_PIXELS: u64 = 100_000_000;

/// So many bytes of files are decoded at a time, by all threads.
const BATCH_BYTES: usize = 16 << 20;

/// A file that waits to be decoded.
struct Waiting {
    path: PathBuf,
    id: String,
    bytes: Vec<u8>,
}

/// Calls `visit` with the name and the set of each picture, in the order of their paths. The name is the path within
/// the folder, or as it was given. `progress` is told how many bytes were read.
///
/// # Errors
/// [`Error::Read`] for an input that is not there, [`Error::Broken`] when reading is strict, or what
/// `visit` says.
pub fn for_each_picture<E: From<Error>>(
    inputs: &[PathBuf],
    shingler: &Shingler,
    strict: bool,
    mut visit: impl FnMut(&str, Set) -> Result<(), E>,
    mut progress: impl FnMut(u64),
) -> Result<Summary, E> {
    let mut summary = Summary::default();
    let is_alone = inputs.len() <= 1;
    let mut batch: Vec<Waiting> = Vec::new();
    let mut size = 0;
    for_each_source(inputs, Some(Format::Files), false, |source| -> Result<(), E> {
        let source = match source {
            Ok(source) => source,
            Err(obstacle) => {
                let (path, detail) = (&obstacle.path, &obstacle.detail);
                return Ok(summary.note_unless(strict, obstacle.problem, path, None, detail)?);
            }
        };
        let bytes = match std::fs::read(&source.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let name = name_of(&source.path);
                return Ok(summary.note_unless(
                    strict,
                    Problem::Unreadable,
                    &name,
                    None,
                    &error,
                )?);
            }
        };
        let path = source.relative.as_deref().filter(|_| is_alone).unwrap_or(&source.path);
        let id = path.display().to_string();
        size += bytes.len();
        progress(bytes.len() as u64);
        batch.push(Waiting { path: source.path, id, bytes });
        if size >= BATCH_BYTES {
            size = 0;
            decode_all(&std::mem::take(&mut batch), shingler, strict, &mut summary, &mut visit)?;
        }
        Ok(())
    })?;
    decode_all(&batch, shingler, strict, &mut summary, &mut visit)?;
    Ok(summary)
}

fn decode_all<E: From<Error>>(
    batch: &[Waiting],
    shingler: &Shingler,
    strict: bool,
    summary: &mut Summary,
    visit: &mut impl FnMut(&str, Set) -> Result<(), E>,
) -> Result<(), E> {
    let set = |waiting: &Waiting| -> Result<Set> {
        Ok(shingler.picture(&decode(&waiting.path, &waiting.bytes)?.picture()?))
    };
    let sets: Vec<Result<Set>> = batch.par_iter().map(set).collect();
    for (waiting, set) in batch.iter().zip(sets) {
        match set {
            Ok(set) => {
                summary.documents += 1;
                summary.bytes += waiting.bytes.len() as u64;
                visit(&waiting.id, set)?;
            }
            Err(error) => {
                let detail = std::error::Error::source(&error)
                    .map_or_else(|| error.to_string(), ToString::to_string);
                let problem = Problem::NotAPicture;
                summary.note_unless(strict, problem, &name_of(&waiting.path), None, &detail)?;
            }
        }
    }
    Ok(())
}

/// The pixels of a picture.
#[derive(Debug)]
pub struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// As the library takes them.
    ///
    /// # Errors
    /// [`tamis::Error::Parameter`] for a picture without pixels.
    pub fn picture(&self) -> tamis::Result<Picture<'_>> {
        Picture::new(self.width, self.height, &self.bytes)
    }
}

/// Decodes a PNG or JPEG file.
///
/// # Errors
/// [`Error::Picture`] with the file's name for everything else, and for one that is too large.
pub fn decode(name: &Path, bytes: &[u8]) -> Result<Pixels> {
    let refused = |source: image::ImageError| Error::Picture { name: name.to_owned(), source };
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| refused(error.into()))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_PIXELS * 8);
    limits.max_image_width = Some(1 << 16);
    limits.max_image_height = Some(1 << 16);
    reader.limits(limits);
    let picture = reader.decode().map_err(refused)?.into_rgb8();
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    Ok(Pixels { width, height, bytes: picture.into_raw() })
}
