//! Which keys something was built from: text, integers, lists.

use crate::{Error, Result};
use alloc::string::ToString;
use core::fmt;

/// Kinds of keys. The integer 7 and the text `"7"` are different keys, and a filter has no means to
/// tell that it is queried for the wrong one. So it records the kinds that it was built from, in its
/// file too, and queries of other kinds can be refused: `check_keys` and `try_contains` of every
/// filter do, and with them the command and the Python package.
///
/// ```
/// use tamis::filter::BloomFilter;
/// use tamis::hash::KeyKinds;
///
/// let mut seen = BloomFilter::with_false_positive_rate(100, 0.01)?;
/// seen.insert(&7);
/// assert_eq!(seen.key_kinds(), KeyKinds::INTEGERS);
/// assert_eq!(seen.try_contains(&7u8)?, true);
/// assert!(seen.try_contains("7").is_err());
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KeyKinds(u8);

impl KeyKinds {
    /// None, or nothing is known: every query is allowed.
    pub const NONE: Self = Self(0);
    /// Text and bytes.
    pub const TEXT: Self = Self(1);
    /// Integers, by their eight bytes.
    pub const INTEGERS: Self = Self(2);
    /// Several keys as one: tuples, arrays, options.
    pub const LISTS: Self = Self(4);
    /// Keys of which nothing is known, as in files of earlier versions: every query is allowed.
    pub const UNKNOWN: Self = Self(8);

    /// These kinds and those.
    #[inline(always)]
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether all of these are among them.
    #[inline(always)]
    #[must_use]
    pub const fn have(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Their number in files.
    pub(crate) const fn code(self) -> u8 {
        self.0
    }

    /// The kinds with these bits, which were taken from others.
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub(crate) fn from_code(code: u8) -> Result<Self> {
        if code < 16 {
            Ok(Self(code))
        } else {
            Err(Error::malformed("key kinds", "below 16", code))
        }
    }

    /// Refuses a query for kinds of keys that it was not built from.
    ///
    /// # Errors
    /// [`Error::KeyKinds`].
    pub fn check(self, asked: Self) -> Result<()> {
        let is_known = self != Self::NONE && !self.have(Self::UNKNOWN);
        if is_known && !self.have(asked) {
            let (built, asked) = (self.to_string(), asked.to_string());
            return Err(Error::KeyKinds { built, asked });
        }
        Ok(())
    }

    /// The kinds of many keys.
    #[inline]
    pub(crate) fn of<K: super::Key>(keys: &[K]) -> Self {
        keys.iter().fold(Self::NONE, |kinds, key| kinds.with(key.kinds()))
    }
}

impl fmt::Display for KeyKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::TEXT, "text"),
            (Self::INTEGERS, "integers"),
            (Self::LISTS, "lists"),
            (Self::UNKNOWN, "unknown keys"),
        ];
        let mut before = "";
        for (_, name) in names.into_iter().filter(|(kind, _)| self.have(*kind)) {
            write!(f, "{before}{name}")?;
            before = " and ";
        }
        if before.is_empty() { f.write_str("no keys") } else { Ok(()) }
    }
}

impl fmt::Debug for KeyKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyKinds({self})")
    }
}

/// What a structure knows of its keys. It is no part of equality: that is of bits.
#[derive(Debug, Clone, Copy, Default, Eq)]
pub(crate) struct Record(pub(crate) KeyKinds);

impl PartialEq for Record {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Record {
    /// Keys of these kinds were added.
    #[inline(always)]
    pub(crate) const fn add(&mut self, kinds: KeyKinds) {
        self.0 = self.0.with(kinds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_other_kinds_are_refused_where_the_kinds_are_known() {
        let (text, integers) = (KeyKinds::TEXT, KeyKinds::INTEGERS);
        let both = text.with(integers);
        assert!(text.check(text).is_ok() && both.check(text).is_ok() && both.check(both).is_ok());
        assert!(text.check(integers).is_err() && text.check(both).is_err());
        assert!(text.with(KeyKinds::UNKNOWN).check(integers).is_ok());
        assert!(KeyKinds::NONE.check(both).is_ok() && text.check(KeyKinds::NONE).is_ok());
        assert!(integers.check(KeyKinds::LISTS).is_err());
        assert_eq!(both.to_string(), "text and integers");
        assert_eq!(KeyKinds::NONE.to_string(), "no keys");
    }
}
