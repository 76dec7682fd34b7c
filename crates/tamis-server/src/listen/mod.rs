//! Ports and sockets: accepting, counting, and stopping.
//!
//! - [`activity`]: what a connection is waiting for.
//! - [`places`]: a port has a maximum number of connections. When it is reached, a new connection takes the place of
//!   the one whose client has been silent for longest.
//! - [`stream`]: a connection. A client that does not read its answer is disconnected.
//! - [`socket`]: sockets in the file system, with mode and group.

mod activity;
mod places;
mod socket;
mod stream;

pub(crate) use activity::Activity;
pub(crate) use socket::{check as check_socket, restrict as restrict_socket};
pub(crate) use stream::Stream;

use crate::config::{Address, Limits, SocketAccess};
use crate::{Error, Result};
use places::Places;
use socket::SocketFile;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use stream::Socket;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long to wait when the system has no room for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// Where connections come from.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix { listener: UnixListener, _file: SocketFile },
}

/// How the connections of a port are bounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Maximum number of connections at a time.
    pub connections: usize,
    /// How long a client may take to read an answer.
    pub patience: Duration,
    /// How long a client must have been silent before others may have its place.
    pub silence: Duration,
}

impl Bounds {
    /// As the settings say.
    pub const fn of(limits: &Limits, silence: Duration) -> Self {
        let patience = Duration::from_secs(limits.seconds);
        Self { connections: limits.connections, patience, silence }
    }
}

/// Tells everybody when it is time to stop.
#[derive(Debug, Clone)]
pub(crate) struct Stop(pub watch::Receiver<bool>);

impl Stop {
    /// Returns when it is time.
    pub async fn wait(&mut self) {
        // The sender is dropped when its port is closed: it is time.
        self.0.wait_for(|stop| *stop).await.ok();
    }
}

impl Listener {
    /// Listens. Where the system chooses the port, the address is then the one that it has chosen.
    pub async fn bind(address: &mut Address, access: &SocketAccess) -> Result<Self> {
        let name = address.to_string();
        let failed = |source| Error::Listen { address: name.clone(), source };
        match address {
            Address::Tcp(tcp) => {
                let listener = TcpListener::bind(*tcp).await.map_err(failed)?;
                *tcp = listener.local_addr().map_err(failed)?;
                Ok(Self::Tcp(listener))
            }
            Address::Unix(path) => {
                let (listener, file) = socket::bind(path, access).await.map_err(failed)?;
                Ok(Self::Unix { listener, _file: file })
            }
        }
    }

    async fn accept(&self) -> io::Result<(Socket, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                stream.set_nodelay(true).ok();
                Ok((Socket::Tcp(stream), Some(peer.ip())))
            }
            Self::Unix { listener, .. } => Ok((Socket::Unix(listener.accept().await?.0), None)),
        }
    }

    /// Serves each connection by `serve`. When it is time to stop, no more are accepted, and this returns when those
    /// that are open have ended.
    pub async fn run<F: Future<Output = ()> + Send + 'static>(
        self,
        bounds: Bounds,
        mut stop: Stop,
        serve: impl Fn(Stream, Option<IpAddr>) -> F,
    ) {
        let places = Arc::new(Places::new(bounds.connections, bounds.silence));
        let mut running = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = stop.wait() => break,
                accepted = self.accept() => accepted,
            };
            while running.try_join_next().is_some() {}
            let Ok((socket, peer)) = accepted else {
                // No descriptor is free, or the client has gone already.
                tokio::time::sleep(BREATH).await;
                continue;
            };
            let place = tokio::select! {
                () = stop.wait() => break,
                place = places.take() => place,
            };
            let stream = Stream::new(socket, place.activity(), bounds.patience);
            let served = serve(stream, peer);
            running.spawn(async move {
                tokio::select! {
                    () = served => {}
                    () = place.lost() => {}
                }
            });
        }
        drop(self);
        while running.join_next().await.is_some() {}
    }
}
