//! Any type that implements `Hash` as a key.

use super::key::Parts;
use super::{Key, KeyHash, KeyKinds};
use core::hash::{Hash, Hasher};

/// A value of any type that implements [`Hash`] as a key.
///
/// The hash does not depend on the platform, the process or the version of the standard library's
/// hasher: integers go in little-endian, `usize` and `isize` as 64 bits. It depends on what the
/// type's `Hash` implementation hands over, so that a changed order of fields makes other keys.
/// One thing is outside of this crate's power: slices of integers of more than one byte are
/// handed over as the memory of the machine, so that big-endian machines get other keys of them.
/// Tuples and arrays as keys of their own have no such limit.
///
/// ```
/// use tamis::filter::BloomFilter;
/// use tamis::hash::Stable;
///
/// #[derive(Hash)]
/// struct Visit {
///     host: String,
///     port: u16,
/// }
///
/// let mut seen = BloomFilter::with_false_positive_rate(1_000, 0.01)?;
/// let visit = Visit { host: "example.org".to_owned(), port: 443 };
/// seen.insert(&Stable(&visit));
/// assert!(seen.contains(&Stable(&visit)));
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug)]
pub struct Stable<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for Stable<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Stable<'_, T> {}

impl<T: Hash + ?Sized> Key for Stable<'_, T> {
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        let mut hasher = StableHasher(Parts::new(hash, 0));
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::LISTS
    }
}

/// Takes everything as parts of fixed width.
struct StableHasher<'a>(Parts<'a>);

macro_rules! fixed_width {
    ($($method:ident: $type:ty => $wide:ty),*) => {$(
        fn $method(&mut self, value: $type) {
            self.0.integer(value as $wide as u64);
        }
    )*};
}

impl Hasher for StableHasher<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    fixed_width!(write_u8: u8 => u64, write_u16: u16 => u64, write_u32: u32 => u64);
    fixed_width!(write_u64: u64 => u64, write_usize: usize => u64);
    fixed_width!(write_i8: i8 => i64, write_i16: i16 => i64, write_i32: i32 => i64);
    fixed_width!(write_i64: i64 => i64, write_isize: isize => i64);

    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }

    fn write_i128(&mut self, value: i128) {
        self.write_u128(value as u128);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Hash)]
    enum Shape {
        Empty,
        Square { side: u32 },
    }

    #[test]
    fn equal_values_have_equal_keys_and_others_do_not() {
        let hash = KeyHash::new(1);
        let key = |shape: &Shape| Stable(shape).hash_with(&hash);
        assert_eq!(key(&Shape::Square { side: 2 }), key(&Shape::Square { side: 2 }));
        let all = [Shape::Empty, Shape::Square { side: 0 }, Shape::Square { side: 1 }];
        let mut keys: Vec<u64> = all.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all.len());
    }

    /// Computed by the description in `docs/format.md`, not by this code.
    #[test]
    fn parts_are_joined_as_the_format_says() {
        let hash = KeyHash::new(0);
        let join =
            |state: u64, part| hash.integer(state.wrapping_mul(crate::hash::MULTIPLIER) ^ part);
        let expected = [hash.integer(5), hash.bytes(b"leek"), hash.integer(0xFF)]
            .into_iter()
            .fold(hash.integer(0), join);
        assert_eq!(Stable(&(5usize, "leek")).hash_with(&hash), expected);
    }
}
