//! What is written into messages, whose mail needs no verdict, and whose results are believed.

use super::refused;
use crate::Result;
use serde::Deserialize;
use std::path::PathBuf;
use tamis_mail::headers::Marks;

/// What is written into messages beside `X-Tamis-*`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarkSettings {
    /// `X-Spam-Flag`, `X-Spam-Status` and `X-Spam-Score`.
    pub spam_headers: bool,
    /// Put in front of the subject of spam.
    pub subject_tag: Option<String>,
}

impl MarkSettings {
    /// The same as the mail filter has it.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a tag that is none.
    pub fn marks(&self) -> Result<Marks> {
        Marks::new(self.spam_headers, self.subject_tag.as_deref())
            .map_err(|tag| crate::Error::Setting { what: format!("subject_tag: {tag}") })
    }
}

/// Senders and domains whose mail is ham or spam whatever it says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListSettings {
    /// Files of senders whose mail is ham.
    pub allow: Vec<PathBuf>,
    /// Files of senders whose mail is spam.
    pub deny: Vec<PathBuf>,
}

/// Checks the names of hosts whose `Authentication-Results` are believed.
pub(super) fn check_hosts(hosts: &[String]) -> Result<()> {
    let is_host = |host: &&String| {
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    match hosts.iter().find(|host| !is_host(host)) {
        Some(host) => refused(format!("authserv_id: {host:?} is no name of a host")),
        None => Ok(()),
    }
}
