//! The milter protocol of Postfix and sendmail: a message is judged while it is being received.
//!
//! A verdict becomes three headers on the message; whatever came in under their names is removed. Spam can be put into
//! quarantine or refused from a probability on. What goes wrong here does not stop mail, unless that was asked for.

mod packet;

use crate::app::App;
use crate::config::OnFailure;
use crate::desk::Judged;
use crate::limits::Share;
use crate::listen::{Listener, Stop, Stream};
use crate::log;
use crate::metrics::Source;
use packet::{NoPacket, Packet, joined, texts};
use serde_json::json;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tamis_mail::headers::is_ours;
use tamis_mail::history::Action;

/// How long a mail server may say nothing. Postfix keeps a connection for as long as its client stays.
const SILENCE: Duration = Duration::from_secs(600);

/// The version of the protocol.
const VERSION: u32 = 6;

/// What we may do: add and change headers, put into quarantine.
const ADD_HEADERS: u32 = 0x01;
const CHANGE_HEADERS: u32 = 0x10;
const QUARANTINE: u32 = 0x20;

/// What we need not hear of: the connection, HELO, recipients, DATA, unknown commands.
const NO_CONNECT: u32 = 0x01;
const NO_HELO: u32 = 0x02;
const NO_DATA: u32 = 0x200;
const NO_UNKNOWN: u32 = 0x100;

/// Serves a port or a socket until it is time to stop.
pub(crate) async fn serve(app: Arc<App>, listener: Listener, stop: Stop) {
    let most = app.config.limits.connections;
    let stopping = stop.clone();
    listener
        .run(most, stop, move |stream, _| {
            let (app, stop) = (Arc::clone(&app), stopping.clone());
            async move {
                let _connected = app.metrics.connected(Source::Milter);
                let mut session = Session::new(&app, stop);
                if let Err(error) = session.run(stream).await {
                    log::line("milter", json!({ "error": error.to_string() }));
                }
            }
        })
        .await;
}

/// One connection of a mail server, on which any number of messages come.
struct Session<'a> {
    app: &'a Arc<App>,
    stop: Stop,
    message: Vec<u8>,
    share: Share,
    /// For each header of ours that came in, which of that name it is.
    forged: Vec<(Vec<u8>, u32)>,
    recipient: Option<String>,
    in_body: bool,
}

impl<'a> Session<'a> {
    fn new(app: &'a Arc<App>, stop: Stop) -> Self {
        Self {
            app,
            stop,
            message: Vec::new(),
            share: Share::default(),
            forged: Vec::new(),
            recipient: None,
            in_body: false,
        }
    }

    fn reset(&mut self) {
        self.message = Vec::new();
        self.share = Share::default();
        self.forged.clear();
        self.recipient = None;
        self.in_body = false;
    }

    async fn run(&mut self, mut stream: Stream) -> io::Result<()> {
        let mut is_first = true;
        loop {
            let idle = self.message.is_empty();
            let packet = tokio::select! {
                // Between messages nothing is lost.
                () = self.stop.wait(), if idle => return Ok(()),
                packet = tokio::time::timeout(SILENCE, packet::read(&mut stream)) => packet,
            };
            let packet = match packet {
                Ok(Ok(packet)) => packet,
                Ok(Err(NoPacket::End)) | Err(_) => return Ok(()),
                Ok(Err(NoPacket::Length)) => {
                    self.app.metrics.rejected();
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "no packet is that long",
                    ));
                }
            };
            // A mail server begins by saying what it can do.
            if is_first && packet.command != b'O' {
                self.app.metrics.rejected();
                return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no mail server"));
            }
            is_first = false;
            if !self.handle(&mut stream, packet).await? {
                return Ok(());
            }
        }
    }

    /// Whether to go on.
    async fn handle(&mut self, stream: &mut Stream, packet: Packet) -> io::Result<bool> {
        let Packet { command, data } = packet;
        match command {
            b'O' => {
                let reply = negotiated(&data).ok_or_else(|| {
                    io::Error::new(io::ErrorKind::InvalidData, "the versions do not match")
                })?;
                packet::write(stream, b'O', &reply).await?;
            }
            // Macros come unasked, and are not answered.
            b'D' => {}
            b'M' => {
                self.reset();
                packet::write(stream, b'c', &[]).await?;
            }
            b'R' => {
                self.recipient = self.recipient.take().or_else(|| user_of(&data));
                packet::write(stream, b'c', &[]).await?;
            }
            b'L' => {
                self.header(&data).await;
                packet::write(stream, b'c', &[]).await?;
            }
            b'N' => {
                self.take(b"\r\n").await;
                self.in_body = true;
                packet::write(stream, b'c', &[]).await?;
            }
            b'B' => {
                self.body(&data).await;
                packet::write(stream, b'c', &[]).await?;
            }
            b'E' => {
                self.body(&data).await;
                self.judge(stream).await?;
                self.reset();
            }
            b'A' => self.reset(),
            b'Q' => return Ok(false),
            b'K' => self.reset(),
            // What we have not asked for, and what later versions may say.
            _ => packet::write(stream, b'c', &[]).await?,
        }
        Ok(true)
    }

    async fn take(&mut self, bytes: &[u8]) {
        let size = self.message.len() + bytes.len();
        if size > self.message.capacity() {
            let room = (2 * size).min(self.app.budget.largest());
            if size > room || self.app.budget.grow(&mut self.share, room).await.is_err() {
                // What is beyond the limit is not looked at.
                return;
            }
            self.message.reserve_exact(room - self.message.len());
        }
        self.message.extend_from_slice(bytes);
    }

    async fn header(&mut self, data: &[u8]) {
        let mut parts = texts(data);
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if is_ours(name) {
            let same = |(other, _): &&(Vec<u8>, u32)| other.eq_ignore_ascii_case(name);
            let index = self.forged.iter().filter(same).count() as u32 + 1;
            // A client that sends more of them than this gets them all the same; nobody reads so many.
            if self.forged.len() < 1000 {
                self.forged.push((name.to_vec(), index));
            }
            return;
        }
        self.take(name).await;
        self.take(b":").await;
        if !value.starts_with(b" ") && !value.starts_with(b"\t") {
            self.take(b" ").await;
        }
        self.take(value).await;
        self.take(b"\r\n").await;
    }

    async fn body(&mut self, data: &[u8]) {
        if !data.is_empty() {
            if !self.in_body {
                self.take(b"\r\n").await;
                self.in_body = true;
            }
            self.take(data).await;
        }
    }

    /// Says what becomes of the message.
    async fn judge(&mut self, stream: &mut Stream) -> io::Result<()> {
        let app = self.app;
        let config = &app.config.milter;
        // The last of a name first: the others keep their numbers.
        for (name, index) in self.forged.iter().rev() {
            let mut data = index.to_be_bytes().to_vec();
            data.extend(joined(&[name, b""]));
            packet::write(stream, b'm', &data).await?;
        }
        let limit = Duration::from_secs(app.config.limits.seconds);
        let user = self.recipient.as_deref();
        let judged = tokio::time::timeout(limit, app.judge(Source::Milter, user, &self.message));
        let judged: Judged = match judged.await {
            Ok(Ok(judged)) => judged,
            other => {
                app.metrics.failed();
                let why = match other {
                    Ok(Err(error)) => error.sentence(),
                    _ => "it took too long".to_owned(),
                };
                log::line("milter", json!({ "error": why }));
                let answer = match config.on_failure {
                    OnFailure::Accept => b'a',
                    OnFailure::Tempfail => b't',
                };
                return packet::write(stream, answer, &[]).await;
            }
        };
        let is_from = |from: Option<f64>| {
            judged.is_spam && from.is_some_and(|from| judged.probability >= from)
        };
        let action = match judged.is_spam {
            _ if is_from(config.reject_from) => Action::Rejected,
            _ if is_from(config.quarantine_from) => Action::Quarantined,
            true => Action::Tagged,
            false => Action::Delivered,
        };
        app.record(Source::Milter, user, &self.message, &judged, action);
        if action == Action::Rejected {
            let text = joined(&[b"550 5.7.1 This message was taken for spam"]);
            return packet::write(stream, b'y', &text).await;
        }
        for (name, value) in judged.remarks().headers() {
            let value = match &config.host {
                Some(host) => format!("{host}; {value}"),
                None => value,
            };
            packet::write(stream, b'h', &joined(&[name.as_bytes(), value.as_bytes()])).await?;
        }
        if action == Action::Quarantined {
            packet::write(stream, b'q', &joined(&[b"taken for spam by Tamis"])).await?;
        }
        packet::write(stream, b'c', &[]).await
    }
}

/// The answer to what a mail server can do; none if it cannot do what is needed.
fn negotiated(data: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| {
        let bytes = data.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let (version, actions, steps) = (number(0)?, number(4)?, number(8)?);
    if version < 2 {
        return None;
    }
    let wanted = (ADD_HEADERS | CHANGE_HEADERS | QUARANTINE) & actions;
    let skipped = (NO_CONNECT | NO_HELO | NO_DATA | NO_UNKNOWN) & steps;
    let mut reply = Vec::new();
    for number in [version.min(VERSION), wanted, skipped] {
        reply.extend_from_slice(&number.to_be_bytes());
    }
    Some(reply)
}

/// The user of a recipient `<anne+list@example.org>`: what stands before the `@`, without a note.
fn user_of(data: &[u8]) -> Option<String> {
    let address = texts(data).next()?;
    let address = std::str::from_utf8(address).ok()?.trim_matches(['<', '>']);
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    let user = local.split('+').next().unwrap_or(local).to_lowercase();
    (!user.is_empty()).then_some(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipient_has_a_user() {
        let user = |text: &str| user_of(text.as_bytes());
        assert_eq!(user("<Anne@example.org>\0SIZE=3\0").as_deref(), Some("anne"));
        assert_eq!(user("<anne+shop@example.org>\0").as_deref(), Some("anne"));
        assert_eq!(user("<>\0"), None);
    }

    #[test]
    fn only_what_both_know_is_agreed_on() {
        let offer = |version: u32, actions: u32, steps: u32| {
            let numbers = [version, actions, steps].map(u32::to_be_bytes).concat();
            negotiated(&numbers).map(|reply| {
                let number = |at: usize| u32::from_be_bytes(reply[at..at + 4].try_into().unwrap());
                (number(0), number(4), number(8))
            })
        };
        assert_eq!(offer(6, 0x1ff, 0x1f_ffff), Some((6, 0x31, 0x303)));
        assert_eq!(offer(2, 0x3f, 0x7f), Some((2, 0x31, 0x03)));
        assert_eq!(offer(1, 0, 0), None);
        assert_eq!(negotiated(b"short"), None);
    }
}
