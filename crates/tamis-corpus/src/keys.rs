//! Keys of files and streams: one per line, or separated by NUL.
//!
//! A line ends with LF or CR LF, and the end belongs to no key, so that lists from any system
//! hold the same keys. Between NULs every byte counts. An empty line is the empty key; what
//! follows the last separator is a key if it is not empty. Bytes are taken as they are, in
//! whatever encoding.

use crate::blocks::{Stretch, for_each_stretch, records};
use crate::files::name_of;
use crate::{Error, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest key that is read: 16 MiB.
pub const MAX_KEY: usize = 1 << 24;

/// What ends a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// LF, or CR LF.
    Line,
    /// NUL.
    Null,
}

impl Separator {
    /// The byte that ends a key.
    #[must_use]
    pub const fn byte(self) -> u8 {
        match self {
            Self::Line => b'\n',
            Self::Null => 0,
        }
    }

    #[inline]
    fn trim(self, key: &[u8]) -> &[u8] {
        match (self, key) {
            (Self::Line, [start @ .., b'\r']) => start,
            _ => key,
        }
    }
}

/// A stretch of whole keys of one file.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    bytes: &'a [u8],
    separator: Separator,
}

impl<'a> Block<'a> {
    /// The keys, in order.
    pub fn keys(self) -> impl Iterator<Item = &'a [u8]> {
        let separator = self.separator;
        records(self.bytes, separator.byte()).map(move |record| {
            separator.trim(record.strip_suffix(&[separator.byte()]).unwrap_or(record))
        })
    }

    /// How many bytes it takes in its file.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// Calls `visit` with each block of keys of these files, in their order; no file or `-` is
/// standard input. Memory does not depend on the size of the input.
///
/// # Errors
/// [`Error::Read`] and [`Error::Endless`] with the file's name, or what `visit` says.
pub fn for_each_block<E: From<Error>>(
    paths: &[PathBuf],
    separator: Separator,
    mut visit: impl FnMut(Block<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let standard_input = [PathBuf::from("-")];
    for path in if paths.is_empty() { &standard_input } else { paths } {
        let mut source = open(path)?;
        for_each_block_of(&mut source, path, separator, &mut visit)?;
    }
    Ok(())
}

/// Opens a file for reading; `-` is standard input.
///
/// # Errors
/// [`Error::Read`] with the file's name.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|source| Error::Read { name: path.to_owned(), source })?;
    Ok(Box::new(file))
}

fn for_each_block_of<E: From<Error>>(
    source: &mut dyn Read,
    path: &Path,
    separator: Separator,
    visit: &mut impl FnMut(Block<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut keys = 0;
    for_each_stretch(source, path, separator.byte(), MAX_KEY, &mut |stretch| match stretch {
        Stretch::Whole(bytes) => {
            keys += memchr::memchr_iter(separator.byte(), bytes).count() as u64;
            visit(Block { bytes, separator })
        }
        Stretch::Part { .. } => {
            Err(Error::Endless { name: name_of(path), number: keys + 1, limit: MAX_KEY }.into())
        }
    })
}

/// How many keys these files have, or `None` if one of them can be read only once.
///
/// # Errors
/// As [`for_each_block`].
pub fn count(
    paths: &[PathBuf],
    separator: Separator,
    mut progress: impl FnMut(usize),
) -> Result<Option<u64>> {
    let regular = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|data| data.is_file());
    if paths.is_empty() || paths.iter().any(|path| path == Path::new("-")) {
        return Ok(None);
    }
    if !paths.iter().all(|path| regular(path) || !path.exists()) {
        return Ok(None);
    }
    let mut keys = 0;
    for_each_block(paths, separator, |block| -> Result<()> {
        let ends = memchr::memchr_iter(separator.byte(), block.bytes).count();
        let open = block.bytes.last().is_some_and(|&byte| byte != separator.byte());
        keys += ends as u64 + u64::from(open);
        progress(block.size());
        Ok(())
    })?;
    Ok(Some(keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Pieces;

    fn keys(bytes: &[u8], size: usize, separator: Separator) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        for_each_block_of(
            &mut Pieces(bytes, size),
            Path::new("f"),
            separator,
            &mut |block| -> Result<()> {
                keys.extend(block.keys().map(<[u8]>::to_vec));
                Ok(())
            },
        )
        .unwrap();
        keys
    }

    #[test]
    fn lines_are_the_same_however_they_arrive_and_end() {
        let expected: Vec<&[u8]> = vec![b"one", b"", b"two\rthree", b"\xFF\0", b"last"];
        for text in
            [&b"one\n\ntwo\rthree\n\xFF\0\nlast"[..], b"one\r\n\r\ntwo\rthree\r\n\xFF\0\r\nlast\n"]
        {
            for size in 1..=text.len() {
                assert_eq!(keys(text, size, Separator::Line), expected, "pieces of {size}");
            }
        }
    }

    #[test]
    fn between_nulls_every_byte_counts() {
        assert_eq!(keys(b"a\r\0b\n\0\0c", 3, Separator::Null), [&b"a\r"[..], b"b\n", b"", b"c"]);
    }

    #[test]
    fn nothing_has_no_key() {
        assert!(keys(b"", 1, Separator::Line).is_empty());
    }

    #[test]
    fn an_endless_line_is_refused_by_name_and_number() {
        let mut source = io::Read::chain(&b"first\n"[..], io::repeat(b'x'));
        let refused = for_each_block_of(
            &mut source,
            Path::new("endless"),
            Separator::Line,
            &mut |_| -> Result<()> { Ok(()) },
        );
        let sentence = refused.unwrap_err().to_string();
        assert!(sentence.starts_with("endless: key 2 is longer"), "{sentence}");
        assert!(sentence.contains("16 MiB"), "{sentence}");
    }
}
