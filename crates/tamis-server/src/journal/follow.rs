//! Applies the entries of the stream to the local stores.
//!
//! Each store knows which entry it has applied last, so an entry that is read again changes nothing. With a store for
//! each user, a file in the folder of all stores says where to read on; without it, all is read again.

use super::link::{Found, Link, Open};
use super::{Retries, Sharing, is_lasting};
use crate::app::App;
use crate::desk::Shelf;
use crate::{Error, Result, log};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tamis_mail::store::{Heard, Position, user, write_private};

/// The file that says where to read on. No user's folder starts with a dot.
const PLACE: &str = ".journal";

/// How often it is written.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// Entries with their positions.
type Entries = Vec<(Position, Vec<u8>)>;

/// The thread that follows.
pub(super) struct Follower {
    app: Arc<App>,
    sharing: Arc<Sharing>,
    link: Link,
    /// Whether a store did not take an entry: the place is not noted any more.
    is_stuck: bool,
    noted: Option<(Instant, Position)>,
}

impl Follower {
    pub fn new(app: Arc<App>, sharing: Arc<Sharing>, link: Link) -> Self {
        Self { app, sharing, link, is_stuck: false, noted: None }
    }

    /// Follows for as long as the process lives.
    pub fn run(mut self) {
        let mut retries = Retries::new("follow");
        let mut position = loop {
            match self.start() {
                Ok(position) => break position,
                Err(error) => retries.failed(&error),
            }
        };
        loop {
            let Err(error) = self.follow(&mut position, &mut retries);
            self.sharing.state().is_connected = false;
            retries.failed(&error);
        }
    }

    /// Lets all stores take part; where to read on is returned.
    fn start(&self) -> Result<Position> {
        let mut position = self.read_place();
        for user in self.app.desk.users()? {
            let joined = self.app.desk.shelf(Some(&user)).and_then(|shelf| shelf.join());
            match joined {
                // A new store may have entries anywhere.
                Ok(own) if !self.app.desk.per_user() || own == Position::default() => {
                    position = own;
                }
                Ok(_) => {}
                Err(error) if self.app.desk.per_user() => self.sharing.stop(&user, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(position)
    }

    fn follow(
        &mut self,
        position: &mut Position,
        retries: &mut Retries,
    ) -> Result<std::convert::Infallible> {
        let mut open: Open = self.link.open()?;
        open.check(*position)?;
        loop {
            let found = open.read(*position)?;
            let last = found.last().map_or(*position, |entry| entry.position);
            let count = found.len() as u64;
            self.apply(found)?;
            *position = last;
            let mut state = self.sharing.state();
            state.position = last;
            state.is_connected = true;
            state.heard += count;
            drop(state);
            self.sharing.changed.notify_all();
            retries.done();
            self.note(last);
        }
    }

    /// Applies entries, user by user.
    fn apply(&mut self, found: Vec<Found>) -> Result<()> {
        let per_user = self.app.desk.per_user();
        let mut users: Vec<(String, Entries)> = Vec::new();
        for Found { position, user: name, lesson } in found {
            // What was written for a server of the other kind is none of our lessons.
            let is_ours = match per_user {
                true => user(&name).is_ok_and(|user| user == name),
                false => name.is_empty(),
            };
            if !is_ours {
                self.skip(position);
                continue;
            }
            match users.iter_mut().find(|(other, _)| *other == name) {
                Some((_, entries)) => entries.push((position, lesson)),
                None => users.push((name, vec![(position, lesson)])),
            }
        }
        for (name, entries) in users {
            if self.sharing.state().stopped.contains(&name) {
                continue;
            }
            match self.hear(&name, &entries) {
                Err(error) if is_lasting(&error) => {
                    self.sharing.stop(&name, &error);
                    self.is_stuck = true;
                    if !per_user {
                        return Err(error);
                    }
                }
                done => done?,
            }
        }
        Ok(())
    }

    fn hear(&self, user: &str, entries: &[(Position, Vec<u8>)]) -> Result<()> {
        let shelf: Arc<Shelf> = self.app.desk.shelf(Some(user))?;
        for (position, heard) in shelf.hear(entries)? {
            if heard == Heard::Strange {
                self.skip(position);
            }
        }
        Ok(())
    }

    fn skip(&self, position: Position) {
        let fields = json!({ "state": "skipped", "entry": position.to_string() });
        log::line("journal", fields);
    }

    fn place(&self) -> PathBuf {
        self.app.desk.folder().join(PLACE)
    }

    /// Where to read on, as it was noted for this stream.
    fn read_place(&self) -> Position {
        let read = || {
            let text = fs::read_to_string(self.place()).ok()?;
            let (journal, position) = text.trim().split_once(' ')?;
            let is_ours = journal == format!("{:016x}", self.sharing.journal);
            position.parse().ok().filter(|_| is_ours)
        };
        if self.app.desk.per_user() { read().unwrap_or_default() } else { Position::default() }
    }

    /// Notes where to read on, sometimes. All stores have what was read before.
    fn note(&mut self, position: Position) {
        let is_due =
            self.noted.is_none_or(|(when, last)| last != position && when.elapsed() >= NOTED_EVERY);
        if !self.app.desk.per_user() || self.is_stuck || !is_due || position == Position::default()
        {
            return;
        }
        self.noted = Some((Instant::now(), position));
        let text = format!("{:016x} {position}\n", self.sharing.journal);
        if let Err(error) = write_private(&self.place(), text.as_bytes()) {
            log::line("journal", json!({ "error": Error::from(error).sentence() }));
        }
    }
}
