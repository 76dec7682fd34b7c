//! Commands, and what they cost.
//!
//! Memory is the largest that `/usr/bin/time` saw; where it is missing, memory and processor time are left out.

use anyhow::{Context as _, ensure};
use serde::Serialize;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const TIME: &str = "/usr/bin/time";

/// A command that is run once or often.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    program: OsString,
    arguments: Vec<OsString>,
    /// Names of files for its standard input, one a line.
    names: Vec<PathBuf>,
    /// The largest exit code that is no failure.
    largest_code: i32,
}

/// What commands took.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Cost {
    /// Seconds that went by.
    pub(crate) seconds: f64,
    /// Seconds of the processor.
    pub(crate) processor: Option<f64>,
    /// The largest memory, in megabytes.
    pub(crate) memory: Option<f64>,
}

impl Cost {
    /// The cost of both, one after the other.
    fn then(self, next: Self) -> Self {
        Self {
            seconds: self.seconds + next.seconds,
            processor: self.processor.zip(next.processor).map(|(first, next)| first + next),
            memory: self.memory.zip(next.memory).map(|(first, next)| first.max(next)),
        }
    }

    /// The least time of both rounds, and the largest memory.
    pub(crate) fn best(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            processor: self.processor.zip(other.processor).map(|(one, other)| one.min(other)),
            memory: self.memory.zip(other.memory).map(|(one, other)| one.max(other)),
        }
    }
}

impl Job {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        let (arguments, names) = (Vec::new(), Vec::new());
        Self { program: program.into(), arguments, names, largest_code: 0 }
    }

    pub(crate) fn with<T: Into<OsString>>(mut self, items: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(items.into_iter().map(Into::into));
        self
    }

    pub(crate) fn names(mut self, names: &[PathBuf]) -> Self {
        self.names = names.to_vec();
        self
    }

    /// Exit codes up to this one are answers.
    pub(crate) fn codes_up_to(mut self, code: i32) -> Self {
        self.largest_code = code;
        self
    }

    /// Runs it, and gives what it wrote.
    ///
    /// # Errors
    /// A command that cannot be started or fails.
    pub(crate) fn run(&self) -> anyhow::Result<String> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdout(Stdio::piped());
        self.finish(command, self.input()?)
    }

    /// Seconds of one run, whose output nobody reads.
    ///
    /// # Errors
    /// As [`Job::run`].
    pub(crate) fn seconds(&self) -> anyhow::Result<f64> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdout(Stdio::null());
        let input = self.input()?;
        let start = Instant::now();
        self.finish(command, input)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// What one run costs; `folder` is for a note of `time`.
    ///
    /// # Errors
    /// As [`Job::run`].
    fn cost(&self, folder: &Path) -> anyhow::Result<Cost> {
        if !Path::new(TIME).exists() {
            return Ok(Cost { seconds: self.seconds()?, processor: None, memory: None });
        }
        let note = folder.join("time");
        let mut command = Command::new(TIME);
        command.args(["-q", "-f", "%U %S %M", "-o"]).arg(&note);
        command.arg(&self.program).args(&self.arguments).stdout(Stdio::null());
        let input = self.input()?;
        let start = Instant::now();
        self.finish(command, input)?;
        let seconds = start.elapsed().as_secs_f64();
        let text = std::fs::read_to_string(&note)?;
        let figures: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
        let [user, system, kibibytes] = figures[..] else {
            anyhow::bail!("{TIME} wrote {text:?}");
        };
        let memory = Some(kibibytes * 1024.0 / 1e6);
        Ok(Cost { seconds, processor: Some(user + system), memory })
    }

    fn input(&self) -> anyhow::Result<File> {
        let mut file = tempfile::tempfile()?;
        for name in &self.names {
            file.write_all(&[name.as_os_str().as_encoded_bytes(), b"\n"].concat())?;
        }
        file.rewind()?;
        Ok(file)
    }

    fn finish(&self, mut command: Command, input: File) -> anyhow::Result<String> {
        let name = Path::new(&self.program).display();
        let child = command.stdin(input).stderr(Stdio::piped()).spawn();
        let output = child.and_then(std::process::Child::wait_with_output);
        let output = output.with_context(|| format!("cannot run {name}"))?;
        let failed = output.status.code().is_none_or(|code| code > self.largest_code);
        ensure!(!failed, "{name}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// What jobs cost, one after the other.
///
/// # Errors
/// As [`Job::run`].
pub(crate) fn cost_of(jobs: &[Job], folder: &Path) -> anyhow::Result<Cost> {
    let nothing = Cost { seconds: 0.0, processor: Some(0.0), memory: Some(0.0) };
    jobs.iter().try_fold(nothing, |sum, job| Ok(sum.then(job.cost(folder)?)))
}

/// Keeps this process, and those that it starts, on one core; says whether that was possible.
pub(crate) fn stay_on_one_core() -> bool {
    let number = std::process::id().to_string();
    Job::new("taskset").with(["-c", "-p", "0", &number]).run().is_ok()
}
