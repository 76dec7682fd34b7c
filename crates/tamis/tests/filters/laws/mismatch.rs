//! What differs in hash, seed, size, layout, width or generations is never combined.

use crate::support::bytes_of;
use std::fmt::Debug;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, Blocked, BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter,
    CounterWidth, CountingFilter, GrowingFilter, RotatingFilter, SignatureFilter,
    StaticFilterBuilder,
};
use tamis::hash::{Algorithm, KeyHash};
use tamis::{Error, Result};

/// Both operations are refused with a sentence, in both directions, and change no byte.
fn refuses<L: Clone, R: Clone>(
    (left, right): (&L, &R),
    operations: [fn(&mut L, &R) -> Result<()>; 2],
    bytes: fn(&L) -> Vec<u8>,
) -> String {
    let mut sentence = String::new();
    for operation in operations {
        let mut changed = left.clone();
        let error = operation(&mut changed, right).expect_err("they do not match");
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
        assert_eq!(bytes(&changed), bytes(left), "{error}, and yet it was changed");
        sentence = error.to_string();
    }
    sentence
}

/// Two filters as whatever they are, each with a key.
fn refused(left: impl Into<Any>, right: impl Into<Any>) -> String {
    let (Any(left), Any(right)) = (left.into(), right.into());
    let bytes = |filter: &AnyFilter| {
        let mut bytes = Vec::new();
        filter.write(&mut bytes).expect("a vector takes everything");
        bytes
    };
    let operations: [fn(&mut AnyFilter, &AnyFilter) -> Result<()>; 2] =
        [AnyFilter::union, AnyFilter::intersection];
    refuses((&right, &left), operations, bytes);
    refuses((&left, &right), operations, bytes)
}

#[derive(Debug)]
struct Any(AnyFilter);

macro_rules! any {
    ($($filter:ty => $variant:ident),* $(,)?) => {$(
        impl From<$filter> for Any {
            fn from(mut filter: $filter) -> Self {
                filter.insert("leek");
                Self(AnyFilter::$variant(filter))
            }
        }
    )*};
}
any!(
    BloomFilter => Classic,
    BlockedBloomFilter => Blocked,
    CountingFilter => Counting,
    GrowingFilter<Classic> => GrowingClassic,
    GrowingFilter<Blocked> => GrowingBlocked,
    RotatingFilter => Rotating,
);

fn classic(bits: u64, hashes: u32) -> BloomFilter {
    BloomFilter::with_bits(bits, hashes).expect("a sound shape")
}

fn blocked(bits: u64, hashes: u32) -> BlockedBloomFilter {
    BlockedBloomFilter::with_bits(bits, hashes).expect("a sound shape")
}

fn counting(layout: Layout, width: CounterWidth, bits: u64, hashes: u32) -> CountingFilter {
    CountingFilter::with_bits(layout, width, bits, hashes).expect("a sound shape")
}

fn growing<L: tamis::filter::BitLayout>(items: u64, rate: f64) -> GrowingFilter<L> {
    GrowingFilter::placed(items, rate).expect("a sound shape")
}

fn rotating(generations: u32, bits: u64, hashes: u32) -> RotatingFilter {
    RotatingFilter::with_bits(generations, bits, hashes).expect("a sound shape")
}

#[test]
fn another_seed_or_hash_is_refused_by_every_kind() {
    let seeded = KeyHash::new(1);
    let others = Algorithm::ALL.map(|algorithm| KeyHash::with_algorithm(algorithm, 2));
    for other in others {
        let word = if other.algorithm() == Algorithm::Xxh3 { "seed" } else { "hash" };
        macro_rules! check {
            ($filter:expr) => {
                let sentence = refused($filter.with_hash(seeded), $filter.with_hash(other));
                assert!(sentence.contains(word), "{sentence}");
            };
        }
        check!(classic(100, 3));
        check!(blocked(512, 3));
        check!(counting(Layout::Classic, CounterWidth::Four, 100, 3));
        check!(counting(Layout::Blocked, CounterWidth::Eight, 512, 3));
        check!(growing::<Classic>(10, 0.01));
        check!(growing::<Blocked>(10, 0.01));
        check!(rotating(3, 512, 3));
    }
}

#[test]
fn another_size_or_number_of_functions_is_refused() {
    assert!(refused(classic(100, 3), classic(101, 3)).contains("bits"));
    assert!(refused(classic(100, 3), classic(100, 4)).contains("functions"));
    assert!(refused(blocked(512, 3), blocked(513, 3)).contains("bits"));
    assert!(refused(blocked(512, 3), blocked(512, 4)).contains("functions"));
    for (layout, width) in [
        (Layout::Classic, CounterWidth::Four),
        (Layout::Classic, CounterWidth::Eight),
        (Layout::Blocked, CounterWidth::Four),
        (Layout::Blocked, CounterWidth::Eight),
    ] {
        let shape = |bits, hashes| counting(layout, width, bits, hashes);
        assert!(refused(shape(512, 3), shape(1024, 3)).contains("counters"));
        assert!(refused(shape(512, 3), shape(512, 4)).contains("functions"));
    }
    assert!(refused(growing::<Blocked>(10, 0.01), growing::<Blocked>(11, 0.01)).contains("11"));
    assert!(refused(growing::<Classic>(10, 0.01), growing::<Classic>(10, 0.02)).contains("0.02"));
    assert!(refused(rotating(3, 512, 3), rotating(3, 1024, 3)).contains("bits"));
    assert!(refused(rotating(3, 512, 3), rotating(3, 512, 4)).contains("functions"));
}

#[test]
fn another_layout_width_or_number_of_generations_is_refused() {
    let counters = |layout, width| counting(layout, width, 512, 3);
    let (four, eight) = (CounterWidth::Four, CounterWidth::Eight);
    for layout in [Layout::Classic, Layout::Blocked] {
        let sentence = refused(counters(layout, four), counters(layout, eight));
        assert!(sentence.contains("of 4 bits"), "{sentence}");
        // As many counters, of another width.
        refused(counting(layout, four, 512, 3), counting(layout, eight, 1024, 3));
    }
    for width in [four, eight] {
        let sentence = refused(counters(Layout::Classic, width), counters(Layout::Blocked, width));
        assert!(sentence.contains("blocked"), "{sentence}");
    }
    assert!(refused(rotating(3, 512, 3), rotating(4, 512, 3)).contains("generations"));
    assert!(refused(classic(512, 3), blocked(512, 3)).contains("blocked"));
    assert!(refused(growing::<Classic>(9, 0.1), growing::<Blocked>(9, 0.1)).contains("blocked"));
}

#[test]
fn another_kind_is_refused() {
    let kinds: [fn() -> Any; 4] = [
        || blocked(512, 3).into(),
        || counting(Layout::Blocked, CounterWidth::Four, 512, 3).into(),
        || growing::<Blocked>(10, 0.01).into(),
        || rotating(1, 512, 3).into(),
    ];
    for (i, left) in kinds.iter().enumerate() {
        for right in kinds.iter().skip(i + 1) {
            assert!(refused(left(), right()).contains("the kind"));
        }
    }
}

#[test]
fn what_is_built_once_refuses_to_be_merged_or_added_to() {
    let needles = SignatureFilter::build(&["needle"], 0.01, KeyHash::default()).expect("one");
    let mut keys = StaticFilterBuilder::new(0.01).expect("a sound rate");
    keys.insert("leek");
    let fixed = keys.build().expect("one key");
    for one in [AnyFilter::Signatures(needles), AnyFilter::Static(fixed)] {
        let (mut any, other) = (one.clone(), one.clone());
        assert!(matches!(any.union(&other), Err(Error::Unsupported { .. })));
        assert!(matches!(any.intersection(&other), Err(Error::Unsupported { .. })));
        assert!(matches!(any.as_insert().err(), Some(Error::Unsupported { .. })));
        assert_eq!(any, one);
    }
}

#[test]
fn a_shared_filter_refuses_what_a_plain_one_would() {
    let shared = || ConcurrentBloomFilter::from(blocked(512, 3));
    let others = [blocked(513, 3), blocked(512, 4), blocked(512, 3).with_hash(KeyHash::new(1))];
    for mut other in others {
        other.insert("leek");
        let left = shared();
        assert!(matches!(left.union(&other), Err(Error::Mismatch { .. })));
        assert_eq!(bytes_of(&left.into_filter()), bytes_of(&blocked(512, 3)));
        assert!(matches!(shared().intersection(&other), Err(Error::Mismatch { .. })));
        assert!(!shared().contains("leek"));
    }
}
