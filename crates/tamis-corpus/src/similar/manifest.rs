//! What a resumable run has finished: one small file, replaced whole at each step.

use crate::{Error, Result, files};
use std::path::Path;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Nothing,
    Signed,
    Candidates,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Nothing, Self::Signed, Self::Candidates];

    const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Signed => "signed",
            Self::Candidates => "candidates",
        }
    }
}

/// The description of a run and its stage.
#[derive(Debug)]
pub(super) struct Manifest {
    description: String,
    stage: Stage,
}

const NAME: &str = "tamis-run";

impl Manifest {
    /// Reads the manifest of a folder. If there is none, the parts in the folder are removed and
    /// the run starts from the beginning.
    ///
    /// # Errors
    /// [`Error::OtherRun`] if it describes another run.
    pub(super) fn open(folder: &Path, description: &str) -> Result<Self> {
        let text = std::fs::read_to_string(folder.join(NAME)).unwrap_or_default();
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        let stage = Stage::ALL.into_iter().find(|stage| stage.name() == first);
        if stage.is_some() && rest != description {
            let what = difference(rest, description);
            return Err(Error::OtherRun { folder: folder.to_owned(), what });
        }
        let stage = stage.unwrap_or(Stage::Nothing);
        let mut manifest = Self { description: description.to_owned(), stage };
        if stage < Stage::Candidates {
            // What an interrupted stage has left is of no use.
            remove_parts(folder, if stage == Stage::Nothing { "" } else { "pairs-" })?;
            manifest.write(folder)?;
        }
        Ok(manifest)
    }

    pub(super) const fn stage(&self) -> Stage {
        self.stage
    }

    pub(super) fn advance(&mut self, folder: &Path, stage: Stage) -> Result<()> {
        self.stage = stage;
        self.write(folder)
    }

    fn write(&mut self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        files::write_atomically(&path, |out| {
            write!(out, "{}\n{}", self.stage.name(), self.description)
                .map_err(|source| Error::Write { name: path.clone(), source })
        })
    }
}

/// Which lines of two descriptions differ, by what stands before their colons.
fn difference(left: &str, right: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let (mut left, mut right) = (left.lines(), right.lines());
    loop {
        match (left.next(), right.next()) {
            (None, None) => break,
            (Some(one), Some(other)) if one == other => {}
            (one, other) => {
                let line = other.or(one).unwrap_or_default();
                let name = line.split_once(':').map_or(line, |(name, _)| name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    let names = names.join(" and ");
    if names.is_empty() { "other options".to_owned() } else { format!("other {names}") }
}

/// Removes the parts whose names start so.
fn remove_parts(folder: &Path, prefix: &str) -> Result<()> {
    let failed = |source| Error::Write { name: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(prefix) && name.ends_with(".part") {
            std::fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}
