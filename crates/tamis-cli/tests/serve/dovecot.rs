//! Real Dovecot: a move to Junk teaches, a move back takes it back. `make packages` installs it.
//!
//! The Sieve scripts and the setting are those of `docs/server.md`. The server has a user of its own, and its store is
//! private, as with the systemd unit: mail users teach it over its socket.

use super::common::{Folder, root};
use super::harness::{LONG, Server, message};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The user of the server, which owns nothing of the mailboxes, and the group that both share.
const OWNER: (u32, u32) = (64_321, 65_534);

/// A Dovecot of its own, with one mailbox, and the server that it teaches.
struct Dovecot {
    folder: Folder,
    server: Server,
}

impl Dovecot {
    fn start() -> Self {
        let open = Folder::new();
        std::fs::set_permissions(open.path(), PermissionsExt::from_mode(0o755)).expect("a folder");
        let settings = "[spamd]\nsocket = { mode = \"0660\" }\n";
        let server = Server::owned(open, settings, &[], Some(OWNER));
        let folder = Folder::new();
        let base = folder.path().display().to_string();
        let make =
            |path: &str| std::fs::create_dir_all(folder.path().join(path)).expect("a folder");
        for path in ["run", "state", "sieve", "bin", "mail", "home"] {
            make(path);
        }
        // The scripts of the guide, as they are there.
        for name in ["learn-spam.sieve", "learn-ham.sieve"] {
            let script =
                std::fs::read(root().join("contrib/dovecot").join(name)).expect("a script");
            folder.file(&format!("sieve/{name}"), script);
        }
        let guide =
            std::fs::read_to_string(root().join("contrib/dovecot/tamis-learn")).expect("a script");
        let program = guide.replace("/run/tamis/spamd.sock", &server.socket());
        let script = folder.file("bin/tamis-learn", program);
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("a program");
        let setting = std::fs::read_to_string(root().join("contrib/dovecot/90-tamis.conf"))
            .expect("a setting");
        let setting = setting
            .replace("/usr/local/lib/tamis/sieve", &format!("{base}/sieve"))
            .replace("/usr/local/lib/tamis/bin", &format!("{base}/bin"));
        folder.file("passwd", "anne:{PLAIN}secret:65534:65534::/nonexistent::\n");
        folder.file(
            "dovecot.conf",
            format!(
                "base_dir = {base}/run\nstate_dir = {base}/state\nlog_path = {base}/log\nprotocols = imap\nssl = no\n\
                 disable_plaintext_auth = no\nlisten = 127.0.0.1\nmail_location = maildir:{base}/mail/%u\nmail_home = {base}/home/%u\n\
                 first_valid_uid = 1\nfirst_valid_gid = 1\ndefault_login_user = nobody\ndefault_internal_user = nobody\n\
                 default_internal_group = nogroup\nmail_debug = yes\n\
                 passdb {{\n driver = passwd-file\n args = {base}/passwd\n}}\nuserdb {{\n driver = passwd-file\n args = {base}/passwd\n}}\n\
                 service anvil {{\n chroot =\n}}\nservice imap-login {{\n chroot =\n unix_listener {base}/imap {{\n  mode = 0666\n }}\n inet_listener imap {{\n  port = 0\n }}\n}}\n\
                 namespace inbox {{\n inbox = yes\n mailbox Junk {{\n  auto = create\n special_use = \\Junk\n }}\n mailbox Trash {{\n  auto = create\n  special_use = \\Trash\n }}\n}}\n\
                 {setting}"
            ),
        );
        let owned =
            Command::new("chown").args(["-R", "65534:65534", &base]).status().expect("chown");
        assert!(owned.success(), "the test of Dovecot has to be run by root");
        let opened = Command::new("chmod").args(["755", &base]).status().expect("chmod");
        assert!(opened.success());
        let dovecot = Self { folder, server };
        dovecot.run("/usr/sbin/dovecot", &[]);
        dovecot
    }

    fn conf(&self) -> String {
        self.folder.path().join("dovecot.conf").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // What it leaves running would hold a pipe open for ever.
        let ran = Command::new(program)
            .args(["-c", &self.conf()])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let ran = ran.unwrap_or_else(|_| panic!("{program}: `make packages` installs it"));
        assert!(ran.success(), "{program} does not start: {}", self.log());
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// How many messages the store has as spam and as ham.
    fn learned(&self) -> (u64, u64) {
        let labels = self.server.get("/api/v1/mail/labels").json()["labels"].clone();
        let count = |name: &str| {
            let list = labels.as_array().expect("labels");
            let label = list.iter().find(|label| label["name"] == name).expect("a label");
            label["messages"].as_u64().expect("a number")
        };
        (count("spam"), count("ham"))
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        Command::new("doveadm").args(["-c", &self.conf(), "stop"]).output().ok();
    }
}

/// A mail reader.
struct Imap {
    reader: BufReader<UnixStream>,
    number: usize,
}

impl Imap {
    fn open(dovecot: &Dovecot) -> Self {
        let path = dovecot.folder.path().join("imap");
        let start = Instant::now();
        let stream = loop {
            match UnixStream::connect(&path) {
                Ok(stream) => break stream,
                Err(error) => assert!(start.elapsed() < LONG, "{error}: {}", dovecot.log()),
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        stream.set_read_timeout(Some(LONG)).expect("a time");
        let mut imap = Self { reader: BufReader::new(stream), number: 0 };
        let mut greeting = String::new();
        imap.reader.read_line(&mut greeting).expect("a greeting");
        assert!(greeting.starts_with("* OK"), "{greeting}{}", dovecot.log());
        imap.ask("LOGIN anne secret");
        imap
    }

    /// Says something, and waits until it was done.
    fn ask(&mut self, text: &str) -> String {
        self.number += 1;
        let tag = format!("a{}", self.number);
        self.reader.get_mut().write_all(format!("{tag} {text}\r\n").as_bytes()).expect("sent");
        self.answer(&tag)
    }

    fn answer(&mut self, tag: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            assert!(self.reader.read_line(&mut line).expect("an answer") > 0, "it ended: {all}");
            all += &line;
            if line.starts_with(tag) {
                assert!(line.starts_with(&format!("{tag} OK")), "{all}");
                return all;
            }
        }
    }

    fn append(&mut self, mailbox: &str, raw: &[u8]) {
        self.number += 1;
        let tag = format!("a{}", self.number);
        let head = format!("{tag} APPEND {mailbox} {{{}+}}\r\n", raw.len());
        let stream = self.reader.get_mut();
        stream.write_all(head.as_bytes()).expect("sent");
        stream.write_all(raw).expect("sent");
        stream.write_all(b"\r\n").expect("sent");
        self.answer(&tag);
    }

    /// Moves all messages of a mailbox.
    fn move_all(&mut self, from: &str, to: &str) {
        self.ask(&format!("SELECT {from}"));
        self.ask(&format!("MOVE 1:* {to}"));
    }
}

#[test]
fn a_move_to_junk_teaches_and_a_move_back_takes_it_back() {
    let dovecot = Dovecot::start();
    let mut imap = Imap::open(&dovecot);
    assert_eq!(dovecot.learned(), (0, 0));
    let store = std::fs::metadata(dovecot.server.folder.path().join("mail.store"));
    assert_eq!(
        store.expect("a store").permissions().mode() & 0o777,
        0o700,
        "nobody else has access"
    );
    imap.append("INBOX", &message("spam", 1));
    assert_eq!(dovecot.learned(), (0, 0), "what comes teaches nothing");
    imap.move_all("INBOX", "Junk");
    assert_eq!(dovecot.learned(), (1, 0), "{}", dovecot.log());
    imap.move_all("Junk", "INBOX");
    assert_eq!(dovecot.learned(), (0, 1), "{}", dovecot.log());
    imap.move_all("INBOX", "Junk");
    assert_eq!(dovecot.learned(), (1, 0), "{}", dovecot.log());
    imap.move_all("Junk", "Trash");
    assert_eq!(dovecot.learned(), (1, 0), "what is thrown away teaches nothing");
    imap.append("Junk", &message("spam", 2));
    assert_eq!(dovecot.learned(), (2, 0), "what a person puts there teaches");
    imap.ask("SELECT Junk");
    imap.ask("STORE 1:* +FLAGS (\\Deleted)");
    imap.ask("EXPUNGE");
    assert_eq!(dovecot.learned(), (2, 0), "what is deleted teaches nothing");
}
