//! From text to signature on one thread: words, hashes, components. The texts are in memory.

use super::contender::contenders;
use crate::timing::{Track, timed};
use serde::{Deserialize, Serialize};
use std::hint::black_box;

/// One contender's speed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) contender: String,
    pub(crate) components: usize,
    /// Megabytes of text per second: every slice at its fastest.
    pub(crate) best: f64,
    /// The same for the median round.
    pub(crate) median: f64,
}

/// Bytes in a slice that is timed by itself.
const SLICE: usize = 1 << 18;

/// Every contender, in rounds that are interleaved.
pub(crate) fn race(texts: &[&str], rounds: usize) -> Vec<Speed> {
    let slices = slices(texts);
    let bytes = texts.iter().map(|text| text.len()).sum();
    let contenders = contenders();
    let mut signers: Vec<_> = contenders.iter().map(|contender| contender.with_seed(1)).collect();
    let mut tracks: Vec<Track> = contenders.iter().map(|_| Track::default()).collect();
    for round in 0..=rounds {
        for turn in 0..contenders.len() {
            let place = (turn + round) % contenders.len();
            let signs = &mut signers[place];
            let mut pass = |slice: &&[&str]| {
                timed(|| slice.iter().fold(0, |all, text| all ^ signs.sign(black_box(text))[0]))
            };
            let times: Vec<_> = slices.iter().map(&mut pass).collect();
            // The first round warms up.
            if round > 0 {
                tracks[place].record(bytes, &times);
            }
        }
    }
    let speed = |(contender, track): (&super::contender::Contender, &Track)| Speed {
        contender: contender.name.to_owned(),
        components: contender.components,
        best: 1000.0 / track.times().best,
        median: 1000.0 / track.times().median,
    };
    contenders.iter().zip(&tracks).map(speed).collect()
}

/// The texts in groups of about [`SLICE`] bytes.
fn slices<'a, 'b>(texts: &'b [&'a str]) -> Vec<&'b [&'a str]> {
    let (mut slices, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len();
        if bytes >= SLICE || index + 1 == texts.len() {
            slices.push(&texts[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    slices
}

/// About so many bytes of texts, from all over the collection; none of them without words.
pub(crate) fn sample(texts: &[String], bytes: usize) -> Vec<&str> {
    let all: usize = texts.iter().map(String::len).sum();
    let step = all.div_ceil(bytes.max(1)).max(1);
    let texts = texts.iter().step_by(step).map(String::as_str);
    texts.filter(|text| !text.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_in_one_slice() {
        let texts = vec!["a few words"; 100_000];
        let slices = slices(&texts);
        assert!(slices.len() > 2);
        assert_eq!(slices.concat(), texts);
    }
}
