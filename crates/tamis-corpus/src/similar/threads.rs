//! Work on all threads, with results in order.

use rayon::prelude::*;
use std::ops::Range;

/// What `work` makes of each part. A single thread does it where it was asked for: handing parts to another one and
/// waiting for it would move everything from one core's caches to another's and back.
pub(super) fn map<T: Send>(parts: Range<usize>, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if rayon::current_num_threads() == 1 {
        return parts.map(work).collect();
    }
    parts.into_par_iter().map(work).collect()
}

/// The parts taken into one result after the other, of which there are a few, in order.
pub(super) fn fold<T: Send>(
    parts: Range<usize>,
    start: impl Fn() -> T + Sync + Send,
    add: impl Fn(T, usize) -> T + Sync + Send,
) -> Vec<T> {
    if rayon::current_num_threads() == 1 {
        return vec![parts.fold(start(), add)];
    }
    parts.into_par_iter().fold(start, add).collect()
}
