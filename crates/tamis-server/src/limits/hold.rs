//! What one request holds: its memory, and whether its client still waits for the answer.
//!
//! The hold of a request is known to everything that runs for it, also on other threads
//! ([`Hold::scope`], [`Hold::aside`]): memory is free again only when the last of that has ended.

use super::{Budget, NoRoom, Share};
use crate::listen::Activity;
use crate::{Error, Result};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

tokio::task_local! {
    static CURRENT: Arc<Hold>;
}

/// What one request holds.
#[derive(Debug)]
pub struct Hold {
    budget: Budget,
    share: Mutex<Share>,
    is_gone: AtomicBool,
    /// Of the connection, which is not closed for others while the server works for it.
    activity: Option<Arc<Activity>>,
}

/// Says that nobody waits for a request any more when it is dropped.
#[derive(Debug)]
pub struct Leaving(Arc<Hold>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Relaxed);
    }
}

impl Hold {
    /// Nothing is held yet.
    #[must_use]
    pub(crate) fn new(budget: &Budget, activity: Option<Arc<Activity>>) -> Arc<Self> {
        let (share, is_gone) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { budget: budget.clone(), share, is_gone, activity })
    }

    /// Runs what is done for this request. If it is dropped before it has ended, nobody waits any more.
    pub async fn scope<T>(self: &Arc<Self>, work: impl Future<Output = T>) -> T {
        let _leaving = Leaving(Arc::clone(self));
        CURRENT.scope(Arc::clone(self), work).await
    }

    /// The hold of the request that this runs for.
    #[must_use]
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Wraps work that runs on another thread for the current request.
    pub fn aside<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        let hold = Self::current();
        move || match hold {
            Some(hold) => CURRENT.sync_scope(hold, work),
            None => work(),
        }
    }

    /// Whether the work is still wanted.
    ///
    /// # Errors
    /// [`Error::Gone`] if the client of the current request is gone.
    pub fn check() -> Result<()> {
        match CURRENT.try_with(|hold| hold.is_gone.load(Relaxed)) {
            Ok(true) => Err(Error::Gone),
            _ => Ok(()),
        }
    }

    /// Holds `bytes` bytes in all.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub async fn grow(&self, bytes: usize) -> Result<(), NoRoom> {
        let mut share = std::mem::take(&mut *self.lock());
        let grown = self.budget.grow(&mut share, bytes).await;
        *self.lock() = share;
        grown
    }

    /// Lets go of everything, and holds `bytes` bytes instead.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub async fn settle(&self, bytes: usize) -> Result<(), NoRoom> {
        self.release();
        self.grow(bytes).await
    }

    /// Lets go of everything.
    pub fn release(&self) {
        *self.lock() = Share::default();
    }

    /// The server works for the connection, or waits for its client.
    pub fn works(&self, works: bool) {
        if let Some(activity) = &self.activity {
            activity.works(works);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Share> {
        self.share.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn work_learns_that_its_client_is_gone_and_holds_memory_until_it_ends() {
        let budget = Budget::new(&Limits::default());
        let free = budget.large.pieces.available_permits();
        let hold = Hold::new(&budget, None);
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let (go, may_go) = channel::<()>();
        let (told, tells) = channel();
        let held = Arc::clone(&hold);
        let request = tokio::spawn(async move {
            let work = held.scope(async {
                Hold::current().expect("a hold").grow(1 << 20).await.expect("memory");
                let work = Hold::aside(move || {
                    told.send(Hold::check().is_ok()).expect("heard");
                    begun.send(()).expect("heard");
                    may_go.recv().ok();
                    told.send(Hold::check().is_ok()).expect("heard");
                });
                tokio::task::spawn_blocking(work).await
            });
            work.await.expect("work");
        });
        drop(hold);
        has_begun.await.expect("begun");
        request.abort();
        assert!(request.await.expect_err("dropped").is_cancelled());
        assert!(budget.large.pieces.available_permits() < free, "the work still needs it");
        go.send(()).expect("heard");
        assert_eq!(tells.iter().collect::<Vec<_>>(), [true, false]);
        while budget.large.pieces.available_permits() < free {
            tokio::task::yield_now().await;
        }
    }
}
