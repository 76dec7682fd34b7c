//! Bodies, queries and names in paths, within the limits.

use super::Problem;
use crate::app::App;
use crate::limits::{Hold, SMALL};
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The largest body that is no message.
const LARGEST_JSON: usize = 4 << 20;

/// Bytes that a parsed body of JSON takes for each of its own, at most.
const PARSED: usize = 10;

/// The bytes of a body. The request holds the memory that they take.
#[derive(Debug)]
pub struct Raw(pub Arc<Vec<u8>>);

/// A body of JSON.
#[derive(Debug)]
pub struct Json<T>(pub T);

/// Keys that are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    pub keys: Vec<String>,
}

/// What stands behind the question mark.
#[derive(Debug)]
pub struct Query<T>(pub T);

/// What stands in the path.
#[derive(Debug)]
pub struct Name<T>(pub T);

async fn read(app: &App, request: Request, most: usize) -> Result<Vec<u8>, Problem> {
    let most = most.min(app.budget.largest());
    let too_large = || Problem::from(crate::limits::NoRoom::TooLarge);
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let hold = Hold::current().unwrap_or_else(|| Hold::new(&app.budget, None));
    let mut bytes = Vec::new();
    let mut body: Body = request.into_body();
    hold.works(false);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::bad("the request ended too early"))?;
        let Ok(data) = frame.into_data() else { continue };
        let size = bytes.len() + data.len();
        if size > most {
            return Err(too_large());
        }
        // As much as was sent, and not as much as was announced.
        if bytes.capacity() < size {
            let room = (2 * size).min(length.unwrap_or(most)).max(size);
            hold.grow(room).await?;
            bytes.reserve_exact(room - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    hold.works(true);
    Ok(bytes)
}

impl FromRequest<Arc<App>> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        read(app, request, usize::MAX).await.map(Arc::new).map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
        if !kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with(b"application/json")) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with Content-Type: application/json",
            ));
        }
        let bytes = read(app, request, LARGEST_JSON).await?;
        if bytes.len() > SMALL / PARSED
            && let Some(hold) = Hold::current()
        {
            hold.grow(bytes.len() * PARSED).await?;
        }
        let parsed = serde_json::from_slice(&bytes);
        parsed
            .map(Self)
            .map_err(|error| Problem::bad(format!("the JSON is not understood: {error}")))
    }
}

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let read = axum::extract::Query::try_from_uri(&parts.uri);
        read.map(|query| Self(query.0)).map_err(|error| Problem::bad(error.body_text()))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<App>> for Name<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let read = Path::<T>::from_request_parts(parts, app).await;
        read.map(|path| Self(path.0))
            .map_err(|_| Problem::new(StatusCode::NOT_FOUND, "there is nothing of that name"))
    }
}
