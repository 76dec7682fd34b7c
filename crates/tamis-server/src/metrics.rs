//! What is counted, and how it is told to Prometheus.

use crate::journal::Status;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tamis_mail::history::Action;
use tamis_mail::store::Info;

/// Maximum number of labels that are counted apart.
const MAX_LABELS: usize = 64;

/// How many minutes are remembered.
const MINUTES: usize = 60;

/// Upper ends of the buckets of latencies, in microseconds.
const BUCKETS: [u64; 14] = [
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 10_000_000,
];

/// How a message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// By HTTP.
    Http,
    /// From `spamc`.
    Spamd,
    /// From a mail server.
    Milter,
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Http, Self::Spamd, Self::Milter];

    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Spamd => "spamd",
            Self::Milter => "milter",
        }
    }
}

/// A verdict as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Spam.
    Spam,
    /// Not spam: ham, or any label besides spam.
    Ham,
    /// Not sure.
    Unsure,
}

/// What happened in a minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Minute {
    /// When, in minutes since 1970.
    pub minute: u64,
    /// Verdicts: spam, ham with any label, unsure.
    pub verdicts: [u64; 3],
    /// Messages learned.
    pub learned: u64,
}

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    verdicts: [[AtomicU64; 3]; 3],
    learned: AtomicU64,
    forgotten: AtomicU64,
    rejected: AtomicU64,
    errors: AtomicU64,
    latencies: [AtomicU64; BUCKETS.len() + 1],
    latency_sum: AtomicU64,
    connections: [AtomicU64; 3],
    minutes: Mutex<VecDeque<Minute>>,
    actions: [AtomicU64; Action::ALL.len()],
    labels: Mutex<BTreeMap<String, Labelled>>,
}

/// What was counted for a label.
#[derive(Debug, Clone, Copy, Default)]
struct Labelled {
    verdicts: u64,
    learned: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            verdicts: Default::default(),
            learned: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            latencies: Default::default(),
            latency_sum: AtomicU64::new(0),
            connections: Default::default(),
            minutes: Mutex::default(),
            actions: Default::default(),
            labels: Mutex::default(),
        }
    }
}

/// One connection, counted for as long as it is there.
#[derive(Debug)]
pub struct Connected<'a>(&'a AtomicU64);

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    /// A verdict was given after this time.
    pub fn judged(&self, source: Source, outcome: Outcome, took: Duration, now: u64) {
        self.verdicts[source as usize][outcome as usize].fetch_add(1, Relaxed);
        let micros = took.as_micros() as u64;
        let bucket = BUCKETS.partition_point(|end| *end < micros);
        self.latencies[bucket].fetch_add(1, Relaxed);
        self.latency_sum.fetch_add(micros, Relaxed);
        self.in_minute(now, |minute| minute.verdicts[outcome as usize] += 1);
    }

    /// This became of a message.
    pub fn acted(&self, action: Action) {
        self.actions[action as usize].fetch_add(1, Relaxed);
    }

    /// How often something became of a message, in the order of [`Action::ALL`].
    #[must_use]
    pub fn actions(&self) -> [u64; Action::ALL.len()] {
        std::array::from_fn(|index| self.actions[index].load(Relaxed))
    }

    /// A message got this verdict.
    pub fn labelled(&self, label: &str) {
        self.count_label(label, |counts| counts.verdicts += 1);
    }

    fn count_label(&self, label: &str, count: impl FnOnce(&mut Labelled)) {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = labels.get_mut(label) {
            return count(counts);
        }
        // Each user may have labels; a monitor shall not have a series for each of them.
        let name = if labels.len() < MAX_LABELS { label } else { "others" };
        count(labels.entry(name.to_owned()).or_default());
    }

    /// A message was learned.
    pub fn learned(&self, label: &str, now: u64) {
        self.learned.fetch_add(1, Relaxed);
        self.count_label(label, |counts| counts.learned += 1);
        self.in_minute(now, |minute| minute.learned += 1);
    }

    /// A message was taken back.
    pub fn forgotten(&self) {
        self.forgotten.fetch_add(1, Relaxed);
    }

    /// A request was refused: too large, too often, malformed, without a token.
    pub fn rejected(&self) {
        self.rejected.fetch_add(1, Relaxed);
    }

    /// Something went wrong here.
    pub fn failed(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// A connection is there until this is dropped.
    pub fn connected(&self, source: Source) -> Connected<'_> {
        let count = &self.connections[source as usize];
        count.fetch_add(1, Relaxed);
        Connected(count)
    }

    fn in_minute(&self, now: u64, change: impl FnOnce(&mut Minute)) {
        let minute = now / 60;
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        if minutes.back().is_none_or(|last| last.minute < minute) {
            minutes.push_back(Minute { minute, ..Minute::default() });
            if minutes.len() > MINUTES {
                minutes.pop_front();
            }
        }
        if let Some(last) = minutes.back_mut() {
            change(last);
        }
    }

    /// The minutes in which something happened, the oldest first.
    #[must_use]
    pub fn minutes(&self) -> Vec<Minute> {
        let minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        minutes.iter().copied().collect()
    }

    /// Verdicts of all ports: spam, ham with any label, unsure.
    #[must_use]
    pub fn verdicts(&self) -> [u64; 3] {
        let of =
            |outcome: usize| self.verdicts.iter().map(|source| source[outcome].load(Relaxed)).sum();
        [of(0), of(1), of(2)]
    }

    /// How many were learned, taken back, and refused.
    #[must_use]
    pub fn changes(&self) -> [u64; 3] {
        [&self.learned, &self.forgotten, &self.rejected].map(|count| count.load(Relaxed))
    }

    /// How long it has been running.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time in milliseconds that this part of the verdicts took at most, to the end of a bucket.
    #[must_use]
    pub fn latency(&self, part: f64) -> Option<f64> {
        let counts: Vec<u64> = self.latencies.iter().map(|count| count.load(Relaxed)).collect();
        let all: u64 = counts.iter().sum();
        let wanted = (all as f64 * part).ceil() as u64;
        let mut sum = 0;
        for (index, count) in counts.iter().enumerate() {
            sum += count;
            if sum >= wanted && all > 0 {
                return Some(BUCKETS[index.min(BUCKETS.len() - 1)] as f64 / 1000.0);
            }
        }
        None
    }

    /// Everything in the form of Prometheus.
    #[must_use]
    pub fn text(&self, store: Option<&Info>, sharing: Option<Status>) -> String {
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            writeln!(text, "# HELP tamis_{name} {help}\n# TYPE tamis_{name} {kind}")
                .unwrap_or_default();
        };
        head(&mut text, "verdicts_total", "counter", "Verdicts given.");
        for source in Source::ALL {
            for (outcome, name) in ["spam", "ham", "unsure"].iter().enumerate() {
                let count = self.verdicts[source as usize][outcome].load(Relaxed);
                let source = source.name();
                writeln!(
                    text,
                    "tamis_verdicts_total{{source=\"{source}\",verdict=\"{name}\"}} {count}"
                )
                .unwrap_or_default();
            }
        }
        head(&mut text, "mail_total", "counter", "What became of messages.");
        for (action, count) in Action::ALL.iter().zip(self.actions()) {
            writeln!(text, "tamis_mail_total{{action=\"{}\"}} {count}", action.name())
                .unwrap_or_default();
        }
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone();
        type Counted = fn(&Labelled) -> u64;
        for (name, help, counted) in [
            ("label_verdicts_total", "Verdicts given, by label.", (|l| l.verdicts) as Counted),
            ("label_learned_total", "Messages learned, by label.", |l| l.learned),
        ] {
            head(&mut text, name, "counter", help);
            for (label, counts) in &labels {
                let (label, count) = (quoted(label), counted(counts));
                writeln!(text, "tamis_{name}{{label={label}}} {count}").unwrap_or_default();
            }
        }
        for (name, help, count) in [
            ("learned_total", "Messages learned.", &self.learned),
            ("forgotten_total", "Messages taken back.", &self.forgotten),
            ("rejected_total", "Requests refused.", &self.rejected),
            ("errors_total", "Requests that failed here.", &self.errors),
        ] {
            head(&mut text, name, "counter", help);
            writeln!(text, "tamis_{name} {}", count.load(Relaxed)).unwrap_or_default();
        }
        head(&mut text, "verdict_seconds", "histogram", "How long verdicts took.");
        let mut sum = 0;
        for (index, count) in self.latencies.iter().enumerate() {
            sum += count.load(Relaxed);
            let end =
                BUCKETS.get(index).map_or("+Inf".to_owned(), |end| (*end as f64 / 1e6).to_string());
            writeln!(text, "tamis_verdict_seconds_bucket{{le=\"{end}\"}} {sum}")
                .unwrap_or_default();
        }
        let seconds = self.latency_sum.load(Relaxed) as f64 / 1e6;
        writeln!(text, "tamis_verdict_seconds_sum {seconds}\ntamis_verdict_seconds_count {sum}")
            .unwrap_or_default();
        head(&mut text, "connections", "gauge", "Connections that are open.");
        for source in Source::ALL {
            let count = self.connections[source as usize].load(Relaxed);
            writeln!(text, "tamis_connections{{port=\"{}\"}} {count}", source.name())
                .unwrap_or_default();
        }
        if let Some(Status { is_connected, undelivered, heard, stopped }) = sharing {
            for (name, kind, help, value) in [
                (
                    "journal_connected",
                    "gauge",
                    "Whether the shared journal is followed.",
                    is_connected.into(),
                ),
                (
                    "journal_undelivered",
                    "gauge",
                    "Own lessons that the shared journal does not have.",
                    undelivered as u64,
                ),
                (
                    "journal_stopped",
                    "gauge",
                    "Stores that do not fit the shared journal.",
                    stopped as u64,
                ),
                (
                    "journal_heard_total",
                    "counter",
                    "Entries of the shared journal that were applied.",
                    heard,
                ),
            ] {
                head(&mut text, name, kind, help);
                writeln!(text, "tamis_{name} {value}").unwrap_or_default();
            }
        }
        if let Some(Info { sizes: (tables, journal), labels, .. }) = store {
            head(&mut text, "store_bytes", "gauge", "Bytes of the store.");
            writeln!(text, "tamis_store_bytes{{file=\"tables\"}} {tables}").unwrap_or_default();
            writeln!(text, "tamis_store_bytes{{file=\"journal\"}} {journal}").unwrap_or_default();
            head(&mut text, "store_messages", "gauge", "Messages in the store, by label.");
            for (label, messages) in labels {
                let label = quoted(label);
                writeln!(text, "tamis_store_messages{{label={label}}} {messages}")
                    .unwrap_or_default();
            }
        }
        head(&mut text, "uptime_seconds", "gauge", "How long the server has been running.");
        writeln!(text, "tamis_uptime_seconds {}", self.uptime().as_secs()).unwrap_or_default();
        text
    }
}

/// The value of a label, as Prometheus wants it.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_parts_lie_in_them() {
        let metrics = Metrics::default();
        assert_eq!(metrics.latency(0.5), None);
        for micros in [50, 150, 150, 3_000_000, 60_000_000] {
            let took = Duration::from_micros(micros);
            metrics.judged(Source::Spamd, Outcome::Ham, took, 60);
        }
        let text = metrics.text(None, None);
        for line in [
            "tamis_verdict_seconds_bucket{le=\"0.0001\"} 1",
            "tamis_verdict_seconds_bucket{le=\"0.0002\"} 3",
            "tamis_verdict_seconds_bucket{le=\"10\"} 4",
            "tamis_verdict_seconds_bucket{le=\"+Inf\"} 5",
            "tamis_verdict_seconds_count 5",
            "tamis_verdicts_total{source=\"spamd\",verdict=\"ham\"} 5",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        metrics.acted(Action::Rejected);
        for number in 0..100 {
            metrics.labelled(&format!("label-{number}"));
        }
        metrics.labelled("label-0");
        metrics.learned("a \"label\"", 60);
        let text = metrics.text(None, None);
        for line in [
            "tamis_mail_total{action=\"rejected\"} 1",
            "tamis_mail_total{action=\"quarantined\"} 0",
            "tamis_label_verdicts_total{label=\"label-0\"} 2",
            "tamis_label_verdicts_total{label=\"others\"} 36",
            "tamis_label_learned_total{label=\"others\"} 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert_eq!(quoted("a \"b\\"), "\"a \\\"b\\\\\"");
        assert_eq!(metrics.latency(0.5), Some(0.2));
        assert_eq!(metrics.minutes()[0].verdicts, [0, 5, 0]);
    }
}
