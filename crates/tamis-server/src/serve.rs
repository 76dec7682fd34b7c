//! The process: everything is opened, served, read again on SIGHUP, and stopped.

use crate::app::App;
use crate::config::{Address, Config, SocketAccess};
use crate::listen::{Listener, Stop, check_socket, restrict_socket};
use crate::live::Live;
use crate::metrics::Source;
use crate::{Error, Result, http, journal, log, milter, spamd};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tamis_mail::store::{Store, now, read_seed};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long requests in progress may go on after the signal to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How often old verdicts are removed.
const HOUR: Duration = Duration::from_secs(3600);

/// Reads the settings, as flags, environment and file say now.
pub type Settings<'a> = &'a (dyn Fn() -> Result<Config> + Send + Sync);

/// Serves until the process is asked to stop by SIGTERM or SIGINT; requests in progress are finished. On SIGHUP the
/// settings are read again.
///
/// # Errors
/// What could not be read, opened or listened on.
pub fn serve(settings: Settings<'_>) -> Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    crate::limits::allocator::map_large_blocks();
    let config = settings()?.checked()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Start { source })?;
    let ended = runtime.block_on(run(config, settings));
    // A lesson that waits for a store that another process has locked was not acknowledged.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// Opens everything that settings name, as [`serve`] would, and changes nothing.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(config: Config) -> Result<()> {
    let config = config.checked()?;
    for (_, address, access) in ports(&config) {
        if let Address::Unix(path) = &address {
            check_socket(path, &access)?;
        }
    }
    for folder in [&config.store, &config.files].into_iter().flatten() {
        match std::fs::read_dir(folder) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Read { name: folder.clone(), source });
            }
            _ => {}
        }
    }
    config.seed_file.as_deref().map(read_seed).transpose()?;
    let store = config.store.as_ref().filter(|_| !config.per_user);
    match store.map(|folder| Store::open(folder)) {
        None | Some(Ok(_) | Err(tamis_mail::Error::NoStore { .. })) => {}
        Some(Err(error)) => return Err(error.into()),
    }
    Live::open(config).map(drop)
}

/// Where each protocol is spoken, and who may connect to sockets.
fn ports(config: &Config) -> Vec<(Source, Address, SocketAccess)> {
    let mut ports = vec![(Source::Http, config.listen.clone(), config.socket.clone())];
    for (source, addresses, access) in [
        (Source::Spamd, &config.spamd.listen, &config.spamd.socket),
        (Source::Milter, &config.milter.listen, &config.milter.socket),
    ] {
        ports.extend(addresses.iter().map(|address| (source, address.clone(), access.clone())));
    }
    ports
}

/// A port that is served.
#[derive(Debug)]
struct Port {
    source: Source,
    /// As the settings say; the system may have chosen the number of a port.
    wanted: Address,
    bound: Address,
    stopper: watch::Sender<bool>,
}

/// A port that is open and not served yet.
type Bound = (Port, Listener, watch::Receiver<bool>);

/// All ports that are served.
#[derive(Debug, Default)]
struct Ports {
    open: Vec<Port>,
    running: JoinSet<()>,
}

impl Ports {
    /// Opens the ports that are not open yet, without serving them.
    async fn bind(&self, config: &Config) -> Result<Vec<Bound>> {
        let mut bound = Vec::new();
        for (source, wanted, access) in ports(config) {
            if self.open.iter().any(|port| port.source == source && port.wanted == wanted) {
                continue;
            }
            let mut address = wanted.clone();
            let listener = Listener::bind(&mut address, &access).await?;
            let (stopper, stopped) = watch::channel(false);
            bound.push((Port { source, wanted, bound: address, stopper }, listener, stopped));
        }
        Ok(bound)
    }

    /// Serves ports that were opened.
    fn serve(&mut self, app: &Arc<App>, bound: Vec<Bound>) {
        for (port, listener, stopped) in bound {
            let address = port.bound.to_string();
            log::line("listening", json!({ "protocol": port.source.name(), "address": address }));
            let (app, stop) = (Arc::clone(app), Stop(stopped));
            match port.source {
                Source::Http => self.running.spawn(http::serve(app, listener, stop)),
                Source::Spamd => self.running.spawn(spamd::serve(app, listener, stop)),
                Source::Milter => self.running.spawn(milter::serve(app, listener, stop)),
            };
            self.open.push(port);
        }
        app.set_bound(self.open.iter().map(|port| (port.source, port.bound.clone())).collect());
    }

    /// Closes the ports that the settings do not name any more; their connections go on until they end. Sockets that
    /// stay get the access of the settings.
    fn adjust(&mut self, config: &Config) {
        let wanted = ports(config);
        self.open.retain(|port| {
            let is_it = |(source, address, _): &&(Source, Address, SocketAccess)| {
                *source == port.source && *address == port.wanted
            };
            let Some((_, address, access)) = wanted.iter().find(is_it) else {
                log::line("closed", json!({ "address": port.bound.to_string() }));
                port.stopper.send_replace(true);
                return false;
            };
            if let Address::Unix(path) = address
                && let Err(error) = restrict_socket(path, access)
            {
                log::line("reload", json!({ "error": error.sentence() }));
            }
            true
        });
    }
}

async fn run(config: Config, settings: Settings<'_>) -> Result<()> {
    let failed = |source| Error::Start { source };
    let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
    let mut ports = Ports::default();
    let bound = ports.bind(&config).await?;
    let started = config.clone();
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
    ports.serve(&app, bound);
    journal::start(&app)?;
    let mut asked = std::pin::pin!(asked_to_stop());
    loop {
        tokio::select! {
            asked = &mut asked => break asked?,
            _ = hangup.recv() => {
                // A setting that cannot be used changes nothing: mail goes on as before.
                match reload(&app, &mut ports, settings, &started).await {
                    Ok(restart) if restart.is_empty() => log::line("reloaded", json!({})),
                    Ok(restart) => log::line("reloaded", json!({ "needs_restart": restart })),
                    Err(error) => {
                        log::line("reload", json!({ "error": error.sentence() }));
                    }
                }
            }
            Some(_) = ports.running.join_next() => {}
        }
    }
    log::line("stopping", json!({}));
    for port in &ports.open {
        port.stopper.send_replace(true);
    }
    let all = async { while ports.running.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all).await.is_err() {
        log::line("stopped", json!({ "unfinished": ports.running.len() }));
    } else {
        log::line("stopped", json!({}));
    }
    Ok(())
}

/// Uses the settings as they are now: all of them, or none if one cannot be used. The names of changed settings that
/// only a restart can change are returned.
async fn reload(
    app: &Arc<App>,
    ports: &mut Ports,
    settings: Settings<'_>,
    started: &Config,
) -> Result<Vec<&'static str>> {
    let config = settings()?.checked()?;
    let restart = needs_restart(started, &config);
    let bound = ports.bind(&config).await?;
    let live = Live::open(config.clone())?;
    app.replace(live);
    ports.adjust(&config);
    ports.serve(app, bound);
    Ok(restart)
}

/// Settings that the running server cannot change.
fn needs_restart(before: &Config, after: &Config) -> Vec<&'static str> {
    let (old, new) = (&before.limits, &after.limits);
    let changed = [
        ("store", before.store != after.store),
        ("per_user", before.per_user != after.per_user),
        ("most_users", before.most_users != after.most_users),
        ("journal", before.journal != after.journal),
        ("journal_ca", before.journal_ca != after.journal_ca),
        ("journal_stream", before.journal_stream != after.journal_stream),
        ("seed_file", before.seed_file != after.seed_file),
        ("table", before.table != after.table),
        ("ham_lost", before.ham_lost.to_bits() != after.ham_lost.to_bits()),
        ("files", before.files != after.files),
        ("limits.message_megabytes", old.message_megabytes != new.message_megabytes),
        ("limits.memory_megabytes", old.memory_megabytes != new.memory_megabytes),
        ("limits.connections", old.connections != new.connections),
        ("recent", before.recent != after.recent),
    ];
    changed.into_iter().filter_map(|(name, is_changed)| is_changed.then_some(name)).collect()
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
