//! Signature filters as files: kind 5.
//!
//! Parameters: window u32, lengths u32, functions u32, zero u32, window bits u64 (a power of
//! two), bits of the filter u64, designed items u64, designed rate f64, then the lengths u16 each,
//! ascending. Content: the lines of the window array, then those of the blocked filter.

use super::window::Window;
use super::{MAX_LENGTH, MAX_LENGTHS, MIN_LENGTH, SignatureFilter};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::bloom::{BitLayout, Blocked, Bloom, read_layout};
use crate::filter::{Design, LINE_BITS};
use crate::memory::{Storage, line};
use crate::prelude::*;
use crate::{Error, Result};

impl<S: Storage> Stored for SignatureFilter<S> {
    type Storage = S;
    const KIND: Kind = Kind::Signatures;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let windows = self.windows.lines();
        let parameters = Parameters::new()
            .u32(self.window.length() as u32)
            .u32(self.lengths.len() as u32)
            .u32(self.whole.hashes())
            .u32(0)
            .u64(windows.len() as u64 * LINE_BITS)
            .u64(self.whole.bits());
        let mut parameters = self.design().write(parameters);
        for &length in &self.lengths {
            parameters = parameters.u16(length);
        }
        let hash = *self.hash();
        let (keys, items) = (self.key_kinds(), self.len());
        let header = Header { kind: Kind::Signatures, hash, keys, items, parameters };
        header.write(out, &[line::bytes_of(windows), line::bytes_of(self.whole.lines())])
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let window_length = fields.u32()? as usize;
        let count = fields.u32()? as usize;
        if !(1..=MAX_LENGTHS).contains(&count) {
            return Err(Error::malformed("the number of lengths", "between 1 and 64", count));
        }
        let hashes = fields.u32()?;
        fields.zeros(4)?;
        let window_bits = fields.u64()?;
        if !window_bits.is_power_of_two() || window_bits < LINE_BITS {
            return Err(Error::malformed("the window's bits", "a power of two", window_bits));
        }
        let layout: Blocked = read_layout(fields.u64()?, hashes)?;
        let design = Design::read(&mut fields)?;
        let lengths = (0..count).map(|_| fields.u16()).collect::<Result<Vec<u16>>>()?;
        fields.finish()?;
        let ascending = lengths.is_sorted_by(|a, b| a < b);
        let limits = (lengths[0] as usize, lengths[count - 1] as usize);
        if !ascending || limits.0 < MIN_LENGTH || limits.1 > MAX_LENGTH {
            return Err(Error::malformed("the lengths", "ascending from 4 to 4096", "others"));
        }
        let window = Window::new(limits.0, &file.hash());
        if window.length() != window_length {
            return Err(Error::malformed("the window", window.length(), window_length));
        }
        let windows = lines.take(window_bits / LINE_BITS)?;
        let storage = lines.take(layout.lines() as u64)?;
        let whole =
            Bloom::assemble(layout, file.hash(), design, file.keys(), file.items(), storage);
        Ok(Self { lengths, window, windows, whole })
    }
}
