//! The peers in Python: an environment of their own, and the script that calls them.

use super::speed::Speed;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed: who needs it, the packages, and the modules that must be there then. Under
/// xxhash 4, datatrove hands over strings where bytes are wanted.
const PACKAGES: [(&str, &str, &str); 4] = [
    ("rensa", "rensa", "rensa"),
    ("datasketch", "datasketch", "datasketch"),
    ("text-dedup", "text-dedup>=0.4", "text_dedup.minhash"),
    (
        "datatrove",
        "datatrove[io] orjson spacy tokenizers xxhash<3.7",
        "datatrove.pipeline.dedup, spacy, tokenizers",
    ),
];

/// An environment with the peers, and the script.
pub(crate) struct Python {
    interpreter: PathBuf,
    script: PathBuf,
    /// Who is there.
    available: Vec<&'static str>,
    /// The program of fastdedup, which the script calls.
    fastdedup: Option<PathBuf>,
}

impl Python {
    /// Makes the environment in this folder, or takes the one that is there. Who cannot be had is
    /// named with the reason, and left out.
    ///
    /// # Errors
    /// No Python.
    pub(crate) fn prepare(
        program: &str,
        environment: &Path,
        folder: &Path,
        fastdedup: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let script = folder.join("peers.py");
        std::fs::write(&script, include_str!("peers.py"))?;
        let programs = if cfg!(windows) { "Scripts" } else { "bin" };
        let interpreter = environment.join(programs).join("python");
        let mut python = Self { interpreter, script, available: Vec::new(), fastdedup: None };
        if !python.interpreter.exists() {
            succeed(Command::new(program).args(["-m", "venv"]).arg(environment))?;
        }
        for (name, packages, module) in PACKAGES {
            match python.install(packages, module) {
                Ok(()) => python.available.push(name),
                Err(reason) => eprintln!("{name} is left out: {reason:#}."),
            }
        }
        match fastdedup {
            Some(program) if program.is_file() => {
                python.available.push("fastdedup");
                python.fastdedup = Some(program);
            }
            Some(program) => eprintln!("fastdedup is left out: there is no {}.", program.display()),
            None => eprintln!("fastdedup is left out: --fastdedup names its program."),
        }
        Ok(python)
    }

    /// Installs packages, unless their modules are there.
    fn install(&self, packages: &str, module: &str) -> anyhow::Result<()> {
        let imports = || {
            let mut command = Command::new(&self.interpreter);
            let output = command.args(["-c", &format!("import {module}")]).output()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            anyhow::Ok((output.status.success(), said))
        };
        if imports()?.0 {
            return Ok(());
        }
        let pip = ["-m", "pip", "install", "--quiet"];
        let packages = packages.split(' ');
        let installed = Command::new(&self.interpreter).args(pip).args(packages).output()?;
        let said = String::from_utf8_lossy(&installed.stderr).into_owned();
        ensure!(installed.status.success(), "{}", said.lines().last().unwrap_or("pip fails"));
        let (is_there, said) = imports()?;
        ensure!(is_there, "{}", said.lines().last().unwrap_or("it cannot be imported"));
        Ok(())
    }

    /// Whether this contender can run.
    pub(crate) fn has(&self, contender: &str) -> bool {
        self.available.contains(&contender)
    }

    /// Calls the script, on one thread.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.arg(&self.script).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
        // Nothing is asked from the network, whatever a library would like to know.
        command.env("HF_HUB_OFFLINE", "1").env("HF_DATASETS_OFFLINE", "1");
        command.env("FASTDEDUP", self.fastdedup.as_deref().unwrap_or(Path::new("")));
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
