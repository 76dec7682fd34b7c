//! `.bfc` files.
//!
//! ```text
//! u8 algorithm, u32 categories, for each: u8 length, name
//! for each filter: u8 functions k (0: no filter, nothing follows), k seeds of u8, u32 bytes, the bits
//! FF, u8 length, the name of the last category
//! ```
//!
//! Integers are little-endian; bit `p` is bit `p % 8` of byte `p / 8`. Nothing is allocated on the file's word.

use super::{Algorithm, Classic, Filter};
use crate::codec::Write;
use crate::prelude::*;
use crate::{Error, Result};

const END: u8 = 0xFF;

impl Classic<'_> {
    /// Writes the file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        out.write_all(&[match self.algorithm {
            Algorithm::Zero => 0,
            Algorithm::One => 1,
        }])?;
        out.write_all(&(self.names.len() as u32).to_le_bytes())?;
        for name in &self.names {
            write_name(name, out)?;
        }
        for filter in &self.filters {
            let Some(filter) = filter else {
                out.write_all(&[0])?;
                continue;
            };
            out.write_all(&[filter.seeds.len() as u8])?;
            out.write_all(&filter.seeds)?;
            out.write_all(&(filter.bits.len() as u32).to_le_bytes())?;
            out.write_all(&filter.bits)?;
        }
        out.write_all(&[END])?;
        write_name(&self.last, out)
    }
}

fn write_name(name: &[u8], out: &mut dyn Write) -> Result<()> {
    out.write_all(&[name.len() as u8])?;
    out.write_all(name)?;
    Ok(())
}

impl<'a> Classic<'a> {
    /// Reads a file; filters stay where they are.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::Trailing`] or [`Error::Malformed`] with what was found.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut input = Input { rest: bytes, total: bytes.len() as u64 };
        let algorithm = match input.byte()? {
            0 => Algorithm::Zero,
            1 => Algorithm::One,
            other => return Err(Error::malformed("the algorithm", "0 or 1", other)),
        };
        let count = input.number()?;
        if count == 0 {
            return Err(Error::malformed("the number of categories", "at least 1", count));
        }
        // Each name takes a byte at least, so that the list is no longer than the file.
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(input.name()?.to_vec());
        }
        let mut filters = Vec::new();
        loop {
            match input.byte()? {
                END => break,
                0 => filters.push(None),
                functions => {
                    let seeds = input.take(u64::from(functions))?;
                    let size = input.number()?;
                    if size == 0 {
                        return Err(Error::malformed("the size of a filter", "at least 1", size));
                    }
                    let bits = input.take(u64::from(size))?;
                    filters.push(Some(Filter { seeds: seeds.into(), bits: bits.into() }));
                }
            }
        }
        let last = input.name()?.to_vec();
        if !names.contains(&last) {
            let got = String::from_utf8_lossy(&last).into_owned();
            return Err(Error::malformed("the last category", "one of the categories", got));
        }
        if !input.rest.is_empty() {
            return Err(Error::Trailing { extra: input.rest.len() as u64 });
        }
        Ok(Self { algorithm, names, filters, last })
    }
}

struct Input<'a> {
    rest: &'a [u8],
    total: u64,
}

impl<'a> Input<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let there = self.rest.len() as u64;
        if count > there {
            return Err(Error::Truncated { expected: self.total - there + count, got: self.total });
        }
        let (taken, rest) = self.rest.split_at(count as usize);
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    fn name(&mut self) -> Result<&'a [u8]> {
        let length = self.byte()?;
        self.take(u64::from(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two categories, one filter, by hand.
    fn file(size: u32, bits: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 2, 0, 0, 0, 1, b'a', 1, b'b', 1, 7];
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(bits);
        bytes.extend_from_slice(&[END, 1, b'b']);
        bytes
    }

    #[test]
    fn a_file_says_what_its_bytes_say() {
        let nobody = file(1, &[0]);
        assert_eq!(Classic::read(&nobody).unwrap().classify(b"x"), b"a", "a no means the first");
        let everybody = file(1, &[0xFF]);
        let cascade = Classic::read(&everybody).unwrap();
        assert_eq!(cascade.classify(b"x"), b"b", "no no means the last");
        let mut bytes = Vec::new();
        cascade.write(&mut bytes).unwrap();
        assert_eq!(bytes, everybody);
    }

    #[test]
    fn hostile_files_are_refused_without_room_for_them() {
        let good = file(1, &[0]);
        for end in 0..good.len() {
            assert!(matches!(Classic::read(&good[..end]), Err(Error::Truncated { .. })), "{end}");
        }
        assert!(matches!(Classic::read(&file(u32::MAX, &[0])), Err(Error::Truncated { .. })));
        assert!(matches!(Classic::read(&file(0, &[])), Err(Error::Malformed { .. })));
        let mut trailing = good.clone();
        trailing.push(0);
        assert!(matches!(Classic::read(&trailing), Err(Error::Trailing { extra: 1 })));
        for (at, value) in [(0, 2), (1, 0)] {
            let mut bytes = good.clone();
            bytes[at] = value;
            assert!(Classic::read(&bytes).is_err(), "{at}");
        }
        let names = [0, 0xFF, 0xFF, 0xFF, 0xFF];
        assert!(matches!(Classic::read(&names), Err(Error::Truncated { .. })));
        let mut stranger = good;
        *stranger.last_mut().unwrap() = b'c';
        assert!(matches!(Classic::read(&stranger), Err(Error::Malformed { .. })));
    }
}
