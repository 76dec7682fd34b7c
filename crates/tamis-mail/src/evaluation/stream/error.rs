//! Why a stream cannot be evaluated.

use std::io;
use std::path::PathBuf;

/// Why a stream cannot be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A file that cannot be read.
    #[error("cannot read {}", name.display())]
    Read {
        /// The file.
        name: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// A line of an index without a label and a path.
    #[error("{}, line {line}: expected a label and a path, got {got:?}", name.display())]
    Line {
        /// The index.
        name: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Its text.
        got: String,
    },
    /// A message that no rule finds.
    #[error("{}, line {line}: there is no message {}", name.display(), path.display())]
    Missing {
        /// The index.
        name: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The path as written.
        path: PathBuf,
    },
    /// More labels than a filter has.
    #[error("{}, line {line}: more than {most} labels", name.display())]
    Labels {
        /// The index.
        name: PathBuf,
        /// The line of the label that is one too many.
        line: usize,
        /// The limit.
        most: usize,
    },
    /// Feedback in an unknown form.
    #[error("feedback is immediate, delayed:MESSAGES or partial:SHARE% (up to 100%), got {got:?}")]
    Feedback {
        /// What was given.
        got: String,
    },
    /// A draw in an unknown form.
    #[error("a draw is SPAM+HAM, such as 20+20, got {got:?}")]
    Draw {
        /// What was given.
        got: String,
    },
    /// A draw of more messages than the stream has.
    #[error("cannot draw {wanted} {label}: the stream has {got} with feedback")]
    TooFew {
        /// The label.
        label: &'static str,
        /// How many should be drawn.
        wanted: usize,
        /// How many there are.
        got: usize,
    },
    /// A range without a message.
    #[error("no message to judge from number {from} to number {to}")]
    Empty {
        /// The first number.
        from: usize,
        /// The last number.
        to: usize,
    },
    /// A filter that cannot be set up.
    #[error(transparent)]
    Filter(#[from] tamis::Error),
}
