//! The page in a real browser, used as a person would. `make packages` and `make tools` install what it needs.

use super::common::root;
use super::harness::Server;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Folders for pictures and for the scripts, which are beside what they need.
pub fn prepare() -> (PathBuf, PathBuf) {
    static PREPARED: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    PREPARED.get_or_init(copy_scripts).clone()
}

fn copy_scripts() -> (PathBuf, PathBuf) {
    let out = root().join("target/page");
    std::fs::create_dir_all(&out).expect("a folder for pictures");
    // A script finds what is installed beside it.
    let tools = root().join("target/tools");
    for entry in std::fs::read_dir(root().join("crates/tamis-server/page/tests")).expect("scripts")
    {
        let path = entry.expect("a script").path();
        if path.extension().is_some_and(|extension| extension == "mjs") {
            let name = path.file_name().expect("a name");
            std::fs::copy(&path, tools.join(name)).expect("`make tools` makes the folder");
        }
    }
    (out, tools)
}

#[test]
fn a_person_can_use_every_view() {
    let server = Server::with("[log]\nrequests = false\n", &[]);
    server.teach();
    server.make_files();
    let (out, tools) = prepare();
    let ran = Command::new("node")
        .arg(tools.join("browser.mjs"))
        .env("BASE_URL", format!("http://{}", server.address("http")))
        .env("OUT", &out)
        .output()
        .expect("node: `make packages` installs it");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.lines().count() > 20, "every check has a line: {said}");
}

/// What is in the folder is in the binary.
#[test]
fn every_file_of_the_page_is_served() {
    let server = Server::start();
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("crates/tamis-server/page")).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_file() {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            let answer = server.get(&format!("/assets/{name}"));
            assert_eq!(answer.status, 200, "{name}");
            assert_eq!(answer.body, std::fs::read(&path).expect("a file"), "{name}");
            count += 1;
        }
    }
    assert!(count > 5);
}
