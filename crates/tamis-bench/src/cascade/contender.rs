//! What all contenders do: learn the categories of keys, then tell them.

/// All keys of a set, category by category.
pub(crate) type Classes<'a> = [&'a [&'a str]];

/// How many keys each category has.
pub(crate) fn counts(classes: &Classes<'_>) -> Vec<u64> {
    classes.iter().map(|keys| keys.len() as u64).collect()
}

/// A map from keys to categories.
pub(crate) trait Contender: Sized {
    /// Whether it has a way of its own to ask for many keys at once.
    const BATCHES: bool = false;

    /// Learns all keys.
    ///
    /// # Errors
    /// Keys that it refuses.
    fn train(classes: &Classes<'_>) -> anyhow::Result<Self>;

    /// How large its file is, or would be.
    ///
    /// # Errors
    /// A file that cannot be made.
    fn bytes(&self) -> anyhow::Result<usize>;

    /// The category of a key, from its text on.
    fn category(&self, key: &str) -> u32;

    /// The categories of many keys, from their texts on.
    fn categories(&self, keys: &[&str], into: &mut [u32]) {
        for (key, category) in keys.iter().zip(into) {
            *category = self.category(key);
        }
    }
}

/// Those who take part, ours first.
pub(crate) const CONTENDERS: [&str; 7] =
    [OURS, "classic 0", "classic 1", "rust_cascade", CLUBCARD, CHAIN, COMP_VFUNC];

/// This project's cascade.
pub(crate) const OURS: &str = "tamis";

/// Two categories against each other, in the tree that is smallest.
pub(crate) const CLUBCARD: &str = "clubcard";

/// One category after the other against all that follow, the largest first.
pub(crate) const CHAIN: &str = "clubcard, chain";

/// Compressed functions.
pub(crate) const COMP_VFUNC: &str = "sux CompVFunc";
