//! Mail: check, explain, learn and forget messages.

use super::Answer;
use super::body::{Query, Raw};
use super::story::story;
use crate::app::App;
use crate::desk::Judged;
use crate::metrics::Source;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::history::Action;
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

pub async fn check(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    raw: Raw,
) -> Answer {
    let judged = app.judge(Source::Http, user.as_deref(), &raw.bytes).await?;
    let id = app.record(Source::Http, user.as_deref(), &raw.bytes, &judged, Action::None);
    Ok(Json(summary(id, &judged)))
}

pub async fn explain(
    State(app): State<Arc<App>>,
    Query(Whose { user }): Query<Whose>,
    raw: Raw,
) -> Answer {
    let judged = app.judge(Source::Http, user.as_deref(), &raw.bytes).await?;
    let id = app.record(Source::Http, user.as_deref(), &raw.bytes, &judged, Action::None);
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

/// The short form of a verdict.
pub(super) fn summary(id: u64, judged: &Judged) -> Value {
    json!({
        "id": id, "verdict": judged.verdict, "label": judged.label, "probability": judged.probability,
        "score": judged.score,
        "reasons": judged.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(super) fn changed(change: &Change, label: &str) -> Value {
    let (word, from) = match change {
        Change::Learned => ("learned", None),
        Change::Moved { from } => ("moved", Some(from)),
        Change::Known => ("known", None),
    };
    json!({ "change": word, "from": from, "label": label })
}
