//! What can be a key.

use super::{KeyHash, KeyKinds, MULTIPLIER};
use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Something that is inserted and looked up.
///
/// Equal keys hash equally whatever type holds them:
///
/// - *Text and bytes* by their bytes: `"a"`, `String::from("a")`, `b"a"`, `'a'`, paths and
///   operating system strings. An address is the text that it is written as: `127.0.0.1`.
/// - *Integers* of any type by their eight bytes: `7u32`, `7u64` and `7i64` are one key, and so
///   are `true` and `1`. The text `"7"` is another key.
/// - *Several keys as one*: tuples, arrays and slices (but of bytes, which are bytes), and options.
///   The order matters, and the number of keys.
///
/// References and smart pointers are as what they point to. A type of one's own implements this trait
/// by the key that it has, or is wrapped in [`super::Stable`] as it is.
///
/// ```
/// use tamis::filter::BloomFilter;
/// use tamis::hash::{Key, KeyHash, KeyKinds};
///
/// struct Product {
///     number: u64,
///     name: String,
/// }
///
/// impl Key for Product {
///     fn hash_with(&self, hash: &KeyHash) -> u64 {
///         self.number.hash_with(hash)
///     }
///
///     fn kinds(&self) -> KeyKinds {
///         KeyKinds::INTEGERS
///     }
/// }
///
/// let mut sold = BloomFilter::with_false_positive_rate(100, 0.01)?;
/// sold.insert(&Product { number: 7, name: "leek".to_owned() });
/// assert!(sold.contains(&7));
/// # Ok::<(), tamis::Error>(())
/// ```
pub trait Key {
    /// The 64-bit hash of this key.
    fn hash_with(&self, hash: &KeyHash) -> u64;

    /// Which kinds of key it is. A type that says nothing is not recorded, and may be queried for
    /// in everything.
    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::NONE
    }

    /// The kinds of a list of such keys.
    #[doc(hidden)]
    #[inline(always)]
    fn list_kinds() -> KeyKinds
    where
        Self: Sized,
    {
        KeyKinds::LISTS
    }

    /// The hash of a list of such keys.
    #[doc(hidden)]
    fn hash_list(keys: &[Self], hash: &KeyHash) -> u64
    where
        Self: Sized,
    {
        let mut parts = Parts::new(hash, keys.len());
        for key in keys {
            parts.hash(key.hash_with(hash));
        }
        parts.finish()
    }
}

/// Several hashes as one.
pub(super) struct Parts<'a> {
    hash: &'a KeyHash,
    state: u64,
}

impl<'a> Parts<'a> {
    #[inline]
    pub(super) fn new(hash: &'a KeyHash, count: usize) -> Self {
        Self { hash, state: hash.integer(count as u64) }
    }

    #[inline]
    pub(super) fn hash(&mut self, part: u64) {
        self.state = self.hash.integer(self.state.wrapping_mul(MULTIPLIER) ^ part);
    }

    #[inline]
    pub(super) fn integer(&mut self, part: u64) {
        self.hash(self.hash.integer(part));
    }

    #[inline]
    pub(super) fn bytes(&mut self, part: &[u8]) {
        self.hash(self.hash.bytes(part));
    }

    #[inline]
    pub(super) const fn finish(&self) -> u64 {
        self.state
    }
}

macro_rules! as_what_is_inside {
    ($([$($generic:tt)*] $type:ty),*) => {$(
        impl<$($generic)*> Key for $type {
            #[inline]
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                (**self).hash_with(hash)
            }

            #[inline(always)]
            fn kinds(&self) -> KeyKinds {
                (**self).kinds()
            }
        }
    )*};
}
as_what_is_inside!([K: Key + ?Sized] &K, [K: Key + ?Sized] &mut K, [K: Key + ?Sized] Box<K>);
as_what_is_inside!([K: Key + ?Sized] Rc<K>, [K: Key + ?Sized] Arc<K>);
as_what_is_inside!([K: Key + ToOwned + ?Sized] Cow<'_, K>);

macro_rules! by_their_bytes {
    ($($type:ty: $bytes:ident),*) => {$(
        impl Key for $type {
            #[inline]
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                hash.bytes(self.$bytes())
            }

            #[inline(always)]
            fn kinds(&self) -> KeyKinds {
                KeyKinds::TEXT
            }
        }
    )*};
}
by_their_bytes!(str: as_bytes, String: as_bytes);

#[cfg(feature = "std")]
mod system {
    use super::{Key, KeyHash, KeyKinds};
    use std::ffi::{OsStr, OsString};
    use std::path::{Path, PathBuf};

    by_their_bytes!(OsStr: as_encoded_bytes, OsString: as_encoded_bytes);

    macro_rules! paths {
        ($($type:ty),*) => {$(
            impl Key for $type {
                #[inline]
                fn hash_with(&self, hash: &KeyHash) -> u64 {
                    self.as_os_str().hash_with(hash)
                }

                #[inline(always)]
                fn kinds(&self) -> KeyKinds {
                    KeyKinds::TEXT
                }
            }
        )*};
    }
    paths!(Path, PathBuf);
}

impl Key for char {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        hash.bytes(self.encode_utf8(&mut [0; 4]).as_bytes())
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::TEXT
    }
}

/// The longest address is `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`.
struct Written {
    bytes: [u8; 48],
    length: usize,
}

impl Write for Written {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let rest = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(fmt::Error)?;
        rest.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

macro_rules! as_they_are_written {
    ($($type:ty),*) => {$(
        impl Key for $type {
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                let mut written = Written { bytes: [0; 48], length: 0 };
                let fits = write!(written, "{self}");
                debug_assert!(fits.is_ok(), "an address has at most 45 characters");
                hash.bytes(&written.bytes[..written.length])
            }

            #[inline(always)]
            fn kinds(&self) -> KeyKinds {
                KeyKinds::TEXT
            }
        }
    )*};
}
as_they_are_written!(IpAddr, Ipv4Addr, Ipv6Addr);

macro_rules! integers_as_keys {
    ($($type:ty => $wide:ty),*) => {$(
        impl Key for $type {
            #[inline]
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                hash.integer(*self as $wide as u64)
            }

            #[inline(always)]
            fn kinds(&self) -> KeyKinds {
                KeyKinds::INTEGERS
            }
        }
    )*};
}
integers_as_keys!(bool => u64, u16 => u64, u32 => u64, u64 => u64, usize => u64);
integers_as_keys!(i8 => i64, i16 => i64, i32 => i64, i64 => i64, isize => i64);

impl Key for u8 {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        hash.integer(u64::from(*self))
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::INTEGERS
    }

    #[inline(always)]
    fn list_kinds() -> KeyKinds {
        KeyKinds::TEXT
    }

    #[inline]
    fn hash_list(bytes: &[u8], hash: &KeyHash) -> u64 {
        hash.bytes(bytes)
    }
}

impl Key for u128 {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        u64::try_from(*self).map_or_else(|_| long(*self, hash), |short| hash.integer(short))
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::INTEGERS
    }
}

impl Key for i128 {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        match (i64::try_from(*self), u64::try_from(*self)) {
            (Ok(short), _) => hash.integer(short as u64),
            (_, Ok(short)) => hash.integer(short),
            _ => long(*self as u128, hash),
        }
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::INTEGERS
    }
}

/// An integer of more than 64 bits: its lower and its upper half.
fn long(key: u128, hash: &KeyHash) -> u64 {
    [key as u64, (key >> 64) as u64].hash_with(hash)
}

impl<K: Key> Key for [K] {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        K::hash_list(self, hash)
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        K::list_kinds()
    }
}

impl<K: Key> Key for Vec<K> {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        K::hash_list(self, hash)
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        K::list_kinds()
    }
}

impl<K: Key, const N: usize> Key for [K; N] {
    #[inline]
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        K::hash_list(self, hash)
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        K::list_kinds()
    }
}

/// As a list of no key or one.
impl<K: Key> Key for Option<K> {
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        let mut parts = Parts::new(hash, usize::from(self.is_some()));
        if let Some(key) = self {
            parts.hash(key.hash_with(hash));
        }
        parts.finish()
    }

    #[inline(always)]
    fn kinds(&self) -> KeyKinds {
        KeyKinds::LISTS
    }
}

macro_rules! tuples_as_keys {
    ($($count:literal: $($name:ident)*;)*) => {$(
        impl<$($name: Key),*> Key for ($($name,)*) {
            fn hash_with(&self, hash: &KeyHash) -> u64 {
                #[allow(non_snake_case, reason = "a variable is named as its type")]
                let ($($name,)*) = self;
                let mut parts = Parts::new(hash, $count);
                $(parts.hash($name.hash_with(hash));)*
                parts.finish()
            }

            #[inline(always)]
            fn kinds(&self) -> KeyKinds {
                KeyKinds::LISTS
            }
        }
    )*};
}
tuples_as_keys! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_in_every_type() {
        let hash = KeyHash::new(3);
        let text = "açúcar".hash_with(&hash);
        assert_eq!(text, String::from("açúcar").hash_with(&hash));
        assert_eq!(text, "açúcar".as_bytes().to_vec().hash_with(&hash));
        assert_eq!(text, Box::<str>::from("açúcar").hash_with(&hash));
        assert_eq!(text, Arc::<[u8]>::from("açúcar".as_bytes()).hash_with(&hash));
        assert_eq!(text, Rc::<str>::from("açúcar").hash_with(&hash));
        assert_eq!(text, Cow::Borrowed("açúcar").hash_with(&hash));
        assert_eq!('ç'.hash_with(&hash), "ç".hash_with(&hash));
        assert_eq!(b"leek".hash_with(&hash), "leek".hash_with(&hash));
        assert_eq!(7u8.hash_with(&hash), 7i64.hash_with(&hash));
        assert_eq!(7u128.hash_with(&hash), 7usize.hash_with(&hash));
        assert_eq!((-1i16).hash_with(&hash), u64::MAX.hash_with(&hash));
        assert_eq!((-1i128).hash_with(&hash), (-1isize).hash_with(&hash));
        assert_eq!(i128::from(u64::MAX).hash_with(&hash), u128::from(u64::MAX).hash_with(&hash));
        assert_eq!(true.hash_with(&hash), 1u8.hash_with(&hash));
        assert_ne!(7u64.hash_with(&hash), "7".hash_with(&hash));
    }

    #[test]
    fn addresses_are_what_they_are_written_as() {
        let hash = KeyHash::new(3);
        for text in ["127.0.0.1", "::1", "2001:db8::8:800:200c:417a", "::ffff:192.0.2.128"] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(address.hash_with(&hash), text.hash_with(&hash));
        }
        assert_eq!(Ipv4Addr::LOCALHOST.hash_with(&hash), "127.0.0.1".hash_with(&hash));
        let longest = Ipv6Addr::from([u16::MAX; 8]);
        assert_eq!(longest.hash_with(&hash), alloc::format!("{longest}").hash_with(&hash));
    }

    #[cfg(feature = "std")]
    #[test]
    fn paths_are_their_text() {
        use std::ffi::OsStr;
        use std::path::{Path, PathBuf};
        let hash = KeyHash::new(3);
        let text = "a/leek.txt".hash_with(&hash);
        assert_eq!(PathBuf::from("a/leek.txt").hash_with(&hash), text);
        assert_eq!(Path::new("a/leek.txt").hash_with(&hash), text);
        assert_eq!(OsStr::new("a/leek.txt").hash_with(&hash), text);
    }

    #[test]
    fn every_key_knows_its_kind() {
        let text = [
            "a".kinds(),
            'a'.kinds(),
            b"a".kinds(),
            vec![7u8].kinds(),
            [7u8][..].kinds(),
            Cow::Borrowed("a").kinds(),
            Arc::<str>::from("a").kinds(),
            Ipv4Addr::LOCALHOST.kinds(),
        ];
        assert!(text.iter().all(|kinds| *kinds == KeyKinds::TEXT), "{text:?}");
        let integers = [
            7u8.kinds(),
            Box::new(7i64).kinds(),
            true.kinds(),
            u128::MAX.kinds(),
            (-1i128).kinds(),
        ];
        assert!(integers.iter().all(|kinds| *kinds == KeyKinds::INTEGERS), "{integers:?}");
        let lists = [(1, "a").kinds(), [7u16].kinds(), vec!["a"].kinds(), Some(7).kinds()];
        assert!(lists.iter().all(|kinds| *kinds == KeyKinds::LISTS), "{lists:?}");
    }

    #[test]
    fn order_number_and_nesting_of_keys_matter() {
        let hash = KeyHash::new(3);
        let keys = [
            ("a", "bc").hash_with(&hash),
            ("ab", "c").hash_with(&hash),
            ("bc", "a").hash_with(&hash),
            ("a", "b", "c").hash_with(&hash),
            (("a", "b"), "c").hash_with(&hash),
            "abc".hash_with(&hash),
            ["abc"].hash_with(&hash),
            None::<&str>.hash_with(&hash),
            Some("").hash_with(&hash),
            "".hash_with(&hash),
            u128::MAX.hash_with(&hash),
            u64::MAX.hash_with(&hash),
            i128::MIN.hash_with(&hash),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "key {index}");
        }
        assert_eq!(("a", "b").hash_with(&hash), ["a", "b"].hash_with(&hash));
        assert_eq!(Some("a").hash_with(&hash), ["a"].hash_with(&hash));
    }
}
