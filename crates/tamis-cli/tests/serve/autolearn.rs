//! Learning that happens by itself: clear verdicts and sent mail teach, within a budget, and all of it can be taken back.

use super::harness::{LONG, Server, message};
use serde_json::Value;
use std::time::{Duration, Instant};

const SETTINGS: &str = "[autolearn]\nenabled = true\nspam_from = 0.9\nham_to = 0.1\nper_day = 6\n";

fn check(server: &Server, class: &str, number: usize) {
    let raw = message(class, number);
    let head = format!("CHECK SPAMC/1.5\r\nContent-length: {}\r\n\r\n", raw.len());
    let answer = server.raw("spamd", &[head.as_bytes(), &raw].concat());
    assert!(answer.starts_with(b"SPAMD/"), "{}", String::from_utf8_lossy(&answer));
}

fn info(server: &Server) -> Value {
    let arguments = ["mail", "store", "info", "--json", "--fingerprint", "--store", "mail.store"];
    serde_json::from_str(&server.folder.ok(&arguments)).expect("JSON")
}

fn guesses(server: &Server) -> u64 {
    info(server)["teachers"]["autolearn"].as_u64().unwrap_or(0)
}

fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < LONG, "it takes too long until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Lessons are done in their order: those that were asked for before are done.
fn barrier(server: &Server) {
    let known = server.post("/api/v1/mail/learn?label=spam", &message("spam", 1)).json();
    assert_eq!(known["change"], "known");
}

#[test]
fn clear_verdicts_teach_within_a_budget_and_are_taken_back_exactly() {
    let server = Server::with(SETTINGS, &[]);
    server.teach();
    let before = info(&server);
    assert_eq!(before["teachers"].as_object().map(serde_json::Map::len), Some(1), "{before}");
    for number in 1000..1010 {
        check(&server, "spam", number);
        check(&server, "ham", number);
    }
    until("the budget is used", || guesses(&server) == 6);
    let after = info(&server);
    assert_eq!(after["messages"]["spam"], 213, "half of it is spam: {after}");
    assert_eq!(after["messages"]["ham"], 213, "{after}");
    // Somebody only asks.
    server.post("/api/v1/mail/check", &message("spam", 1100));
    // A restart does not renew the budget.
    let server = Server::in_folder(server.into_folder(), SETTINGS, &[]);
    for number in 1200..1205 {
        check(&server, "spam", number);
        check(&server, "ham", number);
    }
    barrier(&server);
    assert_eq!(guesses(&server), 6);
    server.folder.ok(&["mail", "forget", "--store", "mail.store", "--teacher", "autolearn"]);
    assert_eq!(info(&server)["fingerprint"], before["fingerprint"], "bit for bit");
}

#[test]
fn it_is_off_unless_the_settings_say_so() {
    let server = Server::with("[autolearn]\nspam_from = 0.9\nham_to = 0.1\n", &[]);
    server.teach();
    for number in 1000..1005 {
        check(&server, "spam", number);
        check(&server, "ham", number);
    }
    barrier(&server);
    assert_eq!(guesses(&server), 0);
}

/// A session of a mail server that sends a message of somebody who has logged in.
fn sent(login: &str, raw: &[u8]) -> Vec<u8> {
    let packet = |command: u8, data: &[u8]| {
        [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
    };
    let text = String::from_utf8_lossy(raw).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").expect("a message");
    let mut packets = vec![
        packet(b'O', &[6u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat()),
        packet(b'D', format!("M{{auth_authen}}\0{login}\0").as_bytes()),
        packet(b'M', b"<anne@example.org>\0"),
        packet(b'R', b"<bob@example.org>\0"),
    ];
    for line in head.lines() {
        let (name, value) = line.split_once(": ").expect("a header");
        packets.push(packet(b'L', format!("{name}\0{value}\0").as_bytes()));
    }
    packets.extend([packet(b'N', b""), packet(b'B', body.as_bytes()), packet(b'E', b"")]);
    packets.concat()
}

#[test]
fn what_somebody_sends_teaches_their_own_store_ham() {
    let server = Server::with(&format!("per_user = true\n{SETTINGS}"), &[]);
    for user in ["anne@example.org", "bob@example.org"] {
        let path = format!("/api/v1/mail/learn?user={user}&label=spam");
        assert_eq!(server.post(&path, &message("spam", 1)).status, 200);
    }
    server.raw("milter", &sent("Anne@example.org", &message("ham", 5)));
    let counts = |user: &str| {
        let store = format!("mail.store/{user}");
        let info = server.folder.ok(&["mail", "store", "info", "--json", "--store", &store]);
        let info: Value = serde_json::from_str(&info).expect("JSON");
        (info["messages"]["ham"].as_u64(), info["teachers"]["autolearn"].as_u64())
    };
    until("it is learned", || counts("anne@example.org") == (Some(1), Some(1)));
    assert_eq!(counts("bob@example.org"), (Some(0), None));
    // Who has no store is given none by a guess.
    server.raw("milter", &sent("carla@example.org", &message("ham", 6)));
    assert!(!server.folder.path().join("mail.store/carla@example.org").exists());
}
