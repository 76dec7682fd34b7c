//! Do I want to read it? Messages, what is looked at in them, and what is learned from them.
//!
//! - [`message`]: raw mail to sections of text, whatever its form.
//! - [`mailbox`]: where messages are kept: files, mbox, Maildir, folders.
//! - [`features`]: sections to hashed tokens and pairs of tokens.
//! - [`words`]: the model of words: a table of fixed size that learns, and unlearns bit for bit.
//! - [`paper`]: the method of the report, to be compared with.
//! - [`cuts`]: where spam begins, set without seeing what is judged.
//! - [`evaluation`]: how good all of it is on a collection.

pub mod cuts;
pub mod evaluation;
pub mod features;
pub mod mailbox;
pub mod message;
pub mod paper;
pub mod words;

mod error;

pub use error::Error;

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;
