//! The state of the server: for the page, for Prometheus, and for a supervisor that asks whether it is ready.

use super::Problem;
use crate::app::{App, aside};
use crate::metrics::Source;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::history::Action;
use tamis_mail::store::Info;

/// The figures of the store; none if each user has one.
async fn info(app: &Arc<App>) -> crate::Result<Option<Info>> {
    if app.desk.per_user() {
        return Ok(None);
    }
    let shelf = app.desk.shelf(None)?;
    aside(move || shelf.info()).await
}

/// Whether messages can be judged: the store is open, or the folder of all stores can be read.
pub async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Problem> {
    let checked = aside(move || match app.desk.per_user() {
        true => app.desk.check_folder(),
        false => app.desk.shelf(None)?.with_store(|_| ()),
    });
    // The reason may name files, and this request needed no token.
    checked
        .await
        .map(|()| "ready\n")
        .map_err(|_| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the mail store cannot be read"))
}

/// Every label with its number of messages.
pub fn labels(info: &Info) -> Value {
    let list = info.labels.iter();
    list.map(|(name, messages)| json!({ "name": name, "messages": messages })).collect()
}

pub async fn state(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let info = info(&app).await?;
    let store = info.map(|info| {
        let messages: usize = info.labels.iter().map(|(_, messages)| messages).sum();
        json!({
            "messages": messages, "labels": labels(&info), "bits": info.bits, "ham_lost": info.ham_lost,
            "tables_bytes": info.sizes.0, "journal_bytes": info.sizes.1,
            "oldest": info.times.map(|times| times.0), "newest": info.times.map(|times| times.1),
        })
    });
    let metrics = &app.metrics;
    let [spam, ham, unsure] = metrics.verdicts();
    let [learned, forgotten, rejected] = metrics.changes();
    let actions = Action::ALL.iter().zip(metrics.actions());
    let actions: Value =
        actions.map(|(action, count)| (action.name().to_owned(), json!(count))).collect();
    let minutes: Vec<Value> = metrics
        .minutes()
        .iter()
        .map(|minute| {
            let [spam, ham, unsure] = minute.verdicts;
            let time = minute.minute * 60;
            json!({ "time": time, "spam": spam, "ham": ham, "unsure": unsure, "learned": minute.learned })
        })
        .collect();
    Ok(Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": metrics.uptime().as_secs(),
        "per_user": app.desk.per_user(),
        "store": store,
        "counts": {
            "checked": spam + ham + unsure, "spam": spam, "ham": ham, "unsure": unsure,
            "learned": learned, "forgotten": forgotten, "rejected": rejected,
        },
        "actions": actions,
        "latency": {
            "p50_ms": metrics.latency(0.5), "p90_ms": metrics.latency(0.9), "p99_ms": metrics.latency(0.99),
        },
        "minutes": minutes,
        "protocols": {
            "http": app.addresses(Source::Http),
            "spamd": app.addresses(Source::Spamd),
            "milter": app.addresses(Source::Milter),
        },
    })))
}

pub async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let info = info(&app).await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    let sharing = app.desk.sharing().map(|sharing| sharing.status());
    Ok((kind, app.metrics.text(info.as_ref(), sharing)).into_response())
}
