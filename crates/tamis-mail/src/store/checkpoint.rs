//! The tables of a store at one moment, as a file of kind 8 (`docs/format.md` has every byte).
//!
//! Opening it costs the same for any size: tables are mapped and read where a message needs them.

use super::journal::Identity;
use super::ledger::{Ledger, Row};
use super::private;
use super::tables::{Description, NAME, Tables};
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
use std::ops::Range;
use std::path::Path;
use tamis::codec::{self, Header, Kind};
use tamis::hash::KeyHash;
use tamis_corpus::files::PrivateCopy;

/// The oldest version of the file that is read here.
const VERSION: u16 = 2;

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
    #[serde(default)]
    rules: u64,
    totals: Totals,
    labels: Vec<SmallLabel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SmallLabel {
    name: Option<String>,
    totals: LabelTotals,
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
    tables: Tables,
    layout: Layout,
    pub identity: Identity,
    /// The tables are those of the journal up to here.
    pub journal: u64,
    pub settings: Settings,
    pub cuts: Cuts,
    /// Fingerprint of the rules that made the cuts.
    pub rules: u64,
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
        if features != features::VERSION || tables.version < VERSION {
            let (expected, got) = (features::VERSION, features);
            return Err(Error::Features { name: folder.to_owned(), expected, got });
        }
        if !BITS.contains(&bits) || labels >= MAX_LABELS {
            return Err(tables.damaged("the size of its tables is absurd"));
        }
        let (small, neighbours, rows) = (small as usize, neighbours as usize, rows as usize);
        let sizes = Sizes { bits, small, neighbours, rows, labels };
        let layout = Layout::new(tables.content_start, sizes)
            .filter(|layout| layout.end == tables.bytes.len())
            .ok_or_else(|| tables.damaged("its length is not that of its parts"))?;
        let small: Small = tables
            .small()
            .and_then(|json| serde_json::from_slice(json).ok())
            .ok_or_else(|| tables.damaged("its settings cannot be read"))?;
        if small.labels.len() != labels {
            return Err(tables.damaged("it has another number of labels than of tables"));
        }
        let identity = Identity { features, bits, seed: tables.seed, generation };
        let Small { settings, cuts, rules, .. } = small;
        let checkpoint = Self { tables, layout, identity, journal, settings, cuts, rules };
        let filter = checkpoint.filter(small)?;
        Ok((checkpoint, filter))
    }

    fn filter(&self, small: Small) -> Result<Filter> {
        let layout = &self.layout;
        let masses = Masses::from_parts(self.table(&layout.masses)?, small.totals);
        let mut corrections = Vec::with_capacity(STAGES);
        for (stage, range) in Stage::ALL.into_iter().zip(&layout.corrections) {
            corrections.push(Correction::from_parts(pace(stage), self.table(range)?));
        }
        let Ok(corrections) = corrections.try_into() else { unreachable!("one for each stage") };
        let mut labels = Vec::with_capacity(small.labels.len());
        for (SmallLabel { name, totals }, range) in small.labels.into_iter().zip(&layout.labels) {
            labels.push(Label::from_parts(name, self.table(range)?, totals));
        }
        let model = Model::from_parts(masses, corrections);
        let senders = Senders::from_parts(self.table(&layout.senders)?);
        let heads = self.table(&layout.heads)?;
        let neighbours = Neighbours::from_parts(heads, self.table(&layout.neighbours)?);
        let bits = self.identity.bits;
        Ok(Filter::from_parts(bits, model, small.cuts, labels, senders, neighbours))
    }

    fn table<T: bytemuck::Pod>(&self, range: &Range<usize>) -> Result<Table<T>> {
        let copy = PrivateCopy::of(&self.tables.file, &self.tables.path)?;
        Table::mapped(copy, range.clone()).ok_or_else(|| Error::Damaged {
            name: self.tables.path.clone(),
            at: range.start as u64,
            what: "a table is not where it should be",
        })
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
        (self.layout.rows.end - self.layout.rows.start) / size_of::<Row>()
    }

    /// What is known of each learned message.
    pub fn rows(&self) -> &[Row] {
        bytemuck::cast_slice(&self.tables.bytes[self.layout.rows.clone()])
    }

    /// The same as a ledger.
    pub fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        self.rows().iter().for_each(|row| ledger.push_row(*row));
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
    let labels =
        labels.map(|label| SmallLabel { name: label.name.clone(), totals: label.totals() });
    let (cuts, totals) = (*filter.cuts(), filter.model().masses().totals());
    let rules = cut_rules();
    let small = Small { settings, cuts, rules, totals, labels: labels.collect() };
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
    private::write(&folder.join(NAME), |out| header.write(out, &parts).map_err(Error::from))
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
