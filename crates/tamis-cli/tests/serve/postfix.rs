//! Real Postfix on loopback: mail comes in by SMTP, goes through the milter, and into a Maildir. `make packages` installs it.

use super::common::Folder;
use super::harness::{LONG, Server, message};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The services that a small Postfix has; none of them in a prison.
const SERVICES: &str = "\
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

/// A Postfix of its own.
struct Postfix {
    folder: Folder,
    port: u16,
}

/// What an SMTP server has said to a message: the code of the last answer, and its text.
type Said = (u16, String);

impl Postfix {
    /// With this milter.
    fn start(milter: &str) -> Self {
        let folder = Folder::new();
        let port = free_port();
        let base = folder.path().display().to_string();
        for part in ["conf", "queue", "data", "mail"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        let own = |user: &str, path: PathBuf| {
            let done = Command::new("chown").arg(user).arg(path).status().expect("chown");
            assert!(done.success(), "the test of Postfix has to be run by root");
        };
        own("postfix", folder.path().join("data"));
        own("65534:65534", folder.path().join("mail"));
        // Postfix has users of its own, who have to get there.
        run("chmod", &["755", &base]);
        folder.file(
            "conf/main.cf",
            format!(
                "compatibility_level = 3.6\nqueue_directory = {base}/queue\ndata_directory = {base}/data\n\
                 maillog_file = {base}/log\nmaillog_file_prefixes = {base}\ninet_interfaces = 127.0.0.1\n\
                 inet_protocols = ipv4\nmyhostname = mx.example.test\nmydestination =\nalias_maps =\n\
                 local_transport = error:none\ndefault_transport = error:none\nrelay_transport = error:none\n\
                 virtual_mailbox_domains = example.test\nvirtual_mailbox_base = {base}/mail\n\
                 virtual_mailbox_maps = inline:{{ {{anne@example.test=anne/}} {{ben@example.test=ben/}} }}\nvirtual_uid_maps = static:65534\n\
                 virtual_gid_maps = static:65534\nvirtual_minimum_uid = 1\nrecipient_delimiter = +\nsmtpd_milters = inet:{milter}\n\
                 milter_protocol = 6\nmilter_default_action = accept\nmilter_connect_timeout = 5s\n\
                 smtpd_relay_restrictions = reject_unauth_destination\n"
            ),
        );
        folder.file("conf/master.cf", format!("127.0.0.1:{port} inet n - n - - smtpd\n{SERVICES}"));
        let conf = folder.path().join("conf").display().to_string();
        run("/usr/sbin/postfix", &["-c", &conf, "start"]);
        Self { folder, port }
    }

    /// Sends a message to Anne.
    fn send(&self, raw: &[u8]) -> Said {
        self.send_to(&["anne"], raw)
    }

    /// Sends a message to these mailboxes at once.
    fn send_to(&self, mailboxes: &[&str], raw: &[u8]) -> Said {
        let stream = connect(self.port);
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let mut stream = stream;
        let mut said = answer(&mut reader);
        assert_eq!(said.0, 220, "{}", said.1);
        let mut lines = vec!["EHLO client.example".into(), "MAIL FROM:<bob@example.org>".into()];
        lines.extend(mailboxes.iter().map(|mailbox| format!("RCPT TO:<{mailbox}@example.test>")));
        lines.push("DATA".to_owned());
        for line in lines {
            stream.write_all(format!("{line}\r\n").as_bytes()).expect("sent");
            said = answer(&mut reader);
            assert!(said.0 < 400, "{line}: {}", said.1);
        }
        stream.write_all(raw).expect("sent");
        stream.write_all(b"\r\n.\r\n").expect("sent");
        said = answer(&mut reader);
        stream.write_all(b"QUIT\r\n").expect("sent");
        said
    }

    /// The messages that were delivered to Anne, once there are `count`.
    fn delivered(&self, count: usize) -> Vec<String> {
        self.delivered_to("anne", count)
    }

    fn delivered_to(&self, mailbox: &str, count: usize) -> Vec<String> {
        let folder = self.folder.path().join("mail").join(mailbox).join("new");
        let start = Instant::now();
        loop {
            let files: Vec<PathBuf> = std::fs::read_dir(&folder)
                .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
                .unwrap_or_default();
            if files.len() >= count {
                let read = |path: &PathBuf| {
                    String::from_utf8_lossy(&std::fs::read(path).expect("a message")).into_owned()
                };
                return files.iter().map(read).collect();
            }
            assert!(start.elapsed() < LONG, "only {} were delivered: {}", files.len(), self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        let conf = self.folder.path().join("conf");
        Command::new("/usr/sbin/postfix").arg("-c").arg(conf).arg("stop").output().ok();
    }
}

fn run(program: &str, arguments: &[&str]) {
    let ran = Command::new(program).args(arguments).output();
    let ran = ran.unwrap_or_else(|_| panic!("{program}: `make packages` installs it"));
    assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a port").port()
}

fn connect(port: u16) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(LONG)).expect("a time");
                return stream;
            }
            Err(error) => assert!(start.elapsed() < LONG, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An answer of one line or several.
fn answer(reader: &mut impl BufRead) -> Said {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).expect("an answer") > 0, "it ended: {text}");
        text += &line;
        if line.as_bytes().get(3) != Some(&b'-') {
            let code = line.get(..3).and_then(|code| code.parse().ok()).expect("a code");
            return (code, text);
        }
    }
}

/// The message with this subject, without what Postfix has put before it.
fn with_subject<'a>(messages: &'a [String], subject: &str) -> &'a str {
    let line = format!("Subject: {subject}\n");
    messages.iter().find(|message| message.contains(&line)).expect("a message with that subject")
}

fn header<'a>(message: &'a str, name: &str) -> Vec<&'a str> {
    let head = message.split_once("\n\n").map_or(message, |(head, _)| head);
    let wanted = format!("{name}: ");
    head.lines().filter_map(|line| line.strip_prefix(wanted.as_str())).collect()
}

/// What became of messages, as a monitor sees it.
fn counted(server: &Server) -> [(&'static str, u64); 4] {
    let metrics = String::from_utf8(server.get("/metrics").body).expect("text");
    ["delivered", "tagged", "quarantined", "rejected"].map(|action| {
        let name = format!("tamis_mail_total{{action=\"{action}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(name.as_str()));
        (action, count.and_then(|count| count.parse().ok()).expect("a count"))
    })
}

fn on_disk(path: &Path) -> usize {
    std::fs::read_dir(path).map_or(0, Iterator::count)
}

#[test]
fn mail_gets_headers_forged_ones_go_and_mail_flows_when_the_milter_is_killed() {
    let settings = "[milter]\nhost = \"mx.example.test\"\n\
                    [marks]\nspam_headers = true\nsubject_tag = \"[SPAM]\"\n";
    let mut server = Server::with(settings, &[]);
    server.teach();
    let postfix = Postfix::start(server.address("milter"));
    let (spam, ham) = (message("spam", 1000), message("ham", 1001));
    let mut forged =
        b"Message-ID: <1@x>\r\nX-Spam-Flag: NO\r\nX-Spam-Status: No,\r\n score=-9\r\n".to_vec();
    // More than anybody would count by hand.
    for _ in 0..1500 {
        forged.extend_from_slice(
            b"X-Tamis-Verdict: ham\r\nx-tamis-verdict: ham\r\nX-Tamis-Else: yes\r\n",
        );
    }
    forged.extend_from_slice(&spam);
    assert_eq!(postfix.send(&forged).0, 250);
    assert_eq!(postfix.send(&ham).0, 250);
    let delivered = postfix.delivered(2);
    let marked = with_subject(&delivered, "[SPAM] pills 1000");
    assert_eq!(header(marked, "X-Spam-Flag"), ["YES"], "{marked}");
    let status = header(marked, "X-Spam-Status");
    assert_eq!(status.len(), 1, "{status:?}");
    assert!(
        status[0].starts_with("Yes, score=")
            && status[0].contains(" required=5.0 tests=TAMIS_SPAM,")
    );
    let by_milter = || {
        let mut lines = std::iter::repeat_with(|| server.logged("verdict"));
        lines.find(|line| line["source"] == "milter").expect("a line")
    };
    let logged = by_milter();
    let queue_id = logged["queue_id"].as_str().expect("a queue id");
    assert!(postfix.log().contains(&format!("{queue_id}: from=<bob@example.org>")), "{logged}");
    assert_eq!(logged["recipients"], serde_json::json!(["anne@example.test"]));
    assert_eq!((&logged["action"], &logged["message_id"]), (&"tagged".into(), &"<1@x>".into()));
    assert!(
        logged["score"].is_f64() && logged["verdict"] == "spam" && logged["source"] == "milter"
    );
    let logged = by_milter();
    assert_eq!(
        (&logged["action"], &logged["verdict"]),
        (&"delivered".into(), &"ham".into()),
        "{logged}"
    );
    assert_eq!(header(marked, "X-Tamis-Verdict"), ["mx.example.test; spam"], "{marked}");
    let score = header(marked, "X-Tamis-Score");
    let score: f64 = score[0].split("; ").nth(1).and_then(|s| s.parse().ok()).expect("a score");
    assert!(score > 0.5);
    assert!(header(marked, "X-Tamis-Reason")[0].starts_with("mx.example.test; words: "));
    assert!(!marked.to_lowercase().contains("x-tamis-verdict: ham"), "{marked}");
    assert!(header(marked, "X-Tamis-Else").is_empty());
    let marked = with_subject(&delivered, "meeting 1001");
    assert!(header(marked, "X-Spam-Flag").is_empty() && header(marked, "X-Spam-Score").len() == 1);
    assert_eq!(header(marked, "X-Tamis-Verdict"), ["mx.example.test; ham"]);
    let recent = server.get("/api/v1/mail/recent").json();
    assert_eq!(recent["verdicts"][0]["source"], "milter");

    // A client has begun a message when the milter goes away.
    let stream = connect(postfix.port);
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut stream = stream;
    answer(&mut reader);
    for line in ["HELO x", "MAIL FROM:<bob@example.org>", "RCPT TO:<anne@example.test>", "DATA"] {
        stream.write_all(format!("{line}\r\n").as_bytes()).expect("sent");
        assert!(answer(&mut reader).0 < 400);
    }
    stream.write_all(b"Subject: half-way\r\n\r\nfirst line\r\n").expect("sent");
    server.kill();
    stream.write_all(b"second line\r\n.\r\n").expect("sent");
    assert_eq!(answer(&mut reader).0, 250);
    assert_eq!(postfix.send(b"Subject: later\r\n\r\ntext").0, 250);
    let delivered = postfix.delivered(4);
    assert!(with_subject(&delivered, "half-way").contains("second line"));
    assert!(with_subject(&delivered, "later").contains("text"));
}

#[test]
fn spam_is_refused_or_put_aside_from_a_probability_on() {
    let server = Server::with("[milter]\nreject_from = 0.5\n", &[]);
    server.teach();
    let postfix = Postfix::start(server.address("milter"));
    let (code, text) = postfix.send(&message("spam", 1000));
    assert_eq!(code, 550, "{text}");
    assert!(text.contains("5.7.1 This message was taken for spam"), "{text}");
    assert_eq!(postfix.send(&message("ham", 1001)).0, 250);
    assert_eq!(postfix.delivered(1).len(), 1);
    assert_eq!(
        counted(&server),
        [("delivered", 1), ("tagged", 0), ("quarantined", 0), ("rejected", 1)]
    );
    drop(postfix);

    let server = Server::with("[milter]\nquarantine_from = 0.5\n", &[]);
    server.teach();
    let postfix = Postfix::start(server.address("milter"));
    assert_eq!(postfix.send(&message("spam", 1000)).0, 250);
    assert_eq!(postfix.send(&message("ham", 1001)).0, 250);
    assert!(postfix.delivered(1)[0].contains("X-Tamis-Verdict: ham"));
    assert_eq!(on_disk(&postfix.folder.path().join("queue/hold")), 1, "{}", postfix.log());
    assert_eq!(
        counted(&server),
        [("delivered", 1), ("tagged", 0), ("quarantined", 1), ("rejected", 0)]
    );
}

/// What Anne calls spam, Ben wants.
#[test]
fn two_recipients_of_different_opinion_both_get_the_message() {
    let settings = "per_user = true\n[milter]\nreject_from = 0.5\n";
    let server = Server::with(settings, &[]);
    for (user, labels) in [("anne", ["spam", "ham"]), ("ben", ["ham", "spam"])] {
        for (class, label) in ["spam", "ham"].iter().zip(labels) {
            for number in 0..20 {
                let path = format!("/api/v1/mail/learn?label={label}&user={user}@example.test");
                let learned = server.post(&path, &message(class, number));
                assert_eq!(learned.status, 200, "{}", String::from_utf8_lossy(&learned.body));
            }
        }
    }
    let postfix = Postfix::start(server.address("milter"));
    // A near-copy of what was taught, so that each of them alone has a clear opinion.
    let mail = message("spam", 3);
    let (code, text) = postfix.send_to(&["anne"], &mail);
    assert_eq!(code, 550, "Anne alone does not want it: {text}");
    assert_eq!(postfix.send_to(&["ben"], &mail).0, 250, "Ben alone does");
    assert_eq!(postfix.send_to(&["anne", "ben"], &mail).0, 250, "the mildest verdict counts");
    assert_eq!(postfix.send_to(&["ben", "anne"], &mail).0, 250, "in whatever order");
    let refused = postfix.send_to(&["anne", "ben+news"], &message("ham", 3));
    assert_eq!(refused.0, 250, "Anne wants this one: {}", refused.1);
    assert_eq!(postfix.delivered_to("anne", 3).len(), 3);
    for marked in postfix.delivered_to("ben", 3) {
        assert_eq!(header(&marked, "X-Tamis-Verdict").len(), 1, "{marked}");
    }
    assert_eq!(
        counted(&server),
        [("delivered", 4), ("tagged", 0), ("quarantined", 0), ("rejected", 1)]
    );
}
