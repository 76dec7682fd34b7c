//! Debian's `spamc`, in all its modes. `make packages` installs it.

use super::harness::{Server, message};
use flate2::Compression;
use flate2::read::ZlibEncoder;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What `spamc` prints when something was learned or forgotten, and when there was nothing to do.
const LEARNED: &str = "Message successfully un/learned";
const KNOWN: &str = "Message was already un/learned";

struct Spamc {
    code: i32,
    stdout: Vec<u8>,
}

impl Spamc {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Runs `spamc` with a message, over the port or over the socket.
fn spamc(server: &Server, by_socket: bool, arguments: &[&str], input: &[u8]) -> Spamc {
    let mut command = Command::new("spamc");
    if by_socket {
        command.args(["-U", &server.socket()]);
    } else {
        let port = server.address("spamd").rsplit_once(':').expect("a port").1;
        command.args(["-d", "127.0.0.1", "-p", port]);
    }
    let mut child = command
        // Failing open would hide what went wrong.
        .args(["-x", "-s", "33554432", "-F", "/dev/null"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("spamc: `make packages` installs it");
    let mut stdin = child.stdin.take().expect("standard input");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().expect("spamc ends");
    writer.join().expect("the writer");
    Spamc { code: output.status.code().unwrap_or(-1), stdout: output.stdout }
}

#[test]
fn spamc_understands_every_answer() {
    let server = Server::start();
    server.teach();
    let (spam, ham) = (message("spam", 1000), message("ham", 1000));
    for by_socket in [false, true] {
        let ask = |arguments: &[&str], input: &[u8]| spamc(&server, by_socket, arguments, input);
        assert_eq!(ask(&["-K"], b"").code, 0, "ping");

        let check = ask(&["-c"], &spam);
        assert_eq!(check.code, 1, "{}", check.text());
        let (points, limit) = check
            .text()
            .trim()
            .split_once('/')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .expect("points");
        assert_eq!(limit, "5.0");
        assert!(points.parse::<f64>().expect("points") >= 5.0);
        let check = ask(&["-c"], &ham);
        assert_eq!(check.code, 0, "{}", check.text());
        assert!(
            check.text().split('/').next().and_then(|p| p.parse::<f64>().ok()).expect("points")
                < 5.0
        );

        let symbols = ask(&["--tests"], &spam).text();
        assert!(symbols.contains("TAMIS_SPAM,TAMIS_BY_WORDS"), "{symbols}");
        let report = ask(&["-R"], &spam).text();
        assert!(report.contains("Tamis says: spam") && report.contains("words: "), "{report}");
        assert!(ask(&["-r"], &spam).text().contains("Tamis says: spam"));
        assert!(!ask(&["-r"], &ham).text().contains("Tamis says"));

        let headers = ask(&["--headers"], &spam).text();
        assert!(headers.starts_with("X-Tamis-Verdict: spam\r\nX-Tamis-Score: "), "{headers}");
        assert!(headers.ends_with(&body_of(&spam)), "spamc appends the body itself");
        let processed = ask(&[], &ham);
        assert_eq!(processed.code, 0);
        assert!(processed.text().starts_with("X-Tamis-Verdict: ham\r\n"));
        assert!(processed.text().ends_with(&body_of(&ham)));
    }
}

fn body_of(message: &[u8]) -> String {
    String::from_utf8_lossy(message).split_once("\r\n\r\n").expect("a body").1.to_owned()
}

#[test]
fn spamc_teaches_and_takes_back() {
    let server = Server::start();
    let count = |name: &str| {
        let labels = server.get("/api/v1/mail/labels").json();
        let labels = labels["labels"].as_array().expect("labels").clone();
        labels
            .iter()
            .find(|label| label["name"] == name)
            .map_or(0, |l| l["messages"].as_u64().unwrap_or(0))
    };
    for by_socket in [false, true] {
        let tell = |class: &str| {
            let told = spamc(&server, by_socket, &["-L", class], &message("spam", 5));
            (told.code, told.text().trim().to_owned())
        };
        assert_eq!(tell("spam"), (0, LEARNED.to_owned()));
        assert_eq!((count("spam"), count("ham")), (1, 0));
        assert_eq!(tell("ham"), (0, LEARNED.to_owned()));
        assert_eq!((count("spam"), count("ham")), (0, 1));
        assert_eq!(tell("forget"), (0, LEARNED.to_owned()));
        assert_eq!((count("spam"), count("ham")), (0, 0));
        assert_eq!(tell("forget"), (0, KNOWN.to_owned()));
    }
}

#[test]
fn messages_of_every_size_come_through() {
    let server = Server::start();
    // An empty message spamc keeps to itself; others may send it.
    for (command, end) in
        [("CHECK", ""), ("PROCESS", "\n\n"), ("REPORT", "  the message is empty\r\n")]
    {
        let request = format!("{command} SPAMC/1.5\r\nContent-length: 0\r\n\r\n");
        let answer = String::from_utf8_lossy(&server.raw("spamd", request.as_bytes())).into_owned();
        assert!(answer.starts_with("SPAMD/1.5 0 EX_OK") && answer.ends_with(end), "{answer}");
    }
    assert_eq!(spamc(&server, false, &[], b"").stdout, b"");
    for size in [1, 100, 70_000, 1 << 20, 20 << 20] {
        let mut raw = message("ham", 3);
        raw.truncate(size);
        while raw.len() < size {
            let line = b"the river and the garden, once more\r\n";
            raw.extend_from_slice(&line[..line.len().min(size - raw.len())]);
        }
        let processed = spamc(&server, false, &[], &raw);
        assert_eq!(processed.code, 0, "{size} bytes");
        assert!(processed.stdout.starts_with(b"X-Tamis-Verdict: "), "{size} bytes");
        assert!(processed.stdout.ends_with(&raw[raw.len() / 2..]), "{size} bytes");
    }
}

#[test]
fn packed_messages_are_unpacked() {
    let server = Server::start();
    server.teach();
    let packed = |raw: &[u8]| {
        let mut packed = Vec::new();
        ZlibEncoder::new(raw, Compression::default()).read_to_end(&mut packed).expect("packed");
        packed
    };
    let ask = |body: &[u8]| {
        let head =
            format!("CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: {}\r\n\r\n", body.len());
        String::from_utf8_lossy(&server.raw_socket(&[head.as_bytes(), body].concat())).into_owned()
    };
    let answer = ask(&packed(&message("spam", 1000)));
    assert!(
        answer.starts_with("SPAMD/1.5 0 EX_OK\r\n") && answer.contains("Spam: True ; "),
        "{answer}"
    );
    assert!(ask(&packed(&message("ham", 1000))).contains("Spam: False ; "));
    // 100 MB of nothing.
    let answer = ask(&packed(&vec![0; 100 << 20]));
    assert!(answer.starts_with("SPAMD/1.5 98 EX_TOOBIG"), "{answer}");
    assert!(ask(b"no zlib at all").starts_with("SPAMD/1.5 65 EX_DATAERR"));
}

#[test]
fn old_versions_and_users_are_understood() {
    let server = Server::with("per_user = true\n", &[]);
    for version in ["1.2", "1.3", "1.4", "1.5"] {
        let request = format!("CHECK SPAMC/{version}\r\nUser: anne\r\n\r\nSubject: x\r\n\r\ntext");
        let answer = String::from_utf8_lossy(&server.raw("spamd", request.as_bytes())).into_owned();
        assert!(answer.starts_with("SPAMD/1.5 0 EX_OK\r\n"), "{answer}");
        // The message has no date, which counts 0.5. Before anything is learned, spam begins at
        // a score of 8, reported as 5.0.
        assert!(answer.contains("Spam: False ; -2.5 / 5.0"), "{answer}");
    }
    let told = spamc(&server, false, &["-u", "anne", "-L", "spam"], &message("spam", 1));
    assert_eq!(told.text().trim(), LEARNED);
    assert!(server.folder.path().join("mail.store/anne").is_dir());
    // However it is written, a user has one name.
    let told = spamc(&server, false, &["-u", "Anne+shop", "-L", "spam"], &message("spam", 2));
    assert_eq!(told.text().trim(), LEARNED);
    let stores = std::fs::read_dir(server.folder.path().join("mail.store")).expect("stores");
    assert_eq!(stores.count(), 1);
    let odd = server.raw("spamd", b"CHECK SPAMC/1.5\r\nUser: ../../x\r\n\r\ntext");
    assert!(String::from_utf8_lossy(&odd).contains("is no name of a user"));
}
