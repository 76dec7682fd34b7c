//! A table in a file: the numbers that are not zero, found in constant time without reading the rest.
//!
//! ```text
//! groups   for each 64 places: bits u64 (1 << i: place i is not zero), rank u32 (of the first of them), 0 u32
//! numbers  those that are not zero, each of `fields` integers of `width` bytes, and 4 bytes of zero
//! wide     place u32 and `fields` integers of 4 bytes, ascending, for those that do not fit:
//!          their first integer among `numbers` is the least one of this width
//! ```
//!
//! `width` is the one with the fewest bytes of which at most one number in 64 is wide; `fields` is 1 if
//! the second integer of all numbers is zero. A table of zeros has no bytes at all.
//!
//! Cost: a place that is zero takes one cache line; any other place takes two.

use super::{Table, Value};
use std::ops::Range;
use std::sync::Arc;
use tamis::codec::{Fields, Parameters};
use tamis_corpus::files::PrivateCopy;

/// Places in a group, and bytes that describe it.
const GROUP: usize = 64;
const GROUP_BYTES: usize = 16;

/// Bytes after the last number, so that each is read as four.
const PADDING: usize = 4;

/// What a file says about one of its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Shape {
    /// Places.
    pub length: u64,
    /// Numbers that are not zero.
    pub used: u64,
    /// Those that do not fit into the width.
    pub wide: u64,
    /// Bytes of an integer, 1 to 4.
    pub width: u8,
    /// Integers of a number, 1 or 2.
    pub fields: u8,
}

impl Shape {
    /// Bytes of a shape in a file.
    pub const SIZE: usize = 32;

    pub fn write(self, out: Parameters) -> Parameters {
        let Self { length, used, wide, width, fields } = self;
        out.u64(length).u64(used).u64(wide).u8(width).u8(fields).bytes(&[0; 6])
    }

    pub fn read(input: &mut Fields<'_>) -> Option<Self> {
        let (length, used) = (input.u64().ok()?, input.u64().ok()?);
        let (wide, width, fields) = (input.u64().ok()?, input.u8().ok()?, input.u8().ok()?);
        input.zeros(6).ok()?;
        let is_sound = used <= length
            && wide <= used
            && (1..=4).contains(&width)
            && (1..=2).contains(&fields)
            && length <= 1 << 32;
        is_sound.then_some(Self { length, used, wide, width, fields })
    }

    /// The bytes of groups, numbers and wide numbers.
    pub fn sizes(self) -> [usize; 3] {
        let [length, used, wide] = [self.length, self.used, self.wide].map(|size| size as usize);
        if used == 0 {
            return [0; 3];
        }
        let (width, fields) = (usize::from(self.width), usize::from(self.fields));
        let groups = length.div_ceil(GROUP) * GROUP_BYTES;
        [groups, used * fields * width + PADDING, wide * (4 + 4 * fields)]
    }
}

/// A table in a mapped file. What it says of a damaged file is wrong, and never a panic.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    file: Arc<PrivateCopy>,
    shape: Shape,
    groups: Range<usize>,
    numbers: Range<usize>,
    wide: Range<usize>,
}

impl Kept {
    /// A table with this shape in these parts of a file.
    pub fn new(file: Arc<PrivateCopy>, shape: Shape, parts: [Range<usize>; 3]) -> Self {
        let [groups, numbers, wide] = parts;
        Self { file, shape, groups, numbers, wide }
    }

    /// The bytes of the file, looked up once for many places.
    pub fn view(&self) -> View<'_> {
        let part = |range: &Range<usize>| self.file.get(range.clone()).unwrap_or_default();
        View {
            groups: part(&self.groups).as_chunks().0,
            numbers: part(&self.numbers),
            wide: part(&self.wide),
            width: usize::from(self.shape.width),
            fields: usize::from(self.shape.fields),
        }
    }

    /// The integers at a place.
    #[inline]
    pub fn get(&self, place: usize) -> [i32; 2] {
        self.view().get(place)
    }

    /// Calls `visit` with each place that is not zero.
    pub fn for_each(&self, mut visit: impl FnMut(usize, [i32; 2])) {
        let view = self.view();
        for (number, group) in view.groups.iter().enumerate() {
            let (mut bits, mut rank) = described(group);
            while bits != 0 {
                let place = number * GROUP + bits.trailing_zeros() as usize;
                visit(place, view.number(rank, place));
                bits &= bits - 1;
                rank += 1;
            }
        }
    }
}

/// The parts of a table in a mapped file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    groups: &'a [[u8; GROUP_BYTES]],
    numbers: &'a [u8],
    wide: &'a [u8],
    width: usize,
    fields: usize,
}

impl View<'_> {
    /// The integers at a place.
    #[inline]
    pub fn get(&self, place: usize) -> [i32; 2] {
        let Some(group) = self.groups.get(place / GROUP) else { return [0, 0] };
        let (bits, rank) = described(group);
        let bit = 1 << (place % GROUP);
        if bits & bit == 0 {
            return [0, 0];
        }
        self.number(rank + (bits & (bit - 1)).count_ones() as usize, place)
    }

    /// The integers of the number with this rank, which stands at this place.
    #[inline]
    fn number(&self, rank: usize, place: usize) -> [i32; 2] {
        let shift = 32 - 8 * self.width as u32;
        let integer = |at: usize| {
            let bytes = self.numbers.get(at..).and_then(|rest| rest.first_chunk::<4>());
            bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes) << shift >> shift)
        };
        let at = rank * self.fields * self.width;
        let first = integer(at);
        if first == i32::MIN >> shift
            && let Some(wide) = self.wide(place as u32)
        {
            return wide;
        }
        [first, if self.fields == 2 { integer(at + self.width) } else { 0 }]
    }

    /// The integers of a number that does not fit.
    #[cold]
    fn wide(&self, place: u32) -> Option<[i32; 2]> {
        let size = 4 + 4 * self.fields;
        let integer = |at: usize| {
            let bytes = self.wide.get(at..).and_then(|rest| rest.first_chunk::<4>());
            bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes))
        };
        let (mut from, mut to) = (0, self.wide.len() / size);
        while from < to {
            let middle = from.midpoint(to);
            if integer(middle * size).cast_unsigned() < place {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        let at = from * size;
        let is_there = at < self.wide.len() && integer(at).cast_unsigned() == place;
        let second = if self.fields == 2 { integer(at + 8) } else { 0 };
        is_there.then(|| [integer(at + 4), second])
    }
}

#[inline]
fn described(group: &[u8; GROUP_BYTES]) -> (u64, usize) {
    let [bits, rank] = [&group[..8], &group[8..]]
        .map(|half| half.first_chunk().map_or(0, |bytes: &[u8; 8]| u64::from_le_bytes(*bytes)));
    (bits, rank as u32 as usize)
}

/// The parts of a table as they stand in a file.
#[derive(Debug)]
pub(crate) struct Parts {
    pub shape: Shape,
    /// Groups, numbers, wide numbers.
    pub bytes: [Vec<u8>; 3],
}

impl Parts {
    /// Of a table.
    pub fn of<T: Value>(table: &Table<T>) -> Self {
        let (length, list) = (table.len(), table.as_list());
        // How many integers need so many bytes at least: of width 1 to 4.
        let (mut used, mut fields, mut needs) = (0usize, 1, [0usize; 4]);
        for value in &*list {
            let value = value.fields();
            if value != [0, 0] {
                used += 1;
                fields = fields.max(if value[1] == 0 { 1 } else { 2 });
                needs[value.map(width_of).into_iter().max().unwrap_or(4) - 1] += 1;
            }
        }
        let wide_of = |width: usize| needs[width..].iter().sum::<usize>();
        let size_of = |width: usize| used * fields * width + wide_of(width) * (4 + 4 * fields);
        let allowed = (1..=4).filter(|width| wide_of(*width) <= used / 64);
        let width = allowed.min_by_key(|width| size_of(*width)).unwrap_or(4);
        let shape = Shape {
            length: length as u64,
            used: used as u64,
            wide: wide_of(width) as u64,
            width: width as u8,
            fields: fields as u8,
        };
        let mut bytes = shape.sizes().map(Vec::with_capacity);
        if used > 0 {
            fill(&list, shape, &mut bytes);
        }
        Self { shape, bytes }
    }
}

fn fill<T: Value>(list: &[T], shape: Shape, [groups, numbers, wide]: &mut [Vec<u8>; 3]) {
    let (width, fields) = (usize::from(shape.width), usize::from(shape.fields));
    let escape = (i32::MIN >> (32 - 8 * width)).to_le_bytes();
    let mut rank = 0u32;
    for (group, values) in list.chunks(GROUP).enumerate() {
        let (mut bits, first) = (0u64, rank);
        for (bit, value) in values.iter().enumerate() {
            let value = value.fields();
            if value == [0, 0] {
                continue;
            }
            bits |= 1 << bit;
            rank += 1;
            let fits = value.iter().all(|integer| width_of(*integer) <= width);
            for (field, integer) in value[..fields].iter().enumerate() {
                let integer = if fits { integer.to_le_bytes() } else { [escape, [0; 4]][field] };
                numbers.extend_from_slice(&integer[..width]);
            }
            if !fits {
                wide.extend_from_slice(&((group * GROUP + bit) as u32).to_le_bytes());
                let integers = value[..fields].iter();
                integers.for_each(|integer| wide.extend_from_slice(&integer.to_le_bytes()));
            }
        }
        groups.extend_from_slice(&bits.to_le_bytes());
        groups.extend_from_slice(&u64::from(first).to_le_bytes());
    }
    numbers.extend_from_slice(&[0; PADDING]);
}

/// Bytes that an integer needs; the least one of a width says that the number is wide.
const fn width_of(integer: i32) -> usize {
    match integer {
        -127..=127 => 1,
        -32_767..=32_767 => 2,
        -8_388_607..=8_388_607 => 3,
        _ => 4,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;

    /// A table, kept in a file.
    pub fn kept<T: Value>(table: &Table<T>) -> Kept {
        let Parts { shape, bytes } = Parts::of(table);
        assert_eq!(bytes.each_ref().map(Vec::len), shape.sizes());
        let mut file = tempfile::tempfile().unwrap();
        let mut at = 0;
        let parts = bytes.map(|part| {
            file.write_all(&part).unwrap();
            at += part.len();
            at - part.len()..at
        });
        // An empty file cannot be mapped.
        file.write_all(&[0]).unwrap();
        let file = Arc::new(PrivateCopy::of(&file, "table".as_ref()).unwrap());
        Kept::new(file, shape, parts)
    }

    #[test]
    fn a_table_takes_the_bytes_of_what_is_in_it() {
        let mut table = Table::<i32>::new(1 << 16);
        assert_eq!(Parts::of(&table).shape.sizes(), [0; 3]);
        (0..1000).for_each(|place| table.update(place * 60, |value| *value = 100));
        let shape = Parts::of(&table).shape;
        assert_eq!((shape.used, shape.width, shape.fields, shape.wide), (1000, 1, 1, 0));
        assert_eq!(shape.sizes(), [1024 * 16, 1004, 0]);
        // A few large numbers do not make the others wider; the least one of a width is wide.
        for (place, large) in [(60, 128), (120, -128), (180, i32::MAX), (240, i32::MIN)] {
            table.update(place, |value| *value = large);
        }
        let shape = Parts::of(&table).shape;
        assert_eq!((shape.width, shape.wide), (1, 4));
        assert_eq!(Table::kept(1 << 16, kept(&table)), table);
        // Many of them do.
        (4..104).for_each(|place| table.update(place * 60, |value| *value = 40_000));
        let shape = Parts::of(&table).shape;
        assert_eq!((shape.width, shape.wide), (3, 1));
        assert_eq!(Table::kept(1 << 16, kept(&table)), table);
    }

    #[test]
    fn a_shape_is_read_as_it_was_written() {
        let shape = Shape { length: 1 << 20, used: 77, wide: 7, width: 3, fields: 2 };
        let bytes = shape.write(Parameters::new());
        assert_eq!(bytes.as_bytes().len(), Shape::SIZE);
        assert_eq!(Shape::read(&mut Fields::new(bytes.as_bytes())), Some(shape));
        for wrong in [
            Shape { used: 1 << 21, ..shape },
            Shape { wide: 78, ..shape },
            Shape { width: 0, ..shape },
            Shape { fields: 3, ..shape },
        ] {
            let bytes = wrong.write(Parameters::new());
            assert_eq!(Shape::read(&mut Fields::new(bytes.as_bytes())), None, "{wrong:?}");
        }
    }
}
