//! The files of mail below the paths that a person names.
//!
//! | a path | its files |
//! |---|---|
//! | a Maildir: a folder with `cur` and `new` | the files of both, and the Maildirs below it, whose names may begin with a dot |
//! | any other folder | the files and folders in it by name, except hidden ones |
//! | `-` | standard input |
//!
//! Links to files are followed, links to folders only if they are named themselves. Pipes, sockets
//! and devices are counted and never opened, except those below `/dev` and `/proc` that are named
//! themselves: `/dev/stdin`, or what a shell passes for `<(command)`.

use super::report::add;
use super::{Options, Report, STANDARD_INPUT};
use crate::Error;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// A file that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub path: &'a Path,
    /// Whether a person has named it, not a folder above it.
    pub is_named: bool,
}

/// Receives the files.
type Visit<'a, E> = dyn FnMut(&mut Report, Found<'_>) -> Result<(), E> + 'a;

/// A walk over files.
pub(super) struct Walk<'a, E> {
    pub options: &'a Options,
    pub report: &'a mut Report,
    pub visit: &'a mut Visit<'a, E>,
}

impl<E: From<Error>> Walk<'_, E> {
    /// Visits the files of a named path.
    pub(super) fn path(&mut self, path: &Path) -> Result<(), E> {
        if path == Path::new(STANDARD_INPUT) {
            return self.found(path, true);
        }
        let kind = match fs::metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) => return self.failed(path, error),
        };
        if kind.is_dir() {
            let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            return self.folder(path, &real);
        }
        let is_offered = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
        if kind.is_file() || is_offered {
            return self.found(path, true);
        }
        add(&mut self.report.special, path);
        Ok(())
    }

    fn found(&mut self, path: &Path, is_named: bool) -> Result<(), E> {
        (self.visit)(self.report, Found { path, is_named })
    }

    /// Counts what cannot be read, or stops there.
    fn failed(&mut self, path: &Path, error: io::Error) -> Result<(), E> {
        self.options.failed(self.report, path, error)
    }

    /// Visits a folder, whose path without links is `real`.
    fn folder(&mut self, folder: &Path, real: &Path) -> Result<(), E> {
        let is_maildir = is_maildir(folder);
        if is_maildir {
            for part in ["cur", "new"] {
                if !self.options.excluded.contains(&real.join(part)) {
                    self.files(&folder.join(part), &real.join(part))?;
                }
            }
        }
        for Entry { name, kind } in self.entries(folder, real)? {
            let path = folder.join(&name);
            match (is_maildir, kind.is_dir()) {
                // Other files in a Maildir belong to the program that keeps it.
                (true, true) if !self::is_maildir(&path) => {}
                (true, false) => {}
                (false, _) if is_hidden(&name) => {}
                (_, true) if self.options.left_out.out(&name) => {
                    add(&mut self.report.folders, &path);
                }
                (_, true) => self.folder(&path, &real.join(&name))?,
                (_, false) => self.file(&path, kind)?,
            }
        }
        Ok(())
    }

    /// Visits the files of a folder, but not its folders.
    fn files(&mut self, folder: &Path, real: &Path) -> Result<(), E> {
        for Entry { name, kind } in self.entries(folder, real)? {
            if !kind.is_dir() && !is_hidden(&name) {
                self.file(&folder.join(name), kind)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, kind: FileType) -> Result<(), E> {
        if kind.is_file() {
            return self.found(path, false);
        }
        add(&mut self.report.special, path);
        Ok(())
    }

    /// What is in a folder by name, without what is excluded.
    fn entries(&mut self, folder: &Path, real: &Path) -> Result<Vec<Entry>, E> {
        let mut listed = Vec::new();
        match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => {
                listed.extend(entries.into_iter().map(|entry| (entry.file_name(), entry)));
            }
            Err(error) => self.failed(folder, error)?,
        }
        listed.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        let mut entries = Vec::with_capacity(listed.len());
        for (name, entry) in listed {
            match self.kind(&entry, &real.join(&name)) {
                Ok(Some(kind)) => entries.push(Entry { name, kind }),
                Ok(None) => {}
                Err(error) => self.failed(&entry.path(), error)?,
            }
        }
        Ok(entries)
    }

    /// The type of an entry after a link; none for what is not followed or excluded.
    fn kind(&self, entry: &fs::DirEntry, real: &Path) -> io::Result<Option<FileType>> {
        let excluded = &self.options.excluded;
        let kind = entry.file_type()?;
        if !kind.is_symlink() || is_hidden(&entry.file_name()) {
            return Ok((!excluded.contains(real)).then_some(kind));
        }
        let kind = fs::metadata(entry.path())?.file_type();
        // A link to a folder may lead back to where we came from.
        let is_excluded = kind.is_dir()
            || (!excluded.is_empty() && excluded.contains(&fs::canonicalize(entry.path())?));
        Ok((!is_excluded).then_some(kind))
    }
}

struct Entry {
    name: OsString,
    kind: FileType,
}

/// Bytes of the files of these paths; what cannot be read has none.
pub(crate) fn size_of(paths: &[PathBuf], options: &Options) -> u64 {
    let mut size = 0;
    let mut visit = |_: &mut Report, found: Found<'_>| -> Result<(), Error> {
        let is_left_out = || found.path.file_name().is_some_and(|name| options.left_out.out(name));
        if found.is_named || !is_left_out() {
            let metadata = fs::metadata(found.path).ok().filter(fs::Metadata::is_file);
            size += metadata.map_or(0, |metadata| metadata.len());
        }
        Ok(())
    };
    let mut walk = Walk { options, report: &mut Report::default(), visit: &mut visit };
    for path in paths {
        // Reading reports what fails here.
        walk.path(path).ok();
    }
    size
}

/// Whether a folder is a Maildir.
pub(super) fn is_maildir(folder: &Path) -> bool {
    folder.join("cur").is_dir() && folder.join("new").is_dir()
}

/// Whether a name begins with a dot.
pub(super) fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
