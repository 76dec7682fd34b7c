//! The one error of the library: each variant carries facts, its sentence a remedy.

use std::io;
use std::path::PathBuf;

/// Why something was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A false-positive rate outside of (0, 1), or smaller than can be kept.
    #[error(
        "a false-positive rate lies between {least:e} and 1, exclusive, got {got}; 0.01 is a usual choice"
    )]
    Rate {
        /// What was asked for.
        got: f64,
        /// The smallest rate that this structure keeps.
        least: f64,
    },
    /// A number of hash functions that no filter needs.
    #[error("the number of hash functions lies between 1 and {most}, got {got}")]
    Hashes {
        /// What was asked for.
        got: u64,
        /// The most that this layout takes.
        most: u32,
    },
    /// A size past [`crate::filter::MAX_BITS`], or of nothing.
    #[error(
        "a filter has between 1 and {most} bits, this one would have {got}; ask for fewer items or a larger rate"
    )]
    Bits {
        /// What was asked for; saturates at `u64::MAX`.
        got: u64,
        /// The largest size.
        most: u64,
    },
    /// More bits than memory can be had for.
    #[error("no memory for {bytes} bytes; `tamis plan filter` shows smaller choices")]
    Memory {
        /// The allocation that failed.
        bytes: u64,
    },
    /// Any other parameter that makes no sense.
    #[error("{what} must be {expected}, got {got}")]
    Parameter {
        /// Its name.
        what: &'static str,
        /// What is accepted.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// Two structures that cannot be combined.
    #[error(
        "these two do not match: {what} is {left} here and {right} there; build both with the same options"
    )]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// Its value on this side.
        left: String,
        /// Its value on the other side.
        right: String,
    },
    /// A query for keys of a kind that the structure was not built from.
    #[error(
        "it was built from {built}, and this asks for {asked}: the integer 7 and the text \"7\" are different keys"
    )]
    KeyKinds {
        /// What it was built from.
        built: String,
        /// What was asked for.
        asked: String,
    },
    /// An operation that the structure cannot do, with the reason.
    #[error("{kind} cannot {operation}: {reason}")]
    Unsupported {
        /// What the structure is.
        kind: &'static str,
        /// What was asked of it.
        operation: &'static str,
        /// Why not, and what to do instead.
        reason: &'static str,
    },
    /// The bytes are not a Tamis file at all.
    #[error("not a Tamis file: it starts with {got}, not with the Tamis signature")]
    NotTamis {
        /// The first bytes, escaped.
        got: String,
    },
    /// A Tamis file of another kind than the one that is needed.
    #[error("this is {got}, and {expected} is needed here")]
    WrongKind {
        /// What is needed.
        expected: &'static str,
        /// What the file says it is.
        got: String,
    },
    /// Written by a later version of Tamis.
    #[error("{kind} of format version {got}, this program reads up to {newest}; use a newer tamis")]
    TooNew {
        /// The kind of file.
        kind: &'static str,
        /// Its version.
        got: u16,
        /// The newest that is known here.
        newest: u16,
    },
    /// Fewer bytes than the header promises.
    #[error(
        "truncated: {expected} bytes are needed and {got} are there; fetch or build the file again"
    )]
    Truncated {
        /// How many bytes the file should have.
        expected: u64,
        /// How many it has.
        got: u64,
    },
    /// More bytes than the header promises.
    #[error(
        "{extra} bytes follow the end of the file's content; it was joined with something else or overwritten"
    )]
    Trailing {
        /// How many.
        extra: u64,
    },
    /// A checksum that does not fit: bytes were changed.
    #[error(
        "damaged {part}: its checksum is {got:016x}, recorded is {expected:016x}; fetch or build the file again"
    )]
    Checksum {
        /// Header or content.
        part: &'static str,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of what is there.
        got: u64,
    },
    /// A field whose value makes no sense although the checksum fits.
    #[error("malformed file: {what} is {got}, expected {expected}")]
    Malformed {
        /// The field.
        what: &'static str,
        /// What is accepted.
        expected: String,
        /// What is there.
        got: String,
    },
    /// Bytes that cannot be used in place because they are not aligned.
    #[error(
        "these bytes start at an address that is not a multiple of 64; map the whole file, or load a copy"
    )]
    Unaligned,
    /// A file that cannot be read or written.
    #[error("cannot {what} {}: {source}", name.display())]
    File {
        /// `read` or `write`.
        what: &'static str,
        /// Its path.
        name: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
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
