//! How the server is: for the page, and for Prometheus.

use super::Problem;
use crate::app::{App, aside};
use crate::serve::addresses;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::store::Info;

/// What the one store says about itself; none if each user has one.
async fn info(app: &Arc<App>) -> Result<Option<Info>, Problem> {
    if app.desk.per_user() {
        return Ok(None);
    }
    let shelf = app.desk.shelf(None)?;
    Ok(aside(move || shelf.info()).await?)
}

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
        "store": store,
        "counts": {
            "checked": spam + ham + unsure, "spam": spam, "ham": ham, "unsure": unsure,
            "learned": learned, "forgotten": forgotten, "rejected": rejected,
        },
        "latency": {
            "p50_ms": metrics.latency(0.5), "p90_ms": metrics.latency(0.9), "p99_ms": metrics.latency(0.99),
        },
        "minutes": minutes,
        "protocols": {
            "http": app.config.listen.to_string(),
            "spamd": addresses(&app.config.spamd.listen),
            "milter": addresses(&app.config.milter.listen),
        },
    })))
}

pub async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let info = info(&app).await?;
    let store = info.map(|info| {
        let messages: usize = info.labels.iter().map(|(_, messages)| messages).sum();
        (info.sizes.0, info.sizes.1, messages as u64)
    });
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, app.metrics.text(store)).into_response())
}
