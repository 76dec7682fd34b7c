//! The header fields of a message, as the stages read them: lower-case names, unfolded values.

use crate::message::Message;
use std::borrow::Cow;

/// The most fields that are read.
const MAX_FIELDS: usize = 512;

/// The most bytes of one value that are read.
const MAX_VALUE: usize = 4096;

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name as written.
    pub written: &'a [u8],
    /// The name in lower case.
    pub name: Vec<u8>,
    /// The value on one line.
    pub value: Cow<'a, [u8]>,
}

/// The fields of a message in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head<'a> {
    fields: Vec<Field<'a>>,
}

impl<'a> Head<'a> {
    /// Collects fields, without those that mailboxes and other filters write.
    pub fn new(fields: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let field = |(written, value): (&'a [u8], &'a [u8])| {
            let name = written.to_ascii_lowercase();
            (!is_foreign(&name)).then(|| Field { written, name, value: unfolded(value) })
        };
        Self { fields: fields.filter_map(field).take(MAX_FIELDS).collect() }
    }

    /// The fields of a message.
    pub fn of(message: &'a Message<'_>) -> Self {
        Self::new(message.header_fields())
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// All fields.
    pub fn fields(&self) -> &[Field<'a>] {
        &self.fields
    }

    /// The values of all fields with this lower-case name.
    pub fn all(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.fields.iter().filter(move |field| field.name == name).map(|field| &*field.value)
    }

    /// The value of the first field with this lower-case name.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.all(name).next()
    }
}

/// Whether a mailbox or another filter has written the field: it says nothing about the sender.
fn is_foreign(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 8] = [
        b"status",
        b"x-status",
        b"lines",
        b"content-length",
        b"x-keywords",
        b"x-uid",
        b"x-bogosity",
        b"x-sieve",
    ];
    const PREFIXES: [&[u8]; 8] = [
        b"x-spam",
        b"x-mozilla",
        b"x-virus",
        b"x-tamis",
        b"x-rspamd",
        b"x-imap",
        b"x-gmail-labels",
        b"x-evolution",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A value without line breaks and without white space around it.
fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    let value = value[..value.len().min(MAX_VALUE)].trim_ascii();
    if memchr::memchr2(b'\n', b'\r', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut line = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b'\n' | b'\r' => {}
            b'\t' => line.push(b' '),
            _ => line.push(byte),
        }
    }
    Cow::Owned(line)
}
