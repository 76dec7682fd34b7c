//! What was asked for: a file, then what environment and flags say over it, checked as a whole.
//!
//! A port that is reachable from elsewhere needs a token. The protocols of mail know none, so they stay on loopback or on
//! a socket of the file system.

mod access;
mod autolearn;
mod marks;

pub use access::SocketAccess;
pub use autolearn::Autolearn;
pub use marks::{ListSettings, MarkSettings};

use crate::journal::check_url;
use crate::{Error, Result};
use serde::Deserialize;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tamis_mail::history::Subjects;

/// The least length of a token.
pub const MIN_TOKEN: usize = 16;

/// Where to listen: `127.0.0.1:8080`, `[::1]:8080` or `/run/tamis/spamd.sock`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Address {
    /// A port.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        let refused = |_| {
            format!("{text:?} is no address: write 127.0.0.1:8080, [::1]:8080 or a path from /")
        };
        text.parse().map(Self::Tcp).map_err(refused)
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

impl Address {
    /// Whether only this machine can reach it.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }
}

/// Everything that can be chosen.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the page and the JSON interface are.
    pub listen: Address,
    /// Who may connect if that is a socket.
    pub socket: SocketAccess,
    /// What a client has to know.
    pub token: Option<String>,
    /// The file with it.
    pub token_file: Option<PathBuf>,
    /// The certificate for TLS, as PEM.
    pub certificate: Option<PathBuf>,
    /// Its key, as PEM.
    pub key: Option<PathBuf>,
    /// The store of mail, or the folder of the users' stores.
    pub store: Option<PathBuf>,
    /// Whether each user has a store.
    pub per_user: bool,
    /// A store that all stores stand on: what users have not taught themselves, it says.
    pub base: Option<PathBuf>,
    /// The most users with a store.
    pub most_users: usize,
    /// The Redis or Valkey server by which several hosts share their lessons.
    pub journal: Option<String>,
    /// The file with its address.
    pub journal_file: Option<PathBuf>,
    /// The authority that has signed its certificate, as PEM; those of the system by default.
    pub journal_ca: Option<PathBuf>,
    /// The name of the stream there.
    pub journal_stream: String,
    /// The file with the seed of new stores; hosts that share their lessons have the same one.
    pub seed_file: Option<PathBuf>,
    /// A new store has tables of `2^table` cells.
    pub table: u32,
    /// A new store may lose this part of the ham.
    pub ham_lost: f64,
    /// The folder of filters, indexes and cascades.
    pub files: Option<PathBuf>,
    /// The protocol of `spamc`.
    pub spamd: Spamd,
    /// The protocol of Postfix and sendmail.
    pub milter: Milter,
    /// What is written into messages.
    pub marks: MarkSettings,
    /// Senders and domains whose mail needs no verdict.
    pub lists: ListSettings,
    /// Hosts whose `Authentication-Results` are believed; empty for the host of the topmost header.
    pub authserv_id: Vec<String>,
    /// How much a client may have.
    pub limits: Limits,
    /// What is remembered of verdicts, in memory.
    pub recent: Recent,
    /// What is kept of verdicts, on disk.
    pub history: History,
    /// What is learned without anybody's word.
    pub autolearn: Autolearn,
    /// What is written about requests.
    pub log: Log,
}

/// The protocol of `spamc`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spamd {
    /// Where it is spoken.
    pub listen: Vec<Address>,
    /// Who may connect to its sockets.
    pub socket: SocketAccess,
}

/// The protocol of Postfix and sendmail.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Milter {
    /// Where it is spoken.
    pub listen: Vec<Address>,
    /// Who may connect to its sockets.
    pub socket: SocketAccess,
    /// From which probability on spam is put aside by the mail server.
    pub quarantine_from: Option<f64>,
    /// From which probability on spam is refused.
    pub reject_from: Option<f64>,
    /// The name of this host, before the values of headers.
    pub host: Option<String>,
    /// What becomes of mail that could not be judged.
    pub on_failure: OnFailure,
}

/// What becomes of mail that could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It comes through.
    #[default]
    Accept,
    /// Its sender shall try again later.
    Tempfail,
}

/// How much a client may have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The largest message, in megabytes.
    pub message_megabytes: usize,
    /// The most memory for all requests together, in megabytes.
    pub memory_megabytes: usize,
    /// The longest time of a request, in seconds.
    pub seconds: u64,
    /// The most connections of a port.
    pub connections: usize,
    /// The most requests per second of one address; 0 for as many as it likes.
    pub requests_per_second: u32,
}

/// What is remembered of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recent {
    /// How many.
    pub messages: usize,
    /// How much of their messages, in megabytes, so that they can be corrected.
    pub memory_megabytes: usize,
}

/// What is kept of verdicts, on disk.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct History {
    /// How long, in days; 0 for nothing on disk.
    pub days: u64,
    /// Maximum size of the files, in megabytes.
    pub megabytes: u64,
    /// What is written of subjects: their text, or a hash.
    pub subjects: Subjects,
}

/// What is written about requests.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// A line for each request.
    pub requests: bool,
    /// Senders and subjects in it.
    pub content: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 8080))),
            socket: SocketAccess::default(),
            token: None,
            token_file: None,
            certificate: None,
            key: None,
            store: None,
            per_user: false,
            base: None,
            most_users: 1000,
            journal: None,
            journal_file: None,
            journal_ca: None,
            journal_stream: "tamis".to_owned(),
            seed_file: None,
            table: 20,
            ham_lost: 0.001,
            files: None,
            spamd: Spamd::default(),
            milter: Milter::default(),
            marks: MarkSettings::default(),
            lists: ListSettings::default(),
            authserv_id: Vec::new(),
            limits: Limits::default(),
            recent: Recent::default(),
            history: History::default(),
            autolearn: Autolearn::default(),
            log: Log::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_megabytes: 32,
            memory_megabytes: 256,
            seconds: 30,
            connections: 256,
            requests_per_second: 0,
        }
    }
}

impl Default for Recent {
    fn default() -> Self {
        Self { messages: 200, memory_megabytes: 16 }
    }
}

impl Default for History {
    fn default() -> Self {
        Self { days: 0, megabytes: 64, subjects: Subjects::Text }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { requests: true, content: false }
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Read`], or [`Error::Config`] with the line that is not understood.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.to_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Read { name: name.clone(), source })?;
        toml::from_str(&text)
            .map_err(|error| Error::Config { name, what: error.to_string().trim_end().to_owned() })
    }

    /// Fills in what was left open, and refuses what cannot be served or should not be.
    ///
    /// # Errors
    /// [`Error::Setting`] with a sentence, or [`Error::Read`] for the file of the token.
    pub fn checked(mut self) -> Result<Self> {
        if let Some(name) = self.token_file.take() {
            let text = std::fs::read_to_string(&name)
                .map_err(|source| Error::Read { name: name.clone(), source })?;
            self.token = Some(text.trim().to_owned());
        }
        if let Some(name) = self.journal_file.take() {
            let text = std::fs::read_to_string(&name)
                .map_err(|source| Error::Read { name: name.clone(), source })?;
            self.journal = Some(text.trim().to_owned());
        }
        self.check_journal()?;
        let home = state_folder();
        self.store = self.store.or_else(|| home.as_ref().map(|home| home.join("mail")));
        self.files = self.files.or_else(|| home.as_ref().map(|home| home.join("files")));
        if self.store.is_none() || self.files.is_none() {
            return refused("there is no home folder: name folders with --store and --files");
        }
        if let Some(token) = &self.token
            && (token.len() < MIN_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return refused(format!(
                "a token has at least {MIN_TOKEN} characters, letters, digits and signs"
            ));
        }
        if !self.listen.is_local() && self.token.is_none() {
            return refused(format!(
                "{} can be reached from elsewhere: write a token, or listen on 127.0.0.1",
                self.listen
            ));
        }
        if self.certificate.is_some() != self.key.is_some() {
            return refused("TLS needs both, a certificate and its key");
        }
        for (protocol, addresses) in
            [("spamd", &self.spamd.listen), ("milter", &self.milter.listen)]
        {
            if let Some(address) = addresses.iter().find(|address| !address.is_local()) {
                return refused(format!(
                    "{address} can be reached from elsewhere, and {protocol} knows no token: listen on 127.0.0.1 or a socket"
                ));
            }
        }
        for (name, part) in [
            ("quarantine_from", self.milter.quarantine_from),
            ("reject_from", self.milter.reject_from),
        ] {
            if part.is_some_and(|part| !(part > 0.0 && part <= 1.0)) {
                return refused(format!("{name} is a probability between 0 and 1, such as 0.99"));
            }
        }
        if let Some(host) = &self.milter.host
            && (host.is_empty()
                || !host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-'))
        {
            return refused(format!("{host:?} is no name of a host"));
        }
        self.autolearn.check()?;
        self.marks.marks()?;
        marks::check_hosts(&self.authserv_id)?;
        if !(self.ham_lost > 0.0 && self.ham_lost < 0.5) {
            return refused("ham_lost is a part between 0 and 0.5, such as 0.001");
        }
        if !(10..=26).contains(&self.table) {
            return refused("table lies between 10 and 26");
        }
        if self.history.days > 36_500 || !(1..=1 << 20).contains(&self.history.megabytes) {
            return refused(
                "history.days is at most 36500, and history.megabytes lies between 1 and 1048576",
            );
        }
        let limits = &self.limits;
        let sound = |value: u64, most: u64| (1..=most).contains(&value);
        if !(sound(limits.message_megabytes as u64, 1024)
            && sound(limits.memory_megabytes as u64, 1 << 20)
            && sound(limits.seconds, 3600)
            && sound(limits.connections as u64, 100_000))
        {
            return refused("each of the limits is at least 1, and none is absurdly large");
        }
        if limits.memory_megabytes < limits.message_megabytes {
            return refused(
                "memory_megabytes is for all requests, and smaller than message_megabytes",
            );
        }
        Ok(self)
    }
}

impl Config {
    fn check_journal(&self) -> Result<()> {
        let Some(url) = &self.journal else { return Ok(()) };
        check_url(url, self.journal_ca.as_deref())?;
        let stream = &self.journal_stream;
        if stream.is_empty() || stream.len() > 255 || stream.chars().any(char::is_control) {
            return refused("journal_stream is the name of a stream, such as \"tamis\"");
        }
        if self.per_user && self.seed_file.is_none() && self.base.is_none() {
            return refused(
                "a journal with a store for each user needs seed_file or base: the stores of a user have the same seed on all hosts",
            );
        }
        if let (Some(name), Some(_)) = (&self.seed_file, &self.base) {
            return refused(format!(
                "seed_file {} is not used beside base: stores have the seed of the base",
                name.display()
            ));
        }
        Ok(())
    }
}

fn refused<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Setting { what: what.into() })
}

/// Where a person's or a service's own state is kept.
fn state_folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    named("STATE_DIRECTORY").map(PathBuf::from).or_else(|| {
        let state = named("XDG_STATE_HOME").map(PathBuf::from);
        let state = state.or_else(|| named("HOME").map(|h| PathBuf::from(h).join(".local/state")));
        state.map(|state| state.join("tamis"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tamis.toml");
        std::fs::write(&path, text).expect("written");
        Config::read(&path)?.checked()
    }

    #[test]
    fn what_can_be_reached_from_elsewhere_needs_a_token() {
        for listen in ["0.0.0.0:8080", "[::]:80", "192.0.2.1:80"] {
            let refused = parsed(&format!("listen = {listen:?}")).expect_err(listen).sentence();
            assert!(refused.contains("token"), "{refused}");
            let with = format!("listen = {listen:?}\ntoken = \"0123456789abcdef\"");
            assert!(parsed(&with).is_ok());
            for protocol in ["spamd", "milter"] {
                let text =
                    format!("token = \"0123456789abcdef\"\n[{protocol}]\nlisten = [{listen:?}]");
                assert!(parsed(&text).expect_err(listen).sentence().contains("no token"));
            }
        }
        assert!(parsed("listen = \"127.0.0.1:1\"").is_ok());
        assert!(parsed("listen = \"/run/x.sock\"").is_ok());
    }

    #[test]
    fn what_makes_no_sense_gets_a_sentence() {
        for (text, part) in [
            ("listen = \"here\"", "no address"),
            ("lisen = \"127.0.0.1:1\"", "lisen"),
            ("token = \"short\"", "at least 16"),
            ("certificate = \"c.pem\"", "both"),
            ("journal = \"http://x\"", "journal is not an address"),
            ("journal = \"redis://x\"\njournal_stream = \"\"", "journal_stream"),
            ("journal = \"redis://x\"\nper_user = true", "seed_file"),
            ("journal = \"redis://x\"\nseed_file = \"a\"\nbase = \"b\"", "not used beside base"),
            ("journal = \"redis://x\"\njournal_ca = \"/dev/null\"", "journal_ca is for"),
            ("journal = \"rediss://x\"\njournal_ca = \"/dev/null\"", "no certificate"),
            ("journal_file = \"/nowhere/url\"", "cannot read /nowhere/url"),
            ("[milter]\nreject_from = 2.0", "probability"),
            ("[milter]\nhost = \"a b\"", "no name of a host"),
            ("[autolearn]\nspam_from = 0.4", "spam_from"),
            ("[autolearn]\nham_to = 0.6", "ham_to"),
            ("[autolearn]\nper_day = 0", "per_day"),
            ("ham_lost = 0.9", "ham_lost"),
            ("table = 60", "table"),
            ("socket = { mode = \"rw\" }", "no mode"),
            ("[spamd]\nsocket = { mode = \"10000\" }", "no mode"),
            ("[marks]\nsubject_tag = \"spam\"", "no tag"),
            ("authserv_id = [\"a b\"]", "no name of a host"),
            ("[limits]\nseconds = 0", "limits"),
            ("[history]\nmegabytes = 0", "history.megabytes"),
            ("[history]\nsubjects = \"none\"", "line 2"),
            ("[limits]\nmemory_megabytes = 1", "memory_megabytes"),
            ("token_file = \"/nowhere/token\"", "cannot read /nowhere/token"),
            ("[[[", "line 1"),
        ] {
            let sentence = parsed(text).expect_err(text).sentence();
            assert!(sentence.contains(part), "{text}: {sentence}");
        }
    }
}
