//! What is wrong with a user's records: counted by kind, with the first places of each.

use crate::bad::Tolerance;
use crate::documents::Format;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// How many places of each problem are remembered.
pub const MAX_EXAMPLES: usize = 3;

/// What can be wrong with a record or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Problem {
    /// A line of JSONL that is no JSON.
    NotJson,
    /// A line of JSONL that is JSON, but no object.
    NotAnObject,
    /// A column that the record has not.
    Missing,
    /// A column that is null.
    Null,
    /// A text that is a number, a list or an object.
    NotText,
    /// A file that is no PNG or JPEG picture, or one that is too large.
    NotAPicture,
    /// A record or file over the limit.
    TooLong,
    /// A file that the system does not let be read.
    Unreadable,
    /// Neither a file nor a folder: a pipe, a socket, a device.
    NotAFile,
    /// A folder behind a link, which is not followed.
    LinkedFolder,
    /// A packed file or a Parquet row group that is cut off or damaged: always an error.
    Damaged,
    /// A file that is neither a text nor a table that is read: an archive, a program.
    Binary,
    /// A record that is not UTF-8: used, as Latin-1.
    NotUtf8,
    /// A row with fewer or more fields than the header: used if the wanted ones are there.
    RowWidth,
    /// A record without the id that was asked for: used, under a name of its place.
    NoId,
    /// A record with the id of an earlier one: used, with its place after the id.
    SameId,
    /// A file of records in a folder of documents: used, as one document.
    Table,
    /// A file of another kind in a folder of shards, which are what was asked for.
    PassedBy,
}

impl Problem {
    /// Whether the record is left out because of it; the others are used.
    #[must_use]
    pub const fn is_skipped(self) -> bool {
        !matches!(
            self,
            Self::Damaged
                | Self::NotUtf8
                | Self::RowWidth
                | Self::NoId
                | Self::SameId
                | Self::Table
                | Self::PassedBy
        )
    }

    /// Whether the record cannot be read; null says clearly that there is no text.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        self.is_skipped() && !matches!(self, Self::Null)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not JSON",
            Self::NotAnObject => "not a JSON object",
            Self::Missing => "a column is missing",
            Self::Null => "a column is null",
            Self::NotText => "the text is a number, a list or an object",
            Self::NotAPicture => "not a picture that can be read",
            Self::TooLong => "too long",
            Self::Unreadable => "cannot be read",
            Self::NotAFile => "not a file",
            Self::LinkedFolder => "a linked folder, not followed",
            Self::Damaged => "cut off or damaged",
            Self::Binary => "not a text",
            Self::NotUtf8 => "not UTF-8, read as Latin-1",
            Self::RowWidth => "not as many fields as the header",
            Self::NoId => "no id",
            Self::SameId => "the id of an earlier record, told apart by its place",
            Self::Table => "looks like records, read as one document",
            Self::PassedBy => "another kind of file, passed by",
        })
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub name: PathBuf,
    /// The line, or the row of a Parquet file, from 1; none for the whole file.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// Where a problem was met, and what exactly it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Where.
    pub place: Place,
    /// What exactly; may be empty.
    pub detail: String,
}

/// How often a problem was met, and where first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrences {
    /// How often.
    pub count: u64,
    /// The first [`MAX_EXAMPLES`] of them.
    pub examples: Vec<Example>,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How many documents, or rows of sets, were handed on.
    pub documents: u64,
    /// The bytes of their texts, in UTF-8.
    pub bytes: u64,
    /// How many of them were empty.
    pub empty: u64,
    /// What was wrong with others, or with some of them.
    pub problems: BTreeMap<Problem, Occurrences>,
    /// How many files of each format were read.
    pub files: BTreeMap<Format, u64>,
    /// Whether the files with records are the shards of a folder.
    pub shards: bool,
}

impl Summary {
    /// How many records or files were left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        let skipped = self.problems.iter().filter(|(problem, _)| problem.is_skipped());
        skipped.map(|(_, occurrences)| occurrences.count).sum()
    }

    /// How often this problem was met.
    #[must_use]
    pub fn count(&self, problem: Problem) -> u64 {
        self.problems.get(&problem).map_or(0, |occurrences| occurrences.count)
    }

    /// Counts a problem.
    pub(crate) fn note(
        &mut self,
        problem: Problem,
        name: &Path,
        line: Option<u64>,
        detail: &dyn fmt::Display,
    ) {
        let occurrences = self.problems.entry(problem).or_default();
        occurrences.count += 1;
        if occurrences.examples.len() < MAX_EXAMPLES {
            let place = Place { name: name.to_owned(), line };
            occurrences.examples.push(Example { place, detail: detail.to_string() });
        }
    }

    /// Counts a problem, lists it if that is wanted, or refuses to go on when reading is strict.
    ///
    /// # Errors
    /// [`Error::Broken`] when it is strict, [`Error::Write`] for the list.
    pub(crate) fn note_as(
        &mut self,
        tolerance: &Tolerance,
        problem: Problem,
        name: &Path,
        line: Option<u64>,
        detail: &dyn fmt::Display,
    ) -> Result<()> {
        let is_wrong = !matches!(problem, Problem::SameId | Problem::Table | Problem::PassedBy);
        if (tolerance.strict && is_wrong) || problem == Problem::Damaged {
            let place = Place { name: name.to_owned(), line };
            return Err(Error::Broken { place, problem, detail: detail.to_string() });
        }
        if let Some(bad) = tolerance.bad.as_ref().filter(|_| problem.is_skipped()) {
            bad.push(problem, name, line, detail)?;
        }
        self.note(problem, name, line, detail);
        Ok(())
    }

    /// Counts a file that is read.
    pub(crate) fn count_file(&mut self, format: Format, is_shard: bool) {
        *self.files.entry(format).or_default() += 1;
        self.shards |= is_shard;
    }

    /// How many records or files cannot be read.
    #[must_use]
    pub fn bad(&self) -> u64 {
        let bad = self.problems.iter().filter(|(problem, _)| problem.is_bad());
        bad.map(|(_, occurrences)| occurrences.count).sum()
    }

    /// Refuses what was read if too much of it cannot be used.
    ///
    /// # Errors
    /// [`Error::TooManyBad`].
    pub(crate) fn check(&self, tolerance: &Tolerance) -> Result<()> {
        let (bad, all) = (self.bad(), self.documents + self.skipped());
        if bad as f64 <= tolerance.max_bad * all as f64 {
            return Ok(());
        }
        let worst = self.problems.iter().filter(|(problem, _)| problem.is_bad());
        // Of equally many, the first kind.
        let worst = worst.min_by_key(|(_, occurrences)| std::cmp::Reverse(occurrences.count));
        let first = worst.and_then(|(&problem, occurrences)| {
            let Example { place, detail } = occurrences.examples.first()?;
            let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
            Some(format!("{place}: {problem}{detail}"))
        });
        let first = first.unwrap_or_default();
        Err(Error::TooManyBad { bad, all, most: tolerance.max_bad, first })
    }

    /// The files that were read, for a person: `4 JSONL shards`; nothing for documents that are
    /// files themselves.
    #[must_use]
    pub fn sources(&self) -> Option<String> {
        let formats = self.files.iter().filter(|(format, _)| **format != Format::Files);
        let named = formats.map(|(&format, &count)| {
            let s = if count == 1 { "" } else { "s" };
            match format {
                Format::Lines => format!("{count} file{s} of lines"),
                _ if self.shards => format!("{count} {} shard{s}", format.title()),
                _ => format!("{count} {} file{s}", format.title()),
            }
        });
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| named.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_counted_with_their_first_places() {
        let mut summary = Summary::default();
        for line in 1..=5 {
            summary.note(Problem::NotJson, Path::new("f"), Some(line), &"detail");
        }
        summary.note(Problem::NotUtf8, Path::new("f"), None, &"");
        assert_eq!(summary.skipped(), 5, "what is used is not skipped");
        assert_eq!(summary.count(Problem::NotUtf8), 1);
        let places: Vec<_> = summary.problems[&Problem::NotJson].examples.iter().collect();
        assert_eq!(places.len(), MAX_EXAMPLES);
        assert_eq!(places[1].place.to_string(), "f:2");
        assert_eq!(summary.problems[&Problem::NotUtf8].examples[0].place.to_string(), "f");
    }

    #[test]
    fn more_bad_records_than_may_be_are_refused() {
        let mut summary = Summary { documents: 297, ..Summary::default() };
        (0..3).for_each(|line| summary.note(Problem::NotJson, Path::new("f"), Some(line), &"x"));
        let check = |summary: &Summary, max_bad| {
            summary.check(&Tolerance { max_bad, ..Tolerance::default() })
        };
        assert!(check(&summary, 0.01).is_ok(), "3 of 300 are 1 %");
        summary.documents -= 1;
        let sentence = check(&summary, 0.01).unwrap_err().to_string();
        assert_eq!(sentence, "3 of 299 records cannot be read, more than 1 % (f:0: not JSON: x)");
        summary.problems.clear();
        (0..9).for_each(|line| summary.note(Problem::Null, Path::new("f"), Some(line), &""));
        assert!(check(&summary, 0.0).is_ok(), "null is no fault");
    }

    #[test]
    fn a_strict_reading_stops_with_file_line_and_reason() {
        let name = Path::new("corpus.jsonl");
        let refused = Summary::default().note_as(
            &Tolerance { strict: true, ..Tolerance::default() },
            Problem::NotJson,
            name,
            Some(17),
            &"EOF at column 9",
        );
        let sentence = refused.unwrap_err().to_string();
        assert_eq!(sentence, "corpus.jsonl:17: not JSON: EOF at column 9");
    }
}
