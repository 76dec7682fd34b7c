//! The inputs of a run: files, folders, globs and standard input, and what each of them holds.
//!
//! 1. What a file holds is decided by its content ([`crate::content`]); a format that is given
//!    decides for all of them.
//! 2. A folder whose files all hold records of one format is a corpus in *shards*; any other one
//!    is a corpus of documents, a file each. Names that start with `.` or `_` have no say in
//!    that, and are no shards.
//! 3. The files of a folder always come in the order of their paths.
//! 4. Addresses of objects (`s3://bucket/key`) stand where paths do ([`crate::objects`]): an
//!    object is a file, a prefix a folder, and patterns match keys.
//! 5. What is not there, what a pattern does not match, what is named twice, and packing or
//!    content that is not read, is refused by name.

mod folder;
mod source;
mod walk;

pub(crate) use source::{Place, Seekable, Source, copied};
pub(crate) use walk::Obstacle;

use crate::content::{self, Content};
use crate::documents::{Format, ReadOptions, TEXT_COLUMNS};
use crate::files::name_of;
use crate::objects::{Found, Stores, is_address};
use crate::{Error, Result};
use folder::Folder;
use source::Once;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use tamis::hash::KeyHash;

/// Inputs that were looked at: which files there are, and what each holds.
#[derive(Debug)]
pub struct Corpus {
    inputs: Vec<Input>,
}

#[derive(Debug)]
struct Input {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A file or a stream.
    File(Source),
    /// A folder, which is walked each time.
    Folder(Folder),
}

/// How inputs are looked at.
#[derive(Debug, Clone)]
pub(crate) struct Looking {
    /// The format of all of them, if it was given.
    pub format: Option<Format>,
    /// The columns that make a first line a header.
    pub wanted: Vec<String>,
    /// What a text is that says nothing about itself.
    pub plain: Format,
    /// Every file of a folder is what it says itself.
    pub each: bool,
    /// Streams are copied, to be read more than once.
    pub again: bool,
}

impl Looking {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let wanted = match &options.text[..] {
            [] => TEXT_COLUMNS.map(str::to_owned).to_vec(),
            names => names.to_vec(),
        };
        Self { format: options.format, wanted, plain: options.plain, each: false, again: false }
    }
}

impl Corpus {
    /// Looks at inputs: files, folders, patterns with `*`, `?` and `[...]`, addresses of objects, and
    /// `-` for standard input. No input is standard input. Streams can be read once.
    ///
    /// # Errors
    /// [`Error::Read`] for an input that is not there, [`Error::NoMatch`], [`Error::Twice`], and
    /// [`Error::Refused`] for what is not read.
    pub fn open(inputs: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        Self::look(inputs, &Looking::new(options))
    }

    /// As [`Self::open`], and streams are copied into temporary files, so that all of it can be
    /// read again.
    ///
    /// # Errors
    /// As [`Self::open`], and [`Error::Write`] for the temporary file.
    pub fn open_again(inputs: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        Self::look(inputs, &Looking { again: true, ..Looking::new(options) })
    }

    pub(crate) fn look(inputs: &[PathBuf], looking: &Looking) -> Result<Self> {
        let standard_input = [PathBuf::from("-")];
        let inputs = if inputs.is_empty() { &standard_input[..] } else { inputs };
        let mut corpus = Self { inputs: Vec::new() };
        let (mut known, mut stores) = (HashSet::new(), Stores::default());
        for input in inputs {
            let found: Vec<(PathBuf, Option<Found>)> = if is_address(input) {
                stores.find(input)?.into_iter().map(|(path, it)| (path, Some(it))).collect()
            } else {
                expanded(input)?.into_iter().map(|path| (path, None)).collect()
            };
            for (path, found) in found {
                if !known.insert(path.clone()) {
                    return Err(Error::Twice { name: name_of(&path) });
                }
                let number = corpus.inputs.len();
                let kind = match found {
                    Some(found) => kind_of_found(number, &path, found, looking)?,
                    None => kind_of(number, &path, looking)?,
                };
                corpus.inputs.push(Input { path, kind });
            }
        }
        Ok(corpus)
    }

    /// The inputs, patterns replaced by what they match.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().map(|input| &*input.path)
    }

    /// Whether the names of files are unique without their input.
    pub(crate) const fn is_alone(&self) -> bool {
        self.inputs.len() <= 1
    }

    /// Whether there is a folder.
    pub(crate) fn has_folder(&self) -> bool {
        self.inputs.iter().any(|input| !matches!(input.kind, Kind::File(_)))
    }

    /// Whether all its files hold records with columns.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that is gone.
    pub fn has_columns(&self) -> Result<bool> {
        let mut has_columns = true;
        self.for_each_source(|source| -> Result<()> {
            has_columns &= source.map_or(true, |source| source.format.has_columns());
            Ok(())
        })?;
        Ok(has_columns)
    }

    /// The files that these inputs stand for, in the order of reading, each with its format.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that is gone.
    pub fn files(&self) -> Result<Vec<(PathBuf, Format)>> {
        let mut files = Vec::new();
        self.for_each_source(|source| -> Result<()> {
            files.extend(source.ok().map(|source| (source.path, source.format)));
            Ok(())
        })?;
        Ok(files)
    }

    /// Calls `visit` with each file, or with what stands where one could.
    pub(crate) fn for_each_source<E: From<Error>>(
        &self,
        mut visit: impl FnMut(Result<Source, Obstacle>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (number, input) in self.inputs.iter().enumerate() {
            match &input.kind {
                Kind::File(source) => visit(Ok(source.clone()))?,
                Kind::Folder(folder) => folder.for_each(number, &input.path, &mut visit)?,
            }
        }
        Ok(())
    }

    /// How many bytes there are, packed as they are; 0 if there is a stream, of which nobody
    /// knows.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that is gone.
    pub fn size(&self) -> Result<u64> {
        let mut size = Some(0u64);
        self.for_each_source(|source| -> Result<()> {
            let Ok(source) = source else { return Ok(()) };
            let known = if source.is_stream() { None } else { Some(source.size().unwrap_or(0)) };
            size = size.zip(known).map(|(sum, size)| sum + size);
            Ok(())
        })?;
        Ok(size.unwrap_or(0))
    }

    /// A number that is another one when a file has come, gone or changed: of the names, sizes and
    /// times of change of all of them.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that is gone, [`Error::Once`] for a stream.
    pub fn fingerprint(&self) -> Result<u64> {
        let mut known = Vec::new();
        self.for_each_source(|source| -> Result<()> {
            let Ok(source) = source else { return Ok(()) };
            if source.is_stream() {
                return Err(Error::Once { name: name_of(&source.path) });
            }
            source.identify(&mut known);
            Ok(())
        })?;
        Ok(KeyHash::default().bytes(&known))
    }

    /// Refuses streams, copied or not: a later run could not read them.
    ///
    /// # Errors
    /// [`Error::Once`] with the name of the stream.
    pub fn check_lasting(&self) -> Result<()> {
        for input in &self.inputs {
            if let Kind::File(Source { place: Place::Stream(_) | Place::Copied(_), path, .. }) =
                &input.kind
            {
                return Err(Error::Once { name: name_of(path) });
            }
        }
        Ok(())
    }

    /// Refuses an output that would be read.
    ///
    /// # Errors
    /// [`Error::Inside`] if it lies in a folder of the inputs.
    pub fn check_outside(&self, output: &Path) -> Result<()> {
        let above = fs::canonicalize(crate::files::folder_of(output)).ok();
        for input in &self.inputs {
            match &input.kind {
                Kind::Folder(folder) if !folder.is_listed() => {}
                _ => continue,
            }
            let folder = fs::canonicalize(&input.path);
            let folder =
                folder.map_err(|source| Error::Read { name: input.path.clone(), source })?;
            if above.as_ref().is_some_and(|above| above.starts_with(&folder)) {
                return Err(Error::Inside { output: output.to_owned(), input: input.path.clone() });
            }
        }
        Ok(())
    }
}

/// How patterns match.
pub(crate) const GLOBBING: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// The paths that a pattern matches, or the path itself if it is none.
fn expanded(input: &Path) -> Result<Vec<PathBuf>> {
    let text = input.to_str().unwrap_or_default();
    if !text.contains(['*', '?', '[']) || fs::symlink_metadata(input).is_ok() {
        return Ok(vec![input.to_owned()]);
    }
    let no_match = || Error::NoMatch { pattern: input.to_owned() };
    let mut paths = Vec::new();
    for path in glob::glob_with(text, GLOBBING).map_err(|_| no_match())? {
        paths.push(path.map_err(|error| Error::Read {
            name: error.path().to_owned(),
            source: error.into(),
        })?);
    }
    if paths.is_empty() { Err(no_match()) } else { Ok(paths) }
}

fn kind_of(input: usize, path: &Path, looking: &Looking) -> Result<Kind> {
    let failed = |source| Error::Read { name: name_of(path), source };
    if path != Path::new("-") {
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Folder::look(path, None, looking).map(Kind::Folder);
        }
        if metadata.is_file() {
            let open =
                || -> Result<Box<dyn Read>> { Ok(Box::new(File::open(path).map_err(failed)?)) };
            let format = format_of(path, looking, open)?;
            let path = path.to_owned();
            let place = Place::File;
            return Ok(Kind::File(Source { input, path, relative: None, format, place }));
        }
    }
    let raw: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(failed)?)
    };
    stream(input, path, raw, looking)
}

/// What was found under an address.
fn kind_of_found(input: usize, path: &Path, found: Found, looking: &Looking) -> Result<Kind> {
    match found {
        Found::One(object) => {
            let format = format_of(path, looking, || Ok(object.read()))?;
            let (path, place) = (path.to_owned(), Place::Object(object));
            Ok(Kind::File(Source { input, path, relative: None, format, place }))
        }
        Found::Many(objects) => Folder::look(path, Some(objects), looking).map(Kind::Folder),
        Found::Stream(raw) => stream(input, path, raw, looking),
    }
}

/// Standard input, a pipe or an answer: what was read to look at it is read once more.
fn stream(
    input: usize,
    path: &Path,
    mut raw: Box<dyn Read + Send>,
    looking: &Looking,
) -> Result<Kind> {
    let failed = |source| Error::Read { name: name_of(path), source };
    let path = path.to_owned();
    let source =
        |format, place| Source { input, path: path.clone(), relative: None, format, place };
    if looking.again {
        let copy = Arc::new(copied(&mut *raw, &path)?);
        let open = || -> Result<Box<dyn Read>> { Ok(Box::new(copy.reopen().map_err(failed)?)) };
        let format = format_of(&path, looking, open)?;
        return Ok(Kind::File(source(format, Place::Copied(copy))));
    }
    let format = match looking.format {
        Some(format) => format,
        None => {
            let raw_now = Rc::new(RefCell::new((raw, Vec::new())));
            let recorder = Recorder(Rc::clone(&raw_now));
            let format = format_of(&path, looking, || Ok(Box::new(recorder.clone())))?;
            drop(recorder);
            let (rest, read) = Rc::into_inner(raw_now)
                .map(RefCell::into_inner)
                .ok_or_else(|| Error::Once { name: name_of(&path) })?;
            raw = Box::new(Cursor::new(read).chain(rest));
            format
        }
    };
    if matches!(format, Format::Parquet) {
        // It is read from its end.
        let copy = Arc::new(copied(&mut *raw, &path)?);
        return Ok(Kind::File(source(format, Place::Copied(copy))));
    }
    Ok(Kind::File(source(format, Place::Stream(Once::new(raw)))))
}

/// A stream that keeps what is read of it.
#[derive(Clone)]
struct Recorder(Rc<RefCell<Recorded>>);

/// A stream, and what was read of it.
type Recorded = (Box<dyn Read + Send>, Vec<u8>);

impl Read for Recorder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (stream, read) = &mut *self.0.borrow_mut();
        let size = stream.read(buffer)?;
        read.extend_from_slice(&buffer[..size]);
        Ok(size)
    }
}

/// What a file that was named itself holds.
fn format_of(
    path: &Path,
    looking: &Looking,
    open: impl FnOnce() -> Result<Box<dyn Read>>,
) -> Result<Format> {
    if let Some(format) = looking.format {
        return Ok(format);
    }
    match content::of_source(open()?, path, &looking.wanted)? {
        Content::Records(format) => Ok(format),
        Content::Plain => Ok(looking.plain),
        Content::Empty => Ok(Format::of_path(path).unwrap_or(looking.plain)),
        Content::Refused(what) => Err(Error::Refused { name: name_of(path), what }),
    }
}
