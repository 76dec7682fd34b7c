//! Sizes and errors before anything is built; `tamis.plan` gives the numbers their names.

use crate::errors::{Class, Raised, error};
use crate::filters::{parse_layout, width};
use pyo3::prelude::*;
use tamis::filter::StaticFilter;
use tamis::plan::{CascadePlan, FilterPlan, Variant};
use tamis::similar::lsh::Bands;

/// Bits, functions, bytes and rate.
#[pyfunction]
#[pyo3(signature = (items, rate, memory, layout, counting))]
pub fn plan_filter(
    items: u64,
    rate: Option<f64>,
    memory: Option<u64>,
    layout: &str,
    counting: Option<u32>,
) -> PyResult<(u64, u32, u64, f64)> {
    let counting = counting.map(width).transpose()?;
    let variant = Variant { layout: parse_layout(layout)?, counting };
    let plan = match (rate, memory) {
        (Some(_), Some(_)) => {
            return Err(error(Class::Parameter, "give a rate or the memory, not both"));
        }
        (rate, None) => FilterPlan::for_rate(variant, items, rate.unwrap_or(0.01)),
        (None, Some(memory)) => FilterPlan::for_memory(variant, items, memory),
    };
    let plan = plan.raised()?;
    Ok((plan.bits, plan.hashes, plan.bytes(), plan.expected_rate))
}

/// The bits of a static filter.
#[pyfunction]
pub fn plan_static(items: u64, rate: f64) -> PyResult<f64> {
    StaticFilter::expected_bits(items, rate).raised()
}

/// Bands, rows, and the part of the pairs found at each of these similarities.
#[pyfunction]
#[pyo3(signature = (num_perm, threshold, recall, params, similarities))]
pub fn plan_bands(
    num_perm: usize,
    threshold: f64,
    recall: f64,
    params: Option<(usize, usize)>,
    similarities: Vec<f64>,
) -> PyResult<(usize, usize, Vec<f64>)> {
    let bands = bands(num_perm, threshold, recall, params)?;
    let found = similarities.into_iter().map(|s| bands.probability(s)).collect();
    Ok((bands.bands, bands.rows, found))
}

/// Bytes, bits of the entropy, and the memory to train.
#[pyfunction]
pub fn plan_cascade(counts: Vec<u64>, reject: u32) -> PyResult<(u64, f64, u64)> {
    let plan = CascadePlan::new(&counts, reject).raised()?;
    Ok((plan.bytes(), plan.entropy_bits(), plan.training_bytes()))
}

/// Bands of these numbers, or those with the most rows that find this part of the pairs at the threshold.
pub fn bands(
    num_perm: usize,
    threshold: f64,
    recall: f64,
    params: Option<(usize, usize)>,
) -> PyResult<Bands> {
    let Some((bands, rows)) = params else {
        let bands = Bands::for_recall(num_perm, threshold, recall).raised()?;
        if bands.probability(threshold) >= recall {
            return Ok(bands);
        }
        let most = bands.probability(threshold);
        let sentence = format!(
            "{num_perm} components find at most {most:.4} of the pairs at the threshold; ask for more components or less recall"
        );
        return Err(error(Class::Parameter, sentence));
    };
    let used = bands.saturating_mul(rows);
    if used == 0 || used > num_perm {
        let sentence =
            format!("{bands} bands of {rows} rows do not fit into {num_perm} components");
        return Err(error(Class::Parameter, sentence));
    }
    Ok(Bands { bands, rows })
}
