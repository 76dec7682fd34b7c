//! History: the verdicts of a server, on disk.
//!
//! A folder `.history` in the folder of the store, or of all stores, has segments of JSON lines:
//!
//! | file | content |
//! |---|---|
//! | `000000000001-20261118.jsonl` | verdicts from number 1 on, all given on that day (UTC) |
//! | `seed` | of the hashes of messages and subjects, 16 hexadecimal digits |
//! | `lock` | held by the process that writes |
//!
//! ```text
//! {"id":1,"time":1795000000,"source":"milter","user":null,"message":"9f...","from":"eva@leek.example",
//!  "subject":"Saturday","verdict":"ham","probability":0.01,"score":-4.2,"reasons":["words: ..."],"action":"delivered"}
//! {"taught":"spam","id":2,"time":1795000100,"user":null,"message":"9f..."}
//! ```
//!
//! 1. A line is handed to the system before the verdict is reported: it survives the end of the process,
//!    however it ends. It is not forced to disk: a power failure may lose the last seconds.
//! 2. A line that was not written completely is skipped by every reader, and cut off by the next writer.
//! 3. The files take at most [`Settings::bytes`] and no entry stays longer than [`Settings::days`] and one day.
//! 4. The folder has mode 0700, its files 0600; links are refused.
//! 5. With [`Subjects::Hash`] no subject is on disk; an entry is still found by its whole subject.
//!
//! Any number of processes read while one writes. Reading takes memory for the entries that are returned
//! and for the corrections, not for the files.

mod daily;
mod entry;
mod plain;
mod search;
mod segment;
mod wanted;
mod writer;

pub use daily::{Daily, Format};
pub use entry::{Action, Entry, Subjects};
pub use plain::plain;
pub use search::{Page, search};
pub use wanted::Wanted;
pub use writer::{History, Settings, message_id};

use std::path::{Path, PathBuf};

/// The name of the folder. No user's store can have it: names of users do not start with a dot.
pub const FOLDER: &str = ".history";

/// The folder of the history of a store, or of a folder of stores.
#[must_use]
pub fn folder_in(store: &Path) -> PathBuf {
    store.join(FOLDER)
}
