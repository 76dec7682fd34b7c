//! Recipients, envelope and lists: the fields that carry addresses of others than the author.

use super::Visit;
use super::head::Head;

/// The most tokens of one field that are read.
const MAX_TOKENS: usize = 200;

/// Which fields, and what their tokens are called.
const FIELDS: [(&[u8], [&str; 3]); 14] = [
    (b"to", ["to", "to, words", "to, address"]),
    (b"cc", ["cc", "cc, words", "cc, address"]),
    (b"delivered-to", ["delivered to", "delivered to, words", "delivered to, address"]),
    (b"x-original-to", ["original to", "original to, words", "original to, address"]),
    (b"return-path", ["return path", "return path, words", "return path, address"]),
    (b"sender", ["sender field", "sender field, words", "sender field, address"]),
    (b"errors-to", ["errors to", "errors to, words", "errors to, address"]),
    (b"list-id", ["list", "list, words", "list, address"]),
    (b"list-post", ["list post", "list post, words", "list post, address"]),
    (b"list-unsubscribe", ["unsubscribe", "unsubscribe, words", "unsubscribe, address"]),
    (b"list-help", ["list help", "list help, words", "list help, address"]),
    (b"mailing-list", ["mailing list", "mailing list, words", "mailing list, address"]),
    (b"x-mailing-list", ["mailing list", "mailing list, words", "mailing list, address"]),
    (b"resent-from", ["resent from", "resent from, words", "resent from, address"]),
];

/// Calls `visit` with each feature of the addresses.
pub fn for_each(head: &Head<'_>, visit: &mut Visit<'_>) {
    if head.is_empty() {
        return;
    }
    for field in head.fields() {
        let Some((_, kinds)) = FIELDS.iter().find(|(name, _)| *name == field.name) else {
            continue;
        };
        tokens(&field.value, kinds, visit);
    }
    for (name, kinds) in &FIELDS[..6] {
        if head.get(name).is_none() {
            visit(kinds[0], b"(none)");
        }
    }
}

fn tokens(value: &[u8], [token, pair, address]: &[&'static str; 3], visit: &mut Visit<'_>) {
    let value = value.to_ascii_lowercase();
    let mut before: &[u8] = b"";
    let mut joined = Vec::new();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let words = value.split(|byte| !is_inner(byte)).filter(|word| !word.is_empty());
    for word in words.take(MAX_TOKENS) {
        let word = &word[..word.len().min(40)];
        visit(token, word);
        if !before.is_empty() {
            joined.clear();
            joined.extend_from_slice(before);
            joined.push(b' ');
            joined.extend_from_slice(word);
            visit(pair, &joined);
        }
        before = word;
    }
    let is_part = |byte: &u8| !byte.is_ascii_whitespace() && !b"<>,;()\"".contains(byte);
    let addresses = value.split(|byte| !is_part(byte)).filter(|word| word.contains(&b'@'));
    for whole in addresses.take(20) {
        visit(address, whole);
        if let Some(at) = memchr::memrchr(b'@', whole) {
            let mut domain = &whole[at + 1..];
            visit(address, domain);
            while let Some(dot) = memchr::memchr(b'.', domain) {
                domain = &domain[dot + 1..];
                visit(address, domain);
            }
        }
    }
}
