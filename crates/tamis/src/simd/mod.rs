//! What is done with vectors: on x86-64, on aarch64, and without them in plain Rust.
//!
//! [`level`] asks the processor once. The environment variable `TAMIS_SIMD` set to `off` switches
//! vector instructions off: for tests of what other machines do.

pub(crate) mod counters;
pub(crate) mod line;
#[cfg(any(feature = "cascade", feature = "train"))]
pub(crate) mod machine;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
pub(crate) mod slots;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sums;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_counters;

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing that all do not have.
    Portable,
    /// x86-64: AVX2, BMI2 and POPCNT. aarch64: NEON.
    Vectors,
    /// x86-64: AVX-512 with VBMI2 and VPOPCNTDQ, too.
    Wide,
}

/// The level plus one; 0 until the processor was asked.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// What this processor has.
#[inline(always)]
pub(crate) fn level() -> Level {
    match LEVEL.load(Relaxed) {
        0 => detect(),
        1 => Level::Portable,
        2 => Level::Vectors,
        _ => Level::Wide,
    }
}

#[cold]
fn detect() -> Level {
    #[cfg(feature = "std")]
    let is_off = std::env::var_os("TAMIS_SIMD").is_some_and(|value| value == "off");
    #[cfg(not(feature = "std"))]
    let is_off = false;
    let level = if is_off { Level::Portable } else { of_processor() };
    LEVEL.store(level as u8 + 1, Relaxed);
    level
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn of_processor() -> Level {
    let vectors = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    let wide = vectors
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vpopcntdq");
    match (vectors, wide) {
        (_, true) => Level::Wide,
        (true, false) => Level::Vectors,
        (false, false) => Level::Portable,
    }
}

/// Without `std` nobody knows more of the processor than the compiler.
#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
fn of_processor() -> Level {
    let vectors =
        cfg!(all(target_feature = "avx2", target_feature = "bmi2", target_feature = "popcnt"));
    if vectors { Level::Vectors } else { Level::Portable }
}

#[cfg(not(target_arch = "x86_64"))]
fn of_processor() -> Level {
    // Every aarch64 has NEON.
    if cfg!(target_arch = "aarch64") { Level::Vectors } else { Level::Portable }
}

/// Where there are no vectors that anything here is written for.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoVectors {}

#[cfg(not(target_arch = "x86_64"))]
impl NoVectors {
    pub(crate) fn detect() -> Option<Self> {
        None
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
impl line::LineOperations for NoVectors {
    fn has_round<const ROUND: usize>(self, _: impl line::ReadLine, _: u64) -> bool {
        match self {}
    }

    fn set_round<const ROUND: usize>(self, _: impl line::WriteLine, _: u64) {
        match self {}
    }
}
