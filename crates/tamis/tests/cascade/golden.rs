//! Golden files: what was written once is read for ever and written again byte for byte. `tests/golden/README.md` says how
//! they were made.

use std::fs;
use std::path::PathBuf;
use tamis::cascade::{Answer, Cascade, Trainer};
use tamis::codec::File;
use tamis::filter::Stored;
use tamis::hash::{KeyHash, KeyKinds};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Every word, and whether it is long.
fn words() -> Vec<(String, bool)> {
    let text = fs::read_to_string(path("words.txt")).expect("words.txt");
    text.lines().map(|word| (word.to_owned(), word.len() > 6)).collect()
}

fn recipes() -> [(&'static str, Cascade); 2] {
    [("cascade/classes.tamis", 0), ("cascade/strict.tamis", 8)].map(|(name, reject)| {
        let mut trainer = Trainer::new(KeyHash::default());
        let numbers = ["long", "short"].map(|name| trainer.category(name).expect("few"));
        for (word, long) in words() {
            trainer.insert(numbers[usize::from(!long)], &word);
        }
        (name, trainer.build(reject).expect("sound"))
    })
}

#[test]
fn the_same_cascades_are_written_byte_for_byte() {
    for (name, cascade) in recipes() {
        let mut file = Vec::new();
        cascade.write(&mut file).expect("a vector takes everything");
        if std::env::var_os("TAMIS_WRITE_GOLDEN").is_some() {
            fs::write(path(name), &file).expect(name);
        }
        assert!(fs::read(path(name)).expect(name) == file, "{name} differs");
    }
}

#[test]
fn golden_cascades_answer_as_they_were_trained() {
    for (name, reject, keys) in [
        ("cascade/classes.tamis", 0, KeyKinds::TEXT),
        ("cascade/strict.tamis", 8, KeyKinds::TEXT),
        ("cascade/classes-1.tamis", 0, KeyKinds::UNKNOWN),
        ("cascade/strict-1.tamis", 8, KeyKinds::UNKNOWN),
    ] {
        let cascade = Cascade::from_bytes(&fs::read(path(name)).expect(name)).expect(name);
        assert_eq!((cascade.reject_bits(), cascade.key_kinds()), (reject, keys), "{name}");
        assert!(cascade.check_keys(KeyKinds::TEXT).is_ok());
        let others = cascade.check_keys(KeyKinds::INTEGERS);
        assert_eq!(others.is_ok(), keys == KeyKinds::UNKNOWN, "{name}");
        assert_eq!(cascade.categories().collect::<Vec<_>>(), [&b"long"[..], b"short"]);
        for (word, long) in words() {
            let category = u32::from(!long);
            let expected = match reject {
                0 => Answer::Unknowable(category),
                _ => Answer::Category(category),
            };
            assert_eq!(cascade.classify(&word), expected, "{word}");
        }
    }
}

#[test]
fn every_flip_and_every_truncation_is_refused() {
    for (name, _) in recipes() {
        let file = fs::read(path(name)).expect(name);
        let verified = |bytes: &[u8]| File::open(bytes).and_then(|file| file.verify());
        verified(&file).expect(name);
        for position in 0..file.len() {
            for mask in [1 << (position % 8), 0xFF] {
                let mut damaged = file.clone();
                damaged[position] ^= mask;
                assert!(verified(&damaged).is_err(), "{name}, byte {position}");
                assert!(Cascade::from_bytes(&damaged).is_err(), "{name}, byte {position}");
            }
            assert!(verified(&file[..position]).is_err(), "{name}, {position} bytes");
        }
    }
}
