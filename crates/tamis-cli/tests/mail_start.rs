//! `tamis mail start` on a Maildir and on mbox files made of the examples.

mod common;

use common::{Folder, root};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The example messages of a class, training and testing, by name.
fn examples(class: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for part in ["training", "testing"] {
        let folder = root().join("examples/mail").join(class).join(part);
        paths.extend(fs::read_dir(folder).expect("examples").map(|e| e.expect("an entry").path()));
    }
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a message")).collect()
}

fn maildir(path: &Path) {
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(path.join(part)).expect("a folder");
    }
}

/// A Maildir: spam in .Junk, ham by turns in the inbox, .Archive and .Sent; two unread messages and
/// one deleted message that teach nothing.
fn mailbox(folder: &Folder) {
    let root = folder.path().join("Maildir");
    for name in ["", ".Junk", ".Archive", ".Sent", ".Trash"] {
        maildir(&root.join(name));
    }
    for (number, raw) in examples("spam").iter().enumerate() {
        let path =
            if number < 2 { format!("new/s{number}") } else { format!(".Junk/cur/s{number}:2,S") };
        fs::write(root.join(path), raw).expect("written");
    }
    for (number, raw) in examples("ham").iter().enumerate() {
        let place = ["", ".Archive/", ".Sent/"][number % 3];
        let place = if number == 0 { ".Trash/" } else { place };
        fs::write(root.join(format!("{place}cur/h{number}:2,S")), raw).expect("written");
    }
}

#[test]
fn the_first_run_learns_a_maildir_and_tells_how_good_it_is() {
    let folder = Folder::new();
    mailbox(&folder);
    let start = ["mail", "start", "--store", "mail.store", "--seed", "7", "Maildir"];
    let refused = folder.run(&start);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("--yes"), "it says what to add: {}", refused.stderr);
    assert!(refused.stdout.contains(".Junk") && refused.stdout.contains("not read yet"));
    assert!(!folder.path().join("mail.store").exists(), "nothing is learned without a yes");

    let (spam, ham) = (examples("spam").len() - 2, examples("ham").len() - 1);
    let out = folder.ok(&[&start[..], &["--yes", "--json"]].concat());
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(found["learned"], spam + ham, "{found}");
    assert_eq!((&found["judged"]["spam"], &found["judged"]["ham"]), (&spam.into(), &ham.into()));
    let number = |part: &str, name: &str| found[part][name].as_f64().expect("a number");
    // The filter knows nothing at first, so the second half is judged better, and ham is never lost.
    assert_eq!(number("judged", "ham_lost"), 0.0, "{found}");
    assert!(number("second_half", "spam_found") > number("judged", "spam_found"), "{found}");
    assert!(number("second_half", "spam_found") > 0.5, "{found}");

    let info = folder.ok(&["mail", "store", "info", "--json", "--store", "mail.store"]);
    let info: Value = serde_json::from_str(&info).expect("JSON");
    assert_eq!((&info["messages"]["spam"], &info["messages"]["ham"]), (&spam.into(), &ham.into()));
    let again = folder.ok(&[&start[..], &["--yes"]].concat());
    assert!(again.contains(&format!("0 learned, 0 moved, {} known", spam + ham)), "{again}");
}

#[test]
fn of_an_mbox_inbox_the_read_messages_are_learned() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("mail")).expect("a folder");
    let mbox = |messages: &[Vec<u8>], status: &str| -> Vec<u8> {
        let one = |raw: &Vec<u8>| {
            [b"From x@example.org Thu Jan  1 00:00:00 2026\n", status.as_bytes(), raw, b"\n"]
                .concat()
        };
        messages.iter().flat_map(one).collect()
    };
    let (spam, ham) = (examples("spam"), examples("ham"));
    folder.file("mail/Junk", mbox(&spam[..20], ""));
    let inbox = [mbox(&ham[..20], "Status: RO\n"), mbox(&spam[20..25], "Status: O\n")].concat();
    folder.file("mail/Inbox", inbox);
    folder.file("mail/Trash", mbox(&spam[25..30], "Status: RO\n"));
    let out = folder.ok(&["mail", "start", "--store", "s", "--yes", "mail"]);
    assert!(out.contains("40 learned"), "{out}");
    let info = folder.ok(&["mail", "store", "info", "--json", "--store", "s"]);
    let info: Value = serde_json::from_str(&info).expect("JSON");
    assert_eq!((&info["messages"]["spam"], &info["messages"]["ham"]), (&20.into(), &20.into()));
}

#[test]
fn a_folder_without_mail_is_an_error() {
    let folder = Folder::new();
    maildir(&folder.path().join("Maildir"));
    let said = folder.refused(&["mail", "start", "--store", "s", "--yes", "Maildir"]);
    assert!(said.contains("nothing to learn"), "{said}");
    let said = folder.refused(&["mail", "start", "--store", "s", "--yes", "nowhere"]);
    assert!(said.contains("nowhere"), "{said}");
}
