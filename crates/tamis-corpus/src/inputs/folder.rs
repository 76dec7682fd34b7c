//! Folders: shards with records, or a document in each file.

use super::Looking;
use super::source::{Place, Source};
use super::walk::{Obstacle, Walk};
use crate::content::{self, Content};
use crate::documents::Format;
use crate::objects::Object;
use crate::problem::Problem;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A folder, and what its files are.
#[derive(Debug)]
pub(super) struct Folder {
    files: Files,
    wanted: Vec<String>,
    /// The objects of a folder in a store, and where they are in it.
    objects: Option<Vec<(PathBuf, Object)>>,
}

/// A file of a folder.
struct Entry {
    path: PathBuf,
    relative: Option<PathBuf>,
    place: Place,
}

impl Entry {
    /// What it holds; a file that cannot be opened is a matter of reading it.
    fn content(&self, wanted: &[String]) -> Result<Content> {
        self.content_as(&self.path, wanted)
    }

    fn content_as(&self, name: &Path, wanted: &[String]) -> Result<Content> {
        let source: Box<dyn Read> = match &self.place {
            Place::Object(object) => object.read(),
            _ => match File::open(&self.path) {
                Ok(file) => Box::new(file),
                Err(_) => return Ok(Content::Plain),
            },
        };
        match content::of_source(source, name, wanted) {
            // A store that does not answer says nothing about an object.
            Err(Error::Read { source, .. }) if matches!(self.place, Place::Object(_)) => {
                Err(Error::Read { name: self.path.clone(), source })
            }
            content => Ok(content.unwrap_or(Content::Plain)),
        }
    }

    /// What it holds in a folder: a file called `.json` is often one value over many lines, a
    /// document.
    fn content_in_folder(&self, wanted: &[String]) -> Result<Content> {
        let content = self.content(wanted)?;
        let is_json = self.path.extension().is_some_and(|extension| extension == "json");
        if content != Content::Records(Format::Jsonl) || !is_json {
            return Ok(content);
        }
        // Under another name, only its content decides.
        let begins_with_object = self.content_as(Path::new(""), &[])? == content;
        Ok(if begins_with_object { content } else { Content::Plain })
    }
}

/// All files of a folder, in the order of their paths.
fn entries<'f>(
    folder: &'f Path,
    objects: Option<&'f [(PathBuf, Object)]>,
) -> Box<dyn Iterator<Item = Result<Entry, Obstacle>> + 'f> {
    match objects {
        Some(objects) => Box::new(objects.iter().map(|(relative, object)| {
            let (path, relative) = (object.path().to_owned(), Some(relative.clone()));
            Ok(Entry { path, relative, place: Place::Object(object.clone()) })
        })),
        None => Box::new(Walk::new(folder).map(move |path| {
            let path = path?;
            let relative = path.strip_prefix(folder).ok().map(Path::to_owned);
            Ok(Entry { path, relative, place: Place::File })
        })),
    }
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
    pub(super) fn look(
        path: &Path,
        objects: Option<Vec<(PathBuf, Object)>>,
        looking: &Looking,
    ) -> Result<Self> {
        let wanted = looking.wanted.clone();
        let files = match looking.format {
            Some(format @ (Format::Files | Format::Lines)) => Files::All(format),
            Some(format) => Files::Shards(format),
            None if looking.each => Files::Each,
            None => {
                let mut seen = Seen::default();
                for file in entries(path, objects.as_deref()).flatten() {
                    if is_aside(&file.path) {
                        continue;
                    }
                    seen.add(&file.path, file.content_in_folder(&wanted)?);
                    if seen.has_text || seen.records.len() > 1 {
                        break;
                    }
                }
                seen.files()?
            }
        };
        Ok(Self { files, wanted, objects })
    }

    /// Whether its files were listed by a store.
    pub(super) const fn is_listed(&self) -> bool {
        self.objects.is_some()
    }

    /// Calls `visit` with each file.
    pub(super) fn for_each<E: From<Error>>(
        &self,
        input: usize,
        folder: &Path,
        visit: &mut impl FnMut(Result<Source, Obstacle>) -> Result<(), E>,
    ) -> Result<(), E> {
        for file in entries(folder, self.objects.as_deref()) {
            let file = match file {
                Ok(file) => file,
                Err(obstacle) => {
                    visit(Err(obstacle))?;
                    continue;
                }
            };
            let format = match self.files {
                Files::All(format) => format,
                Files::Each => match file.content(&self.wanted)? {
                    Content::Records(format) => format,
                    _ => Format::of_path(&file.path).unwrap_or(Format::Lines),
                },
                Files::Shards(_) if is_aside(&file.path) => continue,
                Files::Shards(format) if Format::of_path(&file.path) == Some(format) => format,
                Files::Shards(format) => match file.content(&self.wanted)? {
                    Content::Records(other) if other == format => format,
                    Content::Empty => continue,
                    _ => {
                        let (problem, detail, path) = (Problem::PassedBy, String::new(), file.path);
                        visit(Err(Obstacle { path, problem, detail }))?;
                        continue;
                    }
                },
            };
            let Entry { path, relative, place } = file;
            visit(Ok(Source { input, path, relative, format, place }))?;
        }
        Ok(())
    }
}

/// Names that other programs give to what is beside the data: `.part.crc`, `_SUCCESS`.
pub(super) fn is_aside(path: &Path) -> bool {
    let name = path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
    name.is_some_and(|name| name.starts_with(b".") || name.starts_with(b"_"))
}
