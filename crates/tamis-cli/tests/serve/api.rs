//! The JSON interface, used as its clients would, and by a program that tries everything its description allows.

use super::harness::{Server, message};
use serde_json::{Value, json};
use std::process::Command;

#[test]
fn mail_is_checked_explained_taught_and_corrected() {
    let server = Server::start();
    let nothing = server.post("/api/v1/mail/check", &message("spam", 1)).json();
    assert_eq!(nothing["verdict"], "unsure");
    assert_eq!(
        nothing["reasons"],
        json!([
            "looks suspicious; nothing was learned so far",
            "structure: it has no date or no message identifier"
        ])
    );
    server.teach();
    let spam = message("spam", 1000);
    let check = server.post("/api/v1/mail/check", &spam).json();
    assert_eq!(check["verdict"], "spam");
    let told = server.post("/api/v1/mail/explain", &spam).json();
    let number = |value: &Value| value.as_f64().expect("a number");
    let sum: f64 = STAGES.iter().map(|stage| number(&told["evidence"][stage])).sum();
    let similarity = number(&told["evidence"]["similarity"]);
    // A near-copy of spam is raised above the cut.
    let floor = match similarity > 0.0 {
        true => number(&told["cuts"]["above"]) + similarity,
        false => f64::NEG_INFINITY,
    };
    assert!((sum.max(floor) - number(&told["score"])).abs() < 1e-9, "{told}");
    assert!(number(&told["score"]) > number(&told["cuts"]["above"]));
    assert_eq!(told["subject"], "pills 1000");
    assert_eq!(told["sender"]["address"], "sender1000@spam.example");
    assert!(told["body"].as_str().expect("text").contains("casino"));
    let parts = told["parts"].as_array().expect("parts");
    for stage in ["words", "text", "headers"] {
        assert!(parts.iter().any(|part| part["stage"] == stage), "{stage} has parts: {told}");
    }
    let without = told["without"].as_object().expect("stages");
    assert_eq!(without.len(), STAGES.len() + 1, "every stage and similarity: {told}");
    let first = &told["because"][0];
    let (stage, text) = (first["stage"].as_str(), first["text"].as_str().expect("text"));
    let reason = told["reasons"][0].as_str().expect("a reason");
    assert!(stage.is_some() && reason.ends_with(text), "{told}");

    // Teaching, and what is remembered of it.
    let learn =
        |label: &str| server.post(&format!("/api/v1/mail/learn?label={label}"), &spam).json();
    assert_eq!(learn("spam"), json!({ "change": "learned", "from": null, "label": "spam" }));
    assert_eq!(learn("spam")["change"], "known");
    assert_eq!(learn("ham"), json!({ "change": "moved", "from": "spam", "label": "ham" }));
    let like = server.post("/api/v1/mail/explain", &spam).json();
    assert_eq!(like["alike"][0]["label"], "ham");
    assert!(like["alike"][0]["text"].as_str().expect("the text is still there").contains("casino"));
    assert_eq!(server.post("/api/v1/mail/forget", &spam).json(), json!({ "forgotten": true }));
    assert_eq!(server.post("/api/v1/mail/forget", &spam).json(), json!({ "forgotten": false }));

    let recent = server.get("/api/v1/mail/recent?limit=2").json();
    let recent = recent["verdicts"].as_array().expect("verdicts").clone();
    assert_eq!(recent.len(), 2);
    let id = recent[0]["id"].as_u64().expect("a number");
    let newer = server.get(&format!("/api/v1/mail/recent?after={id}")).json();
    assert_eq!(newer, json!({ "verdicts": [] }));
    let path = format!("/api/v1/mail/recent/{id}");
    assert_eq!(server.post(&format!("{path}/learn?label=social"), b"").json()["change"], "learned");
    let labels = server.get("/api/v1/mail/labels").json();
    assert!(
        labels["labels"]
            .as_array()
            .expect("labels")
            .contains(&json!({ "name": "social", "messages": 1 }))
    );
    assert_eq!(server.get("/api/v1/mail/recent?limit=1").json()["verdicts"][0]["taught"], "social");
    assert_eq!(server.post(&format!("{path}/forget"), b"").json()["forgotten"], true);
    assert_eq!(server.get(&path).json()["id"], id);
    assert_eq!(server.get("/api/v1/mail/recent/999999").status, 410);
    for label in ["no%20label", "unsure", "Ham", "all", "unknown"] {
        let refused = server.post(&format!("/api/v1/mail/learn?label={label}"), &spam);
        assert_eq!(refused.status, 400, "{label}");
        let detail = refused.json()["detail"].as_str().expect("a sentence").to_owned();
        assert!(detail.contains("cannot be a label: write up to 64 letters"), "{detail}");
    }
    assert_eq!(server.post("/api/v1/mail/learn", &spam).status, 400);
    for components in ["0", "4097"] {
        let path = format!("/api/v1/plan/similar?threshold=0.5&components={components}");
        assert_eq!(server.get(&path).status, 400, "{components}");
    }
}

/// The stages whose evidence adds up to the score.
const STAGES: [&str; 8] =
    ["words", "text", "headers", "route", "facts", "addresses", "sender", "structure"];

#[test]
fn files_answer_as_the_command_does() {
    let server = Server::start();
    let folder = &server.folder;
    server.make_files();

    let names = server.get("/api/v1/filters").json();
    let names: Vec<&Value> =
        names["filters"].as_array().expect("filters").iter().map(|f| &f["name"]).collect();
    assert_eq!(names, ["counting.tamis", "plain.tamis"]);
    let keys = json!({ "keys": ["leek", "stone", "carrot"] });
    let ask = |name: &str, verb: &str| {
        server.post_json(&format!("/api/v1/filters/{name}.tamis/{verb}"), &keys)
    };
    assert_eq!(ask("plain", "contains").json(), json!({ "found": [true, false, true] }));
    assert_eq!(ask("counting", "count").json(), json!({ "counts": [1, 0, 2] }));
    assert_eq!(ask("plain", "count").status, 400);
    assert_eq!(ask("plain", "remove").status, 400);
    assert_eq!(ask("counting", "remove").json(), json!({ "removed": [true, false, true] }));
    assert_eq!(ask("counting", "count").json(), json!({ "counts": [0, 0, 1] }));
    assert_eq!(ask("plain", "add").json(), json!({ "added": 3 }));
    assert_eq!(ask("plain", "contains").json(), json!({ "found": [true, true, true] }));
    // What the server has written is a file of the command.
    folder.file("stone.txt", "stone\n");
    assert_eq!(folder.ok(&["filter", "check", "files/plain.tamis", "stone.txt"]), "stone\n");
    assert_eq!(
        folder.ok(&["filter", "verify", "files/plain.tamis"]).trim(),
        "files/plain.tamis: sound, a Bloom filter (blocked) of 7 keys"
    );
    assert_eq!(server.get("/api/v1/filters/plain.tamis").json()["items"], 7);
    assert_eq!(ask("nothing", "contains").status, 404);
    assert_eq!(ask("classes", "contains").status, 404, "it is no filter");

    let answer = server.post_json("/api/v1/cascades/classes.tamis/classify", &keys).json();
    assert_eq!(answer, json!({ "categories": ["leaf", null, "root"] }));
    assert_eq!(
        server.get("/api/v1/cascades").json()["cascades"][0]["categories"],
        json!(["leaf", "root"])
    );
    let query =
        json!({ "index": "texts.tamis", "text": "one two three four five six", "threshold": 0.3 });
    assert_eq!(server.post_json("/api/v1/similar/query", &query).json()["matches"][0]["id"], "a");
    assert_eq!(server.get("/api/v1/similar/indexes").json()["indexes"][0]["name"], "texts.tamis");

    // A file that was damaged is said to be.
    let mut bytes = folder.read("files/plain.tamis");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.file("files/plain.tamis", &bytes);
    let refused = ask("plain", "add");
    assert_eq!(refused.status, 500);
    assert!(
        refused.json()["detail"].as_str().expect("a sentence").contains("damaged"),
        "{}",
        refused.json()
    );
}

#[test]
fn what_is_shown_is_what_the_library_does() {
    let server = Server::start();
    let texts = json!({
        "left": "the quick brown fox jumps over the lazy dog", "right": "the quick brown fox sleeps under the lazy dog",
        "bands": 32, "rows": 2,
    });
    let answer = server.post_json("/api/v1/similar/compare", &texts).json();
    // Seven shingles of three words each; three are in both: 3 / 11.
    assert_eq!(answer["shingles"]["counts"], json!({ "left": 7, "right": 7, "common": 3 }));
    assert!((answer["jaccard"].as_f64().expect("a number") - 3.0 / 11.0).abs() < 1e-12);
    let mut common: Vec<&str> = answer["shingles"]["common"]
        .as_array()
        .expect("shingles")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    common.sort_unstable();
    assert_eq!(common, ["quick brown fox", "the lazy dog", "the quick brown"]);
    let (s, b, r) = (3.0f64 / 11.0, 32, 2);
    let expected = 1.0 - (1.0 - s.powi(r)).powi(b);
    assert!((answer["probability"].as_f64().expect("a number") - expected).abs() < 1e-12);
    let agreeing = answer["agreeing"].as_array().expect("places").clone();
    let band = |band: u64| (0..2).all(|row| agreeing.contains(&json!(band * 2 + row)));
    for (number, agrees) in answer["bands"].as_array().expect("bands").iter().enumerate() {
        assert_eq!(agrees.as_bool(), Some(band(number as u64)));
    }

    let empty = json!({ "left": "", "right": "" });
    let answer = server.post_json("/api/v1/similar/compare", &empty).json();
    assert_eq!((&answer["candidate"], &answer["agreeing"]), (&json!(false), &json!([])));
    assert!(answer["bands"].as_array().expect("bands").iter().all(|band| band == false));

    let shape = json!({ "bits": 100, "hashes": 3, "keys": ["leek", "turnip"] });
    let positions = server.post_json("/api/v1/filters/positions", &shape).json();
    for key in positions["positions"].as_array().expect("keys") {
        let places = key.as_array().expect("places");
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place.as_u64().is_some_and(|place| place < 100)));
    }

    let small = json!({
        "categories": { "leaf": ["leek", "kale", "chard"], "root": ["turnip", "carrot", "beet", "parsnip"] },
        "keys": ["leek", "beet"],
    });
    let trace = server.post_json("/api/v1/cascades/trace", &small).json();
    assert_eq!(trace["answers"][0]["category"], "leaf");
    assert_eq!(trace["answers"][1]["category"], "root");
    // Each key is settled once, where it belongs, or is left for the end.
    let mut settled = 0;
    for round in trace["rounds"].as_array().expect("rounds") {
        for filter in round["filters"].as_array().expect("filters") {
            for key in filter["settled"].as_array().expect("keys") {
                let own =
                    small["categories"][filter["category"].as_str().expect("a name")].as_array();
                assert!(own.expect("keys").contains(key));
                settled += 1;
            }
        }
    }
    assert!(settled >= 3, "{trace}");
    let twice = json!({ "categories": { "a": ["x"], "b": ["x"] } });
    assert_eq!(server.post_json("/api/v1/cascades/trace", &twice).status, 400);

    let plan = server.get("/api/v1/plan/filter?items=1000000&rate=0.01").json();
    // n ln(1 / p) / (ln 2)^2 = 9,585,058.4, and a little for a whole number of functions.
    let bits = plan["plans"][1]["bits"].as_u64().expect("bits");
    assert!((9_585_059..9_585_159).contains(&bits), "{bits}");
    assert_eq!(server.get("/api/v1/plan/filter?items=1000000&rate=2").status, 400);
    assert_eq!(server.get("/api/v1/plan/similar?threshold=0.8").json()["threshold"], 0.8);
    let plan = server.get("/api/v1/plan/cascade?counts=1000,1000").json();
    assert_eq!(plan["entropy_bits"], 2000.0);
}

#[test]
fn few_messages_make_a_verdict_that_says_so_and_a_copy_is_spam_at_once() {
    let server = Server::start();
    for number in 0..15 {
        server.post("/api/v1/mail/learn?label=spam", &message("spam", number));
    }
    for number in 0..12 {
        server.post("/api/v1/mail/learn?label=ham", &message("ham", number));
    }
    let told = server.post("/api/v1/mail/explain", &message("spam", 1000)).json();
    assert_eq!(told["verdict"], "unsure", "{told}");
    assert_eq!(told["reasons"][0], "looks like spam; only 12 ham messages learned so far");
    assert_eq!((&told["cuts"], &told["missing"]), (&Value::Null, &json!({ "spam": 0, "ham": 3 })));
    assert!(told["probability"].as_f64().is_some_and(|p| p <= 0.97), "{told}");
    let copy = server.post("/api/v1/mail/explain", &message("spam", 3)).json();
    assert_eq!(copy["verdict"], "spam", "{copy}");
    assert_eq!(copy["reasons"][0], "similarity: 100 % like a message learned as spam");
    assert_eq!(copy["without"]["words"]["verdict"], "spam", "it is still a copy");
    assert_eq!(copy["without"]["similarity"]["verdict"], "unsure");
    assert_eq!(copy["parts_to_change"], Value::Null);
}

#[test]
fn health_state_and_metrics_tell_what_has_happened() {
    let server = Server::start();
    server.post("/api/v1/mail/check", &message("spam", 1));
    server.raw("spamd", b"CHECK SPAMC/1.5\r\n\r\nSubject: x\r\n\r\ny");
    server.post("/api/v1/mail/learn?label=spam", &message("spam", 1));
    server.get("/nowhere");
    let state = server.get("/api/v1/state").json();
    assert_eq!(state["counts"]["checked"], 2);
    assert_eq!(state["counts"]["learned"], 1);
    assert_eq!(state["store"]["messages"], 1);
    assert!(!state["minutes"].as_array().expect("minutes").is_empty());
    assert_eq!(state["protocols"]["http"], server.address("http"));
    let metrics = String::from_utf8(server.get("/metrics").body).expect("text");
    for line in [
        "tamis_verdicts_total{source=\"http\",verdict=\"unsure\"} 1",
        "tamis_verdicts_total{source=\"spamd\",verdict=\"unsure\"} 1",
        "tamis_learned_total 1",
        "tamis_rejected_total 1",
        "tamis_verdict_seconds_count 2",
        "tamis_store_messages{label=\"spam\"} 1",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line} is not in\n{metrics}");
    }
    let line = server.logged("verdict");
    assert!(line.get("subject").is_none() && line.get("from").is_none(), "{line}");
    assert_eq!(server.get("/healthz").body, b"ok\n");
    assert_eq!(server.get("/readyz").body, b"ready\n");
    let page = server.get("/");
    assert!(page.head.contains("content-security-policy: default-src 'self'"));
}

/// `make tools` has installed it.
#[test]
fn a_program_that_tries_everything_finds_no_error_of_the_server() {
    let tools = super::common::root().join("target/tools/venv/bin");
    let server = Server::start();
    server.make_files();
    // Names that are there, so that it gets beyond them.
    let names = "[parameters]\nname = \"counting.tamis\"\nindex = \"texts.tamis\"\n\n\
        [[operations]]\ninclude-path = \"/api/v1/cascades/{name}/classify\"\nparameters = { name = \"classes.tamis\" }\n\n\
        [[operations]]\ninclude-path = \"/assets/{name}\"\nparameters = { name = \"app.js\" }\n";
    let config = server.folder.file("schemathesis.toml", names);
    let base = format!("http://{}", server.address("http"));
    let ran = Command::new(tools.join("schemathesis"))
        .current_dir(server.folder.path())
        .arg("--config-file")
        .arg(config)
        .args(["run", "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"])
        .args(["--max-examples", "15", "--seed", "1", "--phases", "examples,coverage,fuzzing", "--exclude-path", "/"])
        .args(["--url", &base])
        .arg(format!("{base}/api/v1/openapi.json"))
        .output()
        .expect("schemathesis: `make tools` installs it");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    let valid = Command::new(tools.join("openapi-spec-validator"))
        .arg(super::common::root().join("crates/tamis-server/openapi.json"))
        .output()
        .expect("openapi-spec-validator: `make tools` installs it");
    assert!(valid.status.success(), "{}", String::from_utf8_lossy(&valid.stdout));
}
