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
use tamis_mail::store::now;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How long what runs may go on after the signal to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How often old verdicts are removed.
const HOUR: Duration = Duration::from_secs(3600);

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

async fn run(mut config: Config) -> Result<()> {
    let secure = match (&config.certificate, &config.key) {
        (Some(certificate), Some(key)) => Some(tls::acceptor(certificate, key)?),
        _ => None,
    };
    let listener = Listener::bind(&mut config.listen).await?;
    let spamds = bind_all(&mut config.spamd.listen).await?;
    let milters = bind_all(&mut config.milter.listen).await?;
    let app = App::open(config)?;
    // Old verdicts go even if no new ones come.
    let expiring = Arc::clone(&app);
    tokio::spawn(async move {
        let mut hourly = tokio::time::interval(HOUR);
        loop {
            hourly.tick().await;
            expiring.desk.verdicts().expire(now());
        }
    });
    let (stopper, stopped) = watch::channel(false);
    let stop = Stop(stopped);
    let mut ports: Vec<Port> = Vec::new();
    say("http", &app.config.listen);
    ports.push(Box::pin(http::serve(Arc::clone(&app), listener, secure, stop.clone())));
    for (address, listener) in app.config.spamd.listen.iter().zip(spamds) {
        say("spamd", address);
        ports.push(Box::pin(spamd::serve(Arc::clone(&app), listener, stop.clone())));
    }
    for (address, listener) in app.config.milter.listen.iter().zip(milters) {
        say("milter", address);
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

async fn bind_all(addresses: &mut [Address]) -> Result<Vec<Listener>> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        listeners.push(Listener::bind(address).await?);
    }
    Ok(listeners)
}

fn say(protocol: &str, address: &Address) {
    log::line("listening", json!({ "protocol": protocol, "address": address.to_string() }));
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
