//! Ports and sockets: accepting, counting, and stopping.

use crate::config::Address;
use crate::{Error, Result};
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// How long to wait when the system has no room for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// A connection of either kind.
#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Where connections come from.
#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix { listener: UnixListener, _file: SocketFile },
}

/// The file of a socket, removed in the end.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// Tells everybody when it is time to stop.
#[derive(Debug, Clone)]
pub struct Stop(pub watch::Receiver<bool>);

impl Stop {
    /// Returns when it is time.
    pub async fn wait(&mut self) {
        // Who could say so is gone: it is time.
        self.0.wait_for(|stop| *stop).await.ok();
    }
}

impl Listener {
    /// Listens. Where the system was to choose a port, the address is then the one that it has chosen.
    pub async fn bind(address: &mut Address) -> Result<Self> {
        let name = address.to_string();
        let failed = |source| Error::Listen { address: name.clone(), source };
        match address {
            Address::Tcp(tcp) => {
                let listener = TcpListener::bind(*tcp).await.map_err(failed)?;
                *tcp = listener.local_addr().map_err(failed)?;
                Ok(Self::Tcp(listener))
            }
            Address::Unix(path) => {
                remove_stale(path).await.map_err(failed)?;
                let listener = UnixListener::bind(&*path).map_err(failed)?;
                Ok(Self::Unix { listener, _file: SocketFile(path.clone()) })
            }
        }
    }

    async fn accept(&self) -> io::Result<(Stream, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                stream.set_nodelay(true).ok();
                Ok((Stream::Tcp(stream), Some(peer.ip())))
            }
            Self::Unix { listener, .. } => Ok((Stream::Unix(listener.accept().await?.0), None)),
        }
    }

    /// Serves each connection by `serve`, at most so many at a time; others wait to be accepted. When it is time to stop,
    /// no more are accepted, and this returns when those that are there have ended.
    pub async fn run<F: Future<Output = ()> + Send + 'static>(
        self,
        most: usize,
        mut stop: Stop,
        serve: impl Fn(Stream, Option<IpAddr>) -> F,
    ) {
        let places = Arc::new(Semaphore::new(most));
        let mut running = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = stop.wait() => break,
                accepted = async {
                    let place = Arc::clone(&places).acquire_owned().await;
                    (place, self.accept().await)
                } => accepted,
            };
            while running.try_join_next().is_some() {}
            match accepted {
                (Ok(place), Ok((stream, peer))) => {
                    let served = serve(stream, peer);
                    running.spawn(async move {
                        served.await;
                        drop(place);
                    });
                }
                // No descriptor is free, or the client has gone already.
                _ => tokio::time::sleep(BREATH).await,
            }
        }
        drop(self);
        while running.join_next().await.is_some() {}
    }
}

/// Removes the socket of a process that is gone.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of that name"));
    }
    match UnixStream::connect(path).await {
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens on it")),
        Err(_) => std::fs::remove_file(path),
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Self::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
