//! The file of tables and its header, in any version.

use super::{private, seed};
use crate::{Error, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::codec::{self, Fields, Kind, Parameters};
use tamis_corpus::files::PrivateCopy;

/// The name of the file in its store.
pub(super) const NAME: &str = "tables.tamis";

/// The version in which the seed has a file of its own.
const APART: u16 = 3;

/// The parameters of the header, the same in versions 1 and 2; in version 3 the check of the seed follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Description {
    pub bits: u32,
    pub features: u16,
    /// Labels that have a table: in version 1 all but `ham`, later all but `ham` and `spam`.
    pub labels: u16,
    pub generation: u64,
    /// The tables hold what the journal says up to here.
    pub journal: u64,
    pub rows: u64,
    pub neighbours: u64,
    /// Bytes of the settings, with which the content begins.
    pub small: u64,
}

impl Description {
    pub fn write(self, seed: u64) -> Parameters {
        Parameters::new()
            .u32(self.bits)
            .u16(self.features)
            .u16(self.labels)
            .u64(self.generation)
            .u64(self.journal)
            .u64(self.rows)
            .u64(self.neighbours)
            .u64(self.small)
            .u64(seed::check(seed))
    }

    /// With the check of the seed, if there is one.
    fn read(mut fields: Fields<'_>, version: u16) -> tamis::Result<(Self, Option<u64>)> {
        let read = Self {
            bits: fields.u32()?,
            features: fields.u16()?,
            labels: fields.u16()?,
            generation: fields.u64()?,
            journal: fields.u64()?,
            rows: fields.u64()?,
            neighbours: fields.u64()?,
            small: fields.u64()?,
        };
        let check = if version >= APART { Some(fields.u64()?) } else { None };
        fields.finish()?;
        Ok((read, check))
    }
}

/// A file of tables that is open; its header is sound.
#[derive(Debug)]
pub(super) struct Tables {
    pub path: PathBuf,
    pub file: File,
    pub bytes: Arc<PrivateCopy>,
    pub version: u16,
    pub seed: u64,
    pub content_start: usize,
    pub described: Description,
}

impl Tables {
    /// Opens the tables of a store.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let file = match private::open(&path) {
            Err(Error::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoStore { name: folder.to_owned(), file: NAME });
            }
            opened => opened?,
        };
        let damaged = |what| Error::Damaged { name: path.clone(), at: 0, what };
        let is_empty = file.metadata().map_or(0, |metadata| metadata.len()) == 0;
        if is_empty {
            return Err(damaged("it is empty"));
        }
        let bytes = Arc::new(PrivateCopy::of(&file, &path)?);
        let header = codec::File::open(&bytes).map_err(|source| unsound(&path, source))?;
        if header.kind() != Kind::Mail {
            return Err(damaged("it holds something else than the tables of a mail store"));
        }
        let version = header.version();
        let described = Description::read(header.parameters(), version);
        let (described, check) = described.map_err(|source| unsound(&path, source))?;
        let seed = match check {
            Some(_) => seed::read(folder)?,
            None => header.hash().seed(),
        };
        if check.is_some_and(|check| check != seed::check(seed)) {
            return Err(damaged("the seed file is that of another store"));
        }
        let content_start = header.content_start();
        Ok(Self { path, file, bytes, version, seed, content_start, described })
    }

    /// An error that names the file.
    pub fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged { name: self.path.clone(), at: 0, what }
    }

    /// The settings as JSON; none if they are cut off.
    pub fn small(&self) -> Option<&[u8]> {
        let length = usize::try_from(self.described.small).ok()?;
        self.bytes.get(self.content_start..)?.get(..length)
    }

    /// Compares the checksum of everything.
    pub fn verify(&self) -> Result<()> {
        let sound = codec::File::open(&self.bytes).and_then(|file| file.verify());
        sound.map_err(|source| unsound(&self.path, source))
    }

    /// Number of bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// What is wrong with the file. A file of another program is damage, too: its owner asked for a store.
fn unsound(path: &Path, source: tamis::Error) -> Error {
    let name = path.to_owned();
    match source {
        tamis::Error::NotTamis { .. } => {
            Error::Damaged { name, at: 0, what: "it does not begin like a file of Tamis" }
        }
        source => Error::Unsound { name, source },
    }
}
