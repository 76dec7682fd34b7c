//! The texts in a file, so that every process gets the same ones: length, then UTF-8, over and over.

use anyhow::Context as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

/// Writes all texts.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write(texts: &[String], path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for text in texts {
        file.write_all(&u32::try_from(text.len())?.to_le_bytes())?;
        file.write_all(text.as_bytes())?;
    }
    Ok(file.flush()?)
}

/// Writes all texts as JSON, one on each line, for those who read no other format.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write_jsonl(texts: &[impl AsRef<str>], path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for text in texts {
        serde_json::to_writer(&mut file, text.as_ref())?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}

/// Reads one text after the other.
pub(crate) struct Reader {
    file: BufReader<File>,
    text: Vec<u8>,
}

impl Reader {
    /// From the beginning.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { file: BufReader::with_capacity(1 << 16, file), text: Vec::new() })
    }

    /// The next text, until the one after it.
    ///
    /// # Errors
    /// A file that cannot be read or was not written by [`write()`].
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<&str>> {
        let mut length = [0; 4];
        match self.file.read_exact(&mut length) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        self.text.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.text)?;
        Ok(Some(std::str::from_utf8(&self.text)?))
    }
}

/// Writes pairs of documents.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write_pairs(pairs: &[[u32; 2]], path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in pairs.as_flattened() {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

/// Reads pairs of documents; each has the smaller number first, and they are ascending.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn read_pairs(path: &Path) -> anyhow::Result<Vec<[u32; 2]>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers: Vec<u32> = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let (pairs, _) = numbers.as_chunks::<2>();
    let mut pairs: Vec<[u32; 2]> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_pairs_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["one".to_owned(), String::new(), "zwölf".to_owned()];
        write(&texts, &folder.path().join("texts")).unwrap();
        let mut reader = Reader::open(&folder.path().join("texts")).unwrap();
        for text in &texts {
            assert_eq!(reader.next().unwrap(), Some(text.as_str()));
        }
        assert_eq!(reader.next().unwrap(), None);
        write_pairs(&[[5, 2], [0, 1], [2, 5]], &folder.path().join("pairs")).unwrap();
        assert_eq!(read_pairs(&folder.path().join("pairs")).unwrap(), [[0, 1], [2, 5]]);
    }
}
