//! The stages one by one, for a cluster that brings together what belongs together.

use super::Comparison;
use crate::arrow;
use crate::errors::{Class, error};
use crate::numpy;
use crate::texts::Texts;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use tamis_corpus::similar::prepare;

/// Digests; where the bands of each text end, and all bands; where the members of each text end, in bytes, and all members.
type Columns<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyByteArray>,
);

/// What the first stage makes of each text. One thread: a cluster has its own.
#[pyfunction]
pub fn prepare_texts<'py>(
    comparison: &Bound<'py, Comparison>,
    texts: &Bound<'py, PyAny>,
) -> PyResult<Columns<'py>> {
    let (py, plan) = (comparison.py(), &comparison.get().plan);
    let texts = Texts::of(texts)?;
    let texts = texts.all();
    let (mut digests, mut bands, mut members) = (Vec::new(), Vec::new(), Vec::new());
    let (mut band_ends, mut member_ends) = (vec![0i32], vec![0i32]);
    py.detach(|| {
        for text in texts {
            let prepared = prepare(plan, plan.shingler.set(text));
            digests.push(prepared.digest as i64);
            bands.extend(prepared.bands.into_iter().map(|band| band as i64));
            members.extend(prepared.record.iter().flat_map(|member| member.to_le_bytes()));
            band_ends.push(bands.len() as i32);
            member_ends.push(i32::try_from(members.len()).ok()?);
        }
        Some(())
    })
    .ok_or_else(|| {
        let sentence = "a batch has more than 2 GiB of shingles; lower spark.sql.execution.arrow.maxRecordsPerBatch";
        error(Class::Parameter, sentence)
    })?;
    Ok((
        numpy::array(py, &digests)?,
        numpy::array(py, &band_ends)?,
        numpy::array(py, &bands)?,
        numpy::array(py, &member_ends)?,
        PyByteArray::new(py, &members),
    ))
}

/// The similarity of the sets in each row of two columns as `prepare_texts` has made them; negative if it is below the threshold.
#[pyfunction]
pub fn verify_sets<'py>(
    comparison: &Bound<'py, Comparison>,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, plan) = (comparison.py(), &comparison.get().plan);
    let (left, right) = (sets(left)?, sets(right)?);
    let scores: Vec<f64> = py.detach(|| {
        let scores = left
            .iter()
            .zip(&right)
            .map(|(left, right)| plan.score(left, right, plan.threshold).unwrap_or(-1.0));
        scores.collect()
    });
    numpy::array(py, &scores)
}

fn sets(column: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u64>>> {
    let refused = || error(Class::WrongType, "sets are a column of binary, as prepared");
    let mut sets = Vec::new();
    for array in arrow::arrays(column)?.ok_or_else(refused)? {
        if *array.data_type() != DataType::Binary || array.null_count() > 0 {
            return Err(refused());
        }
        for members in array.as_binary::<i32>().iter().flatten() {
            let (words, _) = members.as_chunks();
            sets.push(words.iter().map(|word| u64::from_le_bytes(*word)).collect());
        }
    }
    Ok(sets)
}

/// The pairs of rows that have a band in common, of bands that are in order: two arrays of row numbers. Of a band of more than
/// `most` rows, the further ones are paired with the first row alone.
#[pyfunction]
pub fn band_pairs<'py>(
    py: Python<'py>,
    bands: &Bound<'py, PyAny>,
    most: usize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let bands = numpy::values::<i64>(bands)?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    py.detach(|| {
        let mut start = 0;
        for band in bands.chunk_by(|a, b| a == b) {
            for later in 1..band.len() {
                let partners = if later < most { later } else { 1 };
                left.extend((0..partners).map(|earlier| (start + earlier) as i64));
                right.extend(std::iter::repeat_n((start + later) as i64, partners));
            }
            start += band.len();
        }
    });
    Ok((numpy::array(py, &left)?, numpy::array(py, &right)?))
}
