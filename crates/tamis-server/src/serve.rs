//! The process: everything is opened, served, and stopped.

use crate::app::App;
use crate::config::{Address, Config};
use crate::listen::{Listener, Stop};
use crate::{Error, Result, http, log, milter, spamd, tls};
use serde_json::json;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How long what runs may go on after the signal to stop.
const GRACE: Duration = Duration::from_secs(10);

type Port = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves until the process is asked to stop by SIGTERM or SIGINT; what runs then is finished.
///
/// # Errors
/// What could not be opened or listened on.
pub fn serve(config: Config) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Start { source })?;
    let ended = runtime.block_on(run(config));
    // Whoever waits for a store that another process holds is not waited for.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

async fn run(config: Config) -> Result<()> {
    let secure = match (&config.certificate, &config.key) {
        (Some(certificate), Some(key)) => Some(tls::acceptor(certificate, key)?),
        _ => None,
    };
    let app = App::open(config)?;
    let (stopper, stopped) = watch::channel(false);
    let stop = Stop(stopped);
    let mut ports: Vec<Port> = Vec::new();
    let listener = Listener::bind(&app.config.listen).await?;
    say("http", &listener);
    ports.push(Box::pin(http::serve(Arc::clone(&app), listener, secure, stop.clone())));
    for address in &app.config.spamd.listen {
        let listener = Listener::bind(address).await?;
        say("spamd", &listener);
        ports.push(Box::pin(spamd::serve(Arc::clone(&app), listener, stop.clone())));
    }
    for address in &app.config.milter.listen {
        let listener = Listener::bind(address).await?;
        say("milter", &listener);
        ports.push(Box::pin(milter::serve(Arc::clone(&app), listener, stop.clone())));
    }
    let mut running = tokio::task::JoinSet::new();
    for port in ports {
        running.spawn(port);
    }
    asked_to_stop().await?;
    log::line("stopping", json!({}));
    stopper.send_replace(true);
    let all = async { while running.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all).await.is_err() {
        log::line("stopped", json!({ "unfinished": running.len() }));
    } else {
        log::line("stopped", json!({}));
    }
    Ok(())
}

fn say(protocol: &str, listener: &Listener) {
    log::line("listening", json!({ "protocol": protocol, "address": listener.address() }));
}

async fn asked_to_stop() -> Result<()> {
    let failed = |source| Error::Start { source };
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// Where a protocol is spoken, in words.
pub fn addresses(addresses: &[Address]) -> Option<String> {
    let list: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    (!list.is_empty()).then(|| list.join(", "))
}
