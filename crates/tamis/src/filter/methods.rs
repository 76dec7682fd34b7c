//! What every filter does, as methods of its type: nobody has to import a trait to use a filter.
//!
//! A kind names the macros that fit: [`question_methods`] for all, [`insert_methods`] for those
//! that keys can be added to, [`stored_methods`] for those that are files.

use super::Filter;
use crate::hash::KeyKinds;
use core::fmt;

/// What [`Filter`](super::Filter) answers.
macro_rules! question_methods {
    ($name:ident $(, $layout:ident: $bound:ident)?) => {
        $crate::filter::methods::question_methods!(
            impl [$($layout: $bound,)? S: $crate::memory::Storage] $name<$($layout,)? S>
        );
    };
    (impl [$($generics:tt)*] $filter:ty) => {
        impl<$($generics)*> $filter {
            /// Whether this key is probably in.
            #[inline(always)]
            #[must_use]
            pub fn contains<K: $crate::hash::Key + ?Sized>(&self, key: &K) -> bool {
                $crate::filter::Filter::contains(self, key)
            }

            /// Whether a key with this hash is probably in.
            #[inline(always)]
            #[must_use]
            pub fn contains_hash(&self, hash: u64) -> bool {
                $crate::filter::Filter::contains_hash(self, hash)
            }

            /// Whether this key is probably in, or that keys of its kind cannot be.
            ///
            /// # Errors
            /// [`Error::KeyKinds`](crate::Error::KeyKinds).
            pub fn try_contains<K: $crate::hash::Key + ?Sized>(
                &self,
                key: &K,
            ) -> $crate::Result<bool> {
                $crate::filter::Filter::try_contains(self, key)
            }

            /// Which keys it was built from, as far as that is known.
            #[must_use]
            pub fn key_kinds(&self) -> $crate::hash::KeyKinds {
                $crate::filter::Filter::key_kinds(self)
            }

            /// Refuses queries for keys of kinds that it was not built from.
            ///
            /// # Errors
            /// [`Error::KeyKinds`](crate::Error::KeyKinds).
            pub fn check_keys(&self, asked: $crate::hash::KeyKinds) -> $crate::Result<()> {
                $crate::filter::Filter::check_keys(self, asked)
            }

            /// Whether these keys are probably in, in their order. Several times as fast as one
            /// by one when the filter is larger than the caches.
            #[must_use]
            pub fn contains_many<K: $crate::hash::Key>(&self, keys: &[K]) -> Vec<bool> {
                $crate::filter::Filter::contains_many(self, keys)
            }

            /// Whether keys with these hashes are probably in, into `found`, which must be as
            /// long.
            #[inline]
            pub fn contains_many_hashes(&self, hashes: &[u64], found: &mut [bool]) {
                $crate::filter::Filter::contains_many_hashes(self, hashes, found);
            }

            /// Where this key has its bits or counters, in the order of the functions.
            #[must_use]
            pub fn indexes<K: $crate::hash::Key + ?Sized>(&self, key: &K) -> Vec<u64> {
                $crate::filter::Filter::indexes(self, key)
            }

            /// Where a key with this hash has its bits or counters.
            #[must_use]
            pub fn indexes_hash(&self, hash: u64) -> Vec<u64> {
                $crate::filter::Filter::indexes_hash(self, hash)
            }

            /// The hash and seed that this filter was made with.
            #[inline(always)]
            #[must_use]
            pub fn hash(&self) -> &$crate::hash::KeyHash {
                $crate::filter::Filter::hash(self)
            }

            /// How many keys were inserted, repetitions included.
            #[must_use]
            pub fn len(&self) -> u64 {
                $crate::filter::Filter::len(self)
            }

            /// Whether nothing is in.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                $crate::filter::Filter::is_empty(self)
            }

            /// The part of the bits or counters that is not zero, between 0 and 1.
            #[must_use]
            pub fn fill(&self) -> f64 {
                $crate::filter::Filter::fill(self)
            }

            /// How many different keys were inserted, estimated from the fill.
            #[must_use]
            pub fn estimated_items(&self) -> f64 {
                $crate::filter::Filter::estimated_items(self)
            }

            /// The probability that a key which was never inserted is found now.
            #[must_use]
            pub fn current_false_positive_rate(&self) -> f64 {
                $crate::filter::Filter::current_false_positive_rate(self)
            }
        }
    };
}

/// What [`Insert`](super::Insert) does.
macro_rules! insert_methods {
    ($name:ident $(, $layout:ident: $bound:ident)?) => {
        impl<$($layout: $bound)?> $name<$($layout)?> {
            /// Inserts a key; whether it was new. A key that is found by chance is taken for one
            /// that was in.
            #[inline(always)]
            pub fn insert<K: $crate::hash::Key + ?Sized>(&mut self, key: &K) -> bool {
                $crate::filter::Insert::insert(self, key)
            }

            /// Inserts a key with this hash; whether it was new.
            #[inline(always)]
            pub fn insert_hash(&mut self, hash: u64) -> bool {
                $crate::filter::Insert::insert_hash(self, hash)
            }

            /// Inserts many keys. Several times as fast as one by one when the filter is larger
            /// than the caches.
            pub fn insert_many<K: $crate::hash::Key>(&mut self, keys: &[K]) {
                $crate::filter::Insert::insert_many(self, keys);
            }

            /// Inserts keys with these hashes.
            #[inline]
            pub fn insert_many_hashes(&mut self, hashes: &[u64]) {
                $crate::filter::Insert::insert_many_hashes(self, hashes);
            }

            /// Says what hashes were made of that are inserted: recorded in the file, for
            /// [`Self::check_keys`].
            #[inline(always)]
            pub fn record_keys(&mut self, kinds: $crate::hash::KeyKinds) {
                $crate::filter::Insert::record_keys(self, kinds);
            }

            /// Forgets everything.
            pub fn clear(&mut self) {
                $crate::filter::Insert::clear(self);
            }
        }
    };
}

/// What [`Stored`](super::Stored) does, and files by their paths. In debug output a structure is
/// its size and fill, not its bits.
macro_rules! stored_methods {
    ($name:ident $(, $layout:ident: $bound:ident)?) => {
        impl<$($layout: $bound,)? S: $crate::memory::Storage> core::fmt::Debug
            for $name<$($layout,)? S>
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::filter::methods::describe(self, self.bits(), self.hashes())
                    .fmt(stringify!($name), f)
            }
        }

        impl<$($layout: $bound,)? S: $crate::memory::Storage> $name<$($layout,)? S> {
            /// Saves it in a file, which appears whole or not at all.
            ///
            /// # Errors
            /// [`Error::File`](crate::Error::File).
            #[cfg(feature = "std")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> $crate::Result<()> {
                $crate::codec::stored::save(path.as_ref(), |out| self.write(out))
            }

            /// Writes it as a file.
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io) from `out`.
            pub fn write(&self, out: &mut dyn $crate::codec::Write) -> $crate::Result<()> {
                $crate::filter::Stored::write(self, out)
            }

            /// The bytes of its file.
            ///
            /// # Errors
            /// [`Error::Malformed`](crate::Error::Malformed) for more parameters than a header
            /// holds.
            pub fn to_bytes(&self) -> $crate::Result<Vec<u8>> {
                let mut bytes = Vec::new();
                self.write(&mut bytes)?;
                Ok(bytes)
            }
        }

        impl<$($layout: $bound)?> $name<$($layout)?> {
            /// Opens a file, into memory of its own, and checks all of it.
            ///
            /// # Errors
            /// [`Error::File`](crate::Error::File), or whatever [`Self::from_bytes`] refuses.
            #[cfg(feature = "std")]
            pub fn open(path: impl AsRef<std::path::Path>) -> $crate::Result<Self> {
                Self::from_bytes($crate::codec::stored::bytes_at(path.as_ref())?.as_ref())
            }

            /// Uses a file where it is: a large one is mapped, and nothing but its header is read
            /// now. It must be replaced, never overwritten, while it is in use
            /// ([`Bytes`](crate::codec::Bytes)).
            ///
            /// # Errors
            /// [`Error::File`](crate::Error::File), or whatever
            /// [`File::open`](crate::codec::File::open) refuses.
            #[cfg(feature = "std")]
            pub fn open_mapped(
                path: impl AsRef<std::path::Path>,
            ) -> $crate::Result<$name<$($layout,)? $crate::memory::Mapped<$crate::codec::Bytes>>> {
                $name::in_place($crate::codec::stored::bytes_at(path.as_ref())?)
            }

            /// Reads it from a file's bytes into memory of its own, checksum included. The bytes
            /// may start at any address.
            ///
            /// # Errors
            /// Whatever [`File::open`](crate::codec::File::open) and
            /// [`File::verify`](crate::codec::File::verify) refuse;
            /// [`Error::WrongKind`](crate::Error::WrongKind) for another kind of file.
            pub fn from_bytes(bytes: &[u8]) -> $crate::Result<Self> {
                $crate::filter::Stored::from_bytes(bytes)
            }
        }

        impl<$($layout: $bound,)? D: AsRef<[u8]>> $name<$($layout,)? $crate::memory::Mapped<D>> {
            /// Uses a file's bytes in place, reading nothing but the header.
            ///
            /// # Errors
            /// Whatever [`File::open`](crate::codec::File::open) refuses;
            /// [`Error::Unaligned`](crate::Error::Unaligned) if the bytes do not start at a
            /// multiple of 64.
            pub fn in_place(bytes: D) -> $crate::Result<Self> {
                $crate::filter::Stored::in_place(bytes)
            }
        }
    };
}

/// What debug output says of a filter.
pub(crate) struct Description {
    bits: u64,
    hashes: u32,
    len: u64,
    fill: f64,
    seed: u64,
    keys: KeyKinds,
}

pub(crate) fn describe(filter: &impl Filter, bits: u64, hashes: u32) -> Description {
    let (len, fill, seed) = (filter.len(), filter.fill(), filter.hash().seed());
    Description { bits, hashes, len, fill, seed, keys: filter.key_kinds() }
}

impl Description {
    pub(crate) fn fmt(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("bits", &self.bits)
            .field("hashes", &self.hashes)
            .field("len", &self.len)
            .field("fill", &self.fill)
            .field("seed", &self.seed)
            .field("keys", &format_args!("{}", self.keys))
            .finish()
    }
}

pub(crate) use {insert_methods, question_methods, stored_methods};
