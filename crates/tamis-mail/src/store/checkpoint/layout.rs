//! Where the parts of a file of tables are.

use crate::labels;
use crate::model::correction_bits;
use crate::neighbours::{Neighbour, Neighbours};
use crate::senders::Senders;
use crate::stages::Stage;
use crate::store::ledger::Row;
use crate::store::tables::Tables;
use crate::table::kept::Shape;
use std::ops::Range;
use tamis::codec::{self, Fields, Parameters};

/// Parts of the content start at multiples of this.
const LINE: usize = codec::ALIGNMENT;

/// How large the parts are, by the header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub bits: u32,
    pub small: usize,
    pub neighbours: usize,
    pub rows: usize,
    pub labels: usize,
}

/// Where the parts are.
#[derive(Debug)]
pub(super) struct Layout {
    pub neighbours: Range<usize>,
    pub rows: Range<usize>,
    /// Each table with its groups, numbers and wide numbers.
    pub tables: Vec<(Shape, [Range<usize>; 3])>,
}

/// Hands out parts of a file one after the other, each from a whole line on.
pub(super) struct Cursor(pub usize);

impl Cursor {
    pub fn part(&mut self, count: usize, size: usize) -> Option<Range<usize>> {
        let range = self.0..self.0.checked_add(count.checked_mul(size)?)?;
        self.0 = range.end.checked_next_multiple_of(LINE)?;
        Some(range)
    }
}

/// How many numbers each table has, in the order of the file.
pub(super) fn lengths(bits: u32, labels: usize) -> Vec<usize> {
    let first = [Senders::counters_for(bits), Neighbours::chains_for(bits), 1 << bits];
    let corrections = Stage::ALL.map(|stage| 1 << correction_bits(stage, bits));
    let labels = std::iter::repeat_n(1 << (bits - labels::SHIFT), labels);
    first.into_iter().chain(corrections).chain(labels).collect()
}

/// The shapes of all tables, to be written.
pub(super) fn directory(shapes: impl Iterator<Item = Shape>) -> Parameters {
    shapes.fold(Parameters::new(), |out, shape| shape.write(out))
}

impl Layout {
    /// Of a file; none if its length is not that of its parts.
    pub fn of(tables: &Tables, sizes: Sizes) -> Option<Self> {
        let Sizes { bits, small, neighbours, rows, labels } = sizes;
        let mut cursor = Cursor(tables.content_start);
        cursor.part(small, 1)?;
        let lengths = lengths(bits, labels);
        let directory = cursor.part(lengths.len(), Shape::SIZE)?;
        let mut fields = Fields::new(tables.bytes.get(directory)?);
        let neighbours = cursor.part(neighbours, size_of::<Neighbour>())?;
        let rows = cursor.part(rows, size_of::<Row>())?;
        let mut all = Vec::with_capacity(lengths.len());
        for length in lengths {
            let shape = Shape::read(&mut fields)?;
            let [groups, numbers, wide] = shape.sizes();
            let parts = [cursor.part(groups, 1)?, cursor.part(numbers, 1)?, cursor.part(wide, 1)?];
            if shape.length != length as u64 {
                return None;
            }
            all.push((shape, parts));
        }
        let fits = cursor.0 == tables.bytes.len();
        fits.then_some(Self { neighbours, rows, tables: all })
    }
}
