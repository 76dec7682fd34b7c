//! The threads of this process.

use crate::errors::{Class, error};
use pyo3::PyResult;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads, and the process that has started them.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// As many threads as there are cores. A process that was forked has none of its parent's threads and starts its own.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, threads)) = &*pool
        && *owner == process
    {
        return Ok(Arc::clone(threads));
    }
    let threads = ThreadPoolBuilder::new()
        .build()
        .map_err(|cause| error(Class::File, format!("cannot start threads: {cause}")))?;
    let threads = Arc::new(threads);
    if let Some((_, parents)) = pool.replace((process, Arc::clone(&threads))) {
        // Threads that are not there cannot be ended.
        std::mem::forget(parents);
    }
    Ok(threads)
}

/// Fewer than so many are not worth a second thread.
const PART: usize = 1 << 15;

/// Calls `work` with parts of a slice and the place where each starts: one after the other if they are few, else with all
/// threads.
pub fn in_parts<T: Send>(
    slice: &mut [T],
    work: impl Fn(usize, &mut [T]) -> PyResult<()> + Sync,
) -> PyResult<()> {
    if slice.len() <= PART {
        return work(0, slice);
    }
    pool()?.install(|| {
        let parts = slice.par_chunks_mut(PART).enumerate();
        parts.try_for_each(|(index, part)| work(index * PART, part))
    })
}
