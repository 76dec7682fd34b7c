//! The experiments, one file each. Those on hashes share [`hashes`], those on filters [`filters`].

pub mod best_functions;
pub mod best_size;
pub mod big_and_small;
pub mod cascade;
pub mod counting;
pub mod filters;
pub mod hash_correlation;
pub mod hash_distribution;
pub mod hash_independence;
pub mod hashes;
pub mod layouts;
pub mod mail_threshold;
pub mod minhash;
pub mod movielens;
pub mod s_curves;
pub mod sample_mail;
pub mod scale;

use crate::experiment::Entry;

/// All experiments, in the order of the report.
pub static ENTRIES: &[Entry] = &[
    Entry::of::<hash_distribution::HashDistribution>(),
    Entry::of::<hash_correlation::HashCorrelation>(),
    Entry::of::<hash_independence::HashIndependence>(),
    Entry::of::<best_functions::BestFunctions>(),
    Entry::of::<best_size::BestSize>(),
    Entry::of::<big_and_small::BigAndSmall>(),
    Entry::of::<counting::Counting>(),
    Entry::of::<layouts::Layouts>(),
    Entry::of::<minhash::MinHashProperty>(),
    Entry::of::<s_curves::SCurves>(),
    Entry::of::<movielens::MovieLens>(),
    Entry::of::<cascade::CascadeSizes>(),
    Entry::of::<mail_threshold::MailThreshold>(),
    Entry::of::<scale::Scale>(),
];
