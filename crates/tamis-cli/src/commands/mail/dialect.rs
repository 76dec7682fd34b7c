//! Speaking by exit code as another filter does.

use crate::exit::ExitCode;
use crate::hints;
use clap::ValueEnum;
use tamis_mail::filter::Verdict;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// 0 spam, 1 ham, 2 unsure, 3 an error
    Bogofilter,
    /// 1 spam, 0 not, 74 an error
    Spamc,
}

/// From the least to the most spam-like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worst {
    Ham,
    Unsure,
    Spam,
}

impl From<Verdict> for Worst {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            verdict if verdict.is_spam() => Self::Spam,
            Verdict::Unsure => Self::Unsure,
            Verdict::Ham | Verdict::Label(_) => Self::Ham,
        }
    }
}

/// The exit code for what was found, or failed.
pub fn exit(dialect: Option<Dialect>, found: anyhow::Result<Worst>) -> anyhow::Result<ExitCode> {
    let Some(dialect) = dialect else { return found.map(|_| ExitCode::Yes) };
    Ok(match (dialect, found) {
        (Dialect::Bogofilter, Ok(Worst::Spam)) => ExitCode::Other(0),
        (Dialect::Bogofilter, Ok(Worst::Ham)) => ExitCode::Other(1),
        (Dialect::Bogofilter, Ok(Worst::Unsure)) => ExitCode::Other(2),
        (Dialect::Spamc, Ok(worst)) => ExitCode::Other(u8::from(worst == Worst::Spam)),
        (dialect, Err(error)) => {
            hints::print(&error);
            ExitCode::Other(if dialect == Dialect::Bogofilter { 3 } else { 74 })
        }
    })
}
