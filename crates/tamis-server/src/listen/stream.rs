//! A connection of either kind, with a time limit for a client that does not read.

use super::Activity;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Sleep, sleep};

/// What the system has.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    activity: Arc<Activity>,
    patience: Duration,
    /// Runs while the client has not read what was written.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    pub(super) const fn new(socket: Socket, activity: Arc<Activity>, patience: Duration) -> Self {
        Self { socket, activity, patience, deadline: None }
    }

    /// What the connection is waiting for.
    pub fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = match &mut this.socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Socket::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        match read {
            Poll::Pending => this.activity.is_pending(),
            Poll::Ready(_) => this.activity.progress(buffer.filled().len() - before),
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = match &mut this.socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        };
        match &written {
            Poll::Ready(Ok(count)) => {
                this.activity.progress(*count);
                if *count == bytes.len() {
                    this.deadline = None;
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                this.activity.is_pending();
                let patience = this.patience;
                let deadline = this.deadline.get_or_insert_with(|| Box::pin(sleep(patience)));
                ready!(deadline.as_mut().poll(context));
                let late = "the client does not read its answer";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, late)));
            }
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Socket::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Socket::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
