//! Labels on every port: listed, renamed, removed, and never confused with spam.

use super::harness::{Server, message};
use serde_json::{Value, json};

/// A message of a topic that is neither spam nor like the other ham.
fn social(number: usize) -> Vec<u8> {
    let words = ["party", "friend", "photo", "birthday", "invited", "comment", "follower"];
    let text: Vec<&str> = (0..24).map(|place| words[(number * 3 + place * place) % 7]).collect();
    let head = "From: notify@social.example\r\nTo: anne@example.test\r\nSubject: news";
    format!("{head} {number}\r\n\r\n{} {number}\r\n", text.join(" ")).into_bytes()
}

fn labels(server: &Server) -> Vec<(String, u64)> {
    let answer = server.get("/api/v1/mail/labels").json();
    let list = answer["labels"].as_array().expect("labels").clone();
    let pair = |label: &Value| {
        let name = label["name"].as_str().expect("a name").to_owned();
        (name, label["messages"].as_u64().expect("a number"))
    };
    list.iter().map(pair).collect()
}

fn counts(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn labels_are_listed_renamed_and_removed() {
    let server = Server::start();
    assert_eq!(labels(&server), counts(&[("ham", 0), ("spam", 0)]));
    let checked = server.post("/api/v1/mail/check", &social(0)).json();
    let id = checked["id"].as_u64().expect("a number");
    server.post(&format!("/api/v1/mail/recent/{id}/learn?label=social"), b"");
    server.post("/api/v1/mail/learn?label=social", &social(1));
    assert_eq!(labels(&server), counts(&[("ham", 0), ("spam", 0), ("social", 2)]));

    let rename = |from: &str, to: &str| {
        server.post(&format!("/api/v1/mail/labels/{from}/rename?to={to}"), b"")
    };
    let remove = |name: &str| server.post(&format!("/api/v1/mail/labels/{name}/remove"), b"");
    let renamed = rename("social", "friends").json();
    assert_eq!(renamed, json!({ "from": "social", "name": "friends" }));
    assert_eq!(labels(&server), counts(&[("ham", 0), ("spam", 0), ("friends", 2)]));
    let taught = || server.get("/api/v1/mail/recent").json()["verdicts"][0]["taught"].clone();
    assert_eq!(taught(), "friends");
    for (from, to, status) in [
        ("social", "others", 404),
        ("spam", "others", 404),
        ("ham", "others", 404),
        ("friends", "unsure", 400),
        ("friends", "spam", 400),
        ("friends", "friends", 400),
    ] {
        assert_eq!(rename(from, to).status, status, "{from} to {to}");
    }
    assert_eq!(remove("friends").json(), json!({ "name": "friends", "messages": 2 }));
    assert_eq!(labels(&server), counts(&[("ham", 2), ("spam", 0)]));
    assert_eq!(taught(), "ham");
    for name in ["friends", "spam", "ham"] {
        assert_eq!(remove(name).status, 404, "{name}");
    }
}

#[test]
fn users_without_a_store_have_no_labels_to_change_and_bad_lessons_make_no_store() {
    let server = Server::with("per_user = true\n", &[]);
    for path in ["labels/x/rename?to=y&user=anne", "labels/x/remove?user=anne"] {
        assert_eq!(server.post(&format!("/api/v1/mail/{path}"), b"").status, 404, "{path}");
    }
    let learn = |label: &str| {
        let path = format!("/api/v1/mail/learn?user=anne&label={label}");
        server.post(&path, &message("spam", 1)).status
    };
    assert_eq!(learn("unsure"), 400);
    let store = server.folder.path().join("mail.store/anne");
    assert!(!store.exists(), "nothing was learned");
    assert_eq!(learn("spam"), 200);
    assert!(store.exists());
}

/// A verdict that is a label is not spam, on any port.
#[test]
fn scores_and_points_of_a_labelled_message_speak_about_spam() {
    let server = Server::start();
    server.teach();
    for number in 0..40 {
        server.post("/api/v1/mail/learn?label=social", &social(number));
    }
    let fresh = social(1000);
    let check = server.post("/api/v1/mail/check", &fresh).json();
    assert_eq!(check["verdict"], "social", "{check}");
    assert!(check["probability"].as_f64().is_some_and(|p| p < 0.5), "{check}");
    assert!(check["score"].as_f64().is_some_and(|score| score < 0.0), "{check}");
    let ask = |command: &str| {
        let head = format!("{command} SPAMC/1.5\r\nContent-length: {}\r\n\r\n", fresh.len());
        let answer = server.raw("spamd", &[head.as_bytes(), &fresh].concat());
        String::from_utf8_lossy(&answer).into_owned()
    };
    let symbols = ask("SYMBOLS");
    let points = symbols.split("Spam: False ; ").nth(1).and_then(|rest| rest.split(' ').next());
    let points: f64 = points.and_then(|points| points.parse().ok()).expect("points");
    assert!(points < 5.0 && symbols.contains("TAMIS_SOCIAL"), "{symbols}");
    let processed = ask("PROCESS");
    let score = processed.split("X-Tamis-Score: ").nth(1).and_then(|rest| rest.lines().next());
    let score: f64 = score.and_then(|score| score.parse().ok()).expect("a score");
    assert!(processed.contains("X-Tamis-Verdict: social\r\n"), "{processed}");
    assert!(score < 0.5, "X-Tamis-Score is the probability of spam: {score}");
    let metrics = String::from_utf8(server.get("/metrics").body).expect("text");
    let line = "tamis_verdicts_total{source=\"spamd\",verdict=\"ham\"} 2";
    assert!(metrics.lines().any(|other| other == line), "a label is not spam:\n{metrics}");
}
