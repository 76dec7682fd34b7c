//! Bytes as a message: whatever they are, they are read within the bounds, and become features.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamis::hash::KeyHash;
use tamis_mail::features::{MOST, features};
use tamis_mail::message::{MAX_TEXT, Message, Section};

fuzz_target!(|raw: &[u8]| {
    let message = Message::parse(raw);
    let size: usize = message.sections().map(|(_, text)| text.len()).sum();
    assert!(size <= MAX_TEXT, "{size} bytes of text");
    assert!(message.sections().all(|(_, text)| !text.is_empty()), "an empty section");
    assert!(message.sender().is_none_or(|sender| sender.contains('@')));
    let hash = KeyHash::default();
    let found = features(&message, &hash);
    assert!(found.len() <= MOST && found.is_sorted_by(|a, b| a < b));
    assert_eq!(Message::parse(raw), message, "read twice");

    let body = message.body();
    let only = message.body_only();
    assert!(only.sections().all(|(section, _)| section == Section::Body));
    assert!(only.sender().is_none() && !only.contradicted());
    assert_eq!(only.body(), body);
    assert!(features(&only, &hash).len() <= found.len());
});
