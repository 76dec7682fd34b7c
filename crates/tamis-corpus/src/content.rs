//! What a file is, by its content: a table of records, text, or nothing that is read.
//!
//! Packing, Parquet, Arrow and archives are known by their first bytes, JSONL by an object on the
//! first line, CSV and TSV by a header that names a wanted column. Text that says nothing else is
//! what its name says, and plain text if that says nothing, too.

use crate::documents::Format;
use crate::files::name_of;
use crate::packing::Packing;
use crate::stream::Stream;
use crate::text::utf16_mark;
use crate::{Error, Result};
use serde::de::IgnoredAny;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// How many bytes of a file are looked at, unpacked.
const HEAD: usize = 1 << 16;

/// How many bytes have every mark of a format.
const MAGIC: usize = 512;

/// What is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing.
    Empty,
    /// Records of a format.
    Records(Format),
    /// Text.
    Plain,
    /// What is not read, by its name in a sentence.
    Refused(&'static str),
}

/// What the first bytes of files that are not read say: an offset, the bytes, and a name.
const REFUSED: [(usize, &[u8], &str); 27] = [
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"PK\x05\x06", "a zip archive"),
    (0, b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (0, b"Rar!\x1A\x07", "a rar archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"\x04\x22\x4D\x18", "packed with lz4"),
    (0, b"LZIP", "packed with lzip"),
    (0, b"\x1F\x9D", "packed with compress"),
    (0, b"\xFF\x06\x00\x00sNaPpY", "packed with snappy"),
    (0, b"\x89LZO", "packed with lzop"),
    (0, b"Obj\x01", "an Avro file"),
    (0, b"ORC", "an ORC file"),
    (0, b"FEA1", "a Feather file of version 1"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"\x89HDF\r\n", "an HDF5 file"),
    (0, b"\x93NUMPY", "a NumPy file"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Office document"),
    (0, b"{\\rtf", "an RTF document"),
    (0, b"\x89PNG\r\n", "a picture"),
    (0, b"\xFF\xD8\xFF", "a picture"),
    (0, b"GIF8", "a picture"),
    (0, b"\x7FELF", "a program"),
    (0, b"MZ\x90", "a program"),
    (0, b"\xCA\xFE\xBA\xBE", "a program"),
    (0, b"\0asm", "a program"),
    (0, b"\x80\x04\x95", "a Python pickle"),
];

/// The first bytes of an Arrow file; a stream of Arrow begins with [`ARROW_STREAM`].
const ARROW_FILE: &[u8] = b"ARROW1";

/// Four bytes that continue a message, and a length below 16 MiB.
fn is_arrow_stream(head: &[u8]) -> bool {
    matches!(head, [0xFF, 0xFF, 0xFF, 0xFF, _, _, _, 0, ..])
}

/// What a file holds. `wanted` are the names of columns that make a first line the header of a
/// table. No more is read than the first line of a text and what packing needs for it.
///
/// # Errors
/// [`Error::Read`] with the name.
pub(crate) fn of_source(
    mut source: Box<dyn Read>,
    name: &Path,
    wanted: &[String],
) -> Result<Content> {
    let failed = |source| Error::Read { name: name_of(name), source };
    let (start, _) = first_line(&mut *source, MAGIC).map_err(failed)?;
    if start.is_empty() {
        return Ok(Content::Empty);
    }
    let packing = Packing::of_bytes(&start);
    if packing.is_none()
        && let Some(content) = of_magic(&start)
    {
        return Ok(content);
    }
    let mut stream = Stream::of(Box::new(Cursor::new(start).chain(source)), name, 1 << 27)?;
    let (head, is_whole) = first_line(&mut stream, HEAD).map_err(failed)?;
    if packing.is_some() {
        match of_magic(&head) {
            Some(Content::Records(_)) => return Ok(Content::Refused("packed as a whole")),
            Some(content) => return Ok(content),
            // What cannot be unpacked is found when it is read.
            None if head.is_empty() => return Ok(by_name(name)),
            None => {}
        }
    }
    if memchr::memchr(0, &head).is_some() {
        return Ok(Content::Refused("a binary file"));
    }
    Ok(of_text(&head, is_whole, name, wanted))
}

/// What a whole document is, unpacked: text, a table of records in the place of a text, or
/// neither.
pub(crate) fn of_document(content: &[u8]) -> Content {
    let start = &content[..content.len().min(HEAD)];
    match of_magic(start) {
        Some(Content::Records(Format::Parquet)) => return Content::Refused("a Parquet file"),
        Some(Content::Records(_)) => return Content::Refused("an Arrow file"),
        Some(other) => return other,
        None => {}
    }
    if utf16_mark(start).is_none() && memchr::memchr(0, start).is_some() {
        return Content::Refused("a binary file");
    }
    let mut lines = start.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let are_objects = lines.next().is_some_and(|line| is_object(line, true))
        && lines.next().is_some_and(|line| is_object(line, start.len() == content.len()));
    if are_objects { Content::Records(Format::Jsonl) } else { Content::Plain }
}

/// Reads up to `limit` bytes, until there is a whole line of text; also whether that is the whole input.
fn first_line(source: &mut dyn Read, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = vec![0; limit];
    let mut filled = 0;
    while filled < limit {
        match source.read(&mut bytes[filled..]) {
            Ok(0) => {
                bytes.truncate(filled);
                return Ok((bytes, true));
            }
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        // Every mark that says how a file is packed is there by then.
        if filled >= 8 && bytes[..filled].trim_ascii_start().contains(&b'\n') {
            break;
        }
    }
    bytes.truncate(filled);
    Ok((bytes, false))
}

/// What the first bytes say, if they say anything.
fn of_magic(start: &[u8]) -> Option<Content> {
    if start.starts_with(b"PAR1") {
        return Some(Content::Records(Format::Parquet));
    }
    if start.starts_with(ARROW_FILE) || is_arrow_stream(start) {
        return Some(Content::Records(Format::Arrow));
    }
    let known = REFUSED.iter().find(|(offset, bytes, _)| {
        start.get(*offset..).is_some_and(|rest| rest.starts_with(bytes))
    });
    known.map(|(_, _, what)| Content::Refused(what))
}

/// What a text is.
fn of_text(head: &[u8], is_whole: bool, name: &Path, wanted: &[String]) -> Content {
    let Some(first) = head.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return if head.is_empty() { Content::Empty } else { by_name(name) };
    };
    let text = &head[first..];
    let (line, is_line) = match memchr::memchr(b'\n', text) {
        Some(end) => (&text[..end], true),
        None => (text, is_whole),
    };
    if is_object(line, is_line) {
        return Content::Records(Format::Jsonl);
    }
    let named = Format::of_path(name);
    let (commas, tabs) = (fields(line, b','), fields(line, b'\t'));
    match named {
        Some(Format::Csv) if commas == 1 && tabs > 1 => return Content::Records(Format::Tsv),
        Some(Format::Tsv) if tabs == 1 && commas > 1 => return Content::Records(Format::Csv),
        None if commas > 1 && has_field(line, b',', wanted) => {
            return Content::Records(Format::Csv);
        }
        None if tabs > 1 && has_field(line, b'\t', wanted) => {
            return Content::Records(Format::Tsv);
        }
        _ => {}
    }
    by_name(name)
}

/// What the name of a text says.
fn by_name(name: &Path) -> Content {
    match Format::of_path(name) {
        Some(Format::Parquet) => Content::Refused("no Parquet file, although its name says so"),
        Some(Format::Arrow) => Content::Refused("no Arrow file, although its name says so"),
        Some(format) => Content::Records(format),
        None => Content::Plain,
    }
}

/// Whether a line is a JSON object, or begins like one if it is not all there.
fn is_object(line: &[u8], is_line: bool) -> bool {
    let after = line.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    if !after.is_some_and(|rest| matches!(rest, [b'"' | b'}', ..])) {
        return false;
    }
    // Not UTF-8 is no reason to doubt: such records are read as Latin-1.
    let line = String::from_utf8_lossy(line);
    match serde_json::from_str::<IgnoredAny>(&line) {
        Ok(_) => true,
        Err(error) => error.is_eof() && !is_line,
    }
}

fn fields(line: &[u8], delimiter: u8) -> usize {
    memchr::memchr_iter(delimiter, line).count() + 1
}

/// Whether one of the fields of a header is a wanted column. In prose, a space follows a comma.
fn has_field(line: &[u8], delimiter: u8, wanted: &[String]) -> bool {
    if line.windows(2).any(|pair| pair == [delimiter, b' ']) {
        return false;
    }
    line.split(|&byte| byte == delimiter).any(|field| {
        let field = field.trim_ascii();
        let plain = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        wanted.iter().any(|name| name.as_bytes() == plain.unwrap_or(field))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::pack;

    fn of(name: &str, start: &[u8]) -> Content {
        let wanted = ["text".to_owned(), "body".to_owned()];
        of_source(Box::new(Cursor::new(start.to_vec())), Path::new(name), &wanted).unwrap()
    }

    #[test]
    fn records_are_known_whatever_the_name() {
        for name in ["a", "a.txt", "a.csv", "a.parquet"] {
            assert_eq!(of(name, b"{\"text\": 1}\n{"), Content::Records(Format::Jsonl), "{name}");
            assert_eq!(of(name, b"PAR1..."), Content::Records(Format::Parquet), "{name}");
            assert_eq!(of(name, b"ARROW1\0\0"), Content::Records(Format::Arrow), "{name}");
        }
        assert_eq!(of("a", b"\xFF\xFF\xFF\xFF\x10\x02\0\0"), Content::Records(Format::Arrow));
        assert_eq!(of("a", b"id,text\n1,b\n"), Content::Records(Format::Csv));
        assert_eq!(of("a.txt", b"id\t\"body\"\n1\tb\n"), Content::Records(Format::Tsv));
        assert_eq!(of("a.csv", b"id\ttext\n1\tb\n"), Content::Records(Format::Tsv));
        assert_eq!(of("a.csv", b"id,title\n1,b\n"), Content::Records(Format::Csv));
        let long = format!("{{\"text\": \"{}\"}}", "x".repeat(2 * HEAD));
        assert_eq!(of("a", long.as_bytes()), Content::Records(Format::Jsonl));
    }

    #[test]
    fn texts_that_look_a_little_like_records_are_texts() {
        let json = b"{\n  \"text\": 1\n}\n";
        for text in [&b"text, more text\n"[..], b"hello", b"{'a': 1}\n", b"[1, 2]\n", json] {
            assert_eq!(of("a.txt", text), Content::Plain, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!(of("a.jsonl", b"not json\n"), Content::Records(Format::Jsonl));
        assert_eq!(of("a.jsonl", b""), Content::Empty);
        assert_eq!(of("a", b"\xFF\xFEa\0b\0"), Content::Plain, "UTF-16");
        assert_eq!(of("a", b"caf\xE9"), Content::Plain, "Latin-1");
    }

    #[test]
    fn what_is_packed_is_known_by_what_is_in_it() {
        for name in ["f.gz", "f.zst", "f.bz2", "f.xz"] {
            let packed = |content: &[u8]| {
                let mut bytes = Vec::new();
                pack(Path::new(name), &mut bytes, |out| -> Result<()> {
                    out.write_all(content).unwrap();
                    Ok(())
                })
                .unwrap();
                bytes
            };
            assert_eq!(of("a", &packed(b"{}\n")), Content::Records(Format::Jsonl), "{name}");
            assert_eq!(of("a", &packed(b"text")), Content::Plain, "{name}");
            assert!(matches!(of("a", &packed(b"a\0b")), Content::Refused(_)), "{name}");
            assert!(matches!(of("a", &packed(b"PAR1")), Content::Refused(_)), "{name}");
        }
    }

    #[test]
    fn what_is_not_read_has_a_name() {
        let refused = |start: &[u8]| match of("a", start) {
            Content::Refused(what) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(b"PK\x03\x04\x14\0"), "a zip archive");
        assert_eq!(refused(b"a\0b"), "a binary file");
        let tar = [&[b'a'; 257][..], b"ustar"].concat();
        assert_eq!(refused(&tar), "a tar archive");
        let named = of("a.parquet", b"text");
        assert_eq!(named, Content::Refused("no Parquet file, although its name says so"));
    }
}
