//! Many at once, for some time: no error, no growth, nothing lost. Speed is printed and not judged.

use super::harness::{LONG, Server, message};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Connections at a time.
const CLIENTS: usize = 64;

/// A client: asks until it is over, and tells how long each answer took.
type Client = fn(&Server, usize, &AtomicBool) -> Vec<Duration>;

/// A message of two thousand bytes.
fn two_kilobytes(number: usize) -> Vec<u8> {
    let mut raw = message(if number.is_multiple_of(2) { "spam" } else { "ham" }, number);
    while raw.len() < 2000 {
        raw.extend_from_slice(
            format!("garden {} offer {}\r\n", raw.len() * number % 977, number % 89).as_bytes(),
        );
    }
    raw.truncate(2000);
    raw
}

/// Asks by HTTP over one connection until it is time; how long each took.
fn by_http(server: &Server, client: usize, is_over: &AtomicBool) -> Vec<Duration> {
    let stream = server.connect("http");
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut stream = stream;
    let mut took = Vec::new();
    let mut number = client;
    while !is_over.load(Relaxed) {
        number += CLIENTS;
        let raw = two_kilobytes(number);
        let head = format!(
            "POST /api/v1/mail/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            raw.len()
        );
        let start = Instant::now();
        stream.write_all(&[head.as_bytes(), &raw].concat()).expect("sent");
        let mut line = String::new();
        reader.read_line(&mut line).expect("an answer");
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).expect("a header");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        took.push(start.elapsed());
    }
    took
}

/// Asks as `spamc` does, each time over a new connection.
fn by_spamd(server: &Server, client: usize, is_over: &AtomicBool) -> Vec<Duration> {
    let mut took = Vec::new();
    let mut number = client;
    while !is_over.load(Relaxed) {
        number += CLIENTS;
        let raw = two_kilobytes(number);
        let head = format!("CHECK SPAMC/1.5\r\nContent-length: {}\r\n\r\n", raw.len());
        let start = Instant::now();
        let mut stream = UnixStream::connect(server.socket()).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a time");
        stream.write_all(&[head.as_bytes(), &raw].concat()).expect("sent");
        stream.shutdown(std::net::Shutdown::Write).expect("ended");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        assert!(answer.starts_with(b"SPAMD/1.5 0 EX_OK"), "{}", String::from_utf8_lossy(&answer));
        took.push(start.elapsed());
    }
    took
}

/// All clients of a kind for some time, while somebody teaches; the memory after half of it, and in the end.
fn load(
    server: &Server,
    name: &str,
    client: Client,
    seconds: u64,
    learned: &AtomicUsize,
) -> (u64, u64) {
    let is_over = AtomicBool::new(false);
    let start = Instant::now();
    let (mut took, warm, end) = std::thread::scope(|scope| {
        let is_over = &is_over;
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| scope.spawn(move || client(server, number, is_over)))
            .collect();
        scope.spawn(move || {
            while !is_over.load(Relaxed) {
                let number = learned.load(Relaxed);
                let raw = message("ham", 5000 + number);
                let taught = server.post("/api/v1/mail/learn?label=ham", &raw);
                assert_eq!(taught.status, 200);
                assert_eq!(taught.json()["change"], "learned");
                learned.store(number + 1, Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        std::thread::sleep(Duration::from_secs(seconds) / 2);
        let warm = server.memory();
        std::thread::sleep(Duration::from_secs(seconds) / 2);
        let end = server.memory();
        is_over.store(true, Relaxed);
        let took: Vec<Duration> =
            clients.into_iter().flat_map(|client| client.join().expect("a client")).collect();
        (took, warm, end)
    });
    let rate = took.len() as f64 / start.elapsed().as_secs_f64();
    took.sort_unstable();
    let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
    println!(
        "{name}: {} checks, {rate:.0} a second; half within {:?}, 99 % within {:?}; {warm} kB, then {end} kB",
        took.len(),
        at(0.5),
        at(0.99),
    );
    (warm, end)
}

/// `TAMIS_LOAD_SECONDS` says how long; a few, if it says nothing.
#[test]
fn many_clients_at_once_get_answers_while_others_teach() {
    let seconds = std::env::var("TAMIS_LOAD_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(4);
    let settings = "[log]\nrequests = false\n[history]\ndays = 30\n\
                    [autolearn]\nenabled = true\nper_day = 1000\n";
    let mut server = Server::with(settings, &[]);
    server.teach();
    let learned = AtomicUsize::new(0);
    for (name, client) in [("HTTP", by_http as Client), ("spamd", by_spamd)] {
        let (warm, end) = load(&server, name, client, seconds, &learned);
        // What is learned is written into a private copy of the tables until the next ones are written: 16 MB each, and
        // the old one stays until the new one is there.
        assert!(end < warm + (48 << 10), "{warm} kB after half of the time, {end} kB in the end");
    }
    let learned = learned.load(Relaxed);
    println!("{learned} learned meanwhile");
    assert!(learned > 0);
    server.kill();
    let server = Server::in_folder(server.into_folder(), "", &[]);
    for number in 0..learned {
        let again = server.post("/api/v1/mail/learn?label=ham", &message("ham", 5000 + number));
        assert_eq!(again.json()["change"], "known", "{number}");
    }
}

/// The disk space of a folder in bytes.
fn disk_space(folder: &std::path::Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let of_entry = |entry: std::fs::DirEntry| {
        let about = entry.metadata().expect("a file");
        let below = if about.is_dir() { disk_space(&entry.path()) } else { 0 };
        below + about.blocks() * 512
    };
    std::fs::read_dir(folder).expect("a folder").map(|entry| of_entry(entry.expect("a name"))).sum()
}

/// `TAMIS_USERS` says how many; a hundred, if it says nothing.
#[test]
fn users_with_a_few_messages_take_little_space_and_memory() {
    let users = std::env::var("TAMIS_USERS").ok();
    let users: usize = users.and_then(|users| users.parse().ok()).unwrap_or(100);
    let server = Server::with("per_user = true\nmost_users = 2000\n[log]\nrequests = false\n", &[]);
    for user in 0..users {
        for (number, label) in ["spam", "ham", "spam", "ham", "spam"].iter().enumerate() {
            let raw = message(label, user * 10 + number);
            let path = format!("/api/v1/mail/learn?label={label}&user=user{user}");
            assert_eq!(server.post(&path, &raw).status, 200);
        }
    }
    let space = disk_space(&server.folder.path().join("mail.store"));
    for user in 0..users {
        let copy = message("spam", user * 10);
        let said = server.post(&format!("/api/v1/mail/check?user=user{user}"), &copy).json();
        assert_eq!(said["verdict"], "spam", "user{user} has learned this very message: {said}");
    }
    let memory = server.memory() << 10;
    println!("{users} users: {} kB on disk, {} kB of memory", space >> 10, memory >> 10);
    assert!(space <= users as u64 * 100_000, "{space} bytes on disk");
    assert!(memory <= 200_000_000, "{memory} bytes of memory");
}
