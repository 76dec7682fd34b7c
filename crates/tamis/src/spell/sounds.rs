//! Sounds that are written with one letter or two, and taken for each other: more than one
//! edit apart, and yet one slip.

/// What is written for one sound in Portuguese, Dutch and English.
const SPELLINGS: [&[&str]; 9] = [
    &["x", "ch"],
    &["ç", "ss"],
    &["z", "ss"],
    &["c", "ss"],
    &["am", "ão"],
    &["ei", "ij"],
    &["g", "ch"],
    &["f", "ph"],
    &["c", "qu", "k"],
];

/// `word` with one sound written in another way, and where; words at one edit are left to
/// [`super::edits`].
pub(super) fn respelled(word: &str) -> impl Iterator<Item = (usize, String)> {
    let pairs = SPELLINGS.iter().flat_map(|spellings| {
        spellings.iter().flat_map(|old| {
            let longer = move |new: &&&str| old != *new && (is_two(old) || is_two(new));
            spellings.iter().filter(longer).map(move |new| (*old, *new))
        })
    });
    pairs.flat_map(move |(old, new)| {
        word.match_indices(old)
            .map(move |(at, _)| (at, format!("{}{new}{}", &word[..at], &word[at + old.len()..])))
    })
}

fn is_two(letters: &str) -> bool {
    letters.chars().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sound_is_written_in_another_way() {
        for (wrong, right) in [
            ("caxorro", "cachorro"),
            ("excessão", "exceção"),
            ("nacer", "nasser"),
            ("cantarão", "cantaram"),
            ("altijt", "alteit"),
            ("foto", "photo"),
            ("kero", "quero"),
        ] {
            assert!(respelled(wrong).any(|(_, word)| word == right), "{wrong}");
        }
        assert!(respelled("lua").next().is_none());
    }
}
