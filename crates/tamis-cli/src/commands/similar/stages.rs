//! The stages of a run, each with its progress bar.

use super::arguments::{AllWithAll, Reading, Resources, Sets};
use super::summary::Run;
use crate::progress::Progress;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tamis::similar::Shingles;
use tamis_corpus::documents::{Document, ReadOptions, fingerprint, size_of};
use tamis_corpus::similar::candidates::{self, Candidates};
use tamis_corpus::similar::read::{sign_documents, sign_pictures, sign_sets};
use tamis_corpus::similar::{Plan, Signed, Signing, Workspace, verify};

/// The parts of a verification, for its progress bar.
pub fn verifying() -> Progress {
    Progress::parts("verifying", verify::PARTS)
}

/// A corpus that is signed, and what is needed to go on.
pub struct Prepared {
    pub signed: Signed,
    pub candidates: Candidates,
    pub workspace: Workspace,
    pub run: Run,
}

/// Where documents come from.
pub struct Inputs<'a> {
    pub files: &'a [PathBuf],
    /// Read before them; their documents have the first numbers.
    pub others: &'a [PathBuf],
    pub options: &'a ReadOptions,
    /// What decides which document is preferred, for a later run to know.
    pub preference: String,
    pub sets: Option<(&'a Sets, &'a Reading)>,
}

/// Reads, signs and finds candidates for all with all.
pub fn prepare_all(args: &AllWithAll) -> anyhow::Result<(Plan, Prepared)> {
    let plan = args.comparing.plan()?;
    let options = args.reading.options();
    let inputs = Inputs {
        files: &args.files,
        others: &[],
        options: &options,
        preference: String::new(),
        sets: args.sets.sets.then_some((&args.sets, &args.reading)),
    };
    let prepared = prepare(&plan, &inputs, &args.resources, |_| 0.0)?;
    Ok((plan, prepared))
}

/// Reads, signs and finds candidates.
pub fn prepare(
    plan: &Plan,
    inputs: &Inputs<'_>,
    resources: &Resources,
    rank: impl Fn(&Document<'_>) -> f64,
) -> anyhow::Result<Prepared> {
    let memory = resources.memory()?;
    resources.start_threads()?;
    let mut run = Run::start();
    let mut workspace = match &resources.resume {
        Some(folder) => Workspace::resumable(folder, &description(plan, inputs)?, memory)?,
        None => Workspace::temporary(memory)?,
    };
    let signed = match Signed::reopen(&workspace)? {
        Some(signed) => {
            run.resumed = true;
            signed
        }
        None => sign(plan, inputs, &mut workspace, rank)?,
    };
    let mut progress = Progress::parts("candidates", candidates::PARTS);
    let candidates = Candidates::find(&signed, &mut workspace, |parts| progress.advance(parts))?;
    drop(progress);
    Ok(Prepared { signed, candidates, workspace, run })
}

fn sign(
    plan: &Plan,
    inputs: &Inputs<'_>,
    workspace: &mut Workspace,
    rank: impl Fn(&Document<'_>) -> f64,
) -> anyhow::Result<Signed> {
    let is_stream = |path: &PathBuf| path == Path::new("-");
    let size = |files: &[PathBuf]| {
        if files.is_empty() || files.iter().any(is_stream) {
            Ok(0)
        } else {
            size_of(files, inputs.options.format)
        }
    };
    let mut progress = Progress::bytes("reading", size(inputs.files)? + size(inputs.others)?);
    let mut advance = |bytes| progress.advance(bytes);
    if let Some((sets, reading)) = inputs.sets {
        return Ok(sign_sets(plan, inputs.files, &sets.options(reading), workspace, advance)?);
    }
    let mut signing = Signing::new(plan, workspace);
    if plan.shingler.shingles() == Shingles::Picture {
        sign_pictures(&mut signing, inputs.files, inputs.options.strict, advance)?;
        return Ok(signing.finish(workspace)?);
    }
    if !inputs.others.is_empty() {
        // Fields and ranks are for the documents that may go.
        let options = ReadOptions { field: None, ..inputs.options.clone() };
        sign_documents(&mut signing, inputs.others, &options, |_| 0.0, &mut advance)?;
        signing.end_others();
    }
    sign_documents(&mut signing, inputs.files, inputs.options, rank, &mut advance)?;
    Ok(signing.finish(workspace)?)
}

/// What a run does with what: another description is another run.
fn description(plan: &Plan, inputs: &Inputs<'_>) -> anyhow::Result<String> {
    let Inputs { files, others, options, preference, sets } = inputs;
    let mut text = format!("{plan:?}\n{options:?}\n{sets:?}\n{preference}\n");
    // No input at all is standard input; no others are none.
    for paths in [Some(*files), Some(*others).filter(|others| !others.is_empty())] {
        let Some(paths) = paths else { continue };
        writeln!(text, "{paths:?} {:016x}", fingerprint(paths, options.format)?)?;
    }
    Ok(text)
}
