//! Other filters: bogofilter and spamprobe, as Debian packs them.

use anyhow::{Context as _, ensure};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A filter that is called as a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Bogofilter,
    Spamprobe,
}

impl Peer {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bogofilter => "bogofilter",
            Self::Spamprobe => "spamprobe",
        }
    }

    /// Whether it is installed.
    pub(crate) fn is_there(self) -> bool {
        let mut version = Command::new(self.name());
        version.arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    }

    /// Learns files.
    pub(crate) fn learn(self, store: &Path, spam: bool, files: &[PathBuf]) -> anyhow::Result<()> {
        match self {
            Self::Bogofilter => {
                let mut command = Command::new("bogofilter");
                command.arg("-d").arg(store).args([if spam { "-s" } else { "-n" }, "-b"]);
                run(command, files)?;
            }
            Self::Spamprobe => {
                for files in files.chunks(500) {
                    let mut command = Command::new("spamprobe");
                    command
                        .arg("-d")
                        .arg(store)
                        .arg(if spam { "spam" } else { "good" })
                        .args(files);
                    run(command, &[])?;
                }
            }
        }
        Ok(())
    }

    /// The probability of each file.
    pub(crate) fn check(self, store: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<f64>> {
        let mut scores = Vec::with_capacity(files.len());
        match self {
            Self::Bogofilter => {
                let mut command = Command::new("bogofilter");
                // A line for each file: its name, then `S 0.999999`.
                command.arg("-d").arg(store).args(["-b", "-T"]);
                for line in run(command, files)?.lines() {
                    let score = line.rsplit(' ').next().and_then(|score| score.parse().ok());
                    scores.push(score.with_context(|| format!("bogofilter said {line:?}"))?);
                }
            }
            Self::Spamprobe => {
                for files in files.chunks(500) {
                    let mut command = Command::new("spamprobe");
                    command.arg("-d").arg(store).arg("score").args(files);
                    // `FILE: SPAM 0.9999999 digest`.
                    for line in run(command, &[])?.lines() {
                        let score = line.split_whitespace().find_map(|word| word.parse().ok());
                        scores.push(score.with_context(|| format!("spamprobe said {line:?}"))?);
                    }
                }
            }
        }
        ensure!(scores.len() == files.len(), "{} scores for {} files", scores.len(), files.len());
        Ok(scores)
    }
}

/// Runs a command with names of files on its standard input, and gives what it wrote.
fn run(mut command: Command, input: &[PathBuf]) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let names: Vec<u8> = input
        .iter()
        .flat_map(|path| [path.as_os_str().as_encoded_bytes(), b"\n"].concat())
        .collect();
    let mut stdin = child.stdin.take().context("no standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(&names));
    let output = child.wait_with_output()?;
    let _written = writer.join();
    let failed = output.status.code().is_none_or(|code| code > 2);
    ensure!(!failed, "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
