//! One file of the inputs: what it is called, what it holds, and where its bytes are.

use crate::documents::Format;
use crate::files::name_of;
use crate::keys;
use crate::objects::{Object, WindowsReader};
use crate::{Error, Result};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;
use tempfile::NamedTempFile;

/// A file to be read.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Which input it belongs to.
    pub input: usize,
    /// What it is called: its path, or `-`.
    pub path: PathBuf,
    /// Where it is in the folder that was named; none if it was named itself.
    pub relative: Option<PathBuf>,
    /// How it is read.
    pub format: Format,
    /// Where its bytes are.
    pub place: Place,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// Under its own path.
    File,
    /// In a temporary file: a stream that is needed more than once.
    Copied(Arc<NamedTempFile>),
    /// In a stream that is read once.
    Stream(Once),
    /// In a store.
    Object(Object),
}

/// The bytes of a source at any offset.
#[derive(Debug)]
pub(crate) enum Seekable {
    File(File),
    Object(WindowsReader),
}

impl Read for Seekable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Object(object) => object.read(buffer),
        }
    }
}

impl Seek for Seekable {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Object(object) => object.seek(to),
        }
    }
}

/// A stream, until someone takes it.
#[derive(Clone)]
pub(crate) struct Once(Arc<Mutex<Option<Box<dyn Read + Send>>>>);

impl Once {
    pub(super) fn new(stream: Box<dyn Read + Send>) -> Self {
        Self(Arc::new(Mutex::new(Some(stream))))
    }

    fn take(&self) -> Option<Box<dyn Read + Send>> {
        self.0.lock().ok()?.take()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl Source {
    fn failed(&self) -> impl Fn(io::Error) -> Error + use<> {
        let name = name_of(&self.path);
        move |source| Error::Read { name: name.clone(), source }
    }

    /// Its bytes from the start.
    ///
    /// # Errors
    /// [`Error::Read`], and [`Error::Once`] for a stream that was read before.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>> {
        match &self.place {
            Place::File => keys::open(&self.path),
            Place::Copied(copy) => Ok(Box::new(copy.reopen().map_err(self.failed())?)),
            Place::Stream(stream) => {
                let stream = stream.take();
                let stream = stream.ok_or_else(|| Error::Once { name: name_of(&self.path) })?;
                Ok(stream)
            }
            Place::Object(object) => Ok(object.read()),
        }
    }

    /// Its bytes at any offset.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn seekable(&self) -> Result<Seekable> {
        let file = match &self.place {
            Place::File => File::open(&self.path).map_err(self.failed())?,
            Place::Copied(copy) => copy.reopen().map_err(self.failed())?,
            Place::Stream(_) => {
                let mut stream = self.open()?;
                let copy = copied(&mut *stream, &self.path)?;
                copy.reopen().map_err(self.failed())?
            }
            Place::Object(object) => return Ok(Seekable::Object(object.windows())),
        };
        Ok(Seekable::File(file))
    }

    /// The file that holds its bytes, if there is one.
    fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File => Some(&self.path),
            Place::Copied(copy) => Some(copy.path()),
            Place::Stream(_) | Place::Object(_) => None,
        }
    }

    /// Whether its bytes can be read at any offset.
    pub(crate) const fn is_seekable(&self) -> bool {
        !self.is_stream()
    }

    /// Whether its bytes are in a store, which may fail while they are read.
    pub(crate) const fn is_object(&self) -> bool {
        matches!(self.place, Place::Object(_))
    }

    /// Whether it can be read only once.
    pub(crate) const fn is_stream(&self) -> bool {
        matches!(self.place, Place::Stream(_))
    }

    /// How many bytes it has, packed as they are; none for a stream.
    pub(crate) fn size(&self) -> Option<u64> {
        if let Place::Object(object) = &self.place {
            return Some(object.size());
        }
        let metadata = fs::metadata(self.file()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Appends what is different if the file has changed: its name, size and time of change.
    pub(crate) fn identify(&self, known: &mut Vec<u8>) {
        known.extend_from_slice(self.path.as_os_str().as_encoded_bytes());
        known.push(0);
        if let Place::Object(object) = &self.place {
            return object.identify(known);
        }
        let metadata = self.file().and_then(|path| fs::metadata(path).ok());
        let time = metadata.as_ref().and_then(|data| data.modified().ok());
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        known.extend(metadata.map_or(0, |data| data.len()).to_le_bytes());
        known.extend(since.map_or(0, |since| since.as_nanos()).to_le_bytes());
    }

    /// Copies it as it is.
    ///
    /// # Errors
    /// What the system says of either file.
    pub(crate) fn copy_to(&self, target: &Path) -> io::Result<()> {
        if let Some(path) = self.file() {
            return fs::copy(path, target).map(drop);
        }
        let mut source = self.open().map_err(io::Error::other)?;
        io::copy(&mut source, &mut File::create_new(target)?).map(drop)
    }
}

/// A temporary file with all of a stream.
pub(crate) fn copied(stream: &mut dyn Read, name: &Path) -> Result<NamedTempFile> {
    let written = |source| Error::Write { name: std::env::temp_dir(), source };
    let mut copy = tempfile::Builder::new().prefix("tamis-").tempfile().map_err(written)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match stream.read(&mut buffer) {
            Ok(0) => return Ok(copy),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(Error::Read { name: name_of(name), source }),
        };
        io::Write::write_all(&mut copy, &buffer[..read]).map_err(written)?;
    }
}
