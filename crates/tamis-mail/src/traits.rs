//! What the filter keeps of a message: hashes of its features, of its sender and of its text. Never the text.

use crate::message::Message;
use crate::neighbours::{self, Signature};
use crate::stages::head::Head;
use crate::stages::prior::Suspicions;
use crate::stages::{self, Places, STAGES};
use tamis::hash::{Functions, KeyHash};
use tamis::similar::{Set, Shingler, Shingles, Signer};

/// A message with fewer shingles than this says nothing about what it is similar to.
pub const LEAST_SHINGLES: usize = 10;

/// Up to so many shingles are signed as they come: most are different, and the others cost less than sorting all of them.
const MOST_UNSORTED: usize = 512;

/// A sender as two hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sender {
    /// Of the address.
    pub address: u64,
    /// Of what stands behind its `@`.
    pub domain: u64,
}

/// A message as the filter remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traits {
    /// The places of its features for each stage.
    pub places: Places,
    /// Who sent it.
    pub sender: Option<Sender>,
    /// Whether the receiving server found that somebody else has sent it.
    pub contradicted: bool,
    /// What it is similar to, if it has enough text.
    pub signature: Option<Signature>,
    /// Suspicious facts. They are not learned and not kept.
    pub suspicions: Suspicions,
}

impl Traits {
    /// Without the features of stages that learned nothing from the message: nothing has to be undone for them.
    /// Words stay, because their masses count every message.
    #[must_use]
    pub fn without_unlearned(mut self, surprises: &[u8; STAGES]) -> Self {
        for (places, surprise) in self.places.iter_mut().zip(surprises).skip(1) {
            if *surprise == 0 {
                places.clear();
            }
        }
        self
    }
}

/// Makes [`Traits`] of messages, always in the same way for the same seed and size of table.
#[derive(Debug, Clone)]
pub struct Reader {
    bits: u32,
    hash: KeyHash,
    shingler: Shingler,
    signer: Signer,
}

impl Reader {
    /// For a table of `2^bits` cells.
    ///
    /// # Errors
    /// None that is not a mistake in this file: the number of components is fixed.
    pub fn new(bits: u32, seed: u64) -> tamis::Result<Self> {
        let hash = KeyHash::new(seed);
        Ok(Self {
            bits,
            hash,
            shingler: Shingler::new(Shingles::Words(3)).lowercase(true).with_hash(hash),
            signer: Signer::new(neighbours::COMPONENTS)?.with_hash(hash),
        })
    }

    /// The hash of everything.
    #[must_use]
    pub const fn hash(&self) -> &KeyHash {
        &self.hash
    }

    /// Bits of the table.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// How texts are cut into shingles.
    #[must_use]
    pub const fn shingler(&self) -> &Shingler {
        &self.shingler
    }

    /// The traits of a message.
    #[must_use]
    pub fn read(&self, message: &Message<'_>) -> Traits {
        let head = Head::of(message);
        Traits {
            places: stages::places(message, &head, &self.hash, self.bits),
            sender: message.sender().map(|address| self.sender(address)),
            contradicted: message.contradicted(),
            signature: self.signature_of(message),
            suspicions: Suspicions::of(message, &head),
        }
    }

    /// What a message is similar to. A message with too little text is similar to exact copies only: to those with
    /// the same sender, subject, text and attachments.
    #[must_use]
    pub fn signature_of(&self, message: &Message<'_>) -> Option<Signature> {
        self.signature(&self.unsorted_shingles(message)).or_else(|| self.exact_signature(message))
    }

    fn exact_signature(&self, message: &Message<'_>) -> Option<Signature> {
        let mut whole = Vec::new();
        for (section, text) in message.sections() {
            whole.push(section as u8);
            whole.extend_from_slice(text.trim_ascii().as_bytes());
            whole.push(0);
        }
        let hash = self.hash.bytes(&whole);
        // Without a sender, short texts are the same by chance.
        message.sender().map(|_| {
            let mut functions = Functions::new(hash | 1);
            std::array::from_fn(|_| (functions.next().unwrap_or(0) >> 56) as u8)
        })
    }

    /// The shingles of a message's text.
    #[must_use]
    pub fn shingles(&self, message: &Message<'_>) -> Set {
        self.shingler.set(&message.body())
    }

    /// The shingles of a message's text in any order, a few of them perhaps more than once.
    fn unsorted_shingles(&self, message: &Message<'_>) -> Vec<u64> {
        let body = message.body();
        // Words of four letters and more.
        let mut shingles = Vec::with_capacity(body.len() / 5);
        self.shingler.hashes(&body, &mut shingles);
        if shingles.len() <= MOST_UNSORTED {
            return shingles;
        }
        Set::from_hashes(shingles).into_hashes()
    }

    /// The signature of a text with these shingles, if enough of them are different. It is that of their set: neither order
    /// nor repetitions matter.
    #[must_use]
    pub fn signature(&self, shingles: &[u64]) -> Option<Signature> {
        let mut different = Vec::with_capacity(LEAST_SHINGLES);
        for shingle in shingles {
            if !different.contains(shingle) {
                different.push(*shingle);
            }
            if different.len() == LEAST_SHINGLES {
                return Some(neighbours::packed(&self.components(shingles)));
            }
        }
        None
    }

    /// The components that signatures are made of.
    pub(crate) fn components(&self, shingles: &[u64]) -> [u64; neighbours::COMPONENTS] {
        let mut components = [0; neighbours::COMPONENTS];
        self.signer.sign_into(shingles, &mut components);
        components
    }

    /// The hashes of a sender. What follows a `+` in the first part is the owner's own note.
    #[must_use]
    pub fn sender(&self, address: &str) -> Sender {
        let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
        let local = local.split('+').next().unwrap_or(local);
        let domain = domain.trim_end_matches('.');
        Sender {
            address: self.hash.bytes(format!("{local}@{domain}").as_bytes()),
            domain: self.hash.bytes(domain.as_bytes()),
        }
    }
}
