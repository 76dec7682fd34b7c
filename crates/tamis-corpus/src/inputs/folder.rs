//! Folders: shards with records, or a document in each file.

use super::Looking;
use super::source::{Place, Source};
use super::walk::{Obstacle, Walk};
use crate::content::{self, Content};
use crate::documents::Format;
use crate::problem::Problem;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A folder, and what its files are.
#[derive(Debug)]
pub(super) struct Folder {
    files: Files,
    wanted: Vec<String>,
}

/// What the files of a folder are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    /// All of them the same.
    All(Format),
    /// Shards of a format, among others.
    Shards(Format),
    /// Each what it says itself.
    Each,
}

/// What was seen in a folder, until it is clear what it is.
#[derive(Debug, Default)]
struct Seen {
    /// How many files hold records of a format.
    records: BTreeMap<Format, u64>,
    /// Whether a file is a text.
    has_text: bool,
    /// The first file that is not read.
    refused: Option<(PathBuf, &'static str)>,
}

impl Seen {
    fn add(&mut self, path: &Path, content: Content) {
        match content {
            Content::Empty => {}
            Content::Plain => self.has_text = true,
            Content::Refused(what) => {
                self.refused.get_or_insert_with(|| (path.to_owned(), what));
            }
            Content::Records(format) => *self.records.entry(format).or_default() += 1,
        }
    }

    /// Shards if all files hold records of one format, else documents.
    fn files(self) -> Result<Files> {
        let mut formats = self.records.into_iter();
        match (formats.next(), formats.next(), self.has_text) {
            (Some((format, count)), None, false) => match self.refused {
                // Nobody leaves out a part of a corpus without being told.
                Some((name, what)) => Err(Error::RefusedAmong { name, what, count, format }),
                None => Ok(Files::Shards(format)),
            },
            _ => Ok(Files::All(Format::Files)),
        }
    }
}

impl Folder {
    /// Looks at the files of a folder until it is clear what they are.
    pub(super) fn look(path: &Path, looking: &Looking) -> Result<Self> {
        let wanted = looking.wanted.clone();
        let files = match looking.format {
            Some(format @ (Format::Files | Format::Lines)) => Files::All(format),
            Some(format) => Files::Shards(format),
            None if looking.each => Files::Each,
            None => {
                let mut seen = Seen::default();
                for file in Walk::new(path).flatten() {
                    if is_aside(&file) {
                        continue;
                    }
                    seen.add(&file, in_folder(&file, content_of(&file, &wanted)));
                    if seen.has_text || seen.records.len() > 1 {
                        break;
                    }
                }
                seen.files()?
            }
        };
        Ok(Self { files, wanted })
    }

    /// Calls `visit` with each file.
    pub(super) fn for_each<E: From<Error>>(
        &self,
        input: usize,
        folder: &Path,
        visit: &mut impl FnMut(Result<Source, Obstacle>) -> Result<(), E>,
    ) -> Result<(), E> {
        for file in Walk::new(folder) {
            let path = match file {
                Ok(path) => path,
                Err(obstacle) => {
                    visit(Err(obstacle))?;
                    continue;
                }
            };
            let format = match self.files {
                Files::All(format) => format,
                Files::Each => match content_of(&path, &self.wanted) {
                    Content::Records(format) => format,
                    _ => Format::of_path(&path).unwrap_or(Format::Lines),
                },
                Files::Shards(_) if is_aside(&path) => continue,
                Files::Shards(format) if Format::of_path(&path) == Some(format) => format,
                Files::Shards(format) => match content_of(&path, &self.wanted) {
                    Content::Records(other) if other == format => format,
                    Content::Empty => continue,
                    _ => {
                        let (problem, detail) = (Problem::PassedBy, String::new());
                        visit(Err(Obstacle { path, problem, detail }))?;
                        continue;
                    }
                },
            };
            let relative = path.strip_prefix(folder).ok().map(Path::to_owned);
            visit(Ok(Source { input, path, relative, format, place: Place::File }))?;
        }
        Ok(())
    }
}

/// Names that other programs give to what is beside the data: `.part.crc`, `_SUCCESS`.
pub(super) fn is_aside(path: &Path) -> bool {
    let name = path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
    name.is_some_and(|name| name.starts_with(b".") || name.starts_with(b"_"))
}

/// What a file holds; one that cannot be opened is a matter of reading it.
fn content_of(path: &Path, wanted: &[String]) -> Content {
    let Ok(file) = File::open(path) else { return Content::Plain };
    content::of_source(Box::new(file), path, wanted).unwrap_or(Content::Plain)
}

/// A file in a folder called `.json` is often one value over many lines: a document.
fn in_folder(path: &Path, content: Content) -> Content {
    let is_json = || path.extension().is_some_and(|extension| extension == "json");
    if content == Content::Records(Format::Jsonl) && is_json() && !begins_with_object(path) {
        return Content::Plain;
    }
    content
}

fn begins_with_object(path: &Path) -> bool {
    // Under another name, only its content decides.
    let Ok(file) = File::open(path) else { return false };
    let content = content::of_source(Box::new(file), Path::new(""), &[]);
    content.is_ok_and(|content| content == Content::Records(Format::Jsonl))
}
