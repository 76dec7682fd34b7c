//! What can go wrong with a server.

use crate::limits::NoRoom;
use std::io;
use std::path::PathBuf;

/// Why a server could not be started, or a request not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration that is not understood.
    #[error("{}: {what}", name.display())]
    Config {
        /// The file.
        name: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// Settings that cannot be used.
    #[error("{what}")]
    Setting {
        /// What is wrong, and what to write instead.
        what: String,
    },
    /// A file that could not be read.
    #[error("cannot read {}", name.display())]
    Read {
        /// Which.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An address that could not be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// Which.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A certificate or a key that cannot be used.
    #[error("cannot use the certificate {}: {what}", name.display())]
    Certificate {
        /// The file.
        name: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The system refused something that the server needs.
    #[error("cannot start")]
    Start {
        /// What the system said.
        source: io::Error,
    },
    /// More users than there may be.
    #[error("there are {most} stores already, and there may be no more")]
    TooManyUsers {
        /// How many.
        most: usize,
    },
    /// A verdict that is not remembered, or whose message is not.
    #[error("the verdict {id} is not remembered any more")]
    Forgotten {
        /// Its number.
        id: u64,
    },
    /// A file that is not there, or not of the kind that was asked for.
    #[error("{what}")]
    NoFile {
        /// What is missing.
        what: String,
    },
    /// A request that makes no sense.
    #[error("{what}")]
    Request {
        /// What is wrong with it.
        what: String,
    },
    /// The server with the shared journal did not do what it was asked.
    #[error("the shared journal: {what}")]
    Journal {
        /// Why.
        what: String,
    },
    /// A shared journal without entries that this host has applied, or has not.
    #[error(
        "the shared journal {what} where this host goes on: entries are lost; name a new one on all hosts with journal_stream, and they begin it with what they know"
    )]
    JournalLost {
        /// How that is known.
        what: &'static str,
    },
    /// A connection to an IMAP server that ended or said what cannot be understood.
    #[error("the IMAP server: {what}")]
    Imap {
        /// What happened.
        what: String,
    },
    /// What an IMAP server refuses, and will refuse again.
    #[error("the IMAP server refuses {what}")]
    ImapRefused {
        /// What, and why.
        what: String,
    },
    /// Something that could not be done here, for a reason that others who waited were told as well.
    #[error("{what}")]
    Failed {
        /// Why.
        what: String,
    },
    /// Too much waits already, or others have all the memory.
    #[error("there is too much to do; try again later")]
    Busy,
    /// More than the server has memory for.
    #[error("this is larger than the server allows")]
    TooLarge,
    /// Nobody waits for the answer any more.
    #[error("the client is gone, or it took too long")]
    Gone,
    /// What the mail filter refused.
    #[error(transparent)]
    Mail(#[from] tamis_mail::Error),
    /// What a file refused.
    #[error(transparent)]
    File(#[from] tamis_corpus::Error),
    /// What the library refused.
    #[error(transparent)]
    Sketch(#[from] tamis::Error),
}

impl From<NoRoom> for Error {
    fn from(no_room: NoRoom) -> Self {
        match no_room {
            NoRoom::TooLarge => Self::TooLarge,
            NoRoom::Busy => Self::Busy,
        }
    }
}

impl Error {
    /// A sentence with all causes.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut sentence = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            if !sentence.ends_with(&text) {
                sentence.push_str(": ");
                sentence.push_str(&text);
            }
            cause = error.source();
        }
        sentence
    }
}
