//! A remote mailbox: learns from its folders, and files spam into its junk folder.
//!
//! - `wire`: bytes, lines and literals. `session`: commands. `memory`: how far each folder was read.
//!
//! 1. No message is ever deleted or expunged, none is marked, and the only change is `UID MOVE` of new spam from the
//!    inbox to the junk folder. A server that cannot move messages has them stay where they are.
//! 2. What is in the junk folder teaches spam, unless it was filed there by this module; what is in the folders of ham
//!    teaches ham, of the inbox only what was opened.
//! 3. A message that comes back from the junk folder to the inbox teaches ham and is not filed again.
//! 4. A lesson is on disk before it is remembered that its message was read.

mod memory;
mod session;
mod wire;

use crate::{Error, Result};
use memory::{Memory, Read};
use session::Session;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tamis_mail::filter::HAM;
use tamis_mail::mailbox::is_empty;
use tamis_mail::message::Message;
use tamis_mail::store::{Change, Learner, Store, digest, now};
use wire::Wire;

/// The teacher of these lessons.
pub const TEACHER: &str = "imap";

/// How many messages are fetched before they are learned, and about how many bytes.
const BATCH: usize = 50;
const BATCH_BYTES: usize = 16 << 20;

/// How long to wait before the first attempt to connect again, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// What to do with which mailbox.
#[derive(Clone)]
pub struct Settings {
    /// The name of the server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether it is spoken to in the clear; on this machine only.
    pub plain: bool,
    /// The authorities that are trusted; those of the system by default.
    pub authority: Option<PathBuf>,
    /// Who logs in.
    pub username: String,
    /// With what.
    pub password: String,
    /// The store that learns and judges.
    pub store: PathBuf,
    /// Where to remember how far the folders were read.
    pub memory: PathBuf,
    /// The folder whose new messages are judged.
    pub inbox: String,
    /// The folder of spam.
    pub junk: String,
    /// The folders of ham.
    pub ham: Vec<String>,
    /// Whether spam is moved to the folder of spam.
    pub files: bool,
    /// Whether one look is enough.
    pub once: bool,
    /// How often to look into the folders that the server does not report.
    pub every: Duration,
    /// The largest message, in bytes.
    pub most: usize,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the password.
        f.debug_struct("Settings").field("host", &self.host).finish_non_exhaustive()
    }
}

/// What happened to a message, or to the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message was learned with a label; it is not told of those that were known.
    Learned {
        /// Its folder.
        folder: String,
        /// Its number.
        number: u32,
        /// Its label.
        label: &'static str,
    },
    /// A new message is spam, and was moved.
    Filed {
        /// Its number in the inbox.
        number: u32,
    },
    /// A new message is spam, and stays in the inbox.
    Left {
        /// Its number.
        number: u32,
        /// Why.
        why: &'static str,
    },
    /// A message is larger than the limit.
    TooLarge {
        /// Its folder.
        folder: String,
        /// Its number.
        number: u32,
    },
    /// All folders were read.
    Waiting,
    /// The connection was lost, or could not be made.
    Lost {
        /// Why.
        error: String,
        /// When it is tried again.
        wait: Duration,
    },
}

/// Reads the folders, and goes on with what is new, until something is refused; once, if the settings say so.
///
/// # Errors
/// [`Error::ImapRefused`] for a login, folder or server that cannot be used; what the store says; a lost connection, if
/// one look is enough.
pub fn run(settings: &Settings, tell: &mut dyn FnMut(Event) -> Result<()>) -> Result<()> {
    let is_local = matches!(settings.host.as_str(), "localhost" | "127.0.0.1" | "::1");
    if settings.plain && !is_local {
        let what = format!("{} is another machine: a password needs TLS", settings.host);
        return Err(Error::Setting { what });
    }
    if settings.ham.contains(&settings.junk) || settings.inbox == settings.junk {
        return Err(Error::Setting {
            what: format!("{} cannot be both, junk and ham", settings.junk),
        });
    }
    let secure = match settings.plain {
        true => None,
        false => Some(wire::secure(settings.authority.as_deref())?),
    };
    // A missing store is reported now and not at the first message.
    Learner::open(&settings.store)?.close()?;
    let seed = Store::open(&settings.store)?.reader().hash().seed();
    let mut mailbox = Mailbox { settings, seed, memory: Memory::read(&settings.memory)? };
    let mut wait = FIRST_WAIT;
    loop {
        let wire =
            || Wire::open(&settings.host, settings.port, secure.clone(), settings.most + 1024);
        let opened =
            wire().and_then(|wire| Session::open(wire, &settings.username, &settings.password));
        let done = match opened {
            Ok(session) => mailbox.follow(session, tell, &mut wait),
            Err(error) => Err(error),
        };
        match done {
            Err(Error::Imap { what }) if !settings.once => {
                tell(Event::Lost { error: what, wait })?;
                sleep(wait);
                wait = (2 * wait).min(LONGEST_WAIT);
            }
            done => return done,
        }
    }
}

/// A mailbox, and what is remembered of it.
struct Mailbox<'s> {
    settings: &'s Settings,
    seed: u64,
    memory: Memory,
}

/// A message that was fetched.
struct Fetched {
    number: u32,
    raw: Vec<u8>,
}

type Tell<'t> = &'t mut dyn FnMut(Event) -> Result<()>;

impl Mailbox<'_> {
    fn follow(&mut self, mut session: Session, tell: Tell<'_>, wait: &mut Duration) -> Result<()> {
        loop {
            self.look(&mut session, tell)?;
            *wait = FIRST_WAIT;
            tell(Event::Waiting)?;
            if self.settings.once {
                session.close();
                return Ok(());
            }
            let start = Instant::now();
            session.select(&self.settings.inbox, true)?;
            match session.can_idle() {
                true => session.idle(self.settings.every)?,
                false => sleep(self.settings.every),
            }
            // News come in groups, and a server must not be asked without a pause.
            sleep(Duration::from_millis(100).saturating_sub(start.elapsed()));
        }
    }

    /// Reads what is new in all folders.
    fn look(&mut self, session: &mut Session, tell: Tell<'_>) -> Result<()> {
        let settings = self.settings;
        self.learn(session, &settings.junk, "spam", tell)?;
        for folder in settings.ham.iter().filter(|folder| **folder != settings.inbox) {
            self.learn(session, folder, HAM, tell)?;
        }
        self.judge(session, tell)?;
        if settings.ham.contains(&settings.inbox) {
            self.learn_opened(session, tell)?;
        }
        Ok(())
    }

    fn identity(&self, raw: &[u8]) -> String {
        digest(raw, self.seed).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Learns the new messages of a folder.
    fn learn(
        &mut self,
        session: &mut Session,
        folder: &str,
        label: &'static str,
        tell: Tell<'_>,
    ) -> Result<()> {
        let is_junk = folder == self.settings.junk;
        let opened = session.select(folder, false)?;
        let known = self.memory.folder(folder).filter(|read| read.validity == opened.validity);
        let mut read = known.cloned().unwrap_or_default();
        if is_junk && read.validity != opened.validity {
            // Its messages have other numbers now.
            self.memory.junked.clear();
        }
        read.validity = opened.validity;
        let numbers = new(session, &read, opened.next)?;
        let mut rest = numbers.as_slice();
        while !rest.is_empty() {
            let (batch, count) = self.fetch(session, folder, rest, tell)?;
            let mut lessons = Vec::new();
            for fetched in &batch {
                if is_junk {
                    let identity = self.identity(&fetched.raw);
                    let is_ours = self.memory.filed.remove(&identity).is_some();
                    self.memory.junked.insert(identity, fetched.number);
                    // What was filed here by ourselves teaches nothing.
                    if is_ours {
                        continue;
                    }
                }
                lessons.push(fetched);
            }
            self.teach(folder, label, &lessons, tell)?;
            read.last = rest[count - 1].max(read.last);
            self.memory.note(folder, read.clone());
            self.memory.write(&self.settings.memory)?;
            rest = &rest[count..];
        }
        if self.memory.folder(folder) != Some(&read) {
            self.memory.note(folder, read);
            self.memory.write(&self.settings.memory)?;
        }
        Ok(())
    }

    /// Fetches the first of these messages, and says how many that were; those that are gone or too large are left out.
    fn fetch(
        &self,
        session: &mut Session,
        folder: &str,
        numbers: &[u32],
        tell: Tell<'_>,
    ) -> Result<(Vec<Fetched>, usize)> {
        let (mut batch, mut bytes, mut count) = (Vec::new(), 0, 0);
        for &number in numbers {
            count += 1;
            let Some(size) = session.size(number)? else { continue };
            if size > self.settings.most as u64 {
                tell(Event::TooLarge { folder: folder.to_owned(), number })?;
                continue;
            }
            let Some(raw) = session.fetch(number)? else { continue };
            bytes += raw.len();
            batch.push(Fetched { number, raw });
            if batch.len() >= BATCH || bytes >= BATCH_BYTES {
                break;
            }
        }
        Ok((batch, count))
    }

    fn teach(
        &self,
        folder: &str,
        label: &'static str,
        lessons: &[&Fetched],
        tell: Tell<'_>,
    ) -> Result<()> {
        if lessons.is_empty() {
            return Ok(());
        }
        let mut learner = Learner::open(&self.settings.store)?;
        let mut learned = Vec::new();
        for Fetched { number, raw } in lessons.iter().filter(|lesson| !is_empty(&lesson.raw)) {
            if learner.learn_by(TEACHER, raw, label, now())? != Change::Known {
                learned.push(*number);
            }
        }
        learner.close()?;
        for number in learned {
            tell(Event::Learned { folder: folder.to_owned(), number, label })?;
        }
        Ok(())
    }

    /// Judges the new messages of the inbox. What was there before the first look is not judged.
    fn judge(&mut self, session: &mut Session, tell: Tell<'_>) -> Result<()> {
        let settings = self.settings;
        let opened = session.select(&settings.inbox, true)?;
        let known =
            self.memory.folder(&settings.inbox).filter(|read| read.validity == opened.validity);
        let Some(mut read) = known.cloned() else {
            let unopened = match settings.ham.contains(&settings.inbox) {
                true => session.search("ALL")?,
                false => Vec::new(),
            };
            let last = opened.next.saturating_sub(1);
            self.memory.note(&settings.inbox, Read { validity: opened.validity, last, unopened });
            return self.memory.write(&settings.memory);
        };
        let numbers = new(session, &read, opened.next)?;
        let mut rest = numbers.as_slice();
        while !rest.is_empty() {
            let (batch, count) = self.fetch(session, &settings.inbox, rest, tell)?;
            let store = Store::open(&settings.store)?;
            let mut returned = Vec::new();
            for fetched in &batch {
                if self.is_returned(session, fetched)? {
                    returned.push(fetched);
                    continue;
                }
                let is_spam = !is_empty(&fetched.raw)
                    && store.judge(&Message::parse(&fetched.raw)).1.verdict.is_spam();
                if !is_spam || !self.file(session, fetched, tell)? {
                    read.unopened.push(fetched.number);
                }
            }
            self.teach(&settings.inbox, HAM, &returned, tell)?;
            for fetched in returned {
                let identity = self.identity(&fetched.raw);
                self.memory.junked.remove(&identity);
                self.memory.filed.remove(&identity);
            }
            read.last = rest[count - 1].max(read.last);
            if !settings.ham.contains(&settings.inbox) {
                read.unopened.clear();
            }
            self.memory.note(&settings.inbox, read.clone());
            self.memory.write(&settings.memory)?;
            rest = &rest[count..];
        }
        Ok(())
    }

    /// Whether a message of the inbox was in the junk folder, and is there no more.
    fn is_returned(&self, session: &mut Session, fetched: &Fetched) -> Result<bool> {
        let settings = self.settings;
        let identity = self.identity(&fetched.raw);
        if let Some(number) = self.memory.filed.get(&identity) {
            // With the same number it was never moved: the connection was lost, or the process ended.
            return Ok(*number != fetched.number);
        }
        match self.memory.junked.get(&identity) {
            None => Ok(false),
            Some(number) => {
                session.select(&settings.junk, false)?;
                let found = session.search(&format!("UID {number}"))?;
                session.select(&settings.inbox, true)?;
                Ok(found.is_empty())
            }
        }
    }

    /// Moves spam to the junk folder, if that is wanted and possible.
    fn file(&mut self, session: &mut Session, fetched: &Fetched, tell: Tell<'_>) -> Result<bool> {
        let number = fetched.number;
        if !self.settings.files {
            tell(Event::Left { number, why: "filing is off" })?;
            return Ok(false);
        }
        if !session.can_move() {
            tell(Event::Left { number, why: "the server cannot move messages" })?;
            return Ok(false);
        }
        // Remembered first: whatever happens now, it is not taken for a person's lesson.
        self.memory.filed.insert(self.identity(&fetched.raw), number);
        self.memory.write(&self.settings.memory)?;
        session.move_to(number, &self.settings.junk)?;
        tell(Event::Filed { number })?;
        Ok(true)
    }

    /// Learns messages of the inbox that were opened by now.
    fn learn_opened(&mut self, session: &mut Session, tell: Tell<'_>) -> Result<()> {
        let inbox = &self.settings.inbox;
        let Some(mut read) = self.memory.folder(inbox).cloned() else { return Ok(()) };
        if read.unopened.is_empty() {
            return Ok(());
        }
        let (opened, all) = (session.search("SEEN")?, session.search("ALL")?);
        let is_in = |list: &[u32], number: &u32| list.binary_search(number).is_ok();
        let ready: Vec<u32> =
            read.unopened.iter().copied().filter(|number| is_in(&opened, number)).collect();
        let mut rest = ready.as_slice();
        while !rest.is_empty() {
            let (batch, count) = self.fetch(session, inbox, rest, tell)?;
            self.teach(inbox, HAM, &batch.iter().collect::<Vec<_>>(), tell)?;
            rest = &rest[count..];
        }
        let before = read.unopened.len();
        read.unopened.retain(|number| is_in(&all, number) && !is_in(&opened, number));
        if read.unopened.len() != before {
            self.memory.note(inbox, read);
            self.memory.write(&self.settings.memory)?;
        }
        Ok(())
    }
}

/// The numbers of messages that were not read yet.
fn new(session: &mut Session, read: &Read, next: u32) -> Result<Vec<u32>> {
    if next <= read.last.saturating_add(1) {
        return Ok(Vec::new());
    }
    let first = read.last.saturating_add(1);
    let mut numbers = session.search(&format!("UID {first}:*"))?;
    // The range has the last message even if that was read.
    numbers.retain(|number| *number >= first);
    Ok(numbers)
}

/// The file of the memory in the folder of a store, for this mailbox.
#[must_use]
pub fn memory_in(store: &Path, host: &str, username: &str) -> PathBuf {
    let name = format!("{username}@{host}");
    let hash = tamis::hash::KeyHash::default().bytes(name.as_bytes());
    store.join(format!(".imap-{hash:016x}.json"))
}
