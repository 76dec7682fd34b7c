//! The Python package `tamis`: the library and the readers, asked from Python.
//!
//! Nothing is computed here that the library could compute. This crate turns Python's objects into keys, texts and
//! parameters (`keys`, `texts`, `arrow`), calls the library with the interpreter released, and turns what comes back into
//! NumPy arrays (`numpy`) and exceptions (`errors`). What is left is written in Python, in `python/tamis`.

mod arrow;
mod cascade;
mod comparison;
mod errors;
mod filters;
mod keys;
mod lsh;
mod minhash;
mod numpy;
mod plan;
mod pool;
mod texts;

// Python aligns objects to 16 bytes, whatever they hold.
const _: () = {
    assert!(align_of::<filters::Filter>() <= 16);
    assert!(align_of::<cascade::Cascade>() <= 16);
    assert!(align_of::<comparison::Comparison>() <= 16);
    assert!(align_of::<comparison::Pairs>() <= 16);
    assert!(align_of::<minhash::MinHash>() <= 16);
    assert!(align_of::<lsh::MinHashLSH>() <= 16);
};

/// What Python sees: `tamis._tamis`, of which `tamis` shows the public part.
#[pyo3::pymodule]
mod _tamis {
    #[pymodule_export]
    use super::arrow::ArrowArray;
    #[pymodule_export]
    use super::cascade::{Cascade, cascade_from_bytes};
    #[pymodule_export]
    use super::comparison::{
        Comparison, Documents, Files, Groups, ObjectFile, Pairs, Prepared, band_pairs,
        prepare_texts, verify_sets,
    };
    #[pymodule_export]
    use super::filters::{
        BloomFilter, CountingFilter, Filter, GrowingFilter, MutableFilter, RotatingFilter,
        StaticFilter, filter_from_bytes,
    };
    #[pymodule_export]
    use super::lsh::{LshKeys, MinHashLSH, lsh_from_parts};
    #[pymodule_export]
    use super::minhash::{MinHash, minhash_from_bytes};
    #[pymodule_export]
    use super::plan::{plan_bands, plan_cascade, plan_filter, plan_static};
}
