use super::*;
use std::fs;

const SEPARATOR: &str = "From anne@example.org Mon Jan  1 12:00:00 2001\n";

/// Every message with its place under a folder, and what was left out.
fn all(folder: &Path, paths: &[&str], options: &Options) -> (Vec<(String, String)>, Report) {
    let mut found = Vec::new();
    let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
    let visit = |source: Source<'_>, message: &[u8]| -> crate::Result<()> {
        let name = source.to_string();
        let name = name.trim_start_matches(&format!("{}/", folder.display())).to_owned();
        found.push((name, String::from_utf8_lossy(message).into_owned()));
        Ok(())
    };
    let report = read(&paths, options, visit).unwrap();
    (found, report)
}

fn of_file(content: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), content).unwrap();
    all(folder.path(), &["f"], &Options::judging()).0
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn names(found: &[(String, String)]) -> Vec<&str> {
    found.iter().map(|(name, _)| name.as_str()).collect()
}

/// A folder with these files.
fn files(all: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in all {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn a_file_is_a_message() {
    assert_eq!(of_file("Subject: a\n\nb\n"), pairs(&[("f", "Subject: a\n\nb\n")]));
    assert_eq!(of_file("From here on\n\nFrom\n"), pairs(&[("f", "From here on\n\nFrom\n")]));
    let long = "From here on ".repeat(20_000);
    assert_eq!(of_file(&long), pairs(&[("f", &long)]));
}

#[test]
fn an_mbox_has_numbered_messages() {
    let line = "x".repeat(100_000);
    let mbox = format!("{SEPARATOR}Subject: 1\n\n{line}\n\n{SEPARATOR}Subject: 2\n");
    let first = format!("Subject: 1\n\n{line}\n");
    assert_eq!(of_file(mbox), pairs(&[("f:1", &first), ("f:2", "Subject: 2\n")]));
    assert_eq!(of_file(SEPARATOR), pairs(&[("f:1", "")]));
}

#[test]
fn the_rest_of_a_long_message_is_skipped() {
    let long = vec![b'x'; MAX_MESSAGE + 100_000];
    let mbox = [SEPARATOR.as_bytes(), &long, b"\n\n", SEPARATOR.as_bytes(), b"short"].concat();
    let mut lengths = Vec::new();
    let mut visit = |_: Source<'_>, message: &[u8]| -> crate::Result<()> {
        lengths.push(message.len());
        Ok(())
    };
    let options = Options::judging();
    let mut reader = Reader { options: &options, visit: &mut visit, message: Vec::new() };
    let found = Found { path: Path::new("f"), is_named: true };
    for mut input in [&mbox[..], &long] {
        reader.stream(&mut Report::default(), found, &mut input).unwrap().unwrap();
    }
    assert!(reader.message.capacity() <= 2 * MAX_MESSAGE + PIECE as usize);
    assert_eq!(lengths, [MAX_MESSAGE, 5, MAX_MESSAGE]);
}

#[test]
fn folders_are_read_by_name_and_maildirs_as_such() {
    let mbox = format!("{SEPARATOR}1\n\n{SEPARATOR}2\n");
    let folder = files(&[
        ("b/2", "two"),
        ("b/1", "one"),
        ("a", "first"),
        ("box", &mbox),
        (".hidden", "no"),
        (".git/x", "no"),
        ("mail/cur/1:2,S", "seen"),
        ("mail/new/2", "unseen"),
        ("mail/new/.lock", "no"),
        ("mail/tmp/3", "no"),
        ("mail/index", "no"),
        ("mail/other/file", "no"),
        ("mail/.Sent/cur/4", "sent"),
    ]);
    fs::create_dir(folder.path().join("mail/.Sent/new")).unwrap();
    let expected = [
        ("a", "first"),
        ("b/1", "one"),
        ("b/2", "two"),
        ("box:1", "1\n"),
        ("box:2", "2\n"),
        ("mail/cur/1:2,S", "seen"),
        ("mail/new/2", "unseen"),
        ("mail/.Sent/cur/4", "sent"),
    ];
    let (found, report) = all(folder.path(), &[""], &Options::default());
    assert_eq!((found, report.skipped()), (pairs(&expected), 0));
    assert_eq!(all(folder.path(), &["b", "a"], &Options::default()).0.len(), 3);
}

#[test]
fn special_folders_are_left_out_unless_they_are_named() {
    let mbox = format!("{SEPARATOR}Subject: 1\n");
    let folder = files(&[
        ("mail/cur/1", "in"),
        ("mail/new/2", "in"),
        ("mail/.Trash/cur/3", "gone"),
        ("mail/.Trash/new/4", "gone"),
        ("mail/.Junk/cur/5", "junk"),
        ("mail/.Junk/new/6", "junk"),
        ("boxes/Inbox", &mbox),
        ("boxes/Sent", &mbox),
        ("boxes/Spam.mbox", &mbox),
        ("boxes/Drafts", "one message in a file of that name"),
        ("boxes/Sent Items/1", "sent"),
    ]);
    let with = |left_out| Options { left_out, ..Options::default() };
    let (found, report) = all(folder.path(), &["mail"], &with(Left::UnsortedAndJunk));
    assert_eq!(names(&found), ["mail/cur/1", "mail/new/2"]);
    assert_eq!(report.folders.count, 2);
    let (found, report) = all(folder.path(), &["boxes"], &with(Left::UnsortedAndJunk));
    assert_eq!(names(&found), ["boxes/Drafts", "boxes/Inbox:1"]);
    assert_eq!(report.folders.count, 3);
    let (found, report) = all(folder.path(), &["mail", "boxes"], &with(Left::Unsorted));
    assert_eq!((found.len(), report.folders.count), (7, 3));
    let named = ["mail/.Trash", "boxes/Sent"];
    let (found, report) = all(folder.path(), &named, &with(Left::UnsortedAndJunk));
    assert_eq!((found.len(), report.skipped()), (3, 0));
}

#[test]
fn files_that_are_not_mail_are_skipped_and_counted() {
    let folder = files(&[
        ("1", "Subject: \0\0\0\n\n\0\0\0"),
        ("2", ""),
        ("3.png", "\u{89}PNG"),
        ("4", "\0\0\0\0\0\0"),
        ("5", "text"),
        ("box", &format!("{SEPARATOR}\n{SEPARATOR}Subject: 2\n")),
    ]);
    fs::write(folder.path().join("3.png"), b"\x89PNG\r\n\x1A\n").unwrap();
    let (found, report) = all(folder.path(), &[""], &Options::default());
    assert_eq!(names(&found), ["1", "5", "box:2"]);
    assert_eq!((report.not_mail.count, report.empty.count), (2, 2));
    let late = format!("{}text", "\n".repeat(100_000));
    fs::write(folder.path().join("late"), &late).unwrap();
    let (found, _) = all(folder.path(), &["late"], &Options::default());
    assert_eq!(found, pairs(&[("late", &late)]), "text after many blank lines");
    let (found, report) = all(folder.path(), &["2", "4"], &Options::default());
    assert_eq!((found.len(), report.not_mail.count, report.empty.count), (0, 1, 1));
    // To judge, a named file is a message whatever it holds.
    let (found, report) = all(folder.path(), &["2", "4", "box"], &Options::judging());
    assert_eq!((names(&found), report.skipped()), (vec!["2", "4", "box:1", "box:2"], 0));
}

#[test]
fn excluded_paths_are_left_out() {
    let folder =
        files(&[("m/cur/1", "a"), ("m/new/2", "b"), ("m/.J/cur/3", "c"), ("m/.J/new/4", "d")]);
    let real = folder.path().canonicalize().unwrap();
    let found = |excluded: &[&str]| {
        let excluded = excluded.iter().map(|path| real.join(path)).collect();
        let options = Options { excluded, ..Options::default() };
        let (found, _) = all(folder.path(), &["m/../m/"], &options);
        found.into_iter().map(|(_, text)| text).collect::<String>()
    };
    assert_eq!(found(&[]), "abcd");
    assert_eq!(found(&["m/.J"]), "ab");
    assert_eq!(found(&["m/cur", "m/.J/new/4"]), "bc");
}

#[test]
fn a_path_that_is_missing_is_named() {
    let missing = PathBuf::from("no/such/file");
    let refused = for_each_message(std::slice::from_ref(&missing), |_, _| Ok(()));
    let Err(Error::Read { name, .. }) = refused else { panic!("a missing file was read") };
    assert_eq!(name, missing);
    let standard_input = Source { path: Path::new("-"), number: Some(3) };
    assert_eq!(standard_input.to_string(), "standard input:3");
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_counted_and_the_rest_is_read() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let folder = files(&[("a", "text"), ("z", "last")]);
    let at = |name: &str| folder.path().join(name);
    symlink(folder.path(), at("circle")).unwrap();
    symlink(at("a"), at("linked")).unwrap();
    symlink("nothing", at("broken")).unwrap();
    let socket = UnixListener::bind(at("socket")).unwrap();
    let (found, report) = all(folder.path(), &[""], &Options::default());
    assert_eq!(found, pairs(&[("a", "text"), ("linked", "text"), ("z", "last")]));
    assert_eq!((report.unreadable.count, report.special.count), (1, 1));
    assert!(report.unreadable.names[0].contains("broken: "), "{report:?}");
    let (found, report) = all(folder.path(), &["broken", "socket", "a"], &Options::judging());
    assert_eq!((found.len(), report.unreadable.count, report.special.count), (1, 1, 1));
    drop(socket);
    let strict = for_each_message(&[folder.path().to_owned()], |_, _| Ok(()));
    assert!(matches!(strict, Err(Error::Read { name, .. }) if name == at("broken")));
}

#[test]
fn a_visitor_can_stop() {
    let folder = files(&[("a", "1"), ("b", "2")]);
    let mut seen = 0;
    let stopped = for_each_message(&[folder.path().to_owned()], |_, _| {
        seen += 1;
        Err(Error::Threshold { got: 0.0 })
    });
    assert!(stopped.is_err());
    assert_eq!(seen, 1);
}

#[test]
fn the_size_is_that_of_the_files_that_are_read() {
    let folder = files(&[("m/1", "12345"), ("m/Trash/2", "123"), ("m/Junk/3", "1")]);
    let size = |left_out| {
        let options = Options { left_out, ..Options::default() };
        size_of(&[folder.path().join("m"), "no/such/file".into()], &options)
    };
    assert_eq!((size(Left::None), size(Left::Unsorted), size(Left::UnsortedAndJunk)), (9, 6, 5));
}
