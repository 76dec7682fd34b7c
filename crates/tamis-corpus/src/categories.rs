//! Keys with their categories, as files have them.
//!
//! | form | a line |
//! |---|---|
//! | blocks | `[Category]`, or a key of the category above; empty lines do not count |
//! | TSV | key, tab, category; of several tabs the last one counts |
//! | lines | a key; empty lines do not count |
//! | list | a key, a line of a hosts file (`0.0.0.0 name`), or a domain rule (`||name^`); `#` and `!` start comments |
//!
//! A line ends with LF or CR LF. In blocks, a key that starts with `[` and ends with `]`, or with a backslash before a bracket, is
//! written with a backslash before it.

use crate::{Error, Result};
use memchr::memchr_iter;
use std::collections::HashMap;
use std::path::Path;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Categories in brackets, each followed by its keys.
    Blocks,
    /// A key and its category in each line.
    Tsv,
    /// Keys alone.
    Lines,
    /// All keys of one category, as in lists of names to be blocked.
    List,
}

/// A key of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labelled<'a> {
    /// Its line, from 1.
    pub line: u64,
    /// The number of its category.
    pub category: u32,
    /// The key.
    pub key: &'a [u8],
}

/// The categories of one file or several, numbered in the order of their names' first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Categories<'a> {
    names: Vec<&'a [u8]>,
    numbers: HashMap<&'a [u8], u32>,
}

impl<'a> Categories<'a> {
    /// The names, by number.
    #[must_use]
    pub fn names(&self) -> &[&'a [u8]] {
        &self.names
    }

    /// The number of a category, which is new if its name is.
    pub fn number(&mut self, name: &'a [u8]) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    /// Calls `visit` with each key of a file's bytes.
    ///
    /// # Errors
    /// [`Error::Category`] for a key before any category, or a line without a tab.
    pub fn for_each(
        &mut self,
        path: &Path,
        bytes: &'a [u8],
        form: Form,
        mut visit: impl FnMut(Labelled<'a>),
    ) -> Result<()> {
        let refused = |line, what| Error::Category { name: path.to_owned(), line, what };
        let mut category = None;
        for (line, text) in lines(bytes) {
            let key = match form {
                Form::Blocks => match block_line(text) {
                    BlockLine::Empty => continue,
                    BlockLine::Category(name) => {
                        category = Some(self.number(name));
                        continue;
                    }
                    BlockLine::Key(key) => key,
                },
                Form::Tsv => {
                    if text.is_empty() {
                        continue;
                    }
                    let tab = memchr::memrchr(b'\t', text)
                        .ok_or_else(|| refused(line, "a line has a key, a tab and a category"))?;
                    category = Some(self.number(&text[tab + 1..]));
                    &text[..tab]
                }
                Form::Lines if text.is_empty() => continue,
                Form::Lines => text,
                Form::List => match listed(text) {
                    Some(key) => key,
                    None => continue,
                },
            };
            let category = match form {
                Form::Lines | Form::List => 0,
                _ => category.ok_or_else(|| refused(line, "a key stands before any [Category]"))?,
            };
            visit(Labelled { line, category, key });
        }
        Ok(())
    }
}

/// The lines with their numbers, without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let ends = memchr_iter(b'\n', bytes).chain((!bytes.ends_with(b"\n")).then_some(bytes.len()));
    let mut start = 0;
    (1..).zip(ends).map(move |(line, end)| {
        let text = &bytes[start..end];
        start = end + 1;
        (line, text.strip_suffix(b"\r").unwrap_or(text))
    })
}

enum BlockLine<'a> {
    Empty,
    Category(&'a [u8]),
    Key(&'a [u8]),
}

fn block_line(text: &[u8]) -> BlockLine<'_> {
    match text {
        [] => BlockLine::Empty,
        [b'[', name @ .., b']'] => BlockLine::Category(name),
        [b'\\', key @ ..] if key.starts_with(b"[") || key.starts_with(b"\\") => BlockLine::Key(key),
        key => BlockLine::Key(key),
    }
}

/// The key of a line of a list.
fn listed(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii();
    if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"!") {
        return None;
    }
    if let Some(rule) = text.strip_prefix(b"||") {
        return Some(rule.strip_suffix(b"^").unwrap_or(rule));
    }
    for address in [&b"0.0.0.0"[..], b"127.0.0.1", b"::1", b"::"] {
        if let Some(rest) = text
            .strip_prefix(address)
            .filter(|rest| rest.starts_with(b" ") || rest.starts_with(b"\t"))
        {
            let name = rest.trim_ascii();
            let end = name.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'#');
            return Some(&name[..end.unwrap_or(name.len())]).filter(|name| !name.is_empty());
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], form: Form) -> Result<Vec<(u64, String, Vec<u8>)>> {
        let mut categories = Categories::default();
        let mut found = Vec::new();
        categories.for_each(Path::new("f"), text, form, |labelled| {
            found.push((labelled.line, labelled.category, labelled.key.to_vec()));
        })?;
        let name = |number: u32| {
            let name = categories.names().get(number as usize).copied().unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        };
        Ok(found.into_iter().map(|(line, number, key)| (line, name(number), key)).collect())
    }

    #[test]
    fn blocks_have_categories_and_any_keys() {
        let text = b"[a]\r\nx\r\n\n[b c]\n [x]\n\\[k]\n\\\\[k]\n[open\n\xff\t]\n\n[a]\ny";
        let own = |line, name: &str, key: &[u8]| (line, name.to_owned(), key.to_vec());
        assert_eq!(
            read(text, Form::Blocks).unwrap(),
            [
                own(2, "a", b"x"),
                own(5, "b c", b" [x]"),
                own(6, "b c", b"[k]"),
                own(7, "b c", b"\\[k]"),
                own(8, "b c", b"[open"),
                own(9, "b c", b"\xff\t]"),
                own(12, "a", b"y"),
            ]
        );
        let refused = read(b"\nkey\n", Form::Blocks).unwrap_err().to_string();
        assert!(refused.contains("f:2") && refused.contains("before any [Category]"), "{refused}");
    }

    #[test]
    fn tsv_and_lists_are_read() {
        let keys = read(b"a\tb\tfruit\nc\tleaf\n", Form::Tsv).unwrap();
        assert_eq!(keys[0], (1, "fruit".to_owned(), b"a\tb".to_vec()));
        assert!(read(b"nothing\n", Form::Tsv).is_err());
        let keys = read(b"[a]\r\n\n# b", Form::Lines).unwrap();
        assert_eq!(
            keys.iter().map(|(.., key)| key.as_slice()).collect::<Vec<_>>(),
            [&b"[a]"[..], b"# b"]
        );
        let list = b"# hosts\n0.0.0.0 ads.example # x\n127.0.0.1\ttrack.example\n||bad.example^\n! no\nplain.example\n";
        let keys = read(list, Form::List).unwrap();
        let keys: Vec<&[u8]> = keys.iter().map(|(.., key)| key.as_slice()).collect();
        assert_eq!(keys, [&b"ads.example"[..], b"track.example", b"bad.example", b"plain.example"]);
    }
}
