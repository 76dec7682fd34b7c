//! Corpora of every format, whole and broken: read, numbered, copied.

mod arrow;
mod damage;
mod formats;
mod inputs;
mod labels;
mod laws;
mod parquet;
mod report;
mod rewriting;
mod sets;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tamis_corpus::Result;
use tamis_corpus::documents::{ReadOptions, Summary, Tolerance, for_each_document};
use tempfile::TempDir;

/// A folder with files in it that goes away.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The names in it, of files at any depth.
    pub(crate) fn names(&self) -> Vec<String> {
        fn collect(folder: &Path, above: &Path, names: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(std::result::Result::unwrap) {
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    collect(&path, above, names);
                } else {
                    names.push(path.strip_prefix(above).unwrap().display().to_string());
                }
            }
        }
        let mut names = Vec::new();
        collect(self.0.path(), self.0.path(), &mut names);
        names.sort();
        names
    }
}

/// A document that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) ordinal: u64,
    pub(crate) input: usize,
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) field: Option<String>,
}

pub(crate) fn read(inputs: &[PathBuf], options: &ReadOptions) -> Result<(Vec<Owned>, Summary)> {
    let mut documents = Vec::new();
    let mut position = 0;
    // How much may be broken is a matter of tests of its own.
    let mut options = options.clone();
    options.tolerance.max_bad = 1.0;
    let summary = for_each_document(inputs, &options, |document| -> Result<()> {
        assert!(document.position >= position, "progress never goes back");
        position = document.position;
        documents.push(Owned {
            ordinal: document.ordinal,
            input: document.input,
            id: document.id.to_owned(),
            text: document.text.to_owned(),
            field: document.field.map(str::to_owned),
        });
        Ok(())
    })?;
    let ordinals: Vec<_> = documents.iter().map(|document| document.ordinal).collect();
    assert_eq!(ordinals, (0..summary.documents).collect::<Vec<_>>());
    assert_eq!(summary.bytes, documents.iter().map(|d| d.text.len() as u64).sum::<u64>());
    Ok((documents, summary))
}

/// Nothing that is broken is accepted.
pub(crate) fn strict() -> Tolerance {
    Tolerance { strict: true, ..Tolerance::default() }
}

/// Ids and texts of one file, read with these options.
pub(crate) fn texts(path: &Path, options: &ReadOptions) -> Vec<(String, String)> {
    let (documents, _) = read(&[path.to_owned()], options).unwrap();
    documents.into_iter().map(|document| (document.id, document.text)).collect()
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 1).unwrap()
}

/// `("a", "b")` as owned strings.
pub(crate) fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(id, text)| (id.to_owned(), text.to_owned())).to_vec()
}
