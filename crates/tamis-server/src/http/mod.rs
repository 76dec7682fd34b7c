//! The page, the JSON interface, health and metrics. `openapi.json` beside the sources describes every route.

mod access;
mod body;
mod cascades;
mod filters;
mod history;
mod labels;
mod mail;
mod page;
mod plan;
mod problem;
mod recent;
mod similar;
mod state;
mod story;

pub use problem::Problem;

use crate::app::App;
use crate::listen::{Listener, Stop, Stream};
use crate::metrics::Source;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

/// How long a client may take for the head of a request, and be silent between two.
const HEAD: Duration = Duration::from_secs(20);

/// The description of every route.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// What most routes answer.
type Answer = Result<axum::Json<serde_json::Value>, Problem>;

/// Who asks, as far as it is known.
#[derive(Debug, Clone, Copy)]
struct Peer(Option<IpAddr>);

/// All routes.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/assets/{name}", get(page::asset))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(state::ready))
        .route("/metrics", get(state::metrics))
        .route("/api/v1/openapi.json", get(page::openapi))
        .route("/api/v1/state", get(state::state))
        .route("/api/v1/mail/check", post(mail::check))
        .route("/api/v1/mail/explain", post(mail::explain))
        .route("/api/v1/mail/learn", post(mail::learn))
        .route("/api/v1/mail/forget", post(mail::forget))
        .route("/api/v1/mail/labels", get(labels::list))
        .route("/api/v1/mail/labels/{name}/rename", post(labels::rename))
        .route("/api/v1/mail/labels/{name}/remove", post(labels::remove))
        .route("/api/v1/mail/recent", get(recent::list))
        .route("/api/v1/mail/recent/{id}", get(recent::explain))
        .route("/api/v1/mail/recent/{id}/learn", post(recent::learn))
        .route("/api/v1/mail/recent/{id}/forget", post(recent::forget))
        .route("/api/v1/mail/history", get(history::search))
        .route("/api/v1/mail/digest", get(history::digest))
        .route("/api/v1/filters", get(filters::list))
        .route("/api/v1/filters/positions", post(filters::positions))
        .route("/api/v1/filters/{name}", get(filters::info))
        .route("/api/v1/filters/{name}/contains", post(filters::contains))
        .route("/api/v1/filters/{name}/add", post(filters::add))
        .route("/api/v1/filters/{name}/count", post(filters::count))
        .route("/api/v1/filters/{name}/remove", post(filters::remove))
        .route("/api/v1/similar/compare", post(similar::compare))
        .route("/api/v1/similar/query", post(similar::query))
        .route("/api/v1/similar/indexes", get(similar::indexes))
        .route("/api/v1/cascades", get(cascades::list))
        .route("/api/v1/cascades/trace", post(cascades::trace))
        .route("/api/v1/cascades/{name}/classify", post(cascades::classify))
        .route("/api/v1/plan/filter", get(plan::filter))
        .route("/api/v1/plan/similar", get(plan::similar))
        .route("/api/v1/plan/cascade", get(plan::cascade))
        .fallback(|| async { Problem::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}

/// Applied to every request: rate limit, access control, timeout, and the headers of every response.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().and_then(|peer| peer.0);
    let is_allowed = app.rates.allow(peer, Instant::now());
    let limit = Duration::from_secs(app.config.limits.seconds);
    let mut response = if !is_allowed {
        let problem =
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "this is too often; wait a second");
        ([(header::RETRY_AFTER, "1")], problem).into_response()
    } else if let Err(refused) = access::check(&app.config, request.uri().path(), request.headers())
    {
        refused.into_response()
    } else {
        match tokio::time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "it took too long").into_response()
            }
        }
    };
    match response.status() {
        status if status.is_server_error() => app.metrics.failed(),
        status if status.is_client_error() => app.metrics.rejected(),
        _ => {}
    }
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", page::POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Serves HTTP on a port until it is time to stop.
pub(crate) async fn serve(
    app: Arc<App>,
    listener: Listener,
    secure: Option<TlsAcceptor>,
    stop: Stop,
) {
    let routes = router(Arc::clone(&app));
    let most = app.config.limits.connections;
    let stopping = stop.clone();
    listener
        .run(most, stop, move |stream, peer| {
            let (app, routes) = (Arc::clone(&app), routes.clone());
            let (secure, stop) = (secure.clone(), stopping.clone());
            async move {
                let _connected = app.metrics.connected(Source::Http);
                connected(stream, peer, routes, secure, stop).await;
            }
        })
        .await;
}

async fn connected(
    stream: Stream,
    peer: Option<IpAddr>,
    routes: Router,
    secure: Option<TlsAcceptor>,
    stop: Stop,
) {
    match secure {
        None => speak(stream, peer, routes, stop).await,
        Some(secure) => {
            // Who does not come to terms in time is no client.
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, secure.accept(stream)).await {
                speak(stream, peer, routes, stop).await;
            }
        }
    }
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Option<IpAddr>,
    routes: Router,
    mut stop: Stop,
) {
    let routes = routes.layer(axum::Extension(Peer(peer)));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(64 << 10)
        // A client may have said all it has to say, and still listen.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    tokio::pin!(connection);
    tokio::select! {
        // A client that is gone or malformed has been answered as far as it can be.
        _ = connection.as_mut() => return,
        () = stop.wait() => {}
    }
    connection.as_mut().graceful_shutdown();
    connection.await.ok();
}
