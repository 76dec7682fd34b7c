//! A filter of whatever kind a file holds.

use super::bloom::{BitLayout, Blocked, Bloom, Classic, Layout};
use super::methods::question_methods;
use super::{
    CountingFilter, Design, Filter, GrowingFilter, Insert, Removal, RotatingFilter,
    SignatureFilter, StaticFilter,
};
use crate::codec::Write;
use crate::codec::stored::{Stored, open_shared};
#[cfg(feature = "std")]
use crate::codec::{Bytes, stored};
use crate::codec::{File, Kind};
use crate::hash::{Key, KeyHash, KeyKinds};
use crate::memory::{Line, Mapped, Storage};
use crate::prelude::*;
use crate::{Error, Result};
use alloc::sync::Arc;
use core::fmt;
#[cfg(feature = "std")]
use std::path::Path;

/// Any filter, in memory of its own or mapped.
#[derive(Clone, PartialEq)]
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
    pub fn in_place(bytes: D) -> Result<Self> {
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
        Self::in_place(bytes)?.check()
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

    /// Saves the filter in a file, which appears whole or not at all.
    ///
    /// # Errors
    /// [`Error::File`].
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        stored::save(path.as_ref(), |out| self.write(out))
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// [`Error::Malformed`] for more parameters than a header holds.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// How often this key is in, or the most that a counter can tell.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for all but counting filters.
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Result<u32> {
        match self {
            Self::Counting(filter) => Ok(filter.count(key)),
            other => Err(Error::Unsupported {
                kind: other.kind().described(),
                operation: "count",
                reason: "it knows whether it has seen a key, not how often; use a counting filter",
            }),
        }
    }

    /// Whether the other Bloom filter has every bit of this one.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both are of one size, hash and seed; [`Error::Unsupported`] for other
    /// kinds.
    pub fn is_subset<T: Storage>(&self, other: &AnyFilter<T>) -> Result<bool> {
        match (self, other) {
            (Self::Classic(a), AnyFilter::Classic(b)) => a.is_subset(b),
            (Self::Blocked(a), AnyFilter::Blocked(b)) => a.is_subset(b),
            (a, b) if a.kind() != Kind::Bloom || b.kind() != Kind::Bloom => {
                let other = if a.kind() == Kind::Bloom { b.kind() } else { a.kind() };
                Err(Error::Unsupported {
                    kind: other.described(),
                    operation: "be compared as a set",
                    reason: "only Bloom filters are sets of bits",
                })
            }
            (a, b) => Err(Error::mismatch("the kind", a.described(), b.described())),
        }
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
    /// Opens a file, into memory of its own, and checks all of it.
    ///
    /// ```
    /// use tamis::filter::{AnyFilter, BloomFilter};
    ///
    /// # let folder = std::env::temp_dir().join(format!("tamis-any-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("seen.tamis");
    /// let mut seen = BloomFilter::with_false_positive_rate(1_000, 0.01)?;
    /// seen.insert("leek");
    /// seen.save(&path)?;
    /// let mut opened = AnyFilter::open(&path)?;
    /// assert!(opened.contains("leek"));
    /// assert!(opened.insert("turnip")?);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tamis::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::File`], or whatever [`Self::from_bytes`] refuses.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_bytes(stored::bytes_at(path.as_ref())?.as_ref())
    }

    /// Uses a file where it is: a large one is mapped, and nothing but its header is read now.
    /// It must be replaced, never overwritten, while it is in use ([`Bytes`]).
    ///
    /// # Errors
    /// [`Error::File`], or whatever [`File::open`] refuses.
    #[cfg(feature = "std")]
    pub fn open_mapped(path: impl AsRef<Path>) -> Result<AnyFilter<Mapped<Bytes>>> {
        AnyFilter::in_place(stored::bytes_at(path.as_ref())?)
    }

    /// Inserts a key; whether it was new, which is not known of one that is found by chance.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for kinds that are built once.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = key.hash_with(self.hash());
        let filter = self.as_insert()?;
        filter.record_keys(key.kinds());
        Ok(filter.insert_hash(hash))
    }

    /// Takes a key back once.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for all but counting filters.
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<Removal> {
        match self {
            Self::Counting(filter) => Ok(filter.remove(key)),
            other => Err(Error::Unsupported {
                kind: other.kind().described(),
                operation: "take back a key",
                reason: "its bits are shared with others; use a counting filter",
            }),
        }
    }

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

question_methods!(AnyFilter);

impl<S: Storage> fmt::Debug for AnyFilter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, filter => filter.fmt(f))
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

    fn key_kinds(&self) -> KeyKinds {
        each!(self, filter => filter.key_kinds())
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
