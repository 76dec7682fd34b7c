//! Golden files: what was written once is read for ever and written again byte for byte.
//!
//! `tests/golden/README.md` says how each file was made and what it answers; its table is
//! read here. Set `TAMIS_WRITE_GOLDEN` to write the files anew.

use crate::support::{Aligned, header_length};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, Blocked, BlockedBloomFilter, BloomFilter, CounterWidth, CountingFilter, Filter,
    GrowingFilter, Insert, Mapped, RotatingFilter, SignatureFilter, StaticFilterBuilder,
};
use tamis::hash::{Algorithm, KeyHash, KeyKinds};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).expect(name)
}

fn words() -> Vec<String> {
    text("words.txt").lines().map(str::to_owned).collect()
}

/// What is recorded as found among these, although nobody inserted it.
fn strangers() -> Vec<String> {
    (0..10_000).map(|i| format!("stranger-{i}")).collect()
}

/// The name of a file as version 1 has written it.
fn old(name: &str) -> String {
    name.replace(".tamis", "-1.tamis")
}

/// Every file with the calls that make it.
fn recipes() -> Vec<(&'static str, AnyFilter)> {
    let words = words();
    let classic = || BloomFilter::with_false_positive_rate(40, 0.01).expect("sound");
    let blocked = || BlockedBloomFilter::with_false_positive_rate(40, 0.01).expect("sound");
    let farm = KeyHash::with_algorithm(Algorithm::FarmHash64, 0);
    let murmur = KeyHash::with_algorithm(Algorithm::Murmur3, 2026);
    let four = CountingFilter::placed(Layout::Blocked, CounterWidth::Four, 40, 0.01);
    let eight = CountingFilter::placed(Layout::Classic, CounterWidth::Eight, 40, 0.01);
    let growing = GrowingFilter::<Blocked>::placed(10, 0.01);
    let mut rotating = RotatingFilter::with_false_positive_rate(3, 20, 0.01).expect("sound");
    rotating.insert_many(&words[..20]);
    rotating.rotate();
    rotating.insert_many(&words[20..]);
    let signatures = SignatureFilter::build(&words, 0.001, KeyHash::default()).expect("sound");
    let mut built_once = StaticFilterBuilder::new(0.01).expect("sound");
    words.iter().for_each(|word| built_once.insert(word));
    let three_times = [&words[..]; 3].concat();
    vec![
        ("bloom-blocked.tamis", AnyFilter::Blocked(of(blocked(), &words))),
        ("bloom-classic.tamis", AnyFilter::Classic(of(classic(), &words))),
        ("bloom-farmhash64.tamis", AnyFilter::Classic(of(classic().with_hash(farm), &words))),
        ("bloom-murmur3.tamis", AnyFilter::Blocked(of(blocked().with_hash(murmur), &words))),
        ("counting-4.tamis", AnyFilter::Counting(of(four.expect("sound"), &words))),
        ("counting-8.tamis", AnyFilter::Counting(of(eight.expect("sound"), &three_times))),
        ("growing.tamis", AnyFilter::GrowingBlocked(of(growing.expect("sound"), &words))),
        ("rotating.tamis", AnyFilter::Rotating(rotating)),
        ("signatures.tamis", AnyFilter::Signatures(signatures)),
        ("static.tamis", AnyFilter::Static(built_once.build().expect("sound"))),
    ]
}

fn of<F: Insert>(mut filter: F, words: &[String]) -> F {
    filter.insert_many(words);
    filter
}

/// The golden files as they are, by name; there must be some.
fn files() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(path("")).expect("tests/golden");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a plain name"));
    let names: BTreeSet<String> = names.filter(|name| name.ends_with(".tamis")).collect();
    assert!(!names.is_empty(), "no golden file in {}", path("").display());
    names.into_iter().map(|name| (name.clone(), fs::read(path(&name)).expect(&name))).collect()
}

fn in_place(name: &str, file: &[u8]) -> AnyFilter<Mapped<Aligned>> {
    AnyFilter::verify(Aligned::new(file)).expect(name);
    AnyFilter::in_place(Aligned::new(file)).expect(name)
}

fn golden(name: &str) -> AnyFilter {
    in_place(name, &fs::read(path(name)).expect(name)).to_owned().expect("it is small")
}

#[test]
fn the_same_filters_are_written_byte_for_byte() {
    let writing = std::env::var_os("TAMIS_WRITE_GOLDEN").is_some();
    for (name, filter) in recipes() {
        let mut file = Vec::new();
        filter.write(&mut file).expect("a vector takes everything");
        if writing {
            fs::write(path(name), &file).expect(name);
        }
        let expected = fs::read(path(name)).expect(name);
        let difference = file.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(file == expected, "{name} differs, first at byte {difference:?}");
    }
}

#[test]
fn files_recipes_and_table_are_of_the_same_names() {
    let names: Vec<String> = files().into_iter().map(|(name, _)| name).collect();
    let recipes = recipes().into_iter().flat_map(|(name, _)| [old(name), name.to_owned()]);
    let recipes: Vec<String> = recipes.collect();
    let table: Vec<String> = table().into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(names, recipes, "files and recipes");
    assert_eq!(names, table, "files and README.md");
    for (name, file) in files() {
        assert!(file.len() <= 10_000, "{name} is too large for a repository");
    }
}

#[test]
fn a_golden_file_read_equals_the_filter_made_anew() {
    for (name, filter) in recipes() {
        assert_eq!(golden(name), filter, "{name}");
        assert_eq!(golden(&old(name)), filter, "{name}");
    }
}

#[test]
fn golden_files_say_which_keys_they_have_and_old_ones_take_every_query() {
    for (name, _) in recipes() {
        let (new, mut before) = (golden(name), golden(&old(name)));
        assert_eq!(new.key_kinds(), KeyKinds::TEXT, "{name}");
        assert!(new.try_contains("leek").expect("text") && new.try_contains(&7).is_err(), "{name}");
        assert_eq!(before.key_kinds(), KeyKinds::UNKNOWN, "{name}");
        assert!(before.try_contains("leek").expect("any") && before.try_contains(&7).is_ok());
        // What is added does not make the rest known, and neither does a copy.
        if before.insert("kohlrabi").is_ok() {
            let again = AnyFilter::from_bytes(&before.to_bytes().expect("bytes")).expect("ours");
            assert_eq!(again.key_kinds(), KeyKinds::TEXT.with(KeyKinds::UNKNOWN), "{name}");
            assert!(again.try_contains(&7).is_ok(), "{name}");
        }
    }
}

/// The rows of the README's table that begin with a file's name, without its quotes.
fn table() -> Vec<Vec<String>> {
    let readme = text("README.md");
    let rows = readme.lines().filter(|line| line.starts_with("| `") && line.contains(".tamis` |"));
    let cells = |row: &str| row.trim_matches('|').split('|').map(clean).collect();
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "README.md has no table");
    rows
}

fn clean(cell: &str) -> String {
    cell.trim().trim_matches('`').replace(',', "")
}

#[test]
fn every_golden_file_answers_as_its_row_says() {
    let (words, strangers) = (words(), strangers());
    for row in table() {
        let filter = in_place(&row[0], &fs::read(path(&row[0])).expect(&row[0]));
        let found = |keys: &[String]| filter.contains_many(keys).into_iter().filter(|f| *f).count();
        let facts = [
            filter.kind().name().to_owned(),
            filter.layout().to_owned(),
            filter.bits().to_string(),
            filter.hashes().to_string(),
            filter.len().to_string(),
            filter.hash().algorithm().to_string(),
            filter.hash().seed().to_string(),
            found(&words).to_string(),
            found(&strangers).to_string(),
        ];
        assert_eq!(row[1..], facts, "{}: the table is left, the file right", row[0]);
        assert_eq!(found(&words), words.len(), "{}: all words are in", row[0]);
    }
}

#[test]
fn counts_ages_layers_and_signatures_are_as_the_readme_says() {
    let words = words();
    for (name, count) in [("counting-4.tamis", 1), ("counting-8.tamis", 3)] {
        let AnyFilter::Counting(filter) = golden(name) else { panic!("{name}") };
        // One word in a hundred may be counted too often.
        let exact = words.iter().filter(|word| filter.count(*word) == count).count();
        assert!(exact >= 38 && words.iter().all(|word| filter.count(word) >= count), "{name}");
    }
    let AnyFilter::Rotating(filter) = golden("rotating.tamis") else { panic!("rotating") };
    assert_eq!(filter.items_by_age().collect::<Vec<_>>(), [20, 20, 0]);
    assert!(words[..20].iter().all(|word| filter.age(word) == Some(1)));
    assert!(words[20..].iter().all(|word| filter.age(word) == Some(0)));
    let AnyFilter::GrowingBlocked(filter) = golden("growing.tamis") else { panic!("growing") };
    let layers: Vec<u64> = filter.layers().iter().map(Filter::len).collect();
    assert_eq!(layers, [10, 20, 10]);
    let AnyFilter::Signatures(filter) = golden("signatures.tamis") else { panic!("signatures") };
    let mut scanner = tamis::filter::signatures::Scanner::new(&filter);
    let mut hits = Vec::new();
    let soup = b"a soup of leek and parsnip, not of LEEK";
    scanner.push(soup, |hit| hits.push((hit.offset, hit.bytes.to_vec())));
    scanner.finish(|hit| hits.push((hit.offset, hit.bytes.to_vec())));
    assert_eq!(hits, [(10, b"leek".to_vec()), (19, b"parsnip".to_vec())]);
}

#[test]
fn every_flip_and_every_truncation_of_every_golden_file_is_refused() {
    for (name, file) in files() {
        for position in 0..file.len() {
            for mask in [1 << (position % 8), 0xFF] {
                let mut damaged = Aligned::new(&file);
                damaged.as_mut()[position] ^= mask;
                let opened = AnyFilter::in_place(damaged.clone()).map(drop);
                assert_eq!(opened.is_err(), position < header_length(&file), "{name} {position}");
                let error = AnyFilter::verify(damaged).expect_err("a byte was changed");
                assert!(error.to_string().len() > 20, "{name}, byte {position}: {error}");
            }
            let error =
                AnyFilter::in_place(Aligned::new(&file[..position])).expect_err("truncated");
            assert!(error.to_string().len() > 20, "{name}, {position} bytes: {error}");
        }
    }
}
