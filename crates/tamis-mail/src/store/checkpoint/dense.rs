//! Tables of version 2, with every number of every table. They are read as a whole; the first process
//! that learns writes them in the present version.

use super::layout::{Cursor, Sizes, lengths};
use super::{Small, SmallLabel};
use crate::Result;
use crate::filter::Filter;
use crate::labels::Label;
use crate::model::{Correction, Masses, Model, pace};
use crate::neighbours::{Neighbour, Neighbours};
use crate::senders::Senders;
use crate::stages::Stage;
use crate::store::ledger::Row;
use crate::store::tables::Tables;
use crate::table::list::List;
use crate::table::{Table, Value};
use bytemuck::Pod;
use std::ops::Range;
use tamis_corpus::files::PrivateCopy;

/// Where the rows of the learned messages are, and the filter.
pub(super) fn open(tables: &Tables, sizes: Sizes, small: &Small) -> Result<(Range<usize>, Filter)> {
    let misplaced = || tables.damaged("its length is not that of its parts");
    let layout = Layout::of(tables.content_start, sizes);
    let layout = layout.filter(|layout| layout.end == tables.bytes.len()).ok_or_else(misplaced)?;
    let copy = PrivateCopy::of(&tables.file, &tables.path)?;
    let kept = List::<Neighbour>::mapped(copy, layout.neighbours).ok_or_else(misplaced)?;
    let senders = Senders::from_parts(table(tables, &layout.senders));
    let neighbours = Neighbours::from_parts(table(tables, &layout.heads), kept);
    let masses = Masses::from_parts(table(tables, &layout.masses), small.totals);
    let mut parts = layout.corrections.iter();
    let corrections = Stage::ALL.map(|stage| {
        let part = parts.next().cloned().unwrap_or_default();
        Correction::from_parts(pace(stage), table(tables, &part))
    });
    let model = Model::from_parts(masses, corrections);
    let label = |(SmallLabel { name, totals }, part): (&SmallLabel, &Range<usize>)| {
        Label::from_parts(name.clone(), table(tables, part), *totals)
    };
    let labels = small.labels.iter().zip(&layout.labels).map(label).collect();
    let filter = Filter::from_parts(sizes.bits, model, small.cuts, labels, senders, neighbours);
    Ok((layout.rows, filter))
}

fn table<T: Value + Pod>(tables: &Tables, part: &Range<usize>) -> Table<T> {
    let numbers: &[T] = tables
        .bytes
        .get(part.clone())
        .and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
        .unwrap_or_default();
    Table::from(numbers.to_vec())
}

/// Where the parts of the content are.
struct Layout {
    senders: Range<usize>,
    heads: Range<usize>,
    neighbours: Range<usize>,
    rows: Range<usize>,
    masses: Range<usize>,
    corrections: Vec<Range<usize>>,
    labels: Vec<Range<usize>>,
    end: usize,
}

impl Layout {
    fn of(start: usize, sizes: Sizes) -> Option<Self> {
        let Sizes { bits, small, neighbours, rows, labels } = sizes;
        let mut cursor = Cursor(start);
        cursor.part(small, 1)?;
        let lengths = lengths(bits, labels);
        let senders = cursor.part(lengths[0], size_of::<i32>())?;
        let heads = cursor.part(lengths[1], size_of::<u32>())?;
        let neighbours = cursor.part(neighbours, size_of::<Neighbour>())?;
        let rows = cursor.part(rows, size_of::<Row>())?;
        let masses = cursor.part(lengths[2], size_of::<[i32; 2]>())?;
        let (stages, others) = lengths[3..].split_at(Stage::ALL.len());
        let mut all = |lengths: &[usize], size: usize| -> Option<Vec<Range<usize>>> {
            lengths.iter().map(|length| cursor.part(*length, size)).collect()
        };
        let corrections = all(stages, size_of::<[i32; 2]>())?;
        let labels = all(others, size_of::<i32>())?;
        let end = cursor.0;
        Some(Self { senders, heads, neighbours, rows, masses, corrections, labels, end })
    }
}
