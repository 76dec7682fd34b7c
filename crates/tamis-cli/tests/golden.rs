//! The commands that stand beside the golden files make them, byte for byte.

mod common;

use common::{Folder, root};
use std::path::Path;
use std::process::Command;

#[test]
fn the_commands_beside_the_golden_files_make_them() {
    let golden = root().join("crates/tamis/tests/golden");
    let readme = std::fs::read_to_string(golden.join("README.md")).expect("the README");
    let folder = Folder::new();
    std::fs::copy(golden.join("words.txt"), folder.path().join("words.txt")).expect("the words");
    let bin = Path::new(env!("CARGO_BIN_EXE_tamis")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    for line in readme.lines().filter(|line| line.contains("tamis filter ")) {
        let status = Command::new("bash")
            .args(["-c", line])
            .env("PATH", &path)
            .current_dir(folder.path())
            .status()
            .expect("bash");
        assert!(status.success(), "{line}");
    }
    let mut compared = 0;
    for entry in std::fs::read_dir(&golden).expect("the golden files") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        // Those of version 1 are read, and not written any more.
        if name.ends_with(".tamis") && !name.ends_with("-1.tamis") {
            assert_eq!(folder.read(name), std::fs::read(&path).expect("a golden file"), "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 9, "only {compared} golden files");
}
