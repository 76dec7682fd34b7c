//! What one writes without having read the documents: no trait is imported here.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tamis::filter::{
    AnyFilter, BlockedBloomFilter, BloomFilter, Classic, ConcurrentBloomFilter, CounterWidth,
    CountingFilter, GrowingFilter, Removal, RotatingFilter, SignatureFilter, StaticFilter,
    StaticFilterBuilder,
};
use tamis::hash::KeyHash;

const KEYS: u64 = 2_000;

/// Everything that keys can be added to does this, whatever its type.
macro_rules! for_each_kind {
    ($check:ident) => {{
        $check!(BloomFilter::with_false_positive_rate(KEYS, 0.001), "Bloom {");
        $check!(BloomFilter::with_bits(50_000, 4), "Bloom {");
        $check!(BlockedBloomFilter::with_false_positive_rate(KEYS, 0.001), "Bloom {");
        // Other numbers of functions have other kernels.
        $check!(BlockedBloomFilter::with_bits(100_000, 5), "Bloom {");
        $check!(BlockedBloomFilter::with_bits(100_000, 13), "Bloom {");
        let (four, eight) = (CounterWidth::Four, CounterWidth::Eight);
        $check!(CountingFilter::with_false_positive_rate(four, KEYS, 0.001), "CountingFilter");
        $check!(CountingFilter::with_false_positive_rate(eight, KEYS, 0.001), "CountingFilter");
        $check!(GrowingFilter::with_false_positive_rate(100, 0.001), "GrowingFilter");
        $check!(GrowingFilter::<Classic>::placed(100, 0.001), "GrowingFilter");
        $check!(RotatingFilter::with_false_positive_rate(3, KEYS, 0.001), "RotatingFilter");
    }};
}

macro_rules! tells_what_is_new {
    ($filter:expr, $name:literal) => {{
        let mut filter = $filter.expect("a sound shape");
        assert!(filter.is_empty());
        for key in 0..KEYS {
            // A key that is found by chance is not new.
            let was_in = filter.contains(&key);
            assert_eq!(filter.insert(&key), !was_in, "{} {key}", $name);
            assert!(filter.contains(&key));
            assert!(!filter.insert(&key), "{} {key} again", $name);
        }
        assert_eq!(filter.len(), 2 * KEYS);
        filter.clear();
        assert!(filter.insert("leek") && !filter.insert(&"leek".to_owned()));
    }};
}

#[test]
fn insert_returns_whether_the_key_was_new() {
    for_each_kind!(tells_what_is_new);
    let filter = ConcurrentBloomFilter::with_false_positive_rate(KEYS, 0.001).expect("sound");
    for key in 0..KEYS {
        let was_in = filter.contains(&key);
        assert_eq!(filter.insert(&key), !was_in);
        assert!(!filter.insert(&key));
    }
}

#[test]
fn of_many_threads_that_insert_a_key_one_is_told_that_it_was_new() {
    let shared = ConcurrentBloomFilter::with_false_positive_rate(KEYS, 0.001).expect("sound");
    let news = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let new = (0..KEYS).filter(|key| shared.insert(key)).count();
                news.fetch_add(new, Relaxed);
            });
        }
    });
    let mut alone = BlockedBloomFilter::with_false_positive_rate(KEYS, 0.001).expect("sound");
    let expected = (0..KEYS).filter(|key| alone.insert(key)).count();
    // Which keys are found by chance depends on the order; that is a handful.
    assert!(news.load(Relaxed).abs_diff(expected) <= 10, "{news:?} {expected}");
    assert_eq!(shared.len(), 4 * KEYS);
}

macro_rules! comes_back {
    ($filter:expr, $name:literal) => {{
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.tamis");
        let mut filter = $filter.expect("a sound shape");
        filter.extend(0..KEYS);
        filter.save(&path).expect("saved");
        let mapped = AnyFilter::open_mapped(&path).expect("mapped");
        let opened = AnyFilter::open(&path).expect("opened");
        assert_eq!(opened.to_bytes().expect("bytes"), filter.to_bytes().expect("bytes"));
        assert!((0..KEYS).all(|key| opened.contains(&key) && mapped.contains(&key)), "{}", $name);
        let mut same = filter.clone();
        same.clone_from(&filter);
        let (shown, text) = (format!("{filter:?}"), same.to_bytes().expect("bytes"));
        assert!(shown.starts_with($name) && shown.contains("bits: ") && shown.contains("fill: 0."));
        assert!(shown.len() < 200, "{shown}");
        same = reopened(&same, &path);
        assert!(same == filter && same.to_bytes().expect("bytes") == text, "{}", $name);
    }};
}

/// The same type again, by the type alone.
trait Reopen: Sized {
    fn reopen(path: &std::path::Path) -> tamis::Result<Self>;
    fn mapped_len(path: &std::path::Path) -> tamis::Result<u64>;
}

macro_rules! reopen {
    ($($filter:ty),*) => {$(
        impl Reopen for $filter {
            fn reopen(path: &std::path::Path) -> tamis::Result<Self> {
                <$filter>::open(path)
            }
            fn mapped_len(path: &std::path::Path) -> tamis::Result<u64> {
                Ok(<$filter>::open_mapped(path)?.len())
            }
        }
    )*};
}
reopen!(BloomFilter, BlockedBloomFilter, CountingFilter, RotatingFilter);
reopen!(GrowingFilter, GrowingFilter<Classic>, StaticFilter, SignatureFilter);

fn reopened<F: Reopen>(_: &F, path: &std::path::Path) -> F {
    F::mapped_len(path).expect("mapped");
    F::reopen(path).expect("opened")
}

#[test]
fn what_is_saved_opens_by_its_path() {
    for_each_kind!(comes_back);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.tamis");
    let built = StaticFilter::from_keys(0..KEYS, 0.01).expect("built");
    built.save(&path).expect("saved");
    assert_eq!(reopened(&built, &path), built);
    let list = SignatureFilter::build(&["needle"], 0.01, KeyHash::default()).expect("built");
    list.save(&path).expect("saved");
    assert_eq!(reopened(&list, &path), list);
    let shared = ConcurrentBloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
    (&shared).extend(0..KEYS);
    shared.save(&path).expect("saved while it is shared");
    assert_eq!(ConcurrentBloomFilter::open(&path).expect("opened"), shared);
    assert_eq!(shared.clone().into_filter(), shared.snapshot().expect("memory"));
    assert!(format!("{shared:?}").starts_with("ConcurrentBloomFilter { bits: "));
    // A kind is not taken for another.
    let error = BloomFilter::open(&path).expect_err("it is blocked").to_string();
    assert!(error.contains("layout"), "{error}");
    let error = BloomFilter::open(folder.path().join("none")).expect_err("missing").to_string();
    assert!(error.starts_with("cannot read ") && error.contains("none"), "{error}");
    let error = built.save(folder.path().join("no/folder")).expect_err("no folder").to_string();
    assert!(error.starts_with("cannot write ") && error.contains("no/folder"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn filters_are_collected_from_iterators() {
    let bloom: BloomFilter = (0..KEYS).collect();
    let blocked: BlockedBloomFilter = ["leek", "turnip"].into_iter().collect();
    let counting: CountingFilter = ["leek", "leek", "turnip"].into_iter().collect();
    let growing: GrowingFilter = (0..KEYS).collect();
    assert!((0..KEYS).all(|key| bloom.contains(&key) && growing.contains(&key)));
    assert_eq!((bloom.design().items, bloom.design().rate), (KEYS, 0.01));
    assert!(blocked.contains("leek") && blocked.len() == 2);
    assert_eq!((counting.count("leek"), counting.count("turnip")), (2, 1));
    let nothing: BloomFilter = std::iter::empty::<u64>().collect();
    assert!(nothing.is_empty() && !nothing.contains(&1));
    let mut builder = StaticFilterBuilder::new(0.01).expect("a sound rate");
    builder.extend((0..KEYS).map(|key| key.to_string()));
    assert!(builder.build().expect("built").contains("1999"));
}

#[test]
fn any_filter_takes_keys_or_says_why_not() {
    let counting = CountingFilter::with_false_positive_rate(CounterWidth::Four, 100, 0.01);
    let mut any = AnyFilter::Counting(counting.expect("sound"));
    assert!(any.insert("leek").expect("it takes keys"));
    assert!(!any.insert("leek").expect("it takes keys"));
    assert_eq!(any.count("leek").expect("it counts"), 2);
    assert_eq!(any.remove("leek").expect("it takes keys back"), Removal::Removed);
    let mut fixed = AnyFilter::Static(StaticFilter::from_keys(["leek"], 0.01).expect("built"));
    assert!(fixed.contains("leek") && fixed.len() == 1 && !fixed.is_empty());
    for error in [
        fixed.insert("turnip").expect_err("it is built").to_string(),
        fixed.remove("leek").expect_err("it is built").to_string(),
        fixed.count("leek").expect_err("it does not count").to_string(),
    ] {
        assert!(error.starts_with("a static filter cannot "), "{error}");
    }
}

mod generic {
    use super::KEYS;
    use std::rc::Rc;
    use std::sync::Arc;
    use tamis::filter::{BloomFilter, Filter, GrowingFilter, Insert, StaticFilter};

    fn hits<F: Filter>(filter: &F, keys: &[&str]) -> usize {
        keys.iter().filter(|key| filter.contains(*key)).count()
    }

    fn fill(filter: &mut impl Insert) -> u64 {
        filter.insert_many(&[1, 2, 3]);
        assert!(filter.insert("leek"));
        filter.len()
    }

    #[test]
    fn generic_functions_and_objects_take_every_filter() {
        let bloom = || BloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
        let mut filters: Vec<Box<dyn Insert>> =
            vec![Box::new(bloom()), Box::<GrowingFilter>::new((0..10).collect())];
        for filter in &mut filters {
            assert!(filter.insert("turnip"));
            assert!(filter.contains("turnip") && !filter.contains("carrot"));
            assert!(fill(filter) >= 5);
            assert_eq!(hits(filter, &["leek", "turnip", "carrot"]), 2);
        }
        let fixed = StaticFilter::from_keys(["leek"], 0.001).expect("built");
        let questions: [Box<dyn Filter>; 2] = [Box::new(fixed.clone()), Box::new(&fixed)];
        assert!(questions.iter().all(|filter| filter.contains("leek")));
        assert_eq!(hits(&questions[0], &["leek", "carrot"]), 1);
        let shared: (Arc<dyn Filter>, Rc<dyn Filter>) =
            (Arc::new(fixed.clone()), Rc::new(fixed.clone()));
        assert!(shared.0.contains("leek") && shared.1.contains_many(&["leek"])[0]);
    }
}

#[cfg(feature = "serde")]
#[test]
fn filters_are_fields_of_structures() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct State {
        name: String,
        seen: BlockedBloomFilter,
        kinds: std::collections::BTreeMap<u8, AnyFilter>,
    }
    let seen: BlockedBloomFilter = (0..KEYS).collect();
    let kinds = [
        (1, AnyFilter::Blocked(seen.clone())),
        (2, AnyFilter::Static(StaticFilter::from_keys(0..9, 0.1).expect("built"))),
    ];
    let state = State { name: "leek".to_owned(), seen, kinds: kinds.into() };
    let text = serde_json::to_string(&state).expect("written");
    let back: State = serde_json::from_str(&text).expect("read");
    assert_eq!(back, state);
    let damaged = text.replacen("89544", "89543", 1);
    let error = serde_json::from_str::<State>(&damaged).expect_err("damaged").to_string();
    assert!(error.contains("not a Tamis file"), "{error}");
    assert!(serde_json::from_str::<BloomFilter>("\"leek\"").is_err());
    assert!(serde_json::from_str::<BloomFilter>("\"é\"").is_err());
}
