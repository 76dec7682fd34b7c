//! The tables of a store at one moment, as a file of kind 8 (`docs/format.md` has every byte).
//!
//! Opening it costs the same for any size: tables are mapped and read where a message needs them.
//! Only numbers that are not zero take space ([`crate::table::kept`]). [`dense`] reads version 2.

mod dense;
mod layout;

use super::journal::Identity;
use super::ledger::{Ledger, Row};
use super::private;
use super::tables::{Description, NAME, Tables};
use crate::cuts::Cuts;
use crate::features;
use crate::filter::{Filter, MAX_LABELS};
use crate::labels::{Label, LabelTotals};
use crate::model::{BITS, Correction, Masses, Model, Totals, pace};
use crate::neighbours::{Neighbour, Neighbours};
use crate::senders::Senders;
use crate::stages::Stage;
use crate::table::kept::{Kept, Parts, Shape};
use crate::table::list::List;
use crate::table::{Table, Value};
use crate::{Error, Result};
use layout::Layout;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tamis::codec::{Header, Kind};
use tamis::hash::{KeyHash, KeyKinds};
use tamis_corpus::files::PrivateCopy;

/// The oldest version of the file that is read here.
const OLDEST: u16 = 2;

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
    #[serde(default)]
    rules: u64,
    totals: Totals,
    labels: Vec<SmallLabel>,
    #[serde(default)]
    teachers: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SmallLabel {
    name: Option<String>,
    totals: LabelTotals,
}

/// A checkpoint that is open.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    tables: Tables,
    rows: Range<usize>,
    pub identity: Identity,
    /// The tables are those of the journal up to here.
    pub journal: u64,
    pub settings: Settings,
    pub cuts: Cuts,
    /// Fingerprint of the rules that made the cuts.
    pub rules: u64,
    teachers: Vec<String>,
}

impl Checkpoint {
    /// Opens the checkpoint of a store, and the filter that it holds.
    ///
    /// # Errors
    /// [`Error::Features`] with the version of an older store, which [`super::old`] can read.
    pub fn open(folder: &Path) -> Result<(Self, Filter)> {
        let tables = Tables::open(folder)?;
        let Description { bits, features, labels, generation, journal, rows, neighbours, small } =
            tables.described;
        let labels = usize::from(labels);
        if features != features::VERSION || tables.version < OLDEST {
            let (expected, got) = (features::VERSION, features);
            return Err(Error::Features { name: folder.to_owned(), expected, got });
        }
        if !BITS.contains(&bits) || labels >= MAX_LABELS {
            return Err(tables.damaged("the size of its tables is absurd"));
        }
        let misplaced = || tables.damaged("its length is not that of its parts");
        let [small_size, neighbours, rows] = [small, neighbours, rows].map(|size| size as usize);
        let sizes = layout::Sizes { bits, small: small_size, neighbours, rows, labels };
        let small: Small = tables
            .small()
            .and_then(|json| serde_json::from_slice(json).ok())
            .ok_or_else(|| tables.damaged("its settings cannot be read"))?;
        if small.labels.len() != labels {
            return Err(tables.damaged("it has another number of labels than of tables"));
        }
        let (rows, filter) = match tables.version {
            OLDEST => dense::open(&tables, sizes, &small)?,
            _ => {
                let layout = Layout::of(&tables, sizes).ok_or_else(misplaced)?;
                let rows = layout.rows.clone();
                (rows, filter(&tables, layout, &small)?)
            }
        };
        let identity = Identity { features, bits, seed: tables.seed, generation };
        let Small { settings, cuts, rules, teachers, .. } = small;
        let checkpoint = Self { tables, rows, identity, journal, settings, cuts, rules, teachers };
        Ok((checkpoint, filter))
    }

    /// Compares the checksum of everything.
    pub fn verify(&self) -> Result<()> {
        self.tables.verify()
    }

    /// Number of bytes.
    pub fn size(&self) -> u64 {
        self.tables.size()
    }

    /// How many messages it knows.
    pub const fn messages(&self) -> usize {
        (self.rows.end - self.rows.start) / size_of::<Row>()
    }

    /// What is known of each learned message.
    pub fn rows(&self) -> &[Row] {
        bytemuck::cast_slice(&self.tables.bytes[self.rows.clone()])
    }

    /// The same as a ledger.
    pub fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        for name in &self.teachers {
            ledger.add_teacher(name);
        }
        self.rows().iter().for_each(|row| ledger.push_row(*row));
        ledger
    }

    /// Names of teachers besides the owner.
    pub fn teachers(&self) -> &[String] {
        &self.teachers
    }
}

/// The filter in a file of this version.
fn filter(tables: &Tables, layout: Layout, small: &Small) -> Result<Filter> {
    let misplaced = |at: usize| Error::Damaged {
        name: tables.path.clone(),
        at: at as u64,
        what: "a table is not where it should be",
    };
    let copy = PrivateCopy::of(&tables.file, &tables.path)?;
    let kept = List::<Neighbour>::mapped(copy, layout.neighbours.clone())
        .ok_or_else(|| misplaced(layout.neighbours.start))?;
    let mut all = layout.tables.into_iter();
    let mut next = || all.next().unwrap_or_default();
    let senders = Senders::from_parts(table(tables, next()));
    let heads = table(tables, next());
    let masses = Masses::from_parts(table(tables, next()), small.totals);
    let corrections =
        Stage::ALL.map(|stage| Correction::from_parts(pace(stage), table(tables, next())));
    let model = Model::from_parts(masses, corrections);
    let label = |SmallLabel { name, totals }: &SmallLabel| {
        Label::from_parts(name.clone(), table(tables, next()), *totals)
    };
    let labels = small.labels.iter().map(label).collect();
    let neighbours = Neighbours::from_parts(heads, kept);
    let bits = tables.described.bits;
    Ok(Filter::from_parts(bits, model, small.cuts, labels, senders, neighbours))
}

fn table<T: Value>(tables: &Tables, (shape, parts): (Shape, [Range<usize>; 3])) -> Table<T> {
    Table::kept(shape.length as usize, Kept::new(Arc::clone(&tables.bytes), shape, parts))
}

/// What is written into a checkpoint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content<'a> {
    pub settings: Settings,
    pub filter: &'a Filter,
    pub ledger: &'a Ledger,
}

/// Writes a checkpoint: the same bytes for the same messages in the same order. Nothing is written if
/// it would have more than `most` bytes; whether it was is returned.
pub(crate) fn write(
    folder: &Path,
    identity: Identity,
    journal: u64,
    content: Content<'_>,
    most: u64,
) -> Result<bool> {
    let Content { settings, filter, ledger } = content;
    let neighbours = filter.neighbours().compacted();
    let messages = neighbours.messages();
    let labels = filter.labels().iter();
    let labels =
        labels.map(|label| SmallLabel { name: label.name.clone(), totals: label.totals() });
    let (cuts, totals) = (*filter.own_cuts(), filter.model().masses().totals());
    let (rules, teachers) = (cut_rules(), ledger.teachers().to_vec());
    let small = Small { settings, cuts, rules, totals, labels: labels.collect(), teachers };
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
    let mut tables = vec![
        Parts::of(filter.senders().counters()),
        Parts::of(neighbours.heads()),
        Parts::of(filter.model().masses().cells()),
    ];
    tables.extend(Stage::ALL.map(|stage| Parts::of(filter.model().correction(stage).cells())));
    tables.extend(filter.labels().iter().map(|label| Parts::of(label.cells())));
    let directory = layout::directory(tables.iter().map(|parts| parts.shape));
    let mut parts: Vec<&[u8]> = vec![
        &small,
        directory.as_bytes(),
        bytemuck::cast_slice(&messages),
        bytemuck::cast_slice(&rows),
    ];
    parts.extend(tables.iter().flat_map(|table| &table.bytes).map(Vec::as_slice));
    if parts.iter().map(|part| part.len() as u64).sum::<u64>() > most {
        return Ok(false);
    }
    // The seed is in a file of its own.
    let (hash, parameters) = (KeyHash::new(0), described.write(identity.seed));
    let (keys, items) = (KeyKinds::NONE, rows.len() as u64);
    let header = Header { kind: Kind::Mail, hash, keys, items, parameters };
    private::write(&folder.join(NAME), |out| header.write(out, &parts).map_err(Error::from))?;
    Ok(true)
}

/// A fingerprint of the rules in [`crate::cuts`]: the cuts of some fixed scores, to four digits. Cuts
/// that were made by other rules are not wrong.
pub(crate) fn cut_rules() -> u64 {
    let scores = |count: u32, from: f32| {
        (0..count).map(move |number| from + (number * 37 % 101) as f32 / 8.0)
    };
    let cuts = [40, 2000].map(|count| {
        let Cuts { above, below, slope, offset, .. } =
            Cuts::from_scores(scores(count, -1.0), scores(count, -12.0), 0.001);
        format!("{above:.4?} {below:.4?} {slope:.4} {offset:.4}")
    });
    // JSON is sure of 53 bits.
    KeyHash::default().bytes(cuts.join(" ").as_bytes()) >> 12
}
