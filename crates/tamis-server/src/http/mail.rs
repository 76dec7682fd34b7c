//! Mail: check, explain, learn, forget, and the last verdicts.

use super::Answer;
use super::body::{Name, Query, Raw};
use super::state;
use crate::app::{App, aside};
use crate::desk::Judged;
use crate::metrics::Source;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::explain::{alike, all_parts, date, missing, parts_to_change, verdict_at};
use tamis_mail::cuts::LEAST;
use tamis_mail::filter::{Evidence, HAM};
use tamis_mail::message::Message;
use tamis_mail::store::{Change, Store, digest};

/// How many tokens, similar messages and characters are shown.
const TOKENS: usize = 40;
const ALIKE: usize = 5;
const CHARACTERS: usize = 20_000;

#[derive(Debug, Deserialize)]
pub struct Whose {
    user: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Lesson {
    label: String,
    user: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Taught {
    label: String,
}

#[derive(Debug, Deserialize)]
pub struct After {
    #[serde(default)]
    after: u64,
    #[serde(default = "fifty")]
    limit: usize,
}

const fn fifty() -> usize {
    50
}

pub async fn check(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    raw: Raw,
) -> Answer {
    let (id, judged) = app.judge(Source::Http, user.as_deref(), &raw.bytes).await?;
    Ok(Json(summary(id, &judged)))
}

pub async fn explain(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    raw: Raw,
) -> Answer {
    let (id, judged) = app.judge(Source::Http, user.as_deref(), &raw.bytes).await?;
    story(app, user, id, judged, Arc::from(raw.bytes)).await
}

pub async fn learn(
    State(app): State<Arc<App>>,
    Query(Lesson { label, user }): Query<Lesson>,
    raw: Raw,
) -> Answer {
    let change = app.learn(user.as_deref(), raw.bytes, &label).await?;
    Ok(Json(changed(&change, &label)))
}

pub async fn forget(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    raw: Raw,
) -> Answer {
    let forgotten = app.forget(user.as_deref(), raw.bytes).await?;
    Ok(Json(json!({ "forgotten": forgotten })))
}

pub async fn labels(State(app): State<Arc<App>>, Query(Whose { user }): Query<Whose>) -> Answer {
    let shelf = app.desk.shelf(user.as_deref())?;
    let info = aside(move || shelf.info()).await?;
    let none = || json!([{ "name": HAM, "messages": 0 }]);
    Ok(Json(json!({ "labels": info.as_ref().map_or_else(none, state::labels) })))
}

pub async fn recent(
    State(app): State<Arc<App>>,
    Query(After { after, limit }): Query<After>,
) -> Answer {
    let recent = app.desk.recent();
    let verdicts: Vec<Value> = recent
        .after(after)
        .take(limit)
        .map(|entry| {
            json!({
                "id": entry.id, "time": entry.time, "source": entry.source.name(), "user": entry.user,
                "from": entry.judged.from, "subject": entry.judged.subject, "verdict": entry.judged.verdict,
                "probability": entry.judged.probability, "reason": entry.judged.reason(),
                "taught": entry.taught, "kept": entry.raw.is_some(),
            })
        })
        .collect();
    Ok(Json(json!({ "verdicts": verdicts })))
}

pub async fn explain_recent(State(app): State<Arc<App>>, Name(id): Name<u64>) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let shelf = app.desk.shelf(user.as_deref())?;
    let message = Arc::clone(&raw);
    let judged = aside(move || shelf.judge(&message)).await?;
    story(app, user, id, judged, raw).await
}

pub async fn learn_recent(
    State(app): State<Arc<App>>,
    Name(id): Name<u64>,
    Query(Taught { label }): Query<Taught>,
) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let change = app.learn(user.as_deref(), raw.to_vec(), &label).await?;
    app.desk.recent().teach(id, Some(&label));
    Ok(Json(changed(&change, &label)))
}

pub async fn forget_recent(State(app): State<Arc<App>>, Name(id): Name<u64>) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let forgotten = app.forget(user.as_deref(), raw.to_vec()).await?;
    app.desk.recent().teach(id, None);
    Ok(Json(json!({ "forgotten": forgotten })))
}

fn summary(id: u64, judged: &Judged) -> Value {
    json!({
        "id": id, "verdict": judged.verdict, "label": judged.label, "probability": judged.probability,
        "score": judged.score,
        "reasons": judged.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn changed(change: &Change, label: &str) -> Value {
    let (word, from) = match change {
        Change::Learned => ("learned", None),
        Change::Moved { from } => ("moved", Some(from)),
        Change::Known => ("known", None),
    };
    json!({ "change": word, "from": from, "label": label })
}

/// The whole story of a verdict.
async fn story(
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
        value["body"] = json!(message.body().chars().take(CHARACTERS).collect::<String>());
        let shelf = app.desk.shelf(user.as_deref())?;
        let told = shelf.with_store(|store| store.map(|store| tell(&app, store, &message)))?;
        let nothing = json!({
            "cuts": null, "missing": { "spam": LEAST, "ham": LEAST },
            "evidence": evidence_of(&Evidence::default()), "sender": null, "alike": [],
            "too_short": true, "parts": [], "without": {}, "parts_in_all": 0, "parts_to_change": null,
        });
        if let (Some(value), Value::Object(told)) = (value.as_object_mut(), told.unwrap_or(nothing))
        {
            value.extend(told);
        }
        Ok(value)
    });
    Ok(Json(told.await?))
}

fn tell(app: &App, store: &Store, message: &Message<'_>) -> Value {
    let filter = store.filter();
    let (traits, judgement) = store.judge(message);
    let evidence = &judgement.evidence;
    let score = judgement.score;
    let found = all_parts(store, message, &traits, &judgement);
    let (spam, ham) = missing(filter);
    let pair = |(spam, other): (i64, i64)| json!({ "spam": spam, "other": other });
    let changed = |(stage, weight): (&str, f64)| {
        let verdict = filter.verdict(verdict_at(filter, score - weight));
        (stage.to_owned(), json!({ "score": score - weight, "verdict": verdict }))
    };
    let alike: Vec<Value> = alike(store, message, &judgement, ALIKE)
        .into_iter()
        .map(|found| {
            let seed = store.reader().hash().seed();
            let kept = app.desk.recent().find_raw(|raw| digest(raw, seed) == found.digest);
            let text = kept.map(|raw| -> String {
                Message::parse(&raw).body().chars().take(CHARACTERS).collect()
            });
            let name: String = found.digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            json!({
                "label": found.label, "learned": date(found.time), "digest": name,
                "similarity": found.similarity, "shared": found.shared, "text": text,
            })
        })
        .collect();
    let shown: Vec<Value> = found
        .iter()
        .take(TOKENS)
        .map(|part| {
            json!({ "text": part.text, "stage": part.stage.name(), "weight": part.weight })
        })
        .collect();
    let cuts = filter.cuts();
    json!({
        "cuts": cuts.above.zip(cuts.below).map(|(above, below)| json!({ "above": above, "below": below })),
        "missing": { "spam": spam, "ham": ham },
        "evidence": evidence_of(evidence),
        "sender": message.sender().zip(judgement.sender).map(|(address, record)| json!({
            "address": address, "from_address": pair(record.address), "from_domain": pair(record.domain),
            "contradicted": traits.contradicted,
        })),
        "alike": alike,
        "too_short": traits.signature.is_none(),
        "parts": shown,
        "without": evidence.named().map(changed).collect::<serde_json::Map<_, _>>(),
        "parts_in_all": found.len(),
        "parts_to_change": parts_to_change(filter, &found, score),
    })
}

/// What each stage says, by name.
fn evidence_of(evidence: &Evidence) -> Value {
    let named = evidence.named().chain([("similarity", evidence.similarity)]);
    named.map(|(stage, weight)| (stage.to_owned(), json!(weight))).collect()
}
