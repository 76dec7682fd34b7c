//! What `spamc` is answered.

use super::request::{Command, Refused};
use crate::desk::{Judged, POINTS_OF_SPAM};
use std::fmt::Write;
use std::sync::Arc;
use tamis_mail::headers::{Marked, Marks};

/// An answer: status, headers, body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    code: u8,
    status: String,
    headers: Vec<String>,
    body: Option<Vec<u8>>,
    /// What follows the body: a message from here on, which is not copied.
    rest: Option<(Arc<Vec<u8>>, usize)>,
}

impl Reply {
    fn ok() -> Self {
        Self { code: 0, status: "EX_OK".to_owned(), headers: Vec::new(), body: None, rest: None }
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
    pub fn verdict(
        command: &Command,
        judged: &Judged,
        marks: &Marks,
        message: Arc<Vec<u8>>,
    ) -> Self {
        let truth = if judged.is_spam { "True" } else { "False" };
        let remarks = judged.remarks();
        let points = remarks.shown_points();
        let mut reply = Self::ok();
        reply.headers.push(format!("Spam: {truth} ; {points:.1} / {POINTS_OF_SPAM:.1}"));
        reply.body = Some(match command {
            Command::Symbols => (remarks.symbols().join(",") + "\r\n").into_bytes(),
            Command::Report => report(judged, points).into_bytes(),
            Command::ReportIfSpam if judged.is_spam => report(judged, points).into_bytes(),
            Command::Process | Command::Headers => {
                let Marked { head, body } = marks.mark(&message, &remarks);
                let start = message.len() - body.len();
                if *command == Command::Process {
                    reply.rest = Some((message, start));
                }
                head
            }
            _ => Vec::new(),
        });
        reply
    }

    /// Whether the message is a part of it.
    pub const fn has_message(&self) -> bool {
        self.rest.is_some()
    }

    /// What goes over the wire: the head, the body, and the rest of the message.
    pub fn parts(&self) -> (String, [&[u8]; 2]) {
        let rest = self.rest.as_ref().map_or(&[][..], |(message, start)| &message[*start..]);
        let mut head = String::new();
        writeln!(head, "SPAMD/1.5 {} {}\r", self.code, self.status).unwrap_or_default();
        if let Some(body) = &self.body {
            writeln!(head, "Content-length: {}\r", body.len() + rest.len()).unwrap_or_default();
        }
        for header in &self.headers {
            writeln!(head, "{header}\r").unwrap_or_default();
        }
        // PONG and errors are one line.
        if self.body.is_some() || !self.headers.is_empty() {
            head.push_str("\r\n");
        }
        (head, [self.body.as_deref().unwrap_or_default(), rest])
    }
}

fn report(judged: &Judged, points: f64) -> String {
    let mut text = format!(
        "Tamis says: {} (probability of spam {:.4}, {points:.1} points of {POINTS_OF_SPAM:.1})\r\n\r\n",
        judged.verdict, judged.probability,
    );
    for reason in &judged.reasons {
        let reason: String =
            reason.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(text, "  {reason}\r").unwrap_or_default();
    }
    text
}
