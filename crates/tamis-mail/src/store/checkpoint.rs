//! The tables of a store at one moment, as a file of kind 8 (`docs/format.md` has every byte).
//!
//! Opening it costs the same for any size: tables are mapped and read where a message needs them.

use super::journal::Identity;
use super::ledger::{Ledger, Row};
use crate::cuts::Cuts;
use crate::features;
use crate::filter::{Filter, MAX_LABELS};
use crate::labels::{self, Label, LabelTotals};
use crate::model::{BITS, Cell, Correction, Masses, Model, Totals, correction_bits, pace};
use crate::neighbours::{Neighbour, Neighbours};
use crate::senders::Senders;
use crate::stages::{STAGES, Stage};
use crate::table::Table;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tamis::codec::{self, Fields, Header, Kind, Parameters};
use tamis::hash::KeyHash;
use tamis_corpus::files::{PrivateCopy, write_atomically};

/// The name of the file in its store.
pub(crate) const NAME: &str = "tables.tamis";

/// Parts of the content start at multiples of this.
const LINE: usize = codec::ALIGNMENT;

/// What the owner of a store has chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The part of the ham that may be lost.
    pub ham_lost: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { ham_lost: 0.001 }
    }
}

/// What is small, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Small {
    settings: Settings,
    cuts: Cuts,
    totals: Totals,
    labels: Vec<SmallLabel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SmallLabel {
    name: Option<String>,
    totals: LabelTotals,
}

/// The parameters of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Description {
    bits: u32,
    features: u16,
    labels: u16,
    generation: u64,
    journal: u64,
    rows: u64,
    neighbours: u64,
    small: u64,
}

impl Description {
    fn write(self) -> Parameters {
        Parameters::new()
            .u32(self.bits)
            .u16(self.features)
            .u16(self.labels)
            .u64(self.generation)
            .u64(self.journal)
            .u64(self.rows)
            .u64(self.neighbours)
            .u64(self.small)
    }

    fn read(mut fields: Fields<'_>) -> tamis::Result<Self> {
        let read = Self {
            bits: fields.u32()?,
            features: fields.u16()?,
            labels: fields.u16()?,
            generation: fields.u64()?,
            journal: fields.u64()?,
            rows: fields.u64()?,
            neighbours: fields.u64()?,
            small: fields.u64()?,
        };
        fields.finish()?;
        Ok(read)
    }
}

/// What is wrong with the file of tables. Whatever it is if not of Tamis, its owner has asked for a store.
fn unsound(path: &Path, source: tamis::Error) -> Error {
    let name = path.to_owned();
    match source {
        tamis::Error::NotTamis { .. } => {
            Error::Damaged { name, at: 0, what: "it does not begin like a file of Tamis" }
        }
        source => Error::Unsound { name, source },
    }
}

/// Where the parts of the content are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layout {
    small: Range<usize>,
    senders: Range<usize>,
    heads: Range<usize>,
    neighbours: Range<usize>,
    rows: Range<usize>,
    masses: Range<usize>,
    corrections: [Range<usize>; STAGES],
    labels: Vec<Range<usize>>,
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    bits: u32,
    small: usize,
    neighbours: usize,
    rows: usize,
    labels: usize,
}

impl Layout {
    fn new(start: usize, sizes: Sizes) -> Option<Self> {
        let mut at = start;
        let mut part = |count: usize, size: usize| {
            let bytes = count.checked_mul(size)?;
            let range = at..at.checked_add(bytes)?;
            at = range.end.checked_next_multiple_of(LINE)?;
            Some(range)
        };
        let Sizes { bits, small, neighbours, rows, labels } = sizes;
        let (small, senders) =
            (part(small, 1)?, part(Senders::counters_for(bits), size_of::<i32>())?);
        let heads = part(Neighbours::chains_for(bits), size_of::<u32>())?;
        let neighbours = part(neighbours, size_of::<Neighbour>())?;
        let rows = part(rows, size_of::<Row>())?;
        let masses = part(1 << bits, size_of::<Cell>())?;
        let mut corrections = [const { 0..0 }; STAGES];
        for (stage, range) in Stage::ALL.into_iter().zip(&mut corrections) {
            *range = part(1 << correction_bits(stage, bits), size_of::<Cell>())?;
        }
        let label = |_| part(1 << (bits - labels::SHIFT), size_of::<i32>());
        let labels = (0..labels).map(label).collect::<Option<Vec<_>>>()?;
        Some(Self { small, senders, heads, neighbours, rows, masses, corrections, labels, end: at })
    }
}

/// A checkpoint that is open.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: PathBuf,
    bytes: PrivateCopy,
    layout: Layout,
    pub identity: Identity,
    /// The tables are those of the journal up to here.
    pub journal: u64,
    pub settings: Settings,
}

impl Checkpoint {
    /// Opens the checkpoint of a store, and the filter that it holds.
    pub fn open(folder: &Path) -> Result<(Self, Filter)> {
        let path = folder.join(NAME);
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoStore { name: folder.to_owned(), file: NAME });
            }
            opened => opened.map_err(|source| Error::Read { name: path.clone(), source })?,
        };
        let damaged = |what| Error::Damaged { name: path.clone(), at: 0, what };
        let empty = file.metadata().map_or(0, |metadata| metadata.len()) == 0;
        if empty {
            return Err(damaged("it is empty"));
        }
        let bytes = PrivateCopy::of(&file, &path)?;
        let header = codec::File::open(&bytes).map_err(|source| unsound(&path, source))?;
        if header.kind() != Kind::Mail {
            return Err(damaged("it holds something else than the tables of a mail store"));
        }
        let described = Description::read(header.parameters());
        let Description { bits, features, labels, generation, journal, rows, neighbours, small } =
            described.map_err(|source| unsound(&path, source))?;
        let labels = usize::from(labels);
        if features != features::VERSION {
            let (expected, got) = (features::VERSION, features);
            return Err(Error::Features { name: folder.to_owned(), expected, got });
        }
        if !BITS.contains(&bits) || labels >= MAX_LABELS {
            return Err(damaged("the size of its tables is absurd"));
        }
        let (small, neighbours, rows) = (small as usize, neighbours as usize, rows as usize);
        let sizes = Sizes { bits, small, neighbours, rows, labels };
        let layout = Layout::new(header.content_start(), sizes)
            .filter(|layout| layout.end == bytes.len())
            .ok_or_else(|| damaged("its length is not that of its parts"))?;
        let seed = header.hash().seed();
        let small: Small = serde_json::from_slice(&bytes[layout.small.clone()])
            .map_err(|_| damaged("its settings cannot be read"))?;
        if small.labels.len() != labels {
            return Err(damaged("it has another number of labels than of tables"));
        }
        let identity = Identity { features, bits, seed, generation };
        let settings = small.settings;
        let checkpoint = Self { path: path.clone(), bytes, layout, identity, journal, settings };
        let filter = checkpoint.filter(&file, small)?;
        Ok((checkpoint, filter))
    }

    fn filter(&self, file: &File, small: Small) -> Result<Filter> {
        let layout = &self.layout;
        let masses = Masses::from_parts(self.table(file, &layout.masses)?, small.totals);
        let mut corrections = Vec::with_capacity(STAGES);
        for (stage, range) in Stage::ALL.into_iter().zip(&layout.corrections) {
            corrections.push(Correction::from_parts(pace(stage), self.table(file, range)?));
        }
        let Ok(corrections) = corrections.try_into() else { unreachable!("one for each stage") };
        let mut labels = Vec::with_capacity(small.labels.len());
        for (SmallLabel { name, totals }, range) in small.labels.into_iter().zip(&layout.labels) {
            labels.push(Label::from_parts(name, self.table(file, range)?, totals));
        }
        let model = Model::from_parts(masses, corrections);
        let senders = Senders::from_parts(self.table(file, &layout.senders)?);
        let heads = self.table(file, &layout.heads)?;
        let neighbours = Neighbours::from_parts(heads, self.table(file, &layout.neighbours)?);
        let bits = self.identity.bits;
        Ok(Filter::from_parts(bits, model, small.cuts, labels, senders, neighbours))
    }

    fn table<T: bytemuck::Pod>(&self, file: &File, range: &Range<usize>) -> Result<Table<T>> {
        let copy = PrivateCopy::of(file, &self.path)?;
        Table::mapped(copy, range.clone()).ok_or_else(|| Error::Damaged {
            name: self.path.clone(),
            at: range.start as u64,
            what: "a table is not where it should be",
        })
    }

    /// Compares the checksum of everything.
    pub fn verify(&self) -> Result<()> {
        let sound = codec::File::open(&self.bytes).and_then(|file| file.verify());
        sound.map_err(|source| unsound(&self.path, source))
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// How many messages it knows.
    pub const fn messages(&self) -> usize {
        (self.layout.rows.end - self.layout.rows.start) / size_of::<Row>()
    }

    /// What is known of each learned message.
    pub fn ledger(&self) -> Ledger {
        let rows: &[Row] = bytemuck::cast_slice(&self.bytes[self.layout.rows.clone()]);
        let mut ledger = Ledger::default();
        rows.iter().for_each(|row| ledger.push_row(*row));
        ledger
    }
}

/// Writes a checkpoint: the same bytes for the same messages in the same order.
pub(crate) fn write(
    folder: &Path,
    identity: Identity,
    journal: u64,
    settings: Settings,
    filter: &Filter,
    ledger: &Ledger,
) -> Result<()> {
    let neighbours = filter.neighbours().compacted();
    let messages = neighbours.messages();
    let labels = filter.labels().iter();
    let labels = labels.map(|label| SmallLabel { name: label.name.clone(), totals: label.totals() });
    let (cuts, totals) = (*filter.cuts(), filter.model().masses().totals());
    let small = Small { settings, cuts, totals, labels: labels.collect() };
    let small = serde_json::to_vec(&small).unwrap_or_default();
    let rows: Vec<Row> = ledger.iter().copied().collect();
    let described = Description {
        bits: identity.bits,
        features: identity.features,
        labels: filter.labels().len() as u16,
        generation: identity.generation,
        journal,
        rows: rows.len() as u64,
        neighbours: messages.len() as u64,
        small: small.len() as u64,
    };
    let (hash, parameters) = (KeyHash::new(identity.seed), described.write());
    let header = Header { kind: Kind::Mail, hash, items: rows.len() as u64, parameters };
    let mut parts: Vec<&[u8]> = vec![
        &small,
        bytemuck::cast_slice(filter.senders().counters()),
        bytemuck::cast_slice(neighbours.heads()),
        bytemuck::cast_slice(&messages),
        bytemuck::cast_slice(&rows),
        bytemuck::cast_slice(filter.model().masses().cells()),
    ];
    for stage in Stage::ALL {
        parts.push(bytemuck::cast_slice(filter.model().correction(stage).cells()));
    }
    parts.extend(filter.labels().iter().map(|label| bytemuck::cast_slice(label.cells())));
    write_atomically(&folder.join(NAME), |out| header.write(out, &parts).map_err(Error::from))
}
