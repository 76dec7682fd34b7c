//! Mail: check, explain, learn and forget messages, and list the recent verdicts.

use super::Answer;
use super::body::{Name, Query, Raw};
use super::story::story;
use crate::app::App;
use crate::desk::{Judged, Mail};
use crate::metrics::Source;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::store::Change;

#[derive(Debug, Deserialize)]
pub struct Whose {
    pub(super) user: Option<String>,
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
    Raw(raw): Raw,
) -> Answer {
    let (id, judged) = app.judge(Mail::of(Source::Http, user.as_deref()), &raw).await?;
    Ok(Json(summary(id, &judged)))
}

pub async fn explain(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    Raw(raw): Raw,
) -> Answer {
    let (id, judged) = app.judge(Mail::of(Source::Http, user.as_deref()), &raw).await?;
    story(app, user, id, judged, raw).await
}

pub async fn learn(
    State(app): State<Arc<App>>,
    Query(Lesson { label, user }): Query<Lesson>,
    Raw(raw): Raw,
) -> Answer {
    let change = app.learn(user.as_deref(), raw, &label).await?;
    Ok(Json(changed(&change, &label)))
}

pub async fn forget(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    Raw(raw): Raw,
) -> Answer {
    let forgotten = app.forget(user.as_deref(), raw).await?;
    Ok(Json(json!({ "forgotten": forgotten })))
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
                "action": entry.judged.action.name(), "taught": entry.taught, "kept": entry.raw.is_some(),
            })
        })
        .collect();
    Ok(Json(json!({ "verdicts": verdicts })))
}

pub async fn explain_recent(State(app): State<Arc<App>>, Name(id): Name<u64>) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let judged = app.verdict(user.as_deref(), &raw).await?;
    story(app, user, id, judged, raw).await
}

pub async fn learn_recent(
    State(app): State<Arc<App>>,
    Name(id): Name<u64>,
    Query(Taught { label }): Query<Taught>,
) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let change = app.learn(user.as_deref(), raw, &label).await?;
    app.desk.recent().teach(id, Some(&label));
    Ok(Json(changed(&change, &label)))
}

pub async fn forget_recent(State(app): State<Arc<App>>, Name(id): Name<u64>) -> Answer {
    let (raw, user) = app.desk.recent().message(id)?;
    let forgotten = app.forget(user.as_deref(), raw).await?;
    app.desk.recent().teach(id, None);
    Ok(Json(json!({ "forgotten": forgotten })))
}

/// The short form of a verdict.
pub(super) fn summary(id: u64, judged: &Judged) -> Value {
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
