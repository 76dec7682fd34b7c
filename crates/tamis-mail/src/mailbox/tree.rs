//! The folders of a person's mail, with what each of them teaches.
//!
//! | folder | its messages |
//! |---|---|
//! | Junk | spam |
//! | the inbox | ham once they were read; others teach nothing |
//! | Sent | ham: what the owner wrote |
//! | Trash, Drafts, Outbox, templates | nothing |
//! | any other one, such as Archive | ham: the owner keeps them |
//!
//! A folder is a Maildir, an mbox file, or a folder with a file for each message. Uses are told by
//! names ([`super::folders`]); what is inside a folder with a special use has that use, too. Links to
//! folders are not followed.

use super::folders::{Use, use_of};
use super::{Options, is_hidden, is_maildir};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum depth of folders in folders.
const DEPTH: usize = 32;

/// What a folder is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// New mail.
    Inbox,
    /// Mail that the owner keeps.
    Filed,
    /// Mail that the owner wrote.
    Sent,
    /// Spam.
    Junk,
    /// Deleted and unfinished mail.
    Unsorted,
}

impl Role {
    /// The label that the folder teaches.
    #[must_use]
    pub const fn label(self) -> Option<&'static str> {
        match self {
            Self::Junk => Some("spam"),
            Self::Inbox | Self::Filed | Self::Sent => Some(crate::filter::HAM),
            Self::Unsorted => None,
        }
    }
}

/// Where the messages of a folder are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Messages {
    /// One file for each: read ones, then unread ones.
    Files(Vec<PathBuf>, Vec<PathBuf>),
    /// One file with all of them, and the numbers of read and unread ones.
    Mbox(PathBuf, [u64; 2]),
}

/// A folder of mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFolder {
    /// Its name below the root; `INBOX` for a Maildir at the root.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its messages.
    pub messages: Messages,
}

impl MailFolder {
    /// Number of messages that were read and that were not.
    #[must_use]
    pub const fn counts(&self) -> [u64; 2] {
        match &self.messages {
            Messages::Files(read, unread) => [read.len() as u64, unread.len() as u64],
            Messages::Mbox(_, counts) => *counts,
        }
    }

    /// Number of messages that teach something.
    #[must_use]
    pub const fn lessons(&self) -> u64 {
        let [read, unread] = self.counts();
        match self.role {
            Role::Unsorted => 0,
            Role::Inbox => read,
            Role::Filed | Role::Sent | Role::Junk => read + unread,
        }
    }
}

/// All folders below a root that have messages, by name.
///
/// # Errors
/// [`Error::Read`] for a folder or file that cannot be read.
pub fn folders(root: &Path) -> Result<Vec<MailFolder>> {
    let mut found = Vec::new();
    let read = |source| Error::Read { name: root.to_owned(), source };
    if fs::metadata(root).map_err(read)?.is_file() {
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
        files(vec![root.to_owned()], &name, &mut found)?;
    } else {
        // A folder that is named itself, such as Maildir/.Junk, has its use, too.
        let name = root.file_name().filter(|name| use_of(name).is_some());
        let mut names: Vec<String> =
            name.into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
        folder(root, &mut names, &mut found)?;
    }
    Ok(found)
}

fn folder(path: &Path, names: &mut Vec<String>, found: &mut Vec<MailFolder>) -> Result<()> {
    if names.len() > DEPTH {
        return Ok(());
    }
    let is_maildir = is_maildir(path);
    if is_maildir {
        maildir(path, &name_of(names), found)?;
    }
    let (mut plain, mut inner) = (Vec::new(), Vec::new());
    for (name, entry, is_folder) in entries(path)? {
        match (is_folder, is_maildir) {
            // Hidden folders of a Maildir are its mail folders; elsewhere they are no mail.
            (true, true) if self::is_maildir(&entry) => inner.push((name, entry)),
            (true, false) if !is_hidden(name.as_ref()) => inner.push((name, entry)),
            (false, false) if !is_hidden(name.as_ref()) => plain.push(entry),
            _ => {}
        }
    }
    files(plain, &name_of(names), found)?;
    for (name, path) in inner {
        names.push(name);
        folder(&path, names, found)?;
        names.pop();
    }
    Ok(())
}

/// Files and folders in a folder, by name, and whether each is a folder. Links to folders, pipes and
/// devices are left out.
fn entries(path: &Path) -> Result<Vec<(String, PathBuf, bool)>> {
    let failed = |source| Error::Read { name: path.to_owned(), source };
    let mut all = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let is_file = kind.is_file() || kind.is_symlink() && entry.path().is_file();
        if is_file || kind.is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            all.push((name, entry.path(), kind.is_dir()));
        }
    }
    all.sort_unstable();
    Ok(all)
}

fn maildir(path: &Path, name: &str, found: &mut Vec<MailFolder>) -> Result<()> {
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for part in ["cur", "new"] {
        for (file, path, is_folder) in entries(&path.join(part))? {
            if is_folder || file.starts_with('.') {
                continue;
            }
            // Seen, replied to, or flagged.
            let flags = file.rsplit_once(":2,").map_or("", |(_, flags)| flags);
            let is_read = part == "cur" && flags.contains(['S', 'R', 'F']);
            if is_read { read.push(path) } else { unread.push(path) }
        }
    }
    push(found, name, Messages::Files(read, unread));
    Ok(())
}

/// Each mbox file is a folder; all other messages are those of the folder that they are in.
fn files(paths: Vec<PathBuf>, name: &str, found: &mut Vec<MailFolder>) -> Result<()> {
    let mut own = Vec::new();
    for path in paths {
        let (mut counts, mut is_mbox, mut is_mail) = ([0, 0], false, false);
        let options = Options { is_strict: true, ..Options::default() };
        super::read(std::slice::from_ref(&path), &options, |source, raw| -> Result<()> {
            is_mail = true;
            is_mbox |= source.number().is_some();
            counts[usize::from(!is_read(raw))] += 1;
            Ok(())
        })?;
        if is_mbox {
            let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            let is_root = name.is_empty() || name == INBOX || file == name;
            let name = if is_root { file.into_owned() } else { format!("{name}/{file}") };
            push(found, &name, Messages::Mbox(path, counts));
        } else if is_mail {
            own.push(path);
        }
    }
    push(found, name, Messages::Files(own, Vec::new()));
    Ok(())
}

fn push(found: &mut Vec<MailFolder>, name: &str, messages: Messages) {
    let folder = MailFolder { name: name.to_owned(), role: role_of(name), messages };
    if folder.counts() != [0, 0] {
        found.push(folder);
    }
}

const INBOX: &str = "INBOX";

fn name_of(names: &[String]) -> String {
    if names.is_empty() { INBOX.to_owned() } else { names.join("/") }
}

fn role_of(name: &str) -> Role {
    let special = name.split('/').find_map(|part| use_of(part.as_ref()));
    let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let last = last.strip_suffix(".mbox").unwrap_or(&last);
    match special {
        Some(Use::Junk) => Role::Junk,
        Some(Use::Sent) => Role::Sent,
        Some(Use::Unsorted) => Role::Unsorted,
        None if last == "inbox" => Role::Inbox,
        None => Role::Filed,
    }
}

/// Whether a message of an mbox file was read, by the headers that mail programs keep there.
#[must_use]
pub fn is_read(raw: &[u8]) -> bool {
    for line in raw.split(|byte| *byte == b'\n').take_while(|line| !line.trim_ascii().is_empty()) {
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") && value.contains('R')
            || name.eq_ignore_ascii_case("x-mozilla-status")
                && u16::from_str_radix(value, 16).is_ok_and(|flags| flags & 1 != 0)
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "From: anne@example.test\nSubject: leeks\n\nWe have leeks.\n";

    fn listed(root: &Path) -> Vec<(String, Role, [u64; 2], u64)> {
        let of = |f: MailFolder| (f.name.clone(), f.role, f.counts(), f.lessons());
        folders(root).expect("folders").into_iter().map(of).collect()
    }

    #[test]
    fn the_folders_of_a_maildir_teach_what_their_names_say() {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["", ".Junk", ".Archive.2024", ".Sent", ".Trash", ".Empty", "plain"] {
            for part in ["cur", "new", "tmp"] {
                fs::create_dir_all(root.path().join(folder).join(part)).expect("a folder");
            }
        }
        for file in [
            "cur/1:2,S",
            "cur/2:2,",
            "new/3",
            ".Junk/new/4",
            ".Junk/cur/5:2,",
            ".Archive.2024/cur/6:2,S",
            ".Sent/cur/7:2,S",
            ".Trash/cur/8:2,S",
            "plain/cur/9:2,S",
            "dovecot.index",
        ] {
            fs::write(root.path().join(file), TEXT).expect("written");
        }
        // A link to a folder may lead back to where it came from.
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), root.path().join(".Loop")).expect("a link");
        let expected = [
            ("INBOX", Role::Inbox, [1, 2], 1),
            (".Archive.2024", Role::Filed, [1, 0], 1),
            (".Junk", Role::Junk, [0, 2], 2),
            (".Sent", Role::Sent, [1, 0], 1),
            (".Trash", Role::Unsorted, [1, 0], 0),
            ("plain", Role::Filed, [1, 0], 1),
        ];
        let expected = expected.map(|(name, role, counts, n)| (name.to_owned(), role, counts, n));
        assert_eq!(listed(root.path()), expected);
        let junk = (".Junk".to_owned(), Role::Junk, [0, 2], 2);
        assert_eq!(listed(&root.path().join(".Junk")), [junk], "named itself");
    }

    #[test]
    fn mbox_files_are_folders_and_read_messages_of_the_inbox_teach() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("Archives.sbd")).expect("a folder");
        let mbox = |headers: &[&str]| -> String {
            headers
                .iter()
                .map(|header| {
                    format!("From x@example.org Thu Jan  1 00:00:00 2026\n{header}{TEXT}\n")
                })
                .collect()
        };
        let read = ["Status: RO\n", "Status: O\n", "X-Mozilla-Status: 0001\n", ""];
        fs::write(at("Inbox"), mbox(&read)).expect("written");
        fs::write(at("Junk"), mbox(&["", ""])).expect("written");
        fs::write(at("Junk.msf"), b"\0index").expect("written");
        fs::write(at("Archives.sbd/2024"), mbox(&["Status: O\n"])).expect("written");
        let expected = [
            ("Inbox", Role::Inbox, [2, 2], 2),
            ("Junk", Role::Junk, [0, 2], 2),
            ("Archives.sbd/2024", Role::Filed, [0, 1], 1),
        ];
        let expected = expected.map(|(name, role, counts, n)| (name.to_owned(), role, counts, n));
        assert_eq!(listed(root.path()), expected);
        assert_eq!(listed(&at("Junk"))[0].1, Role::Junk, "a file by itself");
    }
}
