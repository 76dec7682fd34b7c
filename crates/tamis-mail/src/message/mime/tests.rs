//! Bodies are found whatever is around them.

use super::super::{Message, Section};

fn bodies(raw: &str) -> Vec<String> {
    let message = Message::parse(raw.as_bytes());
    let bodies = message.sections().filter(|(section, _)| *section == Section::Body);
    bodies.map(|(_, text)| text.to_owned()).collect()
}

#[test]
fn parts_stand_between_boundaries() {
    let head = "Subject: x\nContent-Type: multipart/mixed; boundary=\"b\"\n\n";
    assert_eq!(bodies(&format!("{head}no\n--b\n\none\n--b \t\n\ntwo\n--b--\nno")), ["one", "two"]);
    assert_eq!(bodies(&format!("{head}--b\n\n--b2\n--b\nA: b\n\nthe end")), ["--b2", "the end"]);
    assert_eq!(bodies(&format!("{head}no boundary")), ["no boundary"]);
    let nested = "Content-Type: multipart/alternative; boundary=i\n\n--i\n\nin\n--b\n\nout\n--b--";
    assert_eq!(bodies(&format!("{head}--b\n{nested}")), ["in", "out"]);
}

#[test]
fn a_message_in_a_message_is_read() {
    let head = "A: x\nContent-Type: multipart/digest; boundary=b\n\n";
    let raw = format!("{head}--b\n\nSubject: in\n\ntext\n--b\nContent-Type: text/plain\n\nmore");
    assert_eq!(bodies(&raw), ["text", "more"]);
    assert_eq!(bodies("Content-Type: message/rfc822\n\nSubject: y\n\ntext"), ["text"]);
}

#[test]
fn empty_parts_do_not_hide_a_body() {
    let head = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n";
    for empty in [
        "--b\n\n",
        "--b\nContent-Type: text/plain\n\n \n\n",
        "--b\nContent-Type: text/html\n\n<p></p>\n",
        "--b\nContent-Transfer-Encoding: base64\n\nICAgIA==\n",
        "--b\nContent-Type: image/gif; name=x.gif\n\nGIF\n",
    ] {
        let raw = format!("{head}{}--b\n\nthe body\n--b--", empty.repeat(20_000));
        let bodies = bodies(&raw);
        assert_eq!(bodies.last().map(String::as_str), Some("the body"), "{empty}");
        assert!(bodies.len() < 200, "{empty}: {}", bodies.len());
    }
    let blank = format!("{head}--b\n\n{}\n--b\n\nthe body", " ".repeat(5 << 20));
    assert!(bodies(&blank).concat().trim_start().ends_with("the body"));
}

#[test]
fn a_type_that_is_none_is_text() {
    for kind in ["text", "html", "foo", "text/x-unknown", "text/"] {
        let raw = format!("Content-Type: {kind}\n\nthe body");
        assert_eq!(bodies(&raw).concat().trim(), "the body", "{kind}");
    }
    assert!(bodies("Content-Type: application/pdf\n\nthe body").is_empty());
}

#[test]
fn encodings_inside_text_are_read() {
    let raw =
        "A: b\n\nsee\nbegin 644 a.html\n9/'`^8G5Y('1H92!B;'5E('!I;&QS/\"]P/@``\n`\nend\nafter\n";
    let message = Message::parse(raw.as_bytes());
    assert!(message.body().contains("buy the blue pills"), "{}", message.body());
    assert!(message.body().contains("after") && !message.body().contains("begin"));
    let file = &message.structure().parts[1];
    assert!(file.attachment && file.extension.as_deref() == Some("html"));
    let raw = "A: b\n\nYnV5IHRoZSBibHVlIHBpbGxzIG5vdywgbXkgZGVh\nciBmcmllbmQsIHRvZGF5\n";
    let body = Message::parse(raw.as_bytes()).body();
    assert!(body.contains("buy the blue pills now"), "{body}");
    assert!(body.contains("YnV5"), "what is seen stays");
}

fn alternatives(plain: &str, page: &str) -> String {
    format!(
        "A: b\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n--b\n\
        Content-Type: text/html\n\n{page}\n--b--"
    )
}

#[test]
fn a_plain_text_that_differs_from_its_page_is_a_fact() {
    let words: String = (0..40).map(|n| format!("word{n} ")).collect();
    let same = alternatives(&words, &format!("<p>{words}"));
    let message = Message::parse(same.as_bytes());
    assert_eq!(message.structure().alternative, Some(1.0));
    assert_eq!(bodies(&same).len(), 2);
    let other = alternatives(&words, "<p>buy the blue pills now, my friend");
    let message = Message::parse(other.as_bytes());
    assert_eq!(message.structure().alternative, Some(0.0));
    assert_eq!(bodies(&other).len(), 1, "the page is what a reader sees");
    let is_kept = |(section, text): (Section, &str)| {
        section == Section::Alternative && text.contains("word39")
    };
    assert!(message.sections().any(is_kept), "and the plain text is read as well");
    assert!(message.structure().visible_bytes < 100);
    let short = alternatives("see the page", "<p>buy the blue pills now");
    assert_eq!(bodies(&short).len(), 2, "too short to be judged");
}

#[test]
fn text_without_a_header_is_text() {
    for text in ["no header at all", "two words: x\n\nb: c", "", "\n\n", ": x"] {
        assert_eq!(bodies(text).concat(), text);
    }
    assert_eq!(bodies("From x Mon\nA:b\n\ntext"), ["text"]);
    assert!(bodies("A:b").is_empty());
}
