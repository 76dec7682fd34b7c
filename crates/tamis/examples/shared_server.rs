//! A server whose handlers share one filter, and which saves a snapshot of it every minute:
//! `curl -X PUT localhost:3000/seen/leek` says whether the key was new, and `curl
//! localhost:3000/seen/leek` whether it is in.

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tamis::filter::ConcurrentBloomFilter;

type Shared = State<Arc<ConcurrentBloomFilter>>;

async fn is_in(State(seen): Shared, Path(key): Path<String>) -> String {
    seen.contains(&key).to_string()
}

async fn is_new(State(seen): Shared, Path(key): Path<String>) -> String {
    seen.insert(&key).to_string()
}

pub(crate) fn app(seen: Arc<ConcurrentBloomFilter>) -> Router {
    Router::new().route("/seen/{key}", get(is_in).put(is_new)).with_state(seen)
}

/// The filter of the last snapshot, or a new one.
pub(crate) fn restored(path: &std::path::Path) -> tamis::Result<ConcurrentBloomFilter> {
    if path.exists() {
        return ConcurrentBloomFilter::open(path);
    }
    ConcurrentBloomFilter::with_false_positive_rate(1_000_000, 0.01)
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::path::Path::new("seen.tamis");
    let seen = Arc::new(restored(path)?);
    let saved = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(60)).await;
            let seen = Arc::clone(&saved);
            // Requests go on meanwhile. The file is replaced whole or not at all.
            let done = tokio::task::spawn_blocking(move || seen.save("seen.tamis")).await;
            if let Ok(Err(error)) = done {
                eprintln!("{error}");
            }
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app(seen)).await?;
    Ok(())
}
