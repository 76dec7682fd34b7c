//! The page, from the binary.

use super::{OPENAPI, Problem};
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Nothing is loaded from elsewhere, and nothing runs that is not in these files.
pub const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        /// The files of the page.
        const ASSETS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../page/", $name)))),*];
    };
}
assets!(
    "alike.js",
    "api.js",
    "app.js",
    "cascade.js",
    "dom.js",
    "evidence.js",
    "explain.js",
    "filter.js",
    "filterfile.js",
    "history.js",
    "importing.js",
    "index.html",
    "mail.js",
    "mbox.js",
    "parts.js",
    "plot.js",
    "recent.js",
    "samples.js",
    "shingles.js",
    "sieves.js",
    "similar.js",
    "stages.js",
    "start.js",
    "state.js",
    "style.css",
    "teach.js",
    "user.js",
);

pub async fn index() -> Response {
    file("index.html")
}

pub async fn asset(Path(name): Path<String>) -> Response {
    file(&name)
}

pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

fn file(name: &str) -> Response {
    let Some((_, text)) = ASSETS.iter().find(|(other, _)| *other == name) else {
        return Problem::new(StatusCode::NOT_FOUND, "there is nothing here").into_response();
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], *text).into_response()
}
