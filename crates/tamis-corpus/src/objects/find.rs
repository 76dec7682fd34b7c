//! What an address stands for: an object, a folder of them, or what a pattern matches.

use super::Failed;
use super::object::{Found, Object};
use super::store::{Stores, Tasks, failed};
use crate::files::name_of;
use crate::inputs::GLOBBING;
use crate::{Error, Result};
use bytes::{Buf, Bytes};
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;

impl Stores {
    /// What an address stands for, each with its own address.
    ///
    /// # Errors
    /// [`Error::Read`] with the reason, [`Error::NoMatch`] for a pattern.
    pub(crate) fn find(&mut self, input: &Path) -> Result<Vec<(PathBuf, Found)>> {
        let tasks = self.tasks(input)?;
        let failed = |source| Error::Read { name: name_of(input), source };
        let text = input.to_str().unwrap_or_default();
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        if matches!(scheme, "http" | "https") {
            let found = self.file(&tasks, input, text).map_err(failed)?;
            return Ok(vec![(input.to_owned(), found)]);
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            let sentence = "the address names no bucket";
            return Err(failed(Failed::error(io::ErrorKind::InvalidInput, sentence)));
        }
        let store = self.bucket(scheme, bucket).map_err(failed)?;
        let place = Place { root: format!("{scheme}://{bucket}"), store, tasks };
        if !key.is_empty() && !key.ends_with('/') {
            match place.object(key) {
                Ok(object) => return Ok(vec![(input.to_owned(), Found::One(object))]),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        if key.contains(['*', '?', '[']) {
            return match place.matches(key).map_err(failed)? {
                found if found.is_empty() => Err(Error::NoMatch { pattern: input.to_owned() }),
                found => Ok(found),
            };
        }
        let objects = place.folder(key).map_err(failed)?;
        if objects.is_empty() {
            let sentence = "there is no such object, and no folder of that name";
            return Err(failed(Failed::error(io::ErrorKind::NotFound, sentence)));
        }
        Ok(vec![(input.to_owned(), Found::Many(objects))])
    }

    /// A file of a web server.
    fn file(&self, tasks: &Arc<Tasks>, input: &Path, address: &str) -> io::Result<Found> {
        if address.ends_with('/') {
            let sentence = "a web server lists no folders; name each file";
            return Err(Failed::error(io::ErrorKind::InvalidInput, sentence));
        }
        let store = self.web(address)?;
        // What it answers to a request for a few bytes says how long the file is.
        let options = GetOptions { range: Some(GetRange::Bounded(0..1)), ..Default::default() };
        match tasks.wait(store.get_opts(&Key::default(), options)) {
            Ok(answer) => Ok(Found::One(Object::new(input.to_owned(), tasks, &store, answer.meta))),
            // Ranges are not answered, or the file is empty and has no first byte.
            Err(error) if is_about_ranges(&error) => {
                let answer = tasks.wait(store.get_opts(&Key::default(), GetOptions::default()));
                let answer = answer.map_err(|e| failed(&e))?;
                let mut stream = answer.into_stream();
                let (sender, receiver) = tokio::sync::mpsc::channel(16);
                tasks.spawn(async move {
                    while let Some(bytes) = stream.next().await {
                        if sender.send(bytes.map_err(|e| failed(&e))).await.is_err() {
                            return;
                        }
                    }
                });
                let stream = Stream { receiver, here: Bytes::new(), _tasks: Arc::clone(tasks) };
                Ok(Found::Stream(Box::new(stream)))
            }
            Err(error) => Err(failed(&error)),
        }
    }
}

fn is_about_ranges(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotSupported { .. })
        || error.to_string().contains("416 Range Not Satisfiable")
}

/// A file that is read once, as it comes.
struct Stream {
    receiver: Receiver<io::Result<Bytes>>,
    here: Bytes,
    _tasks: Arc<Tasks>,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.here.is_empty() {
            match self.receiver.blocking_recv() {
                Some(bytes) => self.here = bytes?,
                None => return Ok(0),
            }
        }
        let size = buffer.len().min(self.here.len());
        self.here.copy_to_slice(&mut buffer[..size]);
        Ok(size)
    }
}

/// A bucket.
struct Place {
    root: String,
    store: Arc<dyn ObjectStore>,
    tasks: Arc<Tasks>,
}

impl Place {
    fn found(&self, meta: ObjectMeta) -> Object {
        let path = PathBuf::from(format!("{}/{}", self.root, meta.location));
        Object::new(path, &self.tasks, &self.store, meta)
    }

    fn object(&self, key: &str) -> io::Result<Object> {
        let key = key_of(key)?;
        let meta = self.tasks.wait(self.store.head(&key)).map_err(|e| failed(&e))?;
        Ok(self.found(ObjectMeta { location: key, ..meta }))
    }

    /// The objects of a folder, in the order of their paths, and where they are in it.
    fn folder(&self, key: &str) -> io::Result<Vec<(PathBuf, Object)>> {
        let prefix = key_of(key)?;
        let objects = self.list(&prefix)?.into_iter().map(|meta| {
            let relative = meta.location.as_ref();
            let relative = relative.strip_prefix(prefix.as_ref()).unwrap_or(relative);
            (PathBuf::from(relative.trim_start_matches('/')), self.found(meta))
        });
        Ok(objects.collect())
    }

    fn list(&self, prefix: &Key) -> io::Result<Vec<ObjectMeta>> {
        let prefix = (!prefix.as_ref().is_empty()).then_some(prefix);
        let listed = self.store.list(prefix).try_collect::<Vec<ObjectMeta>>();
        let mut listed = self.tasks.wait(listed).map_err(|e| failed(&e))?;
        listed.sort_by(|one, other| in_order(&one.location, &other.location));
        // Empty objects that stand for folders come before what is in them.
        let mut next = listed.iter().skip(1);
        let is_folder: Vec<bool> = listed
            .iter()
            .map(|meta| {
                let below = next
                    .next()
                    .and_then(|next| next.location.as_ref().strip_prefix(meta.location.as_ref()));
                meta.size == 0 && below.is_some_and(|rest| rest.starts_with('/'))
            })
            .collect();
        let mut is_folder = is_folder.into_iter();
        listed.retain(|_| is_folder.next() == Some(false));
        Ok(listed)
    }

    /// The objects that a pattern matches; if only its last part is one, also folders.
    fn matches(&self, pattern: &str) -> io::Result<Vec<(PathBuf, Found)>> {
        let Ok(matching) = glob::Pattern::new(pattern) else { return Ok(Vec::new()) };
        let is_match = |key: &Key| matching.matches_with(key.as_ref(), GLOBBING);
        let first = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
        let above = pattern[..first].rfind('/').unwrap_or(0);
        let prefix = key_of(&pattern[..above])?;
        if pattern[above..].trim_start_matches('/').contains('/') {
            let listed = self.list(&prefix)?.into_iter().filter(|meta| is_match(&meta.location));
            let found = listed.map(|meta| self.found(meta));
            return Ok(found.map(|one| (one.path().to_owned(), Found::One(one))).collect());
        }
        let level = (!prefix.as_ref().is_empty()).then_some(&prefix);
        let listed = self.tasks.wait(self.store.list_with_delimiter(level));
        let listed = listed.map_err(|e| failed(&e))?;
        let mut found = Vec::new();
        for folder in listed.common_prefixes.iter().filter(|key| is_match(key)) {
            let path = PathBuf::from(format!("{}/{folder}", self.root));
            let objects = Found::Many(self.folder(folder.as_ref())?);
            found.push((folder.clone(), path, objects));
        }
        for meta in listed.objects.into_iter().filter(|meta| is_match(&meta.location)) {
            let (key, one) = (meta.location.clone(), self.found(meta));
            found.push((key, one.path().to_owned(), Found::One(one)));
        }
        found.sort_by(|(one, ..), (other, ..)| in_order(one, other));
        Ok(found.into_iter().map(|(_, path, found)| (path, found)).collect())
    }
}

/// The order in which the files of a folder come.
fn in_order(one: &Key, other: &Key) -> std::cmp::Ordering {
    one.as_ref().split('/').cmp(other.as_ref().split('/'))
}

fn key_of(key: &str) -> io::Result<Key> {
    Key::parse(key).map_err(|error| {
        let sentence = format!("no object is called so: {error}");
        Failed::error(io::ErrorKind::InvalidInput, sentence)
    })
}
