//! Why? What weighed in a verdict, for a person to read.

mod alike;
mod names;
mod parts;
mod sums;

pub use alike::{Alike, alike};
pub use parts::{Part, all_parts, parts};

use crate::cuts::{LEAST, Side};
use crate::filter::{Filter, Judgement, NEAR_COPY, SPAM, Verdict};
use crate::message::Message;
use crate::neighbours::Near;
use crate::stages::Stage;
use crate::store::Store;
use crate::traits::{Reader, Traits};
use std::fmt;

/// A filter and how it reads messages: what an explanation needs.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The filter.
    pub filter: &'a Filter,
    /// How it reads messages.
    pub reader: &'a Reader,
}

impl<'a> From<&'a Store> for Known<'a> {
    fn from(store: &'a Store) -> Self {
        Self { filter: store.filter(), reader: store.reader() }
    }
}

/// One reason for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The stage that gives it, or `verdict` for what follows from all of them.
    pub stage: &'static str,
    /// What the stage adds to the score; 0 for what is not part of it.
    pub weight: f64,
    /// The reason in words.
    pub text: String,
}

impl Reason {
    /// What follows from all stages.
    #[must_use]
    pub fn of_verdict(text: impl Into<String>) -> Self {
        Self { stage: "verdict", weight: 0.0, text: text.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            "verdict" => f.write_str(&self.text),
            stage => write!(f, "{stage}: {}", self.text),
        }
    }
}

/// How many stages explain a verdict.
const STAGES_NAMED: usize = 3;

/// How many parts of a stage are named.
const PARTS_NAMED: usize = 3;

/// A stage that adds less than this is not worth a sentence.
const WORTH_NAMING: f64 = 0.05;

/// The reasons for a verdict, the weightiest first. What is unsure starts with why it is.
#[must_use]
pub fn reasons<'a>(
    known: impl Into<Known<'a>>,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
) -> Vec<Reason> {
    first_reasons(known, message, traits, judgement, usize::MAX)
}

/// The first `most` of all [`reasons`]: each one costs a pass over all features of a stage.
#[must_use]
pub fn first_reasons<'a>(
    known: impl Into<Known<'a>>,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
    most: usize,
) -> Vec<Reason> {
    let known = known.into();
    let filter = known.filter;
    let mut reasons = Vec::new();
    if judgement.verdict == Verdict::Unsure {
        reasons.push(doubt(filter, judgement));
    }
    reasons.extend(copy(filter, judgement));
    reasons.extend(label(filter, judgement));
    let towards = match judgement.verdict {
        Verdict::Label(SPAM) => 1.0,
        Verdict::Unsure if judgement.probability >= 0.5 => 1.0,
        _ => -1.0,
    };
    let mut named: Vec<(&'static str, f64)> = judgement.evidence.named().collect();
    named.retain(|(_, weight)| weight * towards > WORTH_NAMING);
    named.sort_by(|a, b| (b.1 * towards).total_cmp(&(a.1 * towards)));
    for (stage, weight) in named.into_iter().take(STAGES_NAMED) {
        if reasons.len() >= most {
            break;
        }
        let text = match stage {
            "sender" => sender(judgement),
            "structure" => Some(suspicions(traits)),
            _ => {
                let stage = Stage::ALL.into_iter().find(|known| known.name() == stage);
                stage.map(|stage| {
                    let told = (traits, judgement);
                    quoted(&parts::weightiest(known, message, told, stage, towards, PARTS_NAMED))
                })
            }
        };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            reasons.push(Reason { stage, weight, text });
        }
    }
    if reasons.is_empty() {
        reasons.push(Reason::of_verdict("nothing in it is known"));
    }
    reasons.truncate(most);
    reasons
}

/// Why nothing is sure.
fn doubt(filter: &Filter, judgement: &Judgement) -> Reason {
    let (spam, ham) = filter.model().messages();
    let looks = match judgement.probability {
        p if p >= 0.8 => "looks like spam",
        p if p <= 0.2 => "looks like ham",
        _ => "could be either",
    };
    let few = |count: i64, name: &str| match count {
        0 => format!("no {name} learned so far"),
        1 => format!("only 1 {name} message learned so far"),
        _ => format!("only {count} {name} messages learned so far"),
    };
    let least = LEAST as i64;
    Reason::of_verdict(match (spam, ham) {
        (0, 0) => {
            let suspicious = judgement.evidence.structure > 0.0;
            let looks = if suspicious { "looks suspicious; " } else { "" };
            format!("{looks}nothing was learned so far")
        }
        (spam, ham) if spam < least && spam <= ham => format!("{looks}; {}", few(spam, "spam")),
        (_, ham) if ham < least => format!("{looks}; {}", few(ham, "ham")),
        _ => format!("{looks}; its score {:.1} lies between the cuts", judgement.evidence.score()),
    })
}

/// What it is a copy of.
fn copy(filter: &Filter, judgement: &Judgement) -> Option<Reason> {
    let is_spam = judgement.evidence.similarity > 0.0;
    let near = nearest(judgement, is_spam).filter(|_| judgement.evidence.similarity != 0.0)?;
    let percent = (100.0 * near.similarity).round();
    let text = format!("{percent} % like a message learned as {}", filter.name(near.label));
    Some(Reason { stage: "similarity", weight: 0.0, text })
}

/// Why it has a label other than spam and ham.
fn label(filter: &Filter, judgement: &Judgement) -> Option<Reason> {
    let Verdict::Label(label) = judgement.verdict else { return None };
    let score = judgement.labels.get(usize::from(label.checked_sub(SPAM + 1)?))?;
    Some(Reason::of_verdict(format!("its words fit {} ({score:+.1})", filter.name(label))))
}

fn sender(judgement: &Judgement) -> Option<String> {
    let record = judgement.sender?;
    let ((spam, other), of) = match record.address {
        (0, 0) => (record.domain, "domain"),
        address => (address, "address"),
    };
    Some(format!("{spam} of {} messages from this {of} were spam", spam + other))
}

fn suspicions(traits: &Traits) -> String {
    traits
        .suspicions
        .iter()
        .map(crate::stages::prior::Suspicion::text)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Parts as a list.
fn quoted(parts: &[Part]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The nearest learned message that is spam, or that is not, if it is a near-copy.
fn nearest(judgement: &Judgement, is_spam: bool) -> Option<&Near> {
    let mut near = judgement.near.iter().filter(|near| near.similarity >= NEAR_COPY);
    near.find(|near| (near.label == SPAM) == is_spam)
}

/// What the verdict about spam would be with another score.
#[must_use]
pub fn verdict_at(filter: &Filter, score: f64) -> Verdict {
    match filter.cuts().side(score) {
        Side::Above => Verdict::Label(SPAM),
        Side::Between => Verdict::Unsure,
        Side::Below => Verdict::Ham,
    }
}

/// How many of the parts that weigh most for the verdict would have to be missing for another one; none if all of them
/// do not suffice.
#[must_use]
pub fn parts_to_change(filter: &Filter, parts: &[Part], score: f64) -> Option<usize> {
    let now = verdict_at(filter, score);
    let towards = match now {
        Verdict::Label(_) => 1.0,
        Verdict::Ham => -1.0,
        Verdict::Unsure => score.signum(),
    };
    let mut left = score;
    for (count, part) in (1..).zip(parts.iter().filter(|part| part.weight * towards > 0.0)) {
        left -= part.weight;
        if verdict_at(filter, left) != now {
            return Some(count);
        }
    }
    None
}

/// How many more spam and ham messages must be learned before scores decide.
#[must_use]
pub fn missing(filter: &Filter) -> (usize, usize) {
    let (spam, ham) = filter.model().messages();
    let short = |count: i64| LEAST.saturating_sub(count.max(0) as usize);
    (short(spam), short(ham))
}

/// A time as a day: `2026-11-16`.
#[must_use]
pub fn date(seconds: u64) -> String {
    let date = mail_parser::DateTime::from_timestamp(i64::try_from(seconds).unwrap_or(0));
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}

/// A time of UTC to the second: 2026-11-18T09:30:00.
#[must_use]
pub fn time(seconds: u64) -> String {
    let day = seconds % 86_400;
    format!("{}T{:02}:{:02}:{:02}", date(seconds), day / 3600, day / 60 % 60, day % 60)
}

/// The seconds since 1970 of a day, or of a day and time to the minute or second (UTC): the inverse of [`date`] and
/// [`time`].
#[must_use]
pub fn instant(text: &str) -> Option<u64> {
    let (day, clock) = text.split_once('T').unwrap_or((text, ""));
    let numbers = |text: &str, by: char| -> Option<Vec<u64>> {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        text.split(by).map(|part| part.parse().ok().filter(|_| is_number(part))).collect()
    };
    let [year, month, day_of_month] = numbers(day, '-')?[..] else { return None };
    let date_time = mail_parser::DateTime {
        year: u16::try_from(year).ok().filter(|year| (1970..10_000).contains(year))?,
        month: u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?,
        day: u8::try_from(day_of_month).ok()?,
        hour: 0,
        minute: 0,
        second: 0,
        tz_before_gmt: false,
        tz_hour: 0,
        tz_minute: 0,
    };
    let midnight = u64::try_from(date_time.to_timestamp()).ok()?;
    // There is no 30th of February.
    if date(midnight) != day {
        return None;
    }
    let seconds = match clock {
        "" if text.contains('T') => return None,
        "" => 0,
        clock => match numbers(clock, ':')?[..] {
            [hour @ 0..24, minute @ 0..60] => hour * 3600 + minute * 60,
            [hour @ 0..24, minute @ 0..60, second @ 0..60] => hour * 3600 + minute * 60 + second,
            _ => return None,
        },
    };
    Some(midnight + seconds)
}
