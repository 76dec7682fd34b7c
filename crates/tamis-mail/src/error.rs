//! What can go wrong with mail.

use std::io;
use std::path::{Path, PathBuf};

/// Why mail could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read a file or folder.
    #[error("cannot read {}", name.display())]
    Read {
        /// Which.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A collection that is not in two parts of two classes.
    #[error("{} has no folders spam/training, spam/testing, ham/training and ham/testing", name.display())]
    NoSplit {
        /// The collection.
        name: PathBuf,
    },
    /// A threshold of similarity that finds everything or nothing.
    #[error("a threshold lies between 0 and 1, got {got}")]
    Threshold {
        /// What was asked for.
        got: f64,
    },
    /// A folder that is no store.
    #[error("{} is no mail store: it has no file {file}", name.display())]
    NoStore {
        /// The folder.
        name: PathBuf,
        /// What a store has.
        file: &'static str,
    },
    /// A store that would be made where something is already.
    #[error("{} is not empty and no mail store", name.display())]
    Occupied {
        /// The folder.
        name: PathBuf,
    },
    /// A store whose features are not those of this version: what it has learned says nothing here.
    #[error("{} was made with features of version {got}, and this is version {expected}", name.display())]
    Features {
        /// The store.
        name: PathBuf,
        /// The version that is here.
        expected: u16,
        /// The version of the store.
        got: u16,
    },
    /// A file of a store that was changed by something else.
    #[error("{} is damaged at byte {at}: {what}", name.display())]
    Damaged {
        /// The file.
        name: PathBuf,
        /// Where.
        at: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A link, pipe or folder in place of a store file.
    #[error("{} is not a regular file: a store follows no links", name.display())]
    NotRegular {
        /// The path.
        name: PathBuf,
    },
    /// A file of a store that cannot be used as it is.
    #[error("cannot use {}", name.display())]
    Unsound {
        /// The file.
        name: PathBuf,
        /// What was found in it.
        source: tamis::Error,
    },
    /// An export that cannot be taken in.
    #[error("line {line} of the export: {what}")]
    Import {
        /// Which line, from 1 on.
        line: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A name that is no user's.
    #[error(
        "{got:?} is no name of a user: write a name or an address without spaces, control characters, / and :, that does not start with a dot"
    )]
    User {
        /// What was asked for.
        got: String,
    },
    /// A path under two labels.
    #[error("{} is given under two labels, {} and {}{}", path.display(), labels[0], labels[1], also(path, other))]
    TwoLabels {
        /// The path.
        path: PathBuf,
        /// The path as it was given the first time.
        other: PathBuf,
        /// The labels.
        labels: [String; 2],
    },
    /// A label that cannot be used.
    #[error(
        "{got:?} cannot be a label: write up to 64 letters, digits, `-`, `_` or `.`, and no name that is taken or means a verdict"
    )]
    Label {
        /// What was asked for.
        got: String,
    },
    /// A label that is not there, or that every store has.
    #[error("{got:?} is not a label of this store that can be renamed or removed")]
    NoLabel {
        /// The name.
        got: String,
    },
    /// A name that no teacher can have.
    #[error(
        "{got:?} cannot be a teacher: write up to 64 letters, digits, `-`, `_` or `.`; a store has at most 255 teachers"
    )]
    Teacher {
        /// The name.
        got: String,
    },
    /// A teacher who has taught nothing.
    #[error("{got:?} has taught this store nothing")]
    NoTeacher {
        /// The name.
        got: String,
    },
    /// More labels than there is room for.
    #[error("a store has at most {most} labels")]
    TooManyLabels {
        /// The most.
        most: usize,
    },
    /// A base that hashes otherwise than a store on it.
    #[error(
        "the store was not made for the base {}: their seeds differ; learn its messages again into a new store with this base",
        name.display()
    )]
    OtherSeed {
        /// The base.
        name: PathBuf,
    },
    /// A store that does not hash as the hosts do whose lessons it shares.
    #[error(
        "the shared journal was made with another seed: copy the file `seed` of the first host before the store is made"
    )]
    SharedSeed,
    /// An entry of the shared journal that a newer version has written.
    #[error(
        "the shared journal has entries of version {got}, and this is version {expected}: update this host"
    )]
    NewerEntry {
        /// The version that is here.
        expected: u8,
        /// The version of the entry.
        got: u8,
    },
    /// A rebuild of a store whose lessons are not all in the shared journal.
    #[error("{count} lessons are not delivered to the other hosts yet; rebuild when they are")]
    Undelivered {
        /// How many.
        count: usize,
    },
    /// A store without a history.
    #[error("{} has no history", name.display())]
    NoHistory {
        /// The folder of the store.
        name: PathBuf,
    },
    /// A history that another process writes.
    #[error("{} is written by another process", name.display())]
    HistoryInUse {
        /// The folder of the history.
        name: PathBuf,
    },
    /// An address that cannot stand in a header.
    #[error("{got:?} cannot be written as an address: write one such as anne@example.org")]
    Address {
        /// What was asked for.
        got: String,
    },
    /// Stores that cannot be put together.
    #[error("{what} is {got} there and {expected} here")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// What is here.
        expected: String,
        /// What is there.
        got: String,
    },
    /// A file could not be written or mapped.
    #[error(transparent)]
    File(#[from] tamis_corpus::Error),
    /// What a filter or an index refused.
    #[error(transparent)]
    Sketch(#[from] tamis::Error),
}

/// The other name of a path, where it differs.
fn also(path: &Path, other: &Path) -> String {
    if path.as_os_str() == other.as_os_str() {
        String::new()
    } else {
        format!(": it is also {}", other.display())
    }
}
