//! Errors for a person: what was wrong, why, and what to do.

use crate::output::escaped;
use std::io::{self, Write};

/// A remedy that goes with an error, printed as its last line.
#[derive(Debug)]
pub struct Hint(pub &'static str);

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Prints an error with its causes, and a hint where there is one.
pub fn print(error: &anyhow::Error) {
    let mut sentence = String::new();
    let own_hint = error.downcast_ref::<Hint>().map(ToString::to_string);
    for cause in error.chain().map(ToString::to_string) {
        // The hint has a line of its own, and a transparent error repeats its source.
        if own_hint.as_ref() != Some(&cause) && !sentence.ends_with(&cause) {
            if !sentence.is_empty() {
                sentence.push_str(": ");
            }
            sentence.push_str(&cause);
        }
    }
    let mut stderr = io::stderr().lock();
    writeln!(stderr, "error: {}", escaped(sentence.as_bytes())).ok();
    if let Some(hint) = hint(error) {
        writeln!(stderr, "hint: {hint}").ok();
    }
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    use tamis::Error;
    if let Some(Hint(hint)) = error.downcast_ref::<Hint>() {
        return Some(hint);
    }
    if let Some(hint) = error.chain().find_map(|cause| cause.downcast_ref()).and_then(of_corpus) {
        return Some(hint);
    }
    let mail = error.chain().find_map(|cause| cause.downcast_ref::<tamis_mail::Error>());
    if let Some(tamis_mail::Error::NoHistory { .. }) = mail {
        return Some(
            "a server keeps one if its settings have [history] with days = 30, or another number",
        );
    }
    let cause = error.chain().find_map(|cause| cause.downcast_ref::<Error>())?;
    match cause {
        Error::NotTamis { .. } => Some(
            "the filter comes first, then the files: tamis filter check FILTER [FILE...]; make one with tamis filter build",
        ),
        Error::Mismatch { .. } => Some("tamis filter info shows what each file was made with"),
        _ => None,
    }
}

/// What to do about an input that is refused.
fn of_corpus(error: &tamis_corpus::Error) -> Option<&'static str> {
    use tamis_corpus::Error;
    use tamis_corpus::documents::Problem;
    use tamis_corpus::objects::is_address;
    match error {
        Error::TooManyBad { .. } => Some(
            "--bad FILE lists them; --max-bad 5% accepts more; --format says what the inputs are",
        ),
        Error::Broken { problem: Problem::Damaged, .. } => {
            Some("copy it once more, or unpack what is left of it and read that")
        }
        Error::NoRecordHas { .. } | Error::NoColumn { .. } => {
            Some("--text-column and --id-column name columns, nested ones as meta.text")
        }
        Error::Refused { .. } | Error::RefusedAmong { .. } => {
            Some("unpack or convert it, or take it out; --format reads the files of one format")
        }
        Error::Read { name, source }
            if is_address(name) && source.kind() == std::io::ErrorKind::PermissionDenied =>
        {
            Some(
                "credentials come from the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_SERVICE_ACCOUNT, AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; AWS_SKIP_SIGNATURE=true reads public buckets",
            )
        }
        Error::NoMatch { .. } => Some("quote patterns, so that the shell leaves them alone"),
        Error::OtherRun { .. } => Some("--resume continues the same command on the same files"),
        Error::ColumnExists { .. } => Some("rename the column first"),
        Error::OutputFormat { .. } => Some("the name of an output says its format"),
        _ => None,
    }
}
