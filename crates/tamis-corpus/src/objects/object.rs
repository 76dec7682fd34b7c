//! One object: what it is called, which version of it is read, and its bytes.

use super::Failed;
use super::parts::Parts;
use super::store::{Tasks, failed};
use super::windows::{Windows, WindowsReader};
use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// What an address stands for.
pub(crate) enum Found {
    /// An object.
    One(Object),
    /// A folder: its objects in the order of their paths, with where they are in it.
    Many(Vec<(PathBuf, Object)>),
    /// A file of a server that answers no ranges.
    Stream(Box<dyn Read + Send>),
}

/// An object of a store.
#[derive(Clone)]
pub(crate) struct Object {
    path: Arc<Path>,
    tasks: Arc<Tasks>,
    remote: Arc<Remote>,
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.path).finish()
    }
}

impl Object {
    pub(super) fn new(
        path: PathBuf,
        tasks: &Arc<Tasks>,
        store: &Arc<dyn ObjectStore>,
        meta: ObjectMeta,
    ) -> Self {
        let remote = Remote {
            store: Arc::clone(store),
            size: meta.size,
            version: Version::of(&meta),
            key: meta.location,
        };
        Self { path: path.into(), tasks: Arc::clone(tasks), remote: Arc::new(remote) }
    }

    /// Its address.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes it has.
    pub(crate) fn size(&self) -> u64 {
        self.remote.size
    }

    /// Appends what is different if it has changed.
    pub(crate) fn identify(&self, known: &mut Vec<u8>) {
        known.extend(self.remote.size.to_le_bytes());
        known.extend(self.remote.version.modified.to_le_bytes());
        known.extend(self.remote.version.tag.as_deref().unwrap_or_default().as_bytes());
        known.push(0);
    }

    /// Its bytes from the start.
    pub(crate) fn read(&self) -> Box<dyn Read + Send> {
        Box::new(Parts::new(self.clone()))
    }

    /// Its bytes at any offset.
    pub(crate) fn windows(&self) -> WindowsReader {
        Windows::new(self.clone()).reader()
    }

    /// Starts to fetch bytes.
    pub(super) fn fetch(&self, range: Range<u64>) -> Fetch {
        let remote = Arc::clone(&self.remote);
        Fetch(Some(self.tasks.spawn(async move { remote.bytes(range).await })))
    }

    /// Waits for bytes.
    pub(super) fn finish(&self, mut fetch: Fetch) -> io::Result<Bytes> {
        let Some(handle) = fetch.0.take() else { return Ok(Bytes::new()) };
        let ended = self.tasks.wait(handle);
        ended.map_err(|error| Failed::error(io::ErrorKind::Other, error.to_string()))?
    }
}

/// Bytes on their way; nobody waits for those of one that is dropped.
#[derive(Debug)]
pub(super) struct Fetch(Option<JoinHandle<io::Result<Bytes>>>);

impl Drop for Fetch {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.abort();
        }
    }
}

/// What is known of an object without the threads that fetch it: these must not end themselves.
struct Remote {
    store: Arc<dyn ObjectStore>,
    key: Key,
    size: u64,
    version: Version,
}

/// How often bytes are fetched again when a connection ends within them.
const ATTEMPTS: u32 = 4;

impl Remote {
    async fn bytes(&self, range: Range<u64>) -> io::Result<Bytes> {
        let mut attempt = 1;
        loop {
            let options =
                GetOptions { range: Some(GetRange::Bounded(range.clone())), ..Default::default() };
            // This repeats requests that get no answer or a wrong one.
            let answer = self.store.get_opts(&self.key, options).await.map_err(|e| failed(&e))?;
            if !self.version.is(&Version::of(&answer.meta)) || answer.meta.size != self.size {
                let sentence = "it has changed since it was read first";
                return Err(Failed::error(io::ErrorKind::Other, sentence));
            }
            match answer.bytes().await {
                Ok(bytes) if bytes.len() as u64 == range.end - range.start => return Ok(bytes),
                Ok(_) if attempt < ATTEMPTS => {}
                Err(_) if attempt < ATTEMPTS => {}
                Ok(bytes) => {
                    let sentence = format!("{} bytes came instead of {range:?}", bytes.len());
                    return Err(Failed::error(io::ErrorKind::UnexpectedEof, sentence));
                }
                Err(error) => return Err(failed(&error)),
            }
            tokio::time::sleep(Duration::from_millis(100 << attempt)).await;
            attempt += 1;
        }
    }
}

/// Which version of an object this is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    tag: Option<String>,
    /// In seconds, as precise as every answer.
    modified: i64,
}

impl Version {
    fn of(meta: &ObjectMeta) -> Self {
        // Listings leave out the quotes.
        let tag = meta.e_tag.as_deref().map(|tag| {
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            tag.trim_matches('"').to_owned()
        });
        Self { tag, modified: meta.last_modified.timestamp() }
    }

    fn is(&self, other: &Self) -> bool {
        match (&self.tag, &other.tag) {
            (Some(one), Some(another)) => one == another,
            _ => self.modified == other.modified,
        }
    }
}
