//! The files of a history, by their names.

use super::FOLDER;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Seconds of a day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// A file of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    /// The number of its first verdict.
    pub first: u64,
    /// The day of all its verdicts: year, month, day as one number.
    pub day: u32,
    pub path: PathBuf,
}

impl Segment {
    pub fn new(folder: &Path, first: u64, day: u32) -> Self {
        Self { first, day, path: folder.join(format!("{first:012}-{day:08}.jsonl")) }
    }

    /// A segment, by the name of a file.
    fn named(folder: &Path, name: &str) -> Option<Self> {
        let (first, day) = name.strip_suffix(".jsonl")?.split_once('-')?;
        let segment = Self::new(folder, first.parse().ok()?, day.parse().ok()?);
        (segment.path.file_name()? == name).then_some(segment)
    }
}

/// All segments, the oldest first.
///
/// # Errors
/// [`Error::NoHistory`] if there is no such folder, or what the system says.
pub(super) fn list(folder: &Path) -> Result<Vec<Segment>> {
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => {
            let store = folder.parent().filter(|_| folder.ends_with(FOLDER)).unwrap_or(folder);
            Error::NoHistory { name: store.to_owned() }
        }
        _ => Error::Read { name: folder.to_owned(), source },
    };
    let mut segments = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        segments.extend(entry.file_name().to_str().and_then(|name| Segment::named(folder, name)));
    }
    segments.sort();
    Ok(segments)
}

/// The day of a time, as year, month and day in one number: 20261118.
pub(super) fn day_of(seconds: u64) -> u32 {
    let date = mail_parser::DateTime::from_timestamp(i64::try_from(seconds).unwrap_or(0));
    u32::from(date.year) * 10_000 + u32::from(date.month) * 100 + u32::from(date.day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_known_by_its_name() {
        let folder = Path::new("h");
        let segment = Segment::new(folder, 17, 20_261_118);
        assert_eq!(segment.path, folder.join("000000000017-20261118.jsonl"));
        assert_eq!(Segment::named(folder, "000000000017-20261118.jsonl"), Some(segment));
        for other in ["seed", "17-20261118.jsonl", "000000000017-20261118.jsonl.tmp", "x-1.jsonl"] {
            assert_eq!(Segment::named(folder, other), None, "{other}");
        }
    }

    #[test]
    fn days_are_those_of_utc() {
        assert_eq!(day_of(0), 19_700_101);
        assert_eq!(day_of(951_782_399), 20_000_228);
        assert_eq!(day_of(951_782_400), 20_000_229);
    }
}
