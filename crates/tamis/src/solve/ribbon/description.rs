//! How a structure is described in a file: the bits of its values, plus 32 if they are uneven, layers, and for each layer the bits of
//! its number of shards, doubled, plus one if it is the last; of a last layer the attempt that fitted and its words, of others the buckets of a shard.
//! Numbers are varints.
//!
//! A description stands in the parameters of a file behind a zero if it is short. If it is long, its length stands
//! there, and the content begins with it.

use super::{Layer, Lengths, MAX_BITS, Ribbon, Values, WORD, twist};
use crate::codec::Write;
use crate::codec::stored::Lines;
use crate::codec::{ALIGNMENT, Fields, File, Header, Parameters};
use crate::memory::line::bytes_of;
use crate::memory::{Line, WORDS};
use crate::{Error, Result};

/// The most layers of a structure: each has a few percent of the keys of the one before.
const MOST_LAYERS: u64 = 64;

/// Shards are at most two to this power.
const MOST_SHARD_BITS: u64 = 24;

/// A layer has at most so many words of slots, so that no number of words or slots overflows; every memory is smaller.
const MOST_WORDS: usize = usize::MAX >> 12;

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

/// What stands for values.
fn code(values: Values) -> u64 {
    let kind = match values.lengths {
        Lengths::Even => 0,
        Lengths::Uneven => MAX_BITS,
    };
    u64::from(values.bits + kind)
}

/// The words by which a shard is measured.
const fn unit(values: Values, last: bool) -> usize {
    if last { 1 } else { values.shape().bucket_words() }
}

impl Ribbon {
    /// Appends the description.
    pub fn describe(&self, mut list: Parameters) -> Parameters {
        list = list.varint(code(self.values)).varint(self.layers() as u64);
        for layer in core::iter::once(&self.first).chain(&self.later) {
            list = list.varint(u64::from(2 * layer.shard_bits + u32::from(layer.last)));
            if layer.last {
                list = list.varint(u64::from(layer.attempt));
            }
            list = list.varint((layer.shard_words / unit(self.values, layer.last)) as u64);
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

    /// A structure of even or uneven values.
    pub fn ribbon(&mut self) -> Result<Ribbon> {
        let bits = self.fields.varint()?;
        let values = match u32::try_from(bits).unwrap_or(0) {
            even @ 1..=MAX_BITS => Values::even(even),
            uneven if (1..=MAX_BITS).contains(&uneven.wrapping_sub(MAX_BITS)) => {
                Values::uneven(uneven - MAX_BITS)
            }
            _ => return Err(Error::malformed("the bits of a structure", "1 to 32", bits)),
        };
        self.layers(values)
    }

    /// A structure of these values.
    pub fn ribbon_of(&mut self, values: Values) -> Result<Ribbon> {
        let got = self.fields.varint()?;
        if got != code(values) {
            return Err(Error::malformed("the bits of a structure", code(values), got));
        }
        self.layers(values)
    }

    fn layers(&mut self, values: Values) -> Result<Ribbon> {
        let layers = self.fields.varint()?;
        if !(1..=MOST_LAYERS).contains(&layers) {
            return Err(Error::malformed("the layers of a structure", "1 to 64", layers));
        }
        let first = self.layer(values, layers == 1)?;
        let later = (1..layers).map(|number| self.layer(values, number + 1 == layers));
        Ok(Ribbon { values, first, later: later.collect::<Result<_>>()? })
    }

    /// A layer; the final one may be one from which keys are bumped, if none was.
    fn layer(&mut self, values: Values, is_final: bool) -> Result<Layer> {
        let kind = self.fields.varint()?;
        let (shard_bits, last) = (kind / 2, kind % 2 == 1);
        if shard_bits > MOST_SHARD_BITS || (last && (shard_bits != 0 || !is_final)) {
            return Err(Error::malformed("the bits of shards", "at most 24", kind));
        }
        let attempt = if last { self.fields.varint()? } else { 0 };
        let attempt = u32::try_from(attempt)
            .map_err(|_| Error::malformed("an attempt", "a small number", attempt))?;
        let units = self.fields.varint()?;
        let shard_words = usize::try_from(units)
            .ok()
            .and_then(|units| units.checked_mul(unit(values, last)))
            .filter(|words| (values.reach() / WORD..=MOST_WORDS >> shard_bits).contains(words))
            .ok_or_else(|| {
                Error::malformed("a shard", "as many slots as a key has, or some more", units)
            })?;
        let (shard_bits, twist) = (shard_bits as u32, twist(attempt));
        let (solution, thresholds) = (self.next, self.next);
        let mut layer = Layer {
            shard_bits,
            shard_words,
            starts: values.starts(shard_words),
            attempt,
            twist,
            last,
            solution,
            thresholds,
        };
        let too_large = || Error::malformed("a layer", "fewer words", units);
        let end = solution.checked_add(layer.row(values, layer.slot_words()));
        layer.thresholds = end.ok_or_else(too_large)?;
        let buckets = if last { 0 } else { layer.slot_words() / unit(values, last) };
        let end = layer.thresholds.checked_add((2 * buckets).div_ceil(WORD));
        self.next = end.ok_or_else(too_large)?;
        Ok(layer)
    }
}
