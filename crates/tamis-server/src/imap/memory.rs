//! What is remembered of a remote mailbox, in a file: how far each folder was read, and what is in the junk folder.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use tamis_mail::store::write_private;

/// The most messages of the junk folder that are remembered; the oldest are forgotten first.
const MOST: usize = 100_000;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The version of this file.
    version: u32,
    folders: BTreeMap<String, Read>,
    /// The numbers in the junk folder of messages by their identity.
    pub junked: BTreeMap<String, u32>,
    /// The numbers that messages had in the inbox which were filed and not seen in the junk folder yet.
    pub filed: BTreeMap<String, u32>,
}

/// How far a folder was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Read {
    /// Numbers of messages mean the same as long as this does not change.
    pub validity: u32,
    /// The last message that was read.
    pub last: u32,
    /// Messages of the inbox before that, which nobody has opened yet.
    #[serde(default)]
    pub unopened: Vec<u32>,
}

impl Memory {
    /// Reads the file; an empty memory if there is none.
    pub fn read(path: &Path) -> Result<Self> {
        let read = fs::read(path);
        let bytes = match read {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { version: 1, ..Self::default() });
            }
            read => read.map_err(|source| Error::Read { name: path.to_owned(), source })?,
        };
        let refused = || {
            Error::Config {
            name: path.to_owned(),
            what: "it does not say how far a mailbox was read; remove it, and the folders are read again".to_owned(),
        }
        };
        let memory: Self = serde_json::from_slice(&bytes).map_err(|_| refused())?;
        if memory.version == 1 { Ok(memory) } else { Err(refused()) }
    }

    /// Replaces the file.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        while self.junked.len() > MOST {
            let oldest = self.junked.iter().min_by_key(|(_, number)| **number);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            self.junked.remove(&oldest);
        }
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        Ok(write_private(path, &bytes)?)
    }

    /// How far a folder was read, none if never.
    pub fn folder(&self, name: &str) -> Option<&Read> {
        self.folders.get(name)
    }

    /// Notes how far a folder was read.
    pub fn note(&mut self, name: &str, read: Read) {
        self.folders.insert(name.to_owned(), read);
    }
}
