//! What can go wrong with a user's file.

use crate::documents::Format;
use crate::problem::{Place, Problem};
use std::io;
use std::path::PathBuf;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to open or read a file.
    #[error("cannot read {}", name.display())]
    Read {
        /// The file, or `standard input`.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to write a file.
    #[error("cannot write {}", name.display())]
    Write {
        /// The file.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that another process is still changing.
    #[error("another process has been changing {} for too long", name.display())]
    Busy {
        /// The file.
        name: PathBuf,
    },
    /// A key that does not end within bounds.
    #[error(
        "{}: key {number} is longer than {} MiB; if keys end with NUL, say --null",
        name.display(), limit >> 20
    )]
    Endless {
        /// The file.
        name: PathBuf,
        /// Which key, from 1.
        number: u64,
        /// The longest key that is read.
        limit: usize,
    },
    /// A problem that a strict reading does not pass by.
    #[error("{place}: {problem}{}{detail}", if detail.is_empty() { "" } else { ": " })]
    Broken {
        /// The file and line.
        place: Place,
        /// What is wrong.
        problem: Problem,
        /// What exactly.
        detail: String,
    },
    /// A format that is not known.
    #[error(
        "there is no format {got:?}; it is one of files, lines, jsonl, csv, tsv, parquet, arrow"
    )]
    Format {
        /// What was asked for.
        got: String,
    },
    /// A column that a file has not.
    #[error("{}: there is no column {column}; it has {columns}", name.display())]
    NoColumn {
        /// The file.
        name: PathBuf,
        /// What was asked for; several names if any of them would do.
        column: String,
        /// What there is.
        columns: String,
    },
    /// A column that was asked for, and that no record of all inputs has.
    #[error("none of {records} records has a column {column}{}{columns}", if columns.is_empty() { "" } else { "; the first has " })]
    NoRecordHas {
        /// What was asked for; several names if any of them would do.
        column: String,
        /// How many records there are.
        records: u64,
        /// What the first has; may be empty.
        columns: String,
    },
    /// More records that cannot be read than are accepted.
    #[error("{bad} of {all} records cannot be read, more than {} % ({first})", most * 100.0)]
    TooManyBad {
        /// How many cannot be read.
        bad: u64,
        /// How many there are.
        all: u64,
        /// The part that is accepted.
        most: f64,
        /// The first of them.
        first: String,
    },
    /// A file that is not read.
    #[error("{} is not read: {what}", name.display())]
    Refused {
        /// The file.
        name: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A file that is not read, in a folder of shards.
    #[error("{} is not read: {what}, in a folder with {count} of {}", name.display(), format.title())]
    RefusedAmong {
        /// The file.
        name: PathBuf,
        /// What it is.
        what: &'static str,
        /// How many shards were found before.
        count: u64,
        /// What they hold.
        format: Format,
    },
    /// A pattern without a file.
    #[error("no file matches {}", pattern.display())]
    NoMatch {
        /// The pattern.
        pattern: PathBuf,
    },
    /// An input that is named twice.
    #[error("{} is named twice; its documents would be copies of each other", name.display())]
    Twice {
        /// The input.
        name: PathBuf,
    },
    /// A column that would be written, and is there already.
    #[error("{} has a column {column} already", name.display())]
    ColumnExists {
        /// The file.
        name: PathBuf,
        /// The column.
        column: String,
    },
    /// A folder that keeps the stages of another run.
    #[error("{} keeps a run with {what}; name another folder, or remove it", folder.display())]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// What is different.
        what: String,
    },
    /// A file that is no Parquet, or one that is damaged.
    #[error("cannot read {} as Parquet", name.display())]
    Parquet {
        /// The file.
        name: PathBuf,
        /// What the Parquet library said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that is no Arrow, or one that is damaged.
    #[error("cannot read {} as Arrow", name.display())]
    Arrow {
        /// The file.
        name: PathBuf,
        /// What the Arrow library said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that is no picture, or none that is read.
    #[error("cannot read {} as a picture", name.display())]
    Picture {
        /// The file.
        name: PathBuf,
        /// What the picture library said.
        source: image::ImageError,
    },
    /// An input that is gone once it is read.
    #[error("{} can be read only once, and this needs it twice; save it to a file first", name.display())]
    Once {
        /// The input.
        name: PathBuf,
    },
    /// A line of a training file that says nothing.
    #[error("{}:{line}: {what}", name.display())]
    Category {
        /// The file.
        name: PathBuf,
        /// The line.
        line: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// An input that is not what it was when it was read first.
    #[error("an input has changed since it was read; {} was not written", output.display())]
    Changed {
        /// The output.
        output: PathBuf,
    },
    /// An output whose name says something else than what is written.
    #[error("{} would hold {got}, and its name says {expected}", name.display())]
    OutputFormat {
        /// The output.
        name: PathBuf,
        /// What its name says.
        expected: &'static str,
        /// What is written.
        got: &'static str,
    },
    /// Inputs that do not fit into one file.
    #[error(
        "{} and {} do not fit into one file: {what} differ; name a folder, for a file each",
        first.display(), second.display()
    )]
    Different {
        /// One input.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// What is different.
        what: &'static str,
    },
    /// A folder that has something in it already.
    #[error("{} is not empty; name a new folder", name.display())]
    Occupied {
        /// The folder.
        name: PathBuf,
    },
    /// An output inside of an input.
    #[error("{} lies in {}, which is read; write it elsewhere", output.display(), input.display())]
    Inside {
        /// The output.
        output: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// Two inputs that would become the same file.
    #[error("two inputs would both be written to {}", name.display())]
    SameName {
        /// The output.
        name: PathBuf,
    },
    /// What is written could not be made.
    #[error(transparent)]
    Tamis(#[from] tamis::Error),
}
