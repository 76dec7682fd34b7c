//! Rotating filters as files: kind 4.
//!
//! Parameters: generations u32, current generation u32, functions u32, zero u32, bits of a
//! generation u64, designed items u64, designed rate f64, then the items of each generation u64.
//! Content: line 0 of each generation, line 1 of each, and so on.

use super::{Blocked, RotatingFilter, check_generations, total};
use crate::codec::Write;
use crate::codec::stored::{Lines, Stored};
use crate::codec::{File, Header, Kind, Parameters};
use crate::filter::Design;
use crate::filter::bloom::{BitLayout, read_layout};
use crate::hash::Record;
use crate::memory::{Storage, line};
use crate::prelude::*;
use crate::{Error, Result};

impl<S: Storage> Stored for RotatingFilter<S> {
    type Storage = S;
    const KIND: Kind = Kind::Rotating;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let parameters = Parameters::new().u32(self.generations()).u32(self.current);
        let parameters = parameters.u32(self.hashes()).u32(0).u64(self.layout.bits());
        let mut parameters = self.design.write(parameters);
        for &items in &self.items {
            parameters = parameters.u64(items);
        }
        let items = total(&self.items);
        let (hash, keys) = (self.hash, self.keys.0);
        let header = Header { kind: Kind::Rotating, hash, keys, items, parameters };
        header.write(out, &[line::bytes_of(self.storage.lines())])
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let generations = fields.u32()?;
        check_generations(generations)?;
        let current = fields.u32()?;
        if current >= generations {
            return Err(Error::malformed("the current generation", "one that exists", current));
        }
        let hashes = fields.u32()?;
        fields.zeros(4)?;
        let layout: Blocked = read_layout(fields.u64()?, hashes)?;
        let design = Design::read(&mut fields)?;
        let items = (0..generations).map(|_| fields.u64()).collect::<Result<Vec<u64>>>()?;
        fields.finish()?;
        if total(&items) != file.items() {
            return Err(Error::malformed(
                "the items of the generations",
                file.items(),
                "another sum",
            ));
        }
        let storage = lines.take((layout.lines() as u64).saturating_mul(u64::from(generations)))?;
        let keys = Record(file.keys());
        Ok(Self { layout, hash: file.hash(), design, current, keys, items, storage })
    }
}
