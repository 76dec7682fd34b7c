//! Foreign text that cannot steer what shows it.

/// A text on one line, without characters that steer a terminal, a page or the direction of text: each is
/// replaced by U+FFFD.
#[must_use]
pub fn plain(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
    };
    text.chars().map(|c| if steers(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_is_left_that_steers() {
        assert_eq!(plain("a\u{1b}[2J\r\nb"), "a\u{FFFD}[2J\u{FFFD}\u{FFFD}b");
        assert_eq!(plain("invoice\u{202E}fdp.exe"), "invoice\u{FFFD}fdp.exe");
        assert_eq!(plain("\u{2067}x\u{2069}\u{200B}"), "\u{FFFD}x\u{FFFD}\u{FFFD}");
        assert_eq!(plain("שלום, ¡olá! 你好"), "שלום, ¡olá! 你好");
    }
}
