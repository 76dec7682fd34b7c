//! Which learned messages is it like, and in what?

use crate::filter::Judgement;
use crate::message::Message;
use crate::neighbours::{COMPONENTS, Near, Signature};
use crate::store::{Digest, Store};
use crate::traits::Reader;
use tamis::similar::shingle::words;

/// A learned message that is similar.
#[derive(Debug, Clone, PartialEq)]
pub struct Alike {
    /// Its label.
    pub label: String,
    /// When it was learned, in seconds since 1970.
    pub time: u64,
    /// Which it is.
    pub digest: Digest,
    /// The estimated similarity.
    pub similarity: f64,
    /// Runs of three words of this message that the other one has, too: those that the signatures show.
    pub shared: Vec<String>,
}

/// The most similar learned messages.
#[must_use]
pub fn alike(
    store: &Store,
    message: &Message<'_>,
    judgement: &Judgement,
    count: usize,
) -> Vec<Alike> {
    let shown = Shown::of(store.reader(), message);
    let of = |near: &Near| {
        let other = store.filter().neighbour(near.number)?;
        Some(Alike {
            label: store.filter().name(near.label).to_owned(),
            time: other.time,
            digest: other.digest,
            similarity: near.similarity,
            shared: shown.shared(&other.signature),
        })
    };
    judgement.near.iter().take(count).filter_map(of).collect()
}

/// For each component of a signature the shingle that made it.
struct Shown {
    signature: Option<Signature>,
    texts: Vec<String>,
}

impl Shown {
    fn of(reader: &Reader, message: &Message<'_>) -> Self {
        let body = message.body().to_lowercase();
        let signature = reader.signature_of(message);
        let mut all: Vec<String> = Vec::new();
        words(&body, |word| all.push(String::from_utf8_lossy(word).into_owned()));
        let mut texts = vec![String::new(); COMPONENTS];
        let mut least = [u64::MAX; COMPONENTS];
        for run in all.windows(3) {
            let text = run.join(" ");
            // The component of a set is the least of those of its members.
            let own = reader.components(&reader.shingler().set(&text));
            for place in 0..COMPONENTS {
                if own[place] < least[place] {
                    least[place] = own[place];
                    texts[place].clone_from(&text);
                }
            }
        }
        Self { signature, texts }
    }

    fn shared(&self, other: &Signature) -> Vec<String> {
        let Some(own) = &self.signature else { return Vec::new() };
        let mut shared: Vec<String> = (0..COMPONENTS)
            .filter(|&place| own[place] == other[place])
            .map(|place| self.texts[place].clone())
            .collect();
        shared.sort_unstable();
        shared.dedup();
        shared
    }
}
