//! Labels: list them with their numbers of messages, rename and remove them.
//!
//! `ham` and `spam` are in every store; they can be neither renamed nor removed.

use super::Answer;
use super::body::{Name, Query};
use super::mail::Whose;
use super::state;
use crate::app::{App, aside};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use tamis_mail::filter::HAM;

#[derive(Debug, Deserialize)]
pub struct Renaming {
    to: String,
    user: Option<String>,
}

pub async fn list(State(app): State<Arc<App>>, Query(Whose { user }): Query<Whose>) -> Answer {
    let shelf = app.desk.shelf(user.as_deref())?;
    let info = aside(move || shelf.info()).await?;
    let none = || json!([{ "name": HAM, "messages": 0 }, { "name": "spam", "messages": 0 }]);
    Ok(Json(json!({ "labels": info.as_ref().map_or_else(none, state::labels) })))
}

pub async fn rename(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Query(Renaming { to, user }): Query<Renaming>,
) -> Answer {
    app.rename_label(user.as_deref(), &name, &to).await?;
    Ok(Json(json!({ "from": name, "name": to })))
}

pub async fn remove(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Query(Whose { user }): Query<Whose>,
) -> Answer {
    let messages = app.remove_label(user.as_deref(), &name).await?;
    Ok(Json(json!({ "name": name, "messages": messages })))
}
