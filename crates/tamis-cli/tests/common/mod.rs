//! Running the command in a folder of its own.

// Each test binary uses a part of this.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A temporary folder to run the command in.
pub struct Folder(tempfile::TempDir);

/// What a run of the command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into the folder.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path
    }

    /// The bytes of a file in the folder.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).expect("a file in the temporary folder")
    }

    /// Runs `tamis` with these arguments and nothing on standard input.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        self.pipe(arguments, b"")
    }

    /// Runs `tamis` with these arguments and bytes on standard input.
    pub fn pipe<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tamis starts");
        let mut stdin = child.stdin.take().expect("standard input");
        let input = input.to_vec();
        // A command that does not read its input closes it: that is no failure of ours.
        let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
        let output = child.wait_with_output().expect("tamis ends");
        writer.join().expect("the writer");
        Ran::new(&output)
    }

    /// Runs `tamis`, which must say yes.
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    }

    /// Runs `tamis`, which must refuse with exit code 2 and a sentence on standard error.
    pub fn refused<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 2, "not refused: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran.stderr
    }
}

impl Ran {
    pub fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
