//! Do I want to read it? Messages, what is looked at in them, and what is learned from them.
//!
//! - [`message`]: raw mail to sections of text, whatever its form.
//! - [`mailbox`]: where messages are kept: files, mbox, Maildir, folders.
//! - [`merged`]: messages of several labels, in proportion, each path under one label.
//! - [`training`]: learns messages of several labels, each message under one of them.
//! - [`features`]: sections to hashed tokens and pairs of tokens.
//! - [`traits`]: all that is kept of a message.
//! - [`stages`]: the features of each stage that learns.
//! - [`model`]: tables of fixed size that learn, and unlearn bit for bit.
//! - [`labels`]: labels that divide wanted mail.
//! - [`senders`]: how much of what a sender has sent.
//! - [`neighbours`]: what a message is similar to.
//! - [`filter`]: all of them together: evidence, verdict.
//! - [`scores`], [`cuts`]: where spam begins, set without seeing what is judged.
//! - [`paper`]: the method of the report, to be compared with.
//! - [`store`]: what was learned, in a folder that survives whatever happens to the process.
//! - [`identity`]: which message it is, before and after delivery.
//! - [`history`]: the verdicts of a server, on disk, and the daily digest of them.
//! - [`headers`]: what is written into a message about its verdict.
//! - [`watch`]: what a person moves into the junk folder, and out of it.
//! - [`explain`]: why a verdict is what it is.
//! - [`evaluation`]: how good all of it is on a collection.

pub mod cuts;
pub mod evaluation;
pub mod explain;
pub mod features;
pub mod filter;
pub mod headers;
pub mod history;
pub mod identity;
pub mod labels;
pub mod mailbox;
pub mod merged;
pub mod message;
pub mod model;
pub mod neighbours;
pub mod paper;
pub mod scores;
pub mod senders;
pub mod stages;
pub mod store;
pub mod training;
pub mod traits;
pub mod watch;

mod error;
mod table;

pub use error::Error;

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;
