//! The settings as they are now, with what they name: replaced as a whole when they are read again.

use crate::Result;
use crate::config::Config;
use crate::desk::Beliefs;
use crate::lists::Lists;
use crate::tls;
use std::fmt;
use std::ops::Deref;
use tamis_mail::headers::Marks;
use tokio_rustls::TlsAcceptor;

/// Settings, and what was opened for them.
pub struct Live {
    config: Config,
    marks: Marks,
    lists: Lists,
    secure: Option<TlsAcceptor>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the token.
        f.debug_struct("Live").field("marks", &self.marks).finish_non_exhaustive()
    }
}

impl Deref for Live {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

impl Live {
    /// Opens certificates and lists.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn open(config: Config) -> Result<Self> {
        let secure = match (&config.certificate, &config.key) {
            (Some(certificate), Some(key)) => Some(tls::acceptor(certificate, key)?),
            _ => None,
        };
        Ok(Self {
            marks: config.marks.marks()?,
            lists: Lists::open(&config.lists)?,
            secure,
            config,
        })
    }

    /// What is written into messages.
    #[must_use]
    pub const fn marks(&self) -> &Marks {
        &self.marks
    }

    /// What verdicts rest on beside the store.
    #[must_use]
    pub fn beliefs(&self) -> Beliefs<'_> {
        Beliefs { lists: &self.lists, hosts: &self.config.authserv_id }
    }

    /// TLS for new connections.
    pub(crate) fn secure(&self) -> Option<TlsAcceptor> {
        self.secure.clone()
    }
}
