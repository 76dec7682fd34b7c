//! Filters in files, and the positions of keys in one that is only looked at.

use super::body::{Json, Keys, Name};
use super::{Answer, Problem};
use crate::app::{App, aside};
use crate::files::Sort;
use crate::{Error, Result as Outcome};
use axum::Json as Reply;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tamis::filter::{AnyFilter, BloomFilter, Filter, Removal};
use tamis::hash::KeyKinds;

/// The most bits of a filter that is only looked at, and the most functions and keys.
const MOST_BITS: u64 = 65_536;
const MOST_FUNCTIONS: u32 = 32;
const MOST_KEYS: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    bits: u64,
    hashes: u32,
    keys: Vec<String>,
}

/// The names, kinds and sizes of files of a sort.
pub fn listed(app: &App, sort: Sort) -> Vec<Value> {
    let list = app.files.list(sort).into_iter();
    list.map(|(name, file)| json!({ "name": name, "kind": file.kind, "bytes": file.bytes }))
        .collect()
}

pub async fn list(State(app): State<Arc<App>>) -> Answer {
    let filters = aside(move || Ok(listed(&app, Sort::Filter))).await?;
    Ok(Reply(json!({ "filters": filters })))
}

/// Does something with a filter, aside.
async fn with_filter(
    app: Arc<App>,
    name: String,
    visit: impl FnOnce(
        &AnyFilter<tamis::filter::Mapped<tamis_corpus::files::Bytes>>,
        u64,
    ) -> Outcome<Value>
    + Send
    + 'static,
) -> Answer {
    let done = aside(move || {
        let (filter, bytes) = app.files.filter(&name)?;
        visit(&filter, bytes)
    });
    Ok(Reply(done.await?))
}

pub async fn info(State(app): State<Arc<App>>, Name(name): Name<String>) -> Answer {
    let shown = name.clone();
    with_filter(app, name, move |filter, bytes| {
        let design = filter.design();
        Ok(json!({
            "name": shown, "kind": filter.kind().name(), "layout": filter.layout(), "bits": filter.bits(),
            "hashes": filter.hashes(), "items": filter.len(), "bytes": bytes, "fill": filter.fill(),
            "expected_rate": design.rate, "current_rate": filter.current_false_positive_rate(),
            "hash": filter.hash().algorithm().name(), "seed": filter.hash().seed().to_string(),
        }))
    })
    .await
}

pub async fn contains(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Json(Keys { keys }): Json<Keys>,
) -> Answer {
    with_filter(app, name, move |filter, _| {
        filter.check_keys(KeyKinds::TEXT)?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        Ok(json!({ "found": filter.contains_many(&keys) }))
    })
    .await
}

pub async fn count(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Json(Keys { keys }): Json<Keys>,
) -> Answer {
    with_filter(app, name, move |filter, _| {
        let AnyFilter::Counting(filter) = filter else {
            let kind = filter.kind().described();
            return Err(unsupported(format!(
                "{kind} knows whether it has seen a key, not how often"
            )));
        };
        filter.check_keys(KeyKinds::TEXT)?;
        let counts: Vec<u32> = keys.iter().map(|key| filter.count(key.as_str())).collect();
        Ok(json!({ "counts": counts }))
    })
    .await
}

pub async fn add(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Json(Keys { keys }): Json<Keys>,
) -> Answer {
    let added = aside(move || {
        app.files.change(&name, |filter| {
            let hash = *filter.hash();
            let insert = filter.as_insert()?;
            insert.record_keys(KeyKinds::TEXT);
            for key in &keys {
                insert.insert_many_hashes(&[hash.bytes(key.as_bytes())]);
            }
            Ok(keys.len())
        })
    });
    Ok(Reply(json!({ "added": added.await? })))
}

pub async fn remove(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Json(Keys { keys }): Json<Keys>,
) -> Answer {
    let removed = aside(move || {
        app.files.change(&name, |filter| {
            let kind = filter.kind().described();
            let AnyFilter::Counting(filter) = filter else {
                let what =
                    format!("{kind} cannot take back a key: its bits are shared with others");
                return Err(unsupported(what));
            };
            filter.check_keys(KeyKinds::TEXT)?;
            let remove = |key: &String| filter.remove(key.as_str()) == Removal::Removed;
            Ok(keys.iter().map(remove).collect::<Vec<bool>>())
        })
    });
    Ok(Reply(json!({ "removed": removed.await? })))
}

pub async fn positions(Json(Shape { bits, hashes, keys }): Json<Shape>) -> Answer {
    if bits > MOST_BITS || hashes > MOST_FUNCTIONS || keys.len() > MOST_KEYS {
        return Err(Problem::bad(format!(
            "at most {MOST_BITS} bits, {MOST_FUNCTIONS} functions and {MOST_KEYS} keys are shown"
        )));
    }
    let filter = BloomFilter::with_bits(bits, hashes)?;
    let positions: Vec<Vec<u64>> = keys.iter().map(|key| filter.indexes(key.as_str())).collect();
    Ok(Reply(json!({ "positions": positions })))
}

fn unsupported(what: String) -> Error {
    Error::Request { what }
}
