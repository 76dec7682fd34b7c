//! Clients that mean no good: on every port a clear error or the end, and nobody else notices.

use super::harness::{LONG, Server, message};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.roll() as u8).collect()
    }
}

/// Everything still works.
fn is_well(server: &Server) {
    assert_eq!(server.get("/healthz").body, b"ok\n");
    assert!(server.raw("spamd", b"PING SPAMC/1.5\r\n\r\n").starts_with(b"SPAMD/1.5 0 PONG"));
    let check = b"CHECK SPAMC/1.5\r\n\r\nSubject: x\r\n\r\ny";
    assert!(server.raw_socket(check).starts_with(b"SPAMD/1.5 0 EX_OK"));
    let offer = [
        &13u32.to_be_bytes()[..],
        b"O",
        &6u32.to_be_bytes(),
        &0x1ffu32.to_be_bytes(),
        &0x1f_ffffu32.to_be_bytes(),
    ]
    .concat();
    assert_eq!(server.raw("milter", &offer).get(4), Some(&b'O'));
}

#[test]
fn random_bytes_and_half_requests_harm_nobody() {
    let server = Server::start();
    let mut dice = Dice(1);
    for protocol in ["http", "spamd", "milter"] {
        for size in [0, 1, 3, 17, 400, 5000, 100_000] {
            for _ in 0..3 {
                let bytes = dice.bytes(size);
                server.raw(protocol, &bytes);
            }
        }
    }
    let requests: [(&str, &[u8]); 8] = [
        ("http", b"POST /api/v1/mail/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf"),
        ("http", b"GET / HTTP/1.1\r\nHost: localh"),
        ("http", b"POST /api/v1/filters/positions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"),
        ("spamd", b"CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\nhalf"),
        ("spamd", b"CHECK SPAMC/1.5\r\nContent-length: 18446744073709551616\r\n\r\n"),
        ("spamd", b"CHECK SPAMC/1.5\r\nContent-length: 2\r\n\r\nmore than two"),
        ("milter", &[0, 0, 0, 100, b'O', 0, 0]),
        ("milter", &[0, 0, 0, 1, b'B']),
    ];
    let mut answers = Vec::new();
    for (protocol, request) in requests {
        // Cut at every place as well.
        for end in [1, request.len() / 2, request.len().saturating_sub(1)] {
            server.raw(protocol, &request[..end]);
        }
        answers.push(String::from_utf8_lossy(&server.raw(protocol, request)).into_owned());
    }
    assert!(
        answers[3].starts_with("SPAMD/1.5 76 EX_PROTOCOL the message is shorter"),
        "{}",
        answers[3]
    );
    assert!(answers[4].starts_with("SPAMD/1.5 76 EX_PROTOCOL Content-length is no number"));
    assert!(
        answers[5].starts_with("SPAMD/1.5 76 EX_PROTOCOL the message is longer"),
        "{}",
        answers[5]
    );
    assert!(
        server
            .raw("spamd", b"FROB SPAMC/1.5\r\n\r\n")
            .starts_with(b"SPAMD/1.5 76 EX_PROTOCOL there is no command FROB")
    );
    assert!(
        server.raw("spamd", b"GET / HTTP/1.1\r\n\r\n").starts_with(b"SPAMD/1.5 76 EX_PROTOCOL")
    );
    is_well(&server);
}

#[test]
fn what_is_too_large_is_refused_and_memory_stays_bounded() {
    let server = Server::with("[limits]\nmessage_megabytes = 2\nmemory_megabytes = 8\n", &[]);
    is_well(&server);
    let before = server.memory();
    let large = vec![b'x'; 3 << 20];
    assert_eq!(server.post("/api/v1/mail/check", &large).status, 413);
    let head = format!("CHECK SPAMC/1.5\r\nContent-length: {}\r\n\r\n", large.len());
    for head in [head.as_str(), "CHECK SPAMC/1.5\r\n\r\n"] {
        let answer = server.raw("spamd", &[head.as_bytes(), &large].concat());
        assert!(
            answer.starts_with(b"SPAMD/1.5 98 EX_TOOBIG"),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
    let chunked =
        "POST /api/v1/mail/check HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = [format!("{:x}\r\n", large.len()).as_bytes(), &large, b"\r\n0\r\n\r\n"].concat();
    let mut stream = server.connect("http");
    stream.write_all(&[chunked.as_bytes(), &chunks].concat()).ok();
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).expect("an answer");
    assert!(answer.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer));
    let headers = format!("CHECK SPAMC/1.5\r\nUser: {}\r\n\r\n", "u".repeat(1 << 20));
    let answer = server.raw("spamd", headers.as_bytes());
    assert!(
        answer.starts_with(b"SPAMD/1.5 76 EX_PROTOCOL the head"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    let headers =
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "h".repeat(1 << 20));
    let answer = server.raw("http", headers.as_bytes());
    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    // Thirty at a time, who all announce much and send little.
    let announced: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = server.connect("spamd");
            stream
                .write_all(b"CHECK SPAMC/1.5\r\nContent-length: 2000000\r\n\r\nlittle")
                .expect("sent");
            stream
        })
        .collect();
    is_well(&server);
    drop(announced);
    let after = server.memory();
    assert!(after < before + (40 << 10), "{before} kB before, {after} kB after");
}

#[test]
fn slow_clients_are_let_go_and_others_do_not_wait() {
    let server = Server::with("[limits]\nseconds = 2\nconnections = 64\n", &[]);
    let slow: Vec<_> = (0..40)
        .map(|number| {
            let protocol = ["http", "spamd"][number % 2];
            let start: &[u8] = match protocol {
                "http" => b"POST /api/v1/mail/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nslow",
                _ => b"CHECK SPAMC/1.5\r\nContent-length: 9\r\n\r\nslow",
            };
            let mut stream = server.connect(protocol);
            stream.write_all(start).expect("sent");
            (protocol, stream)
        })
        .collect();
    is_well(&server);
    for (protocol, mut stream) in slow {
        let mut answer = Vec::new();
        let start = Instant::now();
        // A server that waits for ever would let this run into its own limit.
        let mut buffer = [0; 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..count]);
            if protocol == "http" {
                break;
            }
        }
        assert!(start.elapsed() < LONG);
        let expected: &[u8] =
            if protocol == "http" { b"HTTP/1.1 503" } else { b"SPAMD/1.5 79 EX_TIMEOUT" };
        assert!(answer.starts_with(expected), "{}", String::from_utf8_lossy(&answer));
    }
    is_well(&server);
}

#[test]
fn too_many_requests_are_refused() {
    let server = Server::with("[limits]\nrequests_per_second = 5\n", &[]);
    let answers: Vec<u16> = (0..40).map(|_| server.get("/healthz").status).collect();
    assert!(answers.contains(&200) && answers.contains(&429), "{answers:?}");
    let start = Instant::now();
    while server.get("/healthz").status != 200 {
        assert!(start.elapsed() < LONG);
        std::thread::sleep(Duration::from_millis(250));
    }
}

#[test]
fn no_path_leads_out_of_the_folder_of_files() {
    let server = Server::start();
    server.folder.file("secret.tamis", "nothing");
    server.folder.ok(&[
        "filter",
        "build",
        "--items",
        "10",
        "--rate",
        "0.01",
        "-o",
        "outside.tamis",
        "tamis.toml",
    ]);
    std::os::unix::fs::symlink(
        server.folder.path().join("outside.tamis"),
        server.folder.path().join("files/link.tamis"),
    )
    .expect("a link");
    for name in [
        "..%2Foutside.tamis",
        "%2e%2e%2foutside.tamis",
        "..",
        ".",
        "%00",
        "link.tamis",
        "a%2Fb",
        "....//outside.tamis",
    ] {
        let answer = server.get(&format!("/api/v1/filters/{name}"));
        assert_eq!(answer.status, 404, "{name}: {}", String::from_utf8_lossy(&answer.body));
    }
    for path in ["/assets/..%2F..%2Fetc%2Fpasswd", "/../etc/passwd", "/assets/../../etc/passwd"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_milter_client_that_talks_nonsense_is_let_go() {
    let server = Server::start();
    let packet = |command: u8, data: &[u8]| {
        [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
    };
    let offer = packet(b'O', &[6u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat());
    // No offer first, lengths that no packet has, unknown letters, and a body before anything else.
    assert!(server.raw("milter", &packet(b'B', b"body")).is_empty());
    assert_eq!(server.raw("milter", &[offer.clone(), vec![0xff; 8]].concat()).len(), 17);
    let odd: Vec<u8> = [
        offer.clone(),
        packet(b'z', b"?"),
        packet(b'L', b"no zero"),
        packet(b'R', b""),
        packet(b'B', b"body"),
        packet(b'E', b""),
    ]
    .concat();
    let answer = server.raw("milter", &odd);
    assert!(answer.windows(15).any(|part| part == b"X-Tamis-Verdict"), "{answer:?}");
    // Thousands of forged headers, and a body in pieces.
    let mut request = [offer, packet(b'M', b"<a@b>\0")].concat();
    for number in 0..5000 {
        let name = ["X-Tamis-Verdict", "x-tamis-VERDICT", "X-Tamis-Other"][number % 3];
        request.extend(packet(b'L', format!("{name}\0ham\0").as_bytes()));
    }
    request.extend(packet(b'N', b""));
    for piece in message("spam", 1).chunks(7) {
        request.extend(packet(b'B', piece));
    }
    request.extend(packet(b'E', b""));
    let answer = server.raw("milter", &request);
    let removed =
        answer.windows(5).filter(|five| five[4] == b'm' && five[..3] == [0, 0, 0]).count();
    assert_eq!(removed, 5000);
    is_well(&server);
}

/// A message that cannot be judged comes through, or its sender tries again, as was asked for.
#[test]
fn a_store_that_cannot_be_read_stops_no_mail() {
    let packet = |command: u8, data: &[u8]| {
        [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
    };
    let request = [
        packet(b'O', &[6u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat()),
        packet(b'M', b"<bob@example.org>\0"),
        packet(b'R', b"<anne@example.test>\0"),
        packet(b'L', b"Subject\0x\0"),
        packet(b'N', b""),
        packet(b'E', b"text\r\n"),
    ]
    .concat();
    for (on_failure, answer) in [("accept", b'a'), ("tempfail", b't')] {
        let settings = format!("per_user = true\n[milter]\non_failure = {on_failure:?}\n");
        let server = Server::with(&settings, &[]);
        for user in ["anne", "anne@example.test"] {
            let folder = format!("mail.store/{user}");
            std::fs::create_dir_all(server.folder.path().join(&folder)).expect("a folder");
            server.folder.file(&format!("{folder}/tables.tamis"), "no tables at all");
        }
        let answers = server.raw("milter", &request);
        assert_eq!(answers.last(), Some(&answer), "{answers:?}");
        let check = server.post("/api/v1/mail/check?user=anne", b"text");
        assert_eq!(check.status, 500);
        let asked = server.raw("spamd", b"CHECK SPAMC/1.5\r\nUser: anne\r\n\r\ntext");
        assert!(asked.starts_with(b"SPAMD/1.5 70 EX_SOFTWARE"));
        let taught = server.post("/api/v1/mail/learn?label=spam&user=anne", b"text");
        assert_eq!(taught.status, 500, "it is no fault of who asks");
        assert_eq!(server.post("/api/v1/mail/check?user=bob", b"text").status, 200, "others go on");
    }
    // What is in memory goes on serving when the files go bad.
    let server = Server::start();
    server.teach();
    let bad = server.folder.file("bad", "no tables at all");
    std::fs::rename(bad, server.folder.path().join("mail.store/tables.tamis")).expect("replaced");
    let start = Instant::now();
    // It looks at its files once a second, and says what it has seen.
    while start.elapsed() < Duration::from_millis(1500) {
        let check = server.post("/api/v1/mail/check", &message("spam", 9));
        assert_eq!(check.json()["verdict"], "spam");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(server.logged("store")["error"].as_str().is_some_and(|error| error.contains("tables")));
}
