//! The seed of a store, in a file of its own.
//!
//! All features are hashed with the seed. Whoever has journal or tables and the seed can test
//! whether a message contains a word; without the seed the hashes say nothing. Journal and tables
//! therefore have only a [`check`] of it, and a backup of them can do without this file.
//!
//! ```text
//! offset  size
//!      0     8  signature     89 54 41 4D 49 53 45 0A  ("\x89TAMISE\n")
//!      8     2  version       1
//!     10     6  zero
//!     16     8  seed
//!     24     8  checksum      XXH3-64 of bytes 0 .. 24
//! ```
//!
//! Stores of version 1 and 2 have the seed in journal and tables.

use super::private;
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;
use tamis::codec::{Fields, Parameters};
use tamis::hash::KeyHash;

/// The name of the file in its store.
pub(super) const NAME: &str = "seed";

const MAGIC: [u8; 8] = *b"\x89TAMISE\n";
const VERSION: u16 = 1;
const SIZE: usize = 32;

/// What journal and tables have instead of the seed: it shows that they belong to the seed file.
pub(super) fn check(seed: u64) -> u64 {
    KeyHash::new(seed).bytes(b"the seed of a mail store")
}

/// Writes the file.
pub(super) fn write(folder: &Path, seed: u64) -> Result<()> {
    let path = folder.join(NAME);
    let bytes = Parameters::new().bytes(&MAGIC).u16(VERSION).bytes(&[0; 6]).u64(seed);
    let bytes = bytes.clone().u64(KeyHash::default().bytes(bytes.as_bytes()));
    private::write(&path, |out| {
        out.write_all(bytes.as_bytes())
            .map_err(|source| tamis_corpus::Error::Write { name: path.clone(), source }.into())
    })
}

/// Reads the file.
pub(super) fn read(folder: &Path) -> Result<u64> {
    read_path(&folder.join(NAME))
}

fn read_path(path: &Path) -> Result<u64> {
    let damaged = |what| Error::Damaged { name: path.to_owned(), at: 0, what };
    let file = match private::open(path) {
        Err(Error::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(damaged("the seed is missing: put back the file from a backup"));
        }
        opened => opened?,
    };
    let mut bytes = Vec::with_capacity(SIZE + 1);
    let read = file.take(SIZE as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| Error::Read { name: path.to_owned(), source })?;
    parse(&bytes).ok_or_else(|| damaged("it is not the seed that was written"))
}

/// Reads a seed from a file of this form anywhere: hosts that share their lessons have the same seed.
///
/// # Errors
/// [`Error::Damaged`] for what is no seed, or what the system says.
pub fn read_file(path: &Path) -> Result<u64> {
    read_path(path)
}

fn parse(bytes: &[u8]) -> Option<u64> {
    let (head, checksum) = bytes.split_at_checked(SIZE - 8)?;
    let mut fields = Fields::new(head);
    let is_ours = fields.array().ok()? == MAGIC && fields.u16().ok()? == VERSION;
    fields.zeros(6).ok()?;
    let seed = fields.u64().ok()?;
    (is_ours && *checksum == KeyHash::default().bytes(head).to_le_bytes()).then_some(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_read_as_it_was_written_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 0x1234_5678_9ABC_DEF0).unwrap();
        assert_eq!(read(folder.path()).unwrap(), 0x1234_5678_9ABC_DEF0);
        let whole = std::fs::read(folder.path().join(NAME)).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert_eq!(parse(&bytes), None, "changed at {at}");
        }
        assert_eq!(parse(&whole[..31]), None);
        assert_eq!(parse(&[&whole[..], &[0]].concat()), None);
        assert_ne!(check(1), check(2));
    }
}
