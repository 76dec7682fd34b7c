//! `tamis mail imap` and a real Dovecot, over TLS. `make packages` installs it; the test has to be run by root.
#![cfg(unix)]

mod common;

use common::Folder;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on the slowest machine.
const LONG: Duration = Duration::from_secs(120);

/// A Dovecot of its own, with one mailbox.
struct Dovecot {
    folder: Folder,
    port: u16,
    plain: u16,
    is_running: bool,
}

fn free() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Dovecot {
    /// With more settings.
    fn start(more: &str) -> Self {
        let folder = Folder::new();
        let base = folder.path().display().to_string();
        for path in ["run", "state", "mail", "home"] {
            std::fs::create_dir_all(folder.path().join(path)).expect("a folder");
        }
        make_certificates(&folder);
        let (port, plain) = (free(), free());
        folder.file("passwd", "anne:{PLAIN}sécret \"x\":65534:65534::/nonexistent::\n");
        folder.file(
            "dovecot.conf",
            format!(
                "base_dir = {base}/run\nstate_dir = {base}/state\nlog_path = {base}/log\nprotocols = imap\n\
                 ssl = yes\nssl_cert = <{base}/imap.pem\nssl_key = <{base}/imap.key\n\
                 disable_plaintext_auth = no\nlisten = 127.0.0.1\nmail_location = maildir:{base}/mail/%u\nmail_home = {base}/home/%u\n\
                 first_valid_uid = 1\nfirst_valid_gid = 1\ndefault_login_user = nobody\ndefault_internal_user = nobody\n\
                 default_internal_group = nogroup\n\
                 passdb {{\n driver = passwd-file\n args = {base}/passwd\n}}\nuserdb {{\n driver = passwd-file\n args = {base}/passwd\n}}\n\
                 service anvil {{\n chroot =\n}}\nservice imap-login {{\n chroot =\n inet_listener imap {{\n  port = {plain}\n }}\n inet_listener imaps {{\n  port = {port}\n  ssl = yes\n }}\n}}\n\
                 namespace inbox {{\n inbox = yes\n mailbox Junk {{\n  auto = create\n }}\n mailbox \"Erledigtes für später\" {{\n  auto = create\n }}\n}}\n{more}"
            ),
        );
        let owned = Command::new("chown").args(["-R", "65534:65534", &base]).status();
        assert!(owned.expect("chown").success(), "the test of Dovecot has to be run by root");
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("opened");
        let mut dovecot = Self { folder, port, plain, is_running: false };
        dovecot.run();
        dovecot
    }

    fn doveadm(&self, program: &str, arguments: &[&str]) {
        let conf = self.folder.path().join("dovecot.conf");
        let ran = Command::new(program)
            .arg("-c")
            .arg(conf)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let ran = ran.unwrap_or_else(|_| panic!("{program}: `make packages` installs it"));
        assert!(ran.success(), "{program}: {}", self.log());
    }

    fn run(&mut self) {
        self.doveadm("/usr/sbin/dovecot", &[]);
        self.is_running = true;
        until("Dovecot answers", || TcpStream::connect(("127.0.0.1", self.plain)).is_ok());
    }

    fn stop(&mut self) {
        if std::mem::take(&mut self.is_running) {
            self.doveadm("doveadm", &["stop"]);
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// A store that knows spam and ham, and the password.
    fn host(&self) -> Folder {
        let folder = Folder::new();
        for class in ["spam", "ham"] {
            let mut names = Vec::new();
            for number in 0..60 {
                let name = format!("{class}-{number}.eml");
                folder.file(&name, message(class, number));
                names.push(name);
            }
            let flag = format!("--{class}");
            let mut arguments = vec!["mail", "learn", "--store", "mail.store", "--quiet", &flag];
            arguments.extend(names.iter().map(String::as_str));
            folder.ok(&arguments);
        }
        folder.file("secret", "sécret \"x\"\n");
        folder.file("ca.pem", self.folder.read("ca.pem"));
        folder
    }

    fn arguments<'a>(&self, port: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let all = ["mail", "imap", "--store", "mail.store", "--host", "127.0.0.1", "--port", port];
        let login = ["--username", "anne", "--password-file", "secret"];
        [&all[..], &login[..], more].concat()
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        if self.is_running {
            let conf = self.folder.path().join("dovecot.conf");
            Command::new("doveadm").arg("-c").arg(conf).arg("stop").output().ok();
        }
    }
}

fn make_certificates(folder: &Folder) {
    let openssl = |arguments: &str| {
        let made = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .status();
        assert!(made.expect("openssl").success(), "{arguments}");
    };
    folder.file("names", "subjectAltName=IP:127.0.0.1\n");
    let new = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!("{new} -x509 -subj /CN=authority -days 2 -keyout ca.key -out ca.pem"));
    openssl(&format!("{new} -subj /CN=imap -keyout imap.key -out imap.csr"));
    openssl(
        "x509 -req -in imap.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out imap.pem",
    );
}

/// Waits for a condition.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < LONG, "it takes too long until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A message of a class, which its words tell.
fn message(class: &str, number: usize) -> Vec<u8> {
    let words: [&str; 8] = match class {
        "spam" => ["pills", "casino", "winner", "cheap", "offer", "click", "money", "prize"],
        _ => ["garden", "meeting", "report", "train", "lunch", "kitchen", "violin", "river"],
    };
    let text: Vec<String> = (0..24)
        .map(|place| match place % 4 {
            3 => format!("{class}{}", number * 31 + place),
            _ => words[(number * 5 + place * place + place * number) % 8].to_owned(),
        })
        .collect();
    let (word, text) = (words[number % 8], text.join(" "));
    format!(
        "From: sender{number}@{class}.example\r\nTo: anne@example.test\r\nMessage-ID: <{number}@{class}.example>\r\nSubject: {word} {number}\r\n\r\n{text}\r\n"
    )
    .into_bytes()
}

/// A mail reader, in the clear.
struct Reader {
    stream: BufReader<TcpStream>,
    number: usize,
}

impl Reader {
    fn open(dovecot: &Dovecot) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", dovecot.plain)).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a time");
        let mut reader = Self { stream: BufReader::new(stream), number: 0 };
        let mut greeting = String::new();
        reader.stream.read_line(&mut greeting).expect("a greeting");
        reader.ask("AUTHENTICATE PLAIN AGFubmUAc8OpY3JldCAieCI=");
        reader
    }

    fn ask(&mut self, text: &str) -> String {
        self.number += 1;
        let tag = format!("r{} ", self.number);
        self.stream.get_mut().write_all(format!("{tag}{text}\r\n").as_bytes()).expect("sent");
        self.answer(&tag)
    }

    fn answer(&mut self, tag: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).expect("an answer") > 0, "it ended: {all}");
            all += &line;
            if line.starts_with(tag) {
                assert!(line.starts_with(&format!("{tag}OK")), "{all}");
                return all;
            }
        }
    }

    fn append(&mut self, folder: &str, flags: &str, raw: &[u8]) {
        self.number += 1;
        let tag = format!("r{} ", self.number);
        let head = format!("{tag}APPEND {folder} ({flags}) {{{}+}}\r\n", raw.len());
        self.stream.get_mut().write_all(&[head.as_bytes(), raw, b"\r\n"].concat()).expect("sent");
        self.answer(&tag);
    }

    fn count(&mut self, folder: &str) -> usize {
        let answer = self.ask(&format!("STATUS {folder} (MESSAGES)"));
        let (_, rest) = answer.split_once("MESSAGES ").expect("a count");
        rest.split(')').next().and_then(|count| count.parse().ok()).expect("a number")
    }
}

/// The command as it runs on.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tamis starts");
        let (sender, lines) = channel();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let pipes: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(out.expect("a pipe")), Box::new(err.expect("a pipe"))];
        for pipe in pipes {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let lines = BufReader::new(pipe).lines().map_while(Result::ok);
                lines.for_each(|line| drop(sender.send(line)));
            });
        }
        Self { child, lines }
    }

    /// Reads lines up to one that has this text.
    fn says(&self, text: &str) -> String {
        let mut before = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LONG);
            let line = line.unwrap_or_else(|_| panic!("it does not say {text:?}: {before:?}"));
            if line.contains(text) {
                return line;
            }
            before.push(line);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn learned(folder: &Folder) -> (u64, u64, u64) {
    let info = folder.ok(&["mail", "store", "info", "--json", "--store", "mail.store"]);
    let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
    let count = |part: &str, name: &str| info[part][name].as_u64().unwrap_or(0);
    (count("messages", "spam"), count("messages", "ham"), count("teachers", "imap"))
}

const SOME_DAY: &str = "\"Erledigtes f&APw-r sp&AOQ-ter\"";

#[test]
fn it_learns_files_idles_and_connects_again() {
    let mut dovecot = Dovecot::start("");
    let folder = dovecot.host();
    let port = dovecot.port.to_string();
    let mut reader = Reader::open(&dovecot);
    // What is there before the first look: Junk and the archive teach, the inbox is left alone.
    for number in 100..103 {
        reader.append("Junk", "", &message("spam", number));
        reader.append(SOME_DAY, "", &message("ham", number));
        reader.append("INBOX", "", &message("spam", number + 10));
    }
    let more = ["--ca", "ca.pem", "--ham", "Erledigtes für später", "--every", "1"];
    let arguments = dovecot.arguments(&port, &more);
    let running = Running::start(&folder, &arguments);
    running.says("Junk\t3\tlearned as spam");
    running.says("waiting for news of 127.0.0.1");
    assert_eq!(learned(&folder), (63, 63, 6));
    assert_eq!(reader.count("INBOX"), 3, "what was there before is not judged");
    // New mail is judged, and spam filed; nothing of it teaches.
    reader.append("INBOX", "", &message("ham", 200));
    reader.append("INBOX", "", &message("spam", 201));
    running.says("INBOX\t5\tspam, moved to Junk");
    until("it is in Junk", || reader.count("Junk") == 4 && reader.count("INBOX") == 4);
    let seen = reader.ask("STATUS INBOX (UNSEEN)");
    assert!(seen.contains("UNSEEN 4"), "reading marks nothing: {seen}");
    // A person disagrees: from Junk back to the inbox, and another one to Junk.
    reader.ask("SELECT Junk");
    reader.ask("UID MOVE 4 INBOX");
    running.says("learned as ham");
    assert_eq!(learned(&folder), (63, 64, 7));
    reader.ask("SELECT INBOX");
    reader.ask("UID MOVE 4 Junk");
    running.says("learned as spam");
    assert_eq!(learned(&folder), (64, 64, 8));
    // The server is away, and comes back.
    drop(reader);
    dovecot.stop();
    running.says("connecting again");
    dovecot.run();
    let mut reader = Reader::open(&dovecot);
    running.says("waiting for news");
    reader.append("INBOX", "", &message("spam", 202));
    running.says("spam, moved to Junk");
    let (inbox, junk) = (reader.count("INBOX"), reader.count("Junk"));
    drop(running);
    // It remembers how far it was, and learns nothing twice.
    let ran = folder.run(&[&arguments[..], &["--once"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert_eq!(learned(&folder), (64, 64, 8));
    assert_eq!((reader.count("INBOX"), reader.count("Junk")), (inbox, junk));
    assert_eq!(inbox + junk + reader.count(SOME_DAY), 3 * 3 + 3, "no message is gone");
    // Everything that it taught can be taken back.
    folder.ok(&["mail", "forget", "--store", "mail.store", "--teacher", "imap"]);
    assert_eq!(learned(&folder).2, 0);
}

#[test]
fn opened_messages_of_the_inbox_teach_if_it_is_a_folder_of_ham() {
    let dovecot = Dovecot::start("");
    let folder = dovecot.host();
    let port = dovecot.port.to_string();
    let mut reader = Reader::open(&dovecot);
    for (number, flags) in [(100, "\\Seen"), (101, ""), (102, "\\Seen")] {
        reader.append("INBOX", flags, &message("ham", number));
    }
    let arguments =
        dovecot.arguments(&port, &["--ca", "ca.pem", "--ham", "INBOX", "--once", "--learn-only"]);
    let said = folder.ok(&arguments);
    assert_eq!(said, "INBOX\t1\tlearned as ham\nINBOX\t3\tlearned as ham\n");
    assert_eq!(folder.ok(&arguments), "");
    reader.ask("SELECT INBOX");
    reader.ask("UID STORE 2 +FLAGS (\\Seen)");
    reader.append("INBOX", "", &message("spam", 103));
    let said = folder.ok(&arguments);
    assert_eq!(said, "INBOX\t4\tspam, left there: filing is off\nINBOX\t2\tlearned as ham\n");
    assert_eq!(learned(&folder), (60, 63, 3));
    // Other numbers: the folders are read again, and nothing is learned twice.
    reader.ask("UNSELECT");
    for file in ["dovecot-uidlist", "dovecot.index", "dovecot.index.log", "dovecot.index.cache"] {
        std::fs::remove_file(dovecot.folder.path().join("mail/anne").join(file)).ok();
    }
    assert_eq!(folder.ok(&arguments), "");
    assert_eq!(learned(&folder), (60, 63, 3));
}

#[test]
fn what_cannot_be_done_is_said() {
    let dovecot = Dovecot::start("imap_capability = IMAP4rev1 UIDPLUS IDLE\n");
    let folder = dovecot.host();
    let port = dovecot.port.to_string();
    let mut reader = Reader::open(&dovecot);
    let once = ["--ca", "ca.pem", "--ham", "INBOX", "--once"];
    let arguments = dovecot.arguments(&port, &once);
    folder.ok(&arguments);
    // A server without MOVE.
    reader.append("INBOX", "", &message("spam", 100));
    let said = folder.ok(&arguments);
    assert_eq!(said, "INBOX\t1\tspam, left there: the server cannot move messages\n");
    assert_eq!(reader.count("INBOX"), 1);
    // A large message, and one that is empty.
    let large = [message("spam", 101), vec![b'x'; 2 << 20]].concat();
    reader.append("Junk", "", &large);
    reader.append("Junk", "", b"\r\n");
    let small = [&arguments[..], &["--message-megabytes", "1"]].concat();
    let said = folder.ok(&small);
    assert_eq!(said, "Junk\t1\tleft out: larger than --message-megabytes\n");
    assert_eq!(learned(&folder), (60, 60, 0));
    // A certificate of nobody, a wrong password, no folder, no password, a password for everybody to hear.
    let refused = folder.refused(&dovecot.arguments(&port, &["--once"]));
    assert!(refused.contains("certificate"), "{refused}");
    let refused =
        folder.refused(&dovecot.arguments(&port, &["--ca", "ca.pem", "--junk", "Nowhere"]));
    assert!(refused.contains("Nowhere"), "{refused}");
    folder.file("secret", "wrong");
    let refused = folder.refused(&arguments);
    assert!(refused.contains("the login") && !refused.contains("wrong"), "{refused}");
    folder.file("secret", "");
    assert!(folder.refused(&arguments).contains("the password is empty"));
    let mut without = arguments.clone();
    let at =
        without.iter().position(|argument| *argument == "--password-file").expect("it is there");
    without.drain(at..at + 2);
    assert!(folder.refused(&without).contains("there is no password"));
    let by_command = [&without[..], &["--password-command", "printf 'sécret \"x\"'"]].concat();
    assert_eq!(folder.ok(&by_command), "");
    let plain =
        ["mail", "imap", "--store", "mail.store", "--host", "imap.example", "--username", "a"];
    let refused =
        folder.refused(&[&plain[..], &["--password-command", "echo x", "--plain"]].concat());
    assert!(refused.contains("needs TLS"), "{refused}");
}
