//! The whole story of a verdict: evidence of each stage, the parts of the message that weigh most, similar learned
//! messages, and what the verdict would have been without a stage.
//!
//! Weights and scores always speak about spam. The evidence of all stages but similarity adds up to the score, unless
//! the message is a near-copy of learned spam: similarity then raises the score above the cut.

use super::Answer;
use super::mail::summary;
use crate::app::{App, aside};
use crate::desk::Judged;
use axum::Json;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tamis_mail::cuts::{LEAST, Side};
use tamis_mail::explain::{Part, alike, all_parts, date, missing, parts_to_change};
use tamis_mail::filter::{Evidence, Filter, HAM, Judgement, SPAM};
use tamis_mail::mailbox::is_empty;
use tamis_mail::message::Message;
use tamis_mail::stages::prior::Suspicions;
use tamis_mail::store::{Store, digest};

/// Maximum number of parts of each stage, of similar messages, and of characters of a text.
const PARTS: usize = 12;
const ALIKE: usize = 5;
const CHARACTERS: usize = 20_000;

/// Tells the story of a verdict.
pub async fn story(
    app: Arc<App>,
    user: Option<String>,
    id: u64,
    judged: Judged,
    raw: Arc<[u8]>,
) -> Answer {
    let told = aside(move || {
        let mut value = summary(id, &judged);
        let message = Message::parse(&raw);
        value["from"] = json!(judged.from);
        value["subject"] = json!(judged.subject);
        value["body"] = json!(beginning(&message));
        let because = judged.reasons.iter().map(
            |reason| json!({ "stage": reason.stage, "weight": reason.weight, "text": reason.text }),
        );
        value["because"] = because.collect();
        let shelf = app.desk.shelf(user.as_deref())?;
        let details = shelf.with_store(|store| match store {
            Some(store) if !is_empty(&raw) => details(&app, store, &message),
            store => without_evidence(store.map(Store::filter), &judged),
        })?;
        if let (Some(value), Value::Object(details)) = (value.as_object_mut(), details) {
            value.extend(details);
        }
        Ok(value)
    });
    Ok(Json(told.await?))
}

fn beginning(message: &Message<'_>) -> String {
    message.body().chars().take(CHARACTERS).collect()
}

/// The details of a verdict that rests on nothing learned: of an empty message, or without a store.
fn without_evidence(filter: Option<&Filter>, judged: &Judged) -> Value {
    // Without a store, suspicious facts are all that counts.
    let evidence = Evidence { structure: judged.score, ..Evidence::default() };
    json!({
        "cuts": filter.map_or(Value::Null, cuts_of),
        "missing": missing_of(filter.map_or((LEAST, LEAST), missing)),
        "evidence": evidence_of(&evidence), "sender": null, "alike": [], "too_short": true,
        "parts": [], "without": {}, "parts_in_all": 0, "parts_to_change": null,
    })
}

fn details(app: &App, store: &Store, message: &Message<'_>) -> Value {
    let filter = store.filter();
    let (traits, judgement) = store.judge(message);
    let evidence = &judgement.evidence;
    let found = all_parts(store, message, &traits, &judgement);
    let pair = |(spam, other): (i64, i64)| json!({ "spam": spam, "other": other });
    // Absent parts change the score, but a near-copy of spam stays one.
    let to_change = match judgement.is_copy {
        true => None,
        false => parts_to_change(filter, &found, judgement.score),
    };
    json!({
        "cuts": cuts_of(filter),
        "missing": missing_of(missing(filter)),
        "evidence": evidence_of(evidence),
        "sender": message.sender().zip(judgement.sender).map(|(address, record)| json!({
            "address": address, "from_address": pair(record.address), "from_domain": pair(record.domain),
            "contradicted": traits.contradicted,
        })),
        "alike": similar(app, store, message, &judgement),
        "too_short": traits.signature.is_none(),
        "parts": weightiest(&found, traits.suspicions, evidence.structure),
        "without": without(filter, &judgement),
        "parts_in_all": found.len(),
        "parts_to_change": to_change,
    })
}

/// The evidence of each stage by name.
fn evidence_of(evidence: &Evidence) -> Value {
    let named = evidence.named().chain([("similarity", evidence.similarity)]);
    named.map(|(stage, weight)| (stage.to_owned(), json!(weight))).collect()
}

fn cuts_of(filter: &Filter) -> Value {
    let cuts = filter.cuts();
    json!(
        cuts.above.zip(cuts.below).map(|(above, below)| json!({ "above": above, "below": below }))
    )
}

fn missing_of((spam, ham): (usize, usize)) -> Value {
    json!({ "spam": spam, "ham": ham })
}

/// The weightiest parts of each stage, the weightiest first. A word of the subject and of the body is one part here;
/// suspicious facts are the parts of `structure`.
fn weightiest(found: &[Part], suspicions: Suspicions, structure: f64) -> Vec<Value> {
    let mut sums: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for part in found {
        *sums.entry((part.stage.name(), &part.text)).or_default() += part.weight;
    }
    for fact in suspicions.iter() {
        sums.insert(("structure", fact.text()), structure * fact.weight() / suspicions.weight());
    }
    let mut all: Vec<((&str, &str), f64)> = sums.into_iter().collect();
    all.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    all.retain(|((stage, _), _)| {
        let count = counts.entry(stage).or_default();
        *count += 1;
        *count <= PARTS
    });
    let told = |((stage, text), weight)| json!({ "text": text, "stage": stage, "weight": weight });
    all.into_iter().map(told).collect()
}

/// The score and the verdict without each stage, similarity included.
fn without(filter: &Filter, judgement: &Judgement) -> Map<String, Value> {
    let Judgement { evidence, .. } = judgement;
    let floor = filter.cuts().lowest_spam() + evidence.similarity;
    let all = evidence.named().map(|(stage, weight)| (stage, weight, judgement.is_copy));
    let all = all.chain([("similarity", 0.0, false)]);
    let changed = |(stage, weight, is_copy): (&str, f64, bool)| {
        let left = evidence.score() - weight;
        let (score, side) = match is_copy {
            true => (left.max(floor), Side::Above),
            false => (left, filter.cuts().side(left)),
        };
        let verdict = match side {
            Side::Above => "spam",
            Side::Between => "unsure",
            // What is not spam keeps its label.
            Side::Below if judgement.label != SPAM => filter.name(judgement.label),
            Side::Below => HAM,
        };
        (stage.to_owned(), json!({ "score": score, "verdict": verdict }))
    };
    all.map(changed).collect()
}

/// The learned messages that are most similar, with their texts as long as these are held in memory.
fn similar(app: &App, store: &Store, message: &Message<'_>, judgement: &Judgement) -> Vec<Value> {
    let seed = store.reader().hash().seed();
    let found = alike(store, message, judgement, ALIKE).into_iter();
    found
        .map(|found| {
            let held =
                app.desk.verdicts().recent().find_raw(|raw| digest(raw, seed) == found.digest);
            let text = held.map(|raw| beginning(&Message::parse(&raw)));
            let name: String = found.digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            json!({
                "label": found.label, "learned": date(found.time), "digest": name,
                "similarity": found.similarity, "shared": found.shared, "text": text,
            })
        })
        .collect()
}
