//! The stages of a run, each with its progress bar.

use super::arguments::{AllWithAll, Resources};
use super::summary::Run;
use crate::hints::Hint;
use crate::progress::Progress;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tamis::similar::Shingles;
use tamis_corpus::documents::{Corpus, Document, Format, ReadOptions};
use tamis_corpus::files::check_writable;
use tamis_corpus::sets::{SetOptions, corpus_of_sets};
use tamis_corpus::similar::candidates::{self, Candidates};
use tamis_corpus::similar::read::{sign_corpus, sign_pictures, sign_sets};
use tamis_corpus::similar::{Plan, Signed, Signing, Workspace, verify};
use tamis_corpus::table::check_table_name;

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
    pub corpus: &'a Corpus,
    /// Read before them; their documents have the first numbers.
    pub others: Option<&'a Corpus>,
    pub options: &'a ReadOptions,
    /// What decides which document is preferred, for a later run to know.
    pub preference: String,
    pub sets: Option<SetOptions>,
}

/// Reads, signs and finds candidates for all with all.
pub fn prepare_all(args: &AllWithAll) -> anyhow::Result<(Plan, Prepared)> {
    let plan = args.comparing.plan()?;
    let mut options = args.reading.options()?;
    let sets = args.sets.sets.then(|| args.sets.options(&args.reading)).transpose()?;
    if plan.shingler.shingles() == Shingles::Picture {
        options.format = Some(Format::Files);
    }
    let corpus = match &sets {
        Some(sets) => corpus_of_sets(&args.files, sets)?,
        None => Corpus::open(&args.files, &options)?,
    };
    check_tables(&corpus, &[&args.output, &args.reading.bad])?;
    let inputs = Inputs {
        corpus: &corpus,
        others: None,
        options: &options,
        preference: String::new(),
        sets,
    };
    let prepared = prepare(&plan, &inputs, &args.resources, |_| 0.0)?;
    Ok((plan, prepared))
}

/// What a report says of how it came about.
pub fn about(plan: &Plan) -> Vec<(&'static str, String)> {
    vec![
        ("tamis.shingles", plan.shingler.to_string()),
        ("tamis.threshold", plan.threshold.to_string()),
    ]
}

/// Refuses tables that cannot be written, that are the same file, or that would be read.
pub fn check_tables(corpus: &Corpus, tables: &[&Option<PathBuf>]) -> anyhow::Result<()> {
    let tables: Vec<&Path> = tables.iter().filter_map(|table| table.as_deref()).collect();
    for (place, &path) in tables.iter().enumerate() {
        check_table_name(path)?;
        check_writable(path)?;
        corpus.check_outside(path)?;
        if corpus.paths().any(|input| is_same(input, path)) {
            let refused = anyhow::anyhow!("{} is read and would be written", path.display());
            return Err(refused.context(Hint("name another output")));
        }
        check_other(path, tables[..place].iter().copied())?;
    }
    Ok(())
}

/// Refuses a file that is written already.
pub fn check_other<'a>(
    path: &Path,
    mut others: impl Iterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        !others.any(|other| is_same(other, path)),
        "{} would be written twice",
        path.display()
    );
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    one != Path::new("-") && place(one) == place(other)
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
    let corpora = [Some(inputs.corpus), inputs.others];
    let sizes: Result<Vec<u64>, _> = corpora.iter().flatten().map(|corpus| corpus.size()).collect();
    let sizes = sizes?;
    let total = if sizes.contains(&0) { 0 } else { sizes.iter().sum() };
    let mut progress = Progress::bytes("reading", total);
    let mut advance = |bytes| progress.advance(bytes);
    if let Some(sets) = &inputs.sets {
        return Ok(sign_sets(plan, inputs.corpus, sets, workspace, advance)?);
    }
    let mut signing = Signing::new(plan, workspace);
    if plan.shingler.shingles() == Shingles::Picture {
        sign_pictures(&mut signing, inputs.corpus, &inputs.options.tolerance, advance)?;
        return Ok(signing.finish(workspace)?);
    }
    if let Some(others) = inputs.others {
        // Fields and ranks are for the documents that may go.
        let options = ReadOptions { field: None, ..inputs.options.clone() };
        sign_corpus(&mut signing, others, &options, |_| 0.0, &mut advance)?;
        signing.end_others();
    }
    sign_corpus(&mut signing, inputs.corpus, inputs.options, rank, &mut advance)?;
    Ok(signing.finish(workspace)?)
}

/// What a run does with what, a line for each option: another description is another run.
fn description(plan: &Plan, inputs: &Inputs<'_>) -> anyhow::Result<String> {
    let Inputs { corpus, others, options, preference, sets } = inputs;
    let Plan { shingler, signer, bands, threshold, scoring } = plan;
    let mut text = format!(
        "shingles: {shingler:?}\ncomponents: {signer:?}\nbands: {bands:?}\nthreshold: {threshold}\n\
         scoring: {scoring:?}\nreading options: {options:?}\nsets: {sets:?}\n--keep: {preference}\n"
    );
    let corpora = [("inputs", Some(*corpus)), ("inputs of --against", *others)];
    for (name, corpus) in corpora.into_iter().filter_map(|(name, it)| Some((name, it?))) {
        corpus.check_lasting()?;
        let paths: Vec<&Path> = corpus.paths().collect();
        writeln!(text, "{name}: {paths:?} {:016x}", corpus.fingerprint()?)?;
    }
    Ok(text)
}
