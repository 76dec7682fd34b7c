//! What the command says by its exit code.

use clap::error::ErrorKind;

/// 0 for yes or done, 1 for no, 2 for an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Yes, or done.
    Yes,
    /// No.
    No,
    /// Something was wrong.
    Error,
    /// What another program says by it.
    Other(u8),
}

impl ExitCode {
    /// [`Self::Yes`] if something was found.
    pub const fn from_found(found: bool) -> Self {
        if found { Self::Yes } else { Self::No }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(match code {
            ExitCode::Yes => 0,
            ExitCode::No => 1,
            ExitCode::Error => 2,
            ExitCode::Other(code) => code,
        })
    }
}

/// Prints what clap has to say: help and version are no errors.
pub fn of_usage(error: &clap::Error) -> std::process::ExitCode {
    // A closed output is no reason to complain.
    error.print().ok();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::Yes.into(),
        _ => ExitCode::Error.into(),
    }
}
