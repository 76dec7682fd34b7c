//! A collection in two parts: one to learn from, one to be judged by.

use crate::filter::HAM;
use crate::mailbox::for_each_message;
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Training,
    Testing,
}

const PARTS: [(Part, &str); 2] = [(Part::Training, "training"), (Part::Testing, "testing")];

/// A message whose label is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub raw: Vec<u8>,
    /// The number of its label, 0 for ham.
    pub label: u8,
}

/// A collection: folders `spam/training`, `ham/testing` and so on, or `training/spam` and so on; other labels likewise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// The labels, ham first and spam second.
    pub labels: Vec<String>,
    /// What is learned.
    pub training: Vec<Example>,
    /// What is judged.
    pub testing: Vec<Example>,
}

impl Split {
    /// Reads a collection.
    ///
    /// # Errors
    /// [`Error::Read`] for what cannot be read, [`Error::NoSplit`] unless there are two labels with both parts.
    pub fn read(folder: &Path) -> Result<Self> {
        let parts_first = PARTS.iter().all(|(_, name)| folder.join(name).is_dir());
        let at = |label: &str, part: &str| match parts_first {
            true => folder.join(part).join(label),
            false => folder.join(label).join(part),
        };
        let candidates = if parts_first { folder.join(PARTS[0].1) } else { folder.to_owned() };
        let mut labels: BTreeSet<String> = folders_in(&candidates)?.into_iter().collect();
        labels.retain(|label| PARTS.iter().all(|(_, part)| at(label, part).is_dir()));
        if labels.len() < 2 {
            return Err(Error::NoSplit { name: folder.to_owned() });
        }
        labels.remove(HAM);
        // Spam comes right after ham; where no folder has that name, the first other one takes its place.
        let spam = labels.take("spam").or_else(|| labels.pop_first());
        let mut split = Self::default();
        split.labels.push(HAM.to_owned());
        split.labels.extend(spam);
        split.labels.extend(labels);
        for (label, name) in (0..).zip(split.labels.clone()) {
            for (part, of_part) in PARTS {
                let path = at(&name, of_part);
                if !path.is_dir() {
                    continue;
                }
                let examples = match part {
                    Part::Training => &mut split.training,
                    Part::Testing => &mut split.testing,
                };
                for_each_message(&[path], |source, raw| -> Result<()> {
                    let path = source.to_string().into();
                    examples.push(Example { path, raw: raw.to_vec(), label });
                    Ok(())
                })?;
            }
        }
        Ok(split)
    }
}

fn folders_in(folder: &Path) -> Result<Vec<String>> {
    let failed = |source| Error::Read { name: folder.to_owned(), source };
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_dir() {
            folders.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(folders)
}
