//! All strings at one edit from a word: a letter substituted, inserted or deleted, or two
//! neighbours swapped (Damerau's four, which cover most slips of the pen and of the finger).
//!
//! A word of `n` letters over an alphabet of `a` has at most
//!
//! ```text
//! n (a - 1) + (n + 1) a + n + (n - 1)  <  (2 n + 1) a + 2 n
//! ```
//!
//! of them: about a thousand for ten letters and the alphabet of three languages.

/// One edit of a word, by the position of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// Another letter in the place of this one.
    Substitute { at: usize, letter: char },
    /// A letter before this one, or at the end.
    Insert { at: usize, letter: char },
    /// Without this letter.
    Delete { at: usize },
    /// This letter and the next in the other order.
    Swap { at: usize },
}

impl Edit {
    /// Where the word changes first.
    pub(super) const fn at(self) -> usize {
        match self {
            Self::Substitute { at, .. }
            | Self::Insert { at, .. }
            | Self::Delete { at }
            | Self::Swap { at } => at,
        }
    }

    /// The letter that is new in the word.
    pub(super) const fn letter(self) -> Option<char> {
        match self {
            Self::Substitute { letter, .. } | Self::Insert { letter, .. } => Some(letter),
            Self::Delete { .. } | Self::Swap { .. } => None,
        }
    }

    /// The edited word, in the place of what `result` had.
    pub(super) fn apply(self, word: &[char], result: &mut String) {
        result.clear();
        let (start, rest) = word.split_at(self.at());
        result.extend(start);
        match (self, rest) {
            (Self::Insert { letter, .. }, rest) => {
                result.push(letter);
                result.extend(rest);
            }
            (Self::Substitute { letter, .. }, [_, rest @ ..]) => {
                result.push(letter);
                result.extend(rest);
            }
            (Self::Delete { .. }, [_, rest @ ..]) => result.extend(rest),
            (Self::Swap { .. }, [first, second, rest @ ..]) => {
                result.extend([second, first]);
                result.extend(rest);
            }
            (_, rest) => result.extend(rest),
        }
    }
}

/// Every edit that makes another string of `word`, each such string once; `alphabet` has no
/// letter twice.
pub(super) fn edits<'a>(word: &'a [char], alphabet: &'a [char]) -> impl Iterator<Item = Edit> + 'a {
    let count = word.len();
    // Among equal neighbours, all insertions and deletions of that letter give one string:
    // only the first of them is made.
    let repeats = move |at: usize, letter| at > 0 && word[at - 1] == letter;
    let swaps =
        (1..count).filter(|&at| word[at - 1] != word[at]).map(|at| Edit::Swap { at: at - 1 });
    let deletions =
        (0..count).filter(move |&at| !repeats(at, word[at])).map(|at| Edit::Delete { at });
    let substitutions = (0..count).flat_map(move |at| {
        let others = alphabet.iter().filter(move |&&letter| letter != word[at]);
        others.map(move |&letter| Edit::Substitute { at, letter })
    });
    let insertions = (0..=count).flat_map(move |at| {
        let fresh = alphabet.iter().filter(move |&&letter| !repeats(at, letter));
        fresh.map(move |&letter| Edit::Insert { at, letter })
    });
    swaps.chain(deletions).chain(substitutions).chain(insertions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All strings over `alphabet` of at most `longest` letters.
    fn strings(alphabet: &[char], longest: usize) -> Vec<Vec<char>> {
        let mut all = vec![vec![]];
        let mut start = 0;
        for _ in 0..longest {
            let end = all.len();
            for index in start..end {
                for &letter in alphabet {
                    let mut longer = all[index].clone();
                    longer.push(letter);
                    all.push(longer);
                }
            }
            start = end;
        }
        all
    }

    /// The distance of Damerau with neighbours only (optimal string alignment), by its
    /// definition.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let same = usize::from(a[i - 1] != b[j - 1]);
                    let mut least = (table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1)
                        .min(table[i - 1][j - 1] + same);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn edits_are_exactly_the_strings_at_distance_one_each_once() {
        let alphabet = ['a', 'b', 'ç'];
        let universe = strings(&alphabet, 6);
        for word in strings(&alphabet, 5) {
            let mut made = BTreeSet::new();
            let mut text = String::new();
            for edit in edits(&word, &alphabet) {
                edit.apply(&word, &mut text);
                assert!(made.insert(text.clone()), "{text} twice from {word:?}");
            }
            let near: BTreeSet<String> = universe
                .iter()
                .filter(|other| distance(&word, other) == 1)
                .map(|other| other.iter().collect())
                .collect();
            assert_eq!(made, near, "{word:?}");
        }
    }

    #[test]
    fn there_are_no_more_edits_than_the_manual_says() {
        let alphabet: Vec<char> = ('a'..='z').collect();
        for word in ["a", "word", "misspelling"] {
            let letters: Vec<char> = word.chars().collect();
            let bound = (2 * letters.len() + 1) * alphabet.len() + 2 * letters.len();
            assert!(edits(&letters, &alphabet).count() < bound, "{word}");
        }
    }
}
