//! Every command in the documents is run, and prints what the document shows.
//!
//! A fenced block marked `console` has commands after `$ ` and below each what it prints on
//! standard output and standard error; a line of `...` stands for any number of lines. Blocks of one
//! document run one after the other in a copy of the examples; `cargo run --release --`
//! stands for the command that was built for this test.

mod common;

use common::{Folder, Ran, root};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut found = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let docs = std::fs::read_dir(root.join("docs")).expect("docs/");
    found.extend(docs.map(|entry| entry.expect("docs/").path()));
    found.push(root.join("examples/spell/README.md"));
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    line: number + 1,
                    command: command.to_owned(),
                    expected: Vec::new(),
                }),
                (None, Some(step)) => step.expected.push(line.to_owned()),
                (None, None) => panic!("output without a command in line {}", number + 1),
            }
        }
    }
    steps
}

fn run(step: &Step, folder: &Path) -> Ran {
    let command = step.command.replace("cargo run --release --", "tamis");
    let bin = Path::new(env!("CARGO_BIN_EXE_tamis")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .env("PATH", format!("{}:{path}", bin.display()))
        .current_dir(folder)
        .output()
        .expect("bash");
    Ran::new(&output)
}

/// Whether the lines fit, where `...` stands for any number of lines.
fn fits(expected: &[String], got: &[&str]) -> bool {
    match expected.split_first() {
        None => got.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=got.len()).any(|skipped| fits(rest, &got[skipped..]))
        }
        Some((first, rest)) => got
            .split_first()
            .is_some_and(|(line, got)| line.trim_end() == first.trim_end() && fits(rest, got)),
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn every_command_in_the_documents_prints_what_they_show() {
    let mut count = 0;
    let mut wrong = String::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        let folder = Folder::new();
        copy_folder(&root().join("examples"), &folder.path().join("examples"));
        for step in steps(&text) {
            count += 1;
            let ran = run(&step, folder.path());
            let got: Vec<&str> = ran.stdout.lines().collect();
            if !fits(&step.expected, &got) {
                let (name, line) = (document.display(), step.line);
                wrong += &format!("{name}:{line}: $ {}\n{}\n", step.command, ran.stdout);
            }
        }
    }
    assert!(count > 10, "only {count} commands were found in the documents");
    assert!(wrong.is_empty(), "these print something else:\n{wrong}");
}

#[test]
fn a_wrong_line_does_not_fit() {
    let expected = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(fits(&expected(&["a", "...", "z"]), &["a", "b", "c", "z"]));
    assert!(fits(&expected(&["a", "...", "z"]), &["a", "z"]));
    assert!(!fits(&expected(&["a", "z"]), &["a", "b", "z"]));
    assert!(!fits(&expected(&["a", "..."]), &["b"]));
}
