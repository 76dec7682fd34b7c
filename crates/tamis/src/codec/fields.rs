//! Writing and reading the parameters of a header, field by field.

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

    /// Appends bytes as they are.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
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
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    take!(u8: u8, u16: u16, u32: u32, u64: u64, f64: f64);

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((value, rest)) = self.rest.split_first_chunk() else {
            return Err(Error::Truncated { expected: N as u64, got: self.rest.len() as u64 });
        };
        self.rest = rest;
        Ok(*value)
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
