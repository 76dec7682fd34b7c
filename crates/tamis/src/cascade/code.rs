//! Prefix codes of categories, read a few bits at a time.

use crate::prelude::*;
use crate::solve::ribbon::Values;

/// A canonical code: of each length the categories in their order have codes that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Code {
    /// For each length that is used: the length, its first code, and where its categories begin.
    levels: Vec<(u32, u64, usize)>,
    /// By length, then by number.
    categories: Vec<u32>,
    /// For a short code the category of each number of as many bits as the longest code has.
    table: Vec<u32>,
    /// The same with the first bit of each code lowest.
    reversed: Vec<u32>,
}

/// Up to this length, and for so many lengths, there is a table.
const SHORT: u32 = 10;
pub(super) const FEW: usize = 4;

impl Code {
    /// The code with these lengths; none if they are none of a prefix code.
    pub fn new(lengths: &[u8]) -> Option<Self> {
        let mut categories: Vec<u32> =
            (0..lengths.len() as u32).filter(|&category| lengths[category as usize] > 0).collect();
        categories.sort_by_key(|&category| (lengths[category as usize], category));
        let mut levels: Vec<(u32, u64, usize)> = Vec::new();
        let (mut next, mut length) = (0u64, 0);
        for (place, &category) in categories.iter().enumerate() {
            let own = u32::from(lengths[category as usize]);
            if own > 60 {
                return None;
            }
            if own > length {
                next = next.checked_shl(own - length)?;
                length = own;
                levels.push((own, next, place));
            }
            next += 1;
            if next > 1 << length {
                return None;
            }
        }
        let (table, reversed) = (Vec::new(), Vec::new());
        let mut code = Self { levels, categories, table, reversed };
        if length <= SHORT && code.levels.len() <= FEW {
            code.table =
                (0..1u64 << length).map(|number| code.category_of(number, length)).collect();
            let number = |bits: usize| bits.reverse_bits() >> 1 >> (usize::BITS - 1 - length);
            code.reversed = (0..1 << length).map(|bits| code.table[number(bits)]).collect();
        }
        Some(code)
    }

    /// The category whose code a number of so many bits begins with, or some one.
    fn category_of(&self, number: u64, length: u32) -> u32 {
        let begun = |(step, level): (usize, &(u32, u64, usize))| {
            self.decode(step, number >> (length - level.0))
        };
        self.levels.iter().enumerate().find_map(begun).unwrap_or_else(|| self.otherwise(&[]))
    }

    /// If the code is short, the category of all its bits, whether they all belong to it or not: with it all steps can be
    /// asked side by side, and no branch waits for what a step says.
    #[inline(always)]
    pub fn table(&self) -> Option<&[u32]> {
        (!self.table.is_empty()).then_some(&self.table)
    }

    /// The same table for codes with their first bit lowest, as a structure of uneven values gives them.
    #[inline(always)]
    pub fn reversed(&self) -> Option<&[u32]> {
        (!self.reversed.is_empty()).then_some(&self.reversed)
    }

    /// The values of a structure that has all bits of the code.
    pub fn whole(&self) -> Values {
        Values::uneven(self.levels.last().map_or(0, |level| level.0))
    }

    /// The bits that are read at each step, between one length and the next.
    pub fn steps(&self) -> impl Iterator<Item = u32> {
        let before = core::iter::once(0).chain(self.levels.iter().map(|level| level.0));
        self.levels.iter().zip(before).map(|(level, before)| level.0 - before)
    }

    /// The category whose code has been read in so many steps, if it is one.
    #[inline]
    pub fn decode(&self, step: usize, code: u64) -> Option<u32> {
        let (_, first, place) = self.levels[step];
        let end = self.levels.get(step + 1).map_or(self.categories.len(), |level| level.2);
        let index = code.checked_sub(first)? as usize;
        (index < end - place).then(|| self.categories[place + index])
    }

    /// The code of a category, and its length.
    #[cfg(any(feature = "train", test))]
    pub fn encode(&self, lengths: &[u8]) -> Vec<(u64, u32)> {
        let mut codes = vec![(0, 0); lengths.len()];
        for (step, &(length, first, place)) in self.levels.iter().enumerate() {
            let end = self.levels.get(step + 1).map_or(self.categories.len(), |level| level.2);
            for (index, &category) in self.categories[place..end].iter().enumerate() {
                codes[category as usize] = (first + index as u64, length);
            }
        }
        codes
    }

    /// The category of keys that no step settles: the only one, or some one for codes that are none.
    pub fn otherwise(&self, counts: &[u64]) -> u32 {
        let only = || counts.iter().position(|count| *count > 0).unwrap_or(0) as u32;
        self.categories.first().copied().unwrap_or_else(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_were_written() {
        let lengths = [3, 1, 0, 3, 3, 4, 4];
        let code = Code::new(&lengths).unwrap();
        assert_eq!(code.steps().collect::<Vec<_>>(), [1, 2, 1]);
        for (category, (bits, length)) in code.encode(&lengths).into_iter().enumerate() {
            let (mut read, mut depth) = (0, 0);
            let found = code.steps().enumerate().find_map(|(step, more)| {
                depth += more;
                read = bits.checked_shr(length.checked_sub(depth)?)?;
                code.decode(step, read)
            });
            assert_eq!(found, (lengths[category] > 0).then_some(category as u32));
        }
        assert!(Code::new(&[1, 1, 1]).is_none(), "three codes of one bit");
    }
}
