//! Filters as fields of structures that serde writes: the bytes of their files.
//!
//! Formats for people get them as hexadecimal text, others as bytes. What comes in is checked as a
//! file is, to the last byte.

use super::bloom::{BitLayout, Bloom};
use super::{
    AnyFilter, CountingFilter, GrowingFilter, RotatingFilter, SignatureFilter, StaticFilter,
};
use crate::memory::Storage;
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn write<S: Serializer>(bytes: Result<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = bytes.map_err(S::Error::custom)?;
    if !serializer.is_human_readable() {
        return serializer.serialize_bytes(&bytes);
    }
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let text: String = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    serializer.serialize_str(&text)
}

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_str(FileBytes)
    } else {
        deserializer.deserialize_byte_buf(FileBytes)
    }
}

/// The bytes of a file, however they come.
struct FileBytes;

impl<'de> Visitor<'de> for FileBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a Tamis file")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        let digit = |byte: u8| (byte as char).to_digit(16);
        let pairs = text.as_bytes().chunks(2).map(|pair| match *pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        });
        let bytes: Option<Vec<u8>> = pairs.collect();
        bytes.ok_or_else(|| E::custom("a filter as text is pairs of hexadecimal digits"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Vec<u8>, A::Error> {
        let mut all = Vec::new();
        while let Some(byte) = bytes.next_element()? {
            all.push(byte);
        }
        Ok(all)
    }
}

macro_rules! as_files {
    ($($name:ident $(<$layout:ident: $bound:ident>)?),*) => {$(
        impl<$($layout: $bound,)? S: Storage> Serialize for $name<$($layout,)? S> {
            fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                write(self.to_bytes(), serializer)
            }
        }

        impl<'de $(, $layout: $bound)?> Deserialize<'de> for $name<$($layout)?> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let bytes = read(deserializer)?;
                Self::from_bytes(&bytes).map_err(|error: Error| D::Error::custom(error))
            }
        }
    )*};
}
as_files!(Bloom<L: BitLayout>, GrowingFilter<L: BitLayout>, CountingFilter, RotatingFilter);
as_files!(SignatureFilter, StaticFilter, AnyFilter);
