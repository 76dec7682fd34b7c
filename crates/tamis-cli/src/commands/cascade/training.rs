//! Files with keys and categories.

use anyhow::ensure;
use clap::Args;
use std::path::{Path, PathBuf};
use tamis_corpus::categories::{Categories, Form, Labelled};
use tamis_corpus::files::{Bytes, map};

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
pub struct Sources {
    files: Vec<(PathBuf, Bytes, Form)>,
}

impl Training {
    /// One file of this form.
    pub const fn of(file: PathBuf, tsv: bool) -> Self {
        Self { file: Some(file), tsv, listed: None, unlisted: None }
    }

    /// Opens the files.
    pub fn open(&self) -> anyhow::Result<Sources> {
        let opened = |path: &Path, form| anyhow::Ok((path.to_owned(), map(path)?, form));
        let mut files = Vec::new();
        if let Some(path) = &self.file {
            files.push(opened(path, if self.tsv { Form::Tsv } else { Form::Blocks })?);
        }
        for path in self.listed.iter().chain(&self.unlisted) {
            files.push(opened(path, Form::List)?);
        }
        ensure!(!files.is_empty(), "nothing to train: name a file");
        Ok(Sources { files })
    }
}

impl Sources {
    /// Calls `visit` with each key, and the file that it is in; gives the categories.
    pub fn for_each<'a>(
        &'a self,
        mut visit: impl FnMut(&'a Path, Labelled<'a>),
    ) -> anyhow::Result<Categories<'a>> {
        let mut categories = Categories::default();
        for (path, bytes, form) in &self.files {
            let of_list = (*form == Form::List).then(|| {
                let listed = categories.names().is_empty();
                categories.number(if listed { b"listed" } else { b"unlisted" })
            });
            categories.for_each(path, bytes.as_ref(), *form, |mut labelled| {
                labelled.category = of_list.unwrap_or(labelled.category);
                visit(path, labelled);
            })?;
        }
        Ok(categories)
    }
}
