//! Whole runs of `tamis lab`.

mod common;

use common::Folder;
use serde_json::Value;

#[test]
fn the_experiments_are_listed() {
    let folder = Folder::new();
    let list = folder.ok(&["lab", "list"]);
    assert_eq!(list.lines().count(), 14, "{list}");
    assert!(list.starts_with("hash-distribution "), "{list}");
    let json: Value = serde_json::from_str(&folder.ok(&["lab", "list", "--json"])).unwrap();
    assert_eq!(json[3]["name"], "best-functions");
}

#[test]
fn a_run_prints_its_verdicts_and_leaves_data_and_plots() {
    let folder = Folder::new();
    let printed =
        folder.ok(&["lab", "run", "--quick", "--seed", "9", "best-functions", "best-size"]);
    assert!(printed.contains("holds  every measured rate is that of theory"), "{printed}");
    assert!(printed.contains("\nbest-size\n"), "{printed}");
    for name in ["best-functions.csv", "best-functions.svg", "best-size.png"] {
        assert!(!folder.read(&format!("lab/{name}")).is_empty(), "{name}");
    }
    let first = (folder.read("lab/best-size.json"), folder.read("lab/best-size.svg"));
    folder.ok(&["lab", "run", "--quick", "--seed", "9", "best-size", "-o", "again"]);
    let second = (folder.read("again/best-size.json"), folder.read("again/best-size.svg"));
    assert!(first == second, "the same seed gives the same bytes");
}

#[test]
fn what_cannot_be_run_is_refused_with_a_sentence() {
    let folder = Folder::new();
    let wrong = folder.refused(&["lab", "run", "best-taste"]);
    assert!(wrong.contains("there is no experiment best-taste"), "{wrong}");
    assert!(wrong.contains("hint: tamis lab list"), "{wrong}");
    let wrong = folder.refused(&["lab", "run", "best-size", "--quick", "--set", "taste=1"]);
    assert!(wrong.contains("there is no parameter taste; there are keys"), "{wrong}");
    let wrong = folder.refused(&["lab", "run", "best-size", "--data", "best-size=u.data"]);
    assert!(wrong.contains("movielens"), "{wrong}");
}
