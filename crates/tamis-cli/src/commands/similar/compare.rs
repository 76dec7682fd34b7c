//! `tamis similar compare`: how alike are these two?

use super::arguments::{Banding, Reading, Shingling};
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::output::Output;
use crate::values::grouped;
use anyhow::Context;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use tamis::similar::{Set, jaccard};
use tamis_corpus::documents::{Format, ReadOptions, Tolerance, for_each_document};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis similar compare draft.txt final.txt
  tamis similar compare --shingle chars:4 --lowercase --json draft.txt final.txt")]
pub struct CompareArgs {
    /// A file, or `-` for standard input
    left: PathBuf,

    /// Another file
    right: PathBuf,

    /// One JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    shingling: Shingling,

    #[command(flatten)]
    banding: Banding,

    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(args: &CompareArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let shingler = args.shingling.shingler();
    let set = |path: &Path| -> anyhow::Result<Set> { Ok(shingler.set(&text(args, path)?)) };
    let (left, right) = (set(&args.left)?, set(&args.right)?);
    let signer = args.banding.signer()?;
    let estimate = signer.sign(&left).similarity(&signer.sign(&right))?;
    let similarity = jaccard::similarity(&left, &right);
    let common = jaccard::intersection(&left, &right);
    if args.json {
        out.json(&json!({
            "similarity": similarity,
            "distance": 1.0 - similarity,
            "estimate": estimate,
            "components": signer.components(),
            "shingle": shingler.shingles().to_string(),
            "tokens": shingler.tokens().to_string(),
            "lowercase": shingler.is_lowercase(),
            "normalize": shingler.normalization().map(|form| form.to_string()),
            "left": left.len(),
            "right": right.len(),
            "common": common,
        }))?;
        return Ok(ExitCode::Yes);
    }
    let mut row = |name: &str, value: String| out.text(format_args!("{name:12}{value}\n"));
    row("similarity", format!("{similarity:.4}"))?;
    row("distance", format!("{:.4}", 1.0 - similarity))?;
    row("estimate", format!("{estimate:.4} by {} components", signer.components()))?;
    row(
        "shingles",
        format!(
            "{} and {}, {} in common ({})",
            grouped(left.len() as u64),
            grouped(right.len() as u64),
            grouped(common as u64),
            shingler
        ),
    )?;
    Ok(ExitCode::Yes)
}

/// The text of a file, which must be one document.
fn text(args: &CompareArgs, path: &Path) -> anyhow::Result<String> {
    let format = args.reading.format.unwrap_or(Format::Files);
    let options = args.reading.options()?;
    let tolerance = Tolerance { strict: true, ..options.tolerance.clone() };
    let options = ReadOptions { format: Some(format), tolerance, ..options };
    let mut texts = Vec::new();
    for_each_document(&[path.to_owned()], &options, |document| -> anyhow::Result<()> {
        texts.push(document.text.to_owned());
        anyhow::ensure!(texts.len() < 2, "{} has more than one document", path.display());
        Ok(())
    })
    .context(Hint("compare takes two documents; tamis similar pairs takes any number"))?;
    texts.pop().with_context(|| format!("{} has no document", path.display()))
}
