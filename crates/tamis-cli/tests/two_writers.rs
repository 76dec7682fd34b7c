//! Several processes change one file at once, and some of them are killed: no key is lost.

mod common;

use common::Folder;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tamis::hash::{Functions, KeyHash};

const ROUNDS: usize = 150;

/// The filter is large enough that writing it takes a while.
const ITEMS: &str = "300k";

fn spawn(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    command.current_dir(folder.path()).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("tamis starts")
}

fn keys(writer: &str, round: usize) -> String {
    (0..10).map(|key| format!("{writer}-{round}-{key}\n")).collect()
}

#[test]
fn no_key_is_lost_when_two_add_and_others_are_killed() {
    let folder = Folder::new();
    folder.file("none.txt", "");
    let build = ["filter", "build", "--items", ITEMS, "--rate", "1e-6", "-o", "f", "none.txt"];
    folder.ok(&build);
    let mut chance = Functions::new(KeyHash::new(12).integer(1)).map(|hash| hash >> 32);
    // Kills are spread over the time that a run takes, which shrinks and grows with what they hit.
    let mut longest: u64 = 20_000;
    let mut killed = 0;
    let mut acknowledged = String::new();
    for round in 0..ROUNDS {
        for writer in ["a", "b", "victim"] {
            folder.file(&format!("{writer}.txt"), keys(writer, round));
        }
        let mut victim = spawn(&folder, &["filter", "add", "f", "victim.txt"]);
        let mut writers = ["a", "b"].map(|writer| {
            (writer, spawn(&folder, &["filter", "add", "f", &format!("{writer}.txt")]))
        });
        std::thread::sleep(Duration::from_micros(chance.next().unwrap_or(0) % longest));
        victim.kill().expect("killed");
        if victim.wait().expect("ended").success() {
            longest -= longest / 8;
            acknowledged += &keys("victim", round);
        } else {
            killed += 1;
            longest += longest / 16 + 10;
        }
        for (writer, child) in &mut writers {
            assert!(child.wait().expect("ended").success(), "{writer} in round {round}");
            acknowledged += &keys(writer, round);
        }
    }
    assert!(killed > ROUNDS / 10, "{killed} of {ROUNDS} were killed before their end");
    folder.ok(&["filter", "verify", "f"]);
    folder.file("all.txt", &acknowledged);
    let lost = folder.run(&["filter", "check", "--absent", "f", "all.txt"]);
    assert_eq!((lost.code, lost.stdout.as_str()), (1, ""), "lost keys");
    // What the killed ones left neither blocks nor harms.
    folder.ok(&["filter", "add", "f", "a.txt"]);
}

#[test]
fn removals_and_merges_wait_for_their_turn() {
    let folder = Folder::new();
    let present: String = (0..200).map(|key| format!("{key}\n")).collect();
    folder.file("present.txt", &present);
    let build = ["filter", "build", "--counting", "4", "--items", "100k", "-o", "f", "present.txt"];
    folder.ok(&build);
    let mut children = Vec::new();
    for writer in 0..8 {
        let name = format!("{writer}.txt");
        folder.file(
            &name,
            (writer * 25..(writer + 1) * 25).map(|k| format!("{k}\n")).collect::<String>(),
        );
        children.push(spawn(&folder, &["filter", "remove", "f", &name]));
    }
    for child in &mut children {
        assert!(child.wait().expect("ended").success());
    }
    assert_eq!(folder.run(&["filter", "check", "f", "present.txt"]).stdout, "");

    folder.file("none.txt", "");
    for name in (0..6).map(|part| format!("part{part}")).chain(["sum".to_owned()]) {
        let keys = if name == "sum" { "none.txt".to_owned() } else { format!("{name}.txt") };
        folder.file(&format!("{name}.txt"), format!("key of {name}\n"));
        let build = ["filter", "build", "--items", "200k", "--rate", "1e-6", "-o", &name, &keys];
        folder.ok(&build);
    }
    let mut children: Vec<Child> = (0..6)
        .map(|part| {
            spawn(&folder, &["filter", "merge", "-o", "sum", "sum", &format!("part{part}")])
        })
        .collect();
    for child in &mut children {
        assert!(child.wait().expect("ended").success());
    }
    for part in 0..6 {
        let key = format!("key of part{part}\n");
        assert_eq!(folder.pipe(&["filter", "check", "sum"], key.as_bytes()).stdout, key);
    }
}

#[test]
fn documents_that_several_insert_are_all_in_the_index() {
    let folder = Folder::new();
    folder.file("first.jsonl", "{\"id\":\"first\",\"text\":\"leek and potato soup with cream\"}\n");
    folder.ok(&["similar", "index", "-q", "-o", "i", "first.jsonl"]);
    let mut children = Vec::new();
    for writer in 0..12 {
        let name = format!("{writer}.jsonl");
        folder.file(
            &name,
            format!("{{\"id\":\"d{writer}\",\"text\":\"recipe {writer} of {writer} things\"}}\n"),
        );
        children.push(spawn(&folder, &["similar", "index", "-q", "--into", "i", &name]));
    }
    for child in &mut children {
        assert!(child.wait().expect("ended").success());
    }
    for writer in 0..12 {
        let found =
            folder.ok(&["similar", "query", "i", "--nearest", "1", &format!("{writer}.jsonl")]);
        assert!(found.contains(&format!("\td{writer}\t1")), "{found}");
    }
}
