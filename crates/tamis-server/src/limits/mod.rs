//! How much of anything a client may have.
//!
//! `memory_megabytes` bounds the memory of all requests together. It is divided into three pools, so that large
//! requests cannot take the memory that small ones need:
//!
//! | pool | part | for |
//! |---|---|---|
//! | small | 1/8 | requests of at most [`SMALL`] bytes |
//! | large | 1/2 | the bodies and responses of all other requests |
//! | work | 3/8 | what is built while a large message is parsed, judged and explained |
//!
//! Large messages are processed one per processor; at most half as many as there may be connections wait for that.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) mod allocator;
mod hold;

pub use hold::{Hold, Leaving};

use crate::config::Limits;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A request of at most this many bytes is small.
pub const SMALL: usize = 64 << 10;

/// Memory is allocated from the pools in pieces of this many bytes.
const PIECE: usize = 4 << 10;

/// How long a request that already has memory waits for more. Longer, requests would wait for each other.
const SHORT: Duration = Duration::from_secs(2);

/// Maximum number of addresses whose requests are counted at a time.
const MOST_ADDRESSES: usize = 10_000;

/// Bytes that are built for each byte of a message that is judged, learned or explained.
const BUILT: usize = 6;

/// Bytes of a message beyond which work needs no more memory.
const MOST_BUILT: usize = tamis_mail::message::MAX_RAW;

/// The memory that all requests share.
#[derive(Debug, Clone)]
pub struct Budget {
    small: Arc<Semaphore>,
    large: Arc<Pool>,
    work: Arc<Pool>,
    /// One permit for each large message that may be processed at a time.
    processors: Arc<Semaphore>,
    /// One permit for each large message that is processed or waits for it.
    queue: Arc<Semaphore>,
    /// For large messages that are learned: a store that another process has locked holds up no check.
    lessons: Arc<Semaphore>,
    largest: usize,
    patience: Duration,
}

/// A pool of memory and its size in pieces.
#[derive(Debug)]
struct Pool {
    pieces: Arc<Semaphore>,
    size: usize,
}

impl Pool {
    fn new(bytes: usize) -> Arc<Self> {
        let size = (bytes / PIECE).clamp(1, u32::MAX as usize).min(Semaphore::MAX_PERMITS);
        Arc::new(Self { pieces: Arc::new(Semaphore::new(size)), size })
    }
}

/// Memory that one request has, until it is dropped.
#[derive(Debug, Default)]
pub struct Share {
    held: Option<OwnedSemaphorePermit>,
    bytes: usize,
    is_large: bool,
}

/// The permission to process a large message, with the memory for it.
#[derive(Debug)]
pub struct Turn {
    _permits: [OwnedSemaphorePermit; 3],
}

/// Why there is no memory for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// It is larger than any may be.
    TooLarge,
    /// Others have all of it, and none became free in time.
    Busy,
}

impl Budget {
    /// With these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let (total, largest) = (limits.memory_megabytes << 20, limits.message_megabytes << 20);
        let processors = std::thread::available_parallelism().map_or(1, Into::into);
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits));
        Self {
            small: semaphore((total / 8 / PIECE).clamp(1, Semaphore::MAX_PERMITS)),
            large: Pool::new((total / 2).max(largest)),
            work: Pool::new(total / 8 * 3),
            processors: semaphore(processors),
            queue: semaphore((limits.connections / 2).max(1)),
            lessons: semaphore(1),
            largest,
            patience: Duration::from_secs(limits.seconds),
        }
    }

    /// The largest message.
    #[must_use]
    pub const fn largest(&self) -> usize {
        self.largest
    }

    /// Makes a share large enough for `bytes` bytes in all.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub async fn grow(&self, share: &mut Share, bytes: usize) -> Result<(), NoRoom> {
        if bytes <= share.bytes {
            return Ok(());
        }
        if bytes <= SMALL && !share.is_large {
            let more = (bytes - share.bytes).div_ceil(PIECE);
            let permit = within(self.patience, &self.small, more).await?;
            share.add(permit, more);
            return Ok(());
        }
        // A request that grows out of the small pool takes all of its memory from the large one.
        let (had, patience) = match share.is_large {
            true => (share.bytes, SHORT),
            false => (0, self.patience),
        };
        let more = (bytes - had).div_ceil(PIECE);
        if had / PIECE + more > self.large.size {
            return Err(NoRoom::TooLarge);
        }
        let permit = within(patience, &self.large.pieces, more).await?;
        if !share.is_large {
            *share = Share { is_large: true, ..Share::default() };
        }
        share.add(permit, more);
        Ok(())
    }

    /// Waits until a large message of `bytes` bytes may be processed.
    ///
    /// # Errors
    /// [`NoRoom::Busy`] at once if too many wait, or after the time limit of a request.
    pub async fn turn(&self, bytes: usize) -> Result<Turn, NoRoom> {
        self.turn_with(&self.processors, bytes.min(MOST_BUILT).saturating_mul(BUILT)).await
    }

    /// As [`Self::turn`], to learn a message.
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn lesson(&self, bytes: usize) -> Result<Turn, NoRoom> {
        self.turn_with(&self.lessons, bytes.min(MOST_BUILT).saturating_mul(BUILT)).await
    }

    /// As [`Self::turn`], for work that needs this much memory.
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn turn_for(&self, memory: usize) -> Result<Turn, NoRoom> {
        self.turn_with(&self.processors, memory).await
    }

    async fn turn_with(&self, places: &Arc<Semaphore>, memory: usize) -> Result<Turn, NoRoom> {
        let queue = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| NoRoom::Busy)?;
        let place = within(self.patience, places, 1).await?;
        // Work that needs more than all of the pool is done alone.
        let pieces = memory.div_ceil(PIECE).clamp(1, self.work.size);
        let memory = within(self.patience, &self.work.pieces, pieces).await?;
        Ok(Turn { _permits: [queue, place, memory] })
    }
}

impl Share {
    fn add(&mut self, permit: OwnedSemaphorePermit, pieces: usize) {
        self.bytes += pieces * PIECE;
        match &mut self.held {
            Some(held) => held.merge(permit),
            held => *held = Some(permit),
        }
    }
}

async fn within(
    patience: Duration,
    semaphore: &Arc<Semaphore>,
    permits: usize,
) -> Result<OwnedSemaphorePermit, NoRoom> {
    let permits = u32::try_from(permits).map_err(|_| NoRoom::TooLarge)?;
    let waiting = Arc::clone(semaphore).acquire_many_owned(permits);
    match tokio::time::timeout(patience, waiting).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(NoRoom::Busy),
    }
}

/// Requests per second of each address, with a second's worth to spare.
#[derive(Debug, Default)]
pub struct Rates {
    left: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rates {
    /// Whether this address may make a request now, at this many per second; 0 is no limit.
    #[must_use]
    pub fn allow(&self, per_second: u32, address: Option<IpAddr>, now: Instant) -> bool {
        let (Some(address), 1..) = (address, per_second) else { return true };
        let most = f64::from(per_second);
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() >= MOST_ADDRESSES {
            // An address that made no request for a second is as good as new.
            left.retain(|_, (_, last)| now.duration_since(*last) < Duration::from_secs(1));
            if left.len() >= MOST_ADDRESSES {
                return false;
            }
        }
        let (tokens, last) = left.entry(address).or_insert((most, now));
        *tokens = (*tokens + now.duration_since(*last).as_secs_f64() * most).min(most);
        *last = now;
        let allowed = *tokens >= 1.0;
        *tokens -= f64::from(u8::from(allowed));
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const MB: usize = 1 << 20;

    fn budget(message_megabytes: usize, memory_megabytes: usize) -> Budget {
        Budget::new(&Limits {
            message_megabytes,
            memory_megabytes,
            seconds: 1,
            ..Limits::default()
        })
    }

    #[tokio::test]
    async fn memory_is_shared_and_comes_back() {
        let budget = budget(2, 4);
        let (mut first, mut second) = (Share::default(), Share::default());
        assert_eq!(budget.grow(&mut first, 3 * MB).await, Err(NoRoom::TooLarge));
        assert_eq!(budget.grow(&mut first, MB).await, Ok(()));
        assert_eq!(budget.grow(&mut first, 2 * MB).await, Ok(()));
        assert_eq!(budget.grow(&mut second, MB).await, Err(NoRoom::Busy));
        drop(first);
        assert_eq!(budget.grow(&mut second, 2 * MB).await, Ok(()));
    }

    #[tokio::test]
    async fn large_requests_leave_memory_for_small_ones() {
        let budget = budget(4, 8);
        let (mut large, mut small) = (Share::default(), Share::default());
        assert_eq!(budget.grow(&mut small, SMALL).await, Ok(()));
        assert_eq!(budget.grow(&mut large, 4 * MB).await, Ok(()));
        assert_eq!(budget.grow(&mut Share::default(), SMALL).await, Ok(()));
        assert_eq!(budget.grow(&mut small, SMALL + 1).await, Err(NoRoom::Busy));
        drop(large);
        assert_eq!(budget.grow(&mut small, SMALL + 1).await, Ok(()));
        assert_eq!(budget.small.available_permits(), MB / PIECE, "it left the small pool");
    }

    #[tokio::test]
    async fn requests_that_wait_for_each_other_do_not_wait_for_ever() {
        let budget = budget(4, 8);
        let both = [0, 1].map(|_| {
            let budget = budget.clone();
            tokio::spawn(async move {
                let mut share = Share::default();
                for megabytes in [2, 3] {
                    budget.grow(&mut share, megabytes * MB).await?;
                    tokio::task::yield_now().await;
                }
                Ok::<(), NoRoom>(())
            })
        });
        let [first, second] = both;
        let ended = [first.await.expect("a task"), second.await.expect("a task")];
        assert!(ended.contains(&Ok(())) || ended == [Err(NoRoom::Busy); 2], "{ended:?}");
        assert_eq!(budget.grow(&mut Share::default(), 4 * MB).await, Ok(()), "all is free again");
    }

    #[tokio::test]
    async fn no_more_large_messages_are_processed_than_there_are_processors() {
        let budget = budget(4, 64);
        let processors = budget.processors.available_permits();
        let mut turns = Vec::new();
        for _ in 0..processors {
            turns.push(budget.turn(1000).await.expect("a processor is free"));
        }
        assert_eq!(budget.turn(1000).await.err(), Some(NoRoom::Busy));
        assert!(budget.lesson(1000).await.is_ok(), "lessons have a place of their own");
        turns.clear();
        assert!(budget.turn(1 << 30).await.is_ok(), "work beyond the pool is done alone");
    }

    #[test]
    fn each_address_has_its_own_rate() {
        let rates = Rates::default();
        let start = Instant::now();
        let [one, other] = [1, 2].map(|last| Some(IpAddr::from(Ipv4Addr::new(192, 0, 2, last))));
        let asked: Vec<bool> = (0..5).map(|_| rates.allow(3, one, start)).collect();
        assert_eq!(asked, [true, true, true, false, false]);
        assert!(rates.allow(3, other, start));
        let later = start + Duration::from_millis(400);
        assert!(rates.allow(3, one, later) && !rates.allow(3, one, later));
        assert!((0..100).all(|_| Rates::default().allow(0, one, start)));
    }
}
