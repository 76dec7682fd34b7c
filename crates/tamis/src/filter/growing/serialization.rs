//! Growing filters as files: kind 3.
//!
//! Parameters: layout u8, three zeros, layers u32, first items u64, rate f64; then for each
//! layer bits u64, functions u32, zero u32, items u64, designed items u64, designed rate f64.
//! Content: the lines of the layers, one behind the other.

use super::{GrowingFilter, MAX_LAYERS};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::Design;
use crate::filter::bloom::{BitLayout, Bloom, read_layout};
use crate::hash::Record;
use crate::memory::{Storage, line};
use crate::prelude::*;
use crate::{Error, Result};

impl<L: BitLayout, S: Storage> Stored for GrowingFilter<L, S> {
    type Storage = S;
    const KIND: Kind = Kind::Growing;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let parameters = Parameters::new().u8(L::CODE).u8(0).u16(0);
        let mut parameters = self.design.write(parameters.u32(self.layers.len() as u32));
        for layer in &self.layers {
            parameters = parameters.u64(layer.bits()).u32(layer.hashes()).u32(0);
            parameters = layer.design().write(parameters.u64(layer.len()));
        }
        let Self { hash, keys: Record(keys), items, .. } = *self;
        let header = Header { kind: Kind::Growing, hash, keys, items, parameters };
        let content: Vec<&[u8]> =
            self.layers.iter().map(|layer| line::bytes_of(layer.lines())).collect();
        header.write(out, &content)
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let code = fields.u8()?;
        if code != L::CODE {
            let got = format!("a growing filter with layers of layout {code}");
            let expected = if L::CODE == 1 { "the classic layout" } else { "the blocked layout" };
            return Err(Error::WrongKind { expected, got });
        }
        fields.zeros(3)?;
        let count = fields.u32()? as usize;
        if !(1..=MAX_LAYERS).contains(&count) {
            return Err(Error::malformed("the number of layers", "between 1 and 40", count));
        }
        let design = Design::read(&mut fields)?;
        let mut layers = Vec::with_capacity(count);
        for _ in 0..count {
            let bits = fields.u64()?;
            let hashes = fields.u32()?;
            fields.zeros(4)?;
            let items = fields.u64()?;
            let made_for = Design::read(&mut fields)?;
            let layout: L = read_layout(bits, hashes)?;
            // The next layer follows from these: a small file must not ask for a large one.
            if made_for.items > bits || made_for.items < design.items {
                return Err(Error::malformed(
                    "the items of a layer",
                    format!("between {} and {bits}", design.items),
                    made_for.items,
                ));
            }
            let storage = lines.take(layout.lines() as u64)?;
            let keys = file.keys();
            layers.push(Bloom::assemble(layout, file.hash(), made_for, keys, items, storage));
        }
        fields.finish()?;
        let keys = Record(file.keys());
        Ok(Self { hash: file.hash(), design, keys, items: file.items(), layers })
    }

    fn check(&self) -> Result<()> {
        self.layers.iter().try_for_each(Stored::check)
    }
}
