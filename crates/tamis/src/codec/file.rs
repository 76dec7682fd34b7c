//! The header around the content: written once, checked before anything else.

use super::{Fields, Kind, Parameters};
use crate::codec::Write;
use crate::hash::{Algorithm, KeyHash, KeyKinds};
use crate::prelude::*;
use crate::{Error, Result};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// The first eight bytes of every file. The first is not text, and the line end
/// at the end shows whether a transfer has changed line ends.
pub const MAGIC: [u8; 8] = *b"\x89TAMIS\r\n";

/// Content and its parts start at multiples of this: a cache line.
pub const ALIGNMENT: usize = 64;

/// The longest header that is accepted.
pub const MAX_HEADER: usize = 1 << 16;

const FIXED: usize = 56;
const CHECKSUM: usize = 8;

/// What a file says about itself, to be written before its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// How its keys were hashed.
    pub hash: KeyHash,
    /// Which keys were inserted.
    pub keys: KeyKinds,
    /// How many keys were inserted.
    pub items: u64,
    /// What else the kind needs to know.
    pub parameters: Parameters,
}

impl Header {
    /// Writes the header and the parts of the content, each filled up with zeros to a
    /// multiple of [`ALIGNMENT`] bytes. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`; [`Error::Malformed`] for more parameters than a
    /// header holds.
    pub fn write(&self, out: &mut dyn Write, content: &[&[u8]]) -> Result<()> {
        let parameters = self.parameters.as_bytes();
        let length = (FIXED + parameters.len() + CHECKSUM).next_multiple_of(ALIGNMENT);
        if length > MAX_HEADER {
            return Err(Error::malformed("the header's length", "at most 65,536", length));
        }
        let mut checksum = Xxh3Default::new();
        for part in content {
            checksum.update(part);
            checksum.update(behind(part));
        }
        let size = |part: &&[u8]| part.len().next_multiple_of(ALIGNMENT) as u64;
        let size: u64 = content.iter().map(size).sum();

        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.kind.id().to_le_bytes());
        bytes.extend_from_slice(&self.kind.current_version().to_le_bytes());
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(&checksum.digest().to_le_bytes());
        bytes.extend_from_slice(&self.hash.algorithm().id().to_le_bytes());
        bytes.push(self.keys.code());
        bytes.extend_from_slice(&[0; 5]);
        bytes.extend_from_slice(&self.hash.seed().to_le_bytes());
        bytes.extend_from_slice(&self.items.to_le_bytes());
        bytes.extend_from_slice(parameters);
        bytes.resize(length - CHECKSUM, 0);
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());

        out.write_all(&bytes)?;
        for part in content {
            out.write_all(part)?;
            out.write_all(behind(part))?;
        }
        Ok(())
    }
}

/// The zeros between the end of a part and the next line.
fn behind(part: &[u8]) -> &'static [u8] {
    &[0; ALIGNMENT][..part.len().next_multiple_of(ALIGNMENT) - part.len()]
}

/// A file's bytes with a header that was found sound.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    kind: Kind,
    version: u16,
    hash: KeyHash,
    keys: KeyKinds,
    items: u64,
    parameters: &'a [u8],
    content: &'a [u8],
    content_start: usize,
    checksum: u64,
}

impl<'a> File<'a> {
    /// Checks the header of a whole file.
    ///
    /// # Errors
    /// [`Error::NotTamis`], [`Error::Truncated`], [`Error::Trailing`],
    /// [`Error::Checksum`], [`Error::TooNew`] or [`Error::Malformed`], each with what
    /// was found.
    pub fn open(bytes: &'a [u8]) -> Result<Self> {
        let length = check_frame(bytes)?;
        let (head, recorded) = bytes[..length].split_at(length - CHECKSUM);
        let expected = Fields::new(recorded).u64()?;
        let got = xxh3_64(head);
        if got != expected {
            return Err(Error::Checksum { part: "header", expected, got });
        }

        let mut fields = Fields::new(&head[MAGIC.len()..]);
        let kind = Kind::from_id(fields.u16()?)?;
        let version = fields.u16()?;
        match version {
            0 => return Err(Error::malformed("format version", "1 or more", 0)),
            v if v > kind.current_version() => {
                let newest = kind.current_version();
                return Err(Error::TooNew { kind: kind.described(), got: v, newest });
            }
            _ => {}
        }
        fields.u32()?;
        let size = fields.u64()?;
        let checksum = fields.u64()?;
        let algorithm = Algorithm::from_id(fields.u16()?)?;
        let keys = match kind.records_keys_from() {
            Some(first) if version >= first => KeyKinds::from_code(fields.u8()?)?,
            _ => {
                fields.zeros(1)?;
                KeyKinds::UNKNOWN
            }
        };
        fields.zeros(5)?;
        let seed = fields.u64()?;
        let items = fields.u64()?;

        let there = (bytes.len() - length) as u64;
        if there < size {
            let expected = size.saturating_add(length as u64);
            return Err(Error::Truncated { expected, got: bytes.len() as u64 });
        }
        if there > size {
            return Err(Error::Trailing { extra: there - size });
        }
        if size % ALIGNMENT as u64 != 0 {
            return Err(Error::malformed("the content's length", "a multiple of 64", size));
        }
        Ok(Self {
            kind,
            version,
            hash: KeyHash::with_algorithm(algorithm, seed),
            // Hashes were inserted, and nobody has said of what.
            keys: if keys == KeyKinds::NONE && items > 0 { KeyKinds::UNKNOWN } else { keys },
            items,
            parameters: &head[FIXED..],
            content: &bytes[length..],
            content_start: length,
            checksum,
        })
    }

    /// Reads the content and compares its checksum.
    ///
    /// # Errors
    /// [`Error::Checksum`] if a byte was changed.
    pub fn verify(&self) -> Result<()> {
        let got = xxh3_64(self.content);
        if got == self.checksum {
            return Ok(());
        }
        Err(Error::Checksum { part: "content", expected: self.checksum, got })
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The version of its kind.
    #[must_use]
    pub const fn version(&self) -> u16 {
        self.version
    }

    /// How its keys were hashed.
    #[must_use]
    pub const fn hash(&self) -> KeyHash {
        self.hash
    }

    /// Which keys were inserted.
    #[must_use]
    pub const fn keys(&self) -> KeyKinds {
        self.keys
    }

    /// How many keys were inserted.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.items
    }

    /// The parameters of its kind, to be read in order.
    #[must_use]
    pub const fn parameters(&self) -> Fields<'a> {
        Fields::new(self.parameters)
    }

    /// Everything after the header.
    #[must_use]
    pub const fn content(&self) -> &'a [u8] {
        self.content
    }

    /// Where in the file the content starts.
    #[must_use]
    pub const fn content_start(&self) -> usize {
        self.content_start
    }
}

/// The header's length, if these bytes can be a Tamis file at all.
fn check_frame(bytes: &[u8]) -> Result<usize> {
    let start = &bytes[..bytes.len().min(MAGIC.len())];
    if start.is_empty() || *start != MAGIC[..start.len()] {
        let got = if start.is_empty() {
            "nothing (it is empty)".to_owned()
        } else {
            format!("\"{}\"", start.escape_ascii())
        };
        return Err(Error::NotTamis { got });
    }
    let got = bytes.len() as u64;
    let Some(length) = bytes.get(12..16) else {
        return Err(Error::Truncated { expected: ALIGNMENT as u64, got });
    };
    let length = Fields::new(length).u32()?;
    let usual =
        length as usize % ALIGNMENT == 0 && (ALIGNMENT..=MAX_HEADER).contains(&(length as usize));
    if !usual {
        return Err(Error::malformed(
            "the header's length",
            "a multiple of 64 up to 65,536",
            length,
        ));
    }
    if bytes.len() < length as usize {
        return Err(Error::Truncated { expected: u64::from(length), got });
    }
    Ok(length as usize)
}
