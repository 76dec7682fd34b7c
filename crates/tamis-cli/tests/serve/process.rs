//! Starting, stopping, and what survives.

use super::common::Folder;
use super::harness::{LONG, Server, message};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[test]
fn it_stops_when_it_is_asked_to_and_finishes_what_runs() {
    let mut server = Server::start();
    let mut waiting = server.connect("spamd");
    waiting.write_all(b"CHECK SPAMC/1.5\r\nContent-length: 5\r\n\r\nab").expect("sent");
    // The server has the connection when it has answered another one that came later.
    assert!(server.raw("spamd", b"PING SPAMC/1.5\r\n\r\n").starts_with(b"SPAMD/1.5 0 PONG"));
    let stopping = std::thread::spawn(move || {
        let code = server.terminate();
        (code, server)
    });
    waiting.write_all(b"cde").expect("sent");
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("SPAMD/1.5 0 EX_OK"), "{answer}");
    let (code, server) = stopping.join().expect("stopped");
    assert_eq!(code, 0);
    assert!(!std::path::Path::new(&server.socket()).exists(), "the socket is removed");
}

/// Teaches one message after the other until the server is gone; the numbers of those that were acknowledged.
fn teach_until_it_ends(address: &str, first: usize, acknowledged: &AtomicUsize) -> Vec<usize> {
    let learn = |number: usize| -> Option<bool> {
        let raw = message("spam", number);
        let head = format!(
            "POST /api/v1/mail/learn?label=spam HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            raw.len()
        );
        let mut stream = TcpStream::connect(address).ok()?;
        stream.write_all(&[head.as_bytes(), &raw].concat()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(answer.starts_with(b"HTTP/1.1 200"))
    };
    let mut numbers = Vec::new();
    for number in first.. {
        match learn(number) {
            Some(true) => {
                numbers.push(number);
                acknowledged.fetch_add(1, Relaxed);
            }
            _ => break,
        }
    }
    numbers
}

#[test]
fn what_was_acknowledged_is_there_after_kill_9() {
    let mut server = Server::start();
    for round in 0..4 {
        let count = AtomicUsize::new(0);
        let address = server.address("http").to_owned();
        let acknowledged: Vec<usize> = std::thread::scope(|scope| {
            let (address, count) = (&address, &count);
            let clients: Vec<_> = (0..4)
                .map(|client| (round * 4 + client) * 10_000)
                .map(|first| scope.spawn(move || teach_until_it_ends(address, first, count)))
                .collect();
            // In the midst of it, at another place each time.
            let start = Instant::now();
            while count.load(Relaxed) < 20 + 37 * round {
                assert!(start.elapsed() < LONG, "nothing is learned");
                std::thread::sleep(Duration::from_millis(1));
            }
            server.kill();
            clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
        });
        assert!(acknowledged.len() >= 20 + 37 * round);
        let folder = server.into_folder();
        assert!(folder.ok(&["mail", "store", "verify", "--store", "mail.store"]).contains("sound"));
        server = Server::in_folder(folder, "", &[]);
        for number in acknowledged {
            let again = server.post("/api/v1/mail/learn?label=spam", &message("spam", number));
            assert_eq!(again.json()["change"], "known", "{number}");
        }
    }
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let folder = Folder::new();
    folder.file("tamis.toml", "listen = \"0.0.0.0:1\"\n");
    let refused = folder.refused(&["serve", "--config", "tamis.toml", "--check-config"]);
    assert!(refused.contains("0.0.0.0:1 can be reached from elsewhere"), "{refused}");
    let arguments =
        ["serve", "--config", "tamis.toml", "--check-config", "--listen", "127.0.0.1:1"];
    assert_eq!(folder.ok(&arguments), "these settings can be used\n");
    let with_environment = |listen: &str, arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(["serve", "--config", "tamis.toml", "--check-config"])
            .args(arguments)
            .env("TAMIS_LISTEN", listen)
            .current_dir(folder.path())
            .output()
            .expect("tamis runs")
            .status
            .success()
    };
    assert!(with_environment("127.0.0.1:2", &[]));
    assert!(!with_environment("192.0.2.1:2", &[]));
    assert!(with_environment("192.0.2.1:2", &["--listen", "127.0.0.1:1"]));
    let nowhere = folder.refused(&["serve", "--config", "nowhere.toml"]);
    assert!(nowhere.contains("nowhere.toml"), "{nowhere}");
}

#[test]
fn a_place_that_is_taken_gets_a_sentence() {
    let server = Server::start();
    let taken = server.address("http");
    let folder = Folder::new();
    let refused = folder.refused(&["serve", "--listen", taken, "--store", "s", "--files", "f"]);
    assert!(refused.contains(&format!("cannot listen on {taken}")), "{refused}");
    let socket = server.socket();
    let refused = folder.refused(&["serve", "--listen", &socket, "--store", "s", "--files", "f"]);
    assert!(refused.contains("another process listens on it"), "{refused}");
}

#[test]
fn each_user_has_a_store() {
    let server = Server::with("per_user = true\nmost_users = 2\n", &[]);
    let learn = |user: &str, n: usize| {
        server.post(&format!("/api/v1/mail/learn?label=spam&user={user}"), &message("spam", n))
    };
    assert_eq!(learn("anne", 1).json()["change"], "learned");
    assert_eq!(learn("bob", 1).json()["change"], "learned");
    assert_eq!(learn("anne", 1).json()["change"], "known");
    assert_eq!(learn("ANNE%2Bshop", 1).json()["change"], "known", "one rule for all names");
    assert_eq!(learn("cato", 1).status, 403, "there may be no more");
    let messages = |user: &str| {
        let labels = server.get(&format!("/api/v1/mail/labels?user={user}")).json();
        labels["labels"].as_array().map_or(0, |labels| {
            labels.iter().map(|label| label["messages"].as_u64().unwrap_or(0)).sum::<u64>()
        })
    };
    assert_eq!((messages("anne"), messages("bob"), messages("cato")), (1, 1, 0));
    for trick in ["..", "../x", "a/b", ".hidden", "%2e%2e", "a%2Fb", "a%00b", "a%0Ab", ""] {
        let path = format!("/api/v1/mail/check?user={trick}");
        assert_eq!(server.post(&path, b"x").status, 400, "{trick}");
    }
    let mut names: Vec<_> = std::fs::read_dir(server.folder.path().join("mail.store"))
        .expect("stores")
        .map(|entry| entry.expect("a store").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, ["anne", "bob"]);
}
