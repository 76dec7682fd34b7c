//! Headers whose checksum fits and whose fields make no sense.

use super::{Sample, open, refusal, samples, verify};
use crate::support::{header_length, rewrite, seal};
use tamis::Error;
use tamis::codec::File;
use tamis::hash::{Algorithm, KeyKinds};

/// Where the fixed fields of a header are.
const KIND: usize = 8;
const VERSION: usize = 10;
const HEADER_LENGTH: usize = 12;
const CONTENT_LENGTH: usize = 16;
const CONTENT_CHECKSUM: usize = 24;
const HASH: usize = 32;
const KEYS: usize = 34;
const RESERVED: std::ops::Range<usize> = 35..40;

/// The error that all readers agree on.
fn all_refuse(sample: &Sample, file: &[u8], what: &str) -> Error {
    let what = format!("{}: {what}", sample.name);
    let (error, sentence) = refusal(open(file), &what);
    assert_eq!(refusal(verify(file), &what).1, sentence);
    assert_eq!(refusal((sample.load)(file), &what).1, sentence);
    error
}

#[test]
fn a_later_version_is_too_new_and_version_zero_is_malformed() {
    for sample in samples() {
        let newest = sample.kind.current_version();
        for version in [newest + 1, newest + 2, 255, 256, u16::MAX] {
            let later = rewrite(&sample.file, VERSION, &version.to_le_bytes());
            let error = all_refuse(&sample, &later, "a later version");
            assert!(error.to_string().contains("newer"), "{error}");
            let Error::TooNew { got, newest, .. } = error else { panic!("{error}") };
            assert_eq!((got, newest), (version, sample.kind.current_version()));
        }
        let none = rewrite(&sample.file, VERSION, &[0, 0]);
        let error = all_refuse(&sample, &none, "version 0");
        assert!(matches!(error, Error::Malformed { what: "format version", .. }), "{error}");
    }
}

#[test]
fn a_kind_or_a_hash_that_does_not_exist_is_malformed() {
    for sample in samples() {
        for number in [0u16, 100, 255, 256, u16::MAX] {
            let other = rewrite(&sample.file, KIND, &number.to_le_bytes());
            let error = all_refuse(&sample, &other, "a kind that is none");
            assert!(matches!(error, Error::Malformed { what: "kind", .. }), "{error}");
        }
        for number in [0u16, 4, 256, u16::MAX] {
            let other = rewrite(&sample.file, HASH, &number.to_le_bytes());
            let error = all_refuse(&sample, &other, "a hash that is none");
            assert!(matches!(error, Error::Malformed { what: "hash", .. }), "{error}");
        }
        for algorithm in Algorithm::ALL {
            open(&rewrite(&sample.file, HASH, &algorithm.id().to_le_bytes())).expect("it exists");
        }
    }
}

#[test]
fn kinds_of_keys_are_read_and_others_refused() {
    for sample in samples() {
        for code in 1..16 {
            let other = rewrite(&sample.file, KEYS, &[code]);
            let kinds = File::open(&other).expect("kinds of keys").keys();
            assert_eq!(kinds.have(KeyKinds::TEXT), code & 1 == 1);
            assert_eq!(kinds.have(KeyKinds::INTEGERS), code & 2 == 2);
            assert_eq!(kinds.check(KeyKinds::LISTS).is_ok(), code & 12 != 0, "{code}");
            open(&other).expect("kinds of keys");
        }
        // Nothing was recorded of what is in.
        let unknown = rewrite(&sample.file, KEYS, &[0]);
        assert_eq!(File::open(&unknown).expect("nothing").keys(), KeyKinds::UNKNOWN);
        for code in [16, 0x80, 0xFF] {
            let other = rewrite(&sample.file, KEYS, &[code]);
            let error = all_refuse(&sample, &other, "kinds of keys");
            assert!(error.to_string().contains("key kinds"), "{error}");
        }
        // In version 1 the byte is reserved.
        let before = rewrite(&rewrite(&sample.file, VERSION, &[1, 0]), KEYS, &[1]);
        let error = all_refuse(&sample, &before, "a reserved byte");
        assert!(error.to_string().contains("reserved"), "{error}");
    }
}

#[test]
fn reserved_bytes_that_are_not_zero_are_refused() {
    for sample in samples() {
        for position in RESERVED {
            for value in [1, 0x80, 0xFF] {
                let other = rewrite(&sample.file, position, &[value]);
                let error = all_refuse(&sample, &other, "a reserved byte");
                assert!(error.to_string().contains("reserved"), "{error}");
            }
        }
    }
}

/// Behind the last parameter the header is zero up to its checksum.
#[test]
fn bytes_behind_the_parameters_are_refused() {
    for sample in samples() {
        let end = header_length(&sample.file) - 8;
        let used = sample.file[..end].iter().rposition(|&byte| byte != 0).expect("a magic");
        assert!(used + 1 < end, "{}: this header has no room left", sample.name);
        let other = rewrite(&sample.file, end - 1, &[1]);
        let error = all_refuse(&sample, &other, "something behind the parameters");
        assert!(error.to_string().contains("reserved"), "{error}");
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    for sample in samples() {
        let content = (sample.file.len() - header_length(&sample.file)) as u64;
        for length in [0, 1, content - 64, content - 1] {
            let other = rewrite(&sample.file, CONTENT_LENGTH, &length.to_le_bytes());
            let error = all_refuse(&sample, &other, "less content");
            assert!(matches!(error, Error::Trailing { .. }), "{length}: {error}");
        }
        for length in [content + 1, content + 64, 1 << 40, 1 << 63, u64::MAX - 63, u64::MAX] {
            let other = rewrite(&sample.file, CONTENT_LENGTH, &length.to_le_bytes());
            let error = all_refuse(&sample, &other, "more content");
            assert!(matches!(error, Error::Truncated { .. }), "{length}: {error}");
        }
        for length in [0u32, 1, 8, 56, 63, 65, 1 << 16 | 64, 1 << 31, u32::MAX] {
            let mut other = sample.file.clone();
            other[HEADER_LENGTH..HEADER_LENGTH + 4].copy_from_slice(&length.to_le_bytes());
            let error = all_refuse(&sample, &other, "a header of odd length");
            assert!(matches!(error, Error::Malformed { .. }), "{length}: {error}");
        }
    }
}

/// One byte less on both sides: the lengths agree, and lines are no longer whole.
#[test]
fn content_that_is_not_in_whole_lines_is_refused() {
    for sample in samples() {
        let mut file = sample.file.clone();
        file.pop();
        let length = (file.len() - header_length(&file)) as u64;
        let file = rewrite(&file, CONTENT_LENGTH, &length.to_le_bytes());
        let error = all_refuse(&sample, &file, "63 bytes");
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
    }
}

/// A header that ends before its parameters do.
#[test]
fn a_header_without_room_for_its_parameters_is_refused() {
    for sample in samples() {
        let header = header_length(&sample.file);
        let mut short = [&sample.file[..64], &sample.file[header..]].concat();
        short[HEADER_LENGTH..HEADER_LENGTH + 4].copy_from_slice(&64u32.to_le_bytes());
        seal(&mut short);
        let (error, _) = refusal(open(&short), sample.name);
        assert!(matches!(error, Error::Truncated { .. } | Error::Malformed { .. }), "{error}");
        refusal((sample.load)(&short), sample.name);
    }
}

#[test]
fn a_longer_header_of_zeros_is_accepted_and_a_content_checksum_is_compared() {
    for sample in samples() {
        let header = header_length(&sample.file);
        let (head, content) = sample.file.split_at(header);
        let mut long = [&head[..header - 8], &[0; 72], content].concat();
        let length = u32::try_from(header + 64).expect("it is small");
        long[HEADER_LENGTH..HEADER_LENGTH + 4].copy_from_slice(&length.to_le_bytes());
        seal(&mut long);
        verify(&long).and((sample.load)(&long)).expect(sample.name);

        let other = rewrite(&sample.file, CONTENT_CHECKSUM, &[0xAB; 8]);
        open(&other).expect("opening reads no content");
        let (error, _) = refusal(verify(&other), sample.name);
        let expected = 0xABAB_ABAB_ABAB_ABAB;
        assert!(matches!(error, Error::Checksum { expected: e, .. } if e == expected), "{error}");
    }
}
