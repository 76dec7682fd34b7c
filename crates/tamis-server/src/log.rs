//! One line of JSON for each thing that happens, on standard error. The text of messages is never in it; senders and
//! subjects only by a setting. Whatever a message says, a line is one line of printable ASCII.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use tamis_mail::store::now;

/// Writes a line.
pub fn line(event: &str, mut fields: Value) {
    if let Some(map) = fields.as_object_mut() {
        map.insert("event".to_owned(), json!(event));
        map.insert("time".to_owned(), json!(now()));
    }
    let mut text = ascii(&fields.to_string());
    text.push('\n');
    // Nobody may be there to read.
    std::io::stderr().lock().write_all(text.as_bytes()).ok();
}

/// JSON with everything escaped that a terminal might obey or show in another order.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 1);
    for character in json.chars() {
        match character {
            ' '..='~' => text.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(text, "\\u{unit:04x}").unwrap_or_default();
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_printable_ascii_and_says_the_same() {
        let value = json!({ "message_id": "<\u{1b}[2J\u{202e}\u{7f}é\u{1f980}\n\"\\>" });
        let text = ascii(&value.to_string());
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
    }
}
