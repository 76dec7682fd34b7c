//! One pass over a key, and as many functions of it as are asked for.
//!
//! # The default
//!
//! XXH3-64 with a seed. It was chosen by three measures (`tamis-bench hash`):
//! on keys of 1 to 50 bytes it is as fast as any hash of its quality; it passes
//! SMHasher's and our own tests of distribution, correlation and avalanche; and it
//! has a written specification with implementations in C, Go, Java, Python,
//! JavaScript and most other languages, so that anyone can check a file of ours.
//!
//! Integers are hashed by rapidhash V3 instead, as eight bytes. It has a reference and ports to many languages, too, passes the same tests, and
//! where the length is known nothing is left of it but two multiplications: insertion into a classic filter takes 0.88 of the time
//! that it takes with XXH3, a question to a static filter 0.92.
//!
//! Beside it stand two others for interoperability and experiments:
//! [`Algorithm::FarmHash64`] (the portable `farmhashna` variant, seeded) and
//! [`Algorithm::Murmur3`] (x86, 32 bits, of which two are joined).
//!
//! # The functions
//!
//! Function `i` of a key is its hash times the `i`-th power of a constant,
//! modulo 2^64, of which the *high* bits are used:
//!
//! ```text
//! f_i(key) = hash(key) * M^i mod 2^64        M = 0xF1357AEA2E62A9C5
//! reduce(x, n) = floor(x * n / 2^64)         in 0..n
//! ```
//!
//! A multiplicative congruential step with a multiplier of good spectral quality
//! (Steele and Vigna, *Computationally easy, spectrally good multipliers*, 2022)
//! costs one multiplication, has no short period, and unlike double hashing
//! (`h1 + i h2`) does not raise the error of small filters: two keys share a run of
//! values only if their hashes are equal. Filters take their positions by steps of
//! the same kind that are made for them: the classic layout multiplies by its own size, which gives a
//! position and the next value at once, the blocked layout by eight constants side by
//! side. `docs/format.md` has both.
//!
//! # Keys
//!
//! Text and byte strings are hashed as their bytes. An integer is a key by its
//! eight bytes, little-endian, two's complement: `7u32`, `7i64` and `7u64` are the
//! same key. The text `"7"` is another, and with the default algorithm so are the eight bytes themselves.
//! [`KeyKinds`] say which of them something was built from.
//!
//! # Adversaries
//!
//! Who knows the seed and can choose keys can compute everything that the filter
//! computes: find keys that are false positives, fill a filter with few chosen
//! keys, or make counters overflow. The default seed is public, so with it anyone
//! can. With a secret random seed (`--seed random`, [`KeyHash::new`]) such keys can
//! no longer be prepared beforehand, and a set that is harmful to one filter is
//! harmless to the next one. (But for one integer, `0x8BB84B93962EACC9`, whose hash is the same with every seed.) Neither XXH3 nor rapidhash is a cryptographic function, however: someone
//! who may ask a filter many questions, or reads a file (which records its seed), can still
//! search for false positives. Where that must not happen, keep the file
//! private, answer questions at a limited rate, or feed in keys that were first
//! passed through a keyed cryptographic hash (`insert_hash` takes its output).

mod family;
mod farm;
mod functions;
mod key;
mod kinds;
pub mod murmur3;
mod rapid;
mod sorter;
mod stable;

pub use family::{Algorithm, KeyHash};
pub use functions::Functions;
pub use key::Key;
pub use kinds::KeyKinds;
pub(crate) use kinds::Record;

// For the crates of this project, not for others.
#[doc(hidden)]
pub use functions::{MULTIPLIER, function, mixed, reduce};
#[doc(hidden)]
pub use sorter::Sorter;
pub use stable::Stable;
