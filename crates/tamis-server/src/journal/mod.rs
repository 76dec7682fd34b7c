//! Several hosts with one filter: their lessons are in a stream of a Redis or Valkey server, which all of them follow.
//!
//! - `link`: the connection, and what it is asked.
//! - `follow`: a thread that applies the entries of the stream to the local stores.
//! - `deliver`: a thread that appends the lessons of this host to the stream.
//!
//! 1. Nobody waits for the stream: messages are judged by local tables, and a lesson is acknowledged when it is in the
//!    local journal. While the stream cannot be reached, lessons wait there.
//! 2. Every lesson is applied once on every host, whatever is killed when ([`tamis_mail::store::Learner::hear`]).
//! 3. A stream that has lost entries is noticed, and not followed.
//!
//! With a store for each user, all lessons are in one stream, each with the name of its user.

mod deliver;
mod follow;
mod link;

pub(crate) use link::check as check_url;

use crate::app::App;
use crate::config::Config;
use crate::{Error, Result, log};
use link::Link;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, sleep};
use std::time::Duration;
use tamis::hash::KeyHash;
use tamis_mail::store::{Position, random_seed, read_seed};

/// How long to wait before the first attempt to connect again, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What the threads and the stores tell each other.
#[derive(Debug)]
pub struct Sharing {
    /// Under which this process numbers lessons.
    pub(crate) origin: u64,
    /// Which stream it is.
    pub(crate) journal: u64,
    /// Of stores that are made.
    pub(crate) seed: Option<u64>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Users with lessons to be delivered.
    waiting: BTreeSet<String>,
    /// How many lessons of a user are not in the stream.
    undelivered: HashMap<String, usize>,
    /// Users whose store does not fit the stream, until the server is started again.
    stopped: BTreeSet<String>,
    /// What was applied.
    position: Position,
    is_connected: bool,
    heard: u64,
}

/// How sharing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Whether the stream is followed.
    pub is_connected: bool,
    /// Own lessons that are not in the stream.
    pub undelivered: usize,
    /// Entries that were applied since the start.
    pub heard: u64,
    /// Users whose store does not fit the stream.
    pub stopped: usize,
}

impl Sharing {
    /// As the settings say; none if nothing is shared.
    ///
    /// # Errors
    /// What is wrong with the file of the seed.
    pub(crate) fn of(config: &Config) -> Result<Option<Self>> {
        if config.journal.is_none() {
            return Ok(None);
        }
        let seed = config.seed_file.as_deref().map(read_seed).transpose()?;
        Ok(Some(Self {
            origin: random_seed() | 1,
            journal: KeyHash::default().bytes(config.journal_stream.as_bytes()),
            seed,
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it goes.
    #[must_use]
    pub fn status(&self) -> Status {
        let state = self.state();
        Status {
            is_connected: state.is_connected,
            undelivered: state.undelivered.values().sum(),
            heard: state.heard,
            stopped: state.stopped.len(),
        }
    }

    /// Notes how many lessons of a user are not in the stream.
    pub(crate) fn note(&self, user: &str, undelivered: usize) {
        let mut state = self.state();
        if undelivered == 0 {
            state.undelivered.remove(user);
        } else {
            state.undelivered.insert(user.to_owned(), undelivered);
        }
    }

    /// Says that a user has new lessons.
    pub(crate) fn wake(&self, user: &str) {
        self.state().waiting.insert(user.to_owned());
        self.changed.notify_all();
    }

    /// Stops sharing the store of a user, for a reason that does not go away.
    fn stop(&self, user: &str, error: &Error) {
        if self.state().stopped.insert(user.to_owned()) {
            let mut fields = json!({ "state": "stopped", "error": error.sentence() });
            if !user.is_empty() {
                fields["user"] = json!(user);
            }
            log::line("journal", fields);
        }
    }
}

/// Whether an error stays until somebody changes something.
const fn is_lasting(error: &Error) -> bool {
    use tamis_mail::Error::{Mismatch, NewerEntry, SharedSeed, User};
    matches!(error, Error::Mail(SharedSeed | Mismatch { .. } | NewerEntry { .. } | User { .. }))
}

/// Starts to share, if the settings say so.
///
/// # Errors
/// What the system says.
pub(crate) fn start(app: &Arc<App>) -> Result<()> {
    let Some(sharing) = app.desk.sharing().cloned() else { return Ok(()) };
    let live = app.live();
    let url = live.journal.clone().unwrap_or_default();
    let link = Link::new(&url, live.journal_ca.as_deref(), &live.journal_stream)?;
    let follower = follow::Follower::new(Arc::clone(app), Arc::clone(&sharing), link.clone());
    let deliverer = deliver::Deliverer::new(Arc::clone(app), sharing, link);
    let failed = |source| Error::Start { source };
    Builder::new().name("journal-follow".into()).spawn(|| follower.run()).map_err(failed)?;
    Builder::new().name("journal-deliver".into()).spawn(|| deliverer.run()).map_err(failed)?;
    Ok(())
}

/// Tries again and again, with longer waits as long as it fails.
struct Retries {
    wait: Duration,
    /// The last error that was logged.
    told: Option<String>,
    what: &'static str,
}

impl Retries {
    const fn new(what: &'static str) -> Self {
        Self { wait: FIRST_WAIT, told: None, what }
    }

    /// It has succeeded.
    fn done(&mut self) {
        self.wait = FIRST_WAIT;
        if self.told.take().is_some() {
            log::line("journal", json!({ "state": "connected", "part": self.what }));
        }
    }

    /// Logs an error that is not the last one, and waits.
    fn failed(&mut self, error: &Error) {
        let sentence = error.sentence();
        if self.told.as_deref() != Some(&sentence) {
            let fields = json!({ "state": "waiting", "part": self.what, "error": sentence });
            log::line("journal", fields);
            self.told = Some(sentence);
        }
        sleep(self.wait);
        self.wait = (2 * self.wait).min(LONGEST_WAIT);
    }
}
