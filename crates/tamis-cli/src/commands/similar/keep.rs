//! Which of several copies stays.

use crate::hints::Hint;
use std::path::Path;
use std::str::FromStr;
use tamis_corpus::documents::{Corpus, Document};

/// What is said of it in the help.
pub const HELP: &str =
    "first, last, longest, largest:FIELD, smallest:FIELD or priority:INPUT,INPUT...";

/// Which of several copies stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    First,
    Last,
    Longest,
    Largest(String),
    Smallest(String),
    Priority(Vec<String>),
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "first" => Ok(Self::First),
            None if text == "last" => Ok(Self::Last),
            None if text == "longest" => Ok(Self::Longest),
            Some(("largest", field)) if !field.is_empty() => Ok(Self::Largest(field.to_owned())),
            Some(("smallest", field)) if !field.is_empty() => Ok(Self::Smallest(field.to_owned())),
            Some(("priority", inputs)) if !inputs.is_empty() => {
                Ok(Self::Priority(inputs.split(',').map(ToOwned::to_owned).collect()))
            }
            _ => Err(format!("write {HELP}")),
        }
    }
}

impl Keep {
    /// The column that decides, if one does.
    pub fn field(&self) -> Option<String> {
        match self {
            Self::Largest(field) | Self::Smallest(field) => Some(field.clone()),
            _ => None,
        }
    }

    /// How much a document is preferred; `order` is its place in the order of the inputs.
    pub fn rank(&self, order: &[f64], document: &Document<'_>) -> f64 {
        let number = || {
            let number = document.field.and_then(|field| field.trim().parse::<f64>().ok());
            number.filter(|number| !number.is_nan())
        };
        match self {
            Self::First => 0.0,
            Self::Last => document.ordinal as f64,
            Self::Longest => document.text.len() as f64,
            Self::Largest(_) => number().unwrap_or(f64::NEG_INFINITY),
            Self::Smallest(_) => number().map_or(f64::NEG_INFINITY, |number| -number),
            Self::Priority(_) => order.get(document.input).copied().unwrap_or(0.0),
        }
    }

    /// For each input how much its documents are preferred, if inputs have a priority.
    pub fn order(&self, corpus: &Corpus) -> anyhow::Result<Vec<f64>> {
        let Self::Priority(names) = self else { return Ok(Vec::new()) };
        let is_called = |path: &Path, name: &str| {
            path == Path::new(name)
                || path.file_name().is_some_and(|file| file == name)
                || path.file_name().and_then(|file| file.to_str()).is_some_and(|file| {
                    file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
                })
        };
        for name in names {
            if !corpus.paths().any(|path| is_called(path, name)) {
                return Err(anyhow::anyhow!("no input is called {name}")
                    .context(Hint("priority takes the names of inputs, the preferred first")));
            }
        }
        let place = |path: &Path| names.iter().position(|name| is_called(path, name));
        Ok(corpus
            .paths()
            .map(|path| place(path).map_or(0.0, |at| (names.len() - at) as f64))
            .collect())
    }
}
