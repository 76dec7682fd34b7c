//! A process that learns is ended at a thousand random moments: nothing that it has reported is lost, and every store
//! opens and is sound.

mod common;

use common::Folder;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;
use tamis::hash::{Functions, KeyHash};
use tamis_mail::store::{Change, Learner, Store};

const KILLS: usize = 1000;

/// A new store after so many kills, so that it stays small.
const KILLS_PER_STORE: usize = 50;

const MESSAGES: usize = 400;

fn message(number: usize) -> String {
    let words: Vec<String> =
        (0..15).map(|place| format!("w{}", (number * 13 + place * 7) % 301)).collect();
    format!("From: a{}@example.org\nSubject: {number}\n\n{}\n", number % 9, words.join(" "))
}

const fn label(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "spam" } else { "ham" }
}

fn tamis(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Learns all messages, and reports each.
fn learn(folder: &Folder, store: &str) -> Command {
    let mut command = tamis(folder);
    command.args(["mail", "learn", "--verbose", "--table", "12", "--store", store]);
    command.args(["--spam", "spam", "--ham", "ham"]);
    command
}

#[test]
fn nothing_acknowledged_is_lost() {
    let folder = Folder::new();
    for number in 0..MESSAGES {
        let path = folder.path().join(label(number));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join(format!("{number:04}")), message(number)).expect("written");
    }
    // How long a run lasts is up to the machine, and to what the store knows already: moments are chosen within a time that
    // shrinks when a run was over before, and grows when it was not.
    let mut longest: u64 = 20_000;
    let mut chance = Functions::new(KeyHash::new(11).integer(1)).map(|hash| hash >> 32);
    let mut next = |below: u64| chance.next().unwrap_or(0) % below;
    let mut acknowledged: BTreeSet<usize> = BTreeSet::new();
    let (mut in_the_middle, mut reported) = (0, 0);
    for kill in 0..KILLS {
        let store = format!("store{}", kill / KILLS_PER_STORE);
        if kill % KILLS_PER_STORE == 0 {
            acknowledged.clear();
        }
        let rebuild = !acknowledged.is_empty() && next(5) == 0;
        let mut command = if rebuild {
            let mut command = tamis(&folder);
            command.args(["mail", "rebuild", "--store", &store]);
            command
        } else {
            learn(&folder, &store)
        };
        let mut child = command.spawn().expect("tamis starts");
        let stdout = child.stdout.take().expect("standard output");
        let reader = std::thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.filter(|line| line.contains('\t')).collect::<Vec<String>>()
        });
        std::thread::sleep(Duration::from_micros(next(longest)));
        child.kill().expect("killed");
        if child.wait().expect("ended").success() {
            longest -= longest / 8;
        } else {
            in_the_middle += 1;
            longest += longest / 16 + 10;
        }
        for line in reader.join().expect("the reader") {
            let name = line.split('\t').next().expect("a name");
            let number = name.rsplit('/').next().and_then(|number| number.parse().ok());
            acknowledged.insert(number.expect("a number"));
            reported += 1;
        }
        let path = folder.path().join(&store);
        if acknowledged.is_empty() && !path.join("tables.tamis").exists() {
            continue;
        }
        let there =
            Store::open(&path).expect("the store opens").verify().expect("the store is sound");
        assert!(there >= acknowledged.len());
        let mut learner = Learner::open(&path).expect("the store can learn");
        for &number in &acknowledged {
            let change =
                learner.learn(message(number).as_bytes(), label(number), 0).expect("learned");
            assert_eq!(change, Change::Known, "message {number} was lost");
        }
    }
    // The test is worth something only if kills hit runs, and if runs report something.
    assert!(in_the_middle > KILLS / 10, "{in_the_middle} of {KILLS} were ended before their end");
    assert!(reported > KILLS, "{reported} messages were reported");
}
