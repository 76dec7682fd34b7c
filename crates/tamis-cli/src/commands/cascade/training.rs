//! Files with keys and categories.

use super::open::Any;
use crate::progress::Progress;
use anyhow::ensure;
use clap::Args;
use std::path::{Path, PathBuf};
use tamis_corpus::categories::{Categories, Form, Labelled};
use tamis_corpus::files::{Bytes, map};

/// After so many keys the bar is moved.
const STRIDE: u64 = 1 << 14;

#[derive(Debug, Args)]
pub struct Training {
    /// Categories in brackets, each followed by its keys, one a line
    #[arg(value_name = "FILE", required_unless_present = "listed")]
    file: Option<PathBuf>,

    /// The file has a key, a tab and a category in each line
    #[arg(long)]
    tsv: bool,

    /// Keys of a category `listed`: plain lines, a hosts file or domain rules
    #[arg(long, value_name = "FILE", requires = "unlisted", conflicts_with_all = ["file", "tsv"])]
    listed: Option<PathBuf>,

    /// Keys of a category `unlisted`
    #[arg(long, value_name = "FILE", requires = "listed")]
    unlisted: Option<PathBuf>,
}

/// The files, mapped.
pub struct Sources<'c> {
    files: Vec<(PathBuf, Bytes, Form)>,
    /// Who says the categories, if the files do not.
    judge: Option<&'c Any<'c>>,
}

impl Training {
    /// One file of this form.
    pub const fn of(file: PathBuf, tsv: bool) -> Self {
        Self { file: Some(file), tsv, listed: None, unlisted: None }
    }

    /// Opens the files.
    pub fn open(&self) -> anyhow::Result<Sources<'static>> {
        let mut files = Vec::new();
        if let Some(path) = &self.file {
            files.push(opened(path, if self.tsv { Form::Tsv } else { Form::Blocks })?);
        }
        for path in self.listed.iter().chain(&self.unlisted) {
            files.push(opened(path, Form::List)?);
        }
        ensure!(!files.is_empty(), "nothing to train: name a file");
        Ok(Sources { files, judge: None })
    }
}

fn opened(path: &Path, form: Form) -> anyhow::Result<(PathBuf, Bytes, Form)> {
    Ok((path.to_owned(), map(path)?, form))
}

impl<'c> Sources<'c> {
    /// Keys in lines, with the categories that a cascade says they have; those that it does not cover are left out.
    pub fn judged(files: &[PathBuf], judge: &'c Any<'c>) -> anyhow::Result<Self> {
        let files = files.iter().map(|path| opened(path, Form::Lines)).collect::<Result<_, _>>()?;
        Ok(Self { files, judge: Some(judge) })
    }

    /// Calls `visit` with each key, and the file that it is in; gives the names of the categories.
    pub fn for_each<'a>(
        &'a self,
        mut visit: impl FnMut(&'a Path, Labelled<'a>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<&'a [u8]>> {
        let total = self.files.iter().map(|(_, bytes, _)| bytes.as_ref().len() as u64).sum();
        let mut progress = Progress::bytes("reading", total);
        let mut categories = Categories::default();
        if let Some(judge) = self.judge {
            for name in judge.names() {
                categories.number(name);
            }
        }
        for (path, bytes, form) in &self.files {
            let bytes = bytes.as_ref();
            let of_list = (*form == Form::List).then(|| {
                let listed = categories.names().is_empty();
                categories.number(if listed { b"listed" } else { b"unlisted" })
            });
            let (mut keys, mut shown) = (0, 0);
            let mut outcome = Ok(());
            categories.for_each(path, bytes, *form, |mut labelled| {
                keys += 1;
                if keys % STRIDE == 0 {
                    let at = (labelled.key.as_ptr().addr() - bytes.as_ptr().addr()) as u64;
                    progress.advance(at - shown);
                    shown = at;
                }
                labelled.category = of_list.unwrap_or(labelled.category);
                if let Some(judge) = self.judge {
                    match judge.number(labelled.key) {
                        Some(category) => labelled.category = category,
                        None => return,
                    }
                }
                if outcome.is_ok() {
                    outcome = visit(path, labelled);
                }
            })?;
            outcome?;
            progress.advance(bytes.len() as u64 - shown);
        }
        Ok(categories.names().to_vec())
    }
}
