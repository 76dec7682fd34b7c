//! The way that a message took, from its `Received` fields: hosts, networks, programs, and what does not fit.

use super::Visit;
use super::head::Head;
use super::received::{Received, Words, addresses};
use super::shape::{length_class, magnitude, push_without_digits, without_digits};

/// The most hops that are read.
const MAX_HOPS: usize = 8;

/// The most words of one hop that are read.
const MAX_WORDS: usize = 64;

/// Parts of a host name that is given to households rather than to servers.
const DYNAMIC: [&[u8]; 16] = [
    b"dyn", b"dsl", b"pool", b"dial", b"ppp", b"dhcp", b"cable", b"client", b"cust", b"user",
    b"home", b"host", b"ip-", b"static", b"broad", b"catv",
];

/// Calls `visit` with each feature of the route.
pub fn for_each(head: &Head<'_>, visit: &mut Visit<'_>) {
    if head.is_empty() {
        return;
    }
    let mut hops = 0;
    let mut dates = (None, None);
    for (place, value) in head.all(b"received").enumerate() {
        hops += 1;
        if place >= MAX_HOPS {
            continue;
        }
        let received = Received::parse(value);
        let date = super::facts::seconds(received.date);
        dates = (dates.0.or(date), date.or(dates.1));
        hop(&received, place == 0, visit);
    }
    visit("hops", &magnitude(hops));
    if let (Some(last), Some(first)) = dates {
        let seconds: i64 = last - first;
        let sign = if seconds < -60 { b'-' } else { b'+' };
        visit("transit time", &[sign, magnitude(seconds.unsigned_abs() / 8)[0]]);
    }
}

fn hop(received: &Received<'_>, is_last: bool, visit: &mut Visit<'_>) {
    let kinds = if is_last { &LAST_HOP } else { &OTHER_HOP };
    words(received, kinds, visit);
    for name in [received.helo, received.reverse()] {
        host(name, kinds, visit);
    }
    for address in addresses(received.found).chain(addresses(received.helo)).take(4) {
        for bytes in 1..=4 {
            visit(kinds.network, &address[..bytes]);
        }
    }
    transport(received, kinds, visit);
}

/// The names of features of a hop.
struct Kinds {
    word: &'static str,
    pair: &'static str,
    host: &'static str,
    domain: &'static str,
    label: &'static str,
    network: &'static str,
    shape: &'static str,
    transport: &'static str,
}

/// Of the last hop, which the receiving server has written itself.
const LAST_HOP: Kinds = Kinds {
    word: "received word",
    pair: "received words",
    host: "sending host",
    domain: "sending domain",
    label: "part of the sending host's name",
    network: "sending network",
    shape: "form of the received line",
    transport: "transport",
};

/// Of earlier hops, which anybody may have written.
const OTHER_HOP: Kinds = Kinds {
    word: "earlier received word",
    pair: "earlier received words",
    host: "earlier host",
    domain: "earlier domain",
    label: "part of an earlier host's name",
    network: "earlier network",
    shape: "form of an earlier received line",
    transport: "earlier transport",
};

/// Words without numbers, identifiers and recipients, pairs of them, and the form of the line.
fn words(received: &Received<'_>, kinds: &Kinds, visit: &mut Visit<'_>) {
    let mut form = Vec::new();
    // The word before and this one, which is the end of it.
    let mut pair: Vec<u8> = Vec::new();
    let mut skip = false;
    for word in (Words { rest: received.line }).take(MAX_WORDS) {
        if std::mem::take(&mut skip) {
            continue;
        }
        if matches!(word, b"id" | b"for") {
            form.extend_from_slice(word);
            skip = true;
            continue;
        }
        match word {
            b"from" | b"by" | b"with" | b"via" => form.extend_from_slice(word),
            _ => form.push(if word.starts_with(b"(") { b'(' } else { b'_' }),
        }
        for part in word.split(|byte| b"()[]=,; \t".contains(byte)) {
            if part.is_empty() || part.len() > 64 {
                continue;
            }
            let is_first = pair.is_empty();
            let start = if is_first { 0 } else { pair.len() + 1 };
            pair.resize(start, b' ');
            push_without_digits(part, &mut pair);
            visit(kinds.word, &pair[start..]);
            if !is_first {
                visit(kinds.pair, &pair);
            }
            pair.drain(..start);
        }
    }
    visit(kinds.shape, &form);
}

/// A host name, its parent domains and its labels.
fn host(name: &[u8], kinds: &Kinds, visit: &mut Visit<'_>) {
    if name.is_empty() || name.len() > 255 {
        return;
    }
    let name = name.to_ascii_lowercase();
    visit(kinds.host, &name);
    let mut rest = &name[..];
    while let Some(at) = memchr::memchr(b'.', rest) {
        visit(kinds.label, &without_digits(&rest[..at]));
        rest = &rest[at + 1..];
        visit(kinds.domain, rest);
    }
}

/// What does not fit together, and how it was sent.
fn transport(received: &Received<'_>, kinds: &Kinds, visit: &mut Visit<'_>) {
    let (helo, reverse) =
        (received.helo.to_ascii_lowercase(), received.reverse().to_ascii_lowercase());
    let is_address = addresses(&helo).next().is_some();
    let mut say = |fact: &str| visit(kinds.transport, fact.as_bytes());
    if is_address {
        say("the sending host named itself by an address");
    } else if !helo.contains(&b'.') {
        say("the sending host's name has no domain");
    }
    match &reverse[..] {
        b"" => say("the sending host has no name"),
        b"unknown" => say("the sending host is unknown"),
        reverse if *reverse != helo => {
            fn domain(name: &[u8]) -> &[u8] {
                let mut dots = name.iter().enumerate().rev().filter(|(_, byte)| **byte == b'.');
                dots.nth(1).map_or(name, |(at, _)| &name[at + 1..])
            }
            if domain(reverse) == domain(&helo) {
                say("the sending host named itself by a sibling's name");
            } else {
                say("the sending host named itself by another's name");
            }
        }
        _ => say("the sending host named itself rightly"),
    }
    let digits = reverse.iter().filter(|byte| byte.is_ascii_digit()).count();
    if DYNAMIC.iter().any(|part| memchr::memmem::find(&reverse, part).is_some()) || digits > 5 {
        say("the sending host looks like a household's");
    }
    let line = received.line.to_ascii_lowercase();
    if [&b"tls"[..], b"esmtps", b"ssl", b"cipher"]
        .iter()
        .any(|word| memchr::memmem::find(&line, word).is_some())
    {
        say("encrypted");
    }
    if received.address().is_none() {
        say("no address of the sending host");
    }
    let with = received.with.to_ascii_lowercase();
    visit(kinds.transport, &with);
    let parts = helo.split(|byte| *byte == b'.').count();
    visit(kinds.transport, &[b'#', length_class(parts), length_class(helo.len())]);
}
