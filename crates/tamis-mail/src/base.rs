//! A shared base under personal filters.
//!
//! A filter may stand on another one, its *base*: what it has not learned itself, the base says. Both have
//! tables of the same size and seed, so that a feature has the same place in both. With `b` for the base
//! and `p` for what was learned beyond it:
//!
//! | what | together |
//! |---|---|
//! | masses of words | `S = Sb + 8 Sp`, `H = Hb + 8 Hp`, and totals likewise |
//! | corrections of words, text, addresses | `w = wb + 2 wp`; a lesson corrects what both say together |
//! | headers, route, facts | the base's alone, times `1/(1 + d/2)`; `d`: how far own lessons move the score of words and text |
//! | messages | `m = min(spam of both, ham of both)` |
//! | sender | by own messages where there are enough of them, else by those of both |
//! | similarity | own near-copies; those of the base if there is none |
//! | cuts | those of the base until [`OWN_CUTS`] spam and ham were learned beyond it |
//! | labels | the own ones; those of the base for mail that none of them takes |
//!
//! 1. A filter that has learned nothing says what its base says, bit for bit.
//! 2. Lessons never change the base, and are undone without it: forgetting all of them gives 1.
//!
//! Headers, route and facts learn nothing beyond a base: twenty lessons of one kind would shift what is common to
//! all mail, so that other spam became ham (`tests/store/base.rs`).

use crate::filter::{FIRST_LABEL, NEAR_COPY};
use crate::neighbours::Near;
use crate::stages::Stage;

/// Stages that learn nothing beyond a base: a few lessons of one kind would shift what is common to all mail.
pub(crate) const ON_A_BASE: [Stage; 3] = [Stage::Headers, Stage::Route, Stage::Facts];

/// Numbers of the base's labels start here: a filter has fewer labels of its own.
pub(crate) const LABELS_OF_BASE: u8 = 128;

/// Numbers of the base's messages start here.
pub(crate) const NUMBERS_OF_BASE: u32 = 1 << 31;

/// With as many own spam and ham messages, cuts are set by their scores.
pub const OWN_CUTS: i64 = 100;

/// Whether so many own spam and ham messages are enough for cuts.
pub(crate) const fn has_own_cuts((spam, ham): (i64, i64)) -> bool {
    spam >= OWN_CUTS && ham >= OWN_CUTS
}

/// The number that a label of the base has above it.
pub(crate) const fn label(label: u8) -> u8 {
    if label < FIRST_LABEL { label } else { label.saturating_add(LABELS_OF_BASE) }
}

/// Whether a learned message of the filter itself is a near-copy.
pub(crate) fn is_like_own(near: &[Near]) -> bool {
    near.iter().any(|near| near.number < NUMBERS_OF_BASE && near.similarity >= NEAR_COPY)
}

/// The nearest messages of a filter and of its base, the most similar first.
pub(crate) fn merged(own: Vec<Near>, base: Vec<Near>) -> Vec<Near> {
    if is_like_own(&own) {
        return own;
    }
    let above = |near: Near| Near {
        number: near.number.saturating_add(NUMBERS_OF_BASE),
        label: label(near.label),
        ..near
    };
    let mut all: Vec<Near> = own.into_iter().chain(base.into_iter().map(above)).collect();
    all.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    all
}
