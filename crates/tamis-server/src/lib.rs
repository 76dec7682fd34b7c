//! One process: the mail filter, filters, similarity and cascades for browsers, programs and mail servers.
//!
//! - [`config`]: what was asked for, checked before anything is opened.
//! - [`desk`]: the stores of mail; many judge at once, and what is learned is on disk before it is acknowledged.
//! - [`http`]: the page, the JSON interface, health and metrics.
//! - [`journal`]: lessons that several hosts share.
//! - [`imap`]: learns from the folders of a remote mailbox, and files into them.
//! - [`spamd`]: the protocol of `spamc`.
//! - [`milter`]: the protocol of Postfix and sendmail.
//! - [`limits`]: how much of anything a client may have.
//! - [`metrics`]: what is counted.
//! - [`live`]: the settings as they are now; they can be read again while the server runs.
//! - [`lists`]: senders and domains that are allowed or denied.
//!
//! Every port keeps to the same promises: a request has a largest size and a longest time, memory for requests is
//! bounded for all of them together, what is malformed gets an error of its protocol, and nobody else notices.

pub mod config;
pub mod desk;
pub mod http;
pub mod imap;
pub mod journal;
pub mod limits;
pub mod lists;
pub mod live;
pub mod metrics;
pub mod milter;
pub mod spamd;

mod app;
mod error;
mod files;
mod listen;
mod log;
mod serve;
mod tls;

pub use app::App;
pub use error::Error;
pub use serve::{check, serve};

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;
