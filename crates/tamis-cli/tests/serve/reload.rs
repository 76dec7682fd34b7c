//! Settings are read again on SIGHUP, and everything goes on; `--check-config` opens what it names.

use super::common::{Folder, root};
use super::harness::{Server, message};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const OLD: &str = "the-token-before-the-reload";
const NEW: &str = "the-token-after-the-reload";

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Sends SIGHUP; the line of the log with the result.
fn reload(server: &Server, event: &str) -> serde_json::Value {
    let sent = Command::new("kill").args(["-HUP", &server.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    server.logged(event)
}

#[test]
fn settings_are_read_again_and_no_connection_is_lost() {
    let server = Server::with(&format!("token = {OLD:?}\n"), &[]);
    let state = |token: &str| {
        server.request("GET", "/api/v1/state", &[("Authorization", &bearer(token))], b"").status
    };
    assert_eq!((state(OLD), state(NEW)), (200, 401));
    // A request that is half sent on each port.
    let mut spamd = server.connect("spamd");
    spamd.write_all(b"CHECK SPAMC/1.5\r\nContent-length: 5\r\n\r\nab").expect("sent");
    let mut http = server.connect("http");
    let head = format!(
        "POST /api/v1/mail/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: {}\r\nContent-Length: 5\r\n\r\nab",
        bearer(OLD)
    );
    http.write_all(head.as_bytes()).expect("sent");
    // The server has both when it has answered later ones.
    assert!(server.raw("spamd", b"PING SPAMC/1.5\r\n\r\n").starts_with(b"SPAMD/1.5 0 PONG"));
    assert_eq!(state(OLD), 200);

    server.folder.file("deny.txt", "spam.example\n");
    let settings = format!("token = {NEW:?}\ntable = 21\n[lists]\ndeny = [\"deny.txt\"]\n");
    server.folder.file("tamis.toml", settings);
    assert_eq!(reload(&server, "reloaded")["needs_restart"], serde_json::json!(["table"]));
    assert_eq!((state(OLD), state(NEW)), (401, 200));
    let deny = server.request(
        "POST",
        "/api/v1/mail/check",
        &[("Authorization", &bearer(NEW))],
        &message("spam", 1),
    );
    let deny = deny.json();
    assert_eq!(deny["verdict"], "spam");
    assert_eq!(deny["reasons"][0], "list: spam.example is denied by deny.txt");
    assert_eq!(deny["probability"], 1.0);
    for (mut stream, start) in [(spamd, "SPAMD/1.5 0 EX_OK"), (http, "HTTP/1.1 200 OK")] {
        stream.write_all(b"cde").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with(start), "{answer}");
    }

    // What cannot be used changes nothing.
    server.folder.file("tamis.toml", "token = \"short\"\n");
    let error = reload(&server, "reload")["error"].as_str().expect("a sentence").to_owned();
    assert!(error.contains("at least 16 characters"), "{error}");
    assert_eq!(state(NEW), 200);
}

fn make_certificate(folder: &Folder, name: &str) {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
        ])
        .args(["-keyout", "key.pem", "-out", name, "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost"])
        .current_dir(folder.path())
        .output()
        .expect("openssl: `make packages` installs it");
    assert!(made.status.success());
}

#[test]
fn certificates_are_read_again() {
    let folder = Folder::new();
    make_certificate(&folder, "cert.pem");
    let flags = ["--certificate", "cert.pem", "--key", "key.pem"];
    let server = Server::in_folder(folder, "", &flags);
    let is_trusted = |authority: &str| {
        let port = server.address("http").rsplit_once(':').expect("a port").1;
        let ran = Command::new("curl")
            .args(["-s", "--cacert", authority, &format!("https://localhost:{port}/healthz")])
            .current_dir(server.folder.path())
            .output()
            .expect("curl: `make packages` installs it");
        ran.stdout == b"ok\n"
    };
    std::fs::copy(server.folder.path().join("cert.pem"), server.folder.path().join("old.pem"))
        .expect("copied");
    assert!(is_trusted("old.pem"));
    make_certificate(&server.folder, "cert.pem");
    assert!(is_trusted("old.pem"), "nothing has changed yet");
    reload(&server, "reloaded");
    assert!(is_trusted("cert.pem") && !is_trusted("old.pem"));
}

#[test]
fn sockets_are_private_unless_the_settings_say_otherwise() {
    let mode = |server: &Server| {
        let found = std::fs::metadata(server.socket()).expect("a socket");
        found.permissions().mode() & 0o777
    };
    let server = Server::with("", &[]);
    assert_eq!(mode(&server), 0o600);
    server.folder.file("tamis.toml", "[spamd]\nsocket = { mode = \"0660\", group = \"0\" }\n");
    reload(&server, "reloaded");
    assert_eq!(mode(&server), 0o660, "without a restart");
    assert!(server.raw_socket(b"PING SPAMC/1.5\r\n\r\n").starts_with(b"SPAMD/1.5 0 PONG"));
}

#[test]
fn checking_the_settings_opens_what_they_name() {
    let folder = Folder::new();
    let base = folder.path().display().to_string();
    std::fs::create_dir(folder.path().join("store")).expect("a folder");
    folder.file("store/tables.tamis", "no tables");
    folder.file("list.txt", "two words\n");
    folder.file("file", "");
    let with = |settings: &str| {
        let text = format!("store = \"{base}/mail\"\nfiles = \"{base}/files\"\n{settings}");
        folder.file("tamis.toml", text);
        ["serve", "--config", "tamis.toml", "--check-config"]
    };
    assert_eq!(folder.ok(&with("")), "these settings can be used\n");
    assert!(!folder.path().join("mail").exists(), "nothing is created");
    let guide = std::fs::read_to_string(root().join("contrib/systemd/tamis.toml"));
    let guide = guide.expect("settings").replace("/run/tamis", &base);
    folder.file("guide.toml", guide);
    let guide = ["serve", "--config", "guide.toml", "--check-config", "--store", "mail"];
    assert_eq!(folder.ok(&guide), "these settings can be used\n");
    for (settings, part) in [
        ("certificate = \"nowhere.pem\"\nkey = \"nowhere.pem\"", "nowhere.pem"),
        ("[lists]\nallow = [\"list.txt\"]", "line 1: this is no address"),
        ("[lists]\ndeny = [\"nowhere.txt\"]", "nowhere.txt"),
        ("[spamd]\nlisten = [\"/nowhere/spamd.sock\"]", "cannot listen on /nowhere/spamd.sock"),
        (
            "[milter]\nlisten = [\"/run/x.sock\"]\nsocket = { group = \"no-such-group\" }",
            "no group",
        ),
        ("listen = \"/dev/null\"", "there is a file of that name"),
    ] {
        let refused = folder.refused(&with(settings));
        assert!(refused.contains(part), "{settings}: {refused}");
    }
    let bad_store = ["serve", "--check-config", "--store", "store", "--files", "files"];
    assert!(folder.refused(&bad_store).contains("tables.tamis"));
    let no_folder = ["serve", "--check-config", "--store", "mail", "--files", "file"];
    assert!(folder.refused(&no_folder).contains("file"));
}
