//! Bloom filters as files: kind 1.
//!
//! Parameters: layout u8 (1 classic, 2 blocked), three zeros, functions u32, bits u64,
//! designed items u64, designed rate f64. Content: the lines.

use super::count::Count;
use super::{BitLayout, Bloom, Storage, line};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::Design;
use crate::hash::{KeyHash, KeyKinds, Record};
use crate::memory::Line;
use crate::{Error, Result};

impl<L: BitLayout, S: Storage> Stored for Bloom<L, S> {
    type Storage = S;
    const KIND: Kind = Kind::Bloom;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let parameters = Parameters::new().u8(L::CODE).u8(0).u16(0);
        let parameters = parameters.u32(self.hashes()).u64(self.bits());
        let parameters = self.design.write(parameters);
        let header = Header {
            kind: Kind::Bloom,
            hash: self.hash,
            keys: self.keys.0,
            items: self.items.get(),
            parameters,
        };
        header.write(out, &[line::bytes_of(self.lines())])
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let code = fields.u8()?;
        if code != L::CODE {
            let got = format!("a Bloom filter of layout {code}");
            let expected = if L::CODE == 1 { "the classic layout" } else { "the blocked layout" };
            return Err(Error::WrongKind { expected, got });
        }
        fields.zeros(3)?;
        let hashes = fields.u32()?;
        let layout: L = read_layout(fields.u64()?, hashes)?;
        let design = Design::read(&mut fields)?;
        fields.finish()?;
        let storage = lines.take(layout.lines() as u64)?;
        Ok(Self::assemble(layout, file.hash(), design, file.keys(), file.items(), storage))
    }

    fn check(&self) -> Result<()> {
        check_padding(self.bits(), self.lines())
    }
}

impl<L: BitLayout, S> Bloom<L, S> {
    pub(crate) fn assemble(
        layout: L,
        hash: KeyHash,
        design: Design,
        keys: KeyKinds,
        items: u64,
        storage: S,
    ) -> Self {
        Self { layout, hash, design, keys: Record(keys), items: Count::new(items), storage }
    }
}

/// Turns recorded bits and functions into a layout.
pub(crate) fn read_layout<L: BitLayout>(bits: u64, hashes: u32) -> Result<L> {
    let layout = L::for_bits(bits, hashes)?;
    if layout.bits() == bits {
        Ok(layout)
    } else {
        Err(Error::malformed("the number of bits", "whole lines", bits))
    }
}

/// The bits behind the last one that is used must be free.
pub(crate) fn check_padding(bits: u64, lines: &[Line]) -> Result<()> {
    let words: &[u64] = bytemuck::cast_slice(lines);
    for (index, &word) in words.iter().enumerate().skip((bits / 64) as usize) {
        let used = bits.saturating_sub(index as u64 * 64);
        if u64::from_le(word) >> used != 0 {
            return Err(Error::malformed("the padding behind the bits", "zero", "something else"));
        }
    }
    Ok(())
}
