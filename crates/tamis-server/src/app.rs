//! What all ports share.

use crate::config::{Address, Config};
use crate::desk::{Desk, Done, Judged, Mail, Task, guesses};
use crate::files::Files;
use crate::limits::{Budget, Hold, Rates, SMALL};
use crate::live::Live;
use crate::metrics::{Metrics, Source};
use crate::{Error, Result, log};
use serde_json::json;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use tamis_mail::filter::HAM;
use tamis_mail::labels::is_name;
use tamis_mail::store::{AUTOLEARN, Change, OWNER, now};

/// The desk, the files, and what is counted and limited.
#[derive(Debug)]
pub struct App {
    live: RwLock<Arc<Live>>,
    /// Where each protocol is spoken.
    bound: RwLock<Vec<(Source, Address)>>,
    /// Where mail is judged and learned.
    pub desk: Desk,
    /// Filters, indexes and cascades.
    pub files: Files,
    /// What is counted.
    pub metrics: Metrics,
    /// Memory for requests.
    pub budget: Budget,
    /// Requests per second.
    pub rates: Rates,
}

impl App {
    /// Opens everything that a configuration names, which was checked.
    ///
    /// # Errors
    /// What the store or a file says.
    pub fn open(config: Config) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            desk: Desk::open(&config)?,
            files: Files::new(config.files.clone().unwrap_or_default()),
            metrics: Metrics::default(),
            budget: Budget::new(&config.limits),
            rates: Rates::default(),
            bound: RwLock::default(),
            live: RwLock::new(Arc::new(Live::open(config)?)),
        }))
    }

    /// The settings as they are now, and what was opened for them.
    #[must_use]
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Uses other settings from now on.
    pub(crate) fn replace(&self, live: Live) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
    }

    /// Where a protocol is spoken, in words.
    #[must_use]
    pub fn addresses(&self, source: Source) -> Option<String> {
        let bound = self.bound.read().unwrap_or_else(PoisonError::into_inner);
        let own = bound.iter().filter(|(other, _)| *other == source);
        let list: Vec<String> = own.map(|(_, address)| address.to_string()).collect();
        (!list.is_empty()).then(|| list.join(", "))
    }

    pub(crate) fn set_bound(&self, bound: Vec<(Source, Address)>) {
        *self.bound.write().unwrap_or_else(PoisonError::into_inner) = bound;
    }

    /// Judges a message, counts the verdict and what becomes of the message, and records both in memory, in the
    /// history and in the log; the number of the verdict is returned as well.
    ///
    /// # Errors
    /// What the store says, or that too many large messages wait.
    pub async fn judge(
        self: &Arc<Self>,
        mail: Mail<'_>,
        raw: &Arc<Vec<u8>>,
    ) -> Result<(u64, Judged)> {
        let start = Instant::now();
        let user = self.desk.user(mail.user)?.filter(|_| self.desk.per_user());
        let mail = Mail { user: user.as_deref(), ..mail };
        let live = self.live();
        let mut judged = self.verdict(mail.user, raw).await?;
        judged.action = mail.action(&live.milter, judged.is_spam, judged.probability);
        judged.took = start.elapsed();
        let time = now();
        self.metrics.judged(mail.source, judged.outcome, judged.took, time);
        self.metrics.acted(judged.action);
        self.metrics.labelled(&judged.verdict);
        let id = self.desk.verdicts().record(mail.source, mail.user, time, &judged, raw);
        if let Some(label) = guesses::label(&live.autolearn, &mail, &judged)
            && raw.len() <= guesses::LARGEST
        {
            let user = mail.login.filter(|_| self.desk.per_user()).or(mail.user);
            let (app, user) = (Arc::clone(self), user.map(str::to_owned));
            let (raw, per_day) = (Arc::clone(raw), live.autolearn.per_day);
            tokio::spawn(async move { app.guess(user, raw, label, per_day).await });
        }
        if live.log.requests {
            let mut fields = json!({
                "source": mail.source.name(), "action": judged.action.name(), "bytes": raw.len(),
                "verdict": judged.verdict, "score": judged.score,
                "probability": judged.probability, "milliseconds": judged.took.as_secs_f64() * 1e3,
            });
            let known = [
                ("queue_id", mail.queue_id.map(|id| json!(id))),
                ("message_id", judged.message_id.as_ref().map(|id| json!(id))),
                ("user", mail.user.map(|user| json!(user))),
                ("recipients", (!mail.recipients.is_empty()).then(|| json!(mail.recipients))),
                ("from", live.log.content.then(|| json!(judged.from))),
                ("subject", live.log.content.then(|| json!(judged.subject))),
            ];
            for (name, value) in known {
                value.into_iter().for_each(|value| fields[name] = value);
            }
            log::line("verdict", fields);
        }
        Ok((id, judged))
    }

    /// What a message is, without counting it.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub async fn verdict(
        self: &Arc<Self>,
        user: Option<&str>,
        raw: &Arc<Vec<u8>>,
    ) -> Result<Judged> {
        let (live, shelf) = (self.live(), self.desk.shelf(user)?);
        if raw.len() <= SMALL {
            return shelf.judge(raw, live.beliefs());
        }
        let raw = Arc::clone(raw);
        self.heavy(raw.len(), move || shelf.judge(&raw, live.beliefs())).await
    }

    /// Does work on a message of this size: at once if it is small, or when it is its turn. Others need not wait.
    ///
    /// # Errors
    /// What the work says, or that too many wait.
    pub async fn heavy<T: Send + 'static>(
        &self,
        size: usize,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if size <= SMALL {
            return aside(work).await;
        }
        let turn = self.budget.turn(size).await.map_err(Error::from)?;
        aside(move || {
            let _turn = turn;
            Hold::check()?;
            work()
        })
        .await
    }

    /// Learns a message. It is on disk when this returns.
    ///
    /// # Errors
    /// [`tamis_mail::Error::Label`] for a name that cannot be a label, or what the store says.
    pub async fn learn(
        &self,
        user: Option<&str>,
        raw: Arc<Vec<u8>>,
        label: &str,
    ) -> Result<Change> {
        // Checked here as well, so that a bad request does not create the store of a new user.
        if !["spam", HAM].contains(&label) && !is_name(label) {
            return Err(tamis_mail::Error::Label { got: label.to_owned() }.into());
        }
        let label = label.to_owned();
        let message = self.desk.verdicts().message_id(&raw);
        let task = Task::Learn { raw, label: label.clone(), teacher: OWNER, time: now() };
        match self.teach(user, task).await? {
            Done::Learned(change) => {
                self.metrics.learned(&label, now());
                self.note(user, &message, Some(&label));
                if self.live().log.requests {
                    log::line("learned", json!({ "label": label, "user": user }));
                }
                Ok(change)
            }
            _ => Ok(Change::Known),
        }
    }

    /// Learns a message without anybody's word, within the budget of the day. What goes wrong is logged.
    async fn guess(
        self: Arc<Self>,
        user: Option<String>,
        raw: Arc<Vec<u8>>,
        label: &'static str,
        per_day: usize,
    ) {
        let guessed = self.try_guess(user.as_deref(), raw, label, per_day).await;
        match guessed {
            Ok(true) => {
                self.metrics.learned(label, now());
                if self.live().log.requests {
                    let fields = json!({ "label": label, "user": user, "teacher": AUTOLEARN });
                    log::line("learned", fields);
                }
            }
            Ok(false) => {}
            Err(error) => log::line("autolearn", json!({ "error": error.sentence() })),
        }
    }

    /// Whether a message was learned that nobody knew.
    async fn try_guess(
        &self,
        user: Option<&str>,
        raw: Arc<Vec<u8>>,
        label: &'static str,
        per_day: usize,
    ) -> Result<bool> {
        let shelf = self.desk.shelf(user)?;
        // Guesses of the base alone make no store.
        if !shelf.exists() {
            return Ok(false);
        }
        let name = self.desk.user(user)?.filter(|_| self.desk.per_user()).unwrap_or_default();
        let time = now();
        if !self.desk.guesses().take(&shelf, &name, label, per_day, time)? {
            return Ok(false);
        }
        let task = Task::Learn { raw, label: label.to_owned(), teacher: AUTOLEARN, time };
        let done = shelf.teach(task, None).await;
        if !matches!(done, Ok(Done::Learned(Change::Learned))) {
            self.desk.guesses().give_back(&name, label);
        }
        Ok(matches!(done?, Done::Learned(Change::Learned)))
    }

    /// Gives a label another name. It is on disk when this returns.
    ///
    /// # Errors
    /// As [`tamis_mail::store::Learner::rename_label`].
    pub async fn rename_label(&self, user: Option<&str>, from: &str, to: &str) -> Result<()> {
        self.needs_label(user, from)?;
        let task = Task::Rename { from: from.to_owned(), to: to.to_owned() };
        self.teach(user, task).await?;
        self.relabel(user, from, to);
        Ok(())
    }

    /// Removes a label; its messages are ham from then on. It is on disk when this returns. The number of its
    /// messages is returned.
    ///
    /// # Errors
    /// As [`tamis_mail::store::Learner::remove_label`].
    pub async fn remove_label(&self, user: Option<&str>, label: &str) -> Result<usize> {
        self.needs_label(user, label)?;
        let done = self.teach(user, Task::Remove { label: label.to_owned() }).await?;
        self.relabel(user, label, HAM);
        Ok(if let Done::Removed(messages) = done { messages } else { 0 })
    }

    /// Notes beside the verdict on a message what it was taught.
    fn note(&self, user: Option<&str>, message: &str, label: Option<&str>) {
        let user = self.desk.user(user).unwrap_or_default().filter(|_| self.desk.per_user());
        self.desk.verdicts().teach(user.as_deref(), message, label, now());
    }

    /// Renames a label in the recent verdicts of a store.
    fn relabel(&self, user: Option<&str>, from: &str, to: &str) {
        let user = self.desk.user(user).unwrap_or_default();
        let is_theirs = |other: Option<&str>| !self.desk.per_user() || other == user.as_deref();
        self.desk.verdicts().recent().relabel(from, to, is_theirs);
    }

    /// A store that does not exist has no labels and is not created to find that out.
    fn needs_label(&self, user: Option<&str>, label: &str) -> Result<()> {
        match self.desk.shelf(user)?.exists() {
            true => Ok(()),
            false => Err(tamis_mail::Error::NoLabel { got: label.to_owned() }.into()),
        }
    }

    /// Takes a message back; whether it was known. It is on disk when this returns.
    ///
    /// # Errors
    /// What the store says.
    pub async fn forget(&self, user: Option<&str>, raw: Arc<Vec<u8>>) -> Result<bool> {
        // What was never learned needs no store.
        if !self.desk.shelf(user)?.exists() {
            return Ok(false);
        }
        let message = self.desk.verdicts().message_id(&raw);
        let done = self.teach(user, Task::Forget { raw }).await?;
        let known = done == Done::Forgotten(true);
        if known {
            self.metrics.forgotten();
            self.note(user, &message, None);
        }
        Ok(known)
    }

    async fn teach(&self, user: Option<&str>, task: Task) -> Result<Done> {
        let shelf = self.desk.shelf_to_teach(user)?;
        let size = match &task {
            Task::Learn { raw, .. } | Task::Forget { raw } => raw.len(),
            Task::Rename { .. } | Task::Remove { .. } => 0,
        };
        let turn = match size > SMALL {
            true => Some(self.budget.lesson(size).await?),
            false => None,
        };
        shelf.teach(task, turn).await
    }
}

/// Does what may take long, or wait for a disk, where nobody else has to wait for it.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(Hold::aside(work)).await;
    done.unwrap_or_else(|_| Err(Error::Failed { what: "the work was given up".into() }))
}
