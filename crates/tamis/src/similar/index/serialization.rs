//! Indexes as files: kind 7, version 2. Version 1 has a zero for the tokens.
//!
//! Parameters: components u32, method u8, shingle scheme u8, its length or language u8, lower case u8,
//! normalisation u8, tokens u8, zeros (2), bands u32, rows u32, hash of the shingles u16, zeros (6), its
//! seed u64, documents u64, entries u64, bytes of names u64. Content, each part filled up with zeros to
//! whole lines: components, hashes of bands, their documents, ends of names, order of names, names.

use super::base::Base;
use super::{Index, check_bands};
use crate::codec::stored::{Lines, Stored};
use crate::codec::{Fields, File, Header, Kind, Parameters};
use crate::hash::{Algorithm, KeyHash, KeyKinds};
use crate::memory::{Line, Storage};
use crate::similar::lsh::Bands;
use crate::similar::shingle::{Normalization, Tokens};
use crate::similar::{Method, Shingler, Shingles, Signer};
use crate::{Error, Result};
use std::io::Write;

/// Bytes in a line.
const LINE: usize = 64;

impl<S: Storage> Stored for Index<S> {
    type Storage = S;
    const KIND: Kind = Kind::Index;

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let documents: Vec<u32> = self.all().collect();
        let count = self.signer.components();
        let mut components = Vec::with_capacity(documents.len() * count * 4);
        let mut ends = Vec::with_capacity(documents.len() * 8);
        let mut names = Vec::new();
        for &number in &documents {
            let kept = self.components(number);
            for index in 0..count {
                components.extend(kept.get(index).copied().unwrap_or(0).to_le_bytes());
            }
            names.extend_from_slice(self.id(number).as_bytes());
            ends.extend((names.len() as u64).to_le_bytes());
        }
        let mut order: Vec<u32> = (0..documents.len() as u32).collect();
        order.sort_unstable_by_key(|&place| self.id(documents[place as usize]));
        let entries = self.renumbered(&documents);

        let parameters = self
            .recipe()
            .u64(documents.len() as u64)
            .u64(entries.len() as u64)
            .u64(names.len() as u64);
        let header = Header {
            kind: Kind::Index,
            hash: *self.signer.hash(),
            keys: KeyKinds::NONE,
            items: documents.len() as u64,
            parameters,
        };
        let hashes: Vec<u8> = entries.iter().flat_map(|(hash, _)| hash.to_le_bytes()).collect();
        let numbers: Vec<u8> = entries.iter().flat_map(|(_, n)| n.to_le_bytes()).collect();
        let order: Vec<u8> = order.iter().flat_map(|number| number.to_le_bytes()).collect();
        let parts = [components, hashes, numbers, ends, order, names];
        header.write(out, &parts.each_ref().map(Vec::as_slice))
    }

    fn parse(file: &File<'_>, lines: &mut Lines<'_, S>) -> Result<Self> {
        let mut fields = file.parameters();
        let components = fields.u32()? as usize;
        let method = Method::from_code(fields.u8()?)?;
        let scheme = [fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?];
        if file.version() == 1 && scheme[4] != 0 {
            return Err(Error::malformed("the tokens", "0 in version 1", scheme[4]));
        }
        fields.zeros(2)?;
        let bands = Bands { bands: fields.u32()? as usize, rows: fields.u32()? as usize };
        let hash = read_hash(&mut fields)?;
        let documents = fields.u64()?;
        let entries = fields.u64()?;
        let names = fields.u64()?;
        fields.finish()?;
        let signer = Signer::with_method(method, components)?.with_hash(file.hash());
        check_bands(&signer, bands)?;
        let shingler = read_shingler(scheme, hash)?;
        if documents >= u64::from(u32::MAX) || file.items() != documents {
            return Err(Error::malformed("the number of documents", file.items(), documents));
        }
        if entries > documents * bands.bands as u64 {
            let most = documents * bands.bands as u64;
            return Err(Error::malformed("the number of entries", most, entries));
        }
        let base = Base {
            documents: documents as usize,
            entries: entries as usize,
            components: lines.take((documents * components as u64 * 4).div_ceil(LINE as u64))?,
            hashes: lines.take((entries * 8).div_ceil(LINE as u64))?,
            numbers: lines.take((entries * 4).div_ceil(LINE as u64))?,
            ends: lines.take((documents * 8).div_ceil(LINE as u64))?,
            order: lines.take((documents * 4).div_ceil(LINE as u64))?,
            names: lines.take(names.div_ceil(LINE as u64))?,
        };
        Ok(Self::assemble(signer, bands, shingler, base))
    }
}

impl<S: Storage> Index<S> {
    /// The bands of these documents, sorted; a document is its place in the list.
    fn renumbered(&self, documents: &[u32]) -> Vec<(u64, u32)> {
        let place = |number: u32| documents.binary_search(&number).ok().map(|place| place as u32);
        let kept = self.base.entries();
        let mut entries: Vec<(u64, u32)> =
            kept.filter_map(|(hash, number)| Some((hash, place(number)?))).collect();
        for (number, added) in (self.base.len() as u32..).zip(&self.added) {
            if let Some(place) = place(number) {
                entries.extend(added.bands.iter().map(|&hash| (hash, place)));
            }
        }
        entries.sort_unstable();
        entries
    }

    fn recipe(&self) -> Parameters {
        let scheme = self.shingler.as_ref().map_or([0; 5], scheme_of);
        let hash = self.shingler.as_ref().map_or(KeyHash::default(), |shingler| *shingler.hash());
        let mut parameters =
            Parameters::new().u32(self.signer.components() as u32).u8(self.signer.method().code());
        for byte in scheme.into_iter().chain([0; 2]) {
            parameters = parameters.u8(byte);
        }
        parameters
            .u32(self.bands.bands as u32)
            .u32(self.bands.rows as u32)
            .u16(hash.algorithm().id())
            .u16(0)
            .u32(0)
            .u64(hash.seed())
    }
}

fn read_hash(fields: &mut Fields<'_>) -> Result<KeyHash> {
    let algorithm = Algorithm::from_id(fields.u16()?)?;
    fields.zeros(6)?;
    Ok(KeyHash::with_algorithm(algorithm, fields.u64()?))
}

/// Scheme, length or language, lower case, normalisation, tokens.
fn scheme_of(shingler: &Shingler) -> [u8; 5] {
    let (scheme, detail) = shingler.shingles().code();
    let normal = match shingler.normalization() {
        None => 0,
        Some(Normalization::Nfc) => 1,
        Some(Normalization::Nfkc) => 2,
    };
    let lower = u8::from(shingler.is_lowercase());
    [scheme, detail, lower, normal, shingler.tokens().code()]
}

fn read_shingler(
    [scheme, detail, lower, normal, tokens]: [u8; 5],
    hash: KeyHash,
) -> Result<Option<Shingler>> {
    if scheme == 0 {
        return Ok(None);
    }
    let shingles = Shingles::from_code(scheme, detail)
        .ok_or_else(|| Error::malformed("the shingle", "a known one", scheme))?;
    let normalization = match normal {
        0 => None,
        1 => Some(Normalization::Nfc),
        2 => Some(Normalization::Nfkc),
        other => return Err(Error::malformed("the normalisation", "0, 1 or 2", other)),
    };
    if lower > 1 {
        return Err(Error::malformed("lower case", "0 or 1", lower));
    }
    let tokens = Tokens::from_code(tokens)
        .ok_or_else(|| Error::malformed("the tokens", "0 or 1", tokens))?;
    let shingler = Shingler::new(shingles).lowercase(lower == 1).normalize(normalization);
    Ok(Some(shingler.tokens_as(tokens).with_hash(hash)))
}

impl Index {
    /// The index of a file that is used in place, in memory of its own.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn copied<S: Storage>(index: &Index<S>) -> Result<Self> {
        let mut bytes = Vec::new();
        index.write(&mut bytes)?;
        Self::from_bytes(&bytes)
    }
}

const _: () = assert!(size_of::<Line>() == LINE);
