//! What all ports share.

use crate::config::Config;
use crate::desk::{Desk, Done, Judged, Task};
use crate::files::Files;
use crate::limits::{Budget, Rates};
use crate::metrics::{Metrics, Source};
use crate::{Error, Result, log};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tamis_mail::filter::HAM;
use tamis_mail::history::Action;
use tamis_mail::labels::is_name;
use tamis_mail::store::{Change, now};

/// Messages of more bytes than this are judged aside, so that others need not wait.
const LARGE: usize = 64 << 10;

/// The desk, the files, and what is counted and limited.
#[derive(Debug)]
pub struct App {
    /// What was asked for.
    pub config: Config,
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
    /// What the store says.
    pub fn open(config: Config) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            desk: Desk::open(&config)?,
            files: Files::new(config.files.clone().unwrap_or_default()),
            metrics: Metrics::default(),
            budget: Budget::new(&config.limits),
            rates: Rates::new(config.limits.requests_per_second),
            config,
        }))
    }

    /// Judges a message and counts the verdict.
    ///
    /// # Errors
    /// What the store says.
    pub async fn judge(
        self: &Arc<Self>,
        source: Source,
        user: Option<&str>,
        raw: &[u8],
    ) -> Result<Judged> {
        let start = Instant::now();
        let shelf = self.desk.shelf(user)?;
        let mut judged = if raw.len() <= LARGE {
            shelf.judge(raw)?
        } else {
            let raw = raw.to_vec();
            aside(move || shelf.judge(&raw)).await?
        };
        judged.took = start.elapsed();
        self.metrics.judged(source, judged.outcome, judged.took, now());
        Ok(judged)
    }

    /// Records a verdict and what became of the message, in memory, in the history and in the log; the number of the
    /// verdict is returned.
    pub fn record(
        &self,
        source: Source,
        user: Option<&str>,
        raw: &[u8],
        judged: &Judged,
        action: Action,
    ) -> u64 {
        let user = user.filter(|_| self.desk.per_user());
        let id = self.desk.verdicts().record(source, user, now(), (judged, raw), action);
        if self.config.log.requests {
            let mut fields = json!({
                "source": source.name(), "bytes": raw.len(), "verdict": judged.verdict, "action": action,
                "probability": judged.probability, "milliseconds": judged.took.as_secs_f64() * 1e3,
            });
            if self.config.log.content {
                fields["from"] = json!(judged.from);
                fields["subject"] = json!(judged.subject);
            }
            log::line("verdict", fields);
        }
        id
    }

    /// Learns a message. It is on disk when this returns.
    ///
    /// # Errors
    /// [`tamis_mail::Error::Label`] for a name that cannot be a label, or what the store says.
    pub async fn learn(&self, user: Option<&str>, raw: Vec<u8>, label: &str) -> Result<Change> {
        // Checked here as well, so that a bad request does not create the store of a new user.
        if !["spam", HAM].contains(&label) && !is_name(label) {
            return Err(tamis_mail::Error::Label { got: label.to_owned() }.into());
        }
        let label = label.to_owned();
        let message = self.desk.verdicts().message_id(&raw);
        let task = Task::Learn { raw, label: label.clone(), time: now() };
        match self.teach(user, task).await? {
            Done::Learned(change) => {
                self.metrics.learned(now());
                self.note(user, &message, Some(&label));
                if self.config.log.requests {
                    log::line("learned", json!({ "label": label }));
                }
                Ok(change)
            }
            _ => Ok(Change::Known),
        }
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
        let user = user.filter(|_| self.desk.per_user());
        self.desk.verdicts().teach(user, message, label, now());
    }

    /// Renames a label in the recent verdicts of a store.
    fn relabel(&self, user: Option<&str>, from: &str, to: &str) {
        let is_theirs = |other: Option<&str>| !self.desk.per_user() || other == user;
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
    pub async fn forget(&self, user: Option<&str>, raw: Vec<u8>) -> Result<bool> {
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
        aside(move || shelf.teach(task)).await
    }
}

/// Does what may take long, or wait for a disk, where nobody else has to wait for it.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Error::Failed { what: "the work was given up".into() }))
}
