//! Cascades as files: kind 9.
//!
//! Parameters: the number of words, and the length of the description if that is in the content, or 0 and then the description itself, which is
//! so if it is short. Content: the description, if it is there, filled up with zeros to whole lines, then the words of all structures, likewise.
//! Numbers are varints: seven bits in a byte, the lowest first.
//!
//! The description: categories, filters, bits to refuse by; for each category the length of its name, the name, its keys, the length of its
//! code; for each filter its category; then the structures (that which refuses, if there is one, those of the filters, those of the
//! code), each with bits, layers, and for each layer the bits of its number of shards, doubled, plus one if it is the last; of a last layer
//! the attempt that fitted and its words, of others the buckets of each shard.

use super::code::{Code, FilterStep};
use super::exact::{Cascade, REJECT, salt};
use super::ribbon::{BUCKET, Layer, MAX_BITS, Ribbon, WIDTH, WORD, layer_seed};
use super::train::MAX_CATEGORIES;
use crate::codec::{ALIGNMENT, Fields, File, Header, Kind, Parameters};
use crate::{Error, Result};
use std::io::Write;

/// The most layers of a structure: each has a twenty-fifth of the keys of the one before.
const MOST_LAYERS: u64 = 64;

/// Shards are at most two to this power.
const MOST_SHARD_BITS: u64 = 24;

const WORDS_PER_BUCKET: u32 = (BUCKET / WORD) as u32;

/// A longer description is in the content.
const MOST_IN_HEADER: usize = 4096;

impl Cascade {
    /// Writes the file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let description = self.description();
        let parameters = Parameters::new().varint(self.words.len() as u64);
        let words: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let within = description.as_bytes().len() <= MOST_IN_HEADER;
        let (parameters, description) = match within {
            true => (parameters.varint(0).bytes(description.as_bytes()), &[][..]),
            false => {
                let outside = description.as_bytes();
                (parameters.varint(outside.len() as u64), outside)
            }
        };
        let items = self.counts.iter().sum();
        let header = Header { kind: Kind::Cascade, hash: self.hash, items, parameters };
        header.write(out, &[description, &words])
    }

    fn description(&self) -> Parameters {
        let mut list = Parameters::new()
            .varint(self.names.len() as u64)
            .varint(self.filters.len() as u64)
            .varint(u64::from(self.reject_bits()));
        for ((name, count), length) in self.names.iter().zip(&self.counts).zip(&self.lengths) {
            list = list.varint(name.len() as u64).bytes(name).varint(*count).u8(*length);
        }
        for (step, _) in &self.filters {
            list = list.varint(u64::from(step.category));
        }
        for ribbon in self.ribbons() {
            list = list.varint(u64::from(ribbon.bits)).varint(ribbon.layers.len() as u64);
            for layer in &ribbon.layers {
                list = list.varint(u64::from(2 * layer.shard_bits + u32::from(layer.last)));
                if layer.last {
                    list = list.varint(u64::from(layer.attempt));
                }
                let unit = if layer.last { 1 } else { WORDS_PER_BUCKET };
                for pair in layer.starts.windows(2) {
                    list = list.varint(u64::from((pair[1] - pair[0]) / unit));
                }
            }
        }
        list
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
        let words = fields.varint()?;
        let outside = fields.varint()?;
        let in_lines = |bytes: u64| bytes.checked_next_multiple_of(ALIGNMENT as u64);
        let size = in_lines(outside).zip(words.checked_mul(8).and_then(in_lines));
        let content = file.content();
        let expected = content.len() as u64;
        let Some((start, _)) = size.filter(|(a, b)| a.checked_add(*b) == Some(expected)) else {
            return Err(Error::malformed("the length of the parts", expected, outside));
        };
        let (content, of_words) = content.split_at(start as usize);
        let (of_words, _) = of_words.as_chunks::<8>();
        let words: Vec<u64> =
            of_words.iter().take(words as usize).map(|word| u64::from_le_bytes(*word)).collect();
        if outside > 0 {
            fields.finish()?;
            fields = Fields::new(&content[..outside as usize]);
        }
        let mut reader = Reader { fields, next: 0 };
        let (categories, filters) = (reader.number()?, reader.number()?);
        let reject = reader.number()?;
        if categories == 0 || categories > MAX_CATEGORIES as u64 {
            return Err(Error::malformed("the number of categories", "1 to 65,536", categories));
        }
        let (mut names, mut counts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..categories {
            let length = reader.number()?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            names.push(reader.fields.bytes(length)?.to_vec());
            counts.push(reader.number()?);
            lengths.push(reader.fields.u8()?);
        }
        let total = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        if total != Some(file.items()) {
            return Err(Error::malformed("the number of keys", file.items(), "others"));
        }
        let mut of_filters = Vec::new();
        for _ in 0..filters {
            let category = reader.number()?;
            if category >= categories {
                return Err(Error::malformed("a category", categories, category));
            }
            of_filters.push(category as u32);
        }
        let reject_by = if reject == 0 { None } else { Some(reader.ribbon(salt(REJECT))?) };
        if reject_by.as_ref().is_some_and(|ribbon| u64::from(ribbon.bits) != reject) {
            return Err(Error::malformed("the bits to refuse by", reject, "others"));
        }
        let mut with_filters = Vec::new();
        for (index, category) in of_filters.into_iter().enumerate() {
            let ribbon = reader.ribbon(salt(index))?;
            with_filters.push((FilterStep { category, bits: ribbon.bits }, ribbon));
        }
        let code = Code::new(&lengths)
            .ok_or_else(|| Error::malformed("the lengths of codes", "a prefix code", "none"))?;
        let mut of_steps = Vec::new();
        for (index, bits) in code.steps().enumerate() {
            let ribbon = reader.ribbon(salt(REJECT + 1 + index))?;
            if ribbon.bits != bits {
                return Err(Error::malformed("the bits of a step", bits, ribbon.bits));
            }
            of_steps.push(ribbon);
        }
        if reader.next != words.len() {
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
    fn number(&mut self) -> Result<u64> {
        self.fields.varint()
    }

    fn ribbon(&mut self, seed: u64) -> Result<Ribbon> {
        let (bits, layers) = (self.number()?, self.number()?);
        if !(1..=u64::from(MAX_BITS)).contains(&bits) || !(1..=MOST_LAYERS).contains(&layers) {
            return Err(Error::malformed("a structure", "1 to 32 bits and 1 to 64 layers", bits));
        }
        let mut ribbon = Ribbon { bits: bits as u32, layers: Vec::new() };
        for number in 0..layers {
            let layer = self.layer(number + 1 == layers, layer_seed(seed, number as usize))?;
            let words = layer.solution_words(ribbon.bits).checked_add(layer.threshold_words());
            let next = words.and_then(|words| self.next.checked_add(words));
            self.next = next.ok_or_else(|| Error::malformed("a layer", "fewer words", bits))?;
            ribbon.layers.push(layer);
        }
        Ok(ribbon)
    }

    /// A layer; the final one may be one from which keys are bumped, if none was.
    fn layer(&mut self, is_final: bool, seed: u64) -> Result<Layer> {
        let kind = self.number()?;
        let (shard_bits, last) = (kind / 2, kind % 2 == 1);
        if shard_bits > MOST_SHARD_BITS || (last && (shard_bits != 0 || !is_final)) {
            return Err(Error::malformed("the bits of shards", "at most 24", kind));
        }
        let attempt = if last { self.number()? } else { 0 };
        let unit = if last { 1 } else { u64::from(WORDS_PER_BUCKET) };
        let mut starts = vec![0u32];
        for _ in 0..1u32 << shard_bits {
            let words = self
                .number()?
                .checked_mul(unit)
                .filter(|words| words * WORD as u64 >= WIDTH as u64);
            let before = u64::from(starts[starts.len() - 1]);
            let end = words.and_then(|words| u32::try_from(before.checked_add(words)?).ok());
            starts
                .push(end.ok_or_else(|| Error::malformed("a shard", "128 slots or more", before))?);
        }
        let attempt = u32::try_from(attempt)
            .map_err(|_| Error::malformed("an attempt", "a small number", attempt))?;
        let shard_bits = shard_bits as u32;
        Ok(Layer {
            shard_bits,
            seed: seed.wrapping_add(u64::from(attempt)),
            attempt,
            last,
            starts,
            offset: self.next,
        })
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
