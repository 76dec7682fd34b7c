//! A server in a folder of its own, and clients for it.

use super::common::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on the slowest machine.
pub const LONG: Duration = Duration::from_secs(120);

/// A server that is running; it ends with this.
pub struct Server {
    pub folder: Folder,
    child: Child,
    /// Where each protocol is spoken.
    addresses: Vec<(String, String)>,
    log: Mutex<Receiver<Value>>,
}

/// What a server has answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut body = bytes[end + 4..].to_vec();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Self { status: status.expect("a status"), head, body }
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").expect("a size");
        let size = std::str::from_utf8(&rest[..end]).expect("a size");
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

impl Server {
    /// With HTTP, spamd on a port and a socket, and milter, unless the settings say otherwise.
    pub fn start() -> Self {
        Self::with("", &[])
    }

    /// With these settings beside.
    pub fn with(settings: &str, arguments: &[&str]) -> Self {
        Self::in_folder(Folder::new(), settings, arguments)
    }

    pub fn in_folder(folder: Folder, settings: &str, arguments: &[&str]) -> Self {
        Self::owned(folder, settings, arguments, None)
    }

    /// As a user and group of its own, to which everything in the folder belongs.
    pub fn owned(
        folder: Folder,
        settings: &str,
        arguments: &[&str],
        owner: Option<(u32, u32)>,
    ) -> Self {
        folder.file("tamis.toml", settings);
        std::fs::create_dir_all(folder.path().join("files")).expect("a folder");
        let socket = folder.path().join("spamd.sock");
        let spamd = format!("127.0.0.1:0,{}", socket.display());
        // A release build, to be measured, is named by TAMIS.
        let program = std::env::var_os("TAMIS").unwrap_or(env!("CARGO_BIN_EXE_tamis").into());
        let mut command = Command::new(program);
        if let Some((user, group)) = owner {
            command.uid(user).gid(group);
            for path in [folder.path().to_owned(), folder.path().join("files")] {
                std::os::unix::fs::chown(path, Some(user), Some(group)).expect("run by root");
            }
        }
        let mut child = command
            .args(["serve", "--config", "tamis.toml", "--store", "mail.store", "--files", "files"])
            .args(["--listen", "127.0.0.1:0", "--spamd", &spamd, "--milter", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tamis starts");
        let stderr = BufReader::new(child.stderr.take().expect("standard error"));
        let (sender, log) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let mut server = Self { folder, child, addresses: Vec::new(), log: Mutex::new(log) };
        while server.addresses.len() < 4 {
            let line = server.next_line();
            assert_eq!(line["event"], "listening", "{line}");
            let text = |name: &str| line[name].as_str().expect("text").to_owned();
            server.addresses.push((text("protocol"), text("address")));
        }
        server
    }

    /// Where a protocol is spoken.
    pub fn address(&self, protocol: &str) -> &str {
        let found = self.addresses.iter().find(|(other, _)| other == protocol);
        &found.expect("a protocol").1
    }

    /// The path of spamd's socket.
    pub fn socket(&self) -> String {
        self.folder.path().join("spamd.sock").display().to_string()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Ends it by SIGTERM; its exit code.
    pub fn terminate(&mut self) -> i32 {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().expect("kill");
        assert!(sent.success());
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code().unwrap_or(-1);
            }
            assert!(start.elapsed() < LONG, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Takes the folder back from a server that has ended.
    pub fn into_folder(mut self) -> Folder {
        self.child.kill().ok();
        self.child.wait().ok();
        std::mem::replace(&mut self.folder, Folder::new())
    }

    fn next_line(&self) -> Value {
        let log = self.log.lock().expect("nobody fails with it");
        log.recv_timeout(LONG).expect("a line of the log")
    }

    /// The next line of the log with this event.
    pub fn logged(&self, event: &str) -> Value {
        loop {
            let line = self.next_line();
            if line["event"] == event {
                return line;
            }
        }
    }

    pub fn connect(&self, protocol: &str) -> TcpStream {
        let stream = TcpStream::connect(self.address(protocol)).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a time");
        stream.set_write_timeout(Some(LONG)).expect("a time");
        stream
    }

    /// A request with these headers.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.address("http"));
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        let mut stream = self.connect("http");
        // A server may answer, and close, before it has read everything.
        stream.write_all(&[head.as_bytes(), body].concat()).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        Answer::parse(&answer)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.request("POST", path, &[("Content-Type", "message/rfc822")], body)
    }

    pub fn post_json(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json")];
        self.request("POST", path, &headers, body.to_string().as_bytes())
    }

    /// Sends bytes, ends sending, and reads everything.
    pub fn raw(&self, protocol: &str, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect(protocol);
        // A server may answer, and close, before it has read everything.
        stream.write_all(bytes).ok();
        stream.shutdown(std::net::Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        answer
    }

    /// As [`Self::raw`], over spamd's socket.
    pub fn raw_socket(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = UnixStream::connect(self.socket()).expect("a socket");
        stream.write_all(bytes).ok();
        stream.shutdown(std::net::Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        answer
    }

    /// Teaches so many messages of either class that verdicts are sure.
    pub fn teach(&self) {
        for name in ["spam", "ham"] {
            for number in 0..210 {
                self.folder.file(&format!("{name}-{number}.eml"), message(name, number));
            }
        }
        let files = |name: &str| (0..210).map(|n| format!("{name}-{n}.eml")).collect::<Vec<_>>();
        let (spam, ham) = (files("spam"), files("ham"));
        let mut arguments = vec!["mail", "learn", "--store", "mail.store", "--quiet", "--spam"];
        arguments.extend(spam.iter().map(String::as_str));
        arguments.push("--ham");
        arguments.extend(ham.iter().map(String::as_str));
        self.folder.ok(&arguments);
        // Another process has learned; the server notices within a second.
        let start = Instant::now();
        while self.post("/api/v1/mail/check", &message("spam", 7)).json()["verdict"] != "spam" {
            assert!(start.elapsed() < LONG, "the server does not notice");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A filter, a counting one, a cascade and an index.
    pub fn make_files(&self) {
        let folder = &self.folder;
        folder.file("words.txt", "leek\nturnip\ncarrot\ncarrot\n");
        folder.ok(&[
            "filter",
            "build",
            "--items",
            "100",
            "--rate",
            "0.0001",
            "-o",
            "files/plain.tamis",
            "words.txt",
        ]);
        folder.ok(&[
            "filter",
            "build",
            "--items",
            "100",
            "--rate",
            "0.0001",
            "--counting",
            "4",
            "-o",
            "files/counting.tamis",
            "words.txt",
        ]);
        folder.file("classes.tsv", "leek\tleaf\nturnip\troot\ncarrot\troot\n");
        folder.ok(&[
            "cascade",
            "train",
            "--tsv",
            "--reject",
            "20",
            "-o",
            "files/classes.tamis",
            "classes.tsv",
        ]);
        folder.file("texts.jsonl", "{\"id\":\"a\",\"text\":\"one two three four five six seven\"}\n{\"id\":\"b\",\"text\":\"something else that has nothing in common\"}\n");
        folder.ok(&["similar", "index", "-o", "files/texts.tamis", "texts.jsonl"]);
    }

    /// The memory that it has, in kilobytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.expect("the server is running");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("memory");
        line.split_whitespace().nth(1).and_then(|size| size.parse().ok()).expect("a size")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A message of a class, which nothing else than its words tells.
pub fn message(class: &str, number: usize) -> Vec<u8> {
    let words: [&str; 8] = if class == "spam" {
        ["pills", "casino", "winner", "cheap", "offer", "click", "money", "prize"]
    } else {
        ["garden", "meeting", "report", "train", "lunch", "kitchen", "violin", "river"]
    };
    // Enough runs of words that others do not have to tell what it is like.
    let text: Vec<String> = (0..24)
        .map(|place| match place % 4 {
            3 => format!("{class}{}", number * 31 + place),
            _ => words[(number * 5 + place * place + place * number) % 8].to_owned(),
        })
        .collect();
    format!(
        "From: sender{number}@{class}.example\r\nTo: anne@example.test\r\nSubject: {} {number}\r\n\r\n{}\r\n",
        words[number % 8],
        text.join(" ")
    )
    .into_bytes()
}
