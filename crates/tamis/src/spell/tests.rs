//! Spellers over small dictionaries: what is known, where unknown words stand, and what is
//! suggested for them.

use super::*;
use crate::filter::{BloomFilter, CounterWidth, CountingFilter};
use proptest::prelude::*;

fn dictionary(words: &[&str]) -> BloomFilter {
    let mut filter = BloomFilter::with_false_positive_rate(1_000, 1e-8).unwrap();
    filter.insert_many(words);
    filter
}

/// Asserts which words a dictionary knows.
fn assert_known(dictionary: &BloomFilter, known: &[&str], unknown: &[&str]) {
    let speller = Speller::new(dictionary);
    for word in known {
        assert!(speller.knows(word), "{word} is known");
    }
    for word in unknown {
        assert!(!speller.knows(word), "{word} is not known");
    }
}

fn unknown<'t>(dictionary: &BloomFilter, text: &'t str) -> Vec<&'t str> {
    Speller::new(dictionary).unknown(text).map(|unknown| unknown.word).collect()
}

fn suggested(dictionary: &BloomFilter, word: &str) -> Vec<String> {
    Speller::new(dictionary).suggest(word).into_iter().map(|suggestion| suggestion.word).collect()
}

#[test]
fn capitals_stand_for_small_letters_and_not_the_reverse() {
    let words = dictionary(&["casa", "Lisboa", "NATO", "O'Brien"]);
    assert_known(
        &words,
        &["casa", "Casa", "CASA", "Lisboa", "LISBOA", "NATO", "O'Brien", "O'BRIEN"],
        &["cASA", "CAsa", "lisboa", "nato", "Nato", "o'brien"],
    );
}

#[test]
fn dutch_ij_has_two_capitals() {
    let words = dictionary(&["ijs", "IJsland"]);
    assert_known(
        &words,
        &["ijs", "IJs", "IJS", "ĳs", "Ĳs", "IJsland", "IJSLAND"],
        &["Ijs", "Ijsland"],
    );
    assert_eq!(suggested(&words, "Ijs")[0], "IJs");
}

#[test]
fn words_in_parts_are_known_whole_or_by_all_parts() {
    let words =
        dictionary(&["guarda", "chuva", "zee-egel", "água", "Porto", "nummer", "diria", "fazer"]);
    assert_known(
        &words,
        &[
            "guarda-chuva",
            "Guarda-Chuva",
            "GUARDA-CHUVA",
            "zee-egel",
            "Zee-egel",
            "d'água",
            "D'Água",
            "d’água",
            "Porto-guarda",
            "06-nummer",
            "e-guarda",
            "dir-se-ia",
            "Dir-se-ia",
            "fazê-lo",
        ],
        &["guarda-xuva", "zee-guarda", "porto-chuva", "x'água", "chuva's", "dir-se"],
    );
}

#[test]
fn composed_and_decomposed_letters_are_one() {
    let words = dictionary(&["você", "ação"]);
    assert_known(&words, &["voce\u{302}", "ac\u{327}a\u{303}o", "vo\u{AD}cê"], &["voce"]);
}

#[test]
fn what_stands_beside_a_word_may_belong_to_it() {
    let words = dictionary(&[
        "'s-Gravenhage",
        "Agnes'",
        "afb.",
        "ad fundum",
        "drinken",
        "of all people",
        "Jac. P. Thijsseweg",
        "100+'ers",
        "zonne-",
        "en",
    ]);
    assert!(unknown(&words, "’s-Gravenhage en Agnes’ afb. en 'AFB.'").is_empty());
    assert!(unknown(&words, "Ad fundum drinken, ad fundum. en of all people!").is_empty());
    assert!(unknown(&words, "en Jac. P. Thijsseweg, (100+'ers) en zonne- en").is_empty());
    assert_eq!(
        unknown(&words, "fundum ad, fundum. of all, people"),
        ["fundum", "ad", "fundum", "of", "all", "people"]
    );
}

#[test]
fn code_is_passed_over_and_strange_capitals_too() {
    let words = dictionary(&["the", "see"]);
    let text =
        "see the LaTeX camelCase snake_case x86 https://a.b/teh ana@example.org /usr/teh `teh`";
    assert!(unknown(&words, text).is_empty());
    assert_eq!(unknown(&words, "see teh"), ["teh"]);
}

#[test]
fn positions_count_characters_from_one_and_bytes_from_zero() {
    let words = dictionary(&["ação", "e"]);
    let text = "ação e açao\n\n\t«voce\u{302}» 🧺 xyz";
    let found: Vec<_> = Speller::new(&words)
        .unknown(text)
        .map(|unknown| (unknown.line, unknown.column, unknown.offset, unknown.word))
        .collect();
    assert_eq!(found, [(1, 8, 9, "açao"), (3, 3, 19, "voce\u{302}"), (3, 12, 33, "xyz")]);
    assert!(found.iter().all(|&(_, _, offset, word)| text[offset..].starts_with(word)));
}

#[test]
fn suggestions_come_by_class() {
    let expected = [
        (Class::Capitals, "Casa"),
        (Class::Marks, "casá"),
        (Class::Double, "cassa"),
        (Class::Sound, "caça"),
        (Class::Swap, "csaa"),
        (Class::Respelling, "quasa"),
        (Class::Missing, "casal"),
        (Class::Vowel, "cosa"),
        (Class::Extra, "cas"),
        (Class::Acronym, "CASA"),
        (Class::Keyboard, "cssa"),
        (Class::Letter, "cama"),
        (Class::Space, "ca sa"),
    ];
    let words: Vec<_> = expected.iter().flat_map(|(_, words)| words.split(' ')).collect();
    let words = dictionary(&words);
    let found = Speller::new(&words).suggest("casa");
    let found: Vec<_> = found.iter().map(|found| (found.class, &*found.word)).collect();
    assert_eq!(found, expected);
}

#[test]
fn within_a_class_the_first_letter_is_kept_and_accents_stay_accents() {
    let words = dictionary(&["mata", "bala", "cala", "humor", "amor", "sequencia", "sequência"]);
    assert_eq!(suggested(&words, "bata"), ["bala", "mata"]);
    assert_eq!(suggested(&words, "umor"), ["humor", "amor"]);
    assert_eq!(suggested(&words, "sequéncia"), ["sequência", "sequencia"]);
}

#[test]
fn suggestions_have_the_capitals_of_the_word() {
    let words = dictionary(&["você", "Lisboa", "ijsje", "hello", "ONU"]);
    assert_eq!(suggested(&words, "voce"), ["você"]);
    assert_eq!(suggested(&words, "Voce"), ["Você"]);
    assert_eq!(suggested(&words, "VOCE"), ["VOCÊ"]);
    assert_eq!(suggested(&words, "Lisbao"), ["Lisboa"]);
    assert_eq!(suggested(&words, "LISBAO"), ["LISBOA"]);
    assert_eq!(suggested(&words, "IJsjje"), ["IJsje"]);
    assert_eq!(suggested(&words, "lisboa"), ["Lisboa"]);
    assert_eq!(suggested(&words, "HEllo"), ["Hello", "hello"]);
    assert_eq!(suggested(&words, "onu"), ["ONU"]);
}

#[test]
fn words_in_parts_are_mended_in_place() {
    let words = dictionary(&["guarda", "chuva", "água", "fazer", "zee-egel", "x", "uva"]);
    assert_eq!(suggested(&words, "guarda-chuba"), ["guarda-chuva"]);
    assert_eq!(suggested(&words, "d'agua"), ["d'água"]);
    assert_eq!(suggested(&words, "fasê-lo"), ["fazê-lo"]);
    assert_eq!(suggested(&words, "zeeegel"), ["zee-egel"]);
}

#[test]
fn two_words_without_a_space_are_taken_apart_last() {
    let words = dictionary(&["e", "agora", "x", "de", "repente", "ligar", "repentes"]);
    assert_eq!(suggested(&words, "eagora"), ["agora", "e agora"]);
    assert_eq!(suggested(&words, "Derepente"), ["De repente"]);
    assert!(suggested(&words, "xligar").iter().all(|words| words != "x ligar"));
}

#[test]
fn frequent_words_come_first_within_a_class() {
    let mut words =
        CountingFilter::with_false_positive_rate(CounterWidth::Four, 100, 1e-6).unwrap();
    words.insert_many(&["mal", "mas", "mas", "mas", "map", "map"]);
    let plain = Speller::new(&words).suggest("maf");
    let counted = Speller::new(&words).counted_by(|word| words.count(word)).suggest("maf");
    let order = |suggestions: Vec<Suggestion>| -> Vec<(String, u32)> {
        suggestions.into_iter().map(|suggestion| (suggestion.word, suggestion.count)).collect()
    };
    assert_eq!(order(plain), [("mal".into(), 0), ("map".into(), 0), ("mas".into(), 0)]);
    assert_eq!(order(counted), [("mas".into(), 3), ("map".into(), 2), ("mal".into(), 1)]);
    let capitals = Speller::new(&words).counted_by(|word| words.count(word)).suggest("MAF");
    assert_eq!(order(capitals), [("MAS".into(), 3), ("MAP".into(), 2), ("MAL".into(), 1)]);
}

#[test]
fn a_list_removes_what_the_filter_found_by_chance() {
    let mut words = BloomFilter::with_bits(64, 1).unwrap();
    words.insert_many(&["casa", "rio", "mar", "luz", "sol", "pedra", "vento", "fogo"]);
    let list = ["casa", "rio", "mar", "luz", "sol", "pedra", "vento", "fogo"];
    let loose = Speller::new(&words);
    assert!(loose.expected_false_suggestions(4) > 10.0);
    let strict = Speller::new(&words).confirmed_by(|word| list.contains(&word));
    assert!(strict.expected_false_suggestions(4) == 0.0);
    assert!(loose.suggest("cisa").len() > 1);
    assert_eq!(strict.suggest("cisa").iter().map(|s| &*s.word).collect::<Vec<_>>(), ["casa"]);
    let text = "aa bb cc dd ee ff gg hh ii jj";
    assert!(loose.unknown(text).count() < 10);
    assert_eq!(strict.unknown(text).count(), 10);
}

#[test]
fn more_letters_make_more_suggestions() {
    let words = dictionary(&["łódka"]);
    assert!(suggested(&words, "lódka").is_empty());
    let speller = Speller::new(&words).with_letters("Łż");
    assert_eq!(speller.suggest("lódka")[0].word, "łódka");
}

#[test]
fn an_endless_word_gets_no_suggestions() {
    let words = dictionary(&["a"]);
    assert!(suggested(&words, &"a".repeat(MAX_LETTERS + 1)).is_empty());
}

#[test]
fn any_filter_will_do_even_through_a_reference() {
    let words = dictionary(&["casa"]);
    let filter: &dyn Filter = &words;
    assert!(Speller::new(filter).knows("casa"));
}

/// Text with everything that is treated specially, in any order.
fn strange_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "[a-zA-Zçãé]{1,6}",
        "[-'’.,:;!?<>()`_@#$&=/\\\\ \n\t\u{302}\u{AD}\u{2011}º0-9]{1,4}",
        "https?://[a-z.()]{0,5}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn unknown_words_stand_where_they_are_said_to(text in strange_text()) {
        let words = dictionary(&["a"]);
        let mut end = 0;
        for unknown in Speller::new(&words).unknown(&text) {
            prop_assert!(unknown.offset >= end && !unknown.word.is_empty());
            prop_assert!(text[unknown.offset..].starts_with(unknown.word));
            let before = &text[..unknown.offset];
            let line = before.rsplit('\n').next().unwrap();
            prop_assert_eq!(unknown.line as usize, before.split('\n').count());
            prop_assert_eq!(unknown.column as usize, line.chars().count() + 1);
            end = unknown.offset + unknown.word.len();
        }
    }

    #[test]
    fn a_word_of_the_list_is_never_unknown(word in "[a-zçãéê]{2,12}(['-][a-zçãéê]{2,8})?") {
        let words = dictionary(&[&word]);
        for text in [word.clone(), word.to_uppercase(), case::title(&word)] {
            let text = format!("({text}), \"{text}\".");
            prop_assert!(unknown(&words, &text).is_empty(), "{}", text);
        }
    }

    #[test]
    fn whatever_is_typed_with_one_slip_is_suggested(
        word in "[a-zçãéê]{3,10}", at in 0usize..10, letter in "[a-zçãéê]"
    ) {
        let words = dictionary(&[&word]);
        let letters: Vec<char> = word.chars().collect();
        let at = at % letters.len();
        let typed = |slip: &dyn Fn(&mut Vec<char>)| -> String {
            let mut letters = letters.clone();
            slip(&mut letters);
            letters.into_iter().collect()
        };
        let letter = letter.chars().next().unwrap();
        for typed in [
            typed(&|letters| letters[at] = letter),
            typed(&|letters| letters.insert(at, letter)),
            typed(&|letters| {
                letters.remove(at);
            }),
            typed(&|letters| letters.swap(at, at.saturating_sub(1))),
        ] {
            prop_assert!(typed == word || suggested(&words, &typed).contains(&word), "{}", typed);
        }
    }

    #[test]
    fn positions_in_decoded_bytes_lead_back(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let decoded = Decoded::new(&bytes);
        let mut last = 0;
        for (position, character) in decoded.text().char_indices().skip(1) {
            let offset = decoded.offset(position);
            prop_assert!(offset > last && offset < bytes.len());
            prop_assert!(!character.is_ascii() || bytes[offset] == character as u8);
            last = offset;
        }
        prop_assert_eq!(decoded.offset(decoded.text().len()), bytes.len());
    }
}
