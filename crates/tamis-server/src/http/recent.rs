//! The recent verdicts: those whose messages may still be held, so that they can be explained and corrected.
//!
//! Where each user has a store, senders and subjects are shown only to who names the user, and a message is only found
//! with the name of its user.

use super::Answer;
use super::body::{Name, Query};
use super::history::shown;
use super::mail::{Whose, changed};
use super::story::story;
use crate::app::{App, aside};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug, Deserialize)]
pub struct After {
    #[serde(default)]
    after: u64,
    #[serde(default = "fifty")]
    limit: usize,
    user: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Taught {
    label: String,
    user: Option<String>,
}

const fn fifty() -> usize {
    50
}

pub async fn list(
    State(app): State<Arc<App>>,
    Query(After { after, limit, user }): Query<After>,
) -> Answer {
    let user = user.filter(|_| app.desk.per_user());
    let recent = app.desk.verdicts().recent();
    let theirs = recent.after(after).filter(|held| user.is_none() || held.entry.user == user);
    let verdicts: Vec<Value> = theirs
        .take(limit)
        .map(|held| shown(&app, &held.entry, user.as_deref(), held.raw.is_some()))
        .collect();
    Ok(Json(json!({ "verdicts": verdicts })))
}

/// The message of a verdict, and whose store was asked.
fn message(app: &App, id: u64, user: Option<&str>) -> crate::Result<(Arc<[u8]>, Option<String>)> {
    let is_theirs = |other: Option<&str>| !app.desk.per_user() || other == user;
    app.desk.verdicts().recent().message(id, is_theirs)
}

pub async fn explain(
    State(app): State<Arc<App>>,
    Name(id): Name<u64>,
    Query(Whose { user }): Query<Whose>,
) -> Answer {
    let (raw, user) = message(&app, id, user.as_deref())?;
    let shelf = app.desk.shelf(user.as_deref())?;
    let message = Arc::clone(&raw);
    let judged = aside(move || shelf.judge(&message)).await?;
    story(app, user, id, judged, raw).await
}

pub async fn learn(
    State(app): State<Arc<App>>,
    Name(id): Name<u64>,
    Query(Taught { label, user }): Query<Taught>,
) -> Answer {
    let (raw, user) = message(&app, id, user.as_deref())?;
    let change = app.learn(user.as_deref(), raw.to_vec(), &label).await?;
    Ok(Json(changed(&change, &label)))
}

pub async fn forget(
    State(app): State<Arc<App>>,
    Name(id): Name<u64>,
    Query(Whose { user }): Query<Whose>,
) -> Answer {
    let (raw, user) = message(&app, id, user.as_deref())?;
    let forgotten = app.forget(user.as_deref(), raw.to_vec()).await?;
    Ok(Json(json!({ "forgotten": forgotten })))
}
