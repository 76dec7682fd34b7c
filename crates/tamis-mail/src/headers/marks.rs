//! What is written into messages beside `X-Tamis-*`, as rules for other filters expect it.
//!
//! ```text
//! X-Spam-Flag: YES                       only in spam
//! X-Spam-Score: 7.5
//! X-Spam-Status: Yes, score=7.5 required=5.0 tests=TAMIS_SPAM,TAMIS_BY_WORDS
//! Subject: [SPAM] as it was              only in spam
//! ```
//!
//! A message that was learned keeps its [identity](crate::identity): neither these headers nor the
//! tag of a subject count.

use super::{Marked, PREFIX, Remarks, mark, value};
use crate::identity::is_tag;

/// A message with at least this many points is spam.
pub const POINTS_OF_SPAM: f64 = 5.0;

/// The headers of other filters that are written.
const SPAM_HEADERS: [&str; 3] = ["X-Spam-Flag", "X-Spam-Status", "X-Spam-Score"];

/// Which marks are written into messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    spam_headers: bool,
    subject_tag: Option<String>,
}

impl Marks {
    /// `X-Tamis-*`, and beside it the headers `X-Spam-*` and a tag before the subject of spam.
    ///
    /// # Errors
    /// A sentence, for a tag that is not recognised when the message is learned.
    pub fn new(spam_headers: bool, subject_tag: Option<&str>) -> Result<Self, String> {
        if let Some(tag) = subject_tag
            && !is_tag(tag)
        {
            return Err(format!(
                "{tag:?} is no tag: write [SPAM], ***SPAM*** or {{Spam?}}, with spam, junk, bulk, virus or phishing in it"
            ));
        }
        Ok(Self { spam_headers, subject_tag: subject_tag.map(str::to_owned) })
    }

    /// Whether incoming headers of this name are removed.
    #[must_use]
    pub fn replace(&self, name: &[u8]) -> bool {
        let start = name.get(..PREFIX.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(PREFIX.as_bytes()))
            || self.spam_headers
                && SPAM_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
    }

    /// The headers, as names and values that are safe to write.
    #[must_use]
    pub fn headers(&self, remarks: &Remarks) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("X-Tamis-Verdict", value(&remarks.verdict)),
            ("X-Tamis-Score", format!("{:.4}", remarks.probability)),
            ("X-Tamis-Reason", value(&remarks.reason)),
        ];
        if self.spam_headers {
            let points = remarks.shown_points();
            if remarks.is_spam {
                headers.push(("X-Spam-Flag", "YES".to_owned()));
            }
            let word = if remarks.is_spam { "Yes" } else { "No" };
            let tests = remarks.symbols().join(",");
            headers.push(("X-Spam-Score", format!("{points:.1}")));
            let status =
                format!("{word}, score={points:.1} required={POINTS_OF_SPAM:.1} tests={tests}");
            headers.push(("X-Spam-Status", status));
        }
        headers
    }

    /// The tag that the subject of a message gets.
    #[must_use]
    pub fn tag(&self, remarks: &Remarks) -> Option<&str> {
        self.subject_tag.as_deref().filter(|_| remarks.is_spam)
    }

    /// The value of a subject with the tag; none if it stays as it is.
    #[must_use]
    pub fn subject(&self, remarks: &Remarks, subject: &[u8]) -> Option<Vec<u8>> {
        let tag = self.tag(remarks)?.as_bytes();
        let subject = subject.trim_ascii_start();
        (!subject.starts_with(tag)).then(|| [tag, b" ", subject].concat().trim_ascii_end().to_vec())
    }

    /// A message with all marks.
    #[must_use]
    pub fn mark<'a>(&self, raw: &'a [u8], remarks: &Remarks) -> Marked<'a> {
        mark(raw, &self.headers(remarks), self, self.tag(remarks))
    }
}

impl Remarks {
    /// Points with one digit after the point, on the same side of [`POINTS_OF_SPAM`] as the verdict.
    #[must_use]
    pub fn shown_points(&self) -> f64 {
        let points = (self.points.clamp(-99.9, 999.9) * 10.0).round() / 10.0;
        if self.is_spam { points.max(POINTS_OF_SPAM) } else { points.min(POINTS_OF_SPAM - 0.1) }
    }

    /// The verdict and each stage that gives a reason, as the names of tests.
    #[must_use]
    pub fn symbols(&self) -> Vec<String> {
        let name = |text: &str| text.to_uppercase().replace('-', "_");
        let stages = self.stages.iter().map(|stage| format!("TAMIS_BY_{}", name(stage)));
        [format!("TAMIS_{}", name(&self.verdict))].into_iter().chain(stages).collect()
    }
}

/// Appends the first line of a subject with a tag before its value.
pub(super) fn push_subject(head: &mut Vec<u8>, line: &[u8], tag: &str) {
    let colon = memchr::memchr(b':', line).map_or(line.len(), |at| at + 1);
    let (name, rest) = line.split_at(colon);
    let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &rest[blank..];
    if rest.starts_with(tag.as_bytes()) {
        head.extend_from_slice(line);
        return;
    }
    for part in [name, b" ", tag.as_bytes(), b" ", rest] {
        head.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(is_spam: bool, points: f64) -> Remarks {
        Remarks {
            verdict: if is_spam { "spam" } else { "to-read" }.to_owned(),
            probability: 0.25,
            reason: "words".to_owned(),
            is_spam,
            points,
            stages: vec!["words", "sender"],
        }
    }

    fn marked(raw: &str, is_spam: bool) -> String {
        let marks = Marks::new(true, Some("[SPAM]")).expect("a tag");
        String::from_utf8(marks.mark(raw.as_bytes(), &remarks(is_spam, 7.26)).concat())
            .expect("text")
    }

    #[test]
    fn headers_of_other_filters_are_written_and_forged_ones_removed() {
        let raw = "x-spam-flag: NO\r\nX-Spam-Status: No,\r\n score=-9\r\nX-Spam-Level: *\r\nSubject: x\r\n\r\ny";
        assert_eq!(
            marked(raw, true),
            "X-Tamis-Verdict: spam\r\nX-Tamis-Score: 0.2500\r\nX-Tamis-Reason: words\r\nX-Spam-Flag: YES\r\n\
             X-Spam-Score: 7.3\r\nX-Spam-Status: Yes, score=7.3 required=5.0 tests=TAMIS_SPAM,TAMIS_BY_WORDS,TAMIS_BY_SENDER\r\n\
             X-Spam-Level: *\r\nSubject: [SPAM] x\r\n\r\ny"
        );
        let ham = marked(raw, false);
        assert!(!ham.contains("Flag") && ham.contains("X-Spam-Score: 4.9\r\n"), "{ham}");
        assert!(ham.contains("No, score=4.9 required=5.0 tests=TAMIS_TO_READ,"), "{ham}");
        assert!(ham.ends_with("Subject: x\r\n\r\ny"), "{ham}");
        let plain = Marks::default().mark(raw.as_bytes(), &remarks(true, 9.0)).concat();
        assert!(plain.ends_with(raw.as_bytes()), "what is not written is not removed");
    }

    #[test]
    fn the_first_subject_gets_the_tag_once() {
        for (raw, end) in [
            ("Subject: a\nSubject: b\n\nc", "Subject: [SPAM] a\nSubject: b\n\nc"),
            ("SUBJECT:\n a\n\nc", "SUBJECT: [SPAM] \n a\n\nc"),
            ("Subject: [SPAM] a\n\nc", "Subject: [SPAM] a\n\nc"),
            ("To: a\n\nSubject: c", "Subject: [SPAM]\nTo: a\n\nSubject: c"),
            ("FROM: a@b\nSubject: c\n", "FROM: a@b\nSubject: c\n\n"),
        ] {
            let marked = marked(raw, true);
            assert!(marked.ends_with(end), "{marked}");
        }
        let marks = Marks::new(false, Some("[SPAM]")).expect("a tag");
        let spam = remarks(true, 9.0);
        assert_eq!(marks.subject(&spam, b" x").as_deref(), Some(&b"[SPAM] x"[..]));
        assert_eq!(marks.subject(&spam, b"").as_deref(), Some(&b"[SPAM]"[..]));
        assert_eq!(marks.subject(&spam, b"[SPAM] x"), None);
        assert_eq!(marks.subject(&remarks(false, 0.0), b"x"), None);
    }

    #[test]
    fn a_tag_that_would_not_be_recognised_is_refused() {
        for tag in ["SPAM", "[garden]", "", "[SPAM]\n", "[SPAM] x", "[SPAM"] {
            assert!(Marks::new(false, Some(tag)).is_err(), "{tag:?}");
        }
        for tag in ["[SPAM]", "***JUNK***", "{Spam?}"] {
            assert!(Marks::new(false, Some(tag)).is_ok(), "{tag:?}");
        }
    }
}
