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
    /// Reads the manifest of a folder. If it describes another run, or none, the parts in the folder
    /// are removed and the run starts anew.
    pub(super) fn open(folder: &Path, description: &str) -> Result<Self> {
        let text = std::fs::read_to_string(folder.join(NAME)).unwrap_or_default();
        let mut lines = text.splitn(2, '\n');
        let stage = lines.next().and_then(|name| Stage::ALL.into_iter().find(|s| s.name() == name));
        let same = lines.next() == Some(description);
        let stage = stage.filter(|_| same).unwrap_or(Stage::Nothing);
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
