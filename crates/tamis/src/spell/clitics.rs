//! Portuguese pronouns between and behind the parts of a verb.
//!
//! Before *-lo, -la, -los, -las* a verb loses its last *r, s* or *z*: *fazer* gives *fazê-lo*,
//! *fazemos* gives *fazemo-lo*, *diz* gives *di-lo*. In the future and the conditional the
//! pronoun stands inside: *diria* gives *dir-se-ia*, *amarei* gives *amá-lo-ei*. Word lists
//! have the verbs only. No word of English or Dutch looks like this, so the rule needs no
//! setting.

const PRONOUNS: [&str; 17] = [
    "me", "te", "se", "nos", "vos", "lhe", "lhes", "o", "a", "os", "as", "lo", "la", "los", "las",
    "mo", "to",
];

/// The endings of the future and the conditional.
const ENDINGS: [&str; 12] =
    ["ei", "ás", "á", "emos", "eis", "ão", "ia", "ias", "íamos", "íeis", "iam", "iamos"];

/// Whether these parts of a word, in small letters, are a verb of `has` with a pronoun.
pub(super) fn is_verb_with_pronoun(parts: &[&str], has: impl Fn(&str) -> bool) -> bool {
    match parts {
        [stem, pronoun] if takes_letter(pronoun) => full(stem).any(|verb| has(&verb)),
        [stem, pronoun, ending] if PRONOUNS.contains(pronoun) && ENDINGS.contains(ending) => {
            if takes_letter(pronoun) {
                full(stem).any(|verb| has(&format!("{verb}{ending}")))
            } else {
                has(&format!("{stem}{ending}"))
            }
        }
        _ => false,
    }
}

/// Whether a verb loses a letter before this pronoun.
fn takes_letter(pronoun: &str) -> bool {
    matches!(pronoun, "lo" | "la" | "los" | "las")
}

/// What a verb may be without its loss: *fazer* of *fazê*, *fazemos* of *fazemo*.
fn full(stem: &str) -> impl Iterator<Item = String> {
    let bare = stem.chars().next_back().and_then(|last| {
        let plain = match last {
            'á' => 'a',
            'ê' => 'e',
            'í' => 'i',
            'ô' => 'o',
            _ => return None,
        };
        Some(format!("{}{plain}", &stem[..stem.len() - last.len_utf8()]))
    });
    [Some(stem.to_owned()), bare]
        .into_iter()
        .flatten()
        .flat_map(|stem| ["r", "s", "z"].map(|lost| format!("{stem}{lost}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(word: &str) -> bool {
        let verbs = ["fazer", "fazemos", "fez", "diz", "diria", "amarei", "pôr", "partir", "quis"];
        is_verb_with_pronoun(&word.split('-').collect::<Vec<_>>(), |verb| verbs.contains(&verb))
    }

    #[test]
    fn verbs_get_back_what_they_lost() {
        for word in [
            "fazê-lo",
            "fazemo-la",
            "fê-los",
            "di-lo",
            "pô-las",
            "parti-lo",
            "qui-lo",
            "dir-se-ia",
            "amá-lo-ei",
        ] {
            assert!(accepts(word), "{word}");
        }
    }

    #[test]
    fn other_words_do_not() {
        for word in ["fazê", "xyz-lo", "dir-se", "dir-se-foo", "fazê-casa", "dir-xx-ia"] {
            assert!(!accepts(word), "{word}");
        }
    }
}
