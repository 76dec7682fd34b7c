//! The history of verdicts: it survives `kill -9`, is found by every filter, and shows nobody the mail of others.

use super::common::Folder;
use super::harness::{Answer, Server, message};
use serde_json::{Value, json};
use std::process::Command;

const SETTINGS: &str = "[history]\ndays = 30\n[milter]\nquarantine_from = 0.5\n";

/// A session of a mail server that sends a message to a recipient.
fn milter_session(recipient: &str, raw: &[u8]) -> Vec<u8> {
    let packet = |command: u8, data: &[u8]| {
        [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
    };
    let text = String::from_utf8_lossy(raw).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").expect("a message");
    let mut packets = vec![
        packet(b'O', &[6u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat()),
        packet(b'M', b"<bob@example.org>\0"),
        packet(b'R', format!("<{recipient}>\0").as_bytes()),
    ];
    for line in head.lines() {
        let (name, value) = line.split_once(": ").expect("a header");
        packets.push(packet(b'L', format!("{name}\0{value}\0").as_bytes()));
    }
    packets.push(packet(b'N', b""));
    packets.push(packet(b'B', body.as_bytes()));
    packets.push(packet(b'E', b""));
    packets.concat()
}

fn spamc(raw: &[u8]) -> Vec<u8> {
    [format!("CHECK SPAMC/1.5\r\nContent-length: {}\r\n\r\n", raw.len()).as_bytes(), raw].concat()
}

fn verdicts(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["verdicts"].as_array().expect("verdicts").clone()
}

fn subjects(answer: &Answer) -> Vec<String> {
    let subject = |verdict: &Value| verdict["subject"].as_str().unwrap_or("none").to_owned();
    verdicts(answer).iter().map(subject).collect()
}

#[test]
fn verdicts_survive_and_are_found_by_command_and_server() {
    let mut server = Server::with(SETTINGS, &[]);
    // A near-copy of learned spam is spam from the first message on.
    server.post("/api/v1/mail/learn?label=spam", &message("spam", 3));
    server.post("/api/v1/mail/check", &message("ham", 1));
    server.raw("spamd", &spamc(&message("spam", 3)));
    server.raw("milter", &milter_session("anne@example.test", &message("spam", 3)));
    server.raw("milter", &milter_session("anne@example.test", &message("ham", 2)));
    let before = verdicts(&server.get("/api/v1/mail/history"));
    let actions: Vec<&Value> = before.iter().map(|verdict| &verdict["action"]).collect();
    assert_eq!(actions, ["delivered", "quarantined", "tagged", "none"]);
    let id = before[1]["id"].as_u64().expect("a number");
    server.post(&format!("/api/v1/mail/recent/{id}/learn?label=ham"), b"");
    server.kill();

    let server = Server::in_folder(server.into_folder(), SETTINGS, &[]);
    let after = verdicts(&server.get("/api/v1/mail/history"));
    assert_eq!(after.len(), 4);
    for (before, after) in before.iter().zip(&after) {
        for field in ["id", "time", "message", "from", "subject", "verdict", "probability", "score"]
        {
            assert_eq!(before[field], after[field], "{field}");
        }
        assert_eq!(after["kept"], false, "messages are in memory only");
    }
    assert_eq!((&after[1]["taught"], &after[2]["taught"]), (&json!("ham"), &json!("ham")));
    assert_eq!(after[3]["taught"], Value::Null);
    let newest = server.post("/api/v1/mail/check", &message("ham", 5)).json()["id"].as_u64();
    assert!(newest > after[0]["id"].as_u64(), "numbers go on");

    let find = |query: &str| subjects(&server.get(&format!("/api/v1/mail/history?{query}")));
    assert_eq!(find("action=quarantined"), ["cheap 3"]);
    assert_eq!(find("verdict=spam"), ["cheap 3", "cheap 3"]);
    assert_eq!(find("from=SENDER2%40HAM"), ["report 2"]);
    assert_eq!(find("text=meeting%201"), ["meeting 1"]);
    assert_eq!(find("since=99999999999"), [""; 0]);
    assert_eq!(find("until=1"), [""; 0]);
    let page = server.get("/api/v1/mail/history?limit=2").json();
    let next = page["next"].as_u64().expect("there are more");
    assert_eq!(find(&format!("limit=2&before={next}")), ["cheap 3", "cheap 3"]);
    assert_eq!(server.get("/api/v1/mail/history?action=eaten").status, 400);

    let folder = &server.folder;
    let history = |more: &[&str]| {
        let mut arguments = vec!["mail", "history", "--store", "mail.store"];
        arguments.extend(more);
        folder.run(&arguments)
    };
    let lines = history(&["--json", "--action", "quarantined", "--since", "1d"]).stdout;
    let line: Value = serde_json::from_str(lines.trim()).expect("one line");
    assert_eq!((&line["id"], &line["taught"]), (&json!(id), &json!("ham")));
    let ran = history(&["--text", "nowhere"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let digest = String::from_utf8(server.get("/api/v1/mail/digest").body).expect("text");
    assert!(digest.starts_with("Tamis: 1 held, 1 marked as spam, 0 refused\n"), "{digest}");
    assert_eq!(
        folder.ok(&["mail", "digest", "--store", "mail.store"]).lines().next(),
        digest.lines().next()
    );
    let html = server.get("/api/v1/mail/digest?format=html");
    assert!(html.head.contains("content-type: text/html"), "{}", html.head);
    let missing = folder.refused(&["mail", "digest", "--store", "mail.store", "--format", "mail"]);
    assert!(missing.contains("--mail-from"), "{missing}");
}

#[test]
fn nothing_is_on_disk_unless_it_is_wanted() {
    let server = Server::start();
    server.post("/api/v1/mail/check", &message("ham", 1));
    let found = server.get("/api/v1/mail/history").json();
    assert_eq!((&found["on_disk"], &found["next"]), (&json!(false), &Value::Null));
    assert_eq!(found["verdicts"][0]["subject"], "meeting 1");
    assert_eq!(found["verdicts"][0]["kept"], true);
    let store = server.folder.path().join("mail.store");
    assert!(!store.join(".history").exists());
    let refused = server.folder.refused(&["mail", "history", "--store", "mail.store"]);
    assert!(refused.contains("mail.store has no history\nhint: "), "{refused}");
}

#[test]
fn nobody_sees_the_mail_of_others() {
    let settings = "per_user = true\ntoken = \"a-token-of-some-length\"\n[history]\ndays = 30\n";
    let server = Server::with(settings, &[]);
    let token = [("Authorization", "Bearer a-token-of-some-length")];
    let ask = |method: &str, path: &str, body: &[u8]| {
        server.request(method, &format!("/api/v1/mail/{path}"), &token, body)
    };
    ask("POST", "check?user=anne", &message("ham", 1));
    let ben = ask("POST", "check?user=ben", &message("ham", 2)).json()["id"].clone();
    for path in ["history", "recent"] {
        let all = ask("GET", path, b"");
        assert_eq!(verdicts(&all).len(), 2, "{path}");
        for verdict in verdicts(&all) {
            assert_eq!((&verdict["subject"], &verdict["from"]), (&Value::Null, &Value::Null));
            assert_eq!((&verdict["reasons"], &verdict["kept"]), (&json!([]), &json!(false)));
        }
        let anne = ask("GET", &format!("{path}?user=anne"), b"");
        assert_eq!(subjects(&anne), ["meeting 1"], "{path}");
    }
    // Searching tells nothing about them either.
    assert_eq!(ask("GET", "history?text=report", b"").status, 400);
    assert_eq!(ask("GET", "history?from=sender2", b"").status, 400);
    assert_eq!(ask("GET", "digest", b"").status, 400);
    assert_eq!(ask("GET", "digest?user=anne", b"").status, 200);
    for whose in ["", "?user=anne"] {
        assert_eq!(ask("GET", &format!("recent/{ben}{whose}"), b"").status, 410);
        assert_eq!(ask("POST", &format!("recent/{ben}/forget{whose}"), b"").status, 410);
    }
    assert_eq!(ask("GET", &format!("recent/{ben}?user=ben"), b"").status, 200);
    let learned = ask("POST", &format!("recent/{ben}/learn?user=ben&label=spam"), b"");
    assert_eq!(learned.json()["change"], "learned");
    let written = server.folder.ok(&["mail", "history", "--store", "mail.store", "--user", "ben"]);
    assert!(written.contains("report 2") && written.trim_end().ends_with("spam"), "{written}");
    assert!(!written.contains("meeting"), "{written}");
}

/// The first screen on an empty store, import, history with search, digest and correction, in a real browser.
#[test]
fn a_newcomer_teaches_it_searches_and_corrects() {
    let server =
        Server::in_folder(Folder::new(), "[log]\nrequests = false\n[history]\ndays = 30\n", &[]);
    let (out, tools) = super::page::prepare();
    let ran = Command::new("node")
        .arg(tools.join("newcomer.mjs"))
        .env("BASE_URL", format!("http://{}", server.address("http")))
        .env("SPAMD", server.address("spamd"))
        .env("OUT", &out)
        .output()
        .expect("node: `make packages` installs it");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.lines().count() > 12, "every check has a line: {said}");
}
