//! Files: every damage is refused with a sentence, and what is sound answers as in memory.

mod damage;
mod foreign;
mod headers;
mod mapped;
mod parameters;

use crate::support::{Aligned, bytes_of};
use tamis::codec::Kind;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, Blocked, BlockedBloomFilter, BloomFilter, Classic, CounterWidth, CountingFilter,
    GrowingFilter, Insert, Line, Mapped, RotatingFilter, SignatureFilter, StaticFilterBuilder,
    Stored,
};
use tamis::hash::KeyHash;
use tamis::{Error, Result};

/// A small filter as a file, with the reader of its type.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) file: Vec<u8>,
    pub(crate) load: fn(&[u8]) -> Result<()>,
}

fn sample<F: Stored<Storage = Vec<Line>>>(name: &'static str, filter: &F) -> Sample {
    let load = |file: &[u8]| F::from_bytes(file).map(drop);
    Sample { name, kind: F::KIND, file: bytes_of(filter), load }
}

fn with_keys<F: Insert>(filter: Result<F>) -> F {
    let mut filter = filter.expect("a sound shape");
    filter.insert_many(&(0..30u64).collect::<Vec<_>>());
    filter
}

/// One of every kind, layout and width, all different from each other.
pub(crate) fn samples() -> Vec<Sample> {
    let placed = |layout, width| with_keys(CountingFilter::placed(layout, width, 30, 0.01));
    let mut rotating = with_keys(RotatingFilter::with_bits(4, 600, 8));
    rotating.rotate();
    rotating.insert("leek");
    let signatures = ["needle", "hay", "haystack"].map(|word| word.repeat(2));
    let signatures = SignatureFilter::build(&signatures, 0.01, KeyHash::new(1));
    let mut built_once = StaticFilterBuilder::new(0.01).expect("a sound rate");
    (0..120u64).for_each(|key| built_once.insert(&key));
    vec![
        sample("classic", &with_keys(BloomFilter::with_false_positive_rate(100, 0.01))),
        sample("blocked", &with_keys(BlockedBloomFilter::with_false_positive_rate(100, 0.01))),
        sample("counting, classic", &placed(Layout::Classic, CounterWidth::Four)),
        sample("counting, blocked", &placed(Layout::Blocked, CounterWidth::Eight)),
        sample("growing, classic", &with_keys(growing::<Classic>())),
        sample("growing, blocked", &with_keys(growing::<Blocked>())),
        sample("rotating", &rotating),
        sample("signatures", &signatures.expect("a sound shape")),
        sample("static", &built_once.build().expect("it is small")),
    ]
}

fn growing<L: tamis::filter::BitLayout>() -> Result<GrowingFilter<L>> {
    GrowingFilter::placed(10, 0.05)
}

/// A filter in someone else's bytes.
type InPlace = AnyFilter<Mapped<Aligned>>;

fn in_place(file: &[u8]) -> Result<InPlace> {
    AnyFilter::in_place(Aligned::new(file))
}

/// What the cheap way says: nothing but the header is read.
fn open(file: &[u8]) -> Result<()> {
    in_place(file).map(drop)
}

/// What reading everything says.
fn verify(file: &[u8]) -> Result<()> {
    AnyFilter::verify(Aligned::new(file))
}

/// The sentence of a refusal; none is a failure.
fn refusal(result: Result<()>, what: &str) -> (Error, String) {
    let Err(error) = result else { panic!("{what} was accepted") };
    let sentence = error.to_string();
    assert!(sentence.len() > 10, "{what}: {error:?} says nothing");
    (error, sentence)
}

#[test]
fn the_samples_are_sound_and_of_every_kind_of_filter() {
    let samples = samples();
    for Sample { name, file, load, .. } in &samples {
        open(file).and(verify(file)).and(load(file)).expect(name);
        assert_eq!(file.len() % 64, 0, "{name}");
    }
    let is_filter =
        |kind: &Kind| !matches!(kind, Kind::Sketch | Kind::Index | Kind::Mail | Kind::Cascade);
    for kind in Kind::ALL.into_iter().filter(is_filter) {
        assert!(samples.iter().any(|sample| sample.kind == kind), "no sample of {kind:?}");
    }
}
