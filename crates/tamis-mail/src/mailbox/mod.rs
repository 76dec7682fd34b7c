//! Where messages are kept: files, mbox files, Maildirs, folders of them, and standard input.
//!
//! - `walk`: the files below a path.
//! - `content`: whether a file is mail.
//! - `mbox`: the messages of an mbox file; any other file is one message.
//! - [`folders`]: folders with a special use, such as Trash and Junk.
//! - `report`: what was left out.
//! - [`tree`]: all folders of a person's mail, with what each of them teaches.
//!
//! [`for_each_message`] stops at the first file that cannot be read. [`read`] counts it in its
//! [`Report`] and goes on; it also counts what it skips: files that are not mail, empty files,
//! pipes, sockets and devices, and the folders that its [`Options`] leave out.
//!
//! One message is in memory at a time, and no more than [`MAX_MESSAGE`] bytes of it.

mod content;
pub mod folders;
mod mbox;
mod report;
pub mod tree;
mod walk;

pub use content::{EMPTY, is_empty};
pub use report::{NAMED, Report, Tally};
pub(crate) use walk::size_of;
use walk::{is_hidden, is_maildir};

use crate::Error;
use content::Content;
use folders::Left;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use walk::{Found, Walk};

/// Maximum number of bytes of a message that are read; the rest of it is skipped.
pub const MAX_MESSAGE: usize = 64 << 20;

/// The name of standard input among paths.
pub const STANDARD_INPUT: &str = "-";

/// Number of bytes of a file or a line that are read at once; most messages are shorter.
const PIECE: u64 = 1 << 16;

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    path: &'a Path,
    number: Option<u64>,
}

impl<'a> Source<'a> {
    /// The file; `-` for standard input.
    #[must_use]
    pub const fn path(&self) -> &'a Path {
        self.path
    }

    /// Which message of an mbox it is, from 1.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", name_of(self.path).display())?;
        self.number.map_or(Ok(()), |number| write!(f, ":{number}"))
    }
}

/// What is read, and what is left out.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Folders and mbox files below the named paths that are left out by their names.
    pub left_out: Left,
    /// Files and folders below the named paths that are left out: absolute paths without links.
    pub excluded: HashSet<PathBuf>,
    /// Take every named file for a message, even an empty one or one that does not look like mail.
    pub any_named: bool,
    /// Stop at the first file or folder that cannot be read.
    pub is_strict: bool,
}

impl Options {
    /// To judge messages: a named file is a message, and what cannot be read is counted.
    #[must_use]
    pub fn judging() -> Self {
        Self { any_named: true, ..Self::default() }
    }

    fn failed<E: From<Error>>(
        &self,
        report: &mut Report,
        path: &Path,
        source: io::Error,
    ) -> Result<(), E> {
        let name = name_of(path).to_owned();
        if self.is_strict {
            return Err(Error::Read { name, source }.into());
        }
        report.cannot_read(&name, &source);
        Ok(())
    }
}

/// Calls `visit` with each message of these paths, in their order.
///
/// # Errors
/// [`Error::Read`] with the name of the first file or folder that cannot be read, or the error of
/// `visit`; nothing more is read then.
pub fn for_each_message<E: From<Error>>(
    paths: &[PathBuf],
    visit: impl FnMut(Source<'_>, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let options = Options { is_strict: true, ..Options::judging() };
    read(paths, &options, visit).map(drop)
}

/// Calls `visit` with each message of these paths, in their order, and reports what was left out.
///
/// # Errors
/// The error of `visit`; with [`Options::is_strict`] also [`Error::Read`]. Nothing more is read then.
pub fn read<E: From<Error>>(
    paths: &[PathBuf],
    options: &Options,
    mut visit: impl FnMut(Source<'_>, &[u8]) -> Result<(), E>,
) -> Result<Report, E> {
    let mut report = Report::default();
    let mut reader = Reader { options, visit: &mut visit, message: Vec::new() };
    let mut visit = |report: &mut Report, found: Found<'_>| reader.file(report, found);
    let mut walk = Walk { options, report: &mut report, visit: &mut visit };
    paths.iter().try_for_each(|path| walk.path(path))?;
    Ok(report)
}

/// The name of a path in a sentence.
fn name_of(path: &Path) -> &Path {
    if path == Path::new(STANDARD_INPUT) { Path::new("standard input") } else { path }
}

/// Receives the messages.
type Visit<'a, E> = dyn FnMut(Source<'_>, &[u8]) -> Result<(), E> + 'a;

struct Reader<'a, E> {
    options: &'a Options,
    visit: &'a mut Visit<'a, E>,
    /// The message that is read.
    message: Vec<u8>,
}

impl<E: From<Error>> Reader<'_, E> {
    fn file(&mut self, report: &mut Report, found: Found<'_>) -> Result<(), E> {
        let read = if found.path == Path::new(STANDARD_INPUT) {
            let mut input = io::stdin().lock();
            let read = self.stream(report, found, &mut input)?;
            // The writer is not cut off.
            read.and_then(|()| io::copy(&mut input, &mut io::sink()).map(drop))
        } else {
            match File::open(found.path) {
                Ok(mut file) => self.stream(report, found, &mut file)?,
                Err(error) => Err(error),
            }
        };
        read.or_else(|error| self.options.failed(report, found.path, error))
    }

    /// Visits the messages of a file. The outer result has the error of the visitor, the inner one
    /// the error of `input`.
    fn stream(
        &mut self,
        report: &mut Report,
        found: Found<'_>,
        input: &mut dyn Read,
    ) -> Result<io::Result<()>, E> {
        self.message.clear();
        self.message.shrink_to(1 << 20);
        let mut start = (&mut *input).take(PIECE);
        if let Err(error) = start.read_to_end(&mut self.message) {
            return Ok(Err(error));
        }
        let Found { path, is_named } = found;
        let is_any = is_named && self.options.any_named;
        let is_whole = self.message.len() < PIECE as usize;
        match Content::of(path, &self.message) {
            Content::Empty if !is_any && is_whole => report::add(&mut report.empty, name_of(path)),
            Content::Other if !is_any => report::add(&mut report.not_mail, name_of(path)),
            _ if is_mbox(&self.message) => {
                let is_left_out = path.file_name().is_some_and(|n| self.options.left_out.out(n));
                if !is_named && is_left_out {
                    report::add(&mut report.folders, path);
                    return Ok(Ok(()));
                }
                return self.mbox(report, path, input);
            }
            _ => {
                let room = (MAX_MESSAGE - self.message.len()) as u64;
                if !is_whole && let Err(error) = input.take(room).read_to_end(&mut self.message) {
                    return Ok(Err(error));
                }
                (self.visit)(Source { path, number: None }, &self.message)?;
            }
        }
        Ok(Ok(()))
    }

    /// Visits the messages of an mbox whose start was read.
    fn mbox(
        &mut self,
        report: &mut Report,
        path: &Path,
        input: &mut dyn Read,
    ) -> Result<io::Result<()>, E> {
        let start = std::mem::take(&mut self.message);
        let separator = crate::headers::line_end(&start) as u64;
        let mut start = Cursor::new(start);
        start.set_position(separator);
        let mut input = start.chain(BufReader::with_capacity(PIECE as usize, input));
        let (options, visit) = (self.options, &mut self.visit);
        mbox::split(&mut input, &mut self.message, |number, message| {
            let source = Source { path, number: Some(number) };
            if is_empty(message) && !options.any_named {
                report.empty.add(|| source.to_string());
                return Ok(());
            }
            visit(source, message)
        })
    }
}

fn is_mbox(start: &[u8]) -> bool {
    mbox::is_separator(&start[..crate::headers::line_end(start)])
}

#[cfg(test)]
mod tests;
