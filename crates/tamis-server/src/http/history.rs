//! The history of verdicts: search, and the digest of what was quarantined, tagged or rejected.
//!
//! Without a history on disk both know the recent verdicts only. Where each user has a store, senders and subjects are
//! shown only to who names the user.

use super::body::Query;
use super::{Answer, Problem};
use crate::app::{App, aside};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tamis_mail::history::{Action, Daily, Entry, Format, Wanted};
use tamis_mail::store::now;

/// Maximum number of entries of an answer.
const MOST: usize = 200;

const DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Deserialize)]
pub struct Asked {
    since: Option<u64>,
    until: Option<u64>,
    from: Option<String>,
    verdict: Option<String>,
    action: Option<Action>,
    text: Option<String>,
    user: Option<String>,
    before: Option<u64>,
    #[serde(default = "fifty")]
    limit: usize,
}

const fn fifty() -> usize {
    50
}

pub async fn search(State(app): State<Arc<App>>, Query(asked): Query<Asked>) -> Answer {
    let Asked { since, until, from, verdict, action, text, user, before, limit } = asked;
    let user = app.desk.user(user.as_deref())?.filter(|_| app.desk.per_user());
    // Who may not see senders and subjects may not find out about them by searching either.
    if is_overview(&app, user.as_deref()) && (from.is_some() || text.is_some()) {
        return Err(Problem::bad("whose senders and subjects? Name a user"));
    }
    let wanted = Wanted { since, until, from, verdict, action, text, user };
    let most = limit.clamp(1, MOST);
    let found = aside(move || {
        let page = app.desk.verdicts().search(&wanted, before, most)?;
        let user = wanted.user.as_deref();
        let entries: Vec<Value> = page
            .entries
            .iter()
            .map(|entry| {
                let kept = app.desk.verdicts().recent().has_message(entry.id);
                shown(&app, entry, user, kept)
            })
            .collect();
        let on_disk = app.desk.verdicts().is_on_disk();
        Ok(
            json!({ "verdicts": entries, "next": page.next, "damaged": page.damaged, "on_disk": on_disk }),
        )
    });
    Ok(Json(found.await?))
}

#[derive(Debug, Deserialize)]
pub struct Digest {
    since: Option<u64>,
    until: Option<u64>,
    user: Option<String>,
    #[serde(default)]
    format: Format,
}

pub async fn digest(
    State(app): State<Arc<App>>,
    Query(Digest { since, until, user, format }): Query<Digest>,
) -> Result<Response, Problem> {
    let user = user.filter(|_| app.desk.per_user());
    if is_overview(&app, user.as_deref()) {
        return Err(Problem::bad("whose digest? Name a user"));
    }
    if format == Format::Mail {
        return Err(Problem::bad("a mail needs addresses: tamis mail digest --format mail"));
    }
    // What was judged in this second counts.
    let until = until.unwrap_or_else(|| now() + 1);
    let since = since.unwrap_or_else(|| until.saturating_sub(DAY));
    let daily = aside(move || {
        Daily::read(since, until, user.as_deref(), |wanted, before, most| {
            app.desk.verdicts().search(wanted, before, most)
        })
    });
    let daily: Daily = daily.await?;
    let (kind, text) = match format {
        Format::Html => ("text/html; charset=utf-8", daily.html()),
        _ => ("text/plain; charset=utf-8", daily.text()),
    };
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Whether everybody's verdicts are looked at on a server where each user has a store.
fn is_overview(app: &App, user: Option<&str>) -> bool {
    app.desk.per_user() && user.is_none()
}

/// A verdict for who named this user, or nobody; `kept` tells whether its message is still held.
pub(super) fn shown(app: &App, entry: &Entry, user: Option<&str>, kept: bool) -> Value {
    let is_overview = is_overview(app, user);
    // Reasons quote the message.
    let (from, subject, reasons) = match is_overview {
        true => (None, None, [].as_slice()),
        false => (Some(&entry.from), entry.subject.as_ref(), entry.reasons.as_slice()),
    };
    json!({
        "id": entry.id, "time": entry.time, "source": entry.source, "user": entry.user, "message": entry.message,
        "from": from, "subject": subject, "verdict": entry.verdict, "probability": entry.probability,
        "score": entry.score, "reason": reasons.first().map_or("", String::as_str), "reasons": reasons,
        "action": entry.action, "taught": entry.taught, "kept": kept && !is_overview,
    })
}
