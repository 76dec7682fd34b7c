//! The protocol of `spamc`, versions 1.2 to 1.5, as SpamAssassin's `spamd/PROTOCOL` describes it.
//!
//! | command | answer |
//! |---|---|
//! | `PING` | `PONG` |
//! | `CHECK` | verdict and points |
//! | `SYMBOLS` | the stages that gave evidence |
//! | `REPORT` | a text for people; `REPORT_IFSPAM` only for spam |
//! | `PROCESS` | the message with our headers |
//! | `HEADERS` | its headers alone, with ours |
//! | `TELL` | learns or forgets |
//!
//! Points are the score for spam, moved so that spam begins at 5.0. One request is answered on each connection.

mod reply;
mod request;

pub use request::{Body, Command, Refused, Request, parse_head};

use crate::app::App;
use crate::limits::{NoRoom, Share};
use crate::listen::{Listener, Stop, Stream};
use crate::metrics::Source;
use reply::Reply;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tamis_mail::history::Action;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// The longest head of a request, in bytes.
pub const LONGEST_HEAD: usize = 16 << 10;

/// Serves a port or a socket until it is time to stop.
pub(crate) async fn serve(app: Arc<App>, listener: Listener, stop: Stop) {
    let most = app.config.limits.connections;
    listener
        .run(most, stop, move |stream, peer| {
            let app = Arc::clone(&app);
            async move {
                let _connected = app.metrics.connected(Source::Spamd);
                answer(&app, stream, peer).await;
            }
        })
        .await;
}

async fn answer(app: &Arc<App>, mut stream: Stream, peer: Option<IpAddr>) {
    let limit = Duration::from_secs(app.config.limits.seconds);
    let answered = tokio::time::timeout(limit, async {
        if app.rates.allow(peer, Instant::now()) {
            handle(app, &mut stream).await
        } else {
            Err(Refused::Busy)
        }
    });
    let reply = match answered.await {
        Ok(Ok(reply)) => reply,
        Ok(Err(refused)) => {
            app.metrics.rejected();
            Reply::refused(&refused)
        }
        Err(_) => {
            app.metrics.rejected();
            Reply::refused(&Refused::TooSlow)
        }
    };
    let written = async {
        stream.write_all(&reply.bytes()).await?;
        stream.shutdown().await?;
        drain(&mut stream).await
    };
    // Who has gone needs no answer.
    tokio::time::timeout(limit, written).await.ok();
}

/// Reads what a refused client still sends, within bounds: closing at once would take the answer away from it.
async fn drain(stream: &mut Stream) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut left = 64usize << 20;
    let patience = Duration::from_secs(2);
    while left > 0 {
        match tokio::time::timeout(patience, stream.read(&mut buffer)).await {
            Ok(Ok(count @ 1..)) => left = left.saturating_sub(count),
            _ => break,
        }
    }
    Ok(())
}

async fn handle(app: &Arc<App>, stream: &mut Stream) -> Result<Reply, Refused> {
    let (request, start) = read_head(stream).await?;
    if request.command == Command::Ping {
        return Ok(Reply::pong());
    }
    let mut body = Body::new(&request);
    let mut share = Share::default();
    read_body(app, stream, &mut body, &mut share, start).await?;
    let message = body.message(app.budget.largest())?;
    // What was unpacked needs memory as well.
    app.budget.grow(&mut share, message.len()).await.map_err(no_room)?;
    let user = request.user.as_deref();
    let failed = |error: crate::Error| Refused::Failed(error.sentence());
    if let Command::Tell(tell) = &request.command {
        let mut reply = Reply::told();
        if let Some(class) = tell.set {
            app.learn(user, message, class).await.map_err(failed)?;
            reply.did_set();
        } else if tell.remove && app.forget(user, message).await.map_err(failed)? {
            reply.did_remove();
        }
        return Ok(reply);
    }
    let judged = app.judge(Source::Spamd, user, &message).await.map_err(failed)?;
    // The client marks what it is told to be spam, or does something harsher with it.
    let action = if judged.is_spam { Action::Tagged } else { Action::Delivered };
    app.record(Source::Spamd, user, &message, &judged, action);
    Ok(Reply::verdict(&request.command, &judged, &message))
}

fn no_room(no_room: NoRoom) -> Refused {
    match no_room {
        NoRoom::TooLarge => Refused::TooLarge,
        NoRoom::Busy => Refused::Busy,
    }
}

/// The head of a request, and what was read beyond it.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Result<(Request, Vec<u8>), Refused> {
    let mut head = Vec::with_capacity(1024);
    loop {
        if let Some((request, size)) = parse_head(&head)? {
            return Ok((request, head.split_off(size)));
        }
        if head.len() >= LONGEST_HEAD {
            return Err(Refused::LongHead);
        }
        let read = stream.read_buf(&mut head).await;
        match read {
            Ok(0) => {
                // A bare command may end without an empty line.
                head.extend_from_slice(b"\r\n\r\n");
                return match parse_head(&head)? {
                    Some((request, size)) => Ok((request, head.split_off(size.min(head.len())))),
                    None => Err(Refused::Short),
                };
            }
            Ok(_) => {}
            Err(_) => return Err(Refused::Short),
        }
    }
}

async fn read_body(
    app: &App,
    stream: &mut (impl AsyncRead + Unpin),
    body: &mut Body,
    share: &mut Share,
    start: Vec<u8>,
) -> Result<(), Refused> {
    body.bytes = start;
    if body.expected.is_some_and(|expected| expected > app.budget.largest()) {
        return Err(Refused::TooLarge);
    }
    loop {
        let size = body.bytes.len();
        if body.expected.is_some_and(|expected| size >= expected) {
            break;
        }
        if body.bytes.capacity() == size {
            // As much as was sent, and not as much as was announced.
            let room = (2 * size).max(16 << 10).min(body.expected.unwrap_or(usize::MAX));
            let room = room.min(app.budget.largest() + 1).max(size + 1);
            app.budget.grow(share, room.min(app.budget.largest())).await.map_err(no_room)?;
            if size >= app.budget.largest() {
                return Err(Refused::TooLarge);
            }
            body.bytes.reserve_exact(room - size);
        }
        match stream.read_buf(&mut body.bytes).await {
            Ok(0) => break,
            Ok(_) => {}
            Err(_) => return Err(Refused::Short),
        }
    }
    Ok(())
}
