//! Locality-sensitive hashing: the pairs worth comparing, without comparing all.
//!
//! A signature of `k` components is cut into `b` bands of `r` rows. Two documents that agree in all rows of
//! a band are candidates, which happens with probability
//!
//! ```text
//! P(J) = 1 - (1 - J^r)^b
//! ```
//!
//! an S-shaped curve with its steepest place near `(1/b)^(1/r)`. More bands find more, more rows find
//! fewer; what is missed and what is compared in vain are chosen together.

use crate::{Error, Result};

/// Bands and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bands {
    /// How many bands.
    pub bands: usize,
    /// How many components in each.
    pub rows: usize,
}

impl Bands {
    /// The probability that two documents of this similarity are candidates.
    #[must_use]
    pub fn probability(&self, similarity: f64) -> f64 {
        let band = similarity.powi(self.rows as i32);
        -((-band).ln_1p() * self.bands as f64).exp_m1()
    }

    /// The curve at so many points from 0 to 1.
    #[must_use]
    pub fn curve(&self, points: usize) -> Vec<(f64, f64)> {
        let at = |index: usize| index as f64 / (points.max(2) - 1) as f64;
        (0..points.max(2)).map(|index| (at(index), self.probability(at(index)))).collect()
    }

    /// How many components the bands use.
    #[must_use]
    pub const fn components(&self) -> usize {
        self.bands * self.rows
    }

    /// By the rule of the report: the fewest rows `r` with `(r / k)^(1/r)` at least the threshold,
    /// and as many bands as fit.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the threshold is above 0 and at most 1, and there are between 1 and 4096 components.
    pub fn for_threshold(components: usize, threshold: f64) -> Result<Self> {
        check_similarity("the threshold", threshold)?;
        if !(1..=super::signature::MAX_COMPONENTS).contains(&components) {
            return Err(Error::Parameter {
                what: "the number of components",
                expected: "between 1 and 4096",
                got: components.to_string(),
            });
        }
        let steep =
            |rows: &usize| (*rows as f64 / components as f64).powf(1.0 / *rows as f64) >= threshold;
        let rows = (1..=components).find(steep).unwrap_or(components);
        Ok(Self { bands: components / rows, rows })
    }

    /// From two requirements: at most a part `x` of the pairs of similarity `s1` are candidates, and at
    /// least a part `y` of those of `s2`. The fewest rows that can do it, with the fewest bands.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the requirements contradict each other, or need more than 4096
    /// components.
    pub fn for_requirements(
        (low, at_most): (f64, f64),
        (high, at_least): (f64, f64),
    ) -> Result<Self> {
        check_similarity("the upper similarity", high)?;
        let contradicts = || Error::Parameter {
            what: "the requirements",
            expected: "a lower similarity with fewer candidates, within 4096 components",
            got: format!("at most {at_most} at {low}, at least {at_least} at {high}"),
        };
        let sensible =
            low < high && low >= 0.0 && at_most > 0.0 && at_least < 1.0 && at_least > 0.0;
        if !sensible {
            return Err(contradicts());
        }
        for rows in 1..=super::signature::MAX_COMPONENTS {
            let misses = (-high.powi(rows as i32)).ln_1p();
            let bands = ((1.0 - at_least).ln() / misses).ceil().max(1.0);
            if bands * rows as f64 > super::signature::MAX_COMPONENTS as f64 {
                break;
            }
            let solution = Self { bands: bands as usize, rows };
            if solution.probability(low) <= at_most {
                return Ok(solution);
            }
        }
        Err(contradicts())
    }

    /// The most rows whose curve still finds this part of the pairs at the threshold: the fewest
    /// comparisons in vain for a promised recall.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless threshold and recall lie between 0 and 1.
    pub fn for_recall(components: usize, threshold: f64, recall: f64) -> Result<Self> {
        check_similarity("the threshold", threshold)?;
        check_similarity("the recall", recall)?;
        let with_rows = |rows: usize| Self { bands: components / rows, rows };
        let rows =
            (1..=components).rev().find(|&rows| with_rows(rows).probability(threshold) >= recall);
        Ok(with_rows(rows.unwrap_or(1)))
    }

    /// The best trade-off at a threshold: least `false_weight` times the area of false candidates
    /// below it plus `1 - false_weight` times that of misses above.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless threshold and weight lie between 0 and 1.
    pub fn for_trade_off(components: usize, threshold: f64, false_weight: f64) -> Result<Self> {
        check_similarity("the threshold", threshold)?;
        check_similarity("the weight", false_weight)?;
        let mut best = (f64::MAX, Self { bands: components, rows: 1 });
        for rows in 1..=components {
            let choice = Self { bands: components / rows, rows };
            let (false_area, missed_area) = choice.areas(threshold);
            let cost = false_weight * false_area + (1.0 - false_weight) * missed_area;
            if cost < best.0 {
                best = (cost, choice);
            }
        }
        Ok(best.1)
    }

    /// The area under the curve below a threshold (false candidates) and above the curve beyond it
    /// (misses), by Simpson's rule.
    #[must_use]
    pub fn areas(&self, threshold: f64) -> (f64, f64) {
        let below = simpson(0.0, threshold, |s| self.probability(s));
        let above = simpson(threshold, 1.0, |s| 1.0 - self.probability(s));
        (below, above)
    }

    /// The hash of each band of a signature.
    pub fn hashes<'a>(&self, components: &'a [u64]) -> impl Iterator<Item = u64> + use<'a> {
        components.chunks_exact(self.rows).take(self.bands).enumerate().map(|(band, rows)| {
            let start = crate::hash::function(0x9E37_79B9_7F4A_7C15, band as u32);
            rows.iter().fold(start, |hash, &row| {
                let product = u128::from(hash ^ row) * u128::from(crate::hash::MULTIPLIER);
                (product >> 64) as u64 ^ product as u64
            })
        })
    }
}

fn simpson(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 200;
    let step = (to - from) / STEPS as f64;
    let weight = |i: usize| match i {
        0 | STEPS => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=STEPS).map(|i| weight(i) * f(from + i as f64 * step)).sum::<f64>() * step / 3.0
}

fn check_similarity(what: &'static str, got: f64) -> Result<()> {
    if got > 0.0 && got <= 1.0 {
        return Ok(());
    }
    Err(Error::Parameter { what, expected: "above 0 and at most 1", got: got.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lectures_table_for_20_bands_of_5() {
        let bands = Bands { bands: 20, rows: 5 };
        for (s, p) in
            [(0.2, 0.006), (0.3, 0.047), (0.4, 0.186), (0.5, 0.470), (0.6, 0.802), (0.7, 0.975)]
        {
            assert!((bands.probability(s) - p).abs() < 0.0005, "{s}");
        }
        assert!((bands.probability(0.8) - 0.9996).abs() < 0.00005);
    }

    #[test]
    fn the_lectures_two_requirements_give_15_rows_and_20_bands() {
        let solved = Bands::for_requirements((0.6, 0.01), (0.9, 0.99)).unwrap();
        assert_eq!(solved, Bands { bands: 20, rows: 15 });
        assert!(Bands::for_requirements((0.9, 0.01), (0.6, 0.99)).is_err());
    }
}
