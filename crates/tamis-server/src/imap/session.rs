//! What an IMAP server is asked (RFC 9051, and RFC 3501 as far as servers still speak it). There is no command here that
//! deletes or expunges a message.

use super::wire::{Line, Wire};
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// The codes of refusals that do not last.
const LATER: [&str; 4] = ["[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]"];

/// A session after the login.
#[derive(Debug)]
pub(super) struct Session {
    wire: Wire,
    can_move: bool,
    can_idle: bool,
    selected: String,
}

/// A folder as it was when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Opened {
    pub validity: u32,
    /// The number of the next message.
    pub next: u32,
}

impl Session {
    /// Logs in.
    pub fn open(mut wire: Wire, username: &str, password: &str) -> Result<Self> {
        let greeting = wire.line()?.text;
        if !greeting.starts_with("* OK") {
            return Err(Error::Imap { what: format!("it greets with {greeting:?}") });
        }
        let mut session = Self { wire, can_move: false, can_idle: false, selected: String::new() };
        let able = session.capabilities()?;
        let has = |able: &[String], name: &str| able.iter().any(|other| other == name);
        if has(&able, "AUTH=PLAIN") {
            let secret = base64(format!("\0{username}\0{password}").as_bytes());
            let tag = session.wire.send("AUTHENTICATE PLAIN")?;
            let line = session.wire.line()?;
            if line.text.starts_with('+') {
                session.wire.write(format!("{secret}\r\n").as_bytes())?;
                session.finish(&tag, "the login")?;
            } else {
                session.ended(&tag, &line.text, "the login")?;
            }
        } else if has(&able, "LOGINDISABLED") {
            let what = "a login without TLS".to_owned();
            return Err(Error::ImapRefused { what });
        } else {
            let login = format!("LOGIN {} {}", quoted(username)?, quoted(password)?);
            session.ask_for(&login, "the login")?;
        }
        let able = session.capabilities()?;
        session.can_move = has(&able, "MOVE");
        session.can_idle = has(&able, "IDLE");
        Ok(session)
    }

    fn capabilities(&mut self) -> Result<Vec<String>> {
        let lines = self.ask("CAPABILITY")?;
        let all = lines.iter().filter_map(|line| line.text.strip_prefix("* CAPABILITY "));
        Ok(all.flat_map(str::split_whitespace).map(str::to_ascii_uppercase).collect())
    }

    /// Whether it can move messages.
    pub const fn can_move(&self) -> bool {
        self.can_move
    }

    /// Whether it reports news by itself.
    pub const fn can_idle(&self) -> bool {
        self.can_idle
    }

    fn ask(&mut self, command: &str) -> Result<Vec<Line>> {
        let word = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        self.ask_for(command, &word)
    }

    /// Sends a command; `what` names it without secrets.
    fn ask_for(&mut self, command: &str, what: &str) -> Result<Vec<Line>> {
        let tag = self.wire.send(command)?;
        self.finish(&tag, what)
    }

    fn finish(&mut self, tag: &str, what: &str) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        loop {
            let line = self.wire.line()?;
            if self.ended(tag, &line.text, what)? {
                return Ok(lines);
            }
            if line.text.starts_with("* ") {
                lines.push(line);
            }
        }
    }

    /// Whether a line ends a command.
    fn ended(&self, tag: &str, text: &str, what: &str) -> Result<bool> {
        if text.to_ascii_uppercase().starts_with("* BYE") {
            return Err(Error::Imap { what: format!("it ends the session: {}", &text[2..]) });
        }
        let Some(status) = text.strip_prefix(tag).and_then(|rest| rest.strip_prefix(' ')) else {
            return Ok(false);
        };
        match status.get(..2).map(str::to_ascii_uppercase).as_deref() {
            Some("OK") => Ok(true),
            // It may be able to later.
            Some("NO") if LATER.iter().any(|code| status.to_ascii_uppercase().contains(code)) => {
                Err(Error::Imap { what: status.to_owned() })
            }
            _ => Err(Error::ImapRefused { what: format!("{what}: {status}") }),
        }
    }

    /// Opens a folder, to read only unless messages are moved from it.
    pub fn select(&mut self, folder: &str, moves: bool) -> Result<Opened> {
        let command = if moves { "SELECT" } else { "EXAMINE" };
        let lines =
            self.ask_for(&format!("{command} {}", named(folder)), &format!("{command} {folder}"))?;
        folder.clone_into(&mut self.selected);
        let number = |name: &str| {
            lines.iter().find_map(|line| {
                let text = line.text.to_ascii_uppercase();
                let rest = text.split_once(&format!("[{name} "))?.1;
                rest.split(']').next()?.trim().parse().ok()
            })
        };
        let validity = number("UIDVALIDITY");
        let validity = validity.ok_or_else(|| Error::ImapRefused {
            what: format!("lasting numbers of messages in {folder} (UIDVALIDITY)"),
        })?;
        let next = match number("UIDNEXT") {
            Some(next) => next,
            None => self.search("ALL")?.last().map_or(1, |last| last + 1),
        };
        Ok(Opened { validity, next })
    }

    /// The numbers of messages that fit, ascending.
    pub fn search(&mut self, what: &str) -> Result<Vec<u32>> {
        let lines = self.ask(&format!("UID SEARCH {what}"))?;
        let numbers = lines.iter().filter_map(|line| line.text.strip_prefix("* SEARCH"));
        let mut all: Vec<u32> =
            numbers.flat_map(str::split_whitespace).filter_map(|n| n.parse().ok()).collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The size of a message; none if it is gone.
    pub fn size(&mut self, number: u32) -> Result<Option<u64>> {
        let lines = self.ask(&format!("UID FETCH {number} (UID RFC822.SIZE)"))?;
        let of = |line: &Line| {
            let text = line.text.to_ascii_uppercase();
            let rest = text.split_once("RFC822.SIZE ")?.1;
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse().ok().filter(|_| is_about(&text, number))
        };
        Ok(lines.iter().find_map(of))
    }

    /// A message; none if it is gone. It stays unread.
    pub fn fetch(&mut self, number: u32) -> Result<Option<Vec<u8>>> {
        let lines = self.ask(&format!("UID FETCH {number} (UID BODY.PEEK[])"))?;
        Ok(lines.into_iter().find_map(|line| body(line, number)))
    }

    /// Moves a message of the selected folder.
    pub fn move_to(&mut self, number: u32, folder: &str) -> Result<()> {
        self.ask_for(
            &format!("UID MOVE {number} {}", named(folder)),
            &format!("a move to {folder}"),
        )?;
        Ok(())
    }

    /// Waits until something happens in the selected folder, or for this time.
    pub fn idle(&mut self, time: Duration) -> Result<()> {
        let tag = self.wire.send("IDLE")?;
        let end = Instant::now() + time;
        loop {
            let line = self.wire.line()?;
            if line.text.starts_with('+') {
                break;
            }
            self.ended(&tag, &line.text, "IDLE")?;
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(line) = self.wire.line_within(left)? else { break };
            if self.ended(&tag, &line.text, "IDLE")? {
                return Ok(());
            }
            if !line.text.starts_with("* OK") {
                break;
            }
        }
        self.wire.write(b"DONE\r\n")?;
        self.finish(&tag, "IDLE").map(drop)
    }

    /// Says goodbye.
    pub fn close(mut self) {
        self.ask("LOGOUT").ok();
    }
}

/// Whether an answer is about a message.
fn is_about(text: &str, number: u32) -> bool {
    let mut words = text.split(['(', ')', ' ']);
    words.by_ref().any(|word| word.eq_ignore_ascii_case("UID"))
        && words.next() == Some(&number.to_string())
}

/// The body in an answer.
fn body(mut line: Line, number: u32) -> Option<Vec<u8>> {
    let start = line.text.to_ascii_uppercase().find("BODY[] ")?;
    let rest = &line.text[start + 7..];
    if rest.starts_with('\0') {
        let before = line.text[..start].matches('\0').count();
        let text = line.text.replace('\0', "");
        return is_about(&text, number).then(|| line.literals.swap_remove(before));
    }
    // A short one may be a quoted text.
    let quoted = rest.strip_prefix('"')?;
    let mut text = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    let around = format!("{} {}", &line.text[..start], characters.as_str());
    is_about(&around, number).then(|| text.into_bytes())
}

/// A text in quotes.
fn quoted(text: &str) -> Result<String> {
    if !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        let what = "LOGIN with a name or password that is not ASCII; it offers no AUTH=PLAIN";
        return Err(Error::ImapRefused { what: what.to_owned() });
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The name of a folder as servers write it: modified UTF-7, in quotes.
fn named(folder: &str) -> String {
    let mut name = String::from("\"");
    let mut wide: Vec<u8> = Vec::new();
    let end = |name: &mut String, wide: &mut Vec<u8>| {
        if !wide.is_empty() {
            let code = base64(wide).replace('/', ",");
            name.push('&');
            name.push_str(code.trim_end_matches('='));
            name.push('-');
            wide.clear();
        }
    };
    for character in folder.chars() {
        if (' '..='~').contains(&character) {
            end(&mut name, &mut wide);
            match character {
                '&' => name.push_str("&-"),
                '"' | '\\' => name.extend(['\\', character]),
                other => name.push(other),
            }
        } else {
            wide.extend(
                character.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()),
            );
        }
    }
    end(&mut name, &mut wide);
    name + "\""
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let all = [0, 1, 2].map(|at| u32::from(three.get(at).copied().unwrap_or(0)));
        let number = all[0] << 16 | all[1] << 8 | all[2];
        for digit in 0..4 {
            match digit <= three.len() {
                true => text.push(char::from(DIGITS[(number >> (18 - 6 * digit)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_are_in_modified_utf_7() {
        for (name, expected) in [
            ("Junk", "\"Junk\""),
            ("a \"b\" \\", "\"a \\\"b\\\" \\\\\""),
            ("Entwürfe", "\"Entw&APw-rfe\""),
            ("台北", "\"&U,BTFw-\""),
            ("A&B", "\"A&-B\""),
            ("~peter/mail/台北/日本語", "\"~peter/mail/&U,BTFw-/&ZeVnLIqe-\""),
        ] {
            assert_eq!(named(name), expected);
        }
        assert_eq!(base64(b"\0anne\0secret"), "AGFubmUAc2VjcmV0");
        assert_eq!(
            ["a", "ab", "abc"].map(|text| base64(text.as_bytes())),
            ["YQ==", "YWI=", "YWJj"]
        );
    }

    #[test]
    fn a_body_is_a_literal_or_a_quoted_text() {
        let line = |text: &str, literals: &[&[u8]]| Line {
            text: text.to_owned(),
            literals: literals.iter().map(|literal| literal.to_vec()).collect(),
        };
        let found = |text: &str, literals: &[&[u8]]| body(line(text, literals), 7);
        assert_eq!(found("* 1 FETCH (UID 7 BODY[] \0)", &[b"x"]), Some(b"x".to_vec()));
        assert_eq!(found("* 1 FETCH (BODY[] \0 UID 7)", &[b"x"]), Some(b"x".to_vec()));
        assert_eq!(
            found("* 1 FETCH (BODY[] \"a \\\"b\\\"\" UID 7)", &[]),
            Some(b"a \"b\"".to_vec())
        );
        assert_eq!(found("* 1 FETCH (UID 7 BODY[] NIL)", &[]), None);
        assert_eq!(found("* 1 FETCH (UID 77 BODY[] \0)", &[b"x"]), None);
        assert_eq!(found("* 1 EXISTS", &[]), None);
    }
}
