//! What a connection is waiting for: its client, or the server.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A client that sends or reads fewer bytes is silent: otherwise a byte now and then would keep its place.
const PROGRESS: u64 = 4 << 10;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What a connection is waiting for.
#[derive(Debug)]
pub(crate) struct Activity {
    /// The client has to send or to read something before anything happens.
    is_pending: AtomicBool,
    /// The server works on a request, also while it looks whether the client is still there.
    works: AtomicBool,
    /// When the client made progress last, in milliseconds since [`START`].
    since: AtomicU64,
    /// Bytes sent and read by the client since then.
    bytes: AtomicU64,
}

impl Activity {
    pub fn new() -> Self {
        let since = AtomicU64::new(START.elapsed().as_millis() as u64);
        Self { is_pending: true.into(), works: false.into(), since, bytes: 0.into() }
    }

    /// Nothing happens before the client does something.
    pub fn is_pending(&self) {
        self.is_pending.store(true, Relaxed);
    }

    /// The client has sent or read this many bytes.
    pub fn progress(&self, bytes: usize) {
        self.is_pending.store(false, Relaxed);
        if self.bytes.fetch_add(bytes as u64, Relaxed) + bytes as u64 >= PROGRESS {
            self.restart();
        }
    }

    /// The server begins or ends its work on a request.
    pub fn works(&self, works: bool) {
        self.works.store(works, Relaxed);
        if !works {
            self.restart();
        }
    }

    fn restart(&self) {
        self.bytes.store(0, Relaxed);
        self.since.store(START.elapsed().as_millis() as u64, Relaxed);
    }

    /// How long the client has been silent; none while the server works.
    pub fn silence(&self) -> Option<Duration> {
        let waits = self.is_pending.load(Relaxed) && !self.works.load(Relaxed);
        let since = Duration::from_millis(self.since.load(Relaxed));
        waits.then(|| START.elapsed().saturating_sub(since))
    }
}
