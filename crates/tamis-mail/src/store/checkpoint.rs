//! The tables of a store at one moment, as a file of kind 8 (`docs/format.md` has every byte).
//!
//! Opening it costs the same for any size: tables are mapped and read where a message needs them.

use super::journal::Identity;
use super::ledger::{Ledger, Row};
use crate::cuts::Cuts;
use crate::features;
use crate::filter::{Filter, Label, Learned, MAX_LABELS};
use crate::neighbours::{Neighbour, Neighbours};
use crate::senders::Senders;
use crate::table::Table;
use crate::words::{self, Cell, Totals, Words};
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
    labels: Vec<SmallLabel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SmallLabel {
    name: String,
    totals: Totals,
    cuts: Cuts,
}

/// The parameters of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Description {
    bits: u32,
    features: u16,
    tables: u16,
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
            .u16(self.tables)
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
            tables: fields.u16()?,
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
    surprises: Range<usize>,
    scores: Range<usize>,
    cells: Vec<Range<usize>>,
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    bits: u32,
    small: usize,
    neighbours: usize,
    rows: usize,
    tables: usize,
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
        let Sizes { bits, small, neighbours, rows, tables } = sizes;
        Some(Self {
            small: part(small, 1)?,
            senders: part(Senders::counters_for(bits), size_of::<i32>())?,
            heads: part(Neighbours::chains_for(bits), size_of::<u32>())?,
            neighbours: part(neighbours, size_of::<Neighbour>())?,
            rows: part(rows, size_of::<Row>())?,
            surprises: part(rows, tables)?,
            scores: part(rows, tables.checked_mul(size_of::<f32>())?)?,
            cells: (0..tables)
                .map(|_| part(1 << bits, size_of::<Cell>()))
                .collect::<Option<Vec<_>>>()?,
            end: at,
        })
    }
}

/// A checkpoint that is open.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: PathBuf,
    bytes: PrivateCopy,
    layout: Layout,
    tables: usize,
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
        let Description { bits, features, tables, generation, journal, rows, neighbours, small } =
            described.map_err(|source| unsound(&path, source))?;
        let tables = usize::from(tables);
        if features != features::VERSION {
            let (expected, got) = (features::VERSION, features);
            return Err(Error::Features { name: folder.to_owned(), expected, got });
        }
        if !words::BITS.contains(&bits) || tables >= MAX_LABELS {
            return Err(damaged("the size of its tables is absurd"));
        }
        let (small, neighbours, rows) = (small as usize, neighbours as usize, rows as usize);
        let sizes = Sizes { bits, small, neighbours, rows, tables };
        let layout = Layout::new(header.content_start(), sizes)
            .filter(|layout| layout.end == bytes.len())
            .ok_or_else(|| damaged("its length is not that of its parts"))?;
        let seed = header.hash().seed();
        let small: Small = serde_json::from_slice(&bytes[layout.small.clone()])
            .map_err(|_| damaged("its settings cannot be read"))?;
        if small.labels.len() != tables {
            return Err(damaged("it has another number of labels than of tables"));
        }
        let identity = Identity { features, bits, seed, generation };
        let settings = small.settings;
        let checkpoint =
            Self { path: path.clone(), bytes, layout, tables, identity, journal, settings };
        let filter = checkpoint.filter(&file, small.labels)?;
        Ok((checkpoint, filter))
    }

    fn filter(&self, file: &File, labels: Vec<SmallLabel>) -> Result<Filter> {
        let layout = &self.layout;
        let mut tables = Vec::with_capacity(labels.len());
        for (SmallLabel { name, totals, cuts }, range) in labels.into_iter().zip(&layout.cells) {
            let words = Words::from_parts(self.table(file, range)?, totals);
            tables.push(Label { name, words, cuts });
        }
        let senders = Senders::from_parts(self.table(file, &layout.senders)?);
        let heads = self.table(file, &layout.heads)?;
        let neighbours = Neighbours::from_parts(heads, self.table(file, &layout.neighbours)?);
        Ok(Filter::from_parts(self.identity.bits, tables, senders, neighbours))
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

    /// What is known of each learned message.
    pub fn ledger(&self) -> Ledger {
        let part = |range: &Range<usize>| &self.bytes[range.clone()];
        let rows: &[Row] = bytemuck::cast_slice(part(&self.layout.rows));
        let surprises = part(&self.layout.surprises);
        let scores: &[f32] = bytemuck::cast_slice(part(&self.layout.scores));
        let mut ledger = Ledger::default();
        for (number, row) in rows.iter().enumerate() {
            let own = number * self.tables..(number + 1) * self.tables;
            let (surprises, scores) = (surprises[own.clone()].to_vec(), scores[own].to_vec());
            ledger.push_row(*row, &Learned { surprises, scores });
        }
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
    let labels = filter.labels().iter().map(|label| SmallLabel {
        name: label.name.clone(),
        totals: label.words.totals(),
        cuts: label.cuts,
    });
    let small = Small { settings, labels: labels.collect() };
    let small = serde_json::to_vec(&small).unwrap_or_default();
    let (mut rows, mut surprises, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for (number, row) in ledger.iter() {
        let (_, learned) = ledger.get(number);
        rows.push(*row);
        surprises.extend(learned.surprises);
        scores.extend(learned.scores);
    }
    let described = Description {
        bits: identity.bits,
        features: identity.features,
        tables: filter.labels().len() as u16,
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
        &surprises,
        bytemuck::cast_slice(&scores),
    ];
    parts.extend(filter.labels().iter().map(|label| bytemuck::cast_slice(label.words.cells())));
    write_atomically(&folder.join(NAME), |out| header.write(out, &parts).map_err(Error::from))
}
