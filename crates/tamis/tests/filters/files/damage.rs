//! Every byte changed, every byte missing, every byte too many.

use super::{Sample, open, refusal, samples, verify};
use crate::support::header_length;
use tamis::Error;

/// Each position with one of its bits flipped, then with all of them.
fn flips(file: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..file.len()).flat_map(move |position| {
        [1 << (position % 8), 0xFF].map(|mask| {
            let mut damaged = file.to_vec();
            damaged[position] ^= mask;
            (position, damaged)
        })
    })
}

#[test]
fn every_changed_byte_is_refused_by_who_reads_everything() {
    for Sample { name, file, load, .. } in samples() {
        for (position, damaged) in flips(&file) {
            let what = format!("{name}, byte {position}");
            let (error, sentence) = refusal(verify(&damaged), &what);
            assert_eq!(refusal(load(&damaged), &what).1, sentence, "both say the same");
            if position >= header_length(&file) {
                assert!(matches!(error, Error::Checksum { part: "content", .. }), "{what}");
                assert!(sentence.contains("damaged content"), "{sentence}");
            }
        }
    }
}

#[test]
fn every_changed_byte_of_the_header_is_refused_when_opening() {
    for Sample { name, file, .. } in samples() {
        let header = header_length(&file);
        for (position, damaged) in flips(&file) {
            let what = format!("{name}, byte {position}");
            if position < header {
                refusal(open(&damaged), &what);
            } else {
                // Opening is cheap: it does not read the content.
                open(&damaged).expect(&what);
            }
        }
    }
}

/// Which sentence: the signature, the header's length, or its checksum.
#[test]
fn damage_to_the_header_is_named() {
    for Sample { name, file, .. } in samples() {
        for (position, damaged) in flips(&file[..header_length(&file)]) {
            let damaged = [&damaged[..], &file[damaged.len()..]].concat();
            let (error, sentence) = refusal(open(&damaged), name);
            let expected = match position {
                0..8 => matches!(error, Error::NotTamis { .. }),
                // Of another length the header may end outside of the file.
                12..16 => matches!(
                    error,
                    Error::Malformed { .. } | Error::Truncated { .. } | Error::Checksum { .. }
                ),
                _ => matches!(error, Error::Checksum { part: "header", .. }),
            };
            assert!(expected, "{name}, byte {position}: {sentence}");
        }
    }
}

#[test]
fn every_truncation_is_refused_when_opening() {
    for Sample { name, file, load, .. } in samples() {
        for length in 0..file.len() {
            let what = format!("{name}, {length} bytes of it");
            let (error, sentence) = refusal(open(&file[..length]), &what);
            match error {
                Error::NotTamis { .. } => assert_eq!(length, 0, "{sentence}"),
                Error::Truncated { expected, got } => {
                    assert_eq!(got, length as u64);
                    let whole = expected == file.len() as u64;
                    assert!(whole || length < header_length(&file), "{sentence}");
                }
                _ => panic!("{what}: {sentence}"),
            }
            refusal(verify(&file[..length]), &what);
            refusal(load(&file[..length]), &what);
        }
    }
}

#[test]
fn every_appended_byte_is_refused_when_opening() {
    for Sample { name, file, load, .. } in samples() {
        for extra in [1, 2, 63, 64, 65, 4_096] {
            for byte in [0, 1, 0xFF] {
                let longer = [&file[..], &vec![byte; extra]].concat();
                let (error, _) = refusal(open(&longer), name);
                let expected = extra as u64;
                assert!(matches!(error, Error::Trailing { extra } if extra == expected));
                refusal(verify(&longer), name);
                refusal(load(&longer), name);
            }
        }
        let twice = [&file[..], &file].concat();
        let (error, _) = refusal(open(&twice), name);
        assert!(matches!(error, Error::Trailing { .. }), "{name} twice: {error}");
    }
}

/// Two lines that changed places are all there, and in the wrong order.
#[test]
fn content_out_of_order_is_refused() {
    for Sample { name, mut file, load, .. } in samples() {
        let header = header_length(&file);
        let (lines, _) = file[header..].as_chunks_mut::<64>();
        let pair = (1..lines.len()).find(|&i| lines[i - 1] != lines[i]);
        let second = pair.unwrap_or_else(|| panic!("{name} has no two lines that differ"));
        lines.swap(second - 1, second);
        for result in [verify(&file), load(&file)] {
            let (error, _) = refusal(result, name);
            assert!(matches!(error, Error::Checksum { part: "content", .. }), "{name}: {error}");
        }
    }
}
