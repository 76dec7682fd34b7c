//! Cascades as files: kind 9.
//!
//! Parameters: keys u64, categories u32, filters u32, steps u32, reject bits u32, length of the description u64, words u64. Content: the
//! description, filled up with zeros to whole lines, then the words of all structures, likewise.
//!
//! The description: for each category the length of its name u32, the name, its keys u64, the length of its code u8; for each filter its
//! category u32; then the structures (that which refuses, if there is one, those of the filters, those of the code), each with bits
//! u32, layers u32, and for each layer shard bits u32, last u8, seed u64, words before each shard and before the end u32 each.

use super::code::{Code, FilterStep};
use super::exact::Cascade;
use super::ribbon::{BUCKET, Layer, MAX_BITS, Ribbon, WIDTH, WORD};
use super::train::MAX_CATEGORIES;
use crate::codec::{ALIGNMENT, Fields, File, Header, Kind, Parameters};
use crate::{Error, Result};
use std::io::Write;

/// The most layers of a structure: each has a twenty-fifth of the keys of the one before.
const MOST_LAYERS: u32 = 64;

/// Shards are at most two to this power.
const MOST_SHARD_BITS: u32 = 24;

impl Cascade {
    /// Writes the file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let mut description = Parameters::new();
        for ((name, count), length) in self.names.iter().zip(&self.counts).zip(&self.lengths) {
            description = description.u32(name.len() as u32).bytes(name).u64(*count).u8(*length);
        }
        for (step, _) in &self.filters {
            description = description.u32(step.category);
        }
        for ribbon in self.ribbons() {
            description = description.u32(ribbon.bits).u32(ribbon.layers.len() as u32);
            for layer in &ribbon.layers {
                description =
                    description.u32(layer.shard_bits).u8(u8::from(layer.last)).u64(layer.seed);
                description = layer.starts.iter().fold(description, |list, start| list.u32(*start));
            }
        }
        let parameters = Parameters::new()
            .u64(self.counts.iter().sum())
            .u32(self.names.len() as u32)
            .u32(self.filters.len() as u32)
            .u32(self.steps.len() as u32)
            .u32(self.reject_bits())
            .u64(description.as_bytes().len() as u64)
            .u64(self.words.len() as u64);
        let items = self.counts.iter().sum();
        let header = Header { kind: Kind::Cascade, hash: self.hash, items, parameters };
        let filled = |mut bytes: Vec<u8>| {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            bytes
        };
        let words = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parts = [filled(description.as_bytes().to_vec()), filled(words)];
        header.write(out, &parts.each_ref().map(Vec::as_slice))
    }

    fn ribbons(&self) -> impl Iterator<Item = &Ribbon> {
        let filters = self.filters.iter().map(|(_, ribbon)| ribbon);
        self.reject.iter().chain(filters).chain(&self.steps)
    }

    /// Reads a file; its content is not verified ([`File::verify`]).
    ///
    /// # Errors
    /// As [`File::open`], and [`Error::Malformed`] for what no cascade says.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::parse(&File::open(bytes)?)
    }

    fn parse(file: &File<'_>) -> Result<Self> {
        if file.kind() != Kind::Cascade {
            return Err(Error::malformed("kind", "cascade", file.kind().name()));
        }
        let mut fields = file.parameters();
        let keys = fields.u64()?;
        let (categories, filters, steps) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let reject = fields.u32()?;
        let (described, words) = (fields.u64()?, fields.u64()?);
        fields.finish()?;
        let in_lines = |bytes: u64| bytes.checked_next_multiple_of(ALIGNMENT as u64);
        let size = in_lines(described).zip(words.checked_mul(8).and_then(in_lines));
        let content = file.content();
        let expected = content.len() as u64;
        let Some((start, _)) = size.filter(|(a, b)| a.checked_add(*b) == Some(expected)) else {
            return Err(Error::malformed("the length of the parts", expected, described));
        };
        if categories == 0 || categories as usize > MAX_CATEGORIES {
            return Err(Error::malformed("the number of categories", "1 to 65,536", categories));
        }
        let (content, of_words) = content.split_at(start as usize);
        let (of_words, _) = of_words.as_chunks::<8>();
        let words: Vec<u64> =
            of_words.iter().take(words as usize).map(|word| u64::from_le_bytes(*word)).collect();
        let mut reader = Reader { fields: Fields::new(&content[..described as usize]), next: 0 };
        let (mut names, mut counts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..categories {
            let length = reader.fields.u32()?;
            names.push(reader.fields.bytes(length as usize)?.to_vec());
            counts.push(reader.fields.u64()?);
            lengths.push(reader.fields.u8()?);
        }
        let total = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        if total != Some(keys) || file.items() != keys {
            return Err(Error::malformed("the number of keys", keys, file.items()));
        }
        let mut of_filters = Vec::new();
        for _ in 0..filters {
            let category = reader.fields.u32()?;
            if category >= categories {
                return Err(Error::malformed("a category", categories, category));
            }
            of_filters.push(category);
        }
        let reject_by = if reject == 0 { None } else { Some(reader.ribbon()?) };
        if reject_by.as_ref().is_some_and(|ribbon| ribbon.bits != reject) {
            return Err(Error::malformed("the bits to refuse by", reject, "others"));
        }
        let mut with_filters = Vec::new();
        for category in of_filters {
            let ribbon = reader.ribbon()?;
            with_filters.push((FilterStep { category, bits: ribbon.bits }, ribbon));
        }
        let code = Code::new(&lengths)
            .ok_or_else(|| Error::malformed("the lengths of codes", "a prefix code", "none"))?;
        let mut of_steps = Vec::new();
        for bits in code.steps() {
            let ribbon = reader.ribbon()?;
            if ribbon.bits != bits {
                return Err(Error::malformed("the bits of a step", bits, ribbon.bits));
            }
            of_steps.push(ribbon);
        }
        if of_steps.len() != steps as usize || reader.next != words.len() {
            return Err(Error::malformed("the number of words", words.len(), reader.next));
        }
        reader.fields.finish()?;
        Ok(Self {
            hash: file.hash(),
            only: counts.iter().position(|count| *count > 0).unwrap_or(0) as u32,
            names,
            counts,
            reject: reject_by,
            filters: with_filters,
            lengths,
            code,
            steps: of_steps,
            words: words.into(),
        })
    }
}

struct Reader<'a> {
    fields: Fields<'a>,
    /// Where the words of the next layer begin.
    next: usize,
}

impl Reader<'_> {
    fn ribbon(&mut self) -> Result<Ribbon> {
        let (bits, layers) = (self.fields.u32()?, self.fields.u32()?);
        if !(1..=MAX_BITS).contains(&bits) || !(1..=MOST_LAYERS).contains(&layers) {
            return Err(Error::malformed("a structure", "1 to 32 bits and 1 to 64 layers", bits));
        }
        let mut ribbon = Ribbon { bits, layers: Vec::new() };
        for number in 1..=layers {
            let layer = self.layer(number == layers)?;
            let words = layer.solution_words(bits).checked_add(layer.threshold_words());
            let next = words.and_then(|words| self.next.checked_add(words));
            self.next = next.ok_or_else(|| Error::malformed("a layer", "fewer words", bits))?;
            ribbon.layers.push(layer);
        }
        Ok(ribbon)
    }

    /// A layer; the final one may be one from which keys are bumped, if none was.
    fn layer(&mut self, is_final: bool) -> Result<Layer> {
        let shard_bits = self.fields.u32()?;
        let last = match self.fields.u8()? {
            0 => false,
            1 if is_final => true,
            other => return Err(Error::malformed("the end of layers", "0 or 1", other)),
        };
        let seed = self.fields.u64()?;
        if shard_bits > MOST_SHARD_BITS || (last && shard_bits != 0) {
            return Err(Error::malformed("the bits of shards", "at most 24", shard_bits));
        }
        let mut starts = Vec::new();
        for _ in 0..=1u32 << shard_bits {
            starts.push(self.fields.u32()?);
        }
        let whole = |pair: &[u32]| {
            let words = pair[1].saturating_sub(pair[0]) as usize;
            words * WORD >= WIDTH && (last || (words * WORD).is_multiple_of(BUCKET))
        };
        if starts[0] != 0 || !starts.windows(2).all(whole) {
            return Err(Error::malformed("a layer", "shards of whole buckets", shard_bits));
        }
        Ok(Layer { shard_bits, seed, last, starts, offset: self.next })
    }
}

#[cfg(test)]
mod tests {
    use crate::cascade::{Cascade, Trainer};
    use crate::codec::File;
    use crate::hash::KeyHash;

    fn file(reject: u32) -> Vec<u8> {
        let mut trainer = Trainer::new(KeyHash::new(1));
        for (category, size) in [("rare", 40), ("common", 3000), ("usual", 500)] {
            let number = trainer.category(category).unwrap();
            (0..size)
                .for_each(|key| trainer.insert(number, format!("{category} {key}").as_bytes()));
        }
        let cascade = trainer.build(reject).unwrap();
        let mut bytes = Vec::new();
        cascade.write(&mut bytes).unwrap();
        assert_eq!(Cascade::read(&bytes).unwrap(), cascade);
        bytes
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let bytes = file(7);
        let cascade = Cascade::read(&bytes).unwrap();
        assert_eq!(cascade.counts(), [40, 3000, 500]);
        assert_eq!(cascade.reject_bits(), 7);
        let name = |key: &str| cascade.classify(key.as_bytes()).category().map(|c| cascade.name(c));
        assert_eq!(name("usual 77"), Some(&b"usual"[..]));
        assert_eq!(name("rare 39"), Some(&b"rare"[..]));
    }

    #[test]
    fn every_change_is_refused_and_nothing_panics() {
        let whole = file(0);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x21;
            let verified = File::open(&bytes).and_then(|file| file.verify());
            assert!(verified.is_err(), "changed at {at}");
            // Without its checksum a changed content may still say anything.
            if let Ok(cascade) = Cascade::read(&bytes) {
                let _answer = cascade.classify(b"key");
            }
        }
        for end in 0..whole.len() {
            assert!(Cascade::read(&whole[..end]).is_err(), "cut at {end}");
        }
    }
}
