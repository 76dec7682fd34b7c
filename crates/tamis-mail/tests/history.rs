//! The history of verdicts: what survives, what it takes, and who can read it.

use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tamis_mail::Error;
use tamis_mail::history::{Action, Entry, History, Page, Settings, Subjects, Wanted, search};

const DAY: u64 = 86_400;
const START: u64 = 20_000 * DAY;
const SETTINGS: Settings = Settings { days: 30, bytes: 8 << 20, subjects: Subjects::Text };

fn entry(id: u64, time: u64) -> Entry {
    let is_spam = id.is_multiple_of(3);
    Entry {
        id,
        time,
        source: "milter".into(),
        user: (id.is_multiple_of(4)).then(|| "anne".to_owned()),
        message: format!("{id:032x}"),
        from: format!("sender{}@example.org", id % 5),
        subject: Some(format!("Subject {id}")),
        subject_hash: None,
        verdict: if is_spam { "spam" } else { "ham" }.into(),
        probability: if is_spam { 0.99 } else { 0.01 },
        score: id as f64 / 7.0,
        reasons: vec![format!("words: \"word{}\"", id % 7)],
        action: if is_spam { Action::Quarantined } else { Action::Delivered },
        taught: None,
    }
}

fn all(folder: &Path) -> Page {
    search(folder, &Wanted::default(), None, 100_000).expect("read")
}

fn ids(page: &Page) -> Vec<u64> {
    page.entries.iter().map(|entry| entry.id).collect()
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ext| ext == "jsonl")).collect();
    found.sort();
    found
}

#[test]
fn entries_survive_and_numbers_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    assert_eq!(history.next_id(), 1);
    for id in 1..=5 {
        history.append(&entry(id, START + id)).expect("written");
    }
    let seed = history.seed();
    drop(history);
    let history = History::open(folder.path(), SETTINGS, START + 10).expect("opened again");
    assert_eq!((history.next_id(), history.seed()), (6, seed));
    let expected: Vec<Entry> = (1..=5).rev().map(|id| entry(id, START + id)).collect();
    assert_eq!(all(folder.path()).entries, expected);
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    history.append(&entry(1, START)).expect("written");
    let refused = History::open(folder.path(), SETTINGS, START);
    assert!(matches!(refused, Err(Error::HistoryInUse { .. })), "{refused:?}");
    assert_eq!(ids(&all(folder.path())), [1]);
    let missing = search(&folder.path().join("none"), &Wanted::default(), None, 1);
    assert!(matches!(missing, Err(Error::NoHistory { .. })), "{missing:?}");
}

#[test]
fn a_damaged_line_is_skipped_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    for id in 1..=3 {
        history.append(&entry(id, START)).expect("written");
    }
    let path = segments(folder.path()).remove(0);
    let mut bytes = fs::read(&path).expect("a file");
    let second = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    bytes[second] = b'x';
    fs::write(&path, bytes).expect("written");
    let page = all(folder.path());
    assert_eq!((ids(&page), page.damaged), (vec![3, 1], 1));
}

/// Wherever the last line was cut off, all before it is read, and what comes later is, too.
#[test]
fn a_torn_line_takes_nothing_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    history.append(&entry(1, START)).expect("written");
    let path = segments(folder.path()).remove(0);
    let first = fs::metadata(&path).expect("a file").len();
    history.append(&entry(2, START)).expect("written");
    drop(history);
    let whole = fs::read(&path).expect("a file");
    for end in first as usize..whole.len() {
        for zeros in [0, 3] {
            let mut torn = whole[..end].to_vec();
            torn.resize(end + zeros, 0);
            fs::write(&path, &torn).expect("written");
            assert_eq!(ids(&all(folder.path())), [1], "cut at {end}");
            let history = History::open(folder.path(), SETTINGS, START).expect("opened");
            let next = history.next_id();
            assert_eq!(next, 2, "cut at {end}");
            history.append(&entry(next, START)).expect("written");
            let page = all(folder.path());
            assert_eq!((ids(&page), page.damaged), (vec![2, 1], 0), "cut at {end}, {zeros} zeros");
        }
    }
}

#[test]
fn the_files_stay_within_their_room_and_the_newest_entries_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings { bytes: 1 << 20, ..SETTINGS };
    let history = History::open(folder.path(), settings, START).expect("opened");
    let size = || {
        segments(folder.path()).iter().map(|p| fs::metadata(p).expect("a file").len()).sum::<u64>()
    };
    let last = 9_000;
    for id in 1..=last {
        history.append(&entry(id, START + id)).expect("written");
        if id % 500 == 0 {
            assert!(size() <= 1 << 20, "{} after {id}", size());
        }
    }
    let left = ids(&all(folder.path()));
    assert_eq!(left[0], last);
    assert!(left.windows(2).all(|two| two[0] == two[1] + 1), "no gaps");
    assert!(left.len() > 2_000, "{} of 100 bytes and more each are left", left.len());
}

#[test]
fn entries_go_after_their_days_even_if_nothing_new_comes() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    for day in 0..40 {
        history.append(&entry(day + 1, START + day * DAY)).expect("written");
    }
    // The last one is of day 39: days 9 to 39 are kept.
    assert_eq!(ids(&all(folder.path())), (10..=40).rev().collect::<Vec<_>>());
    history.expire(START + 50 * DAY).expect("expired");
    assert_eq!(ids(&all(folder.path())), (21..=40).rev().collect::<Vec<_>>());
    history.expire(START + 500 * DAY).expect("expired");
    assert_eq!(segments(folder.path()), Vec::<PathBuf>::new());
    history.append(&entry(41, START + 500 * DAY)).expect("written");
    assert_eq!(ids(&all(folder.path())), [41]);
}

#[test]
fn corrections_are_shown_until_they_are_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, START).expect("opened");
    let (anne, nobody) = (entry(4, START), entry(5, START));
    for entry in [&anne, &nobody] {
        history.append(entry).expect("written");
    }
    let taught =
        || all(folder.path()).entries.into_iter().map(|entry| entry.taught).collect::<Vec<_>>();
    let correct = |label| {
        // A day later: in another segment than the verdict.
        history.correct(Some("anne"), &anne.message, label, START + DAY).expect("written");
    };
    correct(Some("spam"));
    history.correct(Some("ben"), &nobody.message, Some("ham"), START).expect("written");
    assert_eq!(taught(), [None, Some("spam".to_owned())], "ben's message is another one");
    correct(Some("social"));
    assert_eq!(taught(), [None, Some("social".to_owned())]);
    correct(None);
    assert_eq!(taught(), [None, None]);
    drop(history);
    let history = History::open(folder.path(), SETTINGS, START + DAY).expect("opened");
    assert!(history.next_id() > 5);
}

#[test]
fn a_hashed_subject_is_found_as_a_whole_and_is_nowhere_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings { subjects: Subjects::Hash, ..SETTINGS };
    let history = History::open(folder.path(), settings, START).expect("opened");
    for id in 1..=3 {
        history.append(&entry(id, START)).expect("written");
    }
    let written = fs::read_to_string(&segments(folder.path())[0]).expect("text");
    assert!(!written.contains("Subject"), "{written}");
    let find = |text: &str| {
        let filter = Wanted { text: Some(text.into()), ..Wanted::default() };
        ids(&search(folder.path(), &filter, None, 10).expect("read"))
    };
    assert_eq!(find("Subject 2"), [2]);
    assert_eq!(find("Subject"), [0; 0]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it_and_links_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("history");
    let history = History::open(&place, SETTINGS, START).expect("opened");
    history.append(&entry(1, START)).expect("written");
    drop(history);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(&place), 0o700);
    for file in fs::read_dir(&place).expect("a folder") {
        let path = file.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let segment = segments(&place).remove(0);
    let outside = folder.path().join("outside");
    fs::rename(&segment, &outside).expect("moved");
    symlink(&outside, &segment).expect("a link");
    let opened = History::open(&place, SETTINGS, START);
    assert!(matches!(opened, Err(Error::NotRegular { .. })), "{opened:?}");
    let read = search(&place, &Wanted::default(), None, 1);
    assert!(matches!(read, Err(Error::NotRegular { .. })), "{read:?}");
}

fn filters() -> impl Strategy<Value = Wanted> {
    let maybe = |text: &'static str| prop::option::of(text);
    (
        prop::option::of(0..200u64),
        prop::option::of(0..200u64),
        maybe("(SENDER|sender)[0-5]"),
        prop::option::of(prop_oneof![Just("spam".to_owned()), Just("ham".to_owned())]),
        prop::option::of(prop_oneof![Just(Action::Quarantined), Just(Action::Tagged)]),
        maybe("(Word|subject )[0-9]"),
        prop::option::of(Just("anne".to_owned())),
    )
        .prop_map(|(since, until, from, verdict, action, text, user)| Wanted {
            since: since.map(|time| START + time * 3_600),
            until: until.map(|time| START + time * 3_600),
            from,
            verdict,
            action,
            text,
            user,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Pages one after the other are what a filter over everything gives.
    #[test]
    fn pages_are_the_whole(filter in filters(), most in 1..40usize, count in 1..150u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { bytes: 256 << 10, ..SETTINGS };
        let history = History::open(folder.path(), settings, START).expect("opened");
        for id in 1..=count {
            history.append(&entry(id, START + id * 3_600)).expect("written");
        }
        let has = |text: &str, part: &Option<String>| {
            part.as_ref().is_none_or(|part| text.to_lowercase().contains(&part.to_lowercase()))
        };
        let expected: Vec<u64> = (1..=count).rev().map(|id| entry(id, START + id * 3_600)).filter(|entry| {
            let text = format!("{} {} {}", entry.from, entry.subject.as_deref().unwrap_or(""), entry.reason());
            has(&entry.from, &filter.from) && has(&text, &filter.text)
                && filter.verdict.as_ref().is_none_or(|verdict| *verdict == entry.verdict)
                && filter.action.is_none_or(|action| action == entry.action)
                && (filter.user.is_none() || filter.user == entry.user)
                && filter.since.is_none_or(|since| since <= entry.time)
                && filter.until.is_none_or(|until| until > entry.time)
        }).map(|entry| entry.id).collect();
        let (mut got, mut before) = (Vec::new(), None);
        loop {
            let page = history.search(&filter, before, most).expect("read");
            prop_assert!(page.entries.len() <= most);
            got.extend(ids(&page));
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        prop_assert_eq!(got, expected);
    }
}

/// A history that was written before opens, and every byte of it is what this version writes.
#[test]
fn a_history_of_the_first_version_is_read_and_written_as_it_is() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/history/.history");
    let page = all(&kept);
    assert_eq!((ids(&page), page.damaged), (vec![3, 2, 1], 0));
    let taught: Vec<_> = page.entries.iter().map(|entry| entry.taught.as_deref()).collect();
    assert_eq!(taught, [Some("ham"), None, None]);
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), SETTINGS, page.entries[0].time).expect("opened");
    for entry in page.entries.iter().rev() {
        history.append(entry).expect("written");
    }
    let last = &page.entries[0];
    let noon = last.time - last.time % DAY + DAY / 2;
    history.correct(None, &last.message, Some("ham"), noon).expect("written");
    let bytes = |folder: &Path| fs::read_to_string(&segments(folder)[0]).expect("text");
    assert_eq!(bytes(folder.path()), bytes(&kept));
}
