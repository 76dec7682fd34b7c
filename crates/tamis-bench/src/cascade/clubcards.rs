//! Clubcards: two ribbons, one that lets few others pass, and one that is exact for whoever passes.

use super::contender::{Classes, Contender, counts};
use super::tree::{Plan, Tree, TwoWay};
use crate::keys::splitmix64;
use clubcard::builder::{ApproximateRibbon, ClubcardBuilder, ExactRibbon};
use clubcard::{AsQuery, Clubcard, Equation, Filterable, Queryable};
use tamis::hash::KeyHash;

/// How keys are hashed, as ours.
const HASH: KeyHash = KeyHash::new(1);

/// Numbers that belong to a card in a file: slots and offsets of both ribbons, and the bits of the first.
const NUMBERS: usize = 5;

/// Clubcards in a tree, or one after the other.
pub(crate) struct Clubcards<const CHAIN: bool>(Tree<Card>);

impl<const CHAIN: bool> Contender for Clubcards<CHAIN> {
    fn train(classes: &Classes<'_>) -> anyhow::Result<Self> {
        let counts = counts(classes);
        let plan = if CHAIN { Plan::chain(&counts) } else { Plan::least(&counts) };
        Ok(Self(Tree::train(&plan, classes)?))
    }

    fn bytes(&self) -> anyhow::Result<usize> {
        self.0.bytes()
    }

    fn category(&self, key: &str) -> u32 {
        self.0.category(key)
    }
}

/// Words of 64 bits in an equation, as its authors have it.
const WORDS: usize = 4;

/// A key as an equation: a starting slot, and which of the 256 slots from there on.
pub(crate) struct Query {
    hash: [u8; 8],
    slot: u64,
    pattern: [u64; WORDS],
}

impl Query {
    fn new(hash: u64) -> Self {
        let word = |number: u64| splitmix64(hash.wrapping_add(number));
        let pattern = [word(1) | 1, word(2), word(3), word(4)];
        Self { hash: hash.to_le_bytes(), slot: word(5), pattern }
    }
}

impl AsQuery<WORDS> for Query {
    fn as_query(&self, slots: usize) -> Equation<WORDS> {
        // By the remainder: the slots of both ribbons must not follow each other, or whoever passes the first depends on its
        // neighbours in the second.
        let slot = self.slot % slots.max(1) as u64;
        Equation::homogeneous(slot as usize, self.pattern)
    }

    fn block(&self) -> &[u8] {
        &[]
    }

    fn discriminant(&self) -> &[u8] {
        &self.hash
    }
}

impl Queryable<WORDS> for Query {
    type UniverseMetadata = ();
    type PartitionMetadata = ();

    fn in_universe(&self, (): &()) -> bool {
        true
    }
}

/// A key while a clubcard is built.
struct Item {
    hash: [u8; 8],
    member: bool,
}

impl AsQuery<WORDS> for Item {
    fn as_query(&self, slots: usize) -> Equation<WORDS> {
        Query::new(u64::from_le_bytes(self.hash)).as_query(slots)
    }

    fn block(&self) -> &[u8] {
        &[]
    }

    fn discriminant(&self) -> &[u8] {
        &self.hash
    }
}

impl Filterable<WORDS> for Item {
    fn included(&self) -> bool {
        self.member
    }
}

fn items(parts: &[&[&str]], member: bool) -> impl Iterator<Item = Item> {
    let keys = parts.iter().copied().flatten();
    keys.map(move |key| Item { hash: HASH.bytes(key.as_bytes()).to_le_bytes(), member })
}

/// One clubcard.
pub(crate) struct Card(Clubcard<WORDS, (), ()>);

impl TwoWay for Card {
    type Question = Query;

    fn train(members: &[&[&str]], others: &[&[&str]]) -> anyhow::Result<Self> {
        let mut builder = ClubcardBuilder::new();
        let mut first = builder.new_approx_builder(&[]);
        first.set_universe_size(members.iter().chain(others).map(|keys| keys.len()).sum());
        items(members, true).for_each(|item| first.insert(item));
        builder.collect_approx_ribbons(vec![ApproximateRibbon::from(first)]);
        let mut exact = builder.new_exact_builder(&[]);
        items(members, true).for_each(|item| exact.insert(item));
        items(others, false).for_each(|item| exact.insert(item));
        let exact = ExactRibbon::from(exact);
        builder.collect_exact_ribbons(vec![exact]);
        Ok(Self(builder.build::<Query>((), ())))
    }

    /// The words, the exceptions and a few numbers, as if a file had nothing else.
    fn bytes(&self) -> anyhow::Result<usize> {
        let columns = self.0.approx_filter.iter().chain([&self.0.exact_filter]);
        let words = columns.map(Vec::len).sum::<usize>() + NUMBERS;
        let entries = self.0.index.values();
        let exceptions = entries.flat_map(|entry| &entry.exceptions).map(Vec::len).sum::<usize>();
        Ok(8 * words + exceptions)
    }

    fn question(key: &str) -> Query {
        Query::new(HASH.bytes(key.as_bytes()))
    }

    fn is_member(&self, question: &Query) -> bool {
        self.0.unchecked_contains(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cascade::sets::Set;

    /// Two bits and one for each member, one for a quarter of the others: 4 bits a member, and 2 % of room to spare.
    #[test]
    fn a_card_is_as_small_as_its_authors_say() {
        let set = Set { name: "", about: "", counts: vec![20_000, 80_000] };
        let texts = set.texts();
        let keys = texts.keys();
        let cards = Clubcards::<false>::train(&set.classes(&keys)).unwrap();
        let least = 20_000.0 * 4.0 / 8.0;
        let ratio = cards.bytes().unwrap() as f64 / least;
        assert!((1.0..1.04).contains(&ratio), "{ratio}");
        assert!(
            keys.iter().zip(0..).all(|(key, at)| cards.category(key) == u32::from(at >= 20_000))
        );
    }
}
