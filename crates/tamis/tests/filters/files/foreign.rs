//! What is no file of ours, or one of another kind.

use super::{Sample, open, refusal, samples, verify};
use crate::support::Aligned;
use tamis::codec::{Kind, MAGIC};
use tamis::filter::{
    BlockedBloomFilter, BloomFilter, Classic, CountingFilter, GrowingFilter, Mapped,
    RotatingFilter, SignatureFilter,
};
use tamis::{Error, Result};

#[test]
fn foreign_bytes_are_no_tamis_file() {
    let text = b"Dear Anne,\nthe leeks are in the cellar.\n".repeat(20);
    let random: Vec<u8> = (0..4_096).map(|i| crate::support::spread(i).to_le_bytes()[0]).collect();
    let foreign: [&[u8]; 9] = [
        b"",
        b"\n",
        b"T",
        &text,
        &random,
        &[0; 4_096],
        &[0xFF; 4_096],
        b"\x89PNG\r\n\x1A\n0000000000000000000000000000000000000000000000000000000000000000",
        b"\x7FELF",
    ];
    for bytes in foreign {
        for result in [open(bytes), verify(bytes), BloomFilter::from_bytes(bytes).map(drop)] {
            let (error, sentence) = refusal(result, &bytes.escape_ascii().to_string());
            assert!(matches!(error, Error::NotTamis { .. }), "{sentence}");
            assert!(sentence.contains("not a Tamis file"), "{sentence}");
        }
    }
    let (_, sentence) = refusal(open(b""), "nothing");
    assert!(sentence.contains("empty"), "{sentence}");
    let (_, sentence) = refusal(open(b"\x1B[2J\n and more"), "an escape sequence");
    assert!(!sentence.contains(['\x1B', '\n']), "a terminal must not obey: {sentence:?}");
}

/// A transfer as text changes line ends; the signature is made to show it.
#[test]
fn a_file_whose_line_ends_were_changed_is_no_tamis_file() {
    for Sample { name, file, .. } in samples() {
        let unix: Vec<u8> = String::from_utf8_lossy(&file).replace("\r\n", "\n").into_bytes();
        let high_bit: Vec<u8> = file.iter().map(|byte| byte & 0x7F).collect();
        for changed in [unix, high_bit] {
            let (error, _) = refusal(open(&changed), name);
            assert!(matches!(error, Error::NotTamis { .. }), "{name}: {error}");
        }
    }
}

#[test]
fn the_signature_alone_and_a_header_alone_are_truncated() {
    let (error, _) = refusal(open(&MAGIC), "the signature");
    assert!(matches!(error, Error::Truncated { .. }), "{error}");
    for Sample { name, file, .. } in samples() {
        let (error, _) = refusal(open(&file[..crate::support::header_length(&file)]), name);
        assert!(matches!(error, Error::Truncated { .. }), "{error}");
    }
}

fn wrong_kind(result: Result<()>, reader: &str, name: &str) {
    let (error, sentence) = refusal(result, name);
    assert!(matches!(error, Error::WrongKind { .. }), "{name} read as {reader}: {sentence}");
}

/// Every reader with every file that is not its own, in memory and in place.
#[test]
fn a_file_of_another_kind_is_refused_by_its_name() {
    type Place = Mapped<Aligned>;
    let samples = samples();
    for Sample { name, kind, file, .. } in &samples {
        let in_place = || Aligned::new(file);
        if *kind != Kind::Bloom {
            wrong_kind(BloomFilter::from_bytes(file).map(drop), "a Bloom filter", name);
            wrong_kind(BlockedBloomFilter::<Place>::in_place(in_place()).map(drop), "one", name);
        }
        if *kind != Kind::Counting {
            wrong_kind(CountingFilter::from_bytes(file).map(drop), "a counting filter", name);
            wrong_kind(CountingFilter::<Place>::in_place(in_place()).map(drop), "one", name);
        }
        if *kind != Kind::Growing {
            let read = GrowingFilter::<Classic>::from_bytes(file);
            wrong_kind(read.map(drop), "a growing filter", name);
            wrong_kind(
                GrowingFilter::<Classic, Place>::in_place(in_place()).map(drop),
                "one",
                name,
            );
        }
        if *kind != Kind::Rotating {
            wrong_kind(RotatingFilter::from_bytes(file).map(drop), "a rotating filter", name);
            wrong_kind(RotatingFilter::<Place>::in_place(in_place()).map(drop), "one", name);
        }
        if *kind != Kind::Signatures {
            wrong_kind(SignatureFilter::from_bytes(file).map(drop), "signatures", name);
            wrong_kind(SignatureFilter::<Place>::in_place(in_place()).map(drop), "one", name);
        }
    }
}

/// The layouts of one kind are as different as kinds.
#[test]
fn a_file_of_the_other_layout_is_refused_by_its_name() {
    let samples = samples();
    let named = |wanted: &str| {
        let sample = samples.iter().find(|sample| sample.name == wanted);
        &sample.expect("there is one of it").file
    };
    wrong_kind(BloomFilter::from_bytes(named("blocked")).map(drop), "classic", "blocked");
    wrong_kind(BlockedBloomFilter::from_bytes(named("classic")).map(drop), "blocked", "classic");
    let growing = GrowingFilter::<Classic>::from_bytes(named("growing, blocked")).map(drop);
    wrong_kind(growing, "classic layers", "blocked layers");
}
