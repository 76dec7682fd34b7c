//! Where a run keeps what does not fit into memory, and what it has finished.

use super::manifest::{Manifest, Stage};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// A folder for parts and the memory that may be used before it is.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    /// Removed at the end, unless the user named the folder to go on from later.
    temporary: Option<tempfile::TempDir>,
    manifest: Option<Manifest>,
    memory: u64,
}

/// Memory for a run that names none: 2 GiB.
pub const DEFAULT_MEMORY: u64 = 2 << 30;

/// The least memory with which a run makes sense: 64 MiB.
pub const MIN_MEMORY: u64 = 64 << 20;

impl Workspace {
    /// A temporary folder beside the system's other temporary files.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be made.
    pub fn temporary(memory: u64) -> Result<Self> {
        let temporary = tempfile::Builder::new()
            .prefix("tamis-")
            .tempdir()
            .map_err(|source| Error::Write { name: std::env::temp_dir(), source })?;
        let folder = temporary.path().to_owned();
        Ok(Self { folder, temporary: Some(temporary), manifest: None, memory })
    }

    /// A folder that outlives the run. A run with the same `description` (options and inputs, a
    /// line for each: its name, a colon, its value) continues from the last stage that was finished.
    ///
    /// # Errors
    /// [`Error::Write`] if the folder cannot be used, [`Error::OtherRun`] if it keeps a run with
    /// another description.
    pub fn resumable(folder: &Path, description: &str, memory: u64) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .map_err(|source| Error::Write { name: folder.to_owned(), source })?;
        let manifest = Manifest::open(folder, description)?;
        Ok(Self { folder: folder.to_owned(), temporary: None, manifest: Some(manifest), memory })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The memory for one of the things that grow, as a part of all.
    pub(super) fn share(&self, part: f64) -> u64 {
        (self.memory.max(MIN_MEMORY) as f64 * part) as u64
    }

    /// Whether results are to be left for a later run.
    pub(super) const fn resumes(&self) -> bool {
        self.manifest.is_some()
    }

    /// Whether a stage was finished by an earlier run.
    pub(super) fn has(&self, stage: Stage) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.stage() >= stage)
    }

    /// Records that a stage is finished, once its files are on disk.
    pub(super) fn finished(&mut self, stage: Stage) -> Result<()> {
        match &mut self.manifest {
            Some(manifest) => manifest.advance(&self.folder, stage),
            None => Ok(()),
        }
    }

    /// Whether the folder vanishes with the workspace.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }
}
