//! Sizes and errors before anything is built.

use super::body::Query;
use super::{Answer, Problem};
use axum::Json;
use serde::Deserialize;
use serde_json::{Value, json};
use tamis::filter::Layout;
use tamis::filter::StaticFilter;
use tamis::plan::{CascadePlan, FilterPlan, Variant};
use tamis::similar::lsh::Bands;

/// The most categories.
const MOST_CATEGORIES: usize = 1000;

#[derive(Debug, Deserialize)]
pub struct FilterQuery {
    items: u64,
    rate: f64,
}

#[derive(Debug, Deserialize)]
pub struct SimilarQuery {
    threshold: f64,
    #[serde(default = "components")]
    components: usize,
}

const fn components() -> usize {
    128
}

#[derive(Debug, Deserialize)]
pub struct CascadeQuery {
    counts: String,
    #[serde(default)]
    reject: u32,
}

pub async fn filter(Query(FilterQuery { items, rate }): Query<FilterQuery>) -> Answer {
    let plan = |layout| FilterPlan::for_rate(Variant { layout, counting: None }, items, rate);
    let plans = [plan(Layout::Blocked)?, plan(Layout::Classic)?];
    let shown: Vec<Value> = plans
        .iter()
        .map(|plan| {
            json!({
                "layout": plan.variant.layout.name(), "bits": plan.bits, "hashes": plan.hashes,
                "bits_per_item": plan.bits_per_item(), "bytes": plan.bytes(), "expected_rate": plan.expected_rate,
            })
        })
        .collect();
    let bits = StaticFilter::expected_bits(items, rate).ok();
    let built_once = bits.map(|bits| {
        json!({
            "bits": bits.ceil() as u64, "bits_per_item": bits / items.max(1) as f64,
            "bytes": (bits / 8.0).ceil() as u64,
        })
    });
    Ok(Json(json!({ "plans": shown, "static": built_once })))
}

pub async fn similar(Query(SimilarQuery { threshold, components }): Query<SimilarQuery>) -> Answer {
    let bands = Bands::for_threshold(components, threshold)?;
    let (wrong, missed) = bands.areas(threshold);
    Ok(Json(json!({
        "bands": bands.bands, "rows": bands.rows, "threshold": threshold,
        "probability": bands.probability(threshold), "false_positives": wrong, "false_negatives": missed,
    })))
}

pub async fn cascade(Query(CascadeQuery { counts, reject }): Query<CascadeQuery>) -> Answer {
    let refused =
        || Problem::bad("write the keys of each category with commas between, such as 1000,5000");
    let counts: Vec<u64> = counts
        .split(',')
        .map(|count| count.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| refused())?;
    if counts.len() > MOST_CATEGORIES {
        return Err(refused());
    }
    let plan = CascadePlan::new(&counts, reject)?;
    Ok(Json(json!({
        "keys": plan.keys(), "bytes": plan.bytes(), "entropy_bits": plan.entropy_bits(),
        "bits_per_key": plan.bytes() as f64 * 8.0 / plan.keys().max(1) as f64,
    })))
}
