//! Bytes as a cascade of either kind: whatever they say, they are refused or make one that answers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamis::cascade::Cascade;
use tamis::cascade::classic::Classic;
use tamis::filter::Stored;
use tamis_fuzz::as_is_and_mended;

const KEYS: [&[u8]; 4] = [b"", b"leek", b"\xFF\x00", &[7; 300]];

fuzz_target!(|input: &[u8]| {
    if let Ok(cascade) = Classic::read(input) {
        let names: Vec<&[u8]> = cascade.categories().collect();
        for key in KEYS {
            assert!(names.contains(&cascade.classify(key)));
        }
        let mut written = Vec::new();
        cascade.write(&mut written).expect("writing to memory");
        assert_eq!(written, input, "a file has one form");
    }
    as_is_and_mended(input, |bytes| {
        let Ok(cascade) = Cascade::from_bytes(bytes) else { return };
        let at_once = cascade.classify_many(&KEYS);
        for (key, at_once) in KEYS.into_iter().zip(at_once) {
            let answer = cascade.classify(key);
            assert_eq!(answer, at_once);
            let category = answer.category();
            assert!(category.is_none_or(|category| (category as usize) < cascade.counts().len()));
        }
        let mut written = Vec::new();
        cascade.write(&mut written).expect("writing to memory");
        assert_eq!(Cascade::from_bytes(&written).expect("what was written"), cascade);
    });
});
