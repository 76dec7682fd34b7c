//! A connection to a Redis or Valkey server, and what it is asked.

use crate::{Error, Result};
use redis::{Client, Connection, RedisError, TlsCertificates, Value, cmd, from_redis_value, pipe};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tamis_mail::store::{Outgoing, Position};

/// How long a connection may take, and an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the server waits for new entries before it says that there are none.
const BLOCK: Duration = Duration::from_millis(1000);

/// The most entries that are read at once.
const MOST: usize = 256;

/// The fields of an entry.
const USER: &str = "user";
const LESSON: &str = "lesson";

/// Where the stream is.
#[derive(Debug, Clone)]
pub(super) struct Link {
    client: Client,
    stream: String,
}

/// An entry of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub position: Position,
    /// Empty if all have one store.
    pub user: String,
    pub lesson: Vec<u8>,
}

/// An open connection.
pub(super) struct Open {
    connection: Connection,
    stream: String,
}

/// Checks the address of a server.
///
/// # Errors
/// [`Error::Setting`].
pub(crate) fn check(url: &str, authority: Option<&Path>) -> Result<()> {
    client(url, authority).map(drop)
}

fn client(url: &str, authority: Option<&Path>) -> Result<Client> {
    let refused = |why: String| Error::Setting {
        // The address may have a password: it is not in the sentence.
        what: format!(
            "journal is not an address of a Redis server ({why}): write redis://user:password@host:6379/0, rediss:// for TLS, or unix:///path"
        ),
    };
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if !matches!(
        scheme,
        "redis" | "rediss" | "valkey" | "valkeys" | "unix" | "redis+unix" | "valkey+unix"
    ) {
        return Err(refused("it has another scheme".to_owned()));
    }
    if url.contains('#') {
        return Err(refused("a fragment such as #insecure is not supported".to_owned()));
    }
    let client = match authority {
        None => Client::open(url),
        Some(name) if !matches!(scheme, "rediss" | "valkeys") => {
            let name = name.display();
            let what = format!("journal_ca is for an address with rediss://: {name} is not used");
            return Err(Error::Setting { what });
        }
        Some(name) => {
            let read = fs::read(name);
            let root = read.map_err(|source| Error::Read { name: name.to_owned(), source })?;
            if !root.windows(5).any(|five| five == b"BEGIN") {
                let what = format!("journal_ca {} has no certificate as PEM", name.display());
                return Err(Error::Setting { what });
            }
            Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert: Some(root) })
        }
    };
    let client = client.map_err(|error| refused(error.to_string()))?;
    if !client.get_connection_info().addr().is_supported() {
        return Err(refused("this kind of connection is not supported".to_owned()));
    }
    Ok(client)
}

fn failed(error: RedisError) -> Error {
    Error::Journal { what: error.to_string() }
}

fn strange() -> Error {
    Error::Journal { what: "its answer is not that of a Redis server".to_owned() }
}

impl Link {
    pub fn new(url: &str, authority: Option<&Path>, stream: &str) -> Result<Self> {
        Ok(Self { client: client(url, authority)?, stream: stream.to_owned() })
    }

    /// Connects.
    pub fn open(&self) -> Result<Open> {
        let connection = self.client.get_connection_with_timeout(PATIENCE).map_err(failed)?;
        connection.set_read_timeout(Some(PATIENCE + BLOCK)).map_err(failed)?;
        connection.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        Ok(Open { connection, stream: self.stream.clone() })
    }
}

impl Open {
    /// The last position of the stream, if it has all that comes after this one.
    ///
    /// # Errors
    /// [`Error::JournalLost`] if it has not.
    pub fn check(&mut self, from: Position) -> Result<Position> {
        let mut last = Position::default();
        let mut deleted = Position::default();
        let (mut added, mut length) = (None, None);
        let exists: i64 =
            cmd("EXISTS").arg(&self.stream).query(&mut self.connection).map_err(failed)?;
        if exists != 0 {
            let facts: Vec<Value> = cmd("XINFO")
                .arg("STREAM")
                .arg(&self.stream)
                .query(&mut self.connection)
                .map_err(failed)?;
            for pair in facts.chunks_exact(2) {
                let position = || text(&pair[1]).and_then(|text| text.parse().ok());
                match (text(&pair[0]).as_deref(), &pair[1]) {
                    (Some("last-generated-id"), _) => last = position().ok_or_else(strange)?,
                    // Servers before Redis 7 do not say what was taken out.
                    (Some("max-deleted-entry-id"), _) => {
                        deleted = position().ok_or_else(strange)?;
                    }
                    (Some("entries-added"), Value::Int(count)) => added = Some(*count),
                    (Some("length"), Value::Int(count)) => length = Some(*count),
                    _ => {}
                }
            }
        }
        if from > last {
            return Err(Error::JournalLost { what: "ends before the place" });
        }
        if deleted > from || from == Position::default() && added.is_some() && added != length {
            return Err(Error::JournalLost { what: "was cut off: it does not begin at the place" });
        }
        // Only the oldest entries are cut off: as long as the last one that was read is there, so are those after it.
        if from != last && from != Position::default() {
            let id = from.to_string();
            let there: Vec<Value> = cmd("XRANGE")
                .arg(&self.stream)
                .arg(&id)
                .arg(&id)
                .query(&mut self.connection)
                .map_err(failed)?;
            if there.is_empty() {
                return Err(Error::JournalLost { what: "does not have the entry" });
            }
        }
        Ok(last)
    }

    /// The entries after a position; waits for a moment if there are none.
    pub fn read(&mut self, after: Position) -> Result<Vec<Found>> {
        let answer: Value = cmd("XREAD")
            .arg("COUNT")
            .arg(MOST)
            .arg("BLOCK")
            .arg(BLOCK.as_millis() as u64)
            .arg("STREAMS")
            .arg(&self.stream)
            .arg(after.to_string())
            .query(&mut self.connection)
            .map_err(failed)?;
        if answer == Value::Nil {
            return Ok(Vec::new());
        }
        type Streams = Vec<(String, Vec<(String, Vec<Vec<u8>>)>)>;
        let streams: Streams = from_redis_value(answer).map_err(|_| strange())?;
        let entries = streams.into_iter().flat_map(|(_, entries)| entries);
        entries.map(|(id, fields)| found(&id, fields)).collect()
    }

    /// Appends lessons of a user: all of them, or none.
    pub fn append(&mut self, user: &str, lessons: &[Outgoing]) -> Result<()> {
        let mut all = pipe();
        // Without a transaction, a server without memory might refuse one and take the next.
        all.atomic();
        for Outgoing { entry, .. } in lessons {
            let command = all.cmd("XADD").arg(&self.stream).arg("*");
            if !user.is_empty() {
                command.arg(USER).arg(user);
            }
            command.arg(LESSON).arg(&entry[..]).ignore();
        }
        all.query(&mut self.connection).map_err(failed)
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes.clone()).ok(),
        Value::SimpleString(text) => Some(text.clone()),
        _ => None,
    }
}

fn found(id: &str, fields: Vec<Vec<u8>>) -> Result<Found> {
    let position = id.parse().map_err(|()| strange())?;
    let mut found = Found { position, user: String::new(), lesson: Vec::new() };
    let mut fields = fields.into_iter();
    while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
        match name {
            name if name == USER.as_bytes() => {
                found.user = String::from_utf8_lossy(&value).into_owned();
            }
            name if name == LESSON.as_bytes() => found.lesson = value,
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_honoured_or_refused_by_name() {
        for url in [
            "redis://127.0.0.1",
            "redis://:secret@redis.example:6380/2",
            "rediss://anne:secret@redis.example",
            "valkey://[::1]:6379",
            "unix:///run/redis/redis.sock",
        ] {
            check(url, None).unwrap_or_else(|error| panic!("{url}: {}", error.sentence()));
        }
        let info = client("rediss://anne:secret@redis.example:1/3", None).expect("an address");
        let info = info.get_connection_info();
        assert!(matches!(info.addr(), redis::ConnectionAddr::TcpTls { insecure: false, .. }));
        let settings = info.redis_settings();
        assert_eq!((settings.username(), settings.password()), (Some("anne"), Some("secret")));
        assert_eq!(settings.db(), 3);
        for url in [
            "",
            "redis",
            "http://secret@redis.example",
            "redis://secret@host:port",
            "rediss://secret@host/#insecure",
            "redis://:secret@host/zero",
        ] {
            let sentence = check(url, None).expect_err(url).sentence();
            assert!(sentence.contains("journal is not an address"), "{sentence}");
            assert!(!sentence.contains("secret"), "{sentence}");
        }
    }

    #[test]
    fn the_fields_of_an_entry_are_found() {
        let fields = |all: &[&str]| all.iter().map(|text| text.as_bytes().to_vec()).collect();
        let one = found("7-2", fields(&["user", "anne", "lesson", "x", "other", "y"]));
        let expected = Found {
            position: Position { time: 7, number: 2 },
            user: "anne".to_owned(),
            lesson: b"x".to_vec(),
        };
        assert_eq!(one.expect("an entry"), expected);
        assert!(found("7", fields(&["lesson", "x"])).is_err());
        assert_eq!(found("7-2", fields(&["lesson"])).expect("an entry").lesson, b"");
    }
}
