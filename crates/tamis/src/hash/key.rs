//! What can be a key.

use super::KeyHash;

/// Something that is inserted and asked for: text, bytes or an integer.
///
/// Equal keys hash equally whatever type holds them: `"a"`, `String::from("a")`
/// and `b"a"` are one key; so are `7u32`, `7u64` and `7i64`.
pub trait Key {
    /// The 64-bit hash of this key.
    fn hash_with(&self, hash: &KeyHash) -> u64;
}

impl<K: Key + ?Sized> Key for &K {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        (**self).hash_with(hash)
    }
}

macro_rules! bytes_as_keys {
    ($($type:ty),*) => {$(
        impl Key for $type {
            #[inline]
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                hash.bytes(self.as_ref())
            }
        }
    )*};
}
bytes_as_keys!([u8], Vec<u8>, Box<[u8]>, str, String);

impl<const N: usize> Key for [u8; N] {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        hash.bytes(self)
    }
}

macro_rules! integers_as_keys {
    ($($type:ty => $wide:ty),*) => {$(
        impl Key for $type {
            #[inline]
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                hash.integer(<$wide>::from(*self) as u64)
            }
        }
    )*};
}
integers_as_keys!(u8 => u64, u16 => u64, u32 => u64, u64 => u64);
integers_as_keys!(i8 => i64, i16 => i64, i32 => i64, i64 => i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_in_every_type() {
        let hash = KeyHash::new(3);
        let text = "açúcar".hash_with(&hash);
        assert_eq!(text, String::from("açúcar").hash_with(&hash));
        assert_eq!(text, "açúcar".as_bytes().to_vec().hash_with(&hash));
        assert_eq!(7u8.hash_with(&hash), 7i64.hash_with(&hash));
        assert_eq!((-1i16).hash_with(&hash), u64::MAX.hash_with(&hash));
        assert_ne!(7u64.hash_with(&hash), "7".hash_with(&hash));
    }
}
