//! Remembers what was computed for a character.
//!
//! Texts use few different characters, and finding out what one looks like takes a microsecond.
//! A memo is empty at first: a process that reads one message pays for its characters only.

use std::sync::atomic::{AtomicU32, Ordering};

/// Number of characters that are remembered: all scripts with capitals and all punctuation.
const REMEMBERED: usize = 0x3000;

/// Results by character.
pub(super) struct Memo([AtomicU32; REMEMBERED]);

/// Marks a result that is known. Results are smaller.
const KNOWN: u32 = 1 << 31;

impl Memo {
    pub(super) const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; REMEMBERED])
    }

    /// The result for a character: `compute` must give the same one, below 2^31, every time.
    pub(super) fn get(&self, character: char, compute: impl FnOnce(char) -> u32) -> u32 {
        let Some(place) = self.0.get(character as usize) else { return compute(character) };
        // Threads that do not see each other's results compute them twice.
        let found = place.load(Ordering::Relaxed);
        if found != 0 {
            return found & !KNOWN;
        }
        let result = compute(character);
        place.store(result | KNOWN, Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_computed_once() {
        static MEMO: Memo = Memo::new();
        let mut calls = 0;
        for _ in 0..3 {
            for (character, result) in [('a', 0), ('ж', 7), ('\u{2019}', 9)] {
                let found = MEMO.get(character, |_| {
                    calls += 1;
                    result
                });
                assert_eq!(found, result, "{character}");
            }
        }
        assert_eq!(calls, 3);
        assert_eq!((MEMO.get('你', |_| 1), MEMO.get('你', |_| 2)), (1, 2), "not remembered");
    }
}
