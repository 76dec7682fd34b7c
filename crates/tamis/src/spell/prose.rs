//! What of a text is language, and what is written for machines.
//!
//! Passed over: web and mail addresses, `@names` and `#tags`, paths, `key=value`, names with
//! `_`, `::` or `()`, variables with `$`, commands with `\`, `<tags>`, `&entities;`, and what
//! stands between backticks on one line.

/// The pieces of a text that are language, each with its offset, without white space and
/// without the punctuation that separates phrases.
pub(super) struct Prose<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Prose<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The bytes to pass over if something that is no language starts here.
    fn skipped(rest: &str) -> Option<usize> {
        match rest.as_bytes() {
            [b'`', inside @ ..] => {
                let end = inside.iter().position(|&byte| matches!(byte, b'`' | b'\n'))?;
                (inside[end] == b'`').then_some(end + 2)
            }
            [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!', inside @ ..] => {
                let end = inside.iter().position(|&byte| matches!(byte, b'<' | b'>' | b'\n'))?;
                (inside[end] == b'>').then_some(end + 3)
            }
            _ if starts_address(rest) => Some(address_length(rest)),
            _ => None,
        }
    }
}

impl<'t> Iterator for Prose<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if let Some(skipped) = Self::skipped(rest) {
                self.at += skipped;
            } else if separates(first) {
                self.at += first.len_utf8();
            } else {
                let length = rest.find(separates).unwrap_or(rest.len());
                let (piece, following) = rest.split_at(length);
                let start = self.at;
                self.at += length;
                let lead = piece.len() - piece.trim_start_matches('_').len();
                let piece = piece.trim_matches('_');
                if !piece.is_empty() && !is_code(piece, following) {
                    return Some((start + lead, piece));
                }
            }
        }
    }
}

/// Whether this ends a piece: white space, brackets, quotes, dashes, and marks that end
/// phrases. Full stop, colon, slash, hyphen and apostrophe may be inside of one.
fn separates(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_whitespace()
            || character.is_ascii_control()
            || matches!(
                character,
                '(' | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | '"'
                    | '`'
                    | ','
                    | ';'
                    | '!'
                    | '?'
                    | '|'
                    | '*'
            );
    }
    character.is_whitespace()
        || matches!(
            character,
            '\u{AB}' | '\u{BB}' | '\u{BF}' | '\u{A1}' // « » ¿ ¡
                | '\u{2012}'..='\u{2015}' // dashes
                | '\u{201A}'..='\u{201F}' // low and double quotes
                | '\u{2022}' | '\u{2026}' | '\u{2039}' | '\u{203A}' // • … ‹ ›
        )
}

/// Whether a web or mail address starts here.
fn starts_address(text: &str) -> bool {
    let start = |prefix: &str| {
        text.as_bytes()
            .get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    if start("www.") || start("mailto:") {
        return true;
    }
    let scheme = text.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
    scheme > 1 && text[scheme..].starts_with("://")
}

/// How far an address goes: to white space, a quote or a bracket that it did not open.
fn address_length(text: &str) -> usize {
    let mut open = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => open += 1,
            ')' | ']' if open == 0 => return at,
            ')' | ']' => open -= 1,
            '<' | '>' | '"' | '`' | '\u{AB}' | '\u{BB}' | '\u{201C}'..='\u{201F}' => return at,
            _ if character.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether a piece, with what follows it, is written for machines.
fn is_code(piece: &str, following: &str) -> bool {
    if following.starts_with("()") {
        return true;
    }
    let marked = |byte: u8| {
        matches!(byte, b'@' | b'/' | b'\\' | b'_' | b'=' | b':' | b'#' | b'$' | b'&' | b'~')
    };
    if !piece.bytes().any(marked) {
        return false;
    }
    let piece = piece.trim_end_matches(['.', ':', '\\', '/']);
    let is_path = || {
        let slashes = piece.bytes().filter(|&byte| byte == b'/').count();
        slashes > 1
            || slashes == 1 && piece.starts_with(['/', '~'])
            || slashes == 1 && piece.contains('.')
    };
    let before_letter = |mark: char| {
        piece.split(mark).skip(1).any(|after| after.starts_with(char::is_alphanumeric))
    };
    let entity = || {
        following.starts_with(';')
            && piece.rsplit_once('&').is_some_and(|(_, name)| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
            })
    };
    before_letter('@')
        || piece.contains(['\\', '_'])
        || piece.contains("::")
        || piece.contains("://")
        || before_letter('=')
        || piece.starts_with(['#', '$']) && piece.len() > 1
        || is_path()
        || entity()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> Vec<&str> {
        Prose::new(text)
            .map(|(offset, piece)| {
                assert_eq!(&text[offset..offset + piece.len()], piece);
                piece
            })
            .collect()
    }

    #[test]
    fn what_is_written_for_machines_is_passed_over() {
        for text in [
            "https://pt.wikipedia.org/wiki/Crivo_(utensílio)",
            "HTTP://EXAMPLE.ORG",
            "www.example.org/página",
            "mailto:ana@example.org",
            "ana.maria@example.org",
            "@ana",
            "#semfiltro",
            "/usr/share/dict/words",
            "~/palavras",
            "src/main.rs",
            "C:\\Windows\\fonts",
            "\\emph",
            "snake_case",
            "std::vec",
            "main()",
            "$HOME",
            "rate=fast",
            "`two words`",
            "<br/>",
            "<div class=\"x\">",
            "<ana@example.org>",
            "&ccedil;",
        ] {
            let words = prose(text);
            assert!(words.iter().all(|word| *word == "utensílio"), "{text}: {words:?}");
        }
    }

    #[test]
    fn what_stands_around_code_is_kept() {
        assert_eq!(
            prose("veja (http://a.org/b_(c)), ou [isto](http://d.org)!"),
            ["veja", "ou", "isto"]
        );
        assert_eq!(prose("o comando `ls -l` lista"), ["o", "comando", "lista"]);
        assert_eq!(prose("``quoted'' text"), ["quoted''", "text"]);
        assert_eq!(prose("um ` só"), ["um", "só"]);
        assert_eq!(prose("\\emph{palavra} <b>negrito</b>"), ["palavra", "negrito"]);
        assert_eq!(
            prose("_ênfase_ e/ou R&D, nota: fim."),
            ["ênfase", "e/ou", "R&D", "nota:", "fim."]
        );
        assert_eq!(prose("1 < 2 e a<b"), ["1", "2", "e", "a", "b"]);
    }
}
