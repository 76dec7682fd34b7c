//! Message identity: the same message before and after delivery has the same digest.
//!
//! The digest is a 128-bit hash of a canonical form, so that a correction made in a mail client
//! finds the message that was learned from a file, a page or a pipe. The canonical form leaves out
//! everything that delivery, filters and mailboxes change:
//!
//! | left out | examples |
//! |---|---|
//! | line ends | CR LF becomes LF; a missing final line end and trailing blank lines |
//! | the mbox envelope | the `From ` line before the headers, `>` before `From ` in the body |
//! | transport headers | `Received`, `Return-Path`, `Delivered-To`, `Authentication-Results`, `ARC-*` |
//! | filter headers | `X-Tamis-*`, `X-Spam-*`, `X-Virus-*`, `X-Rspamd-*`, `X-Bogosity` |
//! | mailbox headers | `Status`, `X-Status`, `X-UID`, `X-Keywords`, `Content-Length`, `X-Mozilla-*` |
//! | a filter's subject tag | `[SPAM]`, `***SPAM***`, `{Spam?}` in front of the subject |
//!
//! The other headers count with their order and values, `DKIM-Signature` among them: the sender
//! signs before delivery. Of the body the first [`MAX_BODY`] bytes count, so that a message that is
//! cut at [`crate::mailbox::MAX_MESSAGE`] keeps its identity when a server adds headers.
//!
//! The plain form (`FROM: address` on the first line) has no headers to leave out; blank lines in
//! it do not count, because [`crate::headers::marked`] may add one.
//!
//! Cost: one pass over the message and one buffer, which is never larger than the message.

use crate::headers::{line_end, name_of};
use crate::store::Digest;
use tamis::hash::KeyHash;

/// Number of bytes of the canonical body that count.
pub const MAX_BODY: usize = 16 << 20;

/// Headers that are left out, in lower case.
const NAMES: [&str; 33] = [
    "received",
    "return-path",
    "delivered-to",
    "delivery-date",
    "envelope-to",
    "x-original-to",
    "x-delivered-to",
    "x-envelope-to",
    "x-envelope-from",
    "x-received",
    "received-spf",
    "authentication-results",
    "x-authentication-results",
    "x-google-smtp-source",
    "x-spam",
    "x-bogosity",
    "x-sieve",
    "x-quarantine-id",
    "x-greylist",
    "x-virus",
    "status",
    "x-status",
    "x-uid",
    "x-uidl",
    "x-keywords",
    "lines",
    "content-length",
    "x-account-key",
    "x-evolution",
    "x-evolution-source",
    "x-gmail-labels",
    "x-gmail-received",
    "x-imap",
];

/// Prefixes of headers that are left out, in lower case.
const PREFIXES: [&str; 15] = [
    "x-tamis-",
    "x-spam-",
    "x-spamd-",
    "x-rspamd-",
    "x-virus-",
    "x-dspam-",
    "x-amavis-",
    "x-mozilla-",
    "x-gm-",
    "x-imapbase",
    "x-ms-exchange-organization-",
    "x-ms-exchange-crosstenant-",
    "x-getmail-",
    "arc-",
    "old-",
];

/// Words that mark a bracketed subject prefix as the tag of a filter.
const TAGS: [&[u8]; 5] = [b"spam", b"junk", b"bulk", b"virus", b"phishing"];

/// Maximum length of a subject tag, brackets included.
const LONGEST_TAG: usize = 48;

/// The digest of a message under this seed.
///
/// # Complexity
/// Linear in the size of the message.
#[must_use]
pub fn of(raw: &[u8], seed: u64) -> Digest {
    let form = canonical(raw);
    let halves = [KeyHash::new(seed).bytes(&form), KeyHash::new(!seed).bytes(&form)];
    let mut digest = [0; 16];
    digest[..8].copy_from_slice(&halves[0].to_le_bytes());
    digest[8..].copy_from_slice(&halves[1].to_le_bytes());
    digest
}

/// The first half of the digest, at half of the cost: for tables of one process.
pub(crate) fn key(raw: &[u8], seed: u64) -> u64 {
    KeyHash::new(seed).bytes(&canonical(raw))
}

/// The part of a message that counts.
fn canonical(raw: &[u8]) -> Vec<u8> {
    let mut rest = raw;
    let mut form = Vec::with_capacity(raw.len());
    if rest.starts_with(b"From ") || rest.starts_with(b">From ") {
        rest = &rest[line_end(rest)..];
    }
    let mut is_dropped: Option<bool> = None;
    while !rest.is_empty() {
        let end = line_end(rest);
        let line = &rest[..end];
        let is_continued = matches!(line.first(), Some(b' ' | b'\t'));
        match (is_dropped, name_of(line)) {
            (Some(is_dropped), _) if is_continued => {
                if !is_dropped {
                    push_text(&mut form, line);
                }
            }
            (_, Some(_)) if form.is_empty() && line.starts_with(b"FROM:") => {
                push_text(&mut form, line);
                body(&mut form, &rest[end..], true);
                return form;
            }
            (_, Some(name)) => {
                is_dropped = Some(is_left_out(name));
                if name.eq_ignore_ascii_case(b"subject") {
                    let value = &line[line.len().min(colon(line) + 1)..];
                    push_subject(&mut form, value);
                } else if is_dropped == Some(false) {
                    push_text(&mut form, line);
                }
            }
            _ => break,
        }
        rest = &rest[end..];
    }
    body(&mut form, rest, false);
    form
}

/// Appends the body, without the blank lines before and after it.
fn body(form: &mut Vec<u8>, raw: &[u8], is_plain: bool) {
    let mut rest = raw;
    let start = form.len();
    // Delivery adds a blank line where none separates the headers from the body.
    while let Some(after) = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n")) {
        rest = after;
    }
    if !is_plain && memchr::memmem::find(rest, b">From ").is_none() {
        push_text(form, rest);
        rest = &[];
    }
    while !rest.is_empty() && form.len() - start < MAX_BODY {
        let (line, after) = rest.split_at(line_end(rest));
        rest = after;
        if is_plain && matches!(line, b"\n" | b"\r\n") {
            continue;
        }
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        push_text(form, if line[marks..].starts_with(b"From ") { &line[marks..] } else { line });
    }
    form.truncate(start.saturating_add(MAX_BODY));
    let end = form.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    form.truncate(end);
}

/// Appends text without carriage returns.
fn push_text(form: &mut Vec<u8>, text: &[u8]) {
    let mut start = 0;
    for at in memchr::memchr_iter(b'\r', text) {
        form.extend_from_slice(&text[start..at]);
        start = at + 1;
    }
    form.extend_from_slice(&text[start..]);
}

/// Appends a subject without the tags of filters. A subject of nothing else counts as none.
fn push_subject(form: &mut Vec<u8>, value: &[u8]) {
    let mut text = value.trim_ascii_start();
    while let Some(after) = without_tag(text) {
        text = after.trim_ascii_start();
    }
    if !text.is_empty() {
        // One byte for `Subject:`, so that the form does not outgrow the message.
        form.push(b'S');
        push_text(form, text);
    }
}

/// What follows a tag such as `[SPAM]`, `{Spam?}` or `***SPAM***`.
fn without_tag(text: &[u8]) -> Option<&[u8]> {
    let near = &text[..text.len().min(LONGEST_TAG)];
    let end = match near.first()? {
        b'[' => memchr::memchr(b']', near)?,
        b'{' => memchr::memchr(b'}', near)?,
        b'*' => {
            let stars = near.iter().take_while(|byte| **byte == b'*').count();
            let word = stars + memchr::memchr(b'*', &near[stars..])?;
            word + near[word..].iter().take_while(|byte| **byte == b'*').count() - 1
        }
        _ => return None,
    };
    let holds = |tag: &&[u8]| near[..end].windows(tag.len()).any(|w| w.eq_ignore_ascii_case(tag));
    TAGS.iter().any(holds).then(|| &text[end + 1..])
}

/// Whether a text is nothing but one tag that does not count before a subject.
pub(crate) fn is_tag(text: &str) -> bool {
    !text.contains(char::is_control) && without_tag(text.as_bytes()).is_some_and(<[u8]>::is_empty)
}

/// Whether delivery, a filter or a mailbox adds headers of this name.
fn is_left_out(name: &[u8]) -> bool {
    let is = |other: &&str| name.eq_ignore_ascii_case(other.as_bytes());
    let starts = |prefix: &&str| {
        let start = name.get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    NAMES.iter().any(is) || PREFIXES.iter().any(starts)
}

fn colon(line: &[u8]) -> usize {
    memchr::memchr(b':', line).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::{Marks, Remarks, marked};
    use proptest::prelude::*;

    const MESSAGE: &str = "From: anne@example.org\nTo: bob@example.org\nSubject: Leeks\n\
        DKIM-Signature: v=1; d=example.org;\n\tb=abc\n\nThe leeks are ready.\nFrom tomorrow on.\n";

    fn same(left: &str, right: &str) -> bool {
        of(left.as_bytes(), 7) == of(right.as_bytes(), 7)
    }

    #[test]
    fn delivery_does_not_change_the_identity() {
        let transport = "Return-Path: <anne@example.org>\nReceived: from a by b;\n\tMon, 1 Jan 2001\n\
            Delivered-To: bob@example.org\nX-Original-To: bob\nEnvelope-To: bob\n\
            Authentication-Results: mx; spf=pass\nARC-Seal: i=1\nReceived-SPF: pass\n";
        let filters = "X-Tamis-Verdict: spam\nx-spam-status: Yes,\n score=9\nX-Virus-Scanned: yes\n\
            X-Rspamd-Queue-Id: 1\nX-Spamd-Bar: ++\nX-Bogosity: Spam\n";
        let mailbox = "X-Sieve: 2\nX-UID: 5\nStatus: RO\nX-Status: A\nX-Keywords: a\nLines: 3\n\
            Content-Length: 50\nX-Mozilla-Status: 1\nX-Gmail-Labels: a\nX-GM-THRID: 3\nX-IMAPbase: 1\nOld-Date: x\n";
        let delivered = format!("{transport}{filters}{MESSAGE}");
        assert!(same(MESSAGE, &delivered));
        let kept = MESSAGE.replacen("Subject", &format!("{mailbox}Subject"), 1);
        assert!(same(MESSAGE, &kept));
        assert!(same(MESSAGE, &delivered.replace('\n', "\r\n")));
        let mbox = format!("From a@b Mon Jan  1 12:00:00 2001\n{delivered}\n\n");
        assert!(same(MESSAGE, &mbox.replace("\nFrom tom", "\n>From tom")));
        assert!(same(MESSAGE, MESSAGE.trim_end()));
    }

    #[test]
    fn the_tag_of_a_filter_before_the_subject_does_not_count() {
        for tag in ["[SPAM] ", "***SPAM*** ", "*****SPAM*****", "{Spam?} ", "[SPAM 9.1] [Junk]"] {
            assert!(same(MESSAGE, &MESSAGE.replace("Leeks", &format!("{tag}Leeks"))), "{tag}");
        }
        for tag in ["[garden] ", "Re: ", "*** ", "[", "SPAM "] {
            assert!(!same(MESSAGE, &MESSAGE.replace("Leeks", &format!("{tag}Leeks"))), "{tag}");
        }
        assert!(same("Subject:\n a\n\nb", "Subject: [SPAM]\n a\n\nb"), "a folded subject");
        assert!(!same("Subject:\n a\n\nb", "Subject:\n c\n\nb"), "a folded subject");
        assert!(same("Subject: [SPAM]\nTo: a\n\nb", "To: a\n\nb"), "a subject that is only a tag");
    }

    #[test]
    fn what_the_sender_wrote_counts() {
        for (old, new) in [
            ("anne", "eve"),
            ("Leeks", "leeks"),
            ("ready", "red"),
            ("b=abc", "b=abd"),
            (
                "From: anne@example.org\nTo: bob@example.org",
                "To: bob@example.org\nFrom: anne@example.org",
            ),
            ("\nFrom tomorrow", "\n> From tomorrow"),
        ] {
            assert!(!same(MESSAGE, &MESSAGE.replacen(old, new, 1)), "{new}");
        }
        assert_ne!(of(MESSAGE.as_bytes(), 1), of(MESSAGE.as_bytes(), 2));
        assert!(!same("A: b\n\nc", "A: b\nc: d"));
        assert!(!same("Received: x\n\nReceived: y", "Received: x\n\nReceived: z"), "in the body");
    }

    #[test]
    fn a_very_long_message_keeps_its_identity_when_it_is_cut() {
        let long = format!("{MESSAGE}{}", "x".repeat(MAX_BODY));
        assert!(same(&long, &format!("Received: z\r\n{long}yyy")));
        assert!(!same(&long, &long.replacen("ready", "redly", 1)));
    }

    proptest! {
        #[test]
        fn marked_messages_keep_their_identity(
            raw in "(From x\n)?(FROM: a@b\n)?((A|Subject|X-Spam-Flag|B c|FROM): ?[ab>\\[\\]]{0,4}\r?\n)*[ab:> \t\r\n]{0,20}"
        ) {
            let headers = [("X-Tamis-Verdict", "ham".to_owned())];
            let after = marked(raw.as_bytes(), &headers);
            prop_assert_eq!(of(raw.as_bytes(), 1), of(&after, 1), "{:?}", String::from_utf8(after));
            // In the plain form all that follows the first line is text, and nothing in it is forged.
            if raw.contains("FROM:") && raw.contains("X-Spam-Flag") {
                return Ok(());
            }
            let marks = Marks::new(true, Some("[SPAM]")).expect("a tag");
            let (reason, points, stages) = (String::new(), 9.0, Vec::new());
            let verdict = "spam".to_owned();
            let spam = Remarks { verdict, probability: 1.0, reason, is_spam: true, points, stages };
            let after = marks.mark(raw.as_bytes(), &spam).concat();
            prop_assert_eq!(of(raw.as_bytes(), 1), of(&after, 1), "{:?}", String::from_utf8(after));
        }

        #[test]
        fn the_form_is_never_larger_than_the_message(raw in "[A-Z:a \t\r\n>*\\[\\]]{0,60}") {
            prop_assert!(canonical(raw.as_bytes()).capacity() <= raw.len());
        }
    }
}
