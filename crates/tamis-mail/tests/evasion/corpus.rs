//! Mail made of word lists, always the same for a seed.

/// A generator of pseudo-random numbers (SplitMix64).
pub struct Chance(u64);

impl Chance {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.number(from.len())]
    }
}

/// What a message says.
#[derive(Clone)]
pub struct Letter {
    pub from: String,
    pub subject: String,
    pub paragraphs: Vec<String>,
    pub link: Option<String>,
}

const SPAM: &str = "viagra cialis pills pharmacy discount cheap meds prescription online order \
    casino jackpot winner prize lottery claim million dollars inheritance transfer fund beneficiary \
    replica rolex watches luxury brand enlarge manhood pounds weight loss miracle guaranteed free \
    offer limited exclusive deal bonus cash credit loan mortgage refinance debt approved instant \
    unsubscribe click here now act urgent risk investment stock profit broker penny shares soaring \
    singles dating hot lonely webcam adult download software oem cheapest licence diploma degree \
    university quality satisfaction refund shipping worldwide doctor generic tablets";

const HAM: &str = "meeting agenda project schedule review draft report minutes budget quarter \
    colleague team office lunch tuesday thursday afternoon morning tomorrow conference room \
    attached document version comments feedback patch compile branch merge repository release \
    testing bug kernel library function server deploy ticket customer contract invoice supplier \
    delivery address family holiday photos kids school teacher birthday weekend dinner recipe \
    garden train flight booking hotel confirmation reservation itinerary thanks regards cheers \
    question answer idea discuss proposal chapter paper journal reviewer manuscript citation \
    experiment dataset figure table results seminar lecture student homework exam grade library \
    neighbour committee association membership newsletter volunteer choir rehearsal concert \
    football practice doctor appointment insurance landlord plumber kitchen heating repair";

const COMMON: &str = "the a of and to in you for is that it we on with this are be have from your \
    our will can at or as not by an if all more new one about time please get but was they what \
    just so out up know when make like see any good need want would there their some then may here \
    day week today also only other into over after first best much many very well back even still";

pub fn list(words: &str) -> Vec<&str> {
    words.split_whitespace().collect()
}

/// Words of wanted mail.
pub fn ham_words(chance: &mut Chance, count: usize) -> String {
    let words = list(HAM);
    (0..count).map(|_| chance.pick(&words)).collect::<Vec<_>>().join(" ")
}

/// A letter with a few words of one kind among common ones.
pub fn letter(chance: &mut Chance, is_spam: bool) -> Letter {
    let (topic, common) = (list(if is_spam { SPAM } else { HAM }), list(COMMON));
    let other = list(if is_spam { HAM } else { SPAM });
    let sentence = |chance: &mut Chance, length: usize| {
        let word = |chance: &mut Chance| match chance.number(100) {
            0..36 => chance.pick(&topic),
            36..44 => chance.pick(&other),
            _ => chance.pick(&common),
        };
        let words: Vec<&str> = (0..length).map(|_| word(chance)).collect();
        let mut sentence = words.join(" ");
        sentence[..1].make_ascii_uppercase();
        sentence
    };
    let subject_length = 3 + chance.number(4);
    let subject = sentence(chance, subject_length);
    let paragraphs = (0..2 + chance.number(4))
        .map(|_| {
            let sentences: Vec<String> = (0..1 + chance.number(3))
                .map(|_| {
                    let length = 5 + chance.number(10);
                    sentence(chance, length)
                })
                .collect();
            sentences.join(". ") + if is_spam && chance.number(2) == 0 { "!" } else { "." }
        })
        .collect();
    let name = |chance: &mut Chance| {
        let syllables = ["ka", "lo", "mi", "ren", "tas", "vor", "du", "bel", "sin", "po", "qua"];
        (0..3).map(|_| chance.pick(&syllables)).collect::<String>()
    };
    let (person, domain) = (name(chance), name(chance));
    let host = name(chance);
    Letter {
        from: format!("{person}@{domain}.example"),
        subject,
        paragraphs,
        link: (chance.number(3) > 0).then(|| format!("http://{host}.example/{person}")),
    }
}

/// The headers that every message has.
pub fn headers(letter: &Letter) -> String {
    format!(
        "From: {0}\r\nTo: me@example.org\r\nSubject: {1}\r\nMIME-Version: 1.0\r\n",
        letter.from, letter.subject
    )
}

/// The body as HTML; `inside` comes before the last paragraph.
pub fn page(letter: &Letter, inside: &str) -> String {
    let mut page = String::from("<html><body>\r\n");
    let last = letter.paragraphs.len() - 1;
    for (at, paragraph) in letter.paragraphs.iter().enumerate() {
        if at == last {
            page += inside;
        }
        page += &format!("<p>{paragraph}</p>\r\n");
    }
    if let Some(link) = &letter.link {
        page += &format!("<a href=\"{link}\">more</a>\r\n");
    }
    page + "</body></html>\r\n"
}

/// A message with an HTML body.
pub fn html_message(letter: &Letter, page: &str) -> Vec<u8> {
    let headers = headers(letter);
    format!("{headers}Content-Type: text/html; charset=utf-8\r\n\r\n{page}").into_bytes()
}

/// A message as mail programs write it: plain, HTML, or both.
pub fn message(letter: &Letter, chance: &mut Chance) -> Vec<u8> {
    let page = page(letter, "");
    let mut text = letter.paragraphs.join("\r\n\r\n");
    if let Some(link) = &letter.link {
        text = text + "\r\n\r\n" + link;
    }
    let headers = headers(letter);
    match chance.number(3) {
        0 => format!("{headers}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n")
            .into_bytes(),
        1 => html_message(letter, &page),
        _ => alternatives(letter, &text, &page),
    }
}

/// A message with plain text and HTML.
pub fn alternatives(letter: &Letter, text: &str, page: &str) -> Vec<u8> {
    let headers = headers(letter);
    format!(
        "{headers}Content-Type: multipart/alternative; boundary=\"=_b\"\r\n\r\n--=_b\r\n\
        Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n--=_b\r\n\
        Content-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--=_b--\r\n"
    )
    .into_bytes()
}
