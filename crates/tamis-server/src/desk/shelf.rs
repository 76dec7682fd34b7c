//! One store, for many at once.
//!
//! All requests judge by one copy of the filter in memory. Writers enqueue a task. One thread does all queued tasks,
//! writes them to disk together, and reports the result of each, until the queue is empty. The lock of the store is
//! held only while that happens, so other processes can learn into the store as well.

use super::Making;
use super::judged::{Beliefs, Judged};
use crate::limits::{Hold, Turn};
use crate::{Error, Result, log};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tamis_mail::store::{
    Base, Change, Heard, Info, Learner, News, Outgoing, Position, Resting, Store, random_seed,
};
use tokio::sync::oneshot;

/// How long a learner stays in memory after a lesson.
const REST: Duration = Duration::from_secs(60);

/// How often to look whether another process has learned something, in milliseconds.
const LOOK_EVERY: u64 = 1000;

/// A change to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// This message has this label.
    Learn {
        /// The message.
        raw: Arc<Vec<u8>>,
        /// Its label.
        label: String,
        /// Who says so.
        teacher: &'static str,
        /// When, in seconds since 1970.
        time: u64,
    },
    /// Undo what was learned from this message.
    Forget {
        /// The message.
        raw: Arc<Vec<u8>>,
    },
    /// Give a label another name.
    Rename {
        /// The label.
        from: String,
        /// Its new name.
        to: String,
    },
    /// Remove a label; its messages become ham.
    Remove {
        /// The label.
        label: String,
    },
}

/// The result of a [`Task`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// A message was learned, or was known before.
    Learned(Change),
    /// A message was forgotten; false if it was never learned.
    Forgotten(bool),
    /// A label was renamed.
    Renamed,
    /// A label was removed; the number of messages that became ham.
    Removed(usize),
}

/// A task and who waits for it.
#[derive(Debug)]
struct Waiting {
    task: Task,
    answer: oneshot::Sender<Result<Done>>,
    /// The memory of the task is in use until it is done, also when nobody waits any more.
    _held: (Option<Arc<Hold>>, Option<Turn>),
}

/// Tasks that wait.
#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Whether a thread does them.
    is_served: bool,
}

/// A learner that has nothing to do, and since when.
#[derive(Debug)]
struct Rest {
    learner: Resting,
    since: Instant,
}

/// One store.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
    /// Whose it is; empty if all have one store.
    user: String,
    making: Making,
    /// None until something was learned.
    store: RwLock<Option<Store>>,
    queue: Mutex<Queue>,
    /// Held by the one who learns or reads what was learned. Between lessons that come one after the other, the learner
    /// stays in memory.
    turn: Mutex<Option<Rest>>,
    opened: Instant,
    /// When somebody last looked for news, in milliseconds since it was opened, plus one; 0 for never.
    looked: AtomicU64,
    /// Whether the store was made without the base and cannot stand on it.
    is_apart: AtomicBool,
}

impl Shelf {
    pub(super) fn new(folder: PathBuf, user: String, making: Making) -> Self {
        Self {
            folder,
            user,
            making,
            store: RwLock::new(None),
            queue: Mutex::default(),
            turn: Mutex::default(),
            opened: Instant::now(),
            looked: AtomicU64::new(0),
            is_apart: AtomicBool::new(false),
        }
    }

    /// Whether the store is there.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.folder.exists()
    }

    /// Makes the store if it is not there, and opens it.
    ///
    /// # Errors
    /// What the store says.
    pub fn make(&self) -> Result<()> {
        self.learner()?.close()?;
        self.look()
    }

    fn learner(&self) -> Result<Learner> {
        let Making { table, settings, base, sharing } = &self.making;
        let base = base.as_ref().map(|base| base.get());
        match (Learner::open(&self.folder), base) {
            (Err(tamis_mail::Error::NoStore { .. }), Some(base)) => {
                Ok(base.create(&self.folder, *settings)?)
            }
            (Err(tamis_mail::Error::NoStore { .. }), None) => {
                let seed = sharing.as_ref().and_then(|sharing| sharing.seed);
                let seed = seed.unwrap_or_else(random_seed);
                Ok(Learner::create(&self.folder, *table, seed, *settings)?)
            }
            (opened, base) => {
                let mut learner = opened?;
                if let Some(base) = base {
                    self.note_base(learner.set_base(&base));
                }
                Ok(learner)
            }
        }
    }

    /// Logs once that a store was made without the base, and is used without it.
    fn note_base(&self, set: tamis_mail::Result<()>) {
        if let Err(error) = set
            && !self.is_apart.swap(true, Relaxed)
        {
            let store = self.folder.display().to_string();
            log::line("base", json!({ "error": error.to_string(), "store": store }));
        }
    }

    /// Sets the base that the store stands on, if it is another one by now.
    fn follow_base(&self, base: &Base) {
        let stands = |store: &Store| store.stands_on(base) || self.is_apart.load(Relaxed);
        if self.store.read().unwrap_or_else(PoisonError::into_inner).as_ref().is_none_or(stands) {
            return;
        }
        if let Some(store) = &mut *self.store.write().unwrap_or_else(PoisonError::into_inner) {
            self.note_base(store.set_base(base));
        }
    }

    /// Takes over what was learned since somebody looked last.
    fn look(&self) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.look_in_turn()
    }

    fn look_in_turn(&self) -> Result<()> {
        let news = match &*self.store.read().unwrap_or_else(PoisonError::into_inner) {
            Some(store) => store.news()?,
            None => match Store::open(&self.folder) {
                Err(tamis_mail::Error::NoStore { .. }) => return Ok(()),
                opened => News::Replaced(Box::new(opened?)),
            },
        };
        let mut held = self.store.write().unwrap_or_else(PoisonError::into_inner);
        let old = match (&mut *held, news) {
            (_, News::None) => None,
            (Some(store), news @ News::Learned(_)) => {
                store.accept(news);
                None
            }
            (None, News::Learned(_)) => None,
            (store, News::Replaced(new)) => store.replace(*new),
        };
        // Letting go of whole tables takes its time, and nobody has to wait for it.
        drop(held);
        drop(old);
        Ok(())
    }

    /// Looks for news, if it is time to and nobody does already.
    fn look_sometimes(&self) -> Result<()> {
        let now = self.opened.elapsed().as_millis() as u64 + 1;
        let last = self.looked.load(Relaxed);
        let due = last == 0 || now >= last + LOOK_EVERY;
        if !due || self.looked.compare_exchange(last, now, Relaxed, Relaxed).is_err() {
            return Ok(());
        }
        if let Ok(mut rest) = self.turn.try_lock()
            && rest.as_ref().is_some_and(|rest| rest.since.elapsed() > REST)
        {
            *rest = None;
        }
        let behind = {
            let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
            store.as_ref().is_none_or(Store::is_behind)
        };
        if behind {
            let Ok(_turn) = self.turn.try_lock() else { return Ok(()) };
            self.look_in_turn()?;
        }
        Ok(())
    }

    /// Calls `visit` with the store as it is now; with the base alone if nothing was ever learned, and none
    /// if there is no base.
    ///
    /// # Errors
    /// What a store says that could never be opened.
    pub fn with_store<T>(&self, visit: impl FnOnce(Option<&Store>) -> T) -> Result<T> {
        let looked = self.look_sometimes();
        let base = self.making.base.as_ref().map(|base| base.get());
        if let Some(base) = &base {
            self.follow_base(base);
        }
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        match (looked, &*store) {
            (Err(error), None) => {
                // Who asks next is told the same, and not that nothing was learned.
                self.looked.store(0, Relaxed);
                return Err(error);
            }
            // What is in memory still serves, whatever became of the files.
            (Err(error), Some(_)) => log::line("store", json!({ "error": error.sentence() })),
            (Ok(()), _) => {}
        }
        Ok(visit(store.as_ref().or_else(|| base.as_ref().map(|base| base.alone()))))
    }

    /// What a message is.
    ///
    /// # Errors
    /// What the store says.
    pub fn judge(&self, raw: &[u8], beliefs: Beliefs<'_>) -> Result<Judged> {
        self.with_store(|store| Judged::new(store, raw, beliefs))?
    }

    /// What the store says about itself; none if nothing was ever learned.
    ///
    /// # Errors
    /// What the store says.
    pub fn info(&self) -> Result<Option<Info>> {
        Ok(self.with_store(|store| store.map(Store::info))?.transpose()?)
    }

    /// Does a task. It is on disk when this returns. It waits for other processes; `turn` is what its work needs.
    ///
    /// # Errors
    /// What the store says.
    pub async fn teach(self: &Arc<Self>, task: Task, turn: Option<Turn>) -> Result<Done> {
        let (answer, answered) = oneshot::channel();
        {
            let mut queue = self.queue();
            queue.waiting.push(Waiting { task, answer, _held: (Hold::current(), turn) });
            if !queue.is_served {
                queue.is_served = true;
                let shelf = Arc::clone(self);
                tokio::task::spawn_blocking(move || Served(shelf).work());
            }
        }
        answered
            .await
            .unwrap_or_else(|_| Err(Error::Failed { what: "the lesson was given up".into() }))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, waiting: Vec<Waiting>) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that is gone does not hear the answer.
        match self.learn_all(&waiting, &mut turn) {
            Ok(all) => {
                for (waiting, done) in waiting.into_iter().zip(all) {
                    waiting.answer.send(done).ok();
                }
            }
            Err(error) => {
                for waiting in waiting {
                    let what = error.sentence();
                    waiting.answer.send(Err(Error::Failed { what })).ok();
                }
            }
        }
    }

    /// Does all tasks, and brings them to disk; what became of each.
    fn learn_all(&self, waiting: &[Waiting], rest: &mut Option<Rest>) -> Result<Vec<Result<Done>>> {
        let mut all = Vec::with_capacity(waiting.len());
        self.in_turn(rest, |learner| {
            self.do_all(learner, waiting, &mut all);
            Ok(learner.commit()?)
        })?;
        if let Some(sharing) = &self.making.sharing {
            sharing.wake(&self.user);
        }
        Ok(all)
    }

    fn do_all(&self, learner: &mut Learner, waiting: &[Waiting], all: &mut Vec<Result<Done>>) {
        for Waiting { task, .. } in waiting {
            let done = match task {
                Task::Learn { raw, label, teacher, time } => {
                    learner.learn_by(teacher, raw, label, *time).map(Done::Learned)
                }
                Task::Forget { raw } => learner.forget(raw).map(Done::Forgotten),
                Task::Rename { from, to } => learner.rename_label(from, to).map(|()| Done::Renamed),
                Task::Remove { label } => learner.remove_label(label).map(Done::Removed),
            };
            all.push(done.map_err(Error::from));
        }
    }

    /// Does some work that brings what it changes to disk.
    fn in_turn<T>(
        &self,
        rest: &mut Option<Rest>,
        work: impl FnOnce(&mut Learner) -> Result<T>,
    ) -> Result<T> {
        let mut learner = match rest.take() {
            Some(Rest { learner, .. }) => learner.wake().or_else(|_| self.learner())?,
            None => self.learner()?,
        };
        let sharing = self.making.sharing.as_ref();
        if let Some(sharing) = sharing {
            learner.set_origin(sharing.origin);
            learner.share(sharing.journal);
        }
        let done = work(&mut learner)?;
        let undelivered = learner.undelivered().unwrap_or(0);
        // From here on everything is safe on disk. What goes wrong later is no failure of a lesson: it can be done
        // with the next one.
        let settled = learner.rest().map_err(Error::from).and_then(|learner| {
            *rest = Some(Rest { learner, since: Instant::now() });
            self.look_in_turn()
        });
        if let Err(error) = settled {
            log::line("store", json!({ "error": error.sentence() }));
        }
        if let Some(sharing) = sharing {
            sharing.note(&self.user, undelivered);
        }
        Ok(done)
    }

    /// Shares the lessons of the store; where it is in the shared journal is returned.
    ///
    /// # Errors
    /// What the store says.
    pub(crate) fn join(&self) -> Result<Position> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let position = self.in_turn(&mut turn, |learner| {
            learner.commit()?;
            Ok(learner.position().unwrap_or_default())
        });
        // Of many stores, few have something to learn soon.
        *turn = None;
        position
    }

    /// Applies entries of the shared journal; what each of them was is returned, up to the first that was refused.
    ///
    /// # Errors
    /// Why the first was refused, or what the store says.
    pub(crate) fn hear(&self, entries: &[(Position, Vec<u8>)]) -> Result<Vec<(Position, Heard)>> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.in_turn(&mut turn, |learner| {
            let mut all = Vec::with_capacity(entries.len());
            let mut refused = Ok(());
            for (position, entry) in entries {
                match learner.hear(*position, entry) {
                    Ok(heard) => all.push((*position, heard)),
                    Err(error) => {
                        refused = Err(error);
                        break;
                    }
                }
            }
            // What came before is applied and sound.
            learner.commit()?;
            refused?;
            Ok(all)
        })
    }

    /// The next lessons for the shared journal, after the last one that was sent; they have about `most` bytes.
    ///
    /// # Errors
    /// What the store says.
    pub(crate) fn outgoing(&self, after: Option<&u64>, most: usize) -> Result<Vec<Outgoing>> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.in_turn(&mut turn, |learner| Ok(learner.outgoing(after.copied(), most)?))
    }
}

/// A store whose tasks are being done.
struct Served(Arc<Shelf>);

impl Served {
    /// Does all tasks until there are none.
    fn work(&self) {
        loop {
            let waiting = {
                let mut queue = self.0.queue();
                if queue.waiting.is_empty() {
                    queue.is_served = false;
                    return;
                }
                std::mem::take(&mut queue.waiting)
            };
            self.0.work(waiting);
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Others have their tasks done by the next thread.
            self.0.queue().is_served = false;
        }
    }
}
