//! All that is in a folder, at any depth, in the order of the paths.

use crate::problem::Problem;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// What stands where a file could.
#[derive(Debug)]
pub(crate) struct Obstacle {
    pub path: PathBuf,
    pub problem: Problem,
    pub detail: String,
}

/// Walks a folder. The names of one folder at each depth are in memory, and sorted there: the
/// order is that of the names and not that of the file system.
///
/// Links to files are files; folders behind links are not entered, so that no walk leaves its
/// folder or goes in circles.
#[derive(Debug)]
pub(super) struct Walk {
    /// The folder that is walked now.
    folder: PathBuf,
    /// What is left of each folder from the first one down to that, last name first.
    left: Vec<Vec<(OsString, FileType)>>,
    /// What could not be listed.
    obstacles: Vec<Obstacle>,
}

impl Walk {
    pub(super) fn new(folder: &Path) -> Self {
        let mut walk = Self { folder: folder.to_owned(), left: Vec::new(), obstacles: Vec::new() };
        walk.enter();
        walk
    }

    /// Lists the current folder.
    fn enter(&mut self) {
        let mut names = Vec::new();
        let failed = |path: &Path, error: &io::Error| Obstacle {
            path: path.to_owned(),
            problem: Problem::Unreadable,
            detail: error.to_string(),
        };
        match fs::read_dir(&self.folder) {
            Ok(entries) => {
                for entry in entries {
                    match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                        Ok(found) => names.push(found),
                        Err(error) => self.obstacles.push(failed(&self.folder, &error)),
                    }
                }
            }
            Err(error) => self.obstacles.push(failed(&self.folder, &error)),
        }
        names.sort_unstable_by(|(left, _), (right, _)| right.cmp(left));
        self.left.push(names);
    }
}

impl Iterator for Walk {
    type Item = Result<PathBuf, Obstacle>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(obstacle) = self.obstacles.pop() {
                return Some(Err(obstacle));
            }
            let Some((name, kind)) = self.left.last_mut()?.pop() else {
                self.left.pop();
                self.folder.pop();
                continue;
            };
            if kind.is_dir() {
                self.folder.push(name);
                self.enter();
                continue;
            }
            let path = self.folder.join(name);
            return Some(if kind.is_file() { Ok(path) } else { resolve(path, kind) });
        }
    }
}

/// A link to a file, or what is in the way.
fn resolve(path: PathBuf, kind: FileType) -> Result<PathBuf, Obstacle> {
    let obstacle = |path, problem, detail| Err(Obstacle { path, problem, detail });
    if !kind.is_symlink() {
        return obstacle(path, Problem::NotAFile, String::new());
    }
    match fs::metadata(&path) {
        Ok(target) if target.is_file() => Ok(path),
        Ok(target) if target.is_dir() => obstacle(path, Problem::LinkedFolder, String::new()),
        Ok(_) => obstacle(path, Problem::NotAFile, String::new()),
        Err(error) => obstacle(path, Problem::Unreadable, error.to_string()),
    }
}
