//! The page, the JSON interface, health and metrics. `openapi.json` beside the sources describes every route.

mod access;
mod answer;
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
use crate::limits::Hold;
use crate::listen::{Activity, Bounds, Listener, Stop};
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

/// How long a client must have been silent before another one gets its place.
const SILENCE: Duration = Duration::from_millis(500);

/// How long a client may take for the head of a request, and be silent between two.
const HEAD: Duration = Duration::from_secs(20);

/// The description of every route.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// What most routes answer.
type Answer = Result<axum::Json<serde_json::Value>, Problem>;

/// The client, as far as it is known, and its connection.
#[derive(Debug, Clone)]
struct Peer(Option<IpAddr>, Arc<Activity>);

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
    let peer = request.extensions().get::<Peer>().cloned();
    let (address, activity) =
        peer.map_or((None, None), |Peer(address, seen)| (address, Some(seen)));
    let live = app.live();
    let limit = Duration::from_secs(live.limits.seconds);
    let hold = Hold::new(&app.budget, activity);
    let mut response = if !app.rates.allow(live.limits.requests_per_second, address, Instant::now())
    {
        let problem =
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "this is too often; wait a second");
        ([(header::RETRY_AFTER, "1")], problem).into_response()
    } else if let Err(refused) = access::check(&live, request.uri().path(), request.headers()) {
        refused.into_response()
    } else {
        hold.works(true);
        let answered = hold.scope(async { answer::held(next.run(request).await, &hold).await });
        let answered = tokio::time::timeout(limit, answered).await;
        hold.works(false);
        answered.unwrap_or_else(|_| {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "it took too long").into_response()
        })
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
pub(crate) async fn serve(app: Arc<App>, listener: Listener, stop: Stop) {
    let routes = router(Arc::clone(&app));
    let bounds = Bounds::of(&app.live().limits, SILENCE);
    let stopping = stop.clone();
    listener
        .run(bounds, stop, move |stream, peer| {
            let (app, routes, stop) = (Arc::clone(&app), routes.clone(), stopping.clone());
            async move {
                let _connected = app.metrics.connected(Source::Http);
                let peer = Peer(peer, stream.activity());
                match app.live().secure() {
                    None => speak(stream, peer, routes, stop).await,
                    Some(secure) => {
                        // A client that takes longer for the handshake is none.
                        let secured = tokio::time::timeout(HEAD, secure.accept(stream)).await;
                        if let Ok(Ok(stream)) = secured {
                            speak(stream, peer, routes, stop).await;
                        }
                    }
                }
            }
        })
        .await;
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    routes: Router,
    mut stop: Stop,
) {
    let routes = routes.layer(axum::Extension(peer));
    // A client that closes its side is gone: nothing more is done for it.
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(64 << 10)
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
