//! One line of JSON for each thing that happens, on standard error. The text of messages is never in it; senders and
//! subjects only if that was asked for.

use serde_json::{Value, json};
use std::io::Write;
use tamis_mail::store::now;

/// Writes a line.
pub fn line(event: &str, mut fields: Value) {
    if let Some(map) = fields.as_object_mut() {
        map.insert("event".to_owned(), json!(event));
        map.insert("time".to_owned(), json!(now()));
    }
    let mut text = fields.to_string();
    text.push('\n');
    // Nobody may be there to read.
    std::io::stderr().lock().write_all(text.as_bytes()).ok();
}
