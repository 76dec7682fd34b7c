//! Whether the content of a file is mail.
//!
//! A folder of mail also holds indexes, images and archives. A file is taken for mail by the first
//! rule that applies to its first bytes:
//!
//! 1. Nothing but white space: empty.
//! 2. Starts with a header, an mbox separator or `FROM:`: mail, whatever follows.
//! 3. Named like an index of a mail program: not mail.
//! 4. Starts with the signature of an image, archive, program or database: not mail.
//! 5. Two of the common headers at the start of lines: mail that is damaged at its start.
//! 6. More than one byte in twenty is a control character: not mail.
//! 7. Otherwise text: mail without headers.

use super::mbox::is_separator;
use crate::headers::{line_end, name_of};
use std::path::Path;

/// The reason given for an empty message.
pub const EMPTY: &str = "the message is empty";

/// Whether a message has nothing in it but white space.
#[must_use]
pub fn is_empty(raw: &[u8]) -> bool {
    raw.trim_ascii_start().is_empty()
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Mail,
    Empty,
    Other,
}

impl Content {
    /// By the name of a file and its first bytes.
    pub(super) fn of(path: &Path, start: &[u8]) -> Self {
        if is_empty(start) {
            return Self::Empty;
        }
        if starts_as_mail(start) {
            return Self::Mail;
        }
        let is_other = is_index(path)
            || has_signature(start)
            || (!has_headers(start) && !is_utf_16(start) && is_binary(start));
        if is_other { Self::Other } else { Self::Mail }
    }
}

/// Maximum length of a header name that is believed.
const LONGEST_NAME: usize = 100;

fn starts_as_mail(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    let line = &start[..line_end(start)];
    if line.starts_with(b"FROM:") || is_separator(line) {
        return true;
    }
    // A separator of an unusual form is followed by headers.
    let is_envelope = line.starts_with(b"From ") || line.starts_with(b">From ");
    let line = if is_envelope { &start[line.len()..] } else { line };
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    name_of(&line[..line_end(line)])
        .is_some_and(|name| name.len() <= LONGEST_NAME && name.iter().all(is_letter))
}

/// Beginnings and endings of the names of files that mail programs keep beside mail, in lower case.
const INDEX_STARTS: [&str; 6] =
    ["dovecot", "courierimap", "cyrus.", "maildirsize", "subscriptions", "msgfilterrules.dat"];
const INDEX_ENDINGS: [&str; 6] = [".msf", ".lock", ".ovw", ".snm", "popstate.dat", "log.html"];

fn is_index(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_lowercase();
    INDEX_STARTS.iter().any(|start| name.starts_with(start))
        || INDEX_ENDINGS.iter().any(|end| name.ends_with(end))
}

/// First bytes of files that are not text.
const SIGNATURES: [&[u8]; 24] = [
    b"\x89PNG",
    b"\xFF\xD8\xFF",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"%PDF-",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1F\x8B",
    b"\x1F\x9D",
    b"BZh9",
    b"\xFD7zXZ\0",
    b"\x28\xB5\x2F\xFD",
    b"7z\xBC\xAF\x27\x1C",
    b"Rar!\x1A",
    b"\x7FELF",
    b"MZ\x90\0",
    b"SQLite format 3\0",
    b"\xD0\xCF\x11\xE0",
    b"\xCA\xFE\xBA\xBE",
    b"!BDN",
    b"// <!-- <mdb:mork",
    b"ID3\x03",
];

fn has_signature(start: &[u8]) -> bool {
    // A tar archive has its signature in its first header.
    SIGNATURES.iter().any(|signature| start.starts_with(signature))
        || start.get(257..262) == Some(b"ustar")
}

/// Headers of which most messages have several.
const COMMON: [&[u8]; 10] = [
    b"from:",
    b"to:",
    b"subject:",
    b"date:",
    b"received:",
    b"return-path:",
    b"message-id:",
    b"mime-version:",
    b"content-type:",
    b"delivered-to:",
];

/// Whether two of the common headers stand at the start of lines.
fn has_headers(start: &[u8]) -> bool {
    let mut found = [false; COMMON.len()];
    // A block that was lost in a crash is full of NUL; the next line starts after it.
    for line in start.split(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
        for (found, name) in found.iter_mut().zip(COMMON) {
            let begin = line.get(..name.len());
            *found |= begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        }
    }
    found.iter().filter(|found| **found).count() >= 2
}

fn is_utf_16(start: &[u8]) -> bool {
    start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF")
}

/// Whether more than one byte in twenty is a control character. Compressed data has one in nine;
/// text in any character set has those of its lines, and the escapes of ISO 2022.
fn is_binary(start: &[u8]) -> bool {
    let is_control =
        |byte: &&u8| matches!(byte, 0..0x20 | 0x7F) && !matches!(byte, b'\t'..=b'\r' | 8 | 0x1B);
    start.iter().filter(is_control).count() > start.len() / 20
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(name: &str, start: &[u8]) -> Content {
        Content::of(Path::new(name), start)
    }

    /// Bytes as in compressed data.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn damaged_mail_is_still_mail() {
        let headers = b"Received: from a\r\nSubject: x\r\n\r\n";
        let damaged: [Vec<u8>; 9] = [
            [&headers[..], &[0; 5000]].concat(),
            [&headers[..], &noise(5000)].concat(),
            [&[0; 4096][..], b"c\nSubject: x\nDate: y\n\ntext"].concat(),
            [&noise(1000)[..], b"\nSubject: x\nDate: y\n\ntext"].concat(),
            [b"\n\r\n".as_slice(), headers, &[0; 100]].concat(),
            [b"\xEF\xBB\xBF".as_slice(), headers, &[0; 100]].concat(),
            [b"FROM: a@b\n".as_slice(), &[0; 100]].concat(),
            [b"From a@b Mon Jan  1 12:00:00 2001\n".as_slice(), &[0; 100]].concat(),
            [b"From nobody\n".as_slice(), headers, &[0; 100]].concat(),
        ];
        for raw in damaged {
            let start = String::from_utf8_lossy(&raw[..raw.len().min(60)]).into_owned();
            assert_eq!(content("1", &raw), Content::Mail, "{start:?}");
        }
    }

    #[test]
    fn text_of_any_character_set_is_mail_without_headers() {
        let texts: [&[u8]; 8] = [
            b"just text\n",
            b"one NUL\0 in a longer text is damage and nothing else",
            "Größe, naïve, 你好, привет".as_bytes(),
            b"\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7",
            b"\x1B$B$3$s$K$A$O\x1B(B",
            b"\xFF\xFEh\0e\0l\0l\0o\0",
            b"GIF and PNG are formats of images",
            b"PK is short for public key",
        ];
        for text in texts {
            assert_eq!(content("1", text), Content::Mail, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn images_archives_and_indexes_are_not_mail() {
        for signature in SIGNATURES {
            // Text of a message inside does not make an archive a message.
            let raw = [signature, b"\0\0\0\nSubject: x\nDate: y\n\n"].concat();
            assert_eq!(content("1", &raw), Content::Other, "{signature:?}");
        }
        let mut archive = vec![0; 512];
        archive[..6].copy_from_slice(b"a/1:2,");
        archive[257..262].copy_from_slice(b"ustar");
        archive.extend_from_slice(b"\nSubject: x\nDate: y\n\n");
        assert_eq!(content("mail.tar", &archive), Content::Other);
        assert_eq!(content("unknown", &noise(1000)), Content::Other);
        assert_eq!(content("unknown", &[0; 100]), Content::Other);
        assert_eq!(content("dovecot-uidlist", b"3 V1 N5\n1 :1.a\n"), Content::Other);
        assert_eq!(content("Inbox.msf", b"text of an index\n"), Content::Other);
        assert_eq!(content("dovecot", b"Subject: a message of that name\n\n"), Content::Mail);
    }

    #[test]
    fn white_space_is_empty() {
        for raw in [&b""[..], b"\n", b" \r\n\t\n"] {
            assert_eq!(content("1", raw), Content::Empty);
            assert!(is_empty(raw));
        }
        assert!(!is_empty(b"\n."));
    }
}
