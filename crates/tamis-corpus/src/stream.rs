//! Files as streams of text bytes: unpacked if they are packed, without byte-order mark, UTF-16
//! turned into UTF-8.
//!
//! What is packed is known by its first bytes, not by its name, so that standard input works and
//! a file whose name lies does, too. Memory is constant however much comes out. A packed file
//! that is cut off or damaged ends where the damage is, and says so when asked.

use crate::files::{name_of, write_atomically, write_privately};
use crate::keys;
use crate::objects::failure_in;
use crate::packing::Packing;
use crate::text::{UTF8_MARK, Utf16, utf16_mark};
use crate::{Error, Result};
use flate2::write::GzEncoder;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;
use std::rc::Rc;

/// A file being read.
pub(crate) struct Stream {
    source: Box<dyn Read>,
    packed: bool,
    marked: bool,
    position: Rc<Cell<u64>>,
    damage: Option<io::Error>,
}

impl Stream {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// [`Error::Read`] with the file's name.
    pub(crate) fn open(path: &Path, window: usize) -> Result<Self> {
        Self::of(keys::open(path)?, path, window)
    }

    /// As [`Self::open`], of what is open already.
    pub(crate) fn of(source: Box<dyn Read>, name: &Path, window: usize) -> Result<Self> {
        Self::new(source, window).map_err(|source| Error::Read { name: name_of(name), source })
    }

    pub(crate) fn new(source: Box<dyn Read>, window: usize) -> io::Result<Self> {
        let position = Rc::new(Cell::new(0));
        let mut file = Counted { source, position: Rc::clone(&position) };
        let start = first_bytes(&mut file)?;
        let packing = Packing::of_bytes(&start);
        let file = Cursor::new(start).chain(file);
        let source: Box<dyn Read> = match packing {
            Some(packing) => packing.unpack(file, window)?,
            None => Box::new(file),
        };
        let packed = packing.is_some();
        let mut stream = Self { source, packed, marked: false, position, damage: None };
        let mut start = first_bytes(&mut stream)?;
        stream.marked = start.starts_with(UTF8_MARK);
        if stream.marked {
            start.drain(..UTF8_MARK.len());
        }
        let utf16 = utf16_mark(&start);
        if utf16.is_some() {
            start.drain(..2);
        }
        let rest = Cursor::new(start).chain(stream.source);
        stream.source = match utf16 {
            Some(big_endian) => Box::new(Utf16::new(rest, big_endian)),
            None => Box::new(rest),
        };
        Ok(stream)
    }

    /// Whether it began with the byte-order mark of UTF-8, which is not read.
    pub(crate) const fn marked(&self) -> bool {
        self.marked
    }

    /// How many bytes of the file are read, packed as they are: it goes on counting while the
    /// stream is lent out.
    pub(crate) fn position(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.position)
    }

    /// What made it end before its end, if anything did.
    pub(crate) const fn take_damage(&mut self) -> Option<io::Error> {
        self.damage.take()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        match self.source.read(buffer) {
            // What the system says is about the disk, what a store says about the way to it, and
            // what the decoder says about the content.
            Err(error)
                if self.packed
                    && error.raw_os_error().is_none()
                    && failure_in(&error).is_none()
                    && error.kind() != io::ErrorKind::Interrupted =>
            {
                self.damage = Some(error);
                Ok(0)
            }
            other => other,
        }
    }
}

/// The first bytes, as many as any mark has.
fn first_bytes(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(MARK);
    source.take(MARK as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The longest mark that says how a file is packed or encoded.
const MARK: usize = 6;

/// Counts what is read.
struct Counted<R> {
    source: R,
    position: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.position.set(self.position.get() + read as u64);
        Ok(read)
    }
}

/// Opens a file of lines, unpacked if it is packed. One that is cut off or damaged ends where the damage is.
///
/// # Errors
/// [`Error::Read`] with the file's name.
pub fn open_unpacked(path: &Path) -> Result<impl BufRead> {
    Ok(BufReader::with_capacity(1 << 16, Stream::open(path, WINDOW)?))
}

/// The most memory for what a packed file refers back to.
const WINDOW: usize = 128 << 20;

/// Writes a file whole or not at all ([`write_atomically`]), packed if its name says so.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_packed<E: From<Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    write_atomically(path, |out| pack(path, out, content))
}

/// As [`write_packed`], for the owner alone ([`write_privately`]).
///
/// # Errors
/// As [`write_privately`].
pub fn write_packed_privately<E: From<Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    write_privately(path, |out| pack(path, out, content))
}

/// Writes to `out`, packed if the name `path` says so.
pub(crate) fn pack<E: From<Error>>(
    path: &Path,
    out: &mut (dyn Write + Send),
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| E::from(Error::Write { name: path.to_owned(), source });
    match Packing::of_path(path) {
        None => content(out),
        Some(Packing::Gzip) => {
            let mut encoder = GzEncoder::new(out, flate2::Compression::default());
            content(&mut encoder)?;
            encoder.finish().map(drop).map_err(failed)
        }
        Some(Packing::Zstd) => {
            let mut encoder = zstd::Encoder::new(out, 0).map_err(failed)?;
            encoder.include_checksum(true).map_err(failed)?;
            content(&mut encoder)?;
            encoder.finish().map(drop).map_err(failed)
        }
        Some(Packing::Bzip2) => {
            let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::default());
            content(&mut encoder)?;
            encoder.finish().map(drop).map_err(failed)
        }
        Some(Packing::Xz) => {
            let mut encoder = liblzma::write::XzEncoder::new(out, 6);
            content(&mut encoder)?;
            encoder.finish().map(drop).map_err(failed)
        }
    }
}

/// A stream that gives at most so many bytes at a time, for tests of what is put together again.
#[cfg(test)]
pub(crate) struct Pieces<'a>(pub &'a [u8], pub usize);

#[cfg(test)]
impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.min(buffer.len()).min(self.0.len());
        buffer[..size].copy_from_slice(&self.0[..size]);
        self.0 = &self.0[size..];
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        pack(Path::new(name), &mut bytes, |out| -> Result<()> {
            out.write_all(content).unwrap();
            Ok(())
        })
        .unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, Option<String>, bool) {
        let mut stream = Stream::new(Box::new(Cursor::new(bytes.to_vec())), 1 << 20).unwrap();
        let mut content = Vec::new();
        stream.read_to_end(&mut content).unwrap();
        let damage = stream.take_damage().map(|error| error.to_string());
        assert!(stream.position().get() <= bytes.len() as u64);
        (content, damage, stream.marked())
    }

    #[test]
    fn packed_and_plain_give_the_same_bytes() {
        let content: Vec<u8> = (0..100_000u32).flat_map(|i| i.to_string().into_bytes()).collect();
        for name in ["f", "f.gz", "f.zst", "f.bz2", "f.xz"] {
            let once = packed(name, &content);
            assert_eq!(read(&once), (content.clone(), None, false), "{name}");
            let twice = [once.clone(), once].concat();
            assert_eq!(read(&twice).0, content.repeat(2), "members of {name}");
        }
        assert!(packed("f.gz", &content).len() < content.len() / 2);
    }

    #[test]
    fn a_stream_that_is_cut_off_gives_what_is_there_and_says_so() {
        let content: Vec<u8> =
            (0..500_000u32).flat_map(|i| i.wrapping_mul(i).to_le_bytes()).collect();
        for name in ["f.gz", "f.zst", "f.bz2", "f.xz"] {
            let mut bytes = packed(name, &content);
            bytes.truncate(bytes.len() / 2);
            let (start, damage, _) = read(&bytes);
            assert!(start.len() > content.len() / 4 && content.starts_with(&start), "{name}");
            assert!(damage.is_some(), "{name}");
        }
        assert_eq!(read(b"\x1F\x8B\x08").0, b"");
        assert!(read(b"\x1F\x8B\x08").1.is_some());
    }

    #[test]
    fn marks_are_dropped_and_utf16_becomes_utf8() {
        assert_eq!(read(b"\xEF\xBB\xBFtext"), (b"text".to_vec(), None, true));
        assert_eq!(read(b"\xFF\xFEa\0\n\0"), (b"a\n".to_vec(), None, false));
        assert_eq!(read(b"\xFE\xFF\0a\0\n"), (b"a\n".to_vec(), None, false));
        let marked = packed("f.gz", b"\xEF\xBB\xBFtext");
        assert_eq!(read(&marked), (b"text".to_vec(), None, true));
        for short in [&b""[..], b"a", b"\xEF\xBB", b"\xEF"] {
            assert_eq!(read(short), (short.to_vec(), None, false));
        }
    }
}
