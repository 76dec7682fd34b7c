//! Which counters belong to a key.

use super::CounterWidth;
use crate::Result;
use crate::filter::Design;
use crate::filter::block::Model;
use crate::filter::bloom::{BitLayout, Classic, Layout, positions};
use crate::hash::reduce;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::memory::{LINE_BITS, Line, WORDS};
use crate::simd::counters::LineCounters;
use crate::simd::slots;
use core::fmt;

/// Most counters of a key.
const MOST: usize = 32;

/// The most functions: in a line, one for each word.
const fn max_hashes(layout: Layout) -> u32 {
    match layout {
        Layout::Classic => MOST as u32,
        Layout::Blocked => WORDS as u32,
    }
}

/// Rates below this need more memory than anyone would give.
const LEAST_RATE: f64 = 1e-7;

/// Layout, width, size and number of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    layout: Layout,
    width: CounterWidth,
    slots: u64,
    hashes: u32,
    lines: usize,
    /// In the blocked layout.
    in_line: Option<LineCounters>,
}

impl Places {
    pub(super) fn for_rate(
        layout: Layout,
        width: CounterWidth,
        items: u64,
        rate: f64,
    ) -> Result<Self> {
        Design::check_rate(rate, LEAST_RATE)?;
        let (hashes, slots) = match layout {
            Layout::Classic => {
                let layout = Classic::for_rate(items, rate)?;
                (layout.hashes(), layout.bits())
            }
            Layout::Blocked => {
                let (hashes, lines) =
                    Model::best(width.per_word(), max_hashes(layout), items, rate)?;
                (hashes, lines * u64::from(width.per_word()) * WORDS as u64)
            }
        };
        let bits = slots as f64 * f64::from(width.bits());
        Self::for_bits(layout, width, Design::check_bits(bits)?, hashes)
    }

    pub(super) fn for_bits(
        layout: Layout,
        width: CounterWidth,
        bits: u64,
        hashes: u32,
    ) -> Result<Self> {
        Design::check_hashes(hashes, max_hashes(layout))?;
        let bits = Design::check_bits(bits as f64)?;
        let bits = match layout {
            Layout::Classic => bits.next_multiple_of(u64::from(width.bits())),
            Layout::Blocked => bits.next_multiple_of(LINE_BITS),
        };
        Ok(Self {
            layout,
            width,
            slots: bits / u64::from(width.bits()),
            hashes,
            lines: bits.div_ceil(LINE_BITS) as usize,
            in_line: (layout == Layout::Blocked).then(|| LineCounters::new(hashes)),
        })
    }

    #[inline(always)]
    pub(super) const fn width(&self) -> CounterWidth {
        self.width
    }

    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) const fn slots(&self) -> u64 {
        self.slots
    }

    pub(super) const fn bits(&self) -> u64 {
        self.slots * self.width.bits() as u64
    }

    pub(super) const fn hashes(&self) -> u32 {
        self.hashes
    }

    #[inline(always)]
    pub(super) const fn lines(&self) -> usize {
        self.lines
    }

    const fn model(&self) -> Model {
        Model::new(self.width.per_word(), self.hashes)
    }

    /// The classic layout with a bit for each counter: the same rates.
    fn classic(&self) -> Result<Classic> {
        Classic::for_bits(self.slots, self.hashes)
    }

    pub(super) fn expected_rate(&self, items: u64) -> f64 {
        match self.layout {
            Layout::Classic => self.classic().map_or(1.0, |layout| layout.expected_rate(items)),
            Layout::Blocked => self.model().rate(items as f64 / self.lines() as f64),
        }
    }

    pub(super) fn estimated_items(&self, fill: f64) -> f64 {
        match self.layout {
            Layout::Classic => self.classic().map_or(0.0, |layout| layout.estimated_items(fill)),
            Layout::Blocked => {
                let most = 1.0 - 0.5 / self.slots as f64;
                self.model().estimated_load(fill.min(most)) * self.lines() as f64
            }
        }
    }

    pub(super) fn rate_of(&self, lines: &[Line]) -> f64 {
        let taken = |word| self.width.taken(word);
        match self.layout {
            Layout::Classic => {
                let all = lines.iter().flat_map(|line| (0..WORDS).map(|w| line.word(w)));
                let taken: u64 = all.map(|word| u64::from(taken(word))).sum();
                // As in the classic layout, the last of an even number is never used.
                let used = (self.slots - 1) | 1;
                (taken as f64 / used as f64).min(1.0).powi(self.hashes as i32)
            }
            Layout::Blocked => self.model().rate_of_lines(lines, taken),
        }
    }

    /// Adds one to the counters of a key.
    #[inline(always)]
    pub(super) fn increment(&self, lines: &mut [Line], hash: u64) {
        if let Some(in_line) = self.in_line {
            let line = &mut lines[reduce(hash, self.lines as u64) as usize];
            return match self.width {
                CounterWidth::Four => in_line.increment::<4>(line, hash),
                CounterWidth::Eight => in_line.increment::<8>(line, hash),
            };
        }
        self.increment_one_by_one(lines, hash);
    }

    #[inline(never)]
    fn increment_one_by_one(&self, lines: &mut [Line], hash: u64) {
        for &place in self.of(hash).as_slice() {
            self.width.increment(lines, place);
        }
    }

    /// Whether no counter of a key is zero.
    #[inline(always)]
    pub(super) fn has(&self, lines: &[Line], hash: u64) -> bool {
        if let Some(in_line) = self.in_line {
            let line = &lines[reduce(hash, self.lines as u64) as usize];
            return match self.width {
                CounterWidth::Four => in_line.are_counted::<4>(line, hash),
                CounterWidth::Eight => in_line.are_counted::<8>(line, hash),
            };
        }
        self.has_one_by_one(lines, hash)
    }

    #[inline(never)]
    fn has_one_by_one(&self, lines: &[Line], hash: u64) -> bool {
        self.of(hash).least(self.width, lines) > 0
    }

    /// The counters of a key, each once.
    #[inline(always)]
    pub(super) fn of(&self, hash: u64) -> KeyPlaces {
        let mut places = KeyPlaces { places: [0; MOST], len: 0 };
        match self.layout {
            Layout::Blocked => {
                let per_word = u64::from(self.width.per_word());
                let first = reduce(hash, self.lines() as u64) * per_word * WORDS as u64;
                // The upper bits of the six-bit field: four for 16 counters, three for 8.
                let shift = 6 - per_word.trailing_zeros();
                slots::for_each_slot(hash, self.hashes, |word, field| {
                    places.push(first + word as u64 * per_word + (field >> shift));
                });
            }
            Layout::Classic => {
                for position in positions(hash, self.slots, self.hashes) {
                    places.push_new(position);
                }
            }
        }
        places
    }

    /// How many lines a key touches.
    #[inline(always)]
    pub(super) const fn lines_per_key(&self) -> u32 {
        match self.layout {
            Layout::Blocked => 1,
            Layout::Classic => self.hashes,
        }
    }

    /// Calls `visit` with the lines that a key touches.
    #[inline(always)]
    pub(super) fn for_each_line(&self, hash: u64, mut visit: impl FnMut(usize)) {
        match self.layout {
            Layout::Blocked => visit(reduce(hash, self.lines() as u64) as usize),
            Layout::Classic => {
                let per_line = LINE_BITS / u64::from(self.width.bits());
                for position in positions(hash, self.slots, self.hashes) {
                    visit((position / per_line) as usize);
                }
            }
        }
    }
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layout, width, slots, hashes, .. } = self;
        let (name, width) = (layout.name(), width.bits());
        write!(f, "{slots} counters of {width} bits, {hashes} functions, {name}")
    }
}

/// The counters of one key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyPlaces {
    places: [u64; MOST],
    len: usize,
}

impl KeyPlaces {
    #[inline(always)]
    fn push(&mut self, place: u64) {
        self.places[self.len % MOST] = place;
        self.len += 1;
    }

    /// Two functions of a key may fall on one counter; it counts the key once.
    #[inline(always)]
    fn push_new(&mut self, place: u64) {
        if !self.as_slice().contains(&place) {
            self.push(place);
        }
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u64] {
        &self.places[..self.len.min(MOST)]
    }

    /// The least counter.
    #[inline(always)]
    pub(super) fn least(&self, width: CounterWidth, lines: &[Line]) -> u32 {
        let counters = self.as_slice().iter().map(|&place| width.get(lines, place));
        counters.fold(width.max(), u32::min)
    }
}
