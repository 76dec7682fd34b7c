//! Several servers that share their lessons by a real Redis.
//!
//! `TAMIS_JOURNAL_LESSONS=10000 TAMIS_JOURNAL_OUTAGE=60` runs the large test in full.

use super::common::Folder;
use super::harness::{LONG, Server, message};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

const PASSWORD: &str = "correct-horse";

/// A Redis server in a folder of its own, which brings every entry to disk.
struct Redis {
    folder: Folder,
    port: u16,
    tls: bool,
    child: Option<Child>,
}

impl Redis {
    fn start() -> Self {
        Self::with(false)
    }

    fn with(tls: bool) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut redis = Self { folder: Folder::new(), port, tls, child: None };
        if tls {
            make_certificates(&redis.folder);
        }
        redis.run();
        redis
    }

    fn run(&mut self) {
        let mut command = Command::new("redis-server");
        let port = self.port.to_string();
        match self.tls {
            true => command
                .args(["--port", "0", "--tls-port", &port, "--tls-auth-clients", "no"])
                .args([
                    "--tls-cert-file",
                    "redis.pem",
                    "--tls-key-file",
                    "redis.key",
                    "--tls-ca-cert-file",
                    "ca.pem",
                ]),
            false => command.args(["--port", &port]),
        };
        let child = command
            .args(["--bind", "127.0.0.1", "--requirepass", PASSWORD, "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always"])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server starts: make packages installs it");
        self.child = Some(child);
        until("Redis answers", || self.ask(&["PING"]).contains("PONG"));
    }

    /// What `redis-cli` says.
    fn ask(&self, arguments: &[&str]) -> String {
        let port = self.port.to_string();
        let mut command = Command::new("redis-cli");
        if self.tls {
            command.args(["--tls", "--cacert", "ca.pem"]);
        }
        command.args(["-p", &port, "-a", PASSWORD, "--no-auth-warning"]).args(arguments);
        let output = command.current_dir(self.folder.path()).output().expect("redis-cli");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
    }

    fn url(&self) -> String {
        let scheme = if self.tls { "rediss" } else { "redis" };
        format!("{scheme}://:{PASSWORD}@127.0.0.1:{}/0", self.port)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

fn make_certificates(folder: &Folder) {
    let openssl = |arguments: &[&str]| {
        let made = Command::new("openssl")
            .args(arguments)
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .status();
        assert!(made.expect("openssl").success(), "{arguments:?}");
    };
    folder.file("names", "subjectAltName=IP:127.0.0.1\n");
    let new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
        &[&new[..], &["-x509", "-subj", "/CN=authority", "-days", "2"]]
            .concat()
            .iter()
            .copied()
            .chain(["-keyout", "ca.key", "-out", "ca.pem"])
            .collect::<Vec<_>>(),
    );
    openssl(
        &[&new[..], &["-subj", "/CN=redis", "-keyout", "redis.key", "-out", "redis.csr"]].concat(),
    );
    openssl(&[
        "x509",
        "-req",
        "-in",
        "redis.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        "names",
        "-out",
        "redis.pem",
    ]);
}

/// Waits for a condition.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < LONG, "it takes too long until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A seed that all hosts have.
fn seed() -> Vec<u8> {
    let folder = Folder::new();
    folder.file("first.eml", message("spam", 0));
    folder.ok(&["mail", "learn", "--store", "first", "--quiet", "--spam", "first.eml"]);
    std::fs::read(folder.path().join("first/seed")).expect("a seed")
}

fn settings(redis: &Redis, more: &str) -> String {
    format!(
        "journal_file = \"url\"\nseed_file = \"shared-seed\"\n{more}[log]\nrequests = false\n# {}\n",
        redis.port
    )
}

/// A folder for a host.
fn host(redis: &Redis, seed: &[u8]) -> Folder {
    let folder = Folder::new();
    folder.file("url", redis.url() + "\n");
    folder.file("shared-seed", seed);
    folder
}

fn metric(server: &Server, name: &str) -> u64 {
    let text = String::from_utf8(server.get("/metrics").body).expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("tamis_{name} ")));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

fn fingerprint(folder: &Folder, store: &str) -> String {
    let arguments = ["mail", "store", "info", "--json", "--fingerprint", "--store", store];
    let info: serde_json::Value = serde_json::from_str(&folder.ok(&arguments)).expect("JSON");
    info["fingerprint"].as_str().expect("a hash").to_owned()
}

fn exported(folder: &Folder, store: &str) -> String {
    folder.ok(&["mail", "store", "export", "--store", store, "-o", "out.jsonl"]);
    std::fs::read_to_string(folder.path().join("out.jsonl")).expect("an export")
}

/// A server that is killed and started again.
struct Slot {
    settings: String,
    server: RwLock<Option<Server>>,
    address: Mutex<String>,
    kills: AtomicUsize,
}

impl Slot {
    fn new(settings: String, folder: Folder) -> Self {
        let server = Server::in_folder(folder, &settings, &[]);
        let address = Mutex::new(server.address("http").to_owned());
        Self { settings, server: RwLock::new(Some(server)), address, kills: AtomicUsize::new(0) }
    }

    fn kill(&self) {
        let mut held = self.server.write().expect("a server");
        let folder = held.take().expect("a server").into_folder();
        let server = Server::in_folder(folder, &self.settings, &[]);
        *self.address.lock().expect("an address") = server.address("http").to_owned();
        *held = Some(server);
        self.kills.fetch_add(1, SeqCst);
    }

    fn with<T>(&self, visit: impl FnOnce(&Server) -> T) -> T {
        visit(self.server.read().expect("a server").as_ref().expect("a server"))
    }

    /// The status of an answer, if there is one, and its body.
    fn post(&self, path: &str, body: &[u8]) -> Option<(u16, String)> {
        let address = self.address.lock().expect("an address").clone();
        let mut stream = TcpStream::connect(&address).ok()?;
        stream.set_read_timeout(Some(LONG)).ok()?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: message/rfc822\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let status = answer.split(' ').nth(1)?.parse().ok()?;
        Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
    }

    /// Asks until it is acknowledged.
    fn insist(&self, path: &str, body: &[u8]) {
        until("a lesson is acknowledged", || match self.post(path, body) {
            Some((200, _)) => true,
            Some((status, body)) => panic!("{status}: {body}"),
            None => false,
        });
    }
}

/// What is taught about a message, and whether it is taken back.
fn lesson(number: usize, host: usize) -> (&'static str, bool) {
    match number % 10 {
        // Hosts disagree about these.
        0 => (["social", "promotions"][host % 2], false),
        1..=4 => ("spam", number % 20 == 3),
        _ => ("ham", number % 20 == 7),
    }
}

fn environment(name: &str, default: usize) -> usize {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

/// Lessons from all hosts while they and Redis are killed: nothing acknowledged is lost, and all know the same.
fn survives(hosts: usize, lessons: usize, outage: Duration) {
    let start = Instant::now();
    let mut redis = Redis::start();
    let seed = seed();
    let slots: Vec<Slot> =
        (0..hosts).map(|_| Slot::new(settings(&redis, ""), host(&redis, &seed))).collect();
    let acknowledged = AtomicUsize::new(0);
    // What happens is spread over the lessons.
    let total = (0..lessons).map(|n| if n % 10 == 0 { hosts } else { 1 }).sum::<usize>();
    let allowed = AtomicUsize::new(total / 20);
    let is_over = AtomicBool::new(false);
    let checks = AtomicUsize::new(0);
    let slowest = Mutex::new(Duration::ZERO);
    let mut random =
        tamis::hash::Functions::new(tamis::hash::KeyHash::new(7).integer(hosts as u64));
    std::thread::scope(|scope| {
        let teachers: Vec<_> = (0..hosts)
            .map(|own| {
                let (slots, acknowledged, allowed) = (&slots, &acknowledged, &allowed);
                scope.spawn(move || {
                    for number in 0..lessons {
                        let is_contested = number % 10 == 0;
                        if number % hosts != own && !is_contested {
                            continue;
                        }
                        while acknowledged.load(SeqCst) >= allowed.load(SeqCst) {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                        let (label, is_forgotten) = lesson(number, own);
                        let class = if label == "spam" { "spam" } else { "ham" };
                        let raw = message(class, number);
                        slots[own].insist(&format!("/api/v1/mail/learn?label={label}"), &raw);
                        if is_forgotten {
                            slots[own].insist("/api/v1/mail/forget", &raw);
                        }
                        acknowledged.fetch_add(1, SeqCst);
                    }
                })
            })
            .collect();
        // Checks go on all the time.
        let checker = scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(SeqCst) {
                let slot = &slots[number % hosts];
                let kills = slot.kills.load(SeqCst);
                let asked = Instant::now();
                let answer = slot.post("/api/v1/mail/check", &message("spam", number));
                let took = asked.elapsed();
                match answer {
                    Some((200, _)) => {
                        checks.fetch_add(1, SeqCst);
                        let mut slowest = slowest.lock().expect("a time");
                        *slowest = (*slowest).max(took);
                    }
                    Some((status, body)) => panic!("{status}: {body}"),
                    // Only a server that is being killed does not answer.
                    None => until("a killed server is back", || slot.kills.load(SeqCst) > kills),
                }
                number += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        // Something is killed at every twentieth part of the lessons, and Redis is away for a while at half of them.
        for event in 1..20 {
            until("the next event is due", || acknowledged.load(SeqCst) >= total * event / 20);
            let next = (random.next().expect("a number") >> 40) as usize;
            // Lessons go on while something is killed.
            if event != 10 {
                allowed.store(total * (event + 1) / 20, SeqCst);
            }
            if event == 10 {
                redis.kill();
                allowed.store(total * 11 / 20, SeqCst);
                let (before, checked) = (acknowledged.load(SeqCst), checks.load(SeqCst));
                let away = Instant::now();
                until("it was away for a while", || away.elapsed() >= outage);
                until("a lesson is acknowledged without Redis", || {
                    acknowledged.load(SeqCst) > before
                });
                until("messages are judged without Redis", || checks.load(SeqCst) > checked);
                let waiting: u64 =
                    slots.iter().map(|slot| slot.with(|s| metric(s, "journal_undelivered"))).sum();
                assert!(waiting > 0, "lessons wait while Redis is away");
                println!(
                    "{} s without Redis: {} lessons, {} checks, {waiting} lessons wait",
                    away.elapsed().as_secs(),
                    acknowledged.load(SeqCst) - before,
                    checks.load(SeqCst) - checked
                );
                redis.run();
            } else if next % (hosts + 1) == hosts {
                redis.kill();
                redis.run();
            } else {
                slots[next % (hosts + 1)].kill();
            }
        }
        for teacher in teachers {
            teacher.join().expect("taught");
        }
        is_over.store(true, SeqCst);
        checker.join().expect("checked");
    });
    println!("{lessons} messages taught after {:.0} s", start.elapsed().as_secs_f64());
    for slot in &slots {
        until("everything is delivered", || slot.with(|s| metric(s, "journal_undelivered")) == 0);
    }
    let of = |slot: &Slot| slot.with(|server| fingerprint(&server.folder, "mail.store"));
    until("all know the same", || slots.iter().all(|slot| of(slot) == of(&slots[0])));
    println!("all know the same after {:.0} s", start.elapsed().as_secs_f64());
    let entries: usize = redis.ask(&["XLEN", "tamis"]).trim().parse().expect("a number");
    let memory: usize =
        redis.ask(&["MEMORY", "USAGE", "tamis", "SAMPLES", "0"]).trim().parse().expect("a number");
    println!("{entries} entries, {} bytes each in Redis", memory / entries);
    println!("{} checks, the slowest {:?}", checks.load(SeqCst), slowest.lock().expect("a time"));
    let kills: Vec<usize> = slots.iter().map(|slot| slot.kills.load(SeqCst)).collect();
    println!("kills of the servers: {kills:?}");
    // Every lesson was acknowledged, so each message has what was taught.
    let expected =
        |label: &str| (0..lessons).filter(|number| lesson(*number, 0) == (label, false)).count();
    let mut first = None;
    for slot in slots {
        let server = slot.server.into_inner().expect("a server").expect("a server");
        let folder = server.into_folder();
        folder.ok(&["mail", "store", "verify", "--store", "mail.store"]);
        let info = folder.ok(&["mail", "store", "info", "--json", "--store", "mail.store"]);
        let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
        let count = |label: &str| info["messages"][label].as_u64().unwrap_or(0) as usize;
        assert_eq!(count("spam"), expected("spam"), "{info}");
        assert_eq!(count("ham"), expected("ham"), "{info}");
        assert_eq!(count("social") + count("promotions"), lessons.div_ceil(10), "{info}");
        let lines = exported(&folder, "mail.store");
        assert!(*first.get_or_insert(lines.clone()) == lines, "another export");
    }
}

#[test]
fn two_and_three_hosts_lose_nothing_whatever_is_killed() {
    let lessons = environment("TAMIS_JOURNAL_LESSONS", 240);
    let outage = Duration::from_secs(environment("TAMIS_JOURNAL_OUTAGE", 1) as u64);
    for hosts in [2, 3] {
        survives(hosts, lessons, outage);
    }
}

/// A store that was alone for a long time, a new host, and a host that was away.
#[test]
fn one_host_becomes_several() {
    let redis = Redis::start();
    let alone = Server::start();
    for number in 0..60 {
        let class = ["spam", "ham"][number % 2];
        alone.post(&format!("/api/v1/mail/learn?label={class}"), &message(class, number));
    }
    let folder = alone.into_folder();
    let seed = std::fs::read(folder.path().join("mail.store/seed")).expect("a seed");
    folder.file("url", redis.url());
    let alone = "journal_file = \"url\"\n";
    let first = Server::in_folder(folder, alone, &[]);
    until("the store is offered", || {
        metric(&first, "journal_undelivered") == 0 && redis.ask(&["XLEN", "tamis"]).trim() == "60"
    });
    let second = Server::in_folder(host(&redis, &seed), &settings(&redis, ""), &[]);
    let knows = |server: &Server, number: usize| {
        let class = ["spam", "ham"][number % 2];
        let answer =
            server.post(&format!("/api/v1/mail/learn?label={class}"), &message(class, number));
        answer.json()["change"] == "known"
    };
    until("the new host knows all", || metric(&second, "journal_heard_total") == 60);
    assert!((0..60).all(|number| knows(&second, number)));
    // The command teaches beside a server, and takes back what a teacher has taught.
    second.folder.file("more.eml", message("spam", 100));
    second.folder.ok(&["mail", "learn", "--store", "mail.store", "--quiet", "--spam", "more.eml"]);
    until("the first host has heard of it", || metric(&first, "journal_heard_total") == 61);
    assert!(knows(&first, 100));
    // It is away, and catches up.
    let away = second.into_folder();
    first.post("/api/v1/mail/learn?label=ham", &message("ham", 101));
    first.post("/api/v1/mail/forget", &message("spam", 0));
    until("both are delivered", || redis.ask(&["XLEN", "tamis"]).trim() == "63");
    away.file("more.eml", message("spam", 102));
    away.ok(&["mail", "learn", "--store", "mail.store", "--quiet", "--spam", "more.eml"]);
    let info = away.ok(&["mail", "store", "info", "--store", "mail.store"]);
    assert!(info.contains("shared      1 lesson to be delivered"), "{info}");
    // A rebuild waits until everything is delivered, and is then taught to all.
    let early = away.run(&["mail", "rebuild", "--store", "mail.store"]);
    assert_eq!(early.code, 2, "{}", early.stderr);
    let second = Server::in_folder(away, &settings(&redis, ""), &[]);
    until("all is delivered", || metric(&first, "journal_heard_total") == 64);
    let same =
        || fingerprint(&first.folder, "mail.store") == fingerprint(&second.folder, "mail.store");
    until("both know the same", same);
    second.folder.ok(&["mail", "rebuild", "--store", "mail.store"]);
    until("the rebuild is delivered", || redis.ask(&["XLEN", "tamis"]).trim() == "126");
    until("both know the same", same);
}

#[test]
fn every_user_has_lessons_of_all_hosts() {
    let redis = Redis::start();
    let seed = seed();
    let per_user = settings(&redis, "per_user = true\n");
    let mut hosts: Vec<Server> =
        (0..2).map(|_| Server::in_folder(host(&redis, &seed), &per_user, &[])).collect();
    for number in 0..20 {
        let (user, class) =
            (["anne", "ben@example.org"][number % 2], ["spam", "ham"][number / 2 % 2]);
        let path = format!("/api/v1/mail/learn?user={user}&label={class}");
        let answer = hosts[number % 2].post(&path, &message(class, number));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let same = |hosts: &[Server]| {
        ["anne", "ben@example.org"].iter().all(|user| {
            let of = |host: &Server| {
                let store = format!("mail.store/{user}");
                host.folder
                    .path()
                    .join(&store)
                    .join("tables.tamis")
                    .exists()
                    .then(|| fingerprint(&host.folder, &store))
            };
            of(&hosts[0]).is_some() && of(&hosts[0]) == of(&hosts[1])
        })
    };
    until("both hosts have both users", || same(&hosts));
    // The place where to read on is noted, and a host that was away goes on there.
    let place = hosts[1].folder.path().join("mail.store/.journal");
    until("the place is noted", || place.exists());
    let second = hosts.pop().expect("a host").into_folder();
    hosts[0].post("/api/v1/mail/learn?user=anne&label=ham", &message("ham", 50));
    hosts[0].post("/api/v1/mail/learn?user=carla&label=ham", &message("ham", 51));
    hosts.push(Server::in_folder(second, &per_user, &[]));
    until("both hosts have both users", || same(&hosts));
    until("the new user is there", || hosts[1].folder.path().join("mail.store/carla").exists());
    // A user whose store has another seed is left out, and said to be.
    let strange = hosts.pop().expect("a host").into_folder();
    strange.file("one.eml", message("spam", 1));
    strange.ok(&["mail", "learn", "--store", "mail.store/dora", "--quiet", "--spam", "one.eml"]);
    hosts[0].post("/api/v1/mail/learn?user=dora&label=ham", &message("ham", 60));
    hosts[0].post("/api/v1/mail/learn?user=anne&label=ham", &message("ham", 61));
    until("both are delivered", || redis.ask(&["XLEN", "tamis"]).trim() == "24");
    hosts.push(Server::in_folder(strange, &per_user, &[]));
    let line = loop {
        let line = hosts[1].logged("journal");
        if line["state"] == "stopped" {
            break line;
        }
    };
    assert_eq!(line["user"], "dora", "{line}");
    assert!(line["error"].as_str().is_some_and(|error| error.contains("another seed")), "{line}");
    until("both hosts have the others", || same(&hosts));
    assert_eq!(metric(&hosts[1], "journal_stopped"), 1);
}

#[test]
fn a_stream_that_has_lost_entries_is_not_followed() {
    let redis = Redis::start();
    let seed = seed();
    let server = Server::in_folder(host(&redis, &seed), &settings(&redis, ""), &[]);
    for number in 0..5 {
        server.post("/api/v1/mail/learn?label=spam", &message("spam", number));
    }
    until("all is delivered", || metric(&server, "journal_heard_total") == 5);
    let folder = server.into_folder();
    redis.ask(&["DEL", "tamis"]);
    let server = Server::in_folder(folder, &settings(&redis, ""), &[]);
    let line = server.logged("journal");
    assert!(
        line["error"].as_str().is_some_and(|error| error.contains("entries are lost")),
        "{line}"
    );
    assert_eq!(metric(&server, "journal_connected"), 0);
    assert_eq!(server.post("/api/v1/mail/learn?label=spam", &message("spam", 9)).status, 200);
    // Another stream begins with all that is known.
    let folder = server.into_folder();
    let server = Server::in_folder(folder, &settings(&redis, "journal_stream = \"second\"\n"), &[]);
    until("all is offered", || redis.ask(&["XLEN", "second"]).trim() == "6");
    until("all is delivered", || metric(&server, "journal_undelivered") == 0);
    // A new host cannot follow a stream that was cut off.
    redis.ask(&["XTRIM", "second", "MAXLEN", "3"]);
    let late = Server::in_folder(
        host(&redis, &seed),
        &settings(&redis, "journal_stream = \"second\"\n"),
        &[],
    );
    let line = late.logged("journal");
    assert!(line["error"].as_str().is_some_and(|error| error.contains("was cut off")), "{line}");
    // What nobody of us has written is skipped.
    redis.ask(&["XADD", "second", "*", "lesson", "nonsense"]);
    assert_eq!(server.logged("journal")["state"], "skipped");
    server.post("/api/v1/mail/learn?label=spam", &message("spam", 10));
    until("it goes on", || metric(&server, "journal_heard_total") == 8);
}

#[test]
fn passwords_and_tls_are_honoured() {
    let redis = Redis::with(true);
    let seed = seed();
    let folder = host(&redis, &seed);
    let authority = std::fs::read(redis.folder.path().join("ca.pem")).expect("a certificate");
    folder.file("ca.pem", &authority);
    // The authority is not one of the system.
    let server = Server::in_folder(folder, &settings(&redis, ""), &[]);
    let line = server.logged("journal");
    assert_eq!(line["state"], "waiting", "{line}");
    let folder = server.into_folder();
    let secure = settings(&redis, "journal_ca = \"ca.pem\"\n");
    let server = Server::in_folder(folder, &secure, &[]);
    server.post("/api/v1/mail/learn?label=spam", &message("spam", 1));
    until("it is delivered", || metric(&server, "journal_heard_total") == 1);
    let folder = server.into_folder();
    folder.file("url", redis.url().replace(PASSWORD, "wrong"));
    let server = Server::in_folder(folder, &secure, &[]);
    let line = server.logged("journal").to_string();
    assert!(line.contains("authentication failed") && !line.contains("wrong"), "{line}");
}
