//! Reading: the newest entries that fulfil a filter.
//!
//! Segments are read one line after the other, the newest segment first. Only the last entries of a segment that are
//! still wanted are kept, so memory does not grow with the files.

use super::entry::{CORRECTION, Correction, Entry};
use super::segment::list;
use super::{Wanted, writer};
use crate::store::private;
use crate::{Error, Result};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The longest line: nothing behind a longer one is read.
const LONGEST: u64 = 1 << 20;

/// What a search has found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The entries, the newest first.
    pub entries: Vec<Entry>,
    /// If there are more: search again for those before this number.
    pub next: Option<u64>,
    /// Lines that were skipped because they are damaged.
    pub damaged: u64,
}

/// Which message of whom.
type Whose = (Option<String>, String);

/// The newest entries that fulfil a filter, at most `most`; with `before`, those with smaller numbers only.
///
/// # Errors
/// [`Error::NoHistory`], or what the system says.
pub fn search(folder: &Path, filter: &Wanted, before: Option<u64>, most: usize) -> Result<Page> {
    let segments = list(folder)?;
    let prepared = filter.prepared(writer::seed_in(folder)?.unwrap_or(0));
    let before = before.unwrap_or(u64::MAX);
    let mut page = Page::default();
    // The latest correction of each message; it is written after the verdict.
    let mut taught: HashMap<Whose, Option<String>> = HashMap::new();
    for segment in segments.iter().rev() {
        let wanted = most - page.entries.len() + 1;
        let mut found: VecDeque<Entry> = VecDeque::new();
        let mut own: HashMap<Whose, Option<String>> = HashMap::new();
        let damaged = for_each_line(&segment.path, |line| {
            if line.starts_with(CORRECTION) {
                let Ok(correction) = serde_json::from_slice::<Correction>(line) else {
                    return false;
                };
                own.insert((correction.user, correction.message), correction.taught);
                return true;
            }
            if segment.first >= before {
                return true;
            }
            let Ok(entry) = serde_json::from_slice::<Entry>(line) else { return false };
            if entry.id < before && prepared.matches(&entry) {
                if found.len() == wanted {
                    found.pop_front();
                }
                found.push_back(entry);
            }
            true
        });
        page.damaged += match damaged {
            // It expired meanwhile.
            Err(Error::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => 0,
            damaged => damaged?,
        };
        for (whose, label) in own {
            taught.entry(whose).or_insert(label);
        }
        for mut entry in found.into_iter().rev() {
            let whose = (entry.user.clone(), entry.message.clone());
            entry.taught = taught.get(&whose).cloned().flatten();
            page.entries.push(entry);
        }
        if page.entries.len() > most {
            page.entries.truncate(most);
            page.next = page.entries.last().map(|last| last.id);
            break;
        }
    }
    Ok(page)
}

/// The largest number in a segment, and where the last whole line ends.
pub(super) fn end_of(path: &Path) -> Result<(Option<u64>, u64)> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        id: u64,
    }
    let (mut last, mut end) = (None, 0);
    for_each_line(path, |line| {
        let numbered = serde_json::from_slice::<Numbered>(line);
        last = last.max(numbered.ok().map(|line| line.id));
        end += line.len() as u64 + 1;
        true
    })?;
    Ok((last, end))
}

/// Calls `visit` with each line that has an end; it returns whether the line is sound. The number of those that are
/// not is returned.
fn for_each_line(path: &Path, mut visit: impl FnMut(&[u8]) -> bool) -> Result<u64> {
    let failed = |source| Error::Read { name: path.to_owned(), source };
    let mut input = BufReader::with_capacity(64 << 10, private::open(path)?);
    let mut line = Vec::new();
    let mut damaged = 0;
    loop {
        line.clear();
        input.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(failed)?;
        match line.pop() {
            Some(b'\n') => damaged += u64::from(!visit(&line)),
            // It is being written, or was when something ended the process.
            _ => return Ok(damaged),
        }
    }
}
