//! Static filters as files: kind 10.
//!
//! Parameters: the planes of keys that have fewer u32, how many of `2^32` starts have one plane more u32, designed rate f64,
//! the starts u64, the bits of the span u8. The content is the blocks of the first part, then those of the second.

use super::StaticFilter;
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::Design;
use crate::hash::Record;
use crate::memory::{Storage, line};
use crate::solve::band::shape::{MOST_PLANES, MOST_SPAN_BITS, Planes, Shape};
use crate::{Error, Result};

impl<S: Storage> Stored for StaticFilter<S> {
    type Storage = S;
    const KIND: Kind = Kind::Static;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let Shape { planes, starts, .. } = self.shape;
        let parameters = Parameters::new()
            .u32(planes.least)
            .u32(planes.longer)
            .f64(self.design.rate)
            .u64(starts)
            .u8(self.shape.span().ilog2() as u8);
        let items = self.design.items;
        let (hash, keys) = (self.hash, self.keys.0);
        let header = Header { kind: Kind::Static, hash, keys, items, parameters };
        header.write(out, &[line::bytes_of(self.storage.lines())])
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let planes = Planes { least: fields.u32()?, longer: fields.u32()? };
        if planes.least >= MOST_PLANES {
            return Err(Error::malformed("the planes", "less than 30", planes.least));
        }
        let design = Design { items: file.items(), rate: fields.f64()? };
        if design.rate != planes.rate() {
            return Err(Error::malformed("the rate", planes.rate(), design.rate));
        }
        let (starts, span_bits) = (fields.u64()?, u32::from(fields.u8()?));
        fields.finish()?;
        if (starts == 0) != (design.items == 0) {
            return Err(Error::malformed("the starts", "some, if there are keys", starts));
        }
        if span_bits > MOST_SPAN_BITS {
            return Err(Error::malformed("the bits of the span", "at most 6", span_bits));
        }
        let shape = Shape::new(planes, starts, span_bits)
            .map_err(|_| Error::malformed("the starts", "as many as there is room for", starts))?;
        let storage = lines.take(if starts == 0 { 0 } else { shape.lines() as u64 })?;
        Ok(Self { hash: file.hash(), design, keys: Record(file.keys()), shape, storage })
    }
}
