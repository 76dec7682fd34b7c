//! Bytes as a request of `spamc`: whatever they say, it is refused or read, and all of its parts are within their bounds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamis_mail::headers::marked;
use tamis_server::spamd::{Body, parse_head};

/// The largest message here.
const LARGEST: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    let Ok(Some((request, size))) = parse_head(input) else { return };
    assert!(size <= input.len());
    // The same head in pieces says the same.
    assert_eq!(parse_head(&input[..size]), Ok(Some((request.clone(), size))));
    let mut body = Body::new(&request);
    body.bytes = input[size..].to_vec();
    let Ok(message) = body.message(LARGEST) else { return };
    assert!(message.len() <= LARGEST.max(input.len()));
    let once = marked(&message, &[("X-Tamis-Verdict", "ham".to_owned())]);
    assert_eq!(marked(&once, &[("X-Tamis-Verdict", "ham".to_owned())]), once, "marked once is marked for ever");
});
