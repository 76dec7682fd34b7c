//! Which path has which label, when paths overlap.
//!
//! 1. A path inside another keeps its own label and is left out of the outer one, whatever the order
//!    on the command line.
//! 2. The same path under two labels is an error. The same path twice under one label is read once.
//! 3. Trash, Drafts, Sent and the like below a path are left out, and so is Junk below a path of any
//!    label but spam, unless a person names them.
//!
//! Paths are compared without links, `..` and trailing slashes.

use super::Group;
use crate::mailbox::folders::Left;
use crate::mailbox::{Options, STANDARD_INPUT};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The label of spam.
const SPAM: &str = "spam";

/// A path inside another one of another label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The deeper path.
    pub inner: PathBuf,
    /// Its label, which its messages get.
    pub label: String,
    /// The path that it is inside of.
    pub outer: PathBuf,
}

/// Paths with their labels, each message under one of them.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) groups: Vec<Group>,
    named: HashSet<PathBuf>,
    overlaps: Vec<Overlap>,
}

impl Plan {
    /// Settles which path has which label. Nothing is read yet.
    ///
    /// # Errors
    /// [`Error::TwoLabels`] for a path under two labels; [`Error::Read`] for one that does not
    /// exist. A link to nothing exists.
    pub fn new(groups: &[Group]) -> Result<Self> {
        let mut named: HashMap<PathBuf, (&Path, &str)> = HashMap::new();
        let mut kept = Vec::with_capacity(groups.len());
        for group in groups {
            let mut paths = Vec::with_capacity(group.paths.len());
            for path in &group.paths {
                match named.insert(real(path)?, (path, &group.label)) {
                    None => paths.push(path.clone()),
                    Some((_, label)) if label == group.label => {}
                    Some((first, label)) => {
                        let labels = [label.to_owned(), group.label.clone()];
                        let (path, other) = (path.clone(), first.to_owned());
                        return Err(Error::TwoLabels { path, other, labels });
                    }
                }
            }
            kept.push(Group { label: group.label.clone(), paths });
        }
        let mut overlaps = Vec::new();
        for group in &kept {
            for path in &group.paths {
                let inner = real(path)?;
                let outer = inner.ancestors().skip(1).find_map(|above| named.get(above));
                if let Some((outer, _)) = outer.filter(|(_, label)| *label != group.label) {
                    let (inner, outer) = (path.clone(), outer.to_path_buf());
                    overlaps.push(Overlap { inner, label: group.label.clone(), outer });
                }
            }
        }
        let named = named.into_keys().collect();
        Ok(Self { groups: kept, named, overlaps })
    }

    /// The groups, each path once.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Paths inside others of another label.
    #[must_use]
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// What is left out when a group is read.
    pub(super) fn options(&self, group: &Group) -> Options {
        let is_spam = group.label == SPAM;
        Options {
            left_out: if is_spam { Left::Unsorted } else { Left::UnsortedAndJunk },
            excluded: self.named.clone(),
            ..Options::default()
        }
    }
}

/// A path without links, `..` and trailing slashes.
fn real(path: &Path) -> Result<PathBuf> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(path.to_owned());
    }
    let failed = |source| Error::Read { name: path.to_owned(), source };
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    // A link to nothing, or a pipe that a shell has opened, has no other name.
    fs::symlink_metadata(path).map_err(failed)?;
    std::path::absolute(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group<P: AsRef<Path>>(label: &str, paths: &[P]) -> Group {
        let paths = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        Group { label: label.to_owned(), paths }
    }

    fn folders(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        folder
    }

    #[test]
    fn the_deeper_path_keeps_its_label() {
        let folder = folders(&["mail/.Junk/cur", "mail/.Friends"]);
        let at = |name: &str| folder.path().join(name);
        let (junk, mail, friends) = (at("mail/.Junk/"), at("mail"), at("mail/.Friends"));
        for flipped in [false, true] {
            let mut groups = [group("spam", &[&junk]), group("ham", &[&mail, &friends])];
            if flipped {
                groups.reverse();
            }
            let plan = Plan::new(&groups).unwrap();
            let inside = Overlap { inner: junk.clone(), label: "spam".into(), outer: mail.clone() };
            assert_eq!(plan.overlaps(), [inside], "the label of .Friends is that of mail");
        }
        // The nearest path around it counts.
        let cur = at("mail/.Junk/../.Junk/cur");
        let groups = [group("spam", &[&junk]), group("ham", &[&mail, &cur])];
        let plan = Plan::new(&groups).unwrap();
        let outers: Vec<&PathBuf> = plan.overlaps().iter().map(|overlap| &overlap.outer).collect();
        assert_eq!(outers, [&at("mail"), &junk]);
        assert_eq!(plan.overlaps()[1].inner, cur);
    }

    #[test]
    fn names_that_only_begin_alike_do_not_overlap() {
        let folder = folders(&["mail", "mail2"]);
        let groups = [
            group("spam", &[folder.path().join("mail2")]),
            group("ham", &[folder.path().join("mail"), PathBuf::from("-")]),
        ];
        assert_eq!(Plan::new(&groups).unwrap().overlaps(), []);
    }

    #[test]
    fn one_path_has_one_label() {
        let folder = folders(&["mail"]);
        let mail = folder.path().join("mail");
        let again = folder.path().join("mail/../mail/");
        let both = [group("spam", &[&mail]), group("ham", &[&again])];
        let refused = Plan::new(&both).unwrap_err().to_string();
        assert!(refused.contains("spam") && refused.contains("ham"), "{refused}");
        assert!(Plan::new(&[group("spam", &["-"]), group("ham", &["-"])]).is_err());
        let twice = Plan::new(&[group("spam", &[&mail, &again])]).unwrap();
        assert_eq!(twice.groups()[0].paths, [mail]);
        let missing = Plan::new(&[group("spam", &["no/such/file"])]);
        assert!(matches!(missing, Err(Error::Read { .. })));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_the_path_that_it_leads_to() {
        let folder = folders(&["mail/.Junk"]);
        let (mail, link) = (folder.path().join("mail"), folder.path().join("link"));
        std::os::unix::fs::symlink(mail.join(".Junk"), &link).unwrap();
        let plan = Plan::new(&[group("spam", &[link]), group("ham", &[&mail])]).unwrap();
        assert_eq!(plan.overlaps()[0].outer, mail);
        let broken = folder.path().join("broken");
        std::os::unix::fs::symlink("nothing", &broken).unwrap();
        assert!(Plan::new(&[group("spam", &[broken])]).is_ok(), "it is reported when it is read");
    }
}
