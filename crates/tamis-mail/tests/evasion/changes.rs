//! Changes by which spam tries to get past a filter.

use super::corpus::{Chance, Letter, alternatives, ham_words, headers, html_message, page};

/// What a reader notices of a change, and so how much recall it may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The message looks the same.
    Nothing,
    /// Letters look odd.
    Letters,
    /// There is more text.
    Words,
}

impl Notice {
    /// Largest loss of recall in percentage points.
    pub const fn allowed(self) -> f64 {
        match self {
            Self::Nothing => 5.0,
            Self::Letters => 20.0,
            Self::Words => 40.0,
        }
    }
}

type Apply = Box<dyn Fn(&Letter, &mut Chance) -> Vec<u8>>;

pub struct Change {
    pub name: String,
    pub notice: Notice,
    pub apply: Apply,
}

/// Number of words that are added to a message.
const ADDED: usize = 200;

/// Elements around words that no one sees.
const HIDING: [(&str, &str, &str); 22] = [
    ("display", "<div style=\"display:none\">", "</div>"),
    ("display with a comment", "<div style=\"DIS/**/PLAY : none\">", "</div>"),
    ("visibility", "<div style=\"visibility:hidden\">", "</div>"),
    ("opacity", "<div style=\"opacity:0.01\">", "</div>"),
    ("font-size 0", "<span style=\"font-size:0\">", "</span>"),
    ("font-size 1px", "<span style=\"font-size:1px\">", "</span>"),
    ("font shorthand", "<span style=\"font:0/0 a\">", "</span>"),
    ("white on white", "<font color=\"#ffffff\">", "</font>"),
    ("nearly white", "<span style=\"color:rgb(250,250,250)\">", "</span>"),
    ("black on black", "<div style=\"background:#000;color:#010101\">", "</div>"),
    ("transparent", "<span style=\"color:rgba(0,0,0,0)\">", "</span>"),
    ("position", "<div style=\"position:absolute;left:-9999px\">", "</div>"),
    ("text-indent", "<div style=\"text-indent:-9999px\">", "</div>"),
    ("margin", "<div style=\"margin-left:-9999px\">", "</div>"),
    ("clip", "<div style=\"position:absolute;clip:rect(0,0,0,0)\">", "</div>"),
    ("clip-path", "<div style=\"clip-path:inset(100%)\">", "</div>"),
    ("size", "<div style=\"height:0;overflow:hidden\">", "</div>"),
    ("line-height", "<div style=\"line-height:0\">", "</div>"),
    ("mso-hide", "<span style=\"mso-hide:all\">", "</span>"),
    ("attribute", "<div hidden>", "</div>"),
    ("class rule", "<style>.q7{display:none !important}</style><div class=\"q7\">", "</div>"),
    ("comment", "<!-- ", " -->"),
];

/// All changes.
pub fn all() -> Vec<Change> {
    let mut changes = Vec::new();
    let mut add = |name: &str, notice: Notice, apply: Apply| {
        changes.push(Change { name: name.to_owned(), notice, apply });
    };
    for (name, open, close) in HIDING {
        let apply = move |letter: &Letter, chance: &mut Chance| {
            let inside = format!("{open}{}{close}\r\n", ham_words(chance, ADDED));
            html_message(letter, &page(letter, &inside))
        };
        add(&format!("hidden: {name}"), Notice::Nothing, Box::new(apply));
    }
    for (name, inserted) in [
        ("zero-width spaces", "\u{200b}"),
        ("zero-width joiners", "\u{200d}"),
        ("soft hyphens", "\u{ad}"),
        ("soft hyphens as references", "&shy;"),
        ("comments in words", "<!-- x -->"),
        ("unknown tags in words", "<k9>"),
        ("hidden letters in words", "<span style=\"display:none\">zq</span>"),
    ] {
        let apply = move |letter: &Letter, _: &mut Chance| {
            let changed = respelled(letter, |word| between(word, inserted));
            html_message(letter, &page(&changed, ""))
        };
        add(name, Notice::Nothing, Box::new(apply));
    }
    let references = |letter: &Letter, _: &mut Chance| {
        let reference = |c: char| format!("&#{};", u32::from(c));
        let changed = respelled(letter, |word| word.chars().map(reference).collect());
        html_message(letter, &page(&changed, ""))
    };
    add("character references", Notice::Nothing, Box::new(references));
    for (name, encoding) in [
        ("base64", "base64"),
        ("base64 with a comment", "(7bit) BASE64 (quoted-printable)"),
        ("base64 in quotes", "\"base64\""),
    ] {
        let apply = move |letter: &Letter, _: &mut Chance| {
            let body = base64(page(letter, "").as_bytes());
            encoded(letter, "text/html; charset=utf-8", encoding, &body)
        };
        add(name, Notice::Nothing, Box::new(apply));
    }
    let type_with_comment = |letter: &Letter, _: &mut Chance| {
        encoded(letter, "text/(plain)html; charset=\"utf-8\"", "8bit", &page(letter, ""))
    };
    add("type with a comment", Notice::Nothing, Box::new(type_with_comment));
    let unknown_charset = |letter: &Letter, _: &mut Chance| {
        encoded(letter, "text/html; charset=x-none", "x-none", &page(letter, ""))
    };
    add("unknown charset and encoding", Notice::Nothing, Box::new(unknown_charset));
    let wide = |letter: &Letter, _: &mut Chance| {
        let bytes: Vec<u8> = page(letter, "").encode_utf16().flat_map(u16::to_le_bytes).collect();
        encoded(letter, "text/html", "base64", &base64(&bytes))
    };
    add("UTF-16 without a mark", Notice::Nothing, Box::new(wide));
    let uu = |letter: &Letter, _: &mut Chance| {
        let body = uuencoded(letter.paragraphs.join("\r\n\r\n").as_bytes());
        encoded(letter, "text/plain", "7bit", &body)
    };
    add("uuencode", Notice::Nothing, Box::new(uu));
    let undeclared = |letter: &Letter, _: &mut Chance| {
        encoded(letter, "text/plain", "7bit", &base64(letter.paragraphs.join("\r\n").as_bytes()))
    };
    add("undeclared base64", Notice::Nothing, Box::new(undeclared));
    let empty_parts = |letter: &Letter, _: &mut Chance| {
        let headers = headers(letter);
        let empty = "--e\r\nContent-Type: text/plain\r\n\r\n\r\n".repeat(3000);
        let page = page(letter, "");
        format!(
            "{headers}Content-Type: multipart/mixed; boundary=e\r\n\r\n{empty}--e\r\n\
            Content-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--e--\r\n"
        )
        .into_bytes()
    };
    add("3000 empty parts", Notice::Nothing, Box::new(empty_parts));
    let padded = |letter: &Letter, chance: &mut Chance| {
        let words = ham_words(chance, 8);
        let padding = format!("X-Padding: {words}\r\n").repeat(6000);
        [padding.into_bytes(), html_message(letter, &page(letter, ""))].concat()
    };
    add("400 kB of headers", Notice::Nothing, Box::new(padded));
    let beside = |letter: &Letter, chance: &mut Chance| {
        alternatives(letter, &ham_words(chance, ADDED), &page(letter, ""))
    };
    add("plain part of ham", Notice::Nothing, Box::new(beside));
    for (name, spell) in [
        ("homoglyphs", homoglyphs as fn(&str) -> String),
        ("full-width letters", |word| shifted(word, 0xFF21, 0xFF41)),
        ("mathematical letters", |word| shifted(word, 0x1_D400, 0x1_D41A)),
        (
            "spaced letters",
            |word| if word.len() > 3 { between(word, " ") + "  " } else { word.into() },
        ),
        ("dotted letters", |word| if word.len() > 3 { between(word, ".") } else { word.into() }),
        ("digits for letters", digits),
        ("accents", accents),
    ] {
        let apply = move |letter: &Letter, _: &mut Chance| {
            let mut changed = respelled(letter, spell);
            changed.subject = letter.subject.split(' ').map(spell).collect::<Vec<_>>().join(" ");
            html_message(&changed, &page(&changed, ""))
        };
        add(name, Notice::Letters, Box::new(apply));
    }
    let good = |letter: &Letter, chance: &mut Chance| {
        let inside = format!("<p>{}</p>\r\n", ham_words(chance, ADDED));
        html_message(letter, &page(letter, &inside))
    };
    add("200 good words", Notice::Words, Box::new(good));
    changes
}

/// A letter with each word of its paragraphs spelled differently.
fn respelled(letter: &Letter, spell: impl Fn(&str) -> String) -> Letter {
    let mut changed = letter.clone();
    for paragraph in &mut changed.paragraphs {
        let words = paragraph.split(' ').map(|word| {
            let end = word.trim_end_matches(['.', '!']).len();
            spell(&word[..end]) + &word[end..]
        });
        *paragraph = words.collect::<Vec<_>>().join(" ");
    }
    changed
}

/// A word with something between its letters.
fn between(word: &str, inserted: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(inserted)
}

fn homoglyphs(word: &str) -> String {
    let similar = |c| match c {
        'a' => 'а',
        'c' => 'с',
        'e' => 'е',
        'i' => 'і',
        'o' => 'о',
        'p' => 'р',
        's' => 'ѕ',
        'x' => 'х',
        'A' => 'А',
        'C' => 'С',
        'M' => 'М',
        _ => c,
    };
    word.chars().map(similar).collect()
}

/// A word with its letters taken from another place.
fn shifted(word: &str, capital: u32, small: u32) -> String {
    let shift = |c: char| {
        let from = |first: char, to: u32| char::from_u32(to + u32::from(c) - u32::from(first));
        match c {
            'A'..='Z' => from('A', capital),
            'a'..='z' => from('a', small),
            _ => Some(c),
        }
    };
    word.chars().filter_map(shift).collect()
}

fn digits(word: &str) -> String {
    if word.len() < 4 {
        return word.to_owned();
    }
    let replaced = |(at, c): (usize, char)| match c {
        'i' if at > 0 => '1',
        'e' if at > 0 && at + 1 < word.len() => '3',
        'o' if at > 0 && at + 1 < word.len() => '0',
        'a' if at > 0 && at + 1 < word.len() => '@',
        _ => c,
    };
    word.chars().enumerate().map(replaced).collect()
}

fn accents(word: &str) -> String {
    let accent = |c| match c {
        'a' => 'á',
        'e' => 'ê',
        'i' => 'ì',
        'o' => 'ö',
        'u' => 'ü',
        'n' => 'ñ',
        'c' => 'ç',
        _ => c,
    };
    word.chars().map(accent).collect()
}

/// A message with this body.
fn encoded(letter: &Letter, kind: &str, encoding: &str, body: &str) -> Vec<u8> {
    let headers = headers(letter);
    format!(
        "{headers}Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{body}\r\n"
    )
    .into_bytes()
}

fn base64(bytes: &[u8]) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for (line, chunk) in bytes.chunks(57).enumerate() {
        if line > 0 {
            text += "\r\n";
        }
        for group in chunk.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for at in 0..4 {
                let is_padding = at > group.len();
                let six = (bits >> (18 - 6 * at)) as usize & 63;
                text.push(if is_padding { '=' } else { char::from(alphabet[six]) });
            }
        }
    }
    text
}

fn uuencoded(bytes: &[u8]) -> String {
    let letter = |six: u32| char::from(if six == 0 { b'`' } else { b' ' + six as u8 });
    let mut text = String::from("begin 644 letter.txt\r\n");
    for chunk in bytes.chunks(45) {
        text.push(letter(chunk.len() as u32));
        for group in chunk.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            text.extend((0..4).map(|at| letter(bits >> (18 - 6 * at) & 63)));
        }
        text += "\r\n";
    }
    text + "`\r\nend"
}
