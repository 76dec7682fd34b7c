//! The base of all stores, as it is now.

use crate::{Error, Result, log};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use tamis_mail::store::Base;

/// How often to look whether it has learned something, in milliseconds.
const LOOK_EVERY: u64 = 1000;

/// A base that is read again when it has learned something.
#[derive(Debug)]
pub(crate) struct Current {
    folder: std::path::PathBuf,
    base: RwLock<Arc<Base>>,
    opened: Instant,
    /// When somebody last looked, in milliseconds since it was opened.
    looked: AtomicU64,
}

impl Current {
    /// Opens a base.
    ///
    /// # Errors
    /// What the store says.
    pub fn open(folder: &Path) -> Result<Self> {
        let base = Base::open(folder).map_err(Error::from)?;
        let (base, opened) = (RwLock::new(Arc::new(base)), Instant::now());
        Ok(Self { folder: folder.to_owned(), base, opened, looked: AtomicU64::new(0) })
    }

    /// The base as it is now, or was at most a second ago.
    pub fn get(&self) -> Arc<Base> {
        let base = Arc::clone(&self.base.read().unwrap_or_else(PoisonError::into_inner));
        let now = self.opened.elapsed().as_millis() as u64;
        let last = self.looked.load(Relaxed);
        if now < last + LOOK_EVERY
            || self.looked.compare_exchange(last, now, Relaxed, Relaxed).is_err()
            || !base.is_behind()
        {
            return base;
        }
        match Base::open(&self.folder) {
            Ok(newer) => {
                let newer = Arc::new(newer);
                *self.base.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&newer);
                newer
            }
            // What is in memory still serves.
            Err(error) => {
                log::line("base", json!({ "error": error.to_string() }));
                base
            }
        }
    }
}
