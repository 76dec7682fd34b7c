//! Capitals: which spellings of a word they stand for.
//!
//! A word that the list has in small letters may begin with a capital or be all capitals. A
//! word that the list has with a capital needs it. In Dutch, `ij` at the start of a word is
//! one letter: *ijs* becomes *IJs*, never *Ijs*.

/// How a word uses capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `palavra`
    Lower,
    /// `Palavra`, `IJs`
    Title,
    /// `PALAVRA`
    Upper,
    /// `PaLavra`, `Ijs`
    Mixed,
}

impl Case {
    /// How this word uses capitals; what has no case does not count.
    pub(super) fn of(word: &str) -> Self {
        let mut cased =
            word.chars().filter(|letter| letter.is_lowercase() || letter.is_uppercase());
        let Some(first) = cased.next() else { return Self::Lower };
        let (mut uppers, mut lowers) = (0, 0);
        for letter in cased {
            if letter.is_uppercase() {
                uppers += 1;
            } else {
                lowers += 1;
            }
        }
        match (first.is_uppercase(), uppers, lowers) {
            (false, 0, _) => Self::Lower,
            (true, 0, _) if word.starts_with("Ij") => Self::Mixed,
            (true, 0, _) => Self::Title,
            (true, _, 0) => Self::Upper,
            (true, 1, _) if word.starts_with("IJ") => Self::Title,
            _ => Self::Mixed,
        }
    }

    /// A word in small letters, with capitals like this; what is mixed is left as it is.
    pub(super) fn apply(self, word: &str) -> String {
        match self {
            Self::Lower | Self::Mixed => word.to_owned(),
            Self::Title => title(word),
            Self::Upper => word.to_uppercase(),
        }
    }
}

/// A word in small letters with a capital at its start, or the two of a Dutch `IJ`.
pub(super) fn title(word: &str) -> String {
    match word.strip_prefix("ij") {
        Some(rest) => format!("IJ{rest}"),
        None => plain_title(word),
    }
}

/// A word in small letters with one capital at its start.
pub(super) fn plain_title(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// A word in small letters with a capital at the start of each part: `O'Brien`.
pub(super) fn title_of_parts(word: &str) -> String {
    let mut start = true;
    let mut text = String::with_capacity(word.len());
    for letter in word.chars() {
        if start {
            text.extend(letter.to_uppercase());
        } else {
            text.push(letter);
        }
        start = super::normal::is_joiner(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_told_apart() {
        for (word, case) in [
            ("palavra", Case::Lower),
            ("água", Case::Lower),
            ("Água", Case::Title),
            ("A", Case::Title),
            ("ÁGUA", Case::Upper),
            ("GUARDA-CHUVA", Case::Upper),
            ("Guarda-chuva", Case::Title),
            ("Guarda-Chuva", Case::Mixed),
            ("PaLavra", Case::Mixed),
            ("HEllo", Case::Mixed),
            ("iPhone", Case::Mixed),
            ("'s", Case::Lower),
        ] {
            assert_eq!(Case::of(word), case, "{word}");
        }
    }

    #[test]
    fn dutch_ij_is_one_letter() {
        assert_eq!(Case::of("IJsland"), Case::Title);
        assert_eq!(Case::of("IJSLAND"), Case::Upper);
        assert_eq!(Case::of("Ijsland"), Case::Mixed);
        assert_eq!(title("ijs"), "IJs");
        assert_eq!(title("água"), "Água");
    }

    #[test]
    fn every_part_of_a_name_may_have_its_capital() {
        assert_eq!(title_of_parts("o'brien"), "O'Brien");
        assert_eq!(title_of_parts("sint-niklaas"), "Sint-Niklaas");
    }
}
