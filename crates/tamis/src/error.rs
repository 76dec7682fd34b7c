//! The one error of the library: each variant carries facts, its sentence a remedy.

use crate::prelude::*;
use core::fmt;
#[cfg(feature = "std")]
use std::{io, path::PathBuf};

/// Why something was refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A false-positive rate outside of (0, 1), or smaller than can be kept.
    Rate {
        /// What was asked for.
        got: f64,
        /// The smallest rate that this structure keeps.
        least: f64,
    },
    /// A number of hash functions that no filter needs.
    Hashes {
        /// What was asked for.
        got: u64,
        /// The most that this layout takes.
        most: u32,
    },
    /// A size past [`crate::filter::MAX_BITS`], or of nothing.
    Bits {
        /// What was asked for; saturates at `u64::MAX`.
        got: u64,
        /// The largest size.
        most: u64,
    },
    /// More bits than memory can be had for.
    Memory {
        /// The allocation that failed.
        bytes: u64,
    },
    /// Any other parameter that makes no sense.
    Parameter {
        /// Its name.
        what: &'static str,
        /// What is accepted.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// Two structures that cannot be combined.
    Mismatch {
        /// What differs.
        what: &'static str,
        /// Its value on this side.
        left: String,
        /// Its value on the other side.
        right: String,
    },
    /// A query for keys of a kind that the structure was not built from.
    KeyKinds {
        /// What it was built from.
        built: String,
        /// What was asked for.
        asked: String,
    },
    /// An operation that the structure cannot do, with the reason.
    Unsupported {
        /// What the structure is.
        kind: &'static str,
        /// What was asked of it.
        operation: &'static str,
        /// Why not, and what to do instead.
        reason: &'static str,
    },
    /// The bytes are not a Tamis file at all.
    NotTamis {
        /// The first bytes, escaped.
        got: String,
    },
    /// A Tamis file of another kind than the one that is needed.
    WrongKind {
        /// What is needed.
        expected: &'static str,
        /// What the file says it is.
        got: String,
    },
    /// Written by a later version of Tamis.
    TooNew {
        /// The kind of file.
        kind: &'static str,
        /// Its version.
        got: u16,
        /// The newest that is known here.
        newest: u16,
    },
    /// Fewer bytes than the header promises.
    Truncated {
        /// How many bytes the file should have.
        expected: u64,
        /// How many it has.
        got: u64,
    },
    /// More bytes than the header promises.
    Trailing {
        /// How many.
        extra: u64,
    },
    /// A checksum that does not fit: bytes were changed.
    Checksum {
        /// Header or content.
        part: &'static str,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of what is there.
        got: u64,
    },
    /// A field whose value makes no sense although the checksum fits.
    Malformed {
        /// The field.
        what: &'static str,
        /// What is accepted.
        expected: String,
        /// What is there.
        got: String,
    },
    /// Bytes that cannot be used in place because they are not aligned.
    Unaligned,
    /// A file that cannot be read or written.
    #[cfg(feature = "std")]
    File {
        /// `read` or `write`.
        what: &'static str,
        /// Its path.
        name: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Reading or writing failed.
    #[cfg(feature = "std")]
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { got, least } => write!(
                f,
                "a false-positive rate lies between {least:e} and 1, exclusive, got {got}; 0.01 is a usual choice"
            ),
            Self::Hashes { got, most } => {
                write!(f, "the number of hash functions lies between 1 and {most}, got {got}")
            }
            Self::Bits { got, most } => write!(
                f,
                "a filter has between 1 and {most} bits, this one would have {got}; ask for fewer items or a larger rate"
            ),
            Self::Memory { bytes } => {
                write!(f, "no memory for {bytes} bytes; `tamis plan filter` shows smaller choices")
            }
            Self::Parameter { what, expected, got } => {
                write!(f, "{what} must be {expected}, got {got}")
            }
            Self::Mismatch { what, left, right } => write!(
                f,
                "these two do not match: {what} is {left} here and {right} there; build both with the same options"
            ),
            Self::KeyKinds { built, asked } => write!(
                f,
                "it was built from {built}, and this asks for {asked}: the integer 7 and the text \"7\" are different keys"
            ),
            Self::Unsupported { kind, operation, reason } => {
                write!(f, "{kind} cannot {operation}: {reason}")
            }
            Self::NotTamis { got } => {
                write!(f, "not a Tamis file: it starts with {got}, not with the Tamis signature")
            }
            Self::WrongKind { expected, got } => {
                write!(f, "this is {got}, and {expected} is needed here")
            }
            Self::TooNew { kind, got, newest } => write!(
                f,
                "{kind} of format version {got}, this program reads up to {newest}; use a newer tamis"
            ),
            Self::Truncated { expected, got } => write!(
                f,
                "truncated: {expected} bytes are needed and {got} are there; fetch or build the file again"
            ),
            Self::Trailing { extra } => write!(
                f,
                "{extra} bytes follow the end of the file's content; it was joined with something else or overwritten"
            ),
            Self::Checksum { part, expected, got } => write!(
                f,
                "damaged {part}: its checksum is {got:016x}, recorded is {expected:016x}; fetch or build the file again"
            ),
            Self::Malformed { what, expected, got } => {
                write!(f, "malformed file: {what} is {got}, expected {expected}")
            }
            Self::Unaligned => write!(
                f,
                "these bytes start at an address that is not a multiple of 64; map the whole file, or load a copy"
            ),
            #[cfg(feature = "std")]
            Self::File { what, name, source } => {
                write!(f, "cannot {what} {}: {source}", name.display())
            }
            #[cfg(feature = "std")]
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Self::File { source, .. } => Some(source),
            // It says what its source says, and so does what that has as a source.
            #[cfg(feature = "std")]
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

#[cfg(feature = "std")]
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Error {
    /// A [`Error::Mismatch`] from two values that print.
    pub(crate) fn mismatch(what: &'static str, left: impl ToString, right: impl ToString) -> Self {
        Self::Mismatch { what, left: left.to_string(), right: right.to_string() }
    }

    /// A [`Error::Malformed`] from a field's name, what is accepted and what came.
    pub(crate) fn malformed(
        what: &'static str,
        expected: impl ToString,
        got: impl ToString,
    ) -> Self {
        Self::Malformed { what, expected: expected.to_string(), got: got.to_string() }
    }
}
