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
    let threads = started(0)?;
    if let Some((_, parents)) = pool.replace((process, Arc::clone(&threads))) {
        // Threads that are not there cannot be ended.
        std::mem::forget(parents);
    }
    Ok(threads)
}

/// This many threads, or the shared ones.
pub fn pool_of(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    match threads {
        None => pool(),
        Some(0) => Err(error(Class::Parameter, "at least one thread must work")),
        Some(threads) => started(threads),
    }
}

/// New threads; as many as there are cores, if none are asked for.
fn started(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Arc::new).map_err(|cause| error(Class::File, format!("cannot start threads: {cause}")))
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
