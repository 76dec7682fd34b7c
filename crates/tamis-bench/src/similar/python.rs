//! The peers in Python: an environment of their own, and the script that calls them.

use super::speed::Speed;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed.
const PACKAGES: [&str; 2] = ["rensa", "datasketch"];

/// An environment with the peers, and the script.
pub(crate) struct Python {
    interpreter: PathBuf,
    script: PathBuf,
}

impl Python {
    /// Makes the environment in this folder, or takes the one that is there.
    ///
    /// # Errors
    /// No Python, or no way to the packages.
    pub(crate) fn prepare(environment: &Path, folder: &Path) -> anyhow::Result<Self> {
        let script = folder.join("peers.py");
        std::fs::write(&script, include_str!("peers.py"))?;
        let programs = if cfg!(windows) { "Scripts" } else { "bin" };
        let interpreter = environment.join(programs).join("python");
        let python = Self { interpreter, script };
        let imports = Command::new(&python.interpreter)
            .args(["-c", "import rensa, datasketch"])
            .stderr(Stdio::null())
            .status();
        if !imports.is_ok_and(|status| status.success()) {
            succeed(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
            let pip = ["-m", "pip", "install", "--quiet"];
            succeed(Command::new(&python.interpreter).args(pip).args(PACKAGES))?;
        }
        Ok(python)
    }

    /// Calls the script, on one thread.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.arg(&self.script).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
        command
    }

    /// How fast each peer is from text to signature, with shingles made in Python.
    ///
    /// # Errors
    /// A script that fails.
    pub(crate) fn speeds(&self, texts: &Path, rounds: usize) -> anyhow::Result<Vec<Speed>> {
        let mut command = self.command();
        command.arg("sign").arg(texts).arg(rounds.to_string()).env("RAYON_NUM_THREADS", "1");
        let output = command.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the script ended with {}", output.status);
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    // What it says is no result of ours.
    let status = command.stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "{program} ended with {status}");
    Ok(())
}
