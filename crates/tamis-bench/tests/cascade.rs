//! A tiny run of `tamis-bench cascade`, from its arguments to its files.

use std::process::Command;

fn bench(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_tamis-bench")).arg("cascade").args(arguments).output().unwrap()
}

#[test]
fn a_tiny_run_finds_no_error_and_writes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let sets = "A,B,E,10 equal";
    let run = bench(&["--quick", "--json", "--scale", "0.005", "--sets", sets, "--output", path]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let findings: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let trials = findings["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 6 + 6 + 7 + 7, "everyone learns small sets");
    for trial in trials {
        assert_eq!(trial["errors"], 0, "{trial}");
        assert!(trial["bytes"].as_f64() > trial["bound"].as_f64(), "{trial}");
    }
    let bars = findings["bars"].as_array().unwrap();
    let bar = |claim: &str| bars.iter().find(|bar| bar["claim"] == claim).unwrap();
    assert_eq!(bar("wrong categories of trained keys")["holds"], true);
    assert!(bar("A: bytes / n H")["holds"].is_null(), "a part of a set is not what is claimed");
    assert_eq!(findings["grid"].as_array().unwrap().len(), 64);
    assert_eq!(
        findings["filters"].as_array().unwrap().len(),
        2 * (2 + 3),
        "ours and xorf's, of two sizes"
    );
    for name in ["cascade.json", "cascade.svg", "cascade.png", "cascade-functions.png"] {
        assert!(folder.path().join(name).metadata().unwrap().len() > 0, "{name}");
    }
}

#[test]
fn whole_sets_are_held_to_their_limits() {
    let run = bench(&[
        "--quick",
        "--json",
        "--sets",
        "E",
        "--only",
        "tamis",
        "--skip-grid",
        "--skip-filters",
    ]);
    let findings: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let bars = findings["bars"].as_array().unwrap();
    let size = bars.iter().find(|bar| bar["claim"] == "E: bytes / n H").unwrap();
    assert_eq!(size["holds"], true, "{size}");
}

#[test]
fn a_part_of_more_than_all_is_refused() {
    assert!(!bench(&["--scale", "2"]).status.success());
}
