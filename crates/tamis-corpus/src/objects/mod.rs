//! Objects of stores as inputs: `s3://`, `gs://`, `az://`, and files of web servers.
//!
//! 1. `s3://bucket/key` is an object, or a folder if keys begin with `key/`; a pattern stands for
//!    the objects that it matches. Credentials, regions and endpoints come from the environment,
//!    under the names that other programs use (`AWS_ACCESS_KEY_ID`, `GOOGLE_SERVICE_ACCOUNT`,
//!    `AZURE_STORAGE_ACCOUNT_NAME`, `AWS_ENDPOINT_URL`, ...).
//! 2. `http://` and `https://` name one file each. A server that answers no ranges is read once,
//!    as a pipe is.
//! 3. Bytes come in parts of at most 4 MiB, one ahead of the reader, so that memory does not
//!    depend on the size of an object; of Parquet, only the chunks of the wanted columns.
//! 4. Requests are repeated when a store does not answer or answers with an error of its own.
//!    What fails then is an error, never the end of a file.
//! 5. A run reads one version of an object: an object that changes meanwhile is an error.
//!
//! Without the feature `objects` such inputs are refused by name.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

#[cfg(feature = "objects")]
mod find;
#[cfg(feature = "objects")]
mod object;
#[cfg(feature = "objects")]
mod parts;
#[cfg(feature = "objects")]
mod store;
#[cfg(feature = "objects")]
mod windows;

#[cfg(not(feature = "objects"))]
#[path = "absent.rs"]
mod object;

#[cfg(feature = "objects")]
pub(crate) use store::Stores;
#[cfg(feature = "objects")]
pub(crate) use windows::WindowsReader;

pub(crate) use object::{Found, Object};
#[cfg(not(feature = "objects"))]
pub(crate) use object::{Stores, WindowsReader};

/// The schemes of addresses.
const SCHEMES: [&str; 10] =
    ["s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss", "http", "https"];

/// Whether this input is the address of objects and no path: `s3://bucket/key`.
#[must_use]
pub fn is_address(input: &Path) -> bool {
    let scheme = input.to_str().and_then(|text| text.split_once("://"));
    scheme.is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// An object that is open for reading at any offset.
#[derive(Debug)]
pub struct Opened(WindowsReader);

impl io::Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl io::Seek for Opened {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Opens the object of an address.
///
/// # Errors
/// [`crate::Error::Read`] if there is none, or if it is a folder.
pub fn open(address: &Path) -> crate::Result<Opened> {
    let mut found = Stores::default().find(address)?.into_iter();
    if let (Some((_, Found::One(object))), None) = (found.next(), found.next()) {
        return Ok(Opened(object.windows()));
    }
    let source = Failed::error(io::ErrorKind::Unsupported, "it is no single object with ranges");
    Err(crate::Error::Read { name: address.to_owned(), source })
}

/// What a store said instead of giving bytes. It travels inside of [`io::Error`], so that nobody
/// takes it for the end or the damage of a file.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    kind: io::ErrorKind,
    sentence: String,
}

impl Failed {
    pub(crate) fn error(kind: io::ErrorKind, sentence: impl Into<String>) -> io::Error {
        io::Error::new(kind, Self { kind, sentence: sentence.into() })
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Error for Failed {}

/// What a store said, if that is the cause of an error.
pub(crate) fn failure_in(error: &(dyn Error + 'static)) -> Option<io::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let failed = inner.and_then(|inner| inner.downcast_ref::<Failed>());
        if let Some(Failed { kind, sentence }) = failed {
            return Some(Failed::error(*kind, sentence.clone()));
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for address in ["s3://bucket/key", "gs://b", "az://c/k", "http://h/f", "https://h/f"] {
            assert!(is_address(Path::new(address)), "{address}");
        }
        for path in ["s3:/bucket/key", "s3", "/s3://bucket", "file:///a", "a/b", "-", "c:\\a"] {
            assert!(!is_address(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_a_store_said_is_found_below_other_errors() {
        let error = Failed::error(io::ErrorKind::NotFound, "there is no such object");
        let wrapped = io::Error::other(crate::Error::Read { name: "n".into(), source: error });
        let found = failure_in(&wrapped).expect("the failure");
        assert_eq!(found.kind(), io::ErrorKind::NotFound);
        assert_eq!(found.to_string(), "there is no such object");
        assert!(failure_in(&io::Error::other("damaged")).is_none());
    }
}
