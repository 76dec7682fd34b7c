//! Bytes as the file of a signature or of an index: whatever they say, they are refused or make one
//! that works.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamis::filter::{Storage, Stored};
use tamis::similar::Signature;
use tamis::similar::index::Index;
use tamis_fuzz::{Aligned, as_is_and_mended};

fuzz_target!(|input: &[u8]| {
    as_is_and_mended(input, attempt);
});

fn attempt(bytes: &[u8]) {
    if let Ok(signature) = Signature::from_bytes(bytes) {
        assert_eq!(signature.similarity(&signature).expect("the same signer"), 1.0);
        let mut written = Vec::new();
        signature.write(&mut written).expect("writing to memory");
        assert_eq!(Signature::from_bytes(&written).expect("what was written"), signature);
        let mut merged = signature.clone();
        merged.merge(&signature).expect("the same signer");
        assert_eq!(merged, signature);
    }
    let read = Index::from_bytes(bytes);
    let Ok(opened) = Index::in_place(Aligned::new(bytes)) else {
        assert!(read.is_err(), "it reads and does not open");
        return;
    };
    ask(&opened);
    if let Ok(mut index) = read {
        ask(&index);
        assert_eq!(written(&index), written(&opened), "read and opened");
        change(&mut index);
    }
}

const SETS: [&[u64]; 4] = [&[], &[1], &[1, 2, 3], &[u64::MAX, 7, 1 << 40]];

fn ask<S: Storage>(index: &Index<S>) {
    let names: Vec<&str> = index.ids().collect();
    assert_eq!(names.len(), index.len());
    for set in SETS {
        let near = index.nearest(set, 5);
        assert!(near.len() <= 5.min(index.len()));
        assert!(near.is_sorted_by(|a, b| a.similarity >= b.similarity));
        let similar = index.similars_to(set, 0.5);
        assert!(similar.len() <= index.candidates_to(set).len());
        assert!(similar.iter().all(|found| (0.5..=1.0).contains(&found.similarity)));
    }
    if index.len() < 50 {
        assert!(index.similars(0.3).len() <= index.candidates().len());
    }
    std::hint::black_box(index.contains("leek"));
}

fn change(index: &mut Index) {
    for (name, set) in ["leek", "carrot", "", "turnip"].into_iter().zip(SETS) {
        index.insert(name, set);
        assert!(index.contains(name));
        assert!(set.is_empty() || index.similars_to(set, 1.0).iter().any(|found| found.id == name));
    }
    let before = index.len();
    assert!(index.remove("carrot") && !index.remove("carrot"));
    assert_eq!(index.len(), before - 1);
    let bytes = written(index);
    let again = Index::from_bytes(&bytes).expect("what was written");
    assert_eq!(again.len(), index.len());
    assert!(again.ids().eq(index.ids()));
    assert_eq!(written(&again), bytes, "written twice");
}

fn written<S: Storage>(index: &Index<S>) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.write(&mut bytes).expect("writing to memory");
    bytes
}
