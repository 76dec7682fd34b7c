//! How a structure is described in a file: bits, layers, and for each layer the bits of its number of shards, doubled, plus
//! one if it is the last; of a last layer the attempt that fitted and its words, of others the buckets of each
//! shard. Numbers are varints.
//!
//! A description stands in the parameters of a file behind a zero if it is short. If it is long, its length stands
//! there, and the content begins with it.

use super::{Layer, MAX_BITS, Ribbon, Shape, WORD};
use crate::codec::{ALIGNMENT, Fields, File, Header, Parameters};
use crate::filter::line::bytes_of;
use crate::filter::stored::Lines;
use crate::filter::{Line, WORDS};
use crate::{Error, Result};
use std::io::Write;

/// The most layers of a structure: each has a few percent of the keys of the one before.
const MOST_LAYERS: u64 = 64;

/// Shards are at most two to this power.
const MOST_SHARD_BITS: u64 = 24;

/// A longer description is in the content.
const MOST_IN_HEADER: usize = 4096;

/// Writes a file: a header, to whose parameters the description is added, and the words of the structures.
pub(crate) fn write_described(
    mut header: Header,
    description: &Parameters,
    lines: &[Line],
    out: &mut dyn Write,
) -> Result<()> {
    let description = description.as_bytes();
    let (within, outside) = match description.len() <= MOST_IN_HEADER {
        true => (description, &[][..]),
        false => (&[][..], description),
    };
    header.parameters = header.parameters.varint(outside.len() as u64).bytes(within);
    header.write(out, &[outside, bytes_of(lines)])
}

impl Ribbon {
    /// Appends the description.
    pub fn describe(&self, mut list: Parameters) -> Parameters {
        list = list.varint(u64::from(self.bits)).varint(self.layers.len() as u64);
        for layer in &self.layers {
            list = list.varint(u64::from(2 * layer.shard_bits + u32::from(layer.last)));
            if layer.last {
                list = list.varint(u64::from(layer.attempt));
            }
            let unit = if layer.last { 1 } else { self.shape().bucket_words() as u32 };
            for pair in layer.starts.windows(2) {
                list = list.varint(u64::from((pair[1] - pair[0]) / unit));
            }
        }
        list
    }
}

/// Reads descriptions of structures whose words follow each other.
pub(crate) struct Reader<'a> {
    pub fields: Fields<'a>,
    /// Where the words of the next layer begin.
    next: usize,
}

impl<'a> Reader<'a> {
    /// The description of a file that [`write_described`] has written, whose parameters were read up to there.
    pub fn open<S>(
        file: &File<'a>,
        mut fields: Fields<'a>,
        lines: &mut Lines<'_, S>,
    ) -> Result<Self> {
        let outside = fields.varint()?;
        if outside > 0 {
            fields.finish()?;
            let length = outside.try_into().unwrap_or(usize::MAX);
            let Some(bytes) = file.content().get(..length) else {
                return Err(Error::malformed("the description", "within the file", outside));
            };
            lines.take(outside.div_ceil(ALIGNMENT as u64))?;
            fields = Fields::new(bytes);
        }
        Ok(Self { fields, next: 0 })
    }

    /// Ends the reading; the words of all structures are taken.
    pub fn finish<S>(self, lines: &mut Lines<'_, S>) -> Result<S> {
        self.fields.finish()?;
        lines.take((self.next as u64).div_ceil(WORDS as u64))
    }

    /// A structure.
    pub fn ribbon(&mut self) -> Result<Ribbon> {
        let (bits, layers) = (self.fields.varint()?, self.fields.varint()?);
        if !(1..=u64::from(MAX_BITS)).contains(&bits) || !(1..=MOST_LAYERS).contains(&layers) {
            return Err(Error::malformed("a structure", "1 to 32 bits and 1 to 64 layers", bits));
        }
        let mut ribbon = Ribbon { bits: bits as u32, layers: Vec::new() };
        for number in 0..layers {
            let mut layer = self.layer(Shape::of(bits as u32), number + 1 == layers)?;
            let solution = layer.slot_words().checked_mul(bits as usize);
            let thresholds = solution.and_then(|words| words.checked_add(layer.solution));
            let end = thresholds.zip(layer.end(ribbon.bits));
            (layer.thresholds, self.next) =
                end.ok_or_else(|| Error::malformed("a layer", "fewer words", bits))?;
            ribbon.layers.push(layer);
        }
        Ok(ribbon)
    }

    /// A layer; the final one may be one from which keys are bumped, if none was.
    fn layer(&mut self, shape: &'static Shape, is_final: bool) -> Result<Layer> {
        let kind = self.fields.varint()?;
        let (shard_bits, last) = (kind / 2, kind % 2 == 1);
        if shard_bits > MOST_SHARD_BITS || (last && (shard_bits != 0 || !is_final)) {
            return Err(Error::malformed("the bits of shards", "at most 24", kind));
        }
        let attempt = if last { self.fields.varint()? } else { 0 };
        let unit = if last { 1 } else { shape.bucket_words() as u64 };
        let mut starts = vec![0u32];
        for _ in 0..1u32 << shard_bits {
            let words = self.fields.varint()?.checked_mul(unit);
            let words = words.filter(|words| *words >= (shape.width / WORD) as u64);
            let before = u64::from(starts[starts.len() - 1]);
            let end = words.and_then(|words| u32::try_from(before.checked_add(words)?).ok());
            starts.push(end.ok_or_else(|| {
                Error::malformed("a shard", "as many slots as an equation has, or more", before)
            })?);
        }
        let attempt = u32::try_from(attempt)
            .map_err(|_| Error::malformed("an attempt", "a small number", attempt))?;
        let shard_bits = shard_bits as u32;
        let (solution, thresholds) = (self.next, self.next);
        Ok(Layer { shard_bits, attempt, last, starts, solution, thresholds })
    }
}
