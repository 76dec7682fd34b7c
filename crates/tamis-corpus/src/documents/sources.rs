//! The files behind the inputs, always in the same order.
//!
//! A folder stands for all files in it, at any depth, sorted by path.

use super::Format;
use super::walk::{Obstacle, Walk};
use crate::files::name_of;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tamis::hash::KeyHash;

/// A file to be read.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Which input it belongs to.
    pub input: usize,
    /// Where it is.
    pub path: PathBuf,
    /// Where it is in the folder that was named; none if it was named itself.
    pub relative: Option<PathBuf>,
    /// How it is read.
    pub format: Format,
}

/// Calls `visit` with each file behind these inputs; none is standard input. In a folder every
/// file is a document, or, if a format is given, the files whose names say that format are
/// read (all files as lines, as no name says that). `each` reads every file of a folder by its
/// own name.
///
/// # Errors
/// [`Error::Read`] for an input that is not there, or what `visit` says.
pub(crate) fn for_each_source<E: From<Error>>(
    inputs: &[PathBuf],
    format: Option<Format>,
    each: bool,
    mut visit: impl FnMut(Result<Source, Obstacle>) -> Result<(), E>,
) -> Result<(), E> {
    let standard_input = [PathBuf::from("-")];
    let inputs = if inputs.is_empty() { &standard_input[..] } else { inputs };
    let by_name = |path: &Path| format.or_else(|| Format::of_path(path)).unwrap_or(Format::Lines);
    for (input, path) in inputs.iter().enumerate() {
        let failed = |source| Error::Read { name: path.clone(), source };
        if path == Path::new("-") || !fs::metadata(path).map_err(failed)?.is_dir() {
            let format = by_name(path);
            visit(Ok(Source { input, path: path.clone(), relative: None, format }))?;
            continue;
        }
        for file in Walk::new(path) {
            let file = match file {
                Ok(file) => file,
                Err(obstacle) => {
                    visit(Err(obstacle))?;
                    continue;
                }
            };
            let format = match format {
                Some(format @ (Format::Files | Format::Lines)) => format,
                Some(format) if Format::of_path(&file) == Some(format) => format,
                Some(_) => continue,
                None if each => by_name(&file),
                None => Format::Files,
            };
            let relative = file.strip_prefix(path).ok().map(Path::to_owned);
            visit(Ok(Source { input, path: file, relative, format }))?;
        }
    }
    Ok(())
}

/// How many bytes these inputs have, packed as they are; standard input and pipes have none
/// that are known.
///
/// # Errors
/// [`Error::Read`] for an input that is not there.
pub fn size_of(inputs: &[PathBuf], format: Option<Format>) -> Result<u64> {
    let mut size = 0;
    for_each_source(inputs, format, false, |source| -> Result<()> {
        let metadata = source.ok().and_then(|source| fs::metadata(source.path).ok());
        size += metadata.filter(fs::Metadata::is_file).map_or(0, |metadata| metadata.len());
        Ok(())
    })?;
    Ok(size)
}

/// A number that is another one when a file of these inputs has come, gone or changed: of the names, sizes and
/// times of change of all of them.
///
/// # Errors
/// [`Error::Read`] for an input that is not there, [`Error::Once`] for standard input, which cannot be known again.
pub fn fingerprint(inputs: &[PathBuf], format: Option<Format>) -> Result<u64> {
    let mut known = Vec::new();
    for_each_source(inputs, format, false, |source| -> Result<()> {
        let Ok(source) = source else { return Ok(()) };
        if source.path == Path::new("-") {
            return Err(Error::Once { name: name_of(&source.path) });
        }
        let metadata = fs::metadata(&source.path).ok();
        let time = metadata.as_ref().and_then(|data| data.modified().ok());
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        known.extend_from_slice(source.path.as_os_str().as_encoded_bytes());
        known.push(0);
        known.extend(metadata.map_or(0, |data| data.len()).to_le_bytes());
        known.extend(since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        Ok(())
    })?;
    Ok(KeyHash::default().bytes(&known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn paths(inputs: &[PathBuf], format: Option<Format>) -> Vec<String> {
        let mut paths = Vec::new();
        for_each_source(inputs, format, false, |source| -> Result<()> {
            paths.push(match source {
                Ok(source) => source.relative.unwrap_or(source.path).display().to_string(),
                Err(obstacle) => obstacle.problem.to_string(),
            });
            Ok(())
        })
        .unwrap();
        paths
    }

    #[test]
    fn a_folder_is_walked_in_the_order_of_its_paths() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.jsonl", "a/z", "a/.hidden", "a/b/c.jsonl.gz", "a.txt", "B"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let input = [folder.path().to_owned()];
        let all = ["B", "a/.hidden", "a/b/c.jsonl.gz", "a/z", "a.txt", "b.jsonl"];
        assert_eq!(paths(&input, None), all);
        assert_eq!(paths(&input, Some(Format::Lines)), all);
        assert_eq!(paths(&input, Some(Format::Jsonl)), ["a/b/c.jsonl.gz", "b.jsonl"]);
        assert_eq!(size_of(&input, None).unwrap(), all.concat().len() as u64);
    }

    #[test]
    #[cfg(unix)]
    fn links_to_files_are_read_and_links_to_folders_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("blob"), "text").unwrap();
        symlink(outside.path().join("blob"), folder.path().join("1")).unwrap();
        symlink(outside.path(), folder.path().join("2")).unwrap();
        symlink(folder.path(), folder.path().join("3")).unwrap();
        symlink(folder.path().join("none"), folder.path().join("4")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("5")).unwrap();
        let linked = Problem::LinkedFolder.to_string();
        let (unreadable, not_a_file) =
            (Problem::Unreadable.to_string(), Problem::NotAFile.to_string());
        let input = [folder.path().to_owned()];
        assert_eq!(paths(&input, None), ["1", &linked, &linked, &unreadable, &not_a_file]);
        let link = outside.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert_eq!(paths(&[link], None).len(), 5, "a link that was named is followed");
    }

    #[test]
    fn an_input_that_is_not_there_is_refused_by_name() {
        let refused =
            for_each_source(&["none.jsonl".into()], None, false, |_| -> Result<()> { Ok(()) });
        assert_eq!(refused.unwrap_err().to_string(), "cannot read none.jsonl");
    }
}
