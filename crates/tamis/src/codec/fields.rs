//! Writing and reading the parameters of a header, field by field.

use crate::prelude::*;
use crate::{Error, Result};

/// The parameters of a kind, written in the order of its table.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Parameters(Vec<u8>);

macro_rules! put {
    ($($name:ident: $type:ty),*) => {$(
        #[doc = concat!("Appends a `", stringify!($type), "`.")]
        #[must_use]
        pub fn $name(mut self, value: $type) -> Self {
            self.0.extend_from_slice(&value.to_le_bytes());
            self
        }
    )*};
}

impl Parameters {
    /// No parameter yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    put!(u8: u8, u16: u16, u32: u32, u64: u64, f64: f64);

    /// Appends a number of as many bytes as it needs: seven bits in each, the lowest first.
    #[must_use]
    pub fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    /// Appends bytes as they are.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// So many bytes more will come.
    #[must_use]
    pub fn reserve(mut self, bytes: usize) -> Self {
        self.0.reserve(bytes);
        self
    }

    /// The bytes so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The parameters of a header, read in the order of the kind's table.
#[derive(Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

macro_rules! take {
    ($($name:ident: $type:ty),*) => {$(
        #[doc = concat!("Takes a `", stringify!($type), "`.")]
        ///
        /// # Errors
        /// [`Error::Truncated`] if the header ends before.
        pub fn $name(&mut self) -> Result<$type> {
            self.array().map(<$type>::from_le_bytes)
        }
    )*};
}

impl<'a> Fields<'a> {
    /// All of these bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    take!(u8: u8, u16: u16, u32: u32, u64: u64, f64: f64);

    /// Takes an array of bytes.
    ///
    /// # Errors
    /// [`Error::Truncated`] if there are fewer.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((value, rest)) = self.rest.split_first_chunk() else {
            return Err(Error::Truncated { expected: N as u64, got: self.rest.len() as u64 });
        };
        self.rest = rest;
        Ok(*value)
    }

    /// Takes a number that [`Parameters::varint`] has written.
    ///
    /// # Errors
    /// [`Error::Truncated`] if it has no end, [`Error::Malformed`] if it has more bytes than it needs or than a number of
    /// 64 bits has.
    pub fn varint(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::malformed("a number", "64 bits in their shortest form", number))
    }

    /// Takes so many bytes as they are.
    ///
    /// # Errors
    /// [`Error::Truncated`] if there are fewer.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            return Err(Error::Truncated { expected: count as u64, got: self.rest.len() as u64 });
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Takes `count` bytes that must be zero: room for later versions.
    ///
    /// # Errors
    /// [`Error::Malformed`] if one of them is not.
    pub fn zeros(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let got = self.u8()?;
            if got != 0 {
                return Err(Error::malformed("a reserved byte", 0, got));
            }
        }
        Ok(())
    }

    /// Ends the reading: whatever is left must be zero.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is not.
    pub fn finish(mut self) -> Result<()> {
        self.zeros(self.rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form_of_few_bytes() {
        for (number, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (u64::MAX, 10)] {
            let written = Parameters::new().varint(number);
            assert_eq!(written.as_bytes().len(), bytes);
            let mut fields = Fields::new(written.as_bytes());
            assert_eq!(fields.varint().unwrap(), number);
            assert!(fields.u8().is_err(), "nothing is left");
        }
        for refused in [&[0x80][..], &[0x80, 0], &[0xFF; 10], &[0xFF; 11], &[]] {
            assert!(Fields::new(refused).varint().is_err(), "{refused:?}");
        }
    }
}
