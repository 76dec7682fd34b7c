//! Whatever is sent is a message within bounds, on a small stack.

use std::fmt::Write;
use tamis::hash::KeyHash;
use tamis_mail::features::{MOST, features};
use tamis_mail::message::{MAX_TEXT, Message, Section};

/// Reads a message as a thread of a server would, and checks the bounds. The sections are returned.
fn read(raw: impl AsRef<[u8]> + Send + 'static) -> Vec<(Section, String)> {
    let reading = move || {
        let message = Message::parse(raw.as_ref());
        let sections: Vec<(Section, String)> =
            message.sections().map(|(section, text)| (section, text.to_owned())).collect();
        let size: usize = sections.iter().map(|(_, text)| text.len()).sum();
        assert!(size <= MAX_TEXT, "{size} bytes of text");
        assert!(sections.iter().all(|(_, text)| !text.is_empty()));
        assert!(features(&message, &KeyHash::default()).len() <= MOST);
        sections
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(reading).unwrap();
    thread.join().unwrap()
}

fn text_of(sections: &[(Section, String)], wanted: Section) -> String {
    let texts = sections.iter().filter(|(section, _)| *section == wanted);
    texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("|")
}

fn body(raw: impl AsRef<[u8]> + Send + 'static) -> String {
    text_of(&read(raw), Section::Body)
}

fn html(source: &str) -> Vec<(Section, String)> {
    read(format!("Content-Type: text/html\n\n{source}"))
}

#[test]
fn parts_in_parts() {
    for levels in [1_000, 20_000] {
        let mut multipart = String::from("Subject: deep\n");
        for level in 0..levels {
            write!(multipart, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n")
                .unwrap();
        }
        read(multipart.clone() + "\nthe end");
        for level in (0..levels).rev() {
            write!(multipart, "\n--b{level}--").unwrap();
        }
        read(multipart);
        read("Content-Type: multipart/mixed; boundary=b\n\n--b\n".repeat(levels));
        read("Content-Type: multipart/mixed; boundary=missing\n\n".repeat(levels));
    }
    let mut wide = String::new();
    for level in 0..30 {
        write!(wide, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n").unwrap();
    }
    read(wide + &"\n".repeat(16 << 20));
}

#[test]
fn messages_in_messages() {
    for levels in [1_000, 20_000, 100_000] {
        read("Content-Type: message/rfc822\n\n".repeat(levels) + "Subject: x\n\nthe end");
        read("C o n t e n t-Type: message/rfc822\n\n".repeat(levels));
        read("Content-Type: multipart/digest; boundary=b\n\n--b\n\n".repeat(levels));
        let inner = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n";
        read(inner.repeat(levels));
    }
}

#[test]
fn many_parts() {
    let head = "Subject: many\nContent-Type: multipart/mixed; boundary=b\n\n";
    let body = body(format!("{head}{}", "--b\n\nx\n".repeat(100_000)));
    assert!(body.starts_with("x|x"), "{body:.20}");
    read(format!("{head}{}", "--b\n".repeat(100_000)));
    read(format!("{head}{}", "--b\nContent-Type: text/html\n\n<".repeat(100_000)));
    // Each of them could be searched to the end for its own boundary.
    let unclosed = "--b\nContent-Type: multipart/mixed; boundary=c\n\nx\n";
    read(format!("{head}{}", unclosed.repeat(100_000)));
}

#[test]
fn many_and_long_headers() {
    assert_eq!(body(format!("{}\nthe end", "a:\n".repeat(50_000))), "the end");
    read("a:\n".repeat(2_000_000));
    read("no colon\n".repeat(100_000));
    for name in ["Subject", "From", "Reply-To", "Content-Type", "X", "Authentication-Results"] {
        for unit in [
            "=?utf-8?q?",
            "=?utf-8?b?",
            "=?a1?q?x?=",
            "<a@b>, ",
            "(",
            "\"",
            "a:",
            "\n ",
            "<",
            ";",
            "; a*0=\"",
            "; a=",
            "\\",
            "\u{0}",
            "\u{202e}",
            "a;dmarc=fail(",
        ] {
            read(format!("{name}: {}\n\nthe end", unit.repeat((1 << 18) / unit.len())));
        }
    }
}

#[test]
fn one_line_of_50_megabytes() {
    read(vec![b'x'; 50 << 20]);
    let mut raw = b"Subject: x\n\n".to_vec();
    raw.resize(50 << 20, b'x');
    assert_eq!(body(raw).len(), MAX_TEXT - 1, "all but the subject");
    let mut raw = b"Content-Type: multipart/mixed; boundary=x\n\n".to_vec();
    raw.resize(50 << 20, b'-');
    read(raw);
}

#[test]
fn charsets() {
    let with = |charset: &str, bytes: &[u8]| {
        let head = format!("Subject: x\nContent-Type: text/plain; charset={charset}\n\n");
        body([head.as_bytes(), bytes].concat())
    };
    assert_eq!(with("utf-8", b"caf\xE9"), "café");
    assert_eq!(with("no-such", b"caf\xE9"), "café");
    assert_eq!(with("\"\"", b"caf\xC3\xA9"), "café");
    assert_eq!(with("us-ascii", b"caf\xC3\xA9"), "café");
    for charset in ["utf-7", "utf-16", "utf-16le", "utf-32", "gb18030", "shift_jis", "koi8-r", "x"]
    {
        with(charset, b"\xFF\xFE\x00\xD8\x00\x00+AGEAY-\x80\x1b$B\x81");
        with(charset, &[0xFF; 1000]);
    }
    read(b"Subject: caf\xE9 \xFF\n\n\xFF".to_vec());
}

#[test]
fn nothing_and_nul() {
    assert!(read("").is_empty());
    for raw in ["\0", "\n", "\r\n\r\n", ":", "::", "FROM:", "FROM:\n", "\u{feff}Subject: x\n\ny"] {
        read(raw);
    }
    assert_eq!(body("Subject: a\0b\n\nc\0d"), "c\0d");
    read(vec![0; 1 << 20]);
}

/// A message that has something of everything.
const SAMPLE: &str = "Authentication-Results: mx; dmarc=fail\r\nFrom: \"A. Leek\" <leek@example.org>\r\n\
    Reply-To: =?utf-8?q?Caf=C3=A9?= <other@example.net>\r\nSubject: =?iso-8859-1?b?Y2Fm6Q==?=\r\n\
    Content-Type: multipart/mixed; boundary=\"out\"\r\n\r\npreamble\r\n--out\r\n\
    Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n\
    Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    caf=E9 at https://shop.example.com/a?b=\r\n=3Dc\r\n--in\r\n\
    Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
    PHA+Y2Fmw6kgPGEgaHJlZj0iaHR0cDovL3guZXhhbXBsZS8iPmhlcmU8L2E+PC9wPg==\r\n--in--\r\n--out\r\n\
    Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner text\r\n--out\r\n\
    Content-Type: application/zip; name*=utf-8''caf%C3%A9.zip\r\n\
    Content-Disposition: attachment; filename=\"a.zip\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
    UEsDBA==\r\n--out--\r\nepilogue\r\n";

#[test]
fn every_beginning_of_a_message() {
    let whole = read(SAMPLE);
    assert_eq!(
        text_of(&whole, Section::Body),
        "café at https://shop.example.com/a?b=c| café here |inner text"
    );
    assert_eq!(text_of(&whole, Section::Subject), "café");
    assert_eq!(text_of(&whole, Section::Link), "shop.example.com|x.example");
    assert!(text_of(&whole, Section::Part).contains("a.zip"));
    for end in 0..SAMPLE.len() {
        let message = Message::parse(&SAMPLE.as_bytes()[..end]);
        assert!(message.body().len() <= end);
        let mut damaged = SAMPLE.as_bytes().to_vec();
        damaged[end] ^= 0x15;
        drop(Message::parse(&damaged));
        damaged.remove(end);
        drop(Message::parse(&damaged));
    }
}

#[test]
fn attachments_are_not_unpacked() {
    // A megabyte that claims to be one of the zip files that unpack to petabytes.
    let bomb = format!("PK\u{3}\u{4}{}", "\0".repeat(1 << 20));
    let raw = format!(
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/zip; \
        name=42.zip\n\n{bomb}\n--b\n\ntext"
    );
    let sections = read(raw);
    assert_eq!(text_of(&sections, Section::Body), "text");
    assert!(text_of(&sections, Section::Part).contains("42.zip"));
    assert_eq!(body(format!("Content-Type: application/zip\n\n{bomb}")), "");
}

#[test]
fn invisible_characters_are_removed_and_controls_stay() {
    let subject = "invoice \u{202e}fdp.exe\u{1b}[31m\u{7}\u{200b}";
    let sections = read(format!("Subject: {subject}\n\n{subject}"));
    let clean = "invoice fdp.exe\u{1b}[31m\u{7}";
    assert_eq!(text_of(&sections, Section::Subject), clean);
    assert_eq!(text_of(&sections, Section::Body), clean);
}

#[test]
fn broken_base64_and_quoted_printable() {
    let with = |encoding: &str, text: &str| {
        body(format!("Subject: x\nContent-Transfer-Encoding: {encoding}\n\n{text}"))
    };
    assert_eq!(with("base64", "aGVs*bG8g\nd29y!bGQ"), "hello world");
    assert_eq!(with("base64", "aGVsbG8"), "hello");
    assert_eq!(with("quoted-printable", "a=3Db=zz=\n=4"), "a=b=zz=4");
    for text in ["====", "=", "A", "\u{e9}\u{e9}", &"=".repeat(1 << 20), &"A=".repeat(1 << 19)] {
        with("base64", text);
        with("quoted-printable", text);
        with("uuencode", text);
    }
}

#[test]
fn pages_without_end() {
    let body = |source: &str| text_of(&html(source), Section::Body);
    assert_eq!(body(&"<b>x".repeat(100_000)).len(), 100_000);
    for unit in [
        "<div>",
        "<div ",
        "<a b='",
        "<a b=\">",
        "<",
        "</",
        "<!",
        "<!-",
        "<?",
        "<p hidden>",
        "&",
        "&#",
        "<td bgcolor=red>",
        "<a href=http://",
        "<a =",
        "<a a=\"'>",
        "<style>",
        "<font color=white>",
        "<i style='a:b;",
        "<!--x-->",
        "\"'",
    ] {
        html(&unit.repeat(100_000));
    }
    assert_eq!(body("seen<!-- never ends"), "seen");
    assert_eq!(body(&format!("a<i title='{}'>b", "x".repeat(2 << 20))), "ab");
    html(&format!("a<i title='{}", "<".repeat(2 << 20)));
    assert!(body(&"&lt;".repeat(1_000_000)) == "<".repeat(1_000_000));
    let tags: String = (0..100_000).fold(String::new(), |tags, tag| tags + &format!("<t{tag}>"));
    html(&tags);
    let links: String = (0..100_000)
        .fold(String::new(), |links, link| links + &format!("<a href=http://h{link}/>"));
    assert!(text_of(&html(&links), Section::Link).split('|').count() <= 1000);
}

#[test]
fn style_sheets_without_end() {
    let elements = "<p class='x y z' id=i style='color:red'>".repeat(20_000);
    for rule in [
        "*{color:red}",
        ".x{display:none}",
        "p.x.y.z{opacity:0}",
        "#i,.y,p{color:#fff}",
        "@media all{",
        "@media print{p{",
        "/*",
        "a b c d{color:red}",
        "}",
        "\\",
        "p{color:red;",
        ",,,,{color:red}",
    ] {
        html(&format!("<style>{}</style>{elements}", rule.repeat(20_000)));
        html(&format!("<style>{rule}</style>").repeat(20_000));
    }
    let classes: String = (0..20_000).fold(String::new(), |all, n| all + &format!("c{n} "));
    html(&format!("<p class='{classes}'>").repeat(20));
    html(&"<div style='background:url(;;;((('>".repeat(20_000));
}

#[test]
fn words_in_disguise_without_end() {
    for unit in [
        "v1agra ",
        "a1bcd-",
        "c@sh",
        "$ave!",
        "V I A G ",
        "v.",
        "é",
        "vіа",
        "ก",
        "中文",
        "ﷺ",
        "ａ",
        "\u{200b}",
        "a\u{301}",
        "\u{301}",
        "🅰",
        "begin 644 x\n",
        "begin 644 x\n#0V%T\n",
        "YnV5",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        read(format!("Subject: {unit}\n\n{text}"));
        html(&text);
    }
}
