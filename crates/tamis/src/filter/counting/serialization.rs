//! Counting filters as files: kind 2.
//!
//! Parameters: layout u8 (1 classic, 2 blocked), counter width in bits u8, two zeros, functions
//! u32, bits u64, designed items u64, designed rate f64. Content: the lines; counter `c` of `w`
//! bits lies at bits `w (c mod 64/w)` of the word `c / (64/w)`.

use super::places::Places;
use super::{CounterWidth, CountingFilter, Storage, line};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::Design;
use crate::filter::bloom::{Layout, check_padding};
use crate::hash::Record;
use crate::{Error, Result};

impl<S: Storage> Stored for CountingFilter<S> {
    type Storage = S;
    const KIND: Kind = Kind::Counting;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let width = self.width().bits() as u8;
        let parameters = Parameters::new().u8(self.layout().code()).u8(width).u16(0);
        let parameters = parameters.u32(self.hashes()).u64(self.bits());
        let parameters = self.design.write(parameters);
        let header = Header {
            kind: Kind::Counting,
            hash: self.hash,
            keys: self.keys.0,
            items: self.items,
            parameters,
        };
        header.write(out, &[line::bytes_of(self.storage.lines())])
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let layout = Layout::from_code(fields.u8()?)?;
        let bits = fields.u8()?;
        let width = CounterWidth::from_bits(u32::from(bits))
            .ok_or_else(|| Error::malformed("the counter width", "4 or 8", bits))?;
        fields.zeros(2)?;
        let hashes = fields.u32()?;
        let bits = fields.u64()?;
        let places = Places::for_bits(layout, width, bits, hashes)?;
        if places.bits() != bits {
            return Err(Error::malformed("the number of bits", "whole counters and lines", bits));
        }
        let design = Design::read(&mut fields)?;
        fields.finish()?;
        let storage = lines.take(places.lines() as u64)?;
        let keys = Record(file.keys());
        Ok(Self { places, hash: file.hash(), design, keys, items: file.items(), storage })
    }

    fn check(&self) -> Result<()> {
        check_padding(self.bits(), self.storage.lines())
    }
}
