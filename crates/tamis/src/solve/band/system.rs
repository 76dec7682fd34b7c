//! Solving the equations of a static filter.
//!
//! In the order of starts the equations are a band, as wide as the span. Each is reduced by those before it until its first slot is one that no other
//! begins with, and then stays there; from the last slot to the first every slot follows from those behind it, or is free. An equation of which nothing is
//! left contradicts the others, unless its fingerprint is gone as well: the slots are too crowded.
//!
//! A system is solved in sections, a few at a time and the last ones first. What begins in a section and finds its slot in the next is handed over; that
//! hardly ever reaches further, because crowds thin out after a few thousand slots.

use super::shape::{Equation, MOST_SPAN_BITS, SLOTS, Shape, each};
use crate::hash::mixed;
use crate::prelude::*;
use crate::simd::machine::{self, Machine, Work};
use crate::solve::parallel;
use crate::solve::{HashedKeys, Watch};
use core::ops::Range;
use std::thread;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Blocks whose slots are in a word.
const BLOCKS: usize = WORD / SLOTS;

/// Words that an equation reaches over, with its first slot in the first of them.
const WIDTH: usize = (((1 << MOST_SPAN_BITS) + 1) * SLOTS + WORD - SLOTS).div_ceil(WORD);

/// Starts of a section: 36 MB of equations.
const SECTION: u64 = 1 << 14;

/// So many sections are worked on at once, at most.
const MOST_AT_ONCE: usize = 8;

/// Planes that are solved together.
pub(crate) const TOGETHER: usize = 8;

/// The words of an equation, from that of its first slot on; zeros if a slot has none.
type Row = [u64; WIDTH];

/// There is not enough room for the keys.
#[derive(Debug)]
pub(crate) struct Crowded;

/// The slots of a part: for each word of slots the bits of so many planes, and again those of the next planes.
pub(crate) struct Solution {
    words: Vec<[u64; TOGETHER]>,
    /// How often.
    times: usize,
}

impl Solution {
    /// The slots of a block in a plane.
    pub fn block(&self, block: usize, plane: usize) -> u16 {
        let place = block / BLOCKS * self.times + plane / TOGETHER;
        (self.words[place][plane % TOGETHER] >> (block % BLOCKS * SLOTS)) as u16
    }
}

/// The keys of a part of a filter.
pub(crate) struct System<'a> {
    shape: &'a Shape,
    keys: &'a HashedKeys,
    starts: Range<u64>,
    planes: u32,
}

impl<'a> System<'a> {
    pub fn new(shape: &'a Shape, part: usize, keys: &'a HashedKeys) -> Self {
        let (starts, planes) = (shape.parts()[part].clone(), shape.part(part).0);
        Self { shape, keys, starts, planes }
    }

    /// How many sections it has.
    const fn sections(&self) -> u64 {
        (self.starts.end - self.starts.start).div_ceil(SECTION)
    }

    /// Words of its slots.
    const fn words(&self) -> usize {
        ((self.starts.end - self.starts.start + self.shape.span()) as usize).div_ceil(BLOCKS)
    }

    /// Finds values for all slots.
    pub fn solve(&self, watch: Watch<'_>) -> Result<Solution, Crowded> {
        let times = (self.planes as usize).div_ceil(TOGETHER);
        let zeros = vec![[0; TOGETHER]; (self.words() + WIDTH) * times];
        let mut solution = Solution { words: zeros, times };
        let at_once = thread::available_parallelism().map_or(1, Into::into).min(MOST_AT_ONCE);
        let mut behind: Option<Section> = None;
        let mut end = self.sections();
        while end > 0 {
            let from = end.saturating_sub(at_once as u64);
            let sections =
                parallel::map((end - from) as usize, |n| self.section(from + n as u64, watch));
            for mut section in sections.into_iter().rev() {
                let handed = core::mem::take(&mut section.beyond);
                if let Some(behind) = behind.replace(section) {
                    behind.finish(handed, &mut solution)?;
                }
            }
            end = from;
        }
        if let Some(first) = behind {
            first.finish(Vec::new(), &mut solution)?;
        }
        Ok(solution)
    }

    /// A section with the equations of all keys that start there.
    fn section(&self, number: u64, watch: Watch<'_>) -> Section {
        let first = self.starts.start + number * SECTION;
        let is_last = number + 1 == self.sections();
        let starts = first..if is_last { self.starts.end } else { first + SECTION };
        let word = |number: u64| (number * SECTION) as usize / BLOCKS;
        let end = if is_last { self.words() } else { word(number + 1) };
        let mut section = Section::new(word(number)..end);
        let mut count = 0;
        let equations = self.keys.starting(starts, |hash| self.shape.start(hash)).map(|key| {
            count += 1;
            let equation = self.shape.equation(key.hash);
            let print = equation.patterns & ((1 << self.planes) - 1);
            Reduced::new(&equation, (equation.start - self.starts.start) as usize, print)
        });
        machine::run(Eliminate { section: &mut section, equations });
        watch(count);
        section
    }
}

/// An equation while it is reduced.
#[derive(Clone)]
struct Reduced {
    /// The number of the first word.
    word: usize,
    /// From there on; those before `at` are zeros.
    words: [u64; 2 * WIDTH],
    at: usize,
    /// The sums of its slots.
    print: u32,
}

impl Reduced {
    /// That of a key which starts at a block.
    #[inline(always)]
    fn new(equation: &Equation, block: usize, print: u32) -> Self {
        let word = block / BLOCKS;
        let mut words = [0; 2 * WIDTH];
        let second = block + equation.step as usize;
        for (block, pattern) in [block, second].into_iter().zip(each(equation.patterns)) {
            words[block / BLOCKS - word] ^= u64::from(pattern) << (block % BLOCKS * SLOTS);
        }
        Self { word, words, at: 0, print }
    }

    /// The first slot; none if nothing is left.
    #[inline(always)]
    fn first(&mut self) -> Option<usize> {
        let zeros = self.words[self.at..].iter().take_while(|word| **word == 0).count();
        self.at += zeros;
        if self.at >= WIDTH {
            self.words.copy_within(WIDTH.., 0);
            self.words[WIDTH..].fill(0);
            self.word += WIDTH;
            self.at -= WIDTH;
        }
        let word = self.words[self.at];
        (word != 0).then(|| (self.word + self.at) * WORD + word.trailing_zeros() as usize)
    }

    #[inline(always)]
    fn row(&mut self) -> &mut Row {
        let row = &mut self.words[self.at..self.at + WIDTH];
        row.try_into().expect("as many words as a row has")
    }
}

/// The equations that have found a slot in some words.
struct Section {
    words: Range<usize>,
    /// For each slot, with the sums.
    rows: Vec<Row>,
    prints: Vec<u32>,
    /// Those whose first slot is behind the section.
    beyond: Vec<Reduced>,
    /// Whether one contradicts others.
    is_crowded: bool,
}

impl Section {
    fn new(words: Range<usize>) -> Self {
        let slots = words.len() * WORD;
        let (rows, prints) = (vec![[0; WIDTH]; slots], vec![0; slots]);
        Self { words, rows, prints, beyond: Vec::new(), is_crowded: false }
    }

    /// Takes what the section before hands over, and solves for its slots: those behind it are known.
    fn finish(mut self, handed: Vec<Reduced>, solution: &mut Solution) -> Result<(), Crowded> {
        machine::run(Eliminate { section: &mut self, equations: handed.into_iter() });
        if self.is_crowded || !self.beyond.is_empty() {
            return Err(Crowded);
        }
        machine::run(Substitute { section: &self, solution });
        Ok(())
    }

    #[inline(always)]
    fn insert(&mut self, mut equation: Reduced) {
        let before = self.words.start * WORD;
        loop {
            let Some(slot) = equation.first() else {
                self.is_crowded |= equation.print != 0;
                return;
            };
            let Some(row) = self.rows.get_mut(slot - before) else {
                self.beyond.push(equation);
                return;
            };
            let print = &mut self.prints[slot - before];
            if row[0] == 0 {
                *row = *equation.row();
                *print = equation.print;
                return;
            }
            equation.print ^= *print;
            for (word, other) in equation.row().iter_mut().zip(row) {
                *word ^= *other;
            }
        }
    }
}

/// Inserts equations into a section.
struct Eliminate<'a, E> {
    section: &'a mut Section,
    equations: E,
}

impl<E: Iterator<Item = Reduced>> Work for Eliminate<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Machine) {
        for equation in self.equations {
            self.section.insert(equation);
            if self.section.is_crowded {
                return;
            }
        }
    }
}

/// Solves for the slots of a section, when those behind it are known.
struct Substitute<'a> {
    section: &'a Section,
    solution: &'a mut Solution,
}

impl Work for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Machine) {
        let Self { section, solution: Solution { words, times } } = self;
        for (index, row) in section.rows.iter().enumerate().rev() {
            let (word, bit) = (section.words.start + index / WORD, index % WORD);
            for time in 0..*times {
                let mut sums = [0; TOGETHER];
                if row[0] == 0 {
                    let random = mixed((word * WORD + bit) as u64, FREE);
                    for (plane, sum) in sums.iter_mut().enumerate() {
                        *sum = random >> (time * TOGETHER + plane) & 1;
                    }
                } else {
                    for (offset, chosen) in row.iter().enumerate() {
                        let slots = &words[(word + offset) * *times + time];
                        for (sum, slots) in sums.iter_mut().zip(slots) {
                            *sum ^= chosen & slots;
                        }
                    }
                    let print = section.prints[index] >> (time * TOGETHER);
                    for (plane, sum) in sums.iter_mut().enumerate() {
                        *sum = u64::from((sum.count_ones() ^ print >> plane) & 1);
                    }
                }
                for (slots, sum) in words[word * *times + time].iter_mut().zip(sums) {
                    *slots |= sum << bit;
                }
            }
        }
    }
}

/// What free slots are mixed from.
const FREE: u64 = 0x5895_65F7_0B1A_4E2D;
