//! Pictures of folders: PNG and JPEG, decoded one at a time.
//!
//! What is no picture is skipped and counted, or refused when reading is strict. A picture that
//! unpacks to more than [`MAX_PIXELS`] is not unpacked.

use crate::documents::{Format, Problem, Summary, for_each_source};
use crate::files::name_of;
use crate::{Error, Result};
use image::{ImageReader, Limits};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use tamis::similar::shingle::Picture;

/// The most pixels of a picture: 100 million.
pub const MAX_PIXELS: u64 = 100_000_000;

/// A picture with its name: the path within the folder, or as it was given.
#[derive(Debug)]
pub struct Named<'a> {
    /// Its name.
    pub id: &'a str,
    /// The file, as it is.
    pub bytes: &'a [u8],
    /// How many bytes of all inputs are read.
    pub position: u64,
}

/// Calls `visit` with each file of these inputs, not yet decoded; see [`decode`].
///
/// # Errors
/// [`Error::Read`] for an input that is not there, [`Error::Broken`] when reading is strict, or what
/// `visit` says.
pub fn for_each_picture<E: From<Error>>(
    inputs: &[PathBuf],
    strict: bool,
    mut visit: impl FnMut(Named<'_>) -> Result<(), E>,
) -> Result<Summary, E> {
    let mut summary = Summary::default();
    let is_alone = inputs.len() <= 1;
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
        summary.bytes += bytes.len() as u64;
        summary.documents += 1;
        visit(Named { id: &id, bytes: &bytes, position: summary.bytes })
    })?;
    Ok(summary)
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
