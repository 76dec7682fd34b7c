//! Tables of numbers that cost what was learned, not what they could hold.
//!
//! A table has a fixed length, and nearly all of a young one is zero. It has one of three forms:
//!
//! | form | memory | when |
//! |---|---|---|
//! | few | about 25 bytes for each number that is not zero | up to a 32nd of the table was changed |
//! | kept | none: [`Kept`] in a mapped file; changed numbers are few, over it | read from a store |
//! | dense | the whole length | more than a 32nd was changed |
//!
//! Which form a table has never shows in what it says. [`list::List`] is for records that are kept as
//! they are.

pub(crate) mod kept;
pub(crate) mod list;

use kept::Kept;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// One of this many numbers may differ from what is kept before a table becomes dense.
const FEW: usize = 32;

/// A number in a table: one or two integers of 32 bits.
pub trait Value: Copy + Default + PartialEq + fmt::Debug {
    /// How many integers it has.
    const FIELDS: usize;

    /// The integers; the second of one is 0.
    fn fields(self) -> [i32; 2];

    /// The number with these integers.
    fn from_fields(fields: [i32; 2]) -> Self;
}

impl Value for i32 {
    const FIELDS: usize = 1;

    fn fields(self) -> [i32; 2] {
        [self, 0]
    }

    fn from_fields(fields: [i32; 2]) -> Self {
        fields[0]
    }
}

impl Value for u32 {
    const FIELDS: usize = 1;

    fn fields(self) -> [i32; 2] {
        [self.cast_signed(), 0]
    }

    fn from_fields(fields: [i32; 2]) -> Self {
        fields[0].cast_unsigned()
    }
}

impl Value for [i32; 2] {
    const FIELDS: usize = 2;

    fn fields(self) -> [i32; 2] {
        self
    }

    fn from_fields(fields: [i32; 2]) -> Self {
        fields
    }
}

/// Hashes places, which are spread evenly already.
#[derive(Debug, Default, Clone, Copy)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, place: u32) {
        self.0 = (self.0 ^ u64::from(place)).wrapping_mul(tamis::hash::MULTIPLIER);
        self.0 ^= self.0 >> 32;
    }
}

type Few<T> = HashMap<u32, T, BuildHasherDefault<PlaceHasher>>;

/// A table of fixed length.
#[derive(Clone)]
pub struct Table<T> {
    length: usize,
    form: Form<T>,
}

#[derive(Clone)]
enum Form<T> {
    /// What differs from what is kept, or from zero.
    Few(Few<T>, Option<Kept>),
    Dense(Vec<T>),
}

impl<T: Value> Table<T> {
    /// Zeros.
    pub(crate) fn new(length: usize) -> Self {
        Self { length, form: Form::Few(Few::default(), None) }
    }

    /// What is kept in a file.
    pub(crate) fn kept(length: usize, kept: Kept) -> Self {
        Self { length, form: Form::Few(Few::default(), Some(kept)) }
    }

    /// How many numbers it has, zeros included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no place for any number.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The number at a place; zero beyond the end.
    #[inline]
    #[must_use]
    pub fn get(&self, place: usize) -> T {
        match &self.form {
            Form::Dense(list) => list.get(place).copied().unwrap_or_default(),
            Form::Few(few, kept) => {
                if !few.is_empty()
                    && let Some(value) = few.get(&(place as u32))
                {
                    return *value;
                }
                kept.as_ref().map_or_else(T::default, |kept| T::from_fields(kept.get(place)))
            }
        }
    }

    /// Appends the numbers at these places, as [`Self::get`] returns them: loads that do not wait for
    /// each other.
    pub(crate) fn gather(&self, places: impl Iterator<Item = usize>, numbers: &mut Vec<T>) {
        match &self.form {
            Form::Dense(list) => {
                numbers.extend(places.map(|place| list.get(place).copied().unwrap_or_default()));
            }
            Form::Few(few, Some(kept)) if few.is_empty() => {
                let view = kept.view();
                numbers.extend(places.map(|place| T::from_fields(view.get(place))));
            }
            Form::Few(..) => numbers.extend(places.map(|place| self.get(place))),
        }
    }

    /// Changes the number at a place; nothing happens beyond the end.
    #[inline]
    pub(crate) fn update(&mut self, place: usize, change: impl FnOnce(&mut T)) {
        if place >= self.length {
            return;
        }
        match &mut self.form {
            Form::Dense(list) => {
                if let Some(value) = list.get_mut(place) {
                    change(value);
                }
            }
            Form::Few(few, kept) => {
                let before =
                    || kept.as_ref().map_or_else(T::default, |k| T::from_fields(k.get(place)));
                change(few.entry(place as u32).or_insert_with(before));
                if few.len() > self.length / FEW {
                    self.form = Form::Dense(self.to_vec());
                }
            }
        }
    }

    /// All numbers.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        match &self.form {
            Form::Dense(list) => list.clone(),
            Form::Few(few, kept) => {
                let mut list = vec![T::default(); self.length];
                if let Some(kept) = kept {
                    kept.for_each(|place, fields| {
                        if let Some(value) = list.get_mut(place) {
                            *value = T::from_fields(fields);
                        }
                    });
                }
                for (place, value) in few {
                    list[*place as usize] = *value;
                }
                list
            }
        }
    }

    /// All numbers, without a copy where they are a list already.
    pub(crate) fn as_list(&self) -> Cow<'_, [T]> {
        match &self.form {
            Form::Dense(list) => Cow::Borrowed(list),
            Form::Few(..) => Cow::Owned(self.to_vec()),
        }
    }

    /// Whether all numbers are zero.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        (0..self.length).all(|place| self.get(place) == T::default())
    }
}

impl<T: Value> From<Vec<T>> for Table<T> {
    fn from(list: Vec<T>) -> Self {
        Self { length: list.len(), form: Form::Dense(list) }
    }
}

impl<T: Value> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length
            && (0..self.length).all(|place| self.get(place) == other.get(place))
    }
}

impl<T: Value + Eq> Eq for Table<T> {}

impl<T: Value> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table of {}", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::kept::tests::kept;
    use super::*;
    use proptest::prelude::*;

    const LENGTH: usize = 1024;

    fn changes() -> impl Strategy<Value = Vec<(usize, [i32; 2])>> {
        let number = prop_oneof![
            -3..3i32,
            -200..200i32,
            Just(i32::from(i16::MIN)),
            Just(-128),
            any::<i32>()
        ];
        let field = [number.clone().boxed(), number.boxed()];
        prop::collection::vec((0..LENGTH + 9, field), 0..400)
    }

    proptest! {
        /// In all forms, and read from a file in between, a table is the same list.
        #[test]
        fn a_table_is_a_list_of_numbers(before in changes(), after in changes()) {
            let mut list = vec![[0, 0]; LENGTH];
            let mut table = Table::<[i32; 2]>::new(LENGTH);
            for (number, changes) in [before, after].into_iter().enumerate() {
                for (place, by) in changes {
                    let add = |cell: &mut [i32; 2]| {
                        *cell = [cell[0].wrapping_add(by[0]), cell[1].wrapping_add(by[1])];
                    };
                    if let Some(cell) = list.get_mut(place) {
                        add(cell);
                    }
                    table.update(place, add);
                }
                prop_assert_eq!(&table.to_vec(), &list);
                let mut gathered = Vec::new();
                table.gather(0..LENGTH + 1, &mut gathered);
                prop_assert_eq!(gathered.pop(), Some([0, 0]));
                prop_assert_eq!(&gathered, &list);
                prop_assert_eq!(&table, &Table::from(list.clone()));
                prop_assert_eq!(table.is_blank(), list.iter().all(|cell| *cell == [0, 0]));
                prop_assert_eq!(table.get(LENGTH + 1), [0, 0]);
                if number == 0 {
                    table = Table::kept(LENGTH, kept(&table));
                    prop_assert_eq!(&table.to_vec(), &list);
                }
            }
        }
    }
}
