//! What an experiment is: a question, the theory, parameters, and a run.

use crate::outcome::Outcome;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What an experiment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The question, in a sentence.
    pub question: &'static str,
    /// What is expected and why, a paragraph each.
    pub theory: &'static [&'static str],
    /// What data it takes, if any; without, it makes some or has a sample.
    pub data: Option<&'static str>,
    /// Whether it measures times, and wants the machine for itself.
    pub timed: bool,
}

/// How large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// As in the reports.
    #[default]
    Full,
    /// In a second or so: for tests and for a first look.
    Quick,
}

/// An experiment. Its fields are its parameters, with the reports' values as defaults.
pub trait Experiment: Default + Serialize + DeserializeOwned {
    /// What it is about.
    const ABOUT: About;

    /// With parameters that take a second or so.
    fn quick() -> Self;

    /// Measures. The same seed and data give the same outcome, but for its times.
    ///
    /// # Errors
    /// Parameters or data that it cannot use.
    fn run(&self, seed: u64, data: Option<&Path>) -> Result<Outcome>;
}

/// What is asked of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Chooses keys and functions.
    pub seed: u64,
    /// The parameters to start from.
    pub size: Size,
    /// A file or folder for an experiment that takes data.
    pub data: Option<PathBuf>,
    /// Parameters that are changed, by name.
    pub changes: Vec<(String, Value)>,
}

impl Default for Request {
    fn default() -> Self {
        Self { seed: 1, size: Size::Full, data: None, changes: Vec::new() }
    }
}

/// A run with all that it needs to be repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What it is about.
    pub about: &'static About,
    /// The seed.
    pub seed: u64,
    /// All parameters.
    pub parameters: Value,
    /// What was found.
    pub outcome: Outcome,
}

/// An experiment that can be run by its name.
#[derive(Debug)]
pub struct Entry {
    /// What it is about.
    pub about: &'static About,
    run: fn(&Request) -> Result<Record>,
}

impl Entry {
    pub(crate) const fn of<E: Experiment + 'static>() -> Self {
        Self { about: &E::ABOUT, run: run::<E> }
    }

    /// Runs it.
    ///
    /// # Errors
    /// Parameters that it does not have or cannot use, and data that it does not take or cannot read.
    pub fn run(&self, request: &Request) -> Result<Record> {
        (self.run)(request).with_context(|| format!("the experiment {}", self.about.name))
    }
}

fn run<E: Experiment + 'static>(request: &Request) -> Result<Record> {
    let start = match request.size {
        Size::Full => E::default(),
        Size::Quick => E::quick(),
    };
    let mut parameters = serde_json::to_value(start)?;
    for (name, value) in &request.changes {
        match parameters.get_mut(name) {
            Some(parameter) => *parameter = value.clone(),
            None => bail!("there is no parameter {name}; there are {}", names(&parameters)),
        }
    }
    if request.data.is_some() && E::ABOUT.data.is_none() {
        bail!("it takes no data");
    }
    let experiment: E =
        serde_json::from_value(parameters.clone()).context("a parameter has a wrong value")?;
    let outcome = experiment.run(request.seed, request.data.as_deref())?;
    Ok(Record { about: &E::ABOUT, seed: request.seed, parameters, outcome })
}

fn names(parameters: &Value) -> String {
    let names = parameters.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    names.collect::<Vec<_>>().join(", ")
}
