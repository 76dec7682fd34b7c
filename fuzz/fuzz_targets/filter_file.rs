//! Bytes as a filter file: whatever they say, they are refused or make a filter that works.
//!
//! Random bytes would never pass the checksums, so an input is tried four times: as it is, with
//! its checksums mended, with its content's length mended too, and with as much content as its
//! parameters ask for.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamis::codec::File;
use tamis::filter::signatures::Scanner;
use tamis::filter::{
    AnyFilter, Blocked, BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter,
    CountingFilter, Filter, GrowingFilter, Insert, Mapped, Removal, RotatingFilter,
    SignatureFilter, StaticFilter, Storage, Stored,
};
use tamis::{Error, Result};
use tamis_fuzz::{Aligned, as_is_and_mended, mend_length};

/// Files are not filled up past this, so that memory stays bounded by the target's own doing.
const MOST_CONTENT: usize = 1 << 18;

const KEYS: [&[u8]; 6] = [b"", b"a", b"carrot", b"leek", b"\0\0\0\0\0\0\0\0", &[0xFF; 100]];

fuzz_target!(|input: &[u8]| {
    if let Some(mut bytes) = as_is_and_mended(input, attempt)
        && mend_content(&mut bytes)
    {
        attempt(&bytes);
    }
});

fn attempt(bytes: &[u8]) {
    let whole: Result<()> = AnyFilter::verify(Aligned::new(bytes));
    let read = read_as_each_kind(bytes);
    assert!(read.len() <= 1, "a file is of one kind");
    assert_eq!(read.len() == 1, whole.is_ok(), "verifying and reading differ: {whole:?}");
    let Ok(filter) = AnyFilter::in_place(Aligned::new(bytes)) else {
        assert!(whole.is_err(), "it verifies and does not open");
        return;
    };
    question(&filter);
    if let AnyFilter::Signatures(signatures) = &filter {
        scan(signatures, bytes);
    }

    let owned = filter.to_owned().expect("the memory of a small file");
    if let Some(read) = read.first() {
        assert_eq!(*read, owned, "read and mapped");
    }
    assert_eq!(written(&filter), written(&owned), "owned and mapped");
    again(&owned, whole.is_ok());
    question(&owned);
    change(owned, whole.is_ok());
}

/// The file as it would be read by each of the types that read files.
fn read_as_each_kind(bytes: &[u8]) -> Vec<AnyFilter> {
    let all = [
        BloomFilter::from_bytes(bytes).map(AnyFilter::Classic),
        BlockedBloomFilter::from_bytes(bytes).map(AnyFilter::Blocked),
        CountingFilter::from_bytes(bytes).map(AnyFilter::Counting),
        GrowingFilter::<Classic>::from_bytes(bytes).map(AnyFilter::GrowingClassic),
        GrowingFilter::<Blocked>::from_bytes(bytes).map(AnyFilter::GrowingBlocked),
        RotatingFilter::from_bytes(bytes).map(AnyFilter::Rotating),
        SignatureFilter::from_bytes(bytes).map(AnyFilter::Signatures),
        StaticFilter::from_bytes(bytes).map(AnyFilter::Static),
    ];
    all.into_iter().flatten().collect()
}

/// Everything that can be asked, with what must hold between the answers.
fn question<S: Storage>(filter: &AnyFilter<S>) {
    let found = filter.contains_many(&KEYS);
    for (key, found) in KEYS.into_iter().zip(found) {
        assert_eq!(filter.contains(key), found, "one by one and at once");
        let indexes = filter.indexes(key);
        assert!(indexes.iter().all(|&index| index < filter.bits()));
    }
    let (fill, rate) = (filter.fill(), filter.current_false_positive_rate());
    let estimated = filter.estimated_items();
    assert!(estimated >= 0.0, "estimated items: {estimated}");
    assert!((0.0..=1.0).contains(&fill), "fill: {fill}");
    assert!((-1e-9..=1.0 + 1e-9).contains(&rate), "rate: {rate}");
    assert!(!filter.is_empty() || filter.len() == 0);
    let design = filter.design();
    assert!(design.rate > 0.0 && design.rate <= 1.0);
    assert!(filter.hashes() > 0 && (filter.bits() > 0 || is_built_once(filter)));
    std::hint::black_box((filter.kind(), filter.layout(), format!("{design:?}")));
}

fn is_built_once<S>(filter: &AnyFilter<S>) -> bool {
    matches!(filter, AnyFilter::Signatures(_) | AnyFilter::Static(_))
}

fn scan(filter: &SignatureFilter<Mapped<Aligned>>, stream: &[u8]) {
    let mut hits = Vec::new();
    let mut scanner = Scanner::new(filter);
    for piece in stream.chunks(7) {
        scanner.push(piece, |hit| hits.push((hit.offset, hit.bytes.to_vec())));
    }
    scanner.finish(|hit| hits.push((hit.offset, hit.bytes.to_vec())));
    assert!(hits.is_sorted_by_key(|(offset, bytes)| (*offset, bytes.len())));
    for (offset, bytes) in hits {
        assert!(stream[offset as usize..].starts_with(&bytes));
        assert!(filter.contains(&bytes) && filter.lengths().contains(&(bytes.len() as u16)));
    }
}

/// Everything that changes a filter; each time it must find what it took, and come back from a
/// file as it went there.
fn change(mut filter: AnyFilter, sound: bool) {
    let untouched = filter.clone();
    if let Ok(insert) = filter.as_insert() {
        let hashes = KEYS.map(|key| insert.hash().bytes(key));
        insert.insert_hash(hashes[0]);
        insert.insert_many_hashes(&hashes[1..]);
        assert!(!insert.is_empty());
        assert!(KEYS.into_iter().all(|key| filter.contains(key)), "a key was lost");
        question(&filter);
        again(&filter, sound);
    }

    let mut merged = filter.clone();
    match merged.union(&untouched) {
        Ok(()) => assert!(!is_built_once(&filter)),
        Err(Error::Unsupported { .. }) => {}
        Err(error) => panic!("a filter does not match itself: {error}"),
    }
    if !is_built_once(&filter) {
        assert!(KEYS.into_iter().all(|key| merged.contains(key)), "a key was lost by merging");
    }
    question(&merged);
    again(&merged, sound);
    if let Ok(insert) = merged.as_insert() {
        let hashes = KEYS.map(|key| insert.hash().bytes(key));
        insert.insert_many_hashes(&hashes);
        assert!(KEYS.into_iter().all(|key| merged.contains(key)), "a key was lost after merging");
    }

    let mut common = filter.clone();
    match common.intersection(&filter) {
        Ok(()) | Err(Error::Unsupported { .. }) => {}
        Err(error) => panic!("a filter does not match itself: {error}"),
    }
    for key in KEYS {
        assert_eq!(common.contains(key), filter.contains(key), "what is in both stays");
    }
    question(&common);
    again(&common, sound);

    match &mut filter {
        AnyFilter::Counting(filter) => {
            for key in KEYS {
                let before = filter.count(key);
                let removal = filter.remove(key);
                assert_eq!(removal == Removal::Absent, before == 0);
                assert_eq!(removal == Removal::Saturated, before == filter.max_count());
            }
        }
        AnyFilter::Blocked(filter) => {
            let shared = ConcurrentBloomFilter::from(filter.clone());
            shared.insert_many(&KEYS);
            filter.insert_many(&KEYS);
            assert_eq!(shared.into_filter(), *filter, "one thread and many");
        }
        AnyFilter::Rotating(filter) => {
            assert_eq!(filter.age(KEYS[0]), Some(0));
            for _ in 0..filter.generations().min(8) {
                filter.rotate();
            }
            let sum = filter.items_by_age().fold(0, u64::saturating_add);
            assert_eq!(sum, filter.len());
        }
        _ => {}
    }
    question(&filter);
    again(&filter, sound);
    if let Ok(insert) = filter.as_insert() {
        insert.clear();
        assert!(insert.is_empty());
        assert!(KEYS.into_iter().all(|key| !filter.contains(key)), "it was emptied");
        again(&filter, true);
    }
}

/// Writes a filter and opens what was written: the same filter.
fn again(filter: &AnyFilter, sound: bool) {
    let bytes = written(filter);
    let opened = AnyFilter::in_place(Aligned::new(&bytes)).expect("what was written opens");
    assert_eq!(opened.to_owned().expect("memory"), *filter, "written and opened");
    assert_eq!(written(&opened), bytes, "written twice");
    let whole = AnyFilter::verify(Aligned::new(&bytes));
    assert!(!sound || whole.is_ok(), "what was written does not verify: {whole:?}");
}

fn written<S: Storage>(filter: &AnyFilter<S>) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.write(&mut bytes).expect("writing to memory");
    bytes
}

/// As much content as the parameters ask for, part by part, by what the refusals say. Whether
/// that made a file that opens.
fn mend_content(bytes: &mut Vec<u8>) -> bool {
    for attempt in 0..64 {
        let size = match File::open(bytes) {
            Ok(file) => file.content().len(),
            Err(_) => return false,
        };
        let wanted = match AnyFilter::in_place(Aligned::new(bytes)) {
            Ok(_) => return attempt > 0,
            Err(Error::Malformed { what: "the content's length", expected, got }) => {
                let (Ok(expected), Ok(got)) = (expected.parse::<usize>(), got.parse::<usize>())
                else {
                    return false;
                };
                (size - got).saturating_add(expected)
            }
            Err(Error::Malformed { what: "the content", got, .. }) => {
                let extra = got.split(' ').next().and_then(|extra| extra.parse().ok());
                size.saturating_sub(extra.unwrap_or(size))
            }
            Err(_) => return false,
        };
        if wanted > MOST_CONTENT {
            return false;
        }
        let start = bytes.len() - size;
        // Not all zero: the first part again, as often as it fits.
        let pattern = bytes[start..].to_vec();
        bytes.resize(start + wanted, 0);
        for (place, byte) in bytes[start..].iter_mut().enumerate().skip(size) {
            *byte = if pattern.is_empty() { 0 } else { pattern[place % pattern.len()] };
        }
        mend_length(bytes);
    }
    false
}
