//! Where messages are kept: files, mbox files, Maildirs, folders of them, and standard input.
//!
//! | a path | its messages |
//! |---|---|
//! | a file that starts with an mbox separator | those between the separators; `>From ` at the start of a line loses one `>` |
//! | any other file | one, or none if the file is empty |
//! | a folder with `cur` and `new`: a Maildir | the files of both, and the Maildirs inside of it, whose names may begin with a dot |
//! | any other folder | the files and folders inside of it by name, but for hidden ones |
//! | `-` | standard input, as a file |
//!
//! A separator is a line `From `, sender, date with month, time and year, which is the first line or stands behind an
//! empty one. Links to files are followed, links to folders only if they are named themselves. What is neither file nor
//! folder (a socket, a pipe) is read only if it is named itself.
//!
//! One message is in memory at a time, and no more than [`MAX_MESSAGE`] bytes of it.

use crate::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// The most of a message that is read, in bytes; the rest of it is passed over.
pub const MAX_MESSAGE: usize = 64 << 20;

/// A longer line is no separator.
const LONGEST_SEPARATOR: usize = 1000;

/// How much of a file or a line is read at once; most messages are shorter.
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

/// Calls `visit` with each message of these paths, in their order.
///
/// # Errors
/// [`Error::Read`] with the name of the first file or folder that cannot be read, or what `visit` says; nothing more
/// is read then.
pub fn for_each_message<E: From<Error>>(
    paths: &[PathBuf],
    mut visit: impl FnMut(Source<'_>, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = Reader { visit: &mut visit, message: Vec::new() };
    paths.iter().try_for_each(|path| reader.path(path))
}

/// What a path is called in a sentence.
fn name_of(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("standard input") } else { path }
}

/// The refusal to read this path.
fn failed<E: From<Error>>(path: &Path) -> impl Fn(io::Error) -> E + '_ {
    |source| Error::Read { name: name_of(path).to_owned(), source }.into()
}

/// What is done with each message.
type Visit<'a, E> = dyn FnMut(Source<'_>, &[u8]) -> Result<(), E> + 'a;

struct Reader<'a, E> {
    visit: &'a mut Visit<'a, E>,
    /// The message that is read, and what was read behind it.
    message: Vec<u8>,
}

impl<E: From<Error>> Reader<'_, E> {
    fn path(&mut self, path: &Path) -> Result<(), E> {
        if path == Path::new("-") {
            let mut input = io::stdin().lock();
            self.stream(path, &mut input)?;
            // Whoever writes to us is not cut off.
            io::copy(&mut input, &mut io::sink()).map_err(failed(path))?;
            return Ok(());
        }
        if fs::metadata(path).map_err(failed(path))?.is_dir() {
            self.folder(path)
        } else {
            self.file(path)
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), E> {
        let mut file = File::open(path).map_err(failed(path))?;
        self.message.clear();
        self.message.shrink_to(1 << 20);
        let mut start = (&mut file).take(PIECE);
        start.read_to_end(&mut self.message).map_err(failed(path))?;
        let is_whole = self.message.len() < PIECE as usize;
        if is_whole && !self.message.starts_with(b"From ") {
            return self.one(path);
        }
        let start = Cursor::new(std::mem::take(&mut self.message));
        self.stream(path, &mut start.chain(BufReader::with_capacity(PIECE as usize, file)))
    }

    fn folder(&mut self, folder: &Path) -> Result<(), E> {
        let is_maildir = is_maildir(folder);
        if is_maildir {
            self.files(&folder.join("cur"))?;
            self.files(&folder.join("new"))?;
        }
        for (path, is_folder) in entries(folder)? {
            match (is_maildir, is_folder) {
                // What else is in a Maildir belongs to the program that keeps it.
                (true, true) if self::is_maildir(&path) => self.folder(&path)?,
                (true, _) => {}
                (false, _) if is_hidden(&path) => {}
                (false, true) => self.folder(&path)?,
                (false, false) => self.file(&path)?,
            }
        }
        Ok(())
    }

    /// The files of a folder, and not what is deeper.
    fn files(&mut self, folder: &Path) -> Result<(), E> {
        for (path, is_folder) in entries(folder)? {
            if !is_folder && !is_hidden(&path) {
                self.file(&path)?;
            }
        }
        Ok(())
    }

    /// The messages of a stream.
    fn stream(&mut self, path: &Path, input: &mut dyn BufRead) -> Result<(), E> {
        self.message.clear();
        self.message.shrink_to(1 << 20);
        let mut start = (&mut *input).take(LONGEST_SEPARATOR as u64);
        start.read_until(b'\n', &mut self.message).map_err(failed(path))?;
        if is_separator(&self.message) {
            return self.mbox(path, input);
        }
        let room = (MAX_MESSAGE - self.message.len()) as u64;
        input.take(room).read_to_end(&mut self.message).map_err(failed(path))?;
        self.one(path)
    }

    /// What was read is one message, or none if it is empty.
    fn one(&mut self, path: &Path) -> Result<(), E> {
        if self.message.is_empty() {
            return Ok(());
        }
        (self.visit)(Source { path, number: None }, &self.message)
    }

    /// The messages of an mbox whose first separator was read.
    fn mbox(&mut self, path: &Path, input: &mut dyn BufRead) -> Result<(), E> {
        let message = &mut self.message;
        message.clear();
        let mut number = 1;
        // Where the message ends, without the empty line behind it.
        let mut end = 0;
        let (mut starts_line, mut after_empty) = (true, true);
        loop {
            let start = message.len();
            let mut piece = (&mut *input).take(PIECE);
            let length = piece.read_until(b'\n', message).map_err(failed(path))?;
            let line = &message[start..];
            let separates = starts_line && after_empty && is_separator(line);
            if separates || length == 0 {
                (self.visit)(Source { path, number: Some(number) }, &message[..end])?;
                message.clear();
                message.shrink_to(1 << 20);
                if length == 0 {
                    return Ok(());
                }
                number += 1;
                (end, starts_line, after_empty) = (0, true, true);
                continue;
            }
            after_empty = starts_line && matches!(line, b"\n" | b"\r\n");
            let is_escaped = starts_line && is_escaped(line);
            starts_line = line.ends_with(b"\n");
            if is_escaped {
                message.remove(start);
            }
            message.truncate(MAX_MESSAGE);
            end = if after_empty { start } else { message.len() };
        }
    }
}

/// What is in a folder by name, and whether it is a folder.
fn entries<E: From<Error>>(folder: &Path) -> Result<Vec<(PathBuf, bool)>, E> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let path = entry.path();
        let mut kind = entry.file_type().map_err(failed(&path))?;
        if kind.is_symlink() && !is_hidden(&path) {
            kind = fs::metadata(&path).map_err(failed(&path))?.file_type();
            // It may lead back to where we came from.
            if kind.is_dir() {
                continue;
            }
        }
        if kind.is_dir() || kind.is_file() {
            entries.push((path, kind.is_dir()));
        }
    }
    // All have the same folder, whose parts need not be compared one by one.
    entries.sort_unstable_by(|(left, _), (right, _)| left.as_os_str().cmp(right.as_os_str()));
    Ok(entries)
}

fn is_maildir(folder: &Path) -> bool {
    folder.join("cur").is_dir() && folder.join("new").is_dir()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether a line has one `>` too many.
fn is_escaped(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'>').count();
    marks > 0 && line[marks..].starts_with(b"From ")
}

/// Whether a line separates messages: `From anne@example.org Mon Jan  1 12:00:00 2001`.
fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    if line.len() > LONGEST_SEPARATOR {
        return false;
    }
    let (mut month, mut time, mut year) = (false, false, false);
    for word in rest.split(u8::is_ascii_whitespace) {
        month |= MONTHS.contains(&word);
        time |= is_time(word);
        year |= word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    }
    month && time && year
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// `9:05`, `09:05` or `09:05:30`.
fn is_time(word: &[u8]) -> bool {
    let mut parts = 0;
    word.split(|byte| *byte == b':').all(|part| {
        parts += 1;
        matches!(part.len(), 1 | 2) && part.iter().all(u8::is_ascii_digit)
    }) && matches!(parts, 2 | 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEPARATOR: &str = "From anne@example.org Mon Jan  1 12:00:00 2001\n";

    /// Every message with its place under a folder.
    fn all(folder: &Path, paths: &[PathBuf]) -> crate::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for_each_message(paths, |source, message| -> crate::Result<()> {
            let name = source.to_string();
            let name = name.trim_start_matches(&format!("{}/", folder.display())).to_owned();
            found.push((name, String::from_utf8_lossy(message).into_owned()));
            Ok(())
        })?;
        Ok(found)
    }

    fn of_file(content: &str) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, content).unwrap();
        all(folder.path(), &[path]).unwrap()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_file_is_a_message() {
        assert_eq!(of_file("Subject: a\n\nb\n"), pairs(&[("f", "Subject: a\n\nb\n")]));
        assert_eq!(of_file("From here on\n\nFrom\n"), pairs(&[("f", "From here on\n\nFrom\n")]));
        assert!(of_file("").is_empty());
    }

    #[test]
    fn an_mbox_is_cut_at_its_separators() {
        let mbox = format!(
            "{SEPARATOR}Subject: 1\n\nFrom here\n>From there\n>>From x\n> From y\n\n{SEPARATOR}Subject: 2\n\n\
             {SEPARATOR}{SEPARATOR}Subject: 4\r\n\r\nend\n{SEPARATOR}no cut"
        );
        let expected = [
            ("f:1", "Subject: 1\n\nFrom here\nFrom there\n>From x\n> From y\n".to_owned()),
            ("f:2", "Subject: 2\n".to_owned()),
            ("f:3", String::new()),
            ("f:4", format!("Subject: 4\r\n\r\nend\n{SEPARATOR}no cut")),
        ];
        let expected: Vec<(&str, &str)> = expected.iter().map(|(a, b)| (*a, b.as_str())).collect();
        assert_eq!(of_file(&mbox), pairs(&expected));
        let windows = mbox.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(of_file(&windows)[1].1, "Subject: 2\r\n");
        assert_eq!(of_file(SEPARATOR), pairs(&[("f:1", "")]));
    }

    #[test]
    fn separators_have_a_month_a_time_and_a_year() {
        for line in [
            "From MAILER-DAEMON Thu Nov 16 3:05 2023\n",
            "From - Mon, 01 Jan 2001 12:00:00 +0000\r\n",
            "From \"a b\"@c Sat Feb 29 23:59:59 UTC 2020",
        ] {
            assert!(is_separator(line.as_bytes()), "{line}");
        }
        for line in [
            "From: anne@example.org",
            "From May 2001 to Jun 2002",
            " From a Mon Jan 1 12:00 2001",
            "From a Mon Jan 1 1:2:3:4 2001",
            "From 12:00 Jan 20011",
        ] {
            assert!(!is_separator(line.as_bytes()), "{line}");
        }
        let long = format!("{}{}", SEPARATOR.trim_end(), " x".repeat(600));
        assert!(!is_separator(long.as_bytes()));
    }

    #[test]
    fn lines_longer_than_a_piece_stay_whole() {
        let line = ">From ".repeat(50_000);
        let mbox = format!("{SEPARATOR}{line}\n\n{SEPARATOR}{line}");
        let unescaped = &line[1..];
        assert_eq!(
            of_file(&mbox),
            pairs(&[("f:1", &format!("{unescaped}\n")), ("f:2", unescaped)])
        );
    }

    #[test]
    fn the_rest_of_a_long_message_is_passed_over() {
        let long = vec![b'x'; MAX_MESSAGE + 100_000];
        let mut mbox = Vec::from(SEPARATOR);
        mbox.extend_from_slice(&long);
        mbox.extend_from_slice(b"\n\n");
        mbox.extend_from_slice(SEPARATOR.as_bytes());
        mbox.extend_from_slice(b"short");
        let mut lengths = Vec::new();
        let mut visit = |_: Source<'_>, message: &[u8]| -> crate::Result<()> {
            lengths.push(message.len());
            Ok(())
        };
        let mut reader = Reader { visit: &mut visit, message: Vec::new() };
        reader.stream(Path::new("f"), &mut &mbox[..]).unwrap();
        reader.stream(Path::new("f"), &mut &long[..]).unwrap();
        assert!(reader.message.capacity() <= 2 * MAX_MESSAGE + PIECE as usize);
        assert_eq!(lengths, [MAX_MESSAGE, 5, MAX_MESSAGE]);
    }

    #[test]
    fn folders_are_read_by_name_and_maildirs_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let mbox = format!("{SEPARATOR}1\n\n{SEPARATOR}2\n");
        for (name, content) in [
            ("b/2", "two"),
            ("b/1", "one"),
            ("a", "first"),
            ("box", &mbox),
            (".hidden", "no"),
            (".git/x", "no"),
            ("mail/cur/1:2,S", "seen"),
            ("mail/new/2", "unseen"),
            ("mail/new/.lock", "no"),
            ("mail/tmp/3", "no"),
            ("mail/index", "no"),
            ("mail/other/file", "no"),
            ("mail/.Sent/cur/4", "sent"),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        fs::create_dir(folder.path().join("mail/.Sent/new")).unwrap();
        let expected = [
            ("a", "first"),
            ("b/1", "one"),
            ("b/2", "two"),
            ("box:1", "1\n"),
            ("box:2", "2\n"),
            ("mail/cur/1:2,S", "seen"),
            ("mail/new/2", "unseen"),
            ("mail/.Sent/cur/4", "sent"),
        ];
        let found = all(folder.path(), &[folder.path().to_owned()]).unwrap();
        assert_eq!(found, pairs(&expected));
        let twice = [folder.path().join("b"), folder.path().join("a")];
        assert_eq!(all(folder.path(), &twice).unwrap().len(), 3);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let Err(Error::Read { name, .. }) = all(folder.path(), std::slice::from_ref(&missing))
        else {
            panic!("a missing file was read");
        };
        assert_eq!(name, missing);
        assert_eq!(
            Source { path: Path::new("-"), number: Some(3) }.to_string(),
            "standard input:3"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nothing_is_an_error_and_one_to_a_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        };
        fs::write(folder.path().join("a"), "text").unwrap();
        link(folder.path(), "circle");
        link(&folder.path().join("a"), "linked");
        let found = all(folder.path(), &[folder.path().to_owned()]).unwrap();
        assert_eq!(found, pairs(&[("a", "text"), ("linked", "text")]));
        link(Path::new("nothing"), "broken");
        let Err(Error::Read { name, .. }) = all(folder.path(), &[folder.path().to_owned()]) else {
            panic!("a broken link was read");
        };
        assert_eq!(name, folder.path().join("broken"));
    }

    #[test]
    fn whoever_visits_can_stop() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        fs::write(folder.path().join("b"), "2").unwrap();
        let mut seen = 0;
        let stopped = for_each_message(&[folder.path().to_owned()], |_, _| {
            seen += 1;
            Err(Error::Threshold { got: 0.0 })
        });
        assert!(stopped.is_err());
        assert_eq!(seen, 1);
    }
}
