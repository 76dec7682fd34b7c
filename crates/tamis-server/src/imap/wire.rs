//! A connection to an IMAP server: commands, and answers as lines with literals.

use crate::{Error, Result};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// How long a connection may take, and how long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest line, without literals.
const LONGEST_LINE: usize = 1 << 20;

/// A stream of bytes in both directions.
trait Duplex: Read + Write + Send {}
impl<T: Read + Write + Send> Duplex for T {}

/// An open connection.
pub(super) struct Wire {
    stream: Box<dyn Duplex>,
    socket: TcpStream,
    buffer: Vec<u8>,
    number: u32,
    /// The longest literal.
    most: usize,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("socket", &self.socket).finish_non_exhaustive()
    }
}

/// A line of an answer: text, and the literals in it, for each of which the text has a `\0`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    pub text: String,
    pub literals: Vec<Vec<u8>>,
}

fn lost(error: &io::Error) -> Error {
    Error::Imap { what: error.to_string() }
}

fn broken(what: &str) -> Error {
    Error::Imap { what: what.to_owned() }
}

impl Wire {
    /// Connects; in the clear if there is no TLS. `most` is the length of the longest literal.
    pub fn open(
        host: &str,
        port: u16,
        secure: Option<Arc<ClientConfig>>,
        most: usize,
    ) -> Result<Self> {
        let addresses = (host, port).to_socket_addrs().map_err(|error| lost(&error))?;
        let mut socket = Err(broken("its name has no address"));
        for address in addresses {
            socket = TcpStream::connect_timeout(&address, PATIENCE).map_err(|error| lost(&error));
            if socket.is_ok() {
                break;
            }
        }
        let socket = socket?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(|error| lost(&error))?;
        socket.set_write_timeout(Some(PATIENCE)).map_err(|error| lost(&error))?;
        let stream = socket.try_clone().map_err(|error| lost(&error))?;
        let stream: Box<dyn Duplex> = match secure {
            None => Box::new(stream),
            Some(config) => {
                let name = ServerName::try_from(host.to_owned()).map_err(|_| Error::Setting {
                    what: format!("{host:?} is no name of a host"),
                })?;
                let connection = ClientConnection::new(config, name)
                    .map_err(|error| broken(&error.to_string()))?;
                Box::new(StreamOwned::new(connection, stream))
            }
        };
        Ok(Self { stream, socket, buffer: Vec::new(), number: 0, most })
    }

    /// Sends a command; its tag is returned.
    pub fn send(&mut self, command: &str) -> Result<String> {
        self.number += 1;
        let tag = format!("T{}", self.number);
        self.write(format!("{tag} {command}\r\n").as_bytes())?;
        Ok(tag)
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).map_err(|e| lost(&e))
    }

    /// The next line; none if there is none within this time.
    pub fn line_within(&mut self, time: Duration) -> Result<Option<Line>> {
        let end = Instant::now() + time;
        loop {
            if memchr(&self.buffer).is_some() {
                return self.line().map(Some);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.socket.set_read_timeout(Some(left)).map_err(|error| lost(&error))?;
            let filled = self.fill();
            self.socket.set_read_timeout(Some(PATIENCE)).map_err(|error| lost(&error))?;
            match filled {
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Ok(None);
                }
                filled => filled.map_err(|error| lost(&error))?,
            }
        }
    }

    /// The next line.
    pub fn line(&mut self) -> Result<Line> {
        let mut line = Line::default();
        loop {
            let bytes = self.until_end()?;
            line.text += &String::from_utf8_lossy(&bytes).replace('\0', " ");
            let Some(length) = literal(&line.text) else { return Ok(line) };
            if length > self.most {
                return Err(broken("it sends more than was asked for"));
            }
            while self.buffer.len() < length {
                self.fill().map_err(|error| lost(&error))?;
            }
            let rest = self.buffer.split_off(length);
            line.literals.push(std::mem::replace(&mut self.buffer, rest));
            line.text.truncate(line.text.rfind('{').unwrap_or_default());
            line.text.push('\0');
            if line.text.len() > LONGEST_LINE {
                return Err(broken("it sends a line without end"));
            }
        }
    }

    /// The bytes up to the end of a line.
    fn until_end(&mut self) -> Result<Vec<u8>> {
        loop {
            if let Some(end) = memchr(&self.buffer) {
                let rest = self.buffer.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.truncate(end);
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(line);
            }
            if self.buffer.len() > LONGEST_LINE {
                return Err(broken("it sends a line without end"));
            }
            self.fill().map_err(|error| lost(&error))?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16 << 10];
        let count = self.stream.read(&mut bytes)?;
        if count == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it has closed the connection"));
        }
        self.buffer.extend_from_slice(&bytes[..count]);
        Ok(())
    }
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// The length of the literal that follows a line.
fn literal(text: &str) -> Option<usize> {
    let (_, length) = text.strip_suffix('}')?.rsplit_once('{')?;
    length.trim_end_matches('+').parse().ok()
}

/// TLS by the authorities of the system, or by those in a file.
pub(super) fn secure(authority: Option<&Path>) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = authority {
        let refused = |what: String| Error::Certificate { name: path.to_owned(), what };
        let all =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for certificate in all.map_err(|error| refused(error.to_string()))? {
            roots.add(certificate).map_err(|error| refused(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(refused("it has no certificate as PEM".to_owned()));
        }
    } else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            let what = "the system has no certificates of authorities: install ca-certificates";
            return Err(Error::Setting { what: what.to_owned() });
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error.to_string()))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_announced_at_the_end_of_a_line() {
        assert_eq!(literal("* 1 FETCH (BODY[] {12}"), Some(12));
        assert_eq!(literal("T1 OK {x}"), None);
        assert_eq!(literal("T1 OK {1} "), None);
        assert_eq!(literal("}"), None);
    }

    #[test]
    fn lines_come_with_their_literals_and_nothing_is_taken_on_the_word_of_the_server() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream
                .write_all(
                    b"* 1 FETCH (BODY[] {4}\r\na\r\nb UID 7)\r\nT1 OK\r\n* x {999999999999}\r\n",
                )
                .expect("sent");
        });
        let mut wire = Wire::open("127.0.0.1", port, None, 100).expect("a connection");
        let line = wire.line().expect("a line");
        assert_eq!(line.text, "* 1 FETCH (BODY[] \0 UID 7)");
        assert_eq!(line.literals, [b"a\r\nb".to_vec()]);
        assert_eq!(wire.line().expect("a line").text, "T1 OK");
        assert!(wire.line().is_err(), "a literal that is too long");
        server.join().expect("the server");
    }
}
