//! How much of anything a client may have.

use crate::config::Limits;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory is given out in pieces of this many bytes.
const PIECE: usize = 4 << 10;

/// The most addresses whose requests are counted at a time.
const MOST_ADDRESSES: usize = 10_000;

/// The memory that all requests share.
#[derive(Debug, Clone)]
pub struct Budget {
    pieces: Arc<Semaphore>,
    largest: usize,
    patience: Duration,
}

/// Memory that one request has, until it is dropped.
#[derive(Debug, Default)]
pub struct Share {
    held: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

/// Why there is no memory for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// It is larger than any may be.
    TooLarge,
    /// Others have it all, and none became free in time.
    Busy,
}

impl Budget {
    /// With these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let pieces = (limits.memory_megabytes << 20) / PIECE;
        Self {
            pieces: Arc::new(Semaphore::new(pieces.min(Semaphore::MAX_PERMITS))),
            largest: limits.message_megabytes << 20,
            patience: Duration::from_secs(limits.seconds),
        }
    }

    /// The largest message.
    #[must_use]
    pub const fn largest(&self) -> usize {
        self.largest
    }

    /// Sees to it that a request has memory for so many bytes in all.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub async fn grow(&self, share: &mut Share, bytes: usize) -> Result<(), NoRoom> {
        if bytes > self.largest {
            return Err(NoRoom::TooLarge);
        }
        if bytes <= share.bytes {
            return Ok(());
        }
        let more = (bytes - share.bytes).div_ceil(PIECE);
        let waiting = Arc::clone(&self.pieces).acquire_many_owned(more as u32);
        let Ok(Ok(permit)) = tokio::time::timeout(self.patience, waiting).await else {
            return Err(NoRoom::Busy);
        };
        share.bytes += more * PIECE;
        match &mut share.held {
            Some(held) => held.merge(permit),
            held => *held = Some(permit),
        }
        Ok(())
    }
}

/// Requests per second of each address, with a second's worth to spare.
#[derive(Debug)]
pub struct Rates {
    per_second: u32,
    left: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rates {
    /// So many; 0 for no limit.
    #[must_use]
    pub fn new(per_second: u32) -> Self {
        Self { per_second, left: Mutex::default() }
    }

    /// Whether this address may ask now.
    #[must_use]
    pub fn allow(&self, address: Option<IpAddr>, now: Instant) -> bool {
        let (Some(address), 1..) = (address, self.per_second) else { return true };
        let most = f64::from(self.per_second);
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() >= MOST_ADDRESSES {
            // Who has waited for a second is as if never seen.
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

    #[tokio::test]
    async fn memory_is_shared_and_comes_back() {
        let limits =
            Limits { message_megabytes: 2, memory_megabytes: 3, seconds: 1, ..Limits::default() };
        let budget = Budget::new(&limits);
        let (mut first, mut second) = (Share::default(), Share::default());
        assert_eq!(budget.grow(&mut first, 3 << 20).await, Err(NoRoom::TooLarge));
        assert_eq!(budget.grow(&mut first, 1 << 20).await, Ok(()));
        assert_eq!(budget.grow(&mut first, 2 << 20).await, Ok(()));
        assert_eq!(budget.grow(&mut second, 2 << 20).await, Err(NoRoom::Busy));
        drop(first);
        assert_eq!(budget.grow(&mut second, 2 << 20).await, Ok(()));
    }

    #[test]
    fn each_address_has_its_own_rate() {
        let rates = Rates::new(3);
        let start = Instant::now();
        let [one, other] = [1, 2].map(|last| Some(IpAddr::from(Ipv4Addr::new(192, 0, 2, last))));
        let asked: Vec<bool> = (0..5).map(|_| rates.allow(one, start)).collect();
        assert_eq!(asked, [true, true, true, false, false]);
        assert!(rates.allow(other, start));
        let later = start + Duration::from_millis(400);
        assert!(rates.allow(one, later) && !rates.allow(one, later));
        assert!((0..100).all(|_| Rates::new(0).allow(one, start)));
    }
}
