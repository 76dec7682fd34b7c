//! The peers: their signatures, each in the fastest way that gives the same shingles.

use super::contender::{Signs, WORDS};
use foldhash::fast::FixedState;
use gaoya::minhash::{MinHasher as _, MinHasher32};
use probminhash::densminhash::OptDensMinHash;
use probminhash::superminhasher2::{NoHashHasher, SuperMinHash2};
use std::borrow::Cow;
use std::hash::{BuildHasher as _, BuildHasherDefault};
use txtfp::tokenize::TokenStream;
use txtfp::{
    Canonicalizer, CanonicalizerBuilder, CaseFold, Fingerprinter as _, HashFamily,
    MinHashFingerprinter, MinHashSig, Normalization, ShingleTokenizer, Tokenizer,
};

/// The shingles of a text, each as its words; a shorter text is one shingle.
pub(crate) fn shingles<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a [&'a str]> {
    words.windows(WORDS.min(words.len()).max(1))
}

/// Words as white space separates them.
pub(crate) struct Whitespace;

impl Tokenizer for Whitespace {
    fn tokens<'a>(&'a self, input: &'a str) -> TokenStream<'a> {
        TokenStream::Borrowed(Box::new(input.split_whitespace()))
    }

    fn name(&self) -> Cow<'static, str> {
        "white-space".into()
    }

    fn for_each_token(&self, input: &str, visit: &mut dyn FnMut(&str)) {
        input.split_whitespace().for_each(visit);
    }
}

type Fingerprinter = MinHashFingerprinter<ShingleTokenizer<Whitespace>, 128>;

/// txtfp.
pub(crate) struct Txtfp {
    /// Its default way with characters, which is a copy where all are of ASCII in lower case.
    ascii: Fingerprinter,
    /// Characters as they are.
    plain: Fingerprinter,
    last: MinHashSig<128>,
}

impl Txtfp {
    pub(crate) fn new(hash: HashFamily, seed: u64) -> Self {
        let plain = CanonicalizerBuilder {
            normalization: Normalization::None,
            case_fold: CaseFold::None,
            strip_bidi: false,
            strip_format: false,
            apply_confusable: false,
        };
        let with = |canonicalizer: Canonicalizer| {
            let tokenizer = ShingleTokenizer { k: WORDS, inner: Whitespace };
            Fingerprinter::new(canonicalizer, tokenizer).with_hasher(hash).with_seed(seed)
        };
        let (ascii, plain) = (with(Canonicalizer::default()), with(plain.build()));
        let last = ascii.fingerprint("any").expect("a text that is not empty");
        Self { ascii, plain, last }
    }

    /// The signature; none for a text without words.
    pub(crate) fn fingerprint(&self, text: &str) -> Option<MinHashSig<128>> {
        let fingerprinter = if text.is_ascii() { &self.ascii } else { &self.plain };
        fingerprinter.fingerprint(text).ok()
    }
}

impl Signs for Txtfp {
    fn sign(&mut self, text: &str) -> &[u64] {
        if let Some(signature) = self.fingerprint(text) {
            self.last = signature;
        }
        &self.last.hashes
    }
}

/// gaoya, with 32 bits and a faster hash than its own.
pub(crate) struct Gaoya {
    hasher: MinHasher32<FixedState>,
    last: Vec<u64>,
}

impl Gaoya {
    pub(crate) fn new(components: usize, seed: u64) -> Self {
        let hash = FixedState::with_seed(seed);
        let hasher = MinHasher32::new_with_hasher_and_seed(components, hash, seed);
        Self { hasher, last: Vec::new() }
    }

    /// The signature; none for a text without words.
    pub(crate) fn signature(&self, text: &str) -> Option<Vec<u32>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| self.hasher.create_signature(shingles(&words)))
    }
}

impl Signs for Gaoya {
    fn sign(&mut self, text: &str) -> &[u64] {
        let signature = self.signature(text).unwrap_or_default();
        self.last.clear();
        self.last.extend(signature.into_iter().map(u64::from));
        &self.last
    }
}

/// The hashes of a text's shingles, for those who leave hashing to others.
fn hashes(text: &str, hash: &FixedState) -> Vec<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    shingles(&words).map(|shingle| hash.hash_one(shingle)).collect()
}

/// One permutation with optimal densification, of probminhash.
pub(crate) struct OptDens {
    hash: FixedState,
    sketch: OptDensMinHash<f64, u64, NoHashHasher>,
    last: Vec<u64>,
}

impl OptDens {
    pub(crate) fn new(components: usize, seed: u64) -> Self {
        let sketch = OptDensMinHash::new(components, BuildHasherDefault::default());
        Self { hash: FixedState::with_seed(seed), sketch, last: vec![0; components] }
    }
}

impl Signs for OptDens {
    fn sign(&mut self, text: &str) -> &[u64] {
        let hashes = hashes(text, &self.hash);
        self.sketch.reinit();
        if !hashes.is_empty() && self.sketch.sketch_slice(&hashes).is_ok() {
            self.last = self.sketch.get_hsketch_u64();
        }
        &self.last
    }
}

/// SuperMinHash, of probminhash.
pub(crate) struct SuperMinHash {
    hash: FixedState,
    sketch: SuperMinHash2<u64, u64, NoHashHasher>,
}

impl SuperMinHash {
    pub(crate) fn new(components: usize, seed: u64) -> Self {
        let sketch = SuperMinHash2::new(components, BuildHasherDefault::default());
        Self { hash: FixedState::with_seed(seed), sketch }
    }
}

impl Signs for SuperMinHash {
    fn sign(&mut self, text: &str) -> &[u64] {
        let hashes = hashes(text, &self.hash);
        self.sketch.reinit();
        for hash in &hashes {
            self.sketch.sketch(hash).unwrap_or_default();
        }
        self.sketch.get_hsketch()
    }
}
