//! Data on standard output: buffered, escaped on a terminal.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use tamis_corpus::report::Row;
use tamis_corpus::table::quoted;

/// Standard output.
pub struct Output {
    out: BufWriter<StdoutLock<'static>>,
    terminal: bool,
}

impl Output {
    /// Standard output of this process.
    pub fn new() -> Self {
        let out = io::stdout().lock();
        Self { terminal: out.is_terminal(), out: BufWriter::with_capacity(1 << 16, out) }
    }

    /// Writes a piece of the user's data. On a terminal, control and direction characters
    /// are shown escaped: a file must not be able to steer the terminal that lists it.
    pub fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.terminal {
            self.out.write_all(escaped(bytes).as_bytes())
        } else {
            self.out.write_all(bytes)
        }
    }

    /// Writes two names and their similarity, between tabs; a name with a tab, a quote or a line
    /// end is quoted, as in files.
    pub fn row(&mut self, row: Row<'_>) -> anyhow::Result<()> {
        self.data(quoted(row.left, b'\t').as_bytes())?;
        self.byte(b'\t')?;
        self.data(quoted(row.right, b'\t').as_bytes())?;
        Ok(self.text(format_args!("\t{}\n", row.similarity))?)
    }

    /// Writes text of our own.
    pub fn text(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        write!(self.out, "{text}")
    }

    /// Writes a byte as it is: a separator.
    pub fn byte(&mut self, byte: u8) -> io::Result<()> {
        self.out.write_all(&[byte])
    }

    /// Writes a value as one line of JSON.
    pub fn json(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        Ok(self.byte(b'\n')?)
    }

    /// Brings everything out.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Text for a terminal: control characters, direction marks and bytes that are no text escaped.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let steers = character.is_control()
                || matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
            if steers && character != '\t' {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Whether an error is only that nobody reads our output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|e| e.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        assert_eq!(escaped(b"a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(escaped("a\u{202E}b\tç".as_bytes()), "a\\u{202e}b\tç");
        assert_eq!(escaped(b"\xFFx"), "\\xffx");
    }
}
