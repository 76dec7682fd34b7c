//! Attacks on memory and on places: the server stays within its limit plus 100 MB, and others are served meanwhile.
//!
//! Without these defences other clients would wait for a time limit that is longer than the patience of their tests.
//! How long they waited is printed and not judged.

use super::harness::{LONG, Server, message};
use flate2::Compression;
use flate2::read::ZlibEncoder;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The memory that is allowed beyond the limit, in kilobytes.
const BEYOND: u64 = 100 << 10;

/// The limit of requests in these tests, in megabytes.
const LIMIT: u64 = 128;

/// No time limit of the server ends these attacks before the tests give up.
const SETTINGS: &str = "[limits]\nseconds = 600\nmessage_megabytes = 40\nmemory_megabytes = 128\n";

/// What others saw during an attack.
#[derive(Debug, Default)]
struct Seen {
    served: usize,
    slowest: Duration,
    /// In kilobytes.
    memory: u64,
}

/// Asks as others do, on every port, until `is_over`, and at least once.
fn others(server: &Server, is_over: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    while seen.served == 0 || !is_over.load(Relaxed) {
        let start = Instant::now();
        let check = server.post("/api/v1/mail/check", &message("ham", seen.served));
        assert_eq!(check.status, 200, "{}", String::from_utf8_lossy(&check.body));
        let check = b"CHECK SPAMC/1.5\r\n\r\nSubject: x\r\n\r\ny";
        let answer = server.raw_socket(check);
        assert!(answer.starts_with(b"SPAMD/1.5 0 EX_OK"), "{}", String::from_utf8_lossy(&answer));
        seen.slowest = seen.slowest.max(start.elapsed());
        seen.served += 1;
        seen.memory = seen.memory.max(server.memory());
        std::thread::sleep(Duration::from_millis(20));
    }
    seen
}

fn judge(name: &str, seen: &Seen) {
    println!("{name}: {seen:?}");
    assert!(seen.memory < (LIMIT << 10) + BEYOND, "{name}: {seen:?}");
}

#[test]
fn clients_that_never_read_keep_nobody_from_being_served() {
    let server = Server::with(SETTINGS, &[]);
    let large = vec![b'x'; 2 << 20];
    let process = format!("PROCESS SPAMC/1.5\r\nContent-length: {}\r\n\r\n", large.len());
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let (server, is_over) = (&server, &is_over);
        let attackers: Vec<_> = (0..256)
            .map(|_| {
                let request = [process.as_bytes(), &large].concat();
                scope.spawn(move || {
                    let mut stream = UnixStream::connect(server.socket()).expect("a socket");
                    stream.set_write_timeout(Some(Duration::from_secs(20))).expect("a time");
                    stream.write_all(&request).ok();
                    // The other port: requests without end, no answer read.
                    let mut other = server.connect("http");
                    other.set_write_timeout(Some(Duration::from_millis(500))).expect("a time");
                    let get =
                        b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
                    while other.write_all(&get).is_ok() && !is_over.load(Relaxed) {}
                    (stream, other)
                })
            })
            .collect();
        let seen = scope.spawn(move || others(server, is_over));
        let held: Vec<_> = attackers.into_iter().map(|one| one.join().expect("a client")).collect();
        // All of them are there, and others are still served.
        let end = others(server, &AtomicBool::new(true));
        assert!(end.served > 0);
        is_over.store(true, Relaxed);
        let seen = seen.join().expect("others");
        drop(held);
        seen
    });
    judge("never reading", &seen);
}

#[test]
fn packed_bodies_take_memory_only_when_there_is_some() {
    let server = Server::with(SETTINGS, &[]);
    server.teach();
    let text = b"the river and the garden, once more and again\r\n".repeat((33 << 20) / 47);
    let raw = [&b"Subject: large\r\n\r\n"[..], &text].concat();
    let mut packed = Vec::new();
    ZlibEncoder::new(&raw[..], Compression::fast()).read_to_end(&mut packed).expect("packed");
    drop((text, raw));
    let head =
        format!("CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: {}\r\n\r\n", packed.len());
    let request = [head.as_bytes(), &packed].concat();
    let is_over = AtomicBool::new(false);
    let (seen, answers) = std::thread::scope(|scope| {
        let (server, is_over, request) = (&server, &is_over, &request);
        let seen = scope.spawn(move || others(server, is_over));
        let attackers: Vec<_> =
            (0..200).map(|_| scope.spawn(move || server.raw_socket(request))).collect();
        let answers: Vec<Vec<u8>> =
            attackers.into_iter().map(|one| one.join().expect("a client")).collect();
        is_over.store(true, Relaxed);
        (seen.join().expect("others"), answers)
    });
    let count = |start: &[u8]| answers.iter().filter(|answer| answer.starts_with(start)).count();
    let (judged, busy) = (count(b"SPAMD/1.5 0 EX_OK"), count(b"SPAMD/1.5 75 EX_TEMPFAIL"));
    println!("{judged} judged, {busy} told to come again, {} evicted", 200 - judged - busy);
    assert!(judged > 0);
    judge("packed bodies", &seen);
}

#[test]
fn what_was_asked_by_clients_that_leave_is_not_done() {
    let server = Server::with(SETTINGS, &[]);
    server.teach();
    let clients = 64;
    let words = |client: usize| -> Vec<u8> {
        let mut raw = b"Subject: words\r\n\r\n".to_vec();
        let mut number = client;
        while raw.len() < 2 << 20 {
            number += clients;
            raw.extend_from_slice(format!("w{number:x} ").as_bytes());
        }
        raw
    };
    let explain = |raw: &[u8]| {
        let head = format!(
            "POST /api/v1/mail/explain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            raw.len()
        );
        [head.as_bytes(), raw].concat()
    };
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let (server, is_over) = (&server, &is_over);
        let seen = scope.spawn(move || others(server, is_over));
        for client in 0..clients {
            let mut stream = server.connect("http");
            stream.write_all(&explain(&words(client))).ok();
            // The server has all of it, or does not want it; nobody waits for the answer.
            drop(stream);
        }
        // Requests are done in order: when this one is answered, none of the others waits any more.
        let start = Instant::now();
        let told = loop {
            let told = server.post("/api/v1/mail/explain", &words(clients));
            if told.status != 503 {
                break told;
            }
            assert!(start.elapsed() < LONG, "the server stays busy");
            std::thread::sleep(Duration::from_millis(100));
        };
        assert_eq!(told.status, 200, "{}", String::from_utf8_lossy(&told.body));
        is_over.store(true, Relaxed);
        seen.join().expect("others")
    });
    let metrics = String::from_utf8(server.get("/metrics").body).expect("text");
    let judged: usize = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("tamis_verdicts_total{source=\"http\",verdict="))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<usize>().ok())
        .sum();
    let explained = judged - seen.served;
    println!("{explained} of {clients} were judged");
    assert!(explained < clients, "{explained} of {clients} were judged after their clients left");
    judge("leaving", &seen);
}
