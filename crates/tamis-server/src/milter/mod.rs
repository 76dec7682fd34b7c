//! The milter protocol of Postfix and sendmail: a message is judged while it is being received.
//!
//! A verdict becomes headers on the message; incoming headers of their names are removed, all of them, or the message is
//! deferred. Spam can be put into quarantine or refused from a probability on. Other failures do not stop mail, unless
//! the settings say so.

mod packet;

use crate::app::App;
use crate::config::OnFailure;
use crate::desk::{Judged, Mail, NOBODY};
use crate::limits::Hold;
use crate::listen::{Bounds, Listener, Stop, Stream};
use crate::log;
use crate::metrics::{Outcome, Source};
use packet::{NoPacket, Packet, joined, texts};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tamis_mail::headers::PREFIX;
use tamis_mail::history::Action;
use tamis_mail::store::user;

/// How long a mail server may say nothing. Postfix keeps a connection for as long as its client stays.
const SILENCE: Duration = Duration::from_secs(600);

/// How long a mail server must have been silent before another connection gets its place: Postfix keeps one for each
/// client.
const IDLE: Duration = Duration::from_secs(60);

/// Memory of the bookkeeping for each name of forged headers, and for each recipient.
const ENTRY: usize = 128;

/// Maximum number of recipients that are remembered.
const MAX_RECIPIENTS: usize = 1000;

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
    let bounds = Bounds::of(&app.live().limits, IDLE);
    let stopping = stop.clone();
    listener
        .run(bounds, stop, move |stream, _| {
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
    hold: Arc<Hold>,
    /// Bytes of names and addresses that are remembered beside the message.
    beside: usize,
    /// How many headers of each name of ours came in; names in lower case.
    forged: HashMap<Vec<u8>, u32>,
    /// There was no memory to remember one of them.
    has_lost_forged: bool,
    subject: Option<Vec<u8>>,
    recipients: Vec<String>,
    queue_id: Option<String>,
    /// Who has logged in to send the message.
    login: Option<String>,
    in_body: bool,
}

impl<'a> Session<'a> {
    fn new(app: &'a Arc<App>, stop: Stop) -> Self {
        Self {
            app,
            stop,
            message: Vec::new(),
            hold: Hold::new(&app.budget, None),
            beside: 0,
            forged: HashMap::new(),
            has_lost_forged: false,
            subject: None,
            recipients: Vec::new(),
            queue_id: None,
            login: None,
            in_body: false,
        }
    }

    fn reset(&mut self) {
        *self = Self::new(self.app, self.stop.clone());
    }

    async fn run(&mut self, mut stream: Stream) -> io::Result<()> {
        let mut is_first = true;
        let mut stop = self.stop.clone();
        loop {
            let idle = self.message.is_empty();
            let packet = tokio::select! {
                // Between messages nothing is lost.
                () = stop.wait(), if idle => return Ok(()),
                packet = tokio::time::timeout(SILENCE, self.packet(&mut stream)) => packet,
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

    /// The next packet. A long one takes memory of the message while it is read.
    async fn packet(&mut self, stream: &mut Stream) -> Result<Packet, NoPacket> {
        let (hold, used) = (Arc::clone(&self.hold), self.message.capacity() + self.beside);
        packet::read(stream, |length| async move { hold.grow(used + length).await.is_ok() }).await
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
            b'D' => self.macros(&data),
            b'M' => {
                let (queue_id, login) = (self.queue_id.take(), self.login.take());
                self.reset();
                (self.queue_id, self.login) = (queue_id, login);
                packet::write(stream, b'c', &[]).await?;
            }
            b'R' => {
                self.recipient(&data).await;
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

    /// Appends to the message. What is beyond the limit, or has no memory, is not judged.
    async fn take(&mut self, bytes: &[u8]) {
        let size = self.message.len() + bytes.len();
        if size > self.message.capacity() {
            let room = (2 * size).min(self.app.budget.largest());
            if size > room || self.hold.grow(room + self.beside).await.is_err() {
                return;
            }
            self.message.reserve_exact(room - self.message.len());
        }
        self.message.extend_from_slice(bytes);
    }

    /// Takes memory for something that is remembered beside the message.
    async fn remember(&mut self, bytes: usize) -> bool {
        let beside = self.beside + bytes + ENTRY;
        let grown = self.hold.grow(self.message.capacity() + beside).await.is_ok();
        if grown {
            self.beside = beside;
        }
        grown
    }

    /// The name of the message, as the mail server says it before each command.
    fn macros(&mut self, data: &[u8]) {
        if data.first() == Some(&b'M') {
            self.login = None;
        }
        let mut parts = texts(data.get(1..).unwrap_or_default());
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            if matches!(name, b"i" | b"{i}") {
                let value = &value[..value.len().min(64)];
                self.queue_id = Some(String::from_utf8_lossy(value).into_owned());
            }
            if name == b"{auth_authen}" && !value.is_empty() {
                let value = &value[..value.len().min(255)];
                self.login = Some(String::from_utf8_lossy(value).into_owned());
            }
        }
    }

    async fn recipient(&mut self, data: &[u8]) {
        let Some(address) = address_of(data) else { return };
        if self.recipients.len() < MAX_RECIPIENTS && self.remember(address.len()).await {
            self.recipients.push(address);
        }
    }

    async fn header(&mut self, data: &[u8]) {
        let mut parts = texts(data);
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if self.app.live().marks().replace(name) {
            let name = name.to_ascii_lowercase();
            if let Some(count) = self.forged.get_mut(&name) {
                *count += 1;
            } else if self.remember(name.len()).await {
                self.forged.insert(name, 1);
            } else {
                self.has_lost_forged = true;
            }
            return;
        }
        if self.subject.is_none()
            && name.eq_ignore_ascii_case(b"subject")
            && self.remember(value.len()).await
        {
            self.subject = Some(value.to_vec());
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

    /// The mildest verdict of the recipients' stores: a message that one of them wants comes through.
    async fn mildest(&self, raw: &Arc<Vec<u8>>) -> crate::Result<Judged> {
        let mail = Mail {
            source: Source::Milter,
            user: None,
            recipients: &self.recipients,
            queue_id: self.queue_id.as_deref(),
            login: self.login.as_deref(),
        };
        if !self.app.desk.per_user() {
            return Ok(self.app.judge(mail, raw).await?.1);
        }
        let mut users: Vec<String> = self.recipients.iter().map(|to| user_of(to)).collect();
        users.sort();
        users.dedup();
        let mut mildest = (None, NOBODY);
        if let [only] = &users[..] {
            mildest.1 = only;
        } else {
            for user in &users {
                let severity = severity(&self.app.verdict(Some(user), raw).await?);
                if mildest.0.is_none_or(|before| severity < before) {
                    mildest = (Some(severity), user);
                }
            }
        }
        let mail = Mail { user: Some(mildest.1), ..mail };
        Ok(self.app.judge(mail, raw).await?.1)
    }

    /// Says what becomes of the message.
    async fn judge(&mut self, stream: &mut Stream) -> io::Result<()> {
        let app = self.app;
        let live = app.live();
        if self.has_lost_forged {
            log::line(
                "milter",
                json!({ "error": "too many forged headers", "queue_id": self.queue_id }),
            );
            app.metrics.acted(Action::Deferred);
            return packet::write(stream, b't', &[]).await;
        }
        for (name, count) in &self.forged {
            // The last of a name first: the others keep their numbers.
            for index in (1..=*count).rev() {
                change(stream, index, name, b"").await?;
            }
        }
        let limit = Duration::from_secs(live.limits.seconds);
        let raw = Arc::new(std::mem::take(&mut self.message));
        let judged = tokio::time::timeout(limit, self.hold.scope(self.mildest(&raw)));
        let judged: Judged = match judged.await {
            Ok(Ok(judged)) => judged,
            other => {
                app.metrics.failed();
                let why = match other {
                    Ok(Err(error)) => error.sentence(),
                    _ => "it took too long".to_owned(),
                };
                let (action, answer) = match live.milter.on_failure {
                    OnFailure::Accept => (Action::Delivered, b'a'),
                    OnFailure::Tempfail => (Action::Deferred, b't'),
                };
                app.metrics.acted(action);
                let (queue_id, action) = (&self.queue_id, action.name());
                log::line(
                    "milter",
                    json!({ "error": why, "queue_id": queue_id, "action": action }),
                );
                return packet::write(stream, answer, &[]).await;
            }
        };
        if judged.action == Action::Rejected {
            let text = joined(&[b"550 5.7.1 This message was taken for spam"]);
            return packet::write(stream, b'y', &text).await;
        }
        let remarks = judged.remarks();
        for (name, value) in live.marks().headers(&remarks) {
            let value = match &live.milter.host {
                Some(host) if name.starts_with(PREFIX) => format!("{host}; {value}"),
                _ => value,
            };
            add(stream, name.as_bytes(), value.as_bytes()).await?;
        }
        match &self.subject {
            Some(subject) => {
                if let Some(tagged) = live.marks().subject(&remarks, subject) {
                    change(stream, 1, b"Subject", &tagged).await?;
                }
            }
            None => {
                if let Some(tag) = live.marks().tag(&remarks) {
                    add(stream, b"Subject", tag.as_bytes()).await?;
                }
            }
        }
        if judged.action == Action::Quarantined {
            packet::write(stream, b'q', &joined(&[b"taken for spam by Tamis"])).await?;
        }
        packet::write(stream, b'c', &[]).await
    }
}

/// Changes the header of this name and number, or removes it by an empty value.
async fn change(stream: &mut Stream, index: u32, name: &[u8], value: &[u8]) -> io::Result<()> {
    let mut data = index.to_be_bytes().to_vec();
    data.extend(joined(&[name, value]));
    packet::write(stream, b'm', &data).await
}

async fn add(stream: &mut Stream, name: &[u8], value: &[u8]) -> io::Result<()> {
    packet::write(stream, b'h', &joined(&[name, value])).await
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
    // Without the permission to change headers, forged ones would stay.
    let needed = ADD_HEADERS | CHANGE_HEADERS;
    if actions & needed != needed {
        return None;
    }
    let wanted = needed | (QUARANTINE & actions);
    let skipped = (NO_CONNECT | NO_HELO | NO_DATA | NO_UNKNOWN) & steps;
    let mut reply = Vec::new();
    for number in [version.min(VERSION), wanted, skipped] {
        reply.extend_from_slice(&number.to_be_bytes());
    }
    Some(reply)
}

/// How bad a verdict is: ham, unsure, spam, and by the probability of spam within each.
fn severity(judged: &Judged) -> (u8, u64) {
    let verdict = match judged.outcome {
        Outcome::Ham => 0,
        Outcome::Unsure => 1,
        Outcome::Spam => 2,
    };
    // Probabilities are not negative: their bits have the same order.
    (verdict, judged.probability.to_bits())
}

/// The address of a recipient `<anne+list@example.org>`.
fn address_of(data: &[u8]) -> Option<String> {
    let address = std::str::from_utf8(texts(data).next()?).ok()?.trim_matches(['<', '>']);
    (!address.is_empty()).then(|| address.to_owned())
}

/// The user of an address: `anne@example.org` for `Anne+list@example.org`, and [`NOBODY`] for what is
/// no name of one.
fn user_of(address: &str) -> String {
    user(address).unwrap_or_else(|_| NOBODY.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipient_has_a_user() {
        let user = |text: &str| address_of(text.as_bytes()).map(|address| user_of(&address));
        assert_eq!(user("<Anne@Example.org>\0SIZE=3\0").as_deref(), Some("anne@example.org"));
        assert_eq!(user("<anne+shop@example.org>\0").as_deref(), Some("anne@example.org"));
        for nobody in ["<../x@example.org>\0", "<a/b@example.org>\0"] {
            assert_eq!(user(nobody).as_deref(), Some(NOBODY), "{nobody:?}");
        }
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
        assert_eq!(offer(1, 0x1ff, 0), None);
        assert_eq!(offer(6, 0x11, 0), Some((6, 0x11, 0)));
        assert_eq!(offer(6, 0x01, 0), None, "forged headers would stay");
        assert_eq!(negotiated(b"short"), None);
    }
}
