//! What `spamc` is answered.

use super::request::{Command, Refused};
use crate::desk::{Judged, POINTS_OF_SPAM};
use std::fmt::Write;
use tamis_mail::headers;

/// An answer: status, headers, body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    code: u8,
    status: String,
    headers: Vec<String>,
    body: Option<Vec<u8>>,
}

impl Reply {
    fn ok() -> Self {
        Self { code: 0, status: "EX_OK".to_owned(), headers: Vec::new(), body: None }
    }

    /// Somebody is there.
    pub fn pong() -> Self {
        Self { status: "PONG".to_owned(), ..Self::ok() }
    }

    /// Something was taught, or nothing had to be.
    pub fn told() -> Self {
        Self { body: Some(Vec::new()), ..Self::ok() }
    }

    /// It was learned.
    pub fn did_set(&mut self) {
        self.headers.push("DidSet: local".to_owned());
    }

    /// It was forgotten.
    pub fn did_remove(&mut self) {
        self.headers.push("DidRemove: local".to_owned());
    }

    /// An error, by the numbers of `sysexits.h`.
    pub fn refused(refused: &Refused) -> Self {
        let (code, name, sentence) = match refused {
            Refused::NotSpamc => (76, "EX_PROTOCOL", "this is no request of spamc"),
            Refused::Command(name) => {
                return Self::error(76, "EX_PROTOCOL", &format!("there is no command {name}"));
            }
            Refused::Header(sentence) => (76, "EX_PROTOCOL", *sentence),
            Refused::LongHead => (76, "EX_PROTOCOL", "the head of the request is too long"),
            Refused::Short => (76, "EX_PROTOCOL", "the message is shorter than Content-length"),
            Refused::Long => (76, "EX_PROTOCOL", "the message is longer than Content-length"),
            Refused::TooLarge => (98, "EX_TOOBIG", "the message is too large"),
            Refused::Packed => (65, "EX_DATAERR", "the message cannot be unpacked"),
            Refused::TooSlow => (79, "EX_TIMEOUT", "it took too long"),
            Refused::Busy => (75, "EX_TEMPFAIL", "there is too much to do; try again later"),
            Refused::Failed(sentence) => return Self::error(70, "EX_SOFTWARE", sentence),
        };
        Self::error(code, name, sentence)
    }

    fn error(code: u8, name: &str, sentence: &str) -> Self {
        let sentence: String =
            sentence.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { code, status: format!("{name} {sentence}"), ..Self::ok() }
    }

    /// A verdict, with as much as the command asks for.
    pub fn verdict(command: &Command, judged: &Judged, message: &[u8]) -> Self {
        let truth = if judged.is_spam { "True" } else { "False" };
        let points = shown(judged);
        let mut reply = Self::ok();
        reply.headers.push(format!("Spam: {truth} ; {points:.1} / {POINTS_OF_SPAM:.1}"));
        reply.body = Some(match command {
            Command::Symbols => symbols(judged).into_bytes(),
            Command::Report => report(judged).into_bytes(),
            Command::ReportIfSpam if judged.is_spam => report(judged).into_bytes(),
            Command::Process => headers::marked(message, &judged.remarks().headers()),
            Command::Headers => {
                let marked = headers::marked(message, &judged.remarks().headers());
                marked[..head_of(&marked)].to_vec()
            }
            _ => Vec::new(),
        });
        reply
    }

    /// What goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = String::new();
        writeln!(head, "SPAMD/1.5 {} {}\r", self.code, self.status).unwrap_or_default();
        if let Some(body) = &self.body {
            writeln!(head, "Content-length: {}\r", body.len()).unwrap_or_default();
        }
        for header in &self.headers {
            writeln!(head, "{header}\r").unwrap_or_default();
        }
        // PONG and errors are one line.
        if self.body.is_some() || !self.headers.is_empty() {
            head.push_str("\r\n");
        }
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }
}

/// Points as they are printed: on the same side of 5.0 as the verdict.
fn shown(judged: &Judged) -> f64 {
    let points = (judged.points.clamp(-99.9, 999.9) * 10.0).round() / 10.0;
    if judged.is_spam { points.max(POINTS_OF_SPAM) } else { points.min(POINTS_OF_SPAM - 0.1) }
}

/// One name for each thing that was found.
fn symbols(judged: &Judged) -> String {
    let mut symbols = vec![format!("TAMIS_{}", judged.verdict.to_uppercase().replace('-', "_"))];
    for reason in &judged.reasons {
        if reason.stage != "verdict" {
            symbols.push(format!("TAMIS_BY_{}", reason.stage.to_uppercase()));
        }
    }
    symbols.join(",") + "\r\n"
}

fn report(judged: &Judged) -> String {
    let mut text = format!(
        "Tamis says: {} (probability of spam {:.4}, {:.1} points of {POINTS_OF_SPAM:.1})\r\n\r\n",
        judged.verdict,
        judged.probability,
        shown(judged),
    );
    for reason in &judged.reasons {
        let reason: String =
            reason.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(text, "  {reason}\r").unwrap_or_default();
    }
    text
}

/// Where the headers end, with the empty line behind them.
fn head_of(message: &[u8]) -> usize {
    let mut at = 0;
    while at < message.len() {
        let line = &message[at..];
        let end = line.iter().position(|byte| *byte == b'\n').map_or(line.len(), |end| end + 1);
        at += end;
        if matches!(&line[..end], b"\n" | b"\r\n") {
            break;
        }
    }
    at
}
