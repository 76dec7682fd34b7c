//! Stretches of whole records: what keys and documents are cut from.
//!
//! A buffer grows to hold a record, up to a limit; a record beyond it is handed on in parts, so
//! that memory is bounded by the limit and no byte of the file is missed.

use crate::files::name_of;
use crate::{Error, Result};
use std::io::{self, Read};
use std::path::Path;

/// How much is read at once.
pub(crate) const BLOCK: usize = 1 << 18;

/// A stretch of a file. One after the other, they are the file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stretch<'a> {
    /// Whole records, each with its separator; the last of a file may have none.
    Whole(&'a [u8]),
    /// A part of a record that is longer than the limit, and whether it ends here.
    Part { bytes: &'a [u8], last: bool },
}

/// Calls `visit` with the stretches of a file. Every record of at most `limit` bytes is in a
/// [`Stretch::Whole`], along with longer ones that happen to fit.
///
/// # Errors
/// [`Error::Read`] with the file's name, or what `visit` says.
pub(crate) fn for_each_stretch<E: From<Error>>(
    source: &mut dyn Read,
    path: &Path,
    separator: u8,
    limit: usize,
    visit: &mut impl FnMut(Stretch<'_>) -> Result<(), E>,
) -> Result<(), E> {
    // Room for CR LF behind the longest record.
    let largest = limit.saturating_add(2).max(BLOCK);
    let mut buffer = vec![0; BLOCK];
    let mut filled = 0;
    let mut in_parts = false;
    loop {
        if filled == buffer.len() {
            if in_parts || buffer.len() >= largest {
                in_parts = true;
                visit(Stretch::Part { bytes: &buffer[..filled], last: false })?;
                filled = 0;
            } else {
                buffer.resize((2 * buffer.len()).min(largest), 0);
            }
        }
        let read = match source.read(&mut buffer[filled..]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(Error::Read { name: name_of(path), source }.into()),
        };
        if read == 0 {
            break;
        }
        let mut start = 0;
        let fresh = filled;
        filled += read;
        if in_parts {
            let Some(end) = memchr::memchr(separator, &buffer[fresh..filled]) else { continue };
            start = fresh + end + 1;
            visit(Stretch::Part { bytes: &buffer[..start], last: true })?;
            in_parts = false;
        }
        let unsearched = start.max(fresh);
        if let Some(end) = memchr::memrchr(separator, &buffer[unsearched..filled]) {
            let end = unsearched + end + 1;
            visit(Stretch::Whole(&buffer[start..end]))?;
            start = end;
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
    if in_parts {
        visit(Stretch::Part { bytes: &buffer[..filled], last: true })?;
    } else if filled > 0 {
        visit(Stretch::Whole(&buffer[..filled]))?;
    }
    Ok(())
}

/// The records of a stretch, each with its separator.
pub(crate) fn records(bytes: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    // The last record of a file may have no separator behind it.
    let last = bytes.last().is_some_and(|&byte| byte != separator);
    let ends = memchr::memchr_iter(separator, bytes).map(|end| end + 1);
    ends.chain(last.then_some(bytes.len())).map(move |end| {
        let record = &bytes[start..end];
        start = end;
        record
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_the_file_and_only_long_records_come_in_parts() {
        let limit = 2 * BLOCK;
        let longest = vec![b'x'; limit];
        let longer = vec![b'y'; 3 * limit];
        let file = [b"a\n", &longest[..], b"\r\nb\n", &longer, b"\nc\n", &longer].concat();
        let mut seen = Vec::new();
        let mut parts = 0;
        for_each_stretch(
            &mut &file[..],
            Path::new("f"),
            b'\n',
            limit,
            &mut |stretch| -> Result<()> {
                match stretch {
                    Stretch::Whole(bytes) => {
                        assert!(records(bytes, b'\n').all(|record| !record.starts_with(b"y")));
                        seen.extend_from_slice(bytes);
                    }
                    Stretch::Part { bytes, last } => {
                        assert!(bytes.len() <= limit + 2, "memory is bounded by the limit");
                        parts += u32::from(last);
                        seen.extend_from_slice(bytes);
                    }
                }
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(parts, 2);
        assert!(seen == file);
    }

    #[test]
    fn records_keep_their_separators() {
        let all: Vec<_> = records(b"a\n\nb\r\nc", b'\n').collect();
        assert_eq!(all, [&b"a\n"[..], b"\n", b"b\r\n", b"c"]);
        assert_eq!(records(b"", b'\n').count(), 0);
    }
}
