//! What `tamis mail` reads: overlapping paths, special folders, files that are not mail, files that
//! cannot be read, and messages that were changed by delivery.

mod common;

use common::{Folder, Ran};
use serde_json::Value;
use std::path::Path;

const SEPARATOR: &str = "From a@b Mon Jan  1 12:00:00 2001\n";

/// A message of its own.
fn message(number: usize) -> String {
    format!(
        "From: anne{number}@example.org\nSubject: number {number}\n\nText of message {number}.\n"
    )
}

/// Writes a file and the folders above it.
fn write(folder: &Folder, path: &str, content: impl AsRef<[u8]>) {
    let parent = Path::new(path).parent().expect("a folder");
    std::fs::create_dir_all(folder.path().join(parent)).expect("folders");
    folder.file(path, content);
}

/// Writes messages with these numbers into a Maildir.
fn maildir(folder: &Folder, path: &str, numbers: std::ops::Range<usize>) {
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(folder.path().join(path).join(part)).expect("folders");
    }
    for number in numbers {
        folder.file(&format!("{path}/cur/{number}:2,S"), message(number));
    }
}

fn learn(folder: &Folder, arguments: &[&str]) -> Ran {
    let store = ["mail", "learn", "--store", "st", "--table", "10", "--seed", "1"];
    folder.run(&[&store, arguments].concat())
}

/// Numbers of spam and ham in the store.
fn counts(folder: &Folder) -> (usize, usize) {
    let info = folder.ok(&["mail", "store", "info", "--store", "st"]);
    let count = |label: &str| {
        let line = info.lines().find(|line| line.starts_with(label));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    (count("spam"), count("ham"))
}

#[test]
fn junk_inside_the_ham_folder_is_spam_only() {
    for order in [["--spam", "M/.Junk", "--ham", "M"], ["--ham", "M/", "--spam", "M/../M/.Junk/"]] {
        let folder = Folder::new();
        maildir(&folder, "M", 0..5);
        maildir(&folder, "M/.Junk", 10..13);
        maildir(&folder, "M/.Friends", 20..22);
        let ran = learn(&folder, &order);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let first = "10 learned, 0 moved, 0 known before; the store knows 10 messages\n";
        assert!(ran.stderr.starts_with(first), "{}", ran.stderr);
        assert!(ran.stderr.contains("its messages are learned as spam only"), "{}", ran.stderr);
        assert_eq!(counts(&folder), (3, 7));
    }
}

#[test]
fn one_path_under_two_labels_is_an_error_and_nothing_is_learned() {
    let folder = Folder::new();
    maildir(&folder, "M", 0..5);
    let ran = learn(&folder, &["--spam", "M/cur", "--ham", "M/../M/cur/"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("M/cur"), "{}", ran.stderr);
    assert!(ran.stderr.contains("two labels, spam and ham"), "{}", ran.stderr);
    assert!(!folder.path().join("st").exists(), "no store is made");
    assert_eq!(learn(&folder, &["--spam", "-", "--ham", "-"]).code, 2);
    assert_eq!(learn(&folder, &["--spam", "M", "--ham", "missing"]).code, 2);
    assert!(!folder.path().join("st").exists(), "a mistyped path learns nothing");
}

#[test]
fn a_message_found_under_two_labels_is_not_learned() {
    let folder = Folder::new();
    for number in 0..4 {
        write(&folder, &format!("spam/{number}"), message(number));
    }
    write(&folder, "ham/1", format!("Received: by b\r\nX-Spam-Flag: NO\r\n{}", message(3)));
    write(&folder, "ham/2", message(7));
    write(&folder, "ham/3", message(7));
    let ran = learn(&folder, &["--spam", "spam", "--ham", "ham"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("4 learned, 0 moved, 1 known before"), "{}", ran.stderr);
    let warning = "warning: 1 message was found under two labels and not learned: ";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    assert_eq!(counts(&folder), (3, 1));
}

#[test]
fn special_folders_are_learned_only_if_they_are_named() {
    let folder = Folder::new();
    maildir(&folder, "M", 0..2);
    for (number, name) in (10..).zip([".Trash", ".Drafts", ".Sent", ".Junk", ".INBOX.Spam"]) {
        maildir(&folder, &format!("M/{name}"), number..number + 1);
    }
    let ran = learn(&folder, &["--ham", "M"]);
    assert_eq!((ran.code, counts(&folder)), (0, (0, 2)), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped 5 folders"), "{}", ran.stderr);
    assert!(ran.stderr.contains("M/.Sent"), "{}", ran.stderr);
    let ran = learn(&folder, &["--ham", "M", "M/.Sent", "--spam", "M/.Junk"]);
    assert!(ran.stderr.starts_with("2 learned, 0 moved, 2 known before"), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped 3 folders"), "{}", ran.stderr);
    assert_eq!(counts(&folder), (1, 3));
    // An mbox file of such a name.
    for (number, name) in (30..).zip(["Inbox", "Sent Items", "Trash.mbox", "Corbeille"]) {
        write(&folder, &format!("boxes/{name}"), format!("{SEPARATOR}{}", message(number)));
    }
    let ran = learn(&folder, &["--ham", "boxes"]);
    assert!(ran.stderr.starts_with("1 learned"), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped 3 folders"), "{}", ran.stderr);
    // For a verdict all of them are read.
    let out = folder.ok(&["mail", "check", "--store", "st", "M", "boxes"]);
    assert_eq!(out.lines().count(), 11, "{out}");
}

#[test]
#[cfg(unix)]
fn the_rest_is_learned_if_something_cannot_be_read() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let folder = Folder::new();
    for number in 0..3 {
        write(&folder, &format!("mail/{number}.eml"), message(number));
    }
    write(&folder, "mail/nul.eml", b"Subject: nul\n\n\0\0\0\0\0\0\0\0");
    write(&folder, "mail/plain.txt", "FROM: a@b\nplain form");
    write(&folder, "mail/text.txt", "text without any header");
    write(&folder, "mail/image.png", b"\x89PNG\r\n\x1A\n\0\0");
    write(&folder, "mail/dovecot.index", b"\x07\x02\0\0\0\0\x01\0");
    write(&folder, "mail/Inbox.msf", "// <!-- <mdb:mork:z v=\"1.4\"/> -->\n");
    write(&folder, "mail/empty.eml", "");
    for number in 0..7 {
        let link = folder.path().join(format!("mail/broken{number}"));
        symlink("nothing", link).expect("a link");
    }
    let fifo = folder.path().join("mail/fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    let socket = UnixListener::bind(folder.path().join("mail/socket")).expect("a socket");
    let ran = learn(&folder, &["--spam", "mail"]);
    let err = &ran.stderr;
    assert_eq!(ran.code, 2, "{err}");
    assert!(err.starts_with("6 learned, 0 moved, 0 known before"), "{err}");
    for line in [
        "skipped 3 files that are not mail: mail/Inbox.msf, mail/dovecot.index, mail/image.png\n",
        "skipped 1 empty message: mail/empty.eml\n",
        "skipped 2 special files (pipes, sockets or devices): mail/fifo, mail/socket\n",
        "6 skipped in all\n",
        "warning: cannot read mail/broken0: ",
    ] {
        assert!(err.contains(line), "no {line:?} in {err}");
    }
    assert_eq!(err.matches("warning: cannot read").count(), 5, "{err}");
    let last = "error: 7 files or folders could not be read; everything else was learned\n";
    assert!(err.ends_with(last), "{err}");
    assert_eq!(counts(&folder), (6, 0));
    // A named link to nothing or pipe is no reason to stop, either.
    let ran = learn(&folder, &["--spam", "mail/broken1", "mail/fifo", "mail/0.eml"]);
    assert!(ran.stderr.starts_with("0 learned, 0 moved, 1 known before"), "{}", ran.stderr);
    assert_eq!(ran.code, 2);
    let ran = folder.run(&["mail", "check", "--store", "st", "mail"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (2, 6), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped 3 files that are not mail"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("everything else was checked\n"), "{}", ran.stderr);
    let exit = ["mail", "check", "--store", "st", "--exit", "bogofilter", "mail"];
    assert_eq!(folder.run(&exit).code, 3);
    drop(socket);
}

#[test]
fn a_correction_after_delivery_finds_the_message() {
    let folder = Folder::new();
    let raw = message(1).replace('\n', "\r\n");
    folder.file("page.eml", &raw);
    folder.file("other.eml", message(2));
    let ran = learn(&folder, &["--spam", "page.eml", "other.eml"]);
    assert!(ran.stderr.starts_with("2 learned"), "{}", ran.stderr);
    let marked = folder.pipe(&["mail", "filter", "--store", "st"], raw.as_bytes()).stdout;
    assert!(marked.contains("X-Tamis-Verdict: "), "{marked}");
    let delivered = format!(
        "Return-Path: <anne@example.org>\nDelivered-To: bob@example.org\nReceived: from a\n\tby b; today\n\
         X-Spam-Status: No,\n\tscore=1\n{}\n\n",
        marked.replace("\r\n", "\n").replace("Subject: ", "Subject: [SPAM] ")
    );
    folder.file("delivered.eml", &delivered);
    folder.file("delivered.mbox", format!("{SEPARATOR}{delivered}"));
    let ran = learn(&folder, &["--ham", "delivered.eml"]);
    assert!(ran.stderr.starts_with("0 learned, 1 moved, 0 known before"), "{}", ran.stderr);
    assert_eq!(counts(&folder), (1, 1));
    let ran = learn(&folder, &["--ham", "delivered.mbox", "page.eml"]);
    assert!(ran.stderr.starts_with("0 learned, 0 moved, 2 known before"), "{}", ran.stderr);
    assert_eq!(folder.run(&["mail", "forget", "--store", "st", "delivered.mbox"]).code, 0);
    assert_eq!(counts(&folder), (1, 0));
}

#[test]
fn an_empty_message_is_unsure_everywhere() {
    let folder = Folder::new();
    write(&folder, "mail/1", message(1));
    write(&folder, "mail/empty", "");
    assert_eq!(learn(&folder, &["--spam", "mail"]).code, 0);
    let check = ["mail", "check", "--store", "st"];
    let named = folder.ok(&[&check[..], &["mail/empty"]].concat());
    assert_eq!(named, "mail/empty\tunsure\t0.5000\tthe message is empty\n");
    let piped = folder.pipe(&check, b"");
    assert_eq!(piped.stdout, "standard input\tunsure\t0.5000\tthe message is empty\n");
    let found: Value = serde_json::from_str(
        &folder.pipe(&["mail", "check", "--store", "st", "--json"], b"\r\n").stdout,
    )
    .expect("JSON");
    assert_eq!((&found["verdict"], &found["probability"]), (&"unsure".into(), &0.5.into()));
    let marked = folder.pipe(&["mail", "filter", "--store", "st"], b"").stdout;
    let headers =
        "X-Tamis-Verdict: unsure\nX-Tamis-Score: 0.5000\nX-Tamis-Reason: the message is empty\n\n";
    assert_eq!(marked, headers);
    for command in ["check", "filter"] {
        let exit = ["mail", command, "--store", "st", "--exit", "bogofilter"];
        assert_eq!(folder.pipe(&exit, b"").code, 2, "{command}");
    }
    // In a folder it is skipped, and it is never learned.
    let ran = folder.run(&[&check[..], &["mail"]].concat());
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("skipped 1 empty message: mail/empty"), "{}", ran.stderr);
    let ran = learn(&folder, &["--ham", "mail/empty", "-"]);
    assert!(ran.stderr.starts_with("0 learned, 0 moved, 0 known before"), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped 2 empty messages"), "{}", ran.stderr);
}

#[test]
fn labels_are_listed_renamed_and_removed() {
    let folder = Folder::new();
    maildir(&folder, "Inbox", 0..3);
    maildir(&folder, "Lists", 3..5);
    let learned = learn(&folder, &["--ham", "Inbox", "--label", "lists", "Lists"]);
    assert_eq!(learned.code, 0, "{}", learned.stderr);
    let label = |arguments: &[&str]| {
        let (verb, names) = arguments.split_first().expect("a verb");
        folder.run(&[&["mail", "label", verb, "--store", "st"], names].concat())
    };
    assert_eq!(label(&["list"]).stdout, "ham\t3\nspam\t0\nlists\t2\n");
    for (from, to) in [("lists", "ham"), ("lists", "unsure"), ("spam", "junk"), ("no", "yes")] {
        let refused = label(&["rename", from, to]);
        assert_eq!(refused.code, 2, "{from} {to}: {}", refused.stderr);
    }
    assert_eq!(label(&["rename", "lists", "news"]).code, 0);
    let json: Value = serde_json::from_str(&label(&["list", "--json"]).stdout).expect("JSON");
    assert_eq!(json, serde_json::json!({ "ham": 3, "spam": 0, "news": 2 }));
    assert_eq!(label(&["remove", "ham"]).code, 2);
    assert_eq!(label(&["remove", "news"]).stderr, "news removed, 2 messages turned into ham\n");
    assert_eq!(label(&["list"]).stdout, "ham\t5\nspam\t0\n");
}

#[test]
fn finding_no_messages_is_a_warning() {
    let folder = Folder::new();
    maildir(&folder, "Inbox", 0..0);
    let learned = learn(&folder, &["--ham", "Inbox"]);
    assert!(learned.stderr.ends_with("warning: no messages were found\n"), "{}", learned.stderr);
    let checked = folder.run(&["mail", "check", "--store", "st", "Inbox"]);
    assert_eq!(checked.stderr, "warning: no messages were found\n");
}
