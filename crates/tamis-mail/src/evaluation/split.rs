//! A collection in two parts: one to learn from, one to be judged by.

use crate::words::Class;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It is learned.
    Training,
    /// It is judged.
    Testing,
}

/// A message whose class is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub raw: Vec<u8>,
    /// What it is.
    pub class: Class,
    /// What it is for.
    pub part: Part,
}

/// A collection: folders `spam/training` and so on, or `training/spam` and so on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    examples: Vec<Example>,
}

impl Split {
    /// Reads a collection.
    ///
    /// # Errors
    /// [`Error::Read`] for what cannot be read, [`Error::NoSplit`] if one of the four folders is not there.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut split = Self::default();
        for (class, of_class) in [(Class::Spam, "spam"), (Class::Ham, "ham")] {
            for (part, of_part) in [(Part::Training, "training"), (Part::Testing, "testing")] {
                let either =
                    [folder.join(of_class).join(of_part), folder.join(of_part).join(of_class)];
                let Some(messages) = either.iter().find(|path| path.is_dir()) else {
                    return Err(Error::NoSplit { name: folder.to_owned() });
                };
                split.read_folder(messages, class, part)?;
            }
        }
        Ok(split)
    }

    fn read_folder(&mut self, folder: &Path, class: Class, part: Part) -> Result<()> {
        let failed = |name: &Path| {
            let name = name.to_owned();
            move |source| Error::Read { name, source }
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed(folder))? {
            paths.push(entry.map_err(failed(folder))?.path());
        }
        paths.sort_unstable();
        for path in paths {
            if path.is_file() {
                let raw = fs::read(&path).map_err(failed(&path))?;
                self.examples.push(Example { path, raw, class, part });
            }
        }
        Ok(())
    }

    /// The messages of a part.
    pub fn part(&self, part: Part) -> impl Iterator<Item = &Example> {
        self.examples.iter().filter(move |example| example.part == part)
    }

    /// All messages.
    #[must_use]
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }
}
