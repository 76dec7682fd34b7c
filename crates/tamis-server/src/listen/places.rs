//! The places of a port, and who has to leave when there is none.

use super::Activity;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How often to look for a silent client while there is no place.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The places of a port.
#[derive(Debug)]
pub(super) struct Places {
    free: Arc<Semaphore>,
    silence: Duration,
    next: AtomicU64,
    taken: Arc<Taken>,
}

type Taken = Mutex<HashMap<u64, Arc<Sitter>>>;

/// A connection that has a place.
#[derive(Debug)]
struct Sitter {
    activity: Arc<Activity>,
    leave: Notify,
}

/// The place of one connection, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    sitter: Arc<Sitter>,
    taken: Arc<Taken>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.taken).remove(&self.number);
    }
}

impl Place {
    pub fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.sitter.activity)
    }

    /// Returns when another connection gets this place.
    pub async fn lost(&self) {
        self.sitter.leave.notified().await;
    }
}

impl Places {
    /// This many; a client that has been silent for `silence` loses its place when another one needs it.
    pub fn new(most: usize, silence: Duration) -> Self {
        let free = Arc::new(Semaphore::new(most));
        Self { free, silence, next: AtomicU64::new(0), taken: Arc::default() }
    }

    /// A place, as soon as there is one.
    pub async fn take(&self) -> Place {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                break permit;
            }
            let left = self.remove_most_silent();
            let freed = Arc::clone(&self.free).acquire_owned();
            match tokio::time::timeout(LOOK_EVERY, freed).await {
                Ok(Ok(permit)) => break permit,
                // One that was told to leave leaves at once; nobody else has to.
                _ if left => tokio::task::yield_now().await,
                _ => {}
            }
        };
        let sitter = Sitter { activity: Arc::new(Activity::new()), leave: Notify::new() };
        let (number, sitter) = (self.next.fetch_add(1, Relaxed), Arc::new(sitter));
        lock(&self.taken).insert(number, Arc::clone(&sitter));
        Place { number, sitter, taken: Arc::clone(&self.taken), _permit: permit }
    }

    /// Tells the connection to leave whose client has been silent for longest; false if none has been for long enough.
    fn remove_most_silent(&self) -> bool {
        let mut taken = lock(&self.taken);
        let silent = taken.iter().filter_map(|(number, sitter)| {
            let silence = sitter.activity.silence().filter(|silence| *silence >= self.silence)?;
            Some((silence, *number))
        });
        let Some((_, number)) = silent.max() else { return false };
        if let Some(sitter) = taken.remove(&number) {
            sitter.leave.notify_one();
        }
        true
    }
}

fn lock(taken: &Taken) -> MutexGuard<'_, HashMap<u64, Arc<Sitter>>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_most_silent_client_leaves_and_one_that_is_worked_for_stays() {
        let places = Places::new(3, Duration::ZERO);
        let mut sitting = Vec::new();
        for _ in 0..3 {
            sitting.push(places.take().await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        sitting[0].activity().works(true);
        let left = tokio::spawn({
            let second = sitting.remove(1);
            async move { second.lost().await }
        });
        let fresh = places.take().await;
        left.await.expect("the second one left");
        assert_eq!(lock(&places.taken).len(), 3);
        assert!(lock(&places.taken).contains_key(&fresh.number));
        // The third has sent much, so the new one is the most silent, and then the third itself.
        tokio::time::sleep(Duration::from_millis(5)).await;
        sitting[1].activity().progress(1 << 20);
        sitting[1].activity().is_pending();
        assert!(places.remove_most_silent());
        assert!(!lock(&places.taken).contains_key(&fresh.number));
        fresh.lost().await;
        assert!(places.remove_most_silent());
        assert!(!places.remove_most_silent(), "the server works for the first");
    }

    #[tokio::test]
    async fn who_has_not_been_silent_for_long_keeps_its_place() {
        let places = Places::new(1, Duration::from_secs(3600));
        let _first = places.take().await;
        assert!(!places.remove_most_silent());
    }
}
