//! The index against a plain list of sets, in memory, from a file and mapped.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tamis::filter::{Line, Storage, Stored};
use tamis::hash::KeyHash;
use tamis::similar::index::Index;
use tamis::similar::lsh::Bands;
use tamis::similar::shingle::{Language, Normalization, Tokens};
use tamis::similar::signature::equal;
use tamis::similar::{Method, Shingler, Shingles, Signature, Signer, jaccard};
use tamis::{Error, codec};

fn signer() -> Signer {
    Signer::new(64).expect("64 components")
}

fn empty() -> Index {
    Index::new(signer(), Bands { bands: 16, rows: 4 }).expect("bands that fit")
}

fn written<S: Storage>(index: &Index<S>) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.write(&mut bytes).expect("writing to memory");
    bytes
}

/// Bytes at a multiple of 64, as a map has them.
struct Aligned(Vec<Line>, usize);

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let mut lines: Vec<Line> = bytemuck::allocation::zeroed_vec(bytes.len().div_ceil(64));
        bytemuck::cast_slice_mut(&mut lines)[..bytes.len()].copy_from_slice(bytes);
        Self(lines, bytes.len())
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u8, Vec<u64>),
    Remove(u8),
    Save,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..20u8, prop::collection::vec(0..60u64, 0..30)).prop_map(|(n, set)| Step::Insert(n, set)),
        2 => (0..20u8).prop_map(Step::Remove),
        1 => Just(Step::Save),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The model knows names and signatures; the index must agree through every save.
    #[test]
    fn an_index_has_what_was_inserted_and_not_removed(steps in prop::collection::vec(step(), 1..40)) {
        let mut index = empty();
        let mut model: BTreeMap<String, Signature> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(number, items) => {
                    let name = format!("document {number}");
                    let replaced = index.insert(&name, &items);
                    let before = model.insert(name.clone(), signer().sign(&items));
                    prop_assert_eq!(replaced, before.is_some());
                    let found = index.similars_to(&items, 1.0);
                    prop_assert_eq!(found.iter().any(|m| m.id == name), !items.is_empty());
                }
                Step::Remove(number) => {
                    let name = format!("document {number}");
                    prop_assert_eq!(index.remove(&name), model.remove(&name).is_some());
                    prop_assert!(!index.contains(&name));
                }
                Step::Save => {
                    let bytes = written(&index);
                    let opened = Index::in_place(Aligned::new(&bytes)).expect("opens");
                    prop_assert_eq!(written(&opened), bytes.clone());
                    index = Index::from_bytes(&bytes).expect("reads");
                }
            }
            prop_assert_eq!(index.len(), model.len());
        }
        let asked: Vec<u64> = (0..30).collect();
        let signature = signer().sign(&asked);
        let mut expected: Vec<(String, f64)> = model
            .iter()
            .map(|(name, other)| {
                let same = equal(signature.components(), other.components());
                (name.clone(), same as f64 / 64.0)
            })
            .filter(|(_, similarity)| *similarity > 0.0)
            .collect();
        let found = index.nearest(&asked, usize::MAX);
        let mut found: Vec<(String, f64)> =
            found.into_iter().map(|m| (m.id.to_owned(), m.similarity)).collect();
        prop_assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(found, expected);
        // Whatever is similar enough and shares a band is found; all of that is among the nearest.
        for similar in index.similars_to(&asked, 0.2) {
            prop_assert!(index.candidates_to(&asked).contains(&similar.id));
        }
    }
}

/// Texts of fifty words, of which the second differs from the first in a few.
fn texts() -> [String; 3] {
    let words = |salt: usize| (0..50).map(move |word| format!("w{}", word * salt));
    let first: Vec<String> = words(1).collect();
    let mut second = first.clone();
    second[10] = "other".to_owned();
    [first.join(" "), second.join(" "), words(1000).collect::<Vec<_>>().join(" ")]
}

#[test]
fn pairs_within_an_index_are_those_that_are_alike() {
    let shingler = Shingler::new(Shingles::Words(2));
    let sets = texts().map(|text| shingler.set(&text));
    let mut index = empty().with_shingler(shingler);
    for (name, set) in ["a", "b", "c"].into_iter().zip(&sets) {
        index.insert(name, set);
    }
    let exact = jaccard::similarity(&sets[0], &sets[1]);
    for index in [Index::copied(&index).expect("memory"), index] {
        assert_eq!(index.candidates(), [("a", "b")]);
        let similars = index.similars(0.5);
        assert_eq!((similars.len(), similars[0].left, similars[0].right), (1, "a", "b"));
        // Four standard errors of 64 components.
        assert!((similars[0].similarity - exact).abs() < 4.0 * (0.25f64 / 64.0).sqrt());
        assert!(index.similars(1.01).is_empty());
    }
}

#[test]
fn a_file_says_how_its_documents_became_sets() {
    let schemes = [
        Shingles::Words(3),
        Shingles::Characters(64),
        Shingles::Bytes(1),
        Shingles::StopWords(Language::German),
        Shingles::Text,
        Shingles::Picture,
    ];
    for (number, shingles) in schemes.into_iter().enumerate() {
        let normalization = [None, Some(Normalization::Nfc), Some(Normalization::Nfkc)][number % 3];
        let shingler = Shingler::new(shingles)
            .lowercase(number % 2 == 0)
            .normalize(normalization)
            .with_hash(KeyHash::new(number as u64));
        let signer = Signer::with_method(Method::Classic, 20).expect("components");
        let bands = Bands { bands: 5, rows: 4 };
        let index = Index::new(signer.with_hash(KeyHash::new(9)), bands).expect("bands");
        let bytes = written(&index.with_shingler(shingler.clone()));
        let read = Index::from_bytes(&bytes).expect("what was written");
        assert_eq!(read.shingler(), Some(&shingler));
        assert_eq!((read.signer().method(), read.bands()), (Method::Classic, bands));
        assert_eq!(read.signer().hash().seed(), 9);
    }
}

fn samples() -> [Vec<u8>; 2] {
    let mut index = empty();
    for number in 0..4u64 {
        index.insert(&format!("document {number}"), &[number, 100, 101]);
    }
    let mut signature = Vec::new();
    signer().sign(&[1, 2, 3]).write(&mut signature).expect("writing to memory");
    [written(&index), signature]
}

fn read(bytes: &[u8]) -> Result<(), Error> {
    match codec::File::open(bytes)?.kind() {
        codec::Kind::Sketch => Signature::from_bytes(bytes).map(drop),
        _ => Index::from_bytes(bytes).map(drop),
    }
}

#[test]
fn every_flip_and_every_cut_is_refused() {
    for file in samples() {
        read(&file).expect("sound");
        for place in 0..file.len() {
            for flip in [1, 0x80] {
                let mut damaged = file.clone();
                damaged[place] ^= flip;
                assert!(read(&damaged).is_err(), "byte {place} of {}", file.len());
            }
            assert!(read(&file[..place]).is_err(), "cut at {place}");
        }
    }
}

#[test]
fn a_file_of_another_kind_gets_a_sentence() {
    let [index, signature] = samples();
    let refused = Index::from_bytes(&signature).expect_err("not an index");
    assert_eq!(
        refused.to_string(),
        "this is the signature of a set, and an index of similar documents is needed here"
    );
    let refused = Signature::from_bytes(&index).expect_err("not a signature");
    assert!(refused.to_string().contains("is needed here"));
    let bands = Bands { bands: 17, rows: 4 };
    assert!(Index::new(signer(), bands).is_err(), "more rows than components");
}

/// `tests/golden/README.md` says how the file was made.
#[test]
fn an_index_of_version_1_opens_and_is_written_as_version_2() {
    let old = include_bytes!("../golden/similar/index-1.tamis");
    assert_eq!(codec::File::open(old).expect("a header").version(), 1);
    let index = Index::from_bytes(old).expect("version 1");
    assert_eq!(index.len(), 40);
    let shingler = Shingler::new(Shingles::Words(2)).lowercase(true);
    let shingler = shingler.normalize(Some(Normalization::Nfc));
    assert_eq!(index.shingler(), Some(&shingler));
    let found = index.nearest(&shingler.set("ALMOND and some more words"), 1);
    assert_eq!((found[0].id, found[0].similarity), ("1", 1.0));
    let new = written(&index);
    assert_eq!(codec::File::open(&new).expect("a header").version(), 2);
    assert_eq!(Index::from_bytes(&new).expect("version 2").shingler(), Some(&shingler));
}

#[test]
fn what_a_word_is_is_kept() {
    for tokens in Tokens::ALL {
        let shingler = Shingler::new(Shingles::Words(3)).tokens_as(tokens);
        let bytes = written(&empty().with_shingler(shingler.clone()));
        let index = Index::from_bytes(&bytes).expect("what was written");
        assert_eq!(index.shingler().map(Shingler::tokens), Some(tokens));
    }
}
