//! A map from keys to categories that stores no key, in a few bits for each.

use tamis::cascade::{Answer, Trainer};
use tamis::hash::KeyHash;

pub(crate) fn main() -> tamis::Result<()> {
    let mut trainer = Trainer::new(KeyHash::default());
    let (leaf, root) = (trainer.category("leaf")?, trainer.category("root")?);
    ["leek", "kale", "chard"].iter().for_each(|key| trainer.insert(leaf, key));
    trainer.insert(root, "carrot");
    let cascade = trainer.build(16)?;
    let Answer::Category(category) = cascade.classify("carrot") else { panic!("it was trained") };
    println!("carrot: {}", cascade.name(category).escape_ascii());
    assert_eq!((category, cascade.classify("stone")), (root, Answer::NotCovered));
    Ok(())
}
