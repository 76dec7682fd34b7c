//! The messages, in either of two arrangements.

use anyhow::{Context as _, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use tamis_mail::evaluation::{Example, Split};
use tempfile::TempDir;

/// The number of the label spam.
pub(crate) const SPAM: u8 = 1;

/// What stands before the body in a copy.
const HEADER: &[u8] = b"MIME-Version: 1.0\n\n";

/// Messages with their labels.
pub(crate) enum Collection {
    /// Bodies, in a part to learn and a part to judge; the copies are there as long as this.
    Bodies { training: Vec<Example>, testing: Vec<Example>, _copies: TempDir },
    /// Raw mail, to be divided.
    Mail(Vec<Example>),
}

impl Collection {
    /// Reads a collection of either kind.
    ///
    /// # Errors
    /// What cannot be read, or is no collection.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let collection = match Split::read(folder) {
            Ok(split) => of_split(split)?,
            Err(tamis_mail::Error::NoSplit { .. }) => Self::Mail(of_folders(folder)?),
            Err(error) => return Err(error.into()),
        };
        for spam in [false, true] {
            let has = |examples: &[Example]| !files(examples, spam).is_empty();
            let both = has(collection.learned()) && has(collection.checked());
            ensure!(both, "{} has no {}", folder.display(), if spam { "spam" } else { "ham" });
        }
        Ok(collection)
    }

    /// What is learned for the race.
    pub(crate) fn learned(&self) -> &[Example] {
        match self {
            Self::Bodies { training, .. } => training,
            Self::Mail(all) => all,
        }
    }

    /// What is checked for the race.
    pub(crate) fn checked(&self) -> &[Example] {
        match self {
            Self::Bodies { testing, .. } => testing,
            Self::Mail(all) => all,
        }
    }
}

/// The files of one class.
pub(crate) fn files(examples: &[Example], spam: bool) -> Vec<PathBuf> {
    let of_class = examples.iter().filter(|example| (example.label == SPAM) == spam);
    of_class.map(|example| example.path.clone()).collect()
}

/// The folders of these files, each once.
pub(crate) fn folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Writes copies without senders; from then on the examples are at their places.
fn of_split(split: Split) -> anyhow::Result<Collection> {
    let Split { labels, mut training, mut testing } = split;
    ensure!(labels == ["ham", "spam"], "the labels are {labels:?} and not ham and spam");
    let copies = tempfile::Builder::new().prefix("tamis-bench-").tempdir()?;
    for (part, examples) in [("training", &mut training), ("testing", &mut testing)] {
        for label in &labels {
            fs::create_dir_all(copies.path().join(label).join(part))?;
        }
        for (number, example) in examples.iter_mut().enumerate() {
            let body = body(&example.raw)
                .with_context(|| format!("{} does not start with FROM:", example.path.display()))?;
            let folder = copies.path().join(&labels[usize::from(example.label)]).join(part);
            example.path = folder.join(format!("{number}.eml"));
            fs::write(&example.path, [HEADER, body].concat())?;
        }
    }
    Ok(Collection::Bodies { training, testing, _copies: copies })
}

/// What is behind the first line `FROM: address`.
fn body(raw: &[u8]) -> Option<&[u8]> {
    let rest = raw.strip_prefix(b"FROM:")?;
    let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
    Some(&rest[end..])
}

fn of_folders(collection: &Path) -> anyhow::Result<Vec<Example>> {
    let mut all = Vec::new();
    for folder in paths_in(collection)?.iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let label = u8::from(name.starts_with("spam"));
        for path in paths_in(folder)?.into_iter().filter(|path| path.is_file()) {
            let raw = fs::read(&path);
            let raw = raw.with_context(|| format!("cannot read {}", path.display()))?;
            all.push(Example { path, raw, label });
        }
    }
    Ok(all)
}

/// What is in a folder, in the order of names.
fn paths_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut paths = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_sees_the_sender() {
        assert_eq!(body(b"FROM: a@b\nSubject: c\nd\n"), Some(&b"Subject: c\nd\n"[..]));
        assert_eq!(body(b"FROM: a@b"), Some(&b""[..]));
        assert_eq!(body(b"From: a@b\n\nc"), None);
    }
}
