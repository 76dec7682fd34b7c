//! Why? What weighed in a verdict, for a person to read.

use crate::cuts::{Cuts, LEAST, Side};
use crate::features;
use crate::filter::{Filter, Judgement, NEAR_COPY, Verdict};
use crate::message::{Message, Section};
use crate::neighbours::{COMPONENTS, Near, Signature};
use crate::store::{Digest, Store};
use crate::traits::{Reader, Traits};
use crate::words::place;
use std::collections::HashSet;
use tamis::similar::shingle::words;

/// A token or a pair of them, and what it adds to the logarithm of the odds.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// As it stands in the message.
    pub text: String,
    /// Where.
    pub section: Section,
    /// Positive for the label.
    pub weight: f64,
}

/// The tokens of a message, those that weigh most first.
#[must_use]
pub fn tokens(
    filter: &Filter,
    reader: &Reader,
    message: &Message<'_>,
    traits: &Traits,
    label: u8,
) -> Vec<Token> {
    weightiest(filter, reader, message, traits, label, usize::MAX, f64::abs)
}

/// The `count` tokens with the most positive worth of their weight, that first.
fn weightiest(
    filter: &Filter,
    reader: &Reader,
    message: &Message<'_>,
    traits: &Traits,
    label: u8,
    count: usize,
    worth: impl Fn(f64) -> f64,
) -> Vec<Token> {
    let Some(label) = filter.labels().get(usize::from(label).wrapping_sub(1)) else {
        return Vec::new();
    };
    let share = label.words.share(traits.places.len());
    let mut seen: HashSet<u64> = HashSet::new();
    let mut found: Vec<Token> = Vec::new();
    let mut least = f64::NEG_INFINITY;
    let order = |a: &Token, b: &Token| {
        worth(b.weight).total_cmp(&worth(a.weight)).then_with(|| a.text.cmp(&b.text))
    };
    features::for_each(message, reader.hash(), |feature, origin| {
        let weight = share(place(feature, reader.bits()));
        if worth(weight) <= least || !seen.insert(feature) {
            return;
        }
        let lossy = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let text = match origin.before {
            Some(before) => format!("{} {}", lossy(before), lossy(origin.token)),
            None => lossy(origin.token),
        };
        found.push(Token { text, section: origin.section, weight });
        if count != usize::MAX && found.len() >= 2 * count {
            found.sort_by(order);
            found.truncate(count);
            least = worth(found[count - 1].weight);
        }
    });
    found.sort_by(order);
    found.truncate(count);
    found
}

/// How many more messages with and without a label are needed before anything is sure.
#[must_use]
pub fn missing(filter: &Filter, label: u8) -> (usize, usize) {
    let index = usize::from(label).wrapping_sub(1);
    let Some(label) = filter.labels().get(index) else { return (LEAST, LEAST) };
    let totals = label.words.totals();
    let short = |count: i64| LEAST.saturating_sub(count.max(0) as usize);
    match label.cuts.above {
        Some(_) => (0, 0),
        None => (short(totals.spam), short(totals.ham)),
    }
}

/// One sentence for each stage that says something, the weightiest first.
#[must_use]
pub fn reasons(
    store: &Store,
    message: &Message<'_>,
    traits: &Traits,
    judgement: &Judgement,
) -> Vec<String> {
    let filter = store.filter();
    let Some(evidence) = judgement.evidence.get(usize::from(judgement.about).wrapping_sub(1))
    else {
        return vec!["nothing was learned yet".to_owned()];
    };
    let name = filter.name(judgement.about);
    let mut reasons: Vec<(f64, String)> = Vec::new();
    if let Some(record) = judgement.sender.filter(|_| evidence.sender != 0.0) {
        let ((with, without), of) = match record.address {
            (0, 0) => (record.domain, "domain"),
            address => (address, "address"),
        };
        let text =
            format!("sender: {with} of {} messages from this {of} were {name}", with + without);
        reasons.push((evidence.sender, text));
    }
    if let Some(near) = nearest(judgement, evidence.similarity) {
        let percent = (100.0 * near.similarity).round();
        let text = format!(
            "similarity: {percent} % like a message learned as {}",
            filter.name(near.label)
        );
        reasons.push((evidence.similarity, text));
    }
    if evidence.words != 0.0 {
        let towards = evidence.words.signum();
        let worth = |weight: f64| weight * towards;
        let (reader, about) = (store.reader(), judgement.about);
        let most = weightiest(filter, reader, message, traits, about, 3, worth);
        let quoted: Vec<String> = most
            .iter()
            .filter(|token| worth(token.weight) > 0.0)
            .map(|token| format!("{:?}", token.text))
            .collect();
        reasons.push((evidence.words, format!("words: {}", quoted.join(", "))));
    }
    let towards = evidence.score().signum();
    reasons.sort_by(|a, b| (b.0 * towards).total_cmp(&(a.0 * towards)));
    let mut reasons: Vec<String> = reasons.into_iter().map(|(_, text)| text).collect();
    let (with, without) = missing(filter, judgement.about);
    if (with, without) != (0, 0) {
        reasons.insert(
            0,
            format!("too little learned: {with} more {name} and {without} more others are needed"),
        );
    } else if reasons.is_empty() {
        reasons.push("nothing in it is known".to_owned());
    }
    reasons
}

fn nearest(judgement: &Judgement, evidence: f64) -> Option<&Near> {
    let with = evidence > 0.0;
    let mut near = judgement.near.iter().filter(|near| near.similarity >= NEAR_COPY);
    near.find(|near| evidence != 0.0 && (near.label == judgement.about) == with)
}

/// A learned message that is similar.
#[derive(Debug, Clone, PartialEq)]
pub struct Alike {
    /// Its label.
    pub label: String,
    /// When it was learned, in seconds since 1970.
    pub time: u64,
    /// Which it is.
    pub digest: Digest,
    /// The estimated similarity.
    pub similarity: f64,
    /// Runs of three words of this message that the other one has, too: those that the signatures show.
    pub shared: Vec<String>,
}

/// The most similar learned messages.
#[must_use]
pub fn alike(
    store: &Store,
    message: &Message<'_>,
    judgement: &Judgement,
    count: usize,
) -> Vec<Alike> {
    let shown = Shown::of(store.reader(), message);
    let of = |near: &Near| {
        let other = store.filter().neighbours().get(near.number)?;
        Some(Alike {
            label: store.filter().name(near.label).to_owned(),
            time: other.time,
            digest: other.digest,
            similarity: near.similarity,
            shared: shown.shared(&other.signature),
        })
    };
    judgement.near.iter().take(count).filter_map(of).collect()
}

/// For each component of a signature the shingle that made it.
struct Shown {
    signature: Option<Signature>,
    texts: Vec<String>,
}

impl Shown {
    fn of(reader: &Reader, message: &Message<'_>) -> Self {
        let body = message.body().to_lowercase();
        let signature = reader.signature(&reader.shingles(message));
        let mut all: Vec<String> = Vec::new();
        words(&body, |word| all.push(String::from_utf8_lossy(word).into_owned()));
        let mut texts = vec![String::new(); COMPONENTS];
        let mut least = [u64::MAX; COMPONENTS];
        for run in all.windows(3) {
            let text = run.join(" ");
            // The component of a set is the least of those of its members.
            let own = reader.components(&reader.shingler().set(&text));
            for place in 0..COMPONENTS {
                if own[place] < least[place] {
                    least[place] = own[place];
                    texts[place].clone_from(&text);
                }
            }
        }
        Self { signature, texts }
    }

    fn shared(&self, other: &Signature) -> Vec<String> {
        let Some(own) = &self.signature else { return Vec::new() };
        let mut shared: Vec<String> = (0..COMPONENTS)
            .filter(|&place| own[place] == other[place])
            .map(|place| self.texts[place].clone())
            .collect();
        shared.sort_unstable();
        shared.dedup();
        shared
    }
}

/// What the verdict would be with another score.
#[must_use]
pub fn verdict_at(cuts: &Cuts, label: u8, score: f64) -> Verdict {
    match cuts.side(score) {
        Side::Above => Verdict::Label(label),
        Side::Between => Verdict::Unsure,
        Side::Below => Verdict::Ham,
    }
}

/// How many of the tokens that weigh most for the verdict would have to be missing for another one; none if all of them
/// do not suffice.
#[must_use]
pub fn tokens_to_change(tokens: &[Token], cuts: &Cuts, label: u8, score: f64) -> Option<usize> {
    let now = verdict_at(cuts, label, score);
    let towards = match now {
        Verdict::Label(_) => 1.0,
        Verdict::Ham => -1.0,
        Verdict::Unsure => score.signum(),
    };
    let mut left = score;
    for (count, token) in (1..).zip(tokens.iter().filter(|token| token.weight * towards > 0.0)) {
        left -= token.weight;
        if verdict_at(cuts, label, left) != now {
            return Some(count);
        }
    }
    None
}

/// A time as a day: `2026-11-16`.
#[must_use]
pub fn date(seconds: u64) -> String {
    let date = mail_parser::DateTime::from_timestamp(i64::try_from(seconds).unwrap_or(0));
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}
