//! Senders and domains whose mail is ham or spam whatever it says.
//!
//! A list is a text with one entry per line (`anne@example.org`, or `example.org` for a domain and everything below
//! it; `#` starts a comment) or a filter made by `tamis filter build` from such a text.
//!
//! 1. The sender is the address in `From`. The longest matching entry counts: an address before its domain, a domain
//!    before the one above it. Of equal entries the one that allows counts.
//! 2. Mail whose sender is contradicted by `Authentication-Results` is never allowed: anybody can write a `From`.
//! 3. A filter may match senders that are not in it, at the rate it was built for.

use crate::config::ListSettings;
use crate::{Error, Result};
use std::collections::HashSet;
use std::path::Path;
use tamis::codec::File;
use tamis::filter::{AnyFilter, Filter, Mapped};
use tamis::hash::KeyKinds;
use tamis_corpus::files::{Bytes, map};

/// Maximum length of an entry, as of an address.
const LONGEST: usize = 320;

/// All lists.
#[derive(Debug, Default)]
pub struct Lists {
    lists: Vec<List>,
}

#[derive(Debug)]
struct List {
    allows: bool,
    name: String,
    entries: Entries,
}

#[derive(Debug)]
enum Entries {
    Text(HashSet<Box<str>>),
    Filter(Box<AnyFilter<Mapped<Bytes>>>),
}

/// An entry that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Whether the mail is ham; else it is spam.
    pub allows: bool,
    /// The reason in words.
    pub reason: String,
}

impl Lists {
    /// Opens all files.
    ///
    /// # Errors
    /// What is wrong with a file, and where.
    pub fn open(settings: &ListSettings) -> Result<Self> {
        let all = [(true, &settings.allow), (false, &settings.deny)];
        let paths =
            all.into_iter().flat_map(|(allows, paths)| paths.iter().map(move |p| (allows, p)));
        let lists = paths.map(|(allows, path)| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(List { allows, name, entries: Entries::open(path)? })
        });
        Ok(Self { lists: lists.collect::<Result<_>>()? })
    }

    /// The entry for this sender.
    #[must_use]
    pub fn find(&self, sender: &str, is_contradicted: bool) -> Option<Listed> {
        if self.lists.is_empty() || sender.len() > LONGEST {
            return None;
        }
        let (_, domain) = sender.rsplit_once('@')?;
        // The address, its domain, and the domains above.
        let above = std::iter::successors(Some(domain), |domain| Some(domain.split_once('.')?.1));
        for entry in [sender].into_iter().chain(above) {
            let mut matching = self.lists.iter().filter(|list| !(list.allows && is_contradicted));
            if let Some(list) = matching.find(|list| list.entries.contain(entry)) {
                let verb = if list.allows { "allowed" } else { "denied" };
                let reason = format!("{entry} is {verb} by {}", list.name);
                return Some(Listed { allows: list.allows, reason });
            }
        }
        None
    }
}

impl Entries {
    fn open(path: &Path) -> Result<Self> {
        let bytes = map(path)?;
        if bytes.as_ref().starts_with(&tamis::codec::MAGIC) {
            File::open(bytes.as_ref())?.verify()?;
            let filter = AnyFilter::in_place(bytes)?;
            filter.check_keys(KeyKinds::TEXT)?;
            return Ok(Self::Filter(Box::new(filter)));
        }
        let refused = |line: usize, what: &str| Error::Config {
            name: path.to_owned(),
            what: format!("line {line}: {what}; write an address or a domain per line"),
        };
        let text = std::str::from_utf8(bytes.as_ref()).map_err(|_| refused(1, "it is no text"))?;
        let mut entries = HashSet::new();
        for (number, line) in (1..).zip(text.lines()) {
            let entry = line.split('#').next().unwrap_or_default().trim();
            // The domain alone may be written as in other filters.
            let entry = entry.trim_start_matches('@').trim_start_matches('.');
            if entry.len() > LONGEST
                || entry.contains(|c: char| c.is_whitespace() || c.is_control())
            {
                return Err(refused(number, "this is no address"));
            }
            if !entry.is_empty() {
                entries.insert(entry.to_lowercase().into());
            }
        }
        Ok(Self::Text(entries))
    }

    fn contain(&self, entry: &str) -> bool {
        match self {
            Self::Text(entries) => entries.contains(entry),
            Self::Filter(filter) => filter.contains_many(&[entry])[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis::filter::BloomFilter;

    fn lists(allow: &str, deny: &str) -> Lists {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            vec![path]
        };
        let settings =
            ListSettings { allow: write("allow.txt", allow), deny: write("deny.txt", deny) };
        Lists::open(&settings).expect("lists")
    }

    fn allows(lists: &Lists, sender: &str) -> Option<bool> {
        lists.find(sender, false).map(|listed| listed.allows)
    }

    #[test]
    fn the_longest_entry_counts() {
        let lists = lists(
            "# friends\nAnne@Spam.example  # my aunt\nexample.org\nboth.example\n",
            "@spam.example\n.bad.example.org\nboth.example\n\n",
        );
        for (sender, expected) in [
            ("anne@spam.example", Some(true)),
            ("bob@spam.example", Some(false)),
            ("bob@mail.spam.example", Some(false)),
            ("bob@notspam.example", None),
            ("bob@example.org", Some(true)),
            ("bob@bad.example.org", Some(false)),
            ("bob@very.bad.example.org", Some(false)),
            ("bob@both.example", Some(true)),
            ("anne@elsewhere.example", None),
            ("nobody", None),
        ] {
            assert_eq!(allows(&lists, sender), expected, "{sender}");
        }
        let listed = lists.find("bob@mail.spam.example", false).expect("listed");
        assert_eq!(listed.reason, "spam.example is denied by deny.txt");
    }

    #[test]
    fn a_forged_sender_is_not_allowed() {
        let lists = lists("example.org\n", "spam.example\n");
        assert_eq!(lists.find("a@example.org", true), None);
        assert!(lists.find("a@spam.example", true).is_some(), "but denied as before");
    }

    #[test]
    fn a_filter_is_a_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut filter = BloomFilter::with_false_positive_rate(100, 1e-6).expect("a filter");
        filter.insert("spam.example");
        let path = folder.path().join("deny.tamis");
        filter.write(&mut std::fs::File::create(&path).expect("a file")).expect("written");
        let lists = Lists::open(&ListSettings { allow: Vec::new(), deny: vec![path.clone()] });
        let lists = lists.expect("lists");
        assert_eq!(allows(&lists, "a@x.spam.example"), Some(false));
        assert_eq!(allows(&lists, "a@example.org"), None);
        let mut damaged = std::fs::read(&path).expect("read");
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        std::fs::write(&path, damaged).expect("written");
        assert!(Lists::open(&ListSettings { allow: Vec::new(), deny: vec![path] }).is_err());
    }

    #[test]
    fn what_is_no_list_gets_a_sentence() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        let open = || {
            let settings = ListSettings { allow: vec![path.clone()], deny: Vec::new() };
            Lists::open(&settings).expect_err("no list").sentence()
        };
        assert!(open().contains("cannot"), "it is not there");
        std::fs::write(&path, "example.org\ntwo words\n").expect("written");
        assert!(open().contains("line 2: this is no address"), "{}", open());
        std::fs::write(&path, [0xFF, 0xFE]).expect("written");
        assert!(open().contains("no text"), "{}", open());
    }
}
