//! A filter of whatever kind a file holds.

use super::bloom::{BitLayout, Blocked, Bloom, Classic, Layout};
use super::{
    CountingFilter, Design, Filter, GrowingFilter, Insert, RotatingFilter, SignatureFilter,
    StaticFilter,
};
use crate::codec::stored::{Stored, open_shared};
use crate::codec::{File, Kind};
use crate::hash::KeyHash;
use crate::memory::{Line, Mapped, Storage};
use crate::{Error, Result};
use std::io::Write;
use std::sync::Arc;

/// Any filter, in memory of its own or mapped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AnyFilter<S = Vec<Line>> {
    /// A Bloom filter of the classic layout.
    Classic(Bloom<Classic, S>),
    /// A Bloom filter of the blocked layout.
    Blocked(Bloom<Blocked, S>),
    /// A counting filter.
    Counting(CountingFilter<S>),
    /// A growing filter with classic layers.
    GrowingClassic(GrowingFilter<Classic, S>),
    /// A growing filter with blocked layers.
    GrowingBlocked(GrowingFilter<Blocked, S>),
    /// A rotating filter.
    Rotating(RotatingFilter<S>),
    /// A signature filter.
    Signatures(SignatureFilter<S>),
    /// A static filter.
    Static(StaticFilter<S>),
}

/// The same expression for whatever filter it is.
macro_rules! each {
    ($any:expr, $filter:ident => $result:expr) => {
        match $any {
            AnyFilter::Classic($filter) => $result,
            AnyFilter::Blocked($filter) => $result,
            AnyFilter::Counting($filter) => $result,
            AnyFilter::GrowingClassic($filter) => $result,
            AnyFilter::GrowingBlocked($filter) => $result,
            AnyFilter::Rotating($filter) => $result,
            AnyFilter::Signatures($filter) => $result,
            AnyFilter::Static($filter) => $result,
        }
    };
}

/// The same call for two filters of one kind.
macro_rules! both {
    ($left:expr, $right:expr, $operation:ident) => {
        match ($left, $right) {
            (AnyFilter::Classic(a), AnyFilter::Classic(b)) => a.$operation(b),
            (AnyFilter::Blocked(a), AnyFilter::Blocked(b)) => a.$operation(b),
            (AnyFilter::Counting(a), AnyFilter::Counting(b)) => a.$operation(b),
            (AnyFilter::GrowingClassic(a), AnyFilter::GrowingClassic(b)) => a.$operation(b),
            (AnyFilter::GrowingBlocked(a), AnyFilter::GrowingBlocked(b)) => a.$operation(b),
            (AnyFilter::Rotating(a), AnyFilter::Rotating(b)) => a.$operation(b),
            (AnyFilter::Signatures(_), AnyFilter::Signatures(_)) => Err(Error::Unsupported {
                kind: "a signature filter",
                operation: "be merged",
                reason: "build one from both lists",
            }),
            (AnyFilter::Static(_), AnyFilter::Static(_)) => Err(Error::Unsupported {
                kind: "a static filter",
                operation: "be merged",
                reason: "build one from both lists",
            }),
            (a, b) => Err(Error::mismatch("the kind", a.described(), b.described())),
        }
    };
}

/// The variant for what a file holds, with the filter that the expression reads.
macro_rules! of_kind {
    ($file:expr, $read:expr) => {
        Ok(match ($file.kind(), $file.parameters().u8()?) {
            (Kind::Bloom, Classic::CODE) => AnyFilter::Classic($read),
            (Kind::Bloom, Blocked::CODE) => AnyFilter::Blocked($read),
            (Kind::Growing, Classic::CODE) => AnyFilter::GrowingClassic($read),
            (Kind::Growing, Blocked::CODE) => AnyFilter::GrowingBlocked($read),
            (Kind::Bloom | Kind::Growing, code) => {
                return Err(Error::malformed("the layout", "1 or 2", code));
            }
            (Kind::Counting, _) => AnyFilter::Counting($read),
            (Kind::Rotating, _) => AnyFilter::Rotating($read),
            (Kind::Signatures, _) => AnyFilter::Signatures($read),
            (Kind::Static, _) => AnyFilter::Static($read),
            (other @ (Kind::Sketch | Kind::Index | Kind::Mail | Kind::Cascade), _) => {
                let got = other.described().to_owned();
                return Err(Error::WrongKind { expected: "a filter", got });
            }
        })
    };
}

impl<D: AsRef<[u8]>> AnyFilter<Mapped<D>> {
    /// Uses a file's bytes in place, reading nothing but the header.
    ///
    /// # Errors
    /// Whatever [`File::open`] refuses; [`Error::Unaligned`].
    pub fn open(bytes: D) -> Result<Self> {
        let bytes = &Arc::new(bytes);
        let file = File::open((**bytes).as_ref())?;
        of_kind!(file, open_shared(bytes)?)
    }

    /// Reads everything: the checksum of the content, and that unused bits are not set.
    ///
    /// # Errors
    /// [`Error::Checksum`] or [`Error::Malformed`].
    pub fn verify(bytes: D) -> Result<()> {
        File::open(bytes.as_ref())?.verify()?;
        Self::open(bytes)?.check()
    }
}

impl<S: Storage> AnyFilter<S> {
    /// A copy in memory of its own, which can be changed.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is none.
    pub fn to_owned(&self) -> Result<AnyFilter> {
        Ok(match self {
            Self::Classic(filter) => AnyFilter::Classic(filter.to_owned()?),
            Self::Blocked(filter) => AnyFilter::Blocked(filter.to_owned()?),
            Self::Counting(filter) => AnyFilter::Counting(filter.to_owned()?),
            Self::GrowingClassic(filter) => AnyFilter::GrowingClassic(filter.to_owned()?),
            Self::GrowingBlocked(filter) => AnyFilter::GrowingBlocked(filter.to_owned()?),
            Self::Rotating(filter) => AnyFilter::Rotating(filter.to_owned()?),
            Self::Signatures(filter) => AnyFilter::Signatures(filter.to_owned()?),
            Self::Static(filter) => AnyFilter::Static(filter.to_owned()?),
        })
    }

    fn check(&self) -> Result<()> {
        each!(self, filter => filter.check())
    }

    /// Writes the filter as a file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        each!(self, filter => filter.write(out))
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Classic(_) | Self::Blocked(_) => Kind::Bloom,
            Self::Counting(_) => Kind::Counting,
            Self::GrowingClassic(_) | Self::GrowingBlocked(_) => Kind::Growing,
            Self::Rotating(_) => Kind::Rotating,
            Self::Signatures(_) => Kind::Signatures,
            Self::Static(_) => Kind::Static,
        }
    }

    /// How the bits or counters of a key are placed.
    #[must_use]
    pub const fn layout(&self) -> &'static str {
        match self {
            Self::Classic(_) | Self::GrowingClassic(_) => Layout::Classic.name(),
            Self::Counting(filter) => filter.layout().name(),
            Self::Static(_) => "ribbon",
            _ => Layout::Blocked.name(),
        }
    }

    fn described(&self) -> String {
        format!("{} ({})", self.kind().described(), self.layout())
    }

    /// How many bits it has.
    #[must_use]
    pub fn bits(&self) -> u64 {
        each!(self, filter => filter.bits())
    }

    /// How many functions of a key it uses.
    #[must_use]
    pub fn hashes(&self) -> u32 {
        each!(self, filter => filter.hashes())
    }

    /// What it was made for.
    #[must_use]
    pub fn design(&self) -> Design {
        each!(self, filter => filter.design())
    }
}

impl AnyFilter {
    /// Reads a filter from a file's bytes into memory of its own, checksum included. The bytes may lie anywhere.
    ///
    /// # Errors
    /// Whatever [`File::open`] and [`File::verify`] refuse; [`Error::WrongKind`] for what is no filter.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = File::open(bytes)?;
        of_kind!(file, Stored::from_bytes(bytes)?)
    }

    /// Everything that either filter has.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both are of one kind, size, hash and seed.
    pub fn union<S: Storage>(&mut self, other: &AnyFilter<S>) -> Result<()> {
        both!(self, other, union)
    }

    /// What both filters have.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both are of one kind, size, hash and seed;
    /// [`Error::Unsupported`] for growing filters that have grown.
    pub fn intersection<S: Storage>(&mut self, other: &AnyFilter<S>) -> Result<()> {
        both!(self, other, intersection)
    }

    /// The filter as something that takes keys.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for kinds that are built once.
    pub fn as_insert(&mut self) -> Result<&mut dyn Insert> {
        Ok(match self {
            Self::Classic(filter) => filter,
            Self::Blocked(filter) => filter,
            Self::Counting(filter) => filter,
            Self::GrowingClassic(filter) => filter,
            Self::GrowingBlocked(filter) => filter,
            Self::Rotating(filter) => filter,
            Self::Signatures(_) => {
                return Err(Error::Unsupported {
                    kind: "a signature filter",
                    operation: "be added to",
                    reason: "its window follows from all signatures; build it again",
                });
            }
            Self::Static(_) => {
                return Err(Error::Unsupported {
                    kind: "a static filter",
                    operation: "be added to",
                    reason: "it is solved for all its keys at once; build it again, or use another kind",
                });
            }
        })
    }
}

impl<S: Storage> Filter for AnyFilter<S> {
    fn hash(&self) -> &KeyHash {
        each!(self, filter => filter.hash())
    }

    fn contains_hash(&self, hash: u64) -> bool {
        each!(self, filter => filter.contains_hash(hash))
    }

    fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
        each!(self, filter => filter.contains_many_hashes(hashes, found));
    }

    fn indexes_hash(&self, hash: u64) -> Vec<u64> {
        each!(self, filter => filter.indexes_hash(hash))
    }

    fn len(&self) -> u64 {
        each!(self, filter => filter.len())
    }

    fn fill(&self) -> f64 {
        each!(self, filter => filter.fill())
    }

    fn estimated_items(&self) -> f64 {
        each!(self, filter => filter.estimated_items())
    }

    fn current_false_positive_rate(&self) -> f64 {
        each!(self, filter => filter.current_false_positive_rate())
    }
}
