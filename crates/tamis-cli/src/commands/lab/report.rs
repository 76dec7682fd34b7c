//! `tamis lab report`: all experiments on one page.

use super::Common;
use crate::exit::ExitCode;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use std::sync::{Mutex, PoisonError};
use tamis_lab::{ENTRIES, report};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis lab report -o report
  tamis lab report --quick -o first-look
  tamis lab report -o report --data movielens=u.data --data mail-threshold=mail")]
pub struct ReportArgs {
    #[command(flatten)]
    common: Common,
}

pub fn run(args: &ReportArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let progress = Mutex::new(Progress::parts("experiments", ENTRIES.len() as u64));
    let advance = |parts| progress.lock().unwrap_or_else(PoisonError::into_inner).advance(parts);
    let records = report::run(&|name| args.common.request(name, &[]), &|_| advance(1))?;
    drop(progress);
    report::write(&records, &args.common.output)?;
    let verdicts = || {
        records.iter().flat_map(|record| {
            record.outcome.verdicts.iter().map(move |verdict| (record.about.name, verdict))
        })
    };
    for (name, verdict) in verdicts().filter(|(_, verdict)| !verdict.holds) {
        out.text(format_args!("{name}: {verdict}\n"))?;
    }
    let held = verdicts().filter(|(_, verdict)| verdict.holds).count();
    let path = args.common.output.join("report.html");
    out.text(format_args!("{held} of {} verdicts hold: {}\n", verdicts().count(), path.display()))?;
    Ok(ExitCode::from_found(held == verdicts().count()))
}
