//! Pictures of folders: PNG and JPEG, decoded one at a time.
//!
//! What is no picture is skipped and counted, or refused when reading is strict. A picture that
//! unpacks to more than [`MAX_PIXELS`] is not unpacked.

use crate::documents::{Corpus, Format, Problem, ReadOptions, Summary, Tolerance};
use crate::files::name_of;
use crate::objects::failure_in;
use crate::{Error, Result};
use image::{ImageReader, Limits};
use rayon::prelude::*;
use std::io::{Cursor, Read};
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
    tolerance: &Tolerance,
    visit: impl FnMut(&str, Set) -> Result<(), E>,
    progress: impl FnMut(u64),
) -> Result<Summary, E> {
    let options = ReadOptions { format: Some(Format::Files), ..ReadOptions::default() };
    for_each_picture_of(&Corpus::open(inputs, &options)?, shingler, tolerance, visit, progress)
}

/// As [`for_each_picture`], of inputs that were looked at as [`Format::Files`].
///
/// # Errors
/// As [`for_each_picture`].
pub fn for_each_picture_of<E: From<Error>>(
    corpus: &Corpus,
    shingler: &Shingler,
    tolerance: &Tolerance,
    mut visit: impl FnMut(&str, Set) -> Result<(), E>,
    mut progress: impl FnMut(u64),
) -> Result<Summary, E> {
    let mut summary = Summary::default();
    let is_alone = corpus.is_alone();
    let mut batch: Vec<Waiting> = Vec::new();
    let mut size = 0;
    corpus.for_each_source(|source| -> Result<(), E> {
        let source = match source {
            Ok(source) => source,
            Err(obstacle) => {
                let (path, detail) = (&obstacle.path, &obstacle.detail);
                return Ok(summary.note_as(tolerance, obstacle.problem, path, None, detail)?);
            }
        };
        let mut bytes = Vec::new();
        let read = source.open().map_err(std::io::Error::other);
        if let Err(error) = read.and_then(|mut file| file.read_to_end(&mut bytes)) {
            let (problem, name) = (Problem::Unreadable, name_of(&source.path));
            if let Some(source) = failure_in(&error) {
                return Err(Error::Read { name, source }.into());
            }
            return Ok(summary.note_as(tolerance, problem, &name, None, &error)?);
        }
        let path = source.relative.as_deref().filter(|_| is_alone).unwrap_or(&source.path);
        let id = path.display().to_string();
        size += bytes.len();
        progress(bytes.len() as u64);
        batch.push(Waiting { path: source.path, id, bytes });
        if size >= BATCH_BYTES {
            size = 0;
            decode_all(&std::mem::take(&mut batch), shingler, tolerance, &mut summary, &mut visit)?;
        }
        Ok(())
    })?;
    decode_all(&batch, shingler, tolerance, &mut summary, &mut visit)?;
    summary.check(tolerance)?;
    Ok(summary)
}

fn decode_all<E: From<Error>>(
    batch: &[Waiting],
    shingler: &Shingler,
    tolerance: &Tolerance,
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
                summary.note_as(tolerance, problem, &name_of(&waiting.path), None, &detail)?;
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
