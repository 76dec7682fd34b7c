//! The digest: what was quarantined, tagged or rejected, for a person to look through.
//!
//! Senders, subjects and reasons are foreign text. [`plain`] takes from them what steers a terminal or the direction
//! of text, HTML escapes the rest and isolates it by `bdi`.

use super::{Action, Entry, Page, Wanted, plain};
use crate::explain::date;
use crate::store::random_seed;
use crate::{Error, Result};
use mail_parser::DateTime;
use serde::Deserialize;
use std::fmt::Write;
use std::str::FromStr;

/// Maximum number of messages of a group that are listed.
const LISTED: usize = 200;

/// How many entries are read at a time.
const PAGE: usize = 1000;

/// Actions that are reported, with the heading of their group and what a summary says.
const GROUPS: [(Action, &str, &str); 3] = [
    (Action::Quarantined, "Held by the mail server", "held"),
    (Action::Tagged, "Marked as spam and delivered", "marked as spam"),
    (Action::Rejected, "Refused", "refused"),
];

const ADVICE: &str = "A verdict is wrong? Move the message out of the junk folder, or correct it in the History of the page.";

/// The form of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Text.
    #[default]
    Text,
    /// A page of HTML.
    Html,
    /// A message with both, ready to be sent.
    Mail,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "html" => Ok(Self::Html),
            "mail" => Ok(Self::Mail),
            _ => Err(format!("{text:?} is not a format: write text, html or mail")),
        }
    }
}

/// What was quarantined, tagged or rejected in a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Daily {
    since: u64,
    until: u64,
    groups: [Group; 3],
}

#[derive(Debug, Clone, PartialEq)]
struct Group {
    heading: &'static str,
    summary: &'static str,
    count: usize,
    entries: Vec<Entry>,
}

impl Daily {
    /// Reads a time, of one user or of all, by `search`, which is called as [`search()`](super::search()) is.
    ///
    /// # Errors
    /// Those of `search`.
    pub fn read<E>(
        since: u64,
        until: u64,
        user: Option<&str>,
        mut search: impl FnMut(&Wanted, Option<u64>, usize) -> Result<Page, E>,
    ) -> Result<Self, E> {
        let filter = Wanted {
            since: Some(since),
            until: Some(until),
            user: user.map(str::to_owned),
            ..Wanted::default()
        };
        let mut daily = Self::empty(since, until);
        let mut before = None;
        loop {
            let page = search(&filter, before, PAGE)?;
            page.entries.into_iter().for_each(|entry| daily.take(entry));
            before = page.next;
            if before.is_none() {
                return Ok(daily);
            }
        }
    }

    /// Of these entries, the newest first.
    #[must_use]
    pub fn of(since: u64, until: u64, entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut daily = Self::empty(since, until);
        entries.into_iter().for_each(|entry| daily.take(entry));
        daily
    }

    fn empty(since: u64, until: u64) -> Self {
        let groups = GROUPS.map(|(_, heading, summary)| Group {
            heading,
            summary,
            count: 0,
            entries: Vec::new(),
        });
        Self { since, until, groups }
    }

    fn take(&mut self, entry: Entry) {
        let Some(at) = GROUPS.iter().position(|(action, ..)| *action == entry.action) else {
            return;
        };
        let group = &mut self.groups[at];
        group.count += 1;
        if group.entries.len() < LISTED {
            group.entries.push(entry);
        }
    }

    /// In one line: how many of each.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts = self.groups.iter().map(|group| format!("{} {}", group.count, group.summary));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn period(&self) -> String {
        format!("{} to {} UTC", minute(self.since), minute(self.until))
    }

    /// As text; lines end with a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("Tamis: {}\n{}\n", self.summary(), self.period());
        for group in self.groups.iter().filter(|group| group.count > 0) {
            writeln!(text, "\n{} ({})", group.heading, group.count).unwrap_or_default();
            for entry in &group.entries {
                let Shown { time, user, from, subject, why } = Shown::of(entry);
                let user = user.map(|user| format!("  for {user}")).unwrap_or_default();
                write!(text, "\n  {time}  {from}{user}\n    {subject}\n    {why}\n")
                    .unwrap_or_default();
            }
            if let Some(more) = group.more() {
                write!(text, "\n  {more}\n").unwrap_or_default();
            }
        }
        write!(text, "\n{ADVICE}\n").unwrap_or_default();
        text
    }

    /// As a page of HTML, without scripts, styles or anything that is loaded from elsewhere.
    #[must_use]
    pub fn html(&self) -> String {
        let (summary, period) = (escaped(&self.summary()), escaped(&self.period()));
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Tamis: {summary}</title>\n</head>\n<body>\n<main>\n<h1>{summary}</h1>\n<p>{period}</p>\n"
        );
        for group in self.groups.iter().filter(|group| group.count > 0) {
            let (heading, count) = (group.heading, group.count);
            write!(
                html,
                "<h2>{heading} ({count})</h2>\n<table border=\"1\" cellpadding=\"6\" cellspacing=\"0\">\n<thead><tr>\
                 <th scope=\"col\">Time</th><th scope=\"col\">From</th><th scope=\"col\">Subject</th>\
                 <th scope=\"col\">Why</th></tr></thead>\n<tbody>\n"
            )
            .unwrap_or_default();
            for entry in &group.entries {
                let Shown { time, user, from, subject, why } = Shown::of(entry);
                let cell = |text: &str| format!("<td><bdi>{}</bdi></td>", escaped(text));
                let user = user.map(|user| format!(" for <bdi>{}</bdi>", escaped(&user)));
                writeln!(
                    html,
                    "<tr><td>{time}</td><td><bdi>{}</bdi>{}</td>{}{}</tr>",
                    escaped(&from),
                    user.unwrap_or_default(),
                    cell(&subject),
                    cell(&why)
                )
                .unwrap_or_default();
            }
            html.push_str("</tbody>\n</table>\n");
            if let Some(more) = group.more() {
                writeln!(html, "<p>{more}</p>").unwrap_or_default();
            }
        }
        write!(html, "<p>{}</p>\n</main>\n</body>\n</html>\n", escaped(ADVICE)).unwrap_or_default();
        html
    }

    /// As a message with text and HTML, for `sendmail -t`; lines end with a line feed.
    ///
    /// # Errors
    /// [`Error::Address`] for an address that cannot stand in a header.
    pub fn mail(&self, from: &str, to: &str, now: u64) -> Result<String> {
        for address in [from, to] {
            let is_sound = !address.is_empty()
                && address.len() <= 254
                && address.bytes().all(|b| b.is_ascii_graphic() && !b"<>,;:\"()".contains(&b));
            if !is_sound {
                return Err(Error::Address { got: address.to_owned() });
            }
        }
        let host = from.rsplit_once('@').map_or("localhost", |(_, host)| host);
        let sent = DateTime::from_timestamp(i64::try_from(now).unwrap_or(0)).to_rfc822();
        let unique = format!("{now:x}.{:016x}", random_seed());
        let mut mail = format!(
            "From: Tamis <{from}>\nTo: {to}\nSubject: Tamis: {}\nDate: {sent}\n\
             Message-ID: <tamis.digest.{unique}@{host}>\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n\
             Content-Type: multipart/alternative; boundary=\"tamis-{unique}\"\n",
            self.summary()
        );
        for (kind, content) in [("plain", self.text()), ("html", self.html())] {
            write!(
                mail,
                "\n--tamis-{unique}\nContent-Type: text/{kind}; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
            )
            .unwrap_or_default();
            base64(content.as_bytes(), &mut mail);
        }
        write!(mail, "\n--tamis-{unique}--\n").unwrap_or_default();
        Ok(mail)
    }
}

impl Group {
    fn more(&self) -> Option<String> {
        let more = self.count - self.entries.len();
        (more > 0).then(|| format!("and {more} more: see tamis mail history"))
    }
}

/// An entry in words.
struct Shown {
    time: String,
    user: Option<String>,
    from: String,
    subject: String,
    why: String,
}

impl Shown {
    fn of(entry: &Entry) -> Self {
        let subject = match &entry.subject {
            None => "(the subject is not kept)".to_owned(),
            Some(subject) if subject.trim().is_empty() => "(no subject)".to_owned(),
            Some(subject) => plain(subject),
        };
        let from = match entry.from.trim() {
            "" => "(no sender)".to_owned(),
            from => plain(from),
        };
        // Rounded down, for nothing is quite certain.
        let percent = (entry.probability * 1000.0).floor() / 10.0;
        let taught =
            entry.taught.as_deref().map(|label| format!("; corrected to {}", plain(label)));
        let why = format!(
            "{percent:.1} % probably spam; {}{}",
            plain(entry.reason()),
            taught.unwrap_or_default()
        );
        Self {
            time: minute(entry.time),
            user: entry.user.as_deref().map(plain),
            from,
            subject,
            why,
        }
    }
}

/// A time to the minute.
fn minute(seconds: u64) -> String {
    format!("{} {:02}:{:02}", date(seconds), seconds / 3600 % 24, seconds / 60 % 60)
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// RFC 2045: base64 in lines of 76 characters.
fn base64(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for line in bytes.chunks(57) {
        for three in line.chunks(3) {
            let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            for digit in 0..4 {
                let is_there = digit <= three.len();
                let value = bits >> (18 - 6 * digit) & 63;
                out.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Action;
    use mail_parser::MessageParser;

    const NASTY: &str =
        "<img src=x onerror=alert(1)> \u{202E}fdp.exe\u{1b}[2J\r\nBcc: eve@evil.example & \"'";

    fn entry(action: Action) -> Entry {
        Entry {
            id: 1,
            time: 1_795_000_000,
            source: "milter".into(),
            user: None,
            message: "00".into(),
            from: NASTY.into(),
            subject: Some(NASTY.into()),
            subject_hash: None,
            verdict: "spam".into(),
            probability: 0.999_99,
            score: 9.0,
            reasons: vec![NASTY.into()],
            action,
            taught: None,
        }
    }

    fn daily(actions: &[Action]) -> Daily {
        Daily::of(1_794_960_000, 1_795_046_400, actions.iter().map(|action| entry(*action)))
    }

    #[test]
    fn only_what_the_owner_may_have_missed_is_listed() {
        let daily = daily(&[Action::Tagged, Action::Delivered, Action::None, Action::Quarantined]);
        assert_eq!(daily.summary(), "1 held, 1 marked as spam, 0 refused");
        let text = daily.text();
        assert!(!text.contains("Refused"), "{text}");
        assert!(text.contains("99.9 % probably spam"), "{text}");
    }

    #[test]
    fn foreign_text_steers_neither_terminal_nor_page() {
        let daily = daily(&[Action::Tagged]);
        for shown in [daily.text(), daily.html()] {
            assert!(!shown.contains(['\u{1b}', '\u{202E}', '\r']), "{shown}");
            assert!(!shown.contains("\nBcc"), "{shown}");
        }
        let html = daily.html();
        assert!(!html.contains("<img") && html.contains("&lt;img src=x onerror=alert(1)&gt;"));
        assert!(html.contains("&amp; &quot;&#39;"), "{html}");
    }

    #[test]
    fn a_mail_has_text_and_html_and_no_header_of_others() {
        let daily = daily(&[Action::Tagged, Action::Rejected]);
        let mail =
            daily.mail("tamis@example.org", "anne@example.org", 1_795_046_400).expect("sound");
        let parsed = MessageParser::default().parse(&mail).expect("a message");
        assert_eq!(parsed.body_text(0).as_deref(), Some(daily.text().as_str()));
        assert_eq!(parsed.body_html(0).as_deref(), Some(daily.html().as_str()));
        assert_eq!(parsed.subject(), Some("Tamis: 0 held, 1 marked as spam, 1 refused"));
        assert!(parsed.bcc().is_none() && mail.lines().all(|line| line.len() <= 998));
        assert!(mail.is_ascii());
        for wrong in ["", "a b@example.org", "a@b\nBcc: c@d", "<a@b>", "é@example.org"] {
            assert!(daily.mail("tamis@example.org", wrong, 0).is_err(), "{wrong:?}");
            assert!(daily.mail(wrong, "anne@example.org", 0).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let text = daily(&vec![Action::Tagged; LISTED + 3]).text();
        assert!(text.contains("Marked as spam and delivered (203)"), "{text}");
        assert!(text.contains("and 3 more"), "{text}");
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, expected) in [
            ("", ""),
            ("f", "Zg==\n"),
            ("fo", "Zm8=\n"),
            ("foo", "Zm9v\n"),
            ("foobar", "Zm9vYmFy\n"),
        ] {
            let mut got = String::new();
            base64(plain.as_bytes(), &mut got);
            assert_eq!(got, expected);
        }
    }
}
