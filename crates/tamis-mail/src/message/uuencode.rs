//! Files in the text of old mail: `begin 644 name`, encoded lines, `end`.

use std::ops::Range;

/// Maximum number of files in a text.
const MAX_FILES: usize = 100;

/// A file in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File<'a> {
    /// Its place in the text, with the first and last line.
    pub place: Range<usize>,
    pub name: &'a str,
    pub data: Vec<u8>,
}

/// The files in a text.
pub(super) fn files(text: &str) -> Vec<File<'_>> {
    let mut files = Vec::new();
    if memchr::memmem::find(text.as_bytes(), b"begin ").is_none() {
        return files;
    }
    let mut at = 0;
    while files.len() < MAX_FILES && at < text.len() {
        let line = line_at(text, at);
        match name_of(line).and_then(|name| file(text, at, at + line.len(), name)) {
            Some(file) => {
                at = file.place.end;
                files.push(file);
            }
            None => at += line.len(),
        }
    }
    files
}

/// The line at an offset, with its end.
fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    &rest[..memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)]
}

/// The name in a first line.
fn name_of(line: &str) -> Option<&str> {
    let (mode, name) = line.strip_prefix("begin ")?.trim_start().split_once(' ')?;
    let is_mode = (3..=4).contains(&mode.len()) && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    let name = name.trim();
    (is_mode && !name.is_empty()).then_some(name)
}

/// The file whose encoded lines start at `first`; none without a single one.
fn file<'a>(text: &'a str, start: usize, first: usize, name: &'a str) -> Option<File<'a>> {
    let mut data = Vec::new();
    let mut at = first;
    while at < text.len() {
        let line = line_at(text, at);
        let content = line.trim_end_matches(['\r', '\n']);
        if content == "end" {
            at += line.len();
            break;
        }
        if !content.is_empty() && !decode(content.as_bytes(), &mut data) {
            break;
        }
        at += line.len();
    }
    (!data.is_empty()).then_some(File { place: start..at, name, data })
}

/// Appends the bytes of a line; whether it is one.
fn decode(line: &[u8], data: &mut Vec<u8>) -> bool {
    let value = |byte: u8| (32..=96).contains(&byte).then(|| (byte - 32) & 63);
    let Some(length) = value(line[0]).map(usize::from) else { return false };
    let encoded = &line[1..];
    // Spaces at the end of a line may be lost, and a checksum may be added.
    let wanted = length.div_ceil(3) * 4;
    if encoded.len() > wanted + 2 || encoded.len() + 4 < wanted {
        return false;
    }
    let before = data.len();
    for group in encoded[..encoded.len().min(wanted)].chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            let Some(six) = value(group.get(at).copied().unwrap_or(b' ')) else {
                data.truncate(before);
                return false;
            };
            bits = bits << 6 | u32::from(six);
        }
        data.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    data.truncate(before + length);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_and_decoded() {
        let text = "see:\nbegin 644 a.txt\n#0V%T\n`\nend\nafter\n";
        let found = files(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name, &found[0].data[..]), ("a.txt", &b"Cat"[..]));
        assert_eq!(&text[found[0].place.end..], "after\n");
        assert_eq!(files("begin 644 a\r\n#0V%T\r\n").len(), 1, "the end is missing");
    }

    #[test]
    fn prose_has_no_files() {
        for text in [
            "begin 644 and so on\nwith this long sentence\nend\n",
            "begin the day\nend\n",
            "begin 644 x\n",
            "begin 999 x\n#0V%T\n",
            "",
        ] {
            assert!(files(text).is_empty(), "{text}");
        }
    }
}
