//! Bytes as the body of a request to each route of the JSON interface: none of them is an error of the server.

#![no_main]

use axum::body::Body;
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use tamis_server::config::Config;
use tamis_server::{App, http};
use tower_service::Service;

const ROUTES: [&str; 10] = [
    "/api/v1/mail/check",
    "/api/v1/mail/explain",
    "/api/v1/filters/positions",
    "/api/v1/filters/a.tamis/contains",
    "/api/v1/filters/a.tamis/count",
    "/api/v1/similar/compare",
    "/api/v1/similar/query",
    "/api/v1/cascades/trace",
    "/api/v1/cascades/c.tamis/classify",
    "/api/v1/mail/forget",
];

struct Server {
    runtime: tokio::runtime::Runtime,
    routes: axum::Router,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("tamis-fuzz-{}", std::process::id()));
        let mut config = Config { store: Some(folder.join("mail")), table: 10, ..Config::default() };
        config.files = Some(folder.join("files"));
        config.log.requests = false;
        let app = App::open(config.checked().expect("settings")).expect("a server");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Server { runtime: runtime.expect("a runtime"), routes: http::router(app) }
    })
}

fuzz_target!(|input: &[u8]| {
    let Some((route, body)) = input.split_first() else { return };
    let route = ROUTES[usize::from(*route) % ROUTES.len()];
    let server = server();
    let request = Request::post(route)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body.to_vec()))
        .expect("a request");
    let answer = server.runtime.block_on(server.routes.clone().call(request)).expect("an answer");
    assert!(!answer.status().is_server_error(), "{route}: {}", answer.status());
});
