//! The folder of filters, indexes and cascades that clients may ask by name.

use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tamis::cascade::Cascade;
use tamis::codec::{File, Kind};
use tamis::filter::{AnyFilter, Mapped, Stored};
use tamis::similar::index::Index;
use tamis_corpus::files::{Bytes, map, write_atomically};
use tamis_corpus::lock::Lock;

/// The most files that are listed.
const MOST: usize = 1000;

/// The longest time that a request waits for another process that changes the same file.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its kind in words.
    pub kind: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Filters of any kind.
    Filter,
    /// Indexes of documents.
    Index,
    /// Cascades.
    Cascade,
}

impl Sort {
    const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Index => Some(Self::Index),
            Kind::Cascade => Some(Self::Cascade),
            Kind::Mail => None,
            _ => Some(Self::Filter),
        }
    }

    const fn described(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Index => "index",
            Self::Cascade => "cascade",
        }
    }
}

/// The folder.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
}

impl Files {
    /// This folder, which need not be there.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The files of a sort, by name.
    #[must_use]
    pub fn list(&self, sort: Sort) -> BTreeMap<String, Listed> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let listed = |name: String| {
            let path = self.path(&name, sort).ok()?;
            let bytes = map(&path).ok()?;
            let kind = File::open(bytes.as_ref()).ok()?.kind();
            let size = bytes.as_ref().len() as u64;
            let listed = Listed { kind: kind.name(), bytes: size };
            (Sort::of(kind) == Some(sort)).then_some((name, listed))
        };
        named.filter_map(listed).take(MOST).collect()
    }

    /// The path of a file, if a name is one and the file is there.
    fn path(&self, name: &str, sort: Sort) -> Result<PathBuf> {
        let missing =
            || Error::NoFile { what: format!("there is no {} {name:?}", sort.described()) };
        let one_name = Path::new(name).file_name().is_some_and(|part| part == name);
        if !one_name || name.starts_with('.') || name.contains('\0') {
            return Err(missing());
        }
        let path = self.folder.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(read) if read.is_file() => Ok(path),
            _ => Err(missing()),
        }
    }

    fn open(&self, name: &str, sort: Sort) -> Result<Bytes> {
        let bytes = map(&self.path(name, sort)?)?;
        let kind = File::open(bytes.as_ref())?.kind();
        if Sort::of(kind) != Some(sort) {
            let what = format!("{name:?} is no {} but {}", sort.described(), kind.described());
            return Err(Error::NoFile { what });
        }
        Ok(bytes)
    }

    /// A filter, and the size of its file.
    ///
    /// # Errors
    /// [`Error::NoFile`], or what is wrong with it.
    pub fn filter(&self, name: &str) -> Result<(AnyFilter<Mapped<Bytes>>, u64)> {
        let bytes = self.open(name, Sort::Filter)?;
        let size = bytes.as_ref().len() as u64;
        Ok((AnyFilter::in_place(bytes)?, size))
    }

    /// Changes a filter; its file is replaced as a whole before this returns.
    ///
    /// # Errors
    /// As [`Self::filter`], or what `change` says; the file is untouched then.
    pub fn change<T>(
        &self,
        name: &str,
        change: impl FnOnce(&mut AnyFilter) -> Result<T>,
    ) -> Result<T> {
        let path = self.path(name, Sort::Filter)?;
        let _lock = Lock::within(&path, LONGEST_WAIT)?;
        let bytes = self.open(name, Sort::Filter)?;
        File::open(bytes.as_ref())?.verify()?;
        let mut filter = AnyFilter::in_place(bytes)?.to_owned()?;
        let changed = change(&mut filter)?;
        write_atomically(&path, |out| filter.write(out).map_err(Error::from))?;
        Ok(changed)
    }

    /// An index.
    ///
    /// # Errors
    /// As [`Self::filter`].
    pub fn index(&self, name: &str) -> Result<Index<Mapped<Bytes>>> {
        Ok(Index::in_place(self.open(name, Sort::Index)?)?)
    }

    /// A cascade.
    ///
    /// # Errors
    /// As [`Self::filter`].
    pub fn cascade(&self, name: &str) -> Result<Cascade<Mapped<Bytes>>> {
        Ok(Cascade::in_place(self.open(name, Sort::Cascade)?)?)
    }
}
