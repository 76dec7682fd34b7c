//! An empty message, and a store that cannot be read: the same answer on every port.

use super::harness::Server;
use serde_json::json;

const REASON: &str = "the message is empty";

/// A session of a mail server that sends a message without fields and with this body.
fn milter_session(body: &[u8]) -> Vec<u8> {
    let packet = |command: u8, data: &[u8]| {
        [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
    };
    [
        packet(b'O', &[6u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat()),
        packet(b'M', b"<bob@example.org>\0"),
        packet(b'R', b"<anne@example.test>\0"),
        packet(b'N', b""),
        packet(b'E', body),
    ]
    .concat()
}

#[test]
fn an_empty_message_has_one_answer_before_and_after_learning() {
    let server = Server::start();
    for is_taught in [false, true] {
        if is_taught {
            server.teach();
        }
        for raw in [&b""[..], b"\r\n", b" \t\r\n\r\n"] {
            let check = server.post("/api/v1/mail/check", raw).json();
            assert_eq!((&check["verdict"], &check["score"]), (&json!("unsure"), &json!(0.0)));
            assert_eq!(check["probability"], 0.5);
            assert_eq!(check["reasons"], json!([REASON]));
            let told = server.post("/api/v1/mail/explain", raw).json();
            assert_eq!((&told["reasons"], &told["parts"]), (&json!([REASON]), &json!([])));
            assert_eq!(told["cuts"].is_null(), !is_taught, "the cuts are those of the store");

            let head = format!("PROCESS SPAMC/1.5\r\nContent-length: {}\r\n\r\n", raw.len());
            let answer = server.raw("spamd", &[head.as_bytes(), raw].concat());
            let answer = String::from_utf8_lossy(&answer);
            for part in [
                "Spam: False ; 0.0 / 5.0",
                "X-Tamis-Verdict: unsure",
                "X-Tamis-Score: 0.5000",
                REASON,
            ] {
                assert!(answer.contains(part), "{part} is not in {answer}");
            }
            let answer = server.raw("milter", &milter_session(raw));
            let answer = String::from_utf8_lossy(&answer);
            for part in ["X-Tamis-Verdict\0unsure\0", "X-Tamis-Score\00.5000\0", REASON] {
                assert!(answer.contains(part), "{part:?} is not in {answer:?}");
            }
        }
    }
}

#[test]
fn a_server_that_cannot_read_its_stores_is_alive_and_not_ready() {
    let server = Server::with("per_user = true\ntoken = \"a-token-of-some-length\"\n", &[]);
    assert_eq!(server.get("/readyz").status, 200);
    std::fs::remove_dir_all(server.folder.path().join("mail.store")).ok();
    server.folder.file("mail.store", "no folder");
    let answer = server.get("/readyz");
    assert_eq!((answer.status, server.get("/healthz").status), (503, 200));
    let detail = answer.json()["detail"].clone();
    assert_eq!(detail, "the mail store cannot be read", "no file is named without the token");
}
