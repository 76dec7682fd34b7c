//! One `Received` field: who handed the message over, to whom, how and when.

/// A field, taken apart. Everything is as the server wrote it, or empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Received<'a> {
    /// The name that the sending host gave itself.
    pub helo: &'a [u8],
    /// What the receiving server found out about it, without the parentheses.
    pub found: &'a [u8],
    /// The receiving server.
    pub by: &'a [u8],
    /// The protocol.
    pub with: &'a [u8],
    /// Everything before the date.
    pub line: &'a [u8],
    /// The date.
    pub date: &'a [u8],
}

impl<'a> Received<'a> {
    /// Takes a value apart.
    pub fn parse(value: &'a [u8]) -> Self {
        let (line, date) = match memchr::memrchr(b';', value) {
            Some(at) => (&value[..at], value[at + 1..].trim_ascii()),
            None => (value, &value[value.len()..]),
        };
        let mut received = Self { line, date, ..Self::default() };
        let mut last: &[u8] = b"";
        for word in (Words { rest: line }) {
            if word.starts_with(b"(") {
                if last == b"from" && received.found.is_empty() {
                    received.found = trimmed(word);
                }
                continue;
            }
            match last {
                b"from!" => received.helo = word,
                b"by!" => received.by = word,
                b"with!" => received.with = word,
                _ => {}
            }
            last = match (last, word) {
                (_, b"from") if received.helo.is_empty() => b"from!",
                (_, b"by") => b"by!",
                (_, b"with") => b"with!",
                (b"from!", _) => b"from",
                _ => b"",
            };
        }
        received
    }

    /// The address in brackets that the receiving server saw, or the last one on the line.
    pub fn address(&self) -> Option<[u8; 4]> {
        addresses(self.found).next().or_else(|| addresses(self.helo).next())
    }

    /// The name of the sending host by reverse lookup.
    pub fn reverse(&self) -> &'a [u8] {
        let mut words = self.found.split(|byte| byte.is_ascii_whitespace() || *byte == b'[');
        let first = words.next().unwrap_or_default();
        let name = first.rsplit(|byte| *byte == b'@').next().unwrap_or(first);
        if name.iter().any(u8::is_ascii_alphabetic) && name.contains(&b'.') || name == b"unknown" {
            name.strip_suffix(b".").unwrap_or(name)
        } else {
            b""
        }
    }
}

/// Words, and comments in parentheses as one word.
pub struct Words<'a> {
    /// What has not been read yet.
    pub rest: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        let (&first, _) = text.split_first()?;
        let end = if first == b'(' {
            let mut depth = 0usize;
            let closed = text.iter().position(|byte| {
                depth += usize::from(*byte == b'(');
                depth -= usize::from(*byte == b')').min(depth);
                depth == 0
            });
            closed.map_or(text.len(), |at| at + 1)
        } else {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'(';
            text.iter().position(ends).unwrap_or(text.len())
        };
        self.rest = &text[end..];
        Some(&text[..end])
    }
}

fn trimmed(comment: &[u8]) -> &[u8] {
    let inner = comment.strip_prefix(b"(").unwrap_or(comment);
    inner.strip_suffix(b")").unwrap_or(inner)
}

/// The addresses of four numbers in a text.
pub fn addresses(text: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    text.split(|byte| !byte.is_ascii_digit() && *byte != b'.').filter_map(|word| {
        let mut parts = word.split(|byte| *byte == b'.');
        let mut address = [0; 4];
        for byte in &mut address {
            let part = parts.next()?;
            *byte = std::str::from_utf8(part).ok()?.parse().ok()?;
        }
        parts.next().is_none().then_some(address)
    })
}
