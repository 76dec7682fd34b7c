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
//! Points are the score for spam, moved so that spam begins at 5.0. One request is answered on each connection. A client
//! that closes its sending side may still read the answer, so only the time limit tells that it is gone.

mod reply;
mod request;

pub use request::{Body, Command, Refused, Request, parse_head};

use crate::app::{App, aside};
use crate::desk::Mail;
use crate::limits::{Hold, NoRoom, SMALL};
use crate::listen::{Bounds, Listener, Stop, Stream};
use crate::metrics::Source;
use reply::Reply;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// The longest head of a request, in bytes.
pub const LONGEST_HEAD: usize = 16 << 10;

/// How long a client must have been silent before another one gets its place.
const SILENCE: Duration = Duration::from_millis(500);

/// Serves a port or a socket until it is time to stop.
pub(crate) async fn serve(app: Arc<App>, listener: Listener, stop: Stop) {
    let bounds = Bounds::of(&app.live().limits, SILENCE);
    listener
        .run(bounds, stop, move |stream, peer| {
            let app = Arc::clone(&app);
            async move {
                let _connected = app.metrics.connected(Source::Spamd);
                answer(&app, stream, peer).await;
            }
        })
        .await;
}

async fn answer(app: &Arc<App>, mut stream: Stream, peer: Option<IpAddr>) {
    let limits = app.live().limits.clone();
    let limit = Duration::from_secs(limits.seconds);
    let hold = Hold::new(&app.budget, Some(stream.activity()));
    let answered = tokio::time::timeout(
        limit,
        hold.scope(async {
            match app.rates.allow(limits.requests_per_second, peer, Instant::now()) {
                true => handle(app, &mut stream, &hold).await,
                false => Err(Refused::Busy),
            }
        }),
    );
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
    if !reply.has_message() {
        hold.release();
    }
    let written = async {
        let (head, [body, rest]) = reply.parts();
        // One packet for what is small.
        stream.write_all(&[head.as_bytes(), body].concat()).await?;
        stream.write_all(rest).await?;
        stream.shutdown().await?;
        drain(&mut stream).await
    };
    // A client that has gone needs no answer.
    tokio::time::timeout(limit, written).await.ok();
}

/// Reads what a refused client still sends, within bounds: closing at once would take the answer away from it.
async fn drain(stream: &mut Stream) -> std::io::Result<()> {
    let mut buffer = vec![0; 8 << 10];
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

async fn handle(app: &Arc<App>, stream: &mut Stream, hold: &Hold) -> Result<Reply, Refused> {
    let (request, start) = read_head(stream).await?;
    if request.command == Command::Ping {
        return Ok(Reply::pong());
    }
    let mut body = Body::new(&request);
    read_body(app, stream, &mut body, hold, start).await?;
    let message = Arc::new(unpacked(app, body, hold).await?);
    let user = request.user.as_deref();
    if let Command::Tell(tell) = &request.command {
        let mut reply = Reply::told();
        if let Some(class) = tell.set {
            app.learn(user, message, class).await?;
            reply.did_set();
        } else if tell.remove && app.forget(user, message).await? {
            reply.did_remove();
        }
        return Ok(reply);
    }
    let is_marked = matches!(request.command, Command::Process | Command::Headers);
    let (_, judged) = app.judge(Mail::of(Source::Spamd, user), &message).await?;
    if is_marked {
        // The headers are copied, the body is not.
        hold.grow(message.len() + head_of(&message)).await.map_err(no_room)?;
    }
    Ok(Reply::verdict(&request.command, &judged, app.live().marks(), message))
}

/// The size of the headers of a message.
fn head_of(message: &[u8]) -> usize {
    let ends = message.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mut lines = ends.map(|(at, _)| at + 1);
    let is_last = |at: &usize| matches!(message.get(*at..), Some([b'\n', ..] | [b'\r', b'\n', ..]));
    lines.find(is_last).unwrap_or(message.len())
}

/// The message of a request. The size of a packed one is found first, so that it takes memory only once it is there.
async fn unpacked(app: &Arc<App>, body: Body, hold: &Hold) -> Result<Vec<u8>, Refused> {
    let most = app.budget.largest();
    if !body.is_compressed() {
        return body.message(most);
    }
    let packed = body.bytes.len();
    let turn = app.budget.turn_for(SMALL).await.map_err(no_room)?;
    let measured = aside(move || {
        let _turn = turn;
        Hold::check()?;
        let size = body.unpacked_size(most);
        Ok((body, size))
    });
    let (body, size) = measured.await?;
    let size = size?;
    hold.grow(packed + size).await.map_err(no_room)?;
    let turn = app.budget.turn_for(SMALL).await.map_err(no_room)?;
    let message = aside(move || {
        let _turn = turn;
        Ok(body.unpack(size))
    });
    message.await?
}

impl From<crate::Error> for Refused {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Busy => Self::Busy,
            crate::Error::TooLarge => Self::TooLarge,
            crate::Error::Gone => Self::TooSlow,
            error => Self::Failed(error.sentence()),
        }
    }
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
    hold: &Hold,
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
            hold.grow(room.min(app.budget.largest())).await.map_err(no_room)?;
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
