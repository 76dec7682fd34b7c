//! Words and headers of a message as a sparse vector of length 1.
//!
//! The kinds of features are those of Stalwart's classifier: words of the subject and the text,
//! numbers by their length, the sender's address and domains, hosts of `Received`, `Message-ID` and
//! links, types of parts and extensions of attachments. The tokens of all header
//! fields but the subject and the date are added. Stalwart does not have them; with them the model
//! was better in both splits of the TREC 2007 public corpus that were tried. Each feature is hashed
//! with its kind to a place and a sign.

use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders};
use tamis::hash::KeyHash;

/// One coordinate of a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Feature {
    pub(super) place: usize,
    pub(super) value: f32,
}

/// Words are cut to this many bytes.
const LONGEST: usize = 16;

/// The vector of a message, with places below `2^bits`.
pub(super) fn read(raw: &[u8], bits: u32) -> Vec<Feature> {
    let mut hashes = Hashes::default();
    if let Some(message) = MessageParser::default().parse(raw) {
        hashes.message(&message);
    }
    hashes.vector(bits)
}

/// Hashes of the features, each as often as it occurs.
#[derive(Default)]
struct Hashes(Vec<u64>);

impl Hashes {
    fn message(&mut self, message: &Message<'_>) {
        self.words(message.subject().unwrap_or_default());
        for place in 0..message.text_body_count() {
            self.words(&message.body_text(place).unwrap_or_default());
        }
        for place in 0..message.html_body_count() {
            self.links(&message.body_html(place).unwrap_or_default());
        }
        for address in [message.from(), message.reply_to()].into_iter().flatten() {
            self.addresses(address);
        }
        if let HeaderValue::Text(sender) = message.return_path() {
            self.sender(sender);
        }
        for (name, line) in message.headers_raw() {
            self.header(&name.to_lowercase(), line);
        }
        for part in &message.parts {
            if let Some(kind) = part.content_type() {
                let subtype = kind.subtype().unwrap_or_default();
                self.add(b't', &format!("{}/{subtype}", kind.ctype()).to_lowercase());
            }
            let name = part.attachment_name().and_then(|name| name.rsplit_once('.'));
            if let Some((_, extension)) = name {
                self.add(b'x', &extension.to_lowercase());
            }
        }
    }

    /// Tokens with the name of the field; of routes the hosts, too.
    fn header(&mut self, name: &str, line: &str) {
        if matches!(name, "subject" | "date") {
            return;
        }
        let tokens = line.split(|c: char| !is_of_host(c)).filter(|token| !token.is_empty());
        for token in tokens {
            let token = token.to_lowercase();
            self.add(b'f', &format!("{name} {token}"));
            if matches!(name, "received" | "message-id") && token.contains('.') {
                self.host(b'h', &token);
            }
        }
    }

    fn words(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if word.bytes().any(|byte| byte.is_ascii_digit()) {
                self.add(b'n', &word.len().min(32).to_string());
            } else {
                let word = word.to_lowercase();
                self.add(b'w', &word[..word.floor_char_boundary(LONGEST)]);
            }
        }
        self.links(text);
    }

    fn links(&mut self, text: &str) {
        for rest in text.split("://").skip(1) {
            let end = rest.find(|c: char| !is_of_host(c)).unwrap_or(rest.len());
            self.host(b'u', &rest[..end]);
        }
    }

    fn addresses(&mut self, addresses: &Address<'_>) {
        addresses.iter().filter_map(|address| address.address()).for_each(|a| self.sender(a));
    }

    fn sender(&mut self, address: &str) {
        let address = address.to_lowercase();
        self.add(b's', &address);
        if let Some((_, domain)) = address.rsplit_once('@') {
            self.host(b's', domain);
        }
    }

    /// A host and its last two labels.
    fn host(&mut self, kind: u8, name: &str) {
        let name = name.trim_matches('.').to_lowercase();
        let mut dots = name.rmatch_indices('.').map(|(place, _)| place + 1);
        if let Some(start) = dots.nth(1) {
            self.add(kind, &name[start..]);
        }
        self.add(kind, &name);
    }

    fn add(&mut self, kind: u8, text: &str) {
        self.0.push(KeyHash::new(u64::from(kind)).bytes(text.as_bytes()));
    }

    /// Counts as ln(1 + count), then divided by the length of the vector.
    fn vector(mut self, bits: u32) -> Vec<Feature> {
        self.0.sort_unstable();
        let feature = |same: &[u64]| {
            let sign = if same[0] >> 63 == 0 { 1.0 } else { -1.0 };
            let place = (same[0] & ((1 << bits) - 1)) as usize;
            Feature { place, value: sign * (same.len() as f32).ln_1p() }
        };
        let mut vector: Vec<Feature> = self.0.chunk_by(|a, b| a == b).map(feature).collect();
        let length = vector.iter().map(|f| f.value * f.value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|feature| feature.value /= length.max(f32::MIN_POSITIVE));
        vector
    }
}

fn is_of_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_has_length_one_and_repeats_count_less() {
        let raw =
            b"From: a@b.example.org\nSubject: one two\n\none one one http://x.y.example.com/z\n";
        let vector = read(raw, 20);
        let length: f32 = vector.iter().map(|feature| feature.value * feature.value).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
        // one, two, http, x, y, z, example, com; the address and two domains; two hosts of the
        // link; two tokens of From.
        assert_eq!(vector.len(), 15);
        // Four times `one` against once everything else.
        let sizes = || vector.iter().map(|feature| feature.value.abs());
        let ratio = sizes().fold(0.0, f32::max) / sizes().fold(1.0, f32::min);
        assert!((ratio - 5f32.ln() / 2f32.ln()).abs() < 1e-4, "{ratio}");
        assert!(read(b"", 20).is_empty());
    }
}
