//! The index of a stream, as the TREC spam tracks write it.
//!
//! Each line is a label and a path, in the order of arrival. A label with a capital first letter
//! (`Spam`, `HAM`) is known for judging, but the filter is never told: there is no feedback. Blank
//! lines and lines that start with `#` are skipped.
//!
//! A path is looked up relative to the folder of the index, then to the current folder. Copies of
//! such collections often carry the paths of another machine. So as a last resort leading components
//! are dropped until a file exists below the folder of the index or its parent.

use super::StreamError;
use crate::filter::{HAM, MAX_LABELS};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// The number of the label: 0 for ham, 1 for spam.
    pub label: u8,
    /// Whether the filter may learn the label.
    pub feedback: bool,
}

/// The messages of a stream in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Names of the labels: `ham`, `spam`, then others in the order of their first message.
    pub labels: Vec<String>,
    /// The messages.
    pub entries: Vec<Entry>,
    /// How many paths were found only after leading components were dropped.
    pub moved: usize,
}

impl Index {
    /// Reads an index, at most its first `limit` messages.
    ///
    /// # Errors
    /// [`StreamError::Read`], and [`StreamError::Line`], [`StreamError::Missing`] or
    /// [`StreamError::Labels`] with the line at fault.
    pub fn read(name: &Path, limit: Option<usize>) -> Result<Self, StreamError> {
        let failed = |source| StreamError::Read { name: name.to_owned(), source };
        let text = fs::read(name).map_err(failed)?;
        let text = String::from_utf8_lossy(&text);
        let folders = Folders::of(name);
        let labels = vec![HAM.to_owned(), "spam".to_owned()];
        let mut index = Self { labels, entries: Vec::new(), moved: 0 };
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if limit.is_some_and(|limit| index.entries.len() >= limit) {
                break;
            }
            let (label, path) = text.split_once(char::is_whitespace).ok_or_else(|| {
                StreamError::Line { name: name.to_owned(), line, got: text.to_owned() }
            })?;
            let path = Path::new(path.trim_start());
            let (path, moved) = folders.find(path).ok_or_else(|| StreamError::Missing {
                name: name.to_owned(),
                line,
                path: path.to_owned(),
            })?;
            let feedback = !label.starts_with(char::is_uppercase);
            let label = index.label(&label.to_lowercase()).ok_or_else(|| StreamError::Labels {
                name: name.to_owned(),
                line,
                most: MAX_LABELS,
            })?;
            index.moved += usize::from(moved);
            index.entries.push(Entry { path, label, feedback });
        }
        Ok(index)
    }

    /// The number of a label, which is added if it is new and there is room.
    fn label(&mut self, name: &str) -> Option<u8> {
        let known = self.labels.iter().position(|label| label == name);
        let number = known.unwrap_or(self.labels.len());
        if number >= MAX_LABELS {
            return None;
        }
        if known.is_none() {
            self.labels.push(name.to_owned());
        }
        u8::try_from(number).ok()
    }
}

/// Where messages are looked up.
struct Folders {
    own: PathBuf,
    parent: PathBuf,
}

impl Folders {
    fn of(index: &Path) -> Self {
        let own = index.parent().unwrap_or(Path::new("")).to_owned();
        let parent = match own.components().next_back() {
            Some(Component::Normal(_)) => own.parent().unwrap_or(Path::new("")).to_owned(),
            _ => own.join(".."),
        };
        Self { own, parent }
    }

    /// The file, and whether leading components had to be dropped.
    fn find(&self, path: &Path) -> Option<(PathBuf, bool)> {
        let as_written = [self.own.join(path), path.to_owned()];
        if let Some(found) = as_written.into_iter().find(|path| path.is_file()) {
            return Some((found, false));
        }
        let mut rest = path.components();
        while rest.next().is_some() {
            let below = [&self.own, &self.parent].map(|folder| folder.join(rest.as_path()));
            if let Some(found) = below.into_iter().find(|path| path.is_file()) {
                return Some((found, true));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with `data/1` to `data/3` and an index in `full/`.
    fn stream(index: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["data", "full"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        for name in ["1", "2", "3"] {
            fs::write(folder.path().join("data").join(name), "Subject: a\n\nb\n").expect("written");
        }
        let path = folder.path().join("full/index");
        fs::write(&path, index).expect("written");
        (folder, path)
    }

    #[test]
    fn capital_letters_mean_no_feedback_and_new_words_are_labels() {
        let text =
            "# order of arrival\nspam ../data/1\n\nHam ../data/2\nSPAM ../data/3\nlist ../data/1\n";
        let (_folder, path) = stream(text);
        let index = Index::read(&path, None).expect("an index");
        let seen: Vec<_> = index.entries.iter().map(|e| (e.label, e.feedback)).collect();
        assert_eq!(seen, [(1, true), (0, false), (1, false), (2, true)]);
        assert_eq!(
            (index.labels, index.moved),
            (vec!["ham".into(), "spam".into(), "list".into()], 0)
        );
    }

    #[test]
    fn moved_paths_are_found_and_counted() {
        let text = "spam ../archive/x/data/1\nham /archive/data/2\nham ../data/3\n";
        let (folder, path) = stream(text);
        let index = Index::read(&path, None).expect("an index");
        let paths: Vec<_> =
            index.entries.iter().filter_map(|e| e.path.canonicalize().ok()).collect();
        let real = folder.path().canonicalize().expect("the folder");
        assert_eq!(paths, ["1", "2", "3"].map(|name| real.join("data").join(name)));
        assert_eq!(index.moved, 2);
    }

    #[test]
    fn a_missing_message_is_reported_with_its_line_unless_it_is_beyond_the_limit() {
        let (_folder, path) = stream("spam ../data/1\n# none\nham ../data/4\n");
        let error = Index::read(&path, None).expect_err("no fourth message");
        assert!(matches!(error, StreamError::Missing { line: 3, .. }), "{error}");
        assert_eq!(Index::read(&path, Some(1)).map(|index| index.entries.len()).ok(), Some(1));
    }

    #[test]
    fn a_line_without_a_path_and_too_many_labels_are_rejected() {
        let (_folder, path) = stream("spam ../data/1\nspam\n");
        assert!(matches!(Index::read(&path, None), Err(StreamError::Line { line: 2, .. })));
        let many: String = (0..MAX_LABELS).map(|n| format!("label{n} ../data/1\n")).collect();
        let (_folder, path) = stream(&many);
        let rejected = Index::read(&path, None);
        assert!(
            matches!(rejected, Err(StreamError::Labels { line, .. }) if line == MAX_LABELS - 1)
        );
    }
}
