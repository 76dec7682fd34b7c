//! A file used in place answers as the filter in memory does.

use super::{InPlace, in_place, samples};
use crate::support::{Aligned, bytes_of};
use tamis::Error;
use tamis::codec::File;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, Blocked, BlockedBloomFilter, BloomFilter, Classic, CounterWidth, CountingFilter,
    GrowingFilter, Insert, RotatingFilter, SignatureFilter, StaticFilterBuilder,
};
use tamis::hash::{Algorithm, Key, KeyHash};

const KEYS: u64 = 10_000;

/// All integers that are in and as many that are not.
fn answers_the_same(filter: &AnyFilter) {
    answers_the_same_about(filter, &(0..2 * KEYS).collect::<Vec<_>>());
}

/// Keys of which the first half is in: the answers, the places and the numbers.
fn answers_the_same_about<K: Key>(filter: &AnyFilter, keys: &[K]) {
    let mut file = Vec::new();
    filter.write(&mut file).expect("a vector takes everything");
    let mapped: InPlace = in_place(&file).expect("we wrote it");
    let answers = filter.contains_many(keys);
    assert_eq!(mapped.contains_many(keys), answers);
    assert!(answers[..10_000].iter().all(|found| *found), "all that is in is found");
    assert!(answers[10_000..].iter().any(|found| !*found), "not everything is found");
    for key in keys.iter().step_by(7) {
        assert_eq!(mapped.contains(key), filter.contains(key));
        assert_eq!(mapped.indexes(key), filter.indexes(key));
    }
    assert_eq!((mapped.len(), mapped.hash()), (filter.len(), filter.hash()));
    assert_eq!((mapped.kind(), mapped.layout()), (filter.kind(), filter.layout()));
    assert_eq!((mapped.bits(), mapped.hashes()), (filter.bits(), filter.hashes()));
    assert_eq!(mapped.design(), filter.design());
    assert_eq!(mapped.fill().to_bits(), filter.fill().to_bits());
    assert_eq!(mapped.estimated_items().to_bits(), filter.estimated_items().to_bits());
    let rates = [mapped.current_false_positive_rate(), filter.current_false_positive_rate()];
    assert_eq!(rates[0].to_bits(), rates[1].to_bits());
    assert_eq!(mapped.to_owned().expect("it is small"), *filter);
    let mut again = Vec::new();
    mapped.write(&mut again).expect("a vector takes everything");
    assert_eq!(again, file, "written from the map it is the same file");
}

fn with_keys<F: Insert>(filter: tamis::Result<F>) -> F {
    let mut filter = filter.expect("a sound shape");
    filter.insert_many(&(0..KEYS).collect::<Vec<_>>());
    filter
}

#[test]
fn bloom_filters_answer_from_the_map_as_in_memory() {
    for algorithm in Algorithm::ALL {
        let hash = KeyHash::with_algorithm(algorithm, 99);
        let filter = BloomFilter::with_false_positive_rate(KEYS, 0.01).map(|f| f.with_hash(hash));
        answers_the_same(&AnyFilter::Classic(with_keys(filter)));
        let filter = BlockedBloomFilter::with_false_positive_rate(KEYS, 0.01);
        answers_the_same(&AnyFilter::Blocked(with_keys(filter.map(|f| f.with_hash(hash)))));
    }
}

#[test]
fn counting_filters_answer_from_the_map_as_in_memory() {
    for layout in [Layout::Classic, Layout::Blocked] {
        for width in [CounterWidth::Four, CounterWidth::Eight] {
            let filter = with_keys(CountingFilter::placed(layout, width, KEYS, 0.01));
            let any = AnyFilter::Counting(filter.clone());
            answers_the_same(&any);
            let AnyFilter::Counting(mapped) = in_place(&bytes_of(&filter)).expect("we wrote it")
            else {
                panic!("it is a counting filter")
            };
            assert!((0..2 * KEYS).all(|key| mapped.count(&key) == filter.count(&key)));
        }
    }
}

#[test]
fn growing_filters_answer_from_the_map_as_in_memory() {
    let filter = GrowingFilter::<Classic>::placed(100, 0.01);
    answers_the_same(&AnyFilter::GrowingClassic(with_keys(filter)));
    let filter = GrowingFilter::<Blocked>::placed(100, 0.01);
    answers_the_same(&AnyFilter::GrowingBlocked(with_keys(filter)));
}

#[test]
fn rotating_filters_answer_from_the_map_as_in_memory() {
    let filter = RotatingFilter::with_false_positive_rate(5, KEYS / 5, 0.01);
    let mut filter = filter.expect("a sound shape");
    for generation in 0..5 {
        filter.rotate();
        let start = generation * KEYS / 5;
        filter.insert_many(&(start..start + KEYS / 5).collect::<Vec<_>>());
    }
    answers_the_same(&AnyFilter::Rotating(filter));
}

#[test]
fn static_filters_answer_from_the_map_as_in_memory() {
    for rate in [0.6, 0.25, 0.01, 1e-6] {
        let mut builder = StaticFilterBuilder::new(rate).expect("sound");
        (0..KEYS).for_each(|key| builder.insert(&key));
        answers_the_same(&AnyFilter::Static(builder.build().expect("there is memory")));
    }
}

#[test]
fn signature_filters_answer_from_the_map_as_in_memory() {
    let strings: Vec<[u8; 8]> = (0..2 * KEYS).map(u64::to_le_bytes).collect();
    let signatures = &strings[..strings.len() / 2];
    let filter = SignatureFilter::build(signatures, 0.01, KeyHash::new(5)).expect("sound");
    answers_the_same_about(&AnyFilter::Signatures(filter.clone()), &strings);

    let stream: Vec<u8> = (0..3_000).flat_map(|i| (i * 7 % 20_000u64).to_le_bytes()).collect();
    let AnyFilter::Signatures(mapped) = in_place(&bytes_of(&filter)).expect("we wrote it") else {
        panic!("it is a signature filter")
    };
    let mut found = [Vec::new(), Vec::new()];
    let mut scanner = tamis::filter::signatures::Scanner::new(&filter);
    scanner.push(&stream, |hit| found[0].push(hit.offset));
    scanner.finish(|hit| found[0].push(hit.offset));
    let mut scanner = tamis::filter::signatures::Scanner::new(&mapped);
    stream.chunks(100).for_each(|piece| scanner.push(piece, |hit| found[1].push(hit.offset)));
    scanner.finish(|hit| found[1].push(hit.offset));
    assert_eq!(found[0], found[1]);
    assert!(found[0].len() > 1_000);
}

/// In place needs whole lines at aligned addresses; a copy is made from any address.
#[test]
fn bytes_that_are_not_aligned_are_refused_in_place_and_loaded_into_memory() {
    struct Shifted(Aligned, usize);
    impl AsRef<[u8]> for Shifted {
        fn as_ref(&self) -> &[u8] {
            &self.0.as_ref()[self.1..]
        }
    }
    for sample in samples() {
        for shift in [1, 2, 4, 8, 16, 32, 63] {
            let shifted = Aligned::new(&[&vec![0; shift], &sample.file[..]].concat());
            let shifted = Shifted(shifted, shift);
            (sample.load)(shifted.as_ref()).expect("a copy is aligned");
            assert!(File::open(shifted.as_ref()).is_ok());
            let error = AnyFilter::in_place(shifted).map(drop).expect_err("not aligned");
            assert!(matches!(error, Error::Unaligned), "{}: {error}", sample.name);
            assert!(error.to_string().contains("multiple of 64"));
        }
    }
}
