//! The messages of an mbox file.
//!
//! A separator is a line `From `, sender, date with month, time and year, which is the first line
//! or follows an empty one. `>From ` at the start of a line loses one `>`. The empty line before a
//! separator belongs to no message.

use super::{MAX_MESSAGE, PIECE};
use std::io::{self, BufRead, Read};

/// A longer line is not a separator.
pub(super) const LONGEST_SEPARATOR: usize = 1000;

/// Calls `visit` with the number and the bytes of each message of an mbox whose first separator was
/// read. The outer result has the error of `visit`, the inner one the error of `input`.
pub(super) fn split<E>(
    input: &mut dyn BufRead,
    message: &mut Vec<u8>,
    mut visit: impl FnMut(u64, &[u8]) -> Result<(), E>,
) -> Result<io::Result<()>, E> {
    message.clear();
    let mut number = 1;
    // The end of the message, without the empty line after it.
    let mut end = 0;
    let (mut starts_line, mut after_empty) = (true, true);
    loop {
        let start = message.len();
        let mut piece = (&mut *input).take(PIECE);
        let length = match piece.read_until(b'\n', message) {
            Ok(length) => length,
            Err(error) => return Ok(Err(error)),
        };
        let line = &message[start..];
        let separates = starts_line && after_empty && is_separator(line);
        if separates || length == 0 {
            visit(number, &message[..end])?;
            message.clear();
            message.shrink_to(1 << 20);
            if length == 0 {
                return Ok(Ok(()));
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

/// Whether a line has one `>` too many.
fn is_escaped(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'>').count();
    marks > 0 && line[marks..].starts_with(b"From ")
}

/// Whether a line separates messages: `From anne@example.org Mon Jan  1 12:00:00 2001`.
pub(super) fn is_separator(line: &[u8]) -> bool {
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

    /// The messages of an mbox, given without its first separator.
    fn messages(mbox: &str) -> Vec<String> {
        let mut found = Vec::new();
        let visit = |number: u64, message: &[u8]| -> Result<(), ()> {
            assert_eq!(number as usize, found.len() + 1);
            found.push(String::from_utf8_lossy(message).into_owned());
            Ok(())
        };
        split(&mut mbox.as_bytes(), &mut Vec::new(), visit).unwrap().unwrap();
        found
    }

    #[test]
    fn an_mbox_is_cut_at_its_separators() {
        let mbox = format!(
            "Subject: 1\n\nFrom here\n>From there\n>>From x\n> From y\n\n{SEPARATOR}Subject: 2\n\n\
             {SEPARATOR}{SEPARATOR}Subject: 4\r\n\r\nend\n{SEPARATOR}no cut"
        );
        let expected = [
            "Subject: 1\n\nFrom here\nFrom there\n>From x\n> From y\n",
            "Subject: 2\n",
            "",
            &format!("Subject: 4\r\n\r\nend\n{SEPARATOR}no cut"),
        ];
        assert_eq!(messages(&mbox), expected);
        let windows = mbox.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(messages(&windows)[1], "Subject: 2\r\n");
        assert_eq!(messages(""), [""]);
    }

    #[test]
    fn lines_longer_than_a_piece_stay_whole() {
        let line = ">From ".repeat(50_000);
        let unescaped = &line[1..];
        let found = messages(&format!("{line}\n\n{SEPARATOR}{line}"));
        assert_eq!(found, [&format!("{unescaped}\n"), unescaped]);
    }
}
