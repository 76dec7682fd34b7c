//! `tamis filter verify`: is the file sound, to the last byte?

use crate::exit::ExitCode;
use crate::input;
use crate::output::Output;
use crate::values::grouped;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis filter verify seen.tamis")]
pub struct VerifyArgs {
    /// The filters
    #[arg(required = true, value_name = "FILTER")]
    filters: Vec<PathBuf>,
}

pub fn run(args: &VerifyArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    for path in &args.filters {
        input::verify_filter(path)?;
        let filter = input::open_filter(path)?;
        out.data(path.as_os_str().as_encoded_bytes())?;
        let (kind, layout) = (filter.kind().described(), filter.layout());
        out.text(format_args!(": sound, {kind} ({layout}) of {} keys\n", grouped(filter.len())))?;
    }
    Ok(ExitCode::Yes)
}
