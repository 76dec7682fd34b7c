//! Appends the lessons of this host to the stream.
//!
//! After a connection was lost, nobody knows which lessons came through. The stream is then followed up to its end, and
//! what was not heard back is sent again; what comes twice is applied once.

use super::link::{Link, Open};
use super::{Retries, Sharing, is_lasting};
use crate::app::App;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tamis_mail::store::Position;

/// About how many bytes are sent at once.
const MOST: usize = 256 << 10;

/// How often to look for lessons that other processes have taught a store.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long to wait until the stream is followed up to its end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The thread that delivers.
pub(super) struct Deliverer {
    app: Arc<App>,
    sharing: Arc<Sharing>,
    link: Link,
    /// The last lesson of each user that was sent over this connection.
    sent: HashMap<String, u64>,
    /// Bytes of each user's journal when somebody last looked.
    sizes: HashMap<String, u64>,
    looked: Option<Instant>,
}

impl Deliverer {
    pub fn new(app: Arc<App>, sharing: Arc<Sharing>, link: Link) -> Self {
        let (sent, sizes, looked) = (HashMap::new(), HashMap::new(), None);
        Self { app, sharing, link, sent, sizes, looked }
    }

    /// Delivers for as long as the process lives.
    pub fn run(mut self) {
        let mut retries = Retries::new("deliver");
        loop {
            let Err(error) = self.deliver(&mut retries);
            retries.failed(&error);
        }
    }

    fn deliver(&mut self, retries: &mut Retries) -> Result<std::convert::Infallible> {
        let mut open = self.link.open()?;
        let end = open.check(Position::default());
        self.wait_for(match end {
            // Whether something is missing is for the follower to say.
            Err(Error::JournalLost { .. }) => Position::default(),
            end => end?,
        })?;
        self.sent.clear();
        self.sharing.state().waiting.extend(self.app.desk.users()?);
        loop {
            for user in self.next() {
                let delivered = self.deliver_all(&user, &mut open);
                match delivered {
                    Err(error) if is_lasting(&error) => self.sharing.stop(&user, &error),
                    // All of them are delivered again over the next connection.
                    Err(error) => return Err(error),
                    Ok(()) => retries.done(),
                }
            }
        }
    }

    /// Sends all lessons of a user.
    fn deliver_all(&mut self, user: &str, open: &mut Open) -> Result<()> {
        loop {
            let is_stopped = self.sharing.state().stopped.contains(user);
            if is_stopped {
                return Ok(());
            }
            let lessons = self.app.desk.shelf(Some(user))?.outgoing(self.sent.get(user), MOST)?;
            let Some(last) = lessons.last() else { return Ok(()) };
            open.append(user, &lessons)?;
            self.sent.insert(user.to_owned(), last.serial);
        }
    }

    /// The users who have something to deliver, once there is one.
    fn next(&mut self) -> Vec<String> {
        loop {
            self.look();
            let mut state = self.sharing.state();
            if state.waiting.is_empty() {
                let waited = self.sharing.changed.wait_timeout(state, LOOK_EVERY);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            if !state.waiting.is_empty() {
                return std::mem::take(&mut state.waiting).into_iter().collect();
            }
        }
    }

    /// Looks which journals have grown.
    fn look(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        for user in self.app.desk.users().unwrap_or_default() {
            let size = size(&self.app.desk.folder_of(&user));
            if self.sizes.insert(user.clone(), size) != Some(size) {
                self.sharing.state().waiting.insert(user);
            }
        }
    }

    /// Waits until the stream is followed up to a position.
    fn wait_for(&self, position: Position) -> Result<()> {
        let start = Instant::now();
        let mut state = self.sharing.state();
        while !state.is_connected || state.position < position {
            let left = PATIENCE.saturating_sub(start.elapsed());
            if left.is_zero() {
                let what = "it is not followed up to its end".to_owned();
                return Err(Error::Journal { what });
            }
            let waited = self.sharing.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

/// Bytes of all journals in the folder of a store.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let journals =
        entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"journal-"));
    journals.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
