//! Is where one function falls independent of where another does, and of single bits of the key?

use super::hashes::{Subject, subjects};
use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped, significant};
use crate::plot::{Chart, Heat, Panel};
use crate::row;
use crate::statistics::{ALARM, chi_square_limit, chi_square_tail};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::path::Path;
use tamis::hash::{Functions, reduce};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HashIndependence {
    /// How many functions, pairwise.
    pub functions: usize,
    /// How many random strings.
    pub strings: usize,
    /// Into how many intervals the values of a function are divided.
    pub intervals: usize,
    /// How many keys of 16 bytes have each of their bits changed.
    pub avalanche_keys: usize,
}

impl Default for HashIndependence {
    fn default() -> Self {
        Self { functions: 10, strings: 100_000, intervals: 9, avalanche_keys: 50_000 }
    }
}

impl Experiment for HashIndependence {
    const ABOUT: About = About {
        name: "hash-independence",
        title: "Hash independence and avalanche",
        question: "Is the joint distribution of two functions the product of their own, and does each bit of a key change half of the hash?",
        theory: &[
            "Ten functions, pairwise, over 9 x 9 intervals: the part of the strings in a cell is compared with the product of the parts in its \
             row and its column. With 100,000 strings chance makes these differ by sqrt(p (1 - p) / N) x 8/9 = 3.1 x 10^-4 for p = 1/81, \
             on average by 2.5 x 10^-4: the order of 10^-4. The chi-square of independence has 64 degrees of freedom; the limit is what chance exceeds \
             in one of 45 pairs once in a million runs. The average difference over all pairs may be a tenth off: it is one of 3,645 differences, and the \
             functions of a key being one sequence, pairs are not independent of each other.",
            "Avalanche: in random keys of 16 bytes each of the 128 bits is changed, and each of the 64 bits of the hash should change in half of the \
             cases. By Hoeffding, a part of N cases is off by t with probability at most 2 e^(-2 N t^2); for all 8,192 \
             pairs of bits and one run in a million, t = 0.0153 with 50,000 keys.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { strings: 20_000, avalanche_keys: 1500, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.functions > 1 && self.intervals > 1, "two at least are compared");
        Ok(self.examine(seed, &subjects(seed)))
    }
}

const KEY_BYTES: usize = 16;
const KEY_BITS: usize = 8 * KEY_BYTES;

impl HashIndependence {
    /// Examines these hashes.
    #[must_use]
    pub fn examine(&self, seed: u64, subjects: &[Subject]) -> Outcome {
        let strings = Chance::new(seed, 3).strings(self.strings);
        let mut pairs = Table::new(
            "pairs",
            "Joint distribution of two functions against the product of their own",
            &["hash", "function", "other", "chi-square", "p", "mean difference", "largest"],
        );
        let mut bits = Table::new(
            "avalanche",
            "How often a bit of the hash changes with a bit of the key",
            &["hash", "bit of the key", "least part", "largest part"],
        );
        let mut joint_panels = Vec::new();
        let mut avalanche_panels = Vec::new();
        let mut verdicts = Vec::new();
        for (index, subject) in subjects.iter().enumerate() {
            let name = subject.hash.name();
            let shown = index == 0 || index + 1 == subjects.len();
            let places = self.places(subject, &strings);
            let mut found = Vec::new();
            for first in 0..self.functions {
                for second in first + 1..self.functions {
                    let joint = Joint::new(&places, (first, second), self.intervals);
                    let p = chi_square_tail(joint.chi_square, joint.freedom);
                    let (mean, largest) = (joint.mean(), joint.largest());
                    let (first, second) = (first + 1, second + 1);
                    pairs.push(row![name, first, second, joint.chi_square, p, mean, largest]);
                    found.push(joint);
                }
            }
            verdicts.extend(self.of_pairs(subject, &found));
            if shown {
                let worst = found.iter().max_by(|a, b| a.chi_square.total_cmp(&b.chi_square));
                joint_panels.extend(worst.map(|joint| joint_panel(name, joint)));
            }
            let changed = self.avalanche(subject, seed);
            for (bit, changed) in (1usize..).zip(&changed) {
                let part = |count: u32| f64::from(count) / self.avalanche_keys as f64;
                let least = changed.iter().copied().min().map_or(0.0, part);
                bits.push(row![name, bit, least, changed.iter().copied().max().map_or(0.0, part)]);
            }
            let off = |count: &u32| (f64::from(*count) / self.avalanche_keys as f64 - 0.5).abs();
            let worst = changed.iter().flatten().map(off).fold(0.0, f64::max);
            verdicts.push(self.of_avalanche(subject, worst));
            if shown {
                avalanche_panels.push(avalanche_panel(name, &changed, off));
            }
        }
        joint_panels.append(&mut avalanche_panels);
        let findings = Findings { tables: vec![pairs, bits], chart: Chart::new(joint_panels) };
        Outcome { findings, verdicts, timings: None }
    }

    /// For each function, the interval of each string.
    fn places(&self, subject: &Subject, strings: &[Vec<u8>]) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::with_capacity(strings.len()); self.functions];
        for string in strings {
            for (places, value) in places.iter_mut().zip(Functions::new(subject.hash.hash(string)))
            {
                places.push(reduce(value, self.intervals as u64) as usize);
            }
        }
        places
    }

    fn of_pairs(&self, subject: &Subject, found: &[Joint]) -> Vec<Verdict> {
        let name = subject.hash.name();
        let freedom = (self.intervals as f64 - 1.0).powi(2);
        let limit = chi_square_limit(freedom, ALARM / found.len() as f64);
        let largest = found.iter().map(|joint| joint.chi_square).fold(0.0, f64::max);
        let tolerance = format!("limit {limit:.0}, which chance exceeds once in a million runs");
        let measured = format!("at most {}", significant(largest));
        if !subject.is_sound {
            let caught = Verdict::new(format!("{name} is caught by its pairs of functions"))
                .expected(format!("a chi-square above {limit:.0}"));
            return vec![caught.measured(measured).tolerance(tolerance).holds(largest > limit)];
        }
        let independent = Verdict::new(format!("the functions of {name} are pairwise independent"))
            .expected(format!("a chi-square near {freedom} for each pair"))
            .measured(measured)
            .tolerance(tolerance)
            .holds(largest <= limit);
        let mean = found.iter().map(Joint::mean).sum::<f64>() / found.len() as f64;
        let cells = self.intervals as f64;
        let p = 1.0 / (cells * cells);
        let deviation = (p * (1.0 - p) / self.strings as f64).sqrt() * (cells - 1.0) / cells;
        let expected = deviation * (2.0 / PI).sqrt();
        let differences = Verdict::new(format!("joint and product of {name} differ as by chance"))
            .expected(format!("{expected:.2e} on average"))
            .measured(format!("{mean:.2e}"))
            .tolerance("a tenth of it")
            .holds((mean / expected - 1.0).abs() < 0.1);
        vec![independent, differences]
    }

    /// For each bit of the key and of the hash, how often the second changed with the first.
    fn avalanche(&self, subject: &Subject, seed: u64) -> Vec<[u32; 64]> {
        let mut chance = Chance::new(seed, 4);
        let mut changed = vec![[0; 64]; KEY_BITS];
        for _ in 0..self.avalanche_keys {
            let mut key = [0; KEY_BYTES];
            for half in key.chunks_mut(8) {
                half.copy_from_slice(&chance.number().to_le_bytes());
            }
            let hash = subject.hash.hash(&key);
            for (bit, changed) in changed.iter_mut().enumerate() {
                key[bit / 8] ^= 1 << (bit % 8);
                let difference = hash ^ subject.hash.hash(&key);
                key[bit / 8] ^= 1 << (bit % 8);
                for (place, count) in changed.iter_mut().enumerate() {
                    *count += (difference >> place & 1) as u32;
                }
            }
        }
        changed
    }

    fn of_avalanche(&self, subject: &Subject, worst: f64) -> Verdict {
        let name = subject.hash.name();
        let pairs = (KEY_BITS * 64) as f64;
        let limit = ((2.0 * pairs / ALARM).ln() / (2.0 * self.avalanche_keys as f64)).sqrt();
        let verdict = if subject.is_sound {
            Verdict::new(format!("each bit of a key changes half of {name}"))
                .expected("every part 0.5")
                .holds(worst <= limit)
        } else {
            Verdict::new(format!("{name} is caught by its avalanche"))
                .expected(format!("some part off by more than {limit:.4}"))
                .holds(worst > limit)
        };
        let keys = grouped(self.avalanche_keys as u64);
        verdict
            .measured(format!("off by at most {worst:.4}"))
            .tolerance(format!("{limit:.4}: Hoeffding's bound for {keys} keys, all pairs of bits"))
    }
}

/// How two functions fall together.
struct Joint {
    /// Their numbers, from 1.
    functions: (usize, usize),
    /// Joint part minus product of parts, by row and column.
    differences: Vec<Vec<f64>>,
    chi_square: f64,
    freedom: f64,
}

impl Joint {
    fn new(places: &[Vec<usize>], (first, second): (usize, usize), intervals: usize) -> Self {
        let functions = (first + 1, second + 1);
        let (first, second) = (&places[first], &places[second]);
        let mut counts = vec![vec![0u32; intervals]; intervals];
        for (a, b) in first.iter().zip(second) {
            counts[*a][*b] += 1;
        }
        let n = first.len() as f64;
        let rows: Vec<f64> =
            counts.iter().map(|row| f64::from(row.iter().sum::<u32>()) / n).collect();
        let column = |c: usize| f64::from(counts.iter().map(|row| row[c]).sum::<u32>()) / n;
        let columns: Vec<f64> = (0..intervals).map(column).collect();
        let mut chi_square = 0.0;
        let mut differences = vec![vec![0.0; intervals]; intervals];
        for r in 0..intervals {
            for c in 0..intervals {
                let product = rows[r] * columns[c];
                differences[r][c] = f64::from(counts[r][c]) / n - product;
                if product > 0.0 {
                    chi_square += n * differences[r][c].powi(2) / product;
                }
            }
        }
        Self { functions, differences, chi_square, freedom: (intervals as f64 - 1.0).powi(2) }
    }

    fn mean(&self) -> f64 {
        let cells = self.differences.iter().flatten();
        cells.clone().map(|difference| difference.abs()).sum::<f64>() / cells.count() as f64
    }

    fn largest(&self) -> f64 {
        self.differences.iter().flatten().map(|difference| difference.abs()).fold(0.0, f64::max)
    }
}

fn joint_panel(name: &str, joint: &Joint) -> Panel {
    let scaled = |row: &Vec<f64>| row.iter().map(|value| value.abs() * 1e4).collect();
    let rows: Vec<Vec<f64>> = joint.differences.iter().map(scaled).collect();
    let labels: Vec<String> = (1..=rows.len()).map(|index| index.to_string()).collect();
    let heat = Heat {
        rows,
        columns: labels.clone(),
        names: labels,
        range: (0.0, 30.0),
        decimals: Some(0),
        marked: None,
    };
    let title = format!("{name}: |joint - product| of the worst pair, in 0.0001");
    let axis = |function: usize| format!("interval of function {function}");
    Panel::heat(title, &axis(joint.functions.1), &axis(joint.functions.0), heat)
}

fn avalanche_panel(name: &str, changed: &[[u32; 64]], off: impl Fn(&u32) -> f64) -> Panel {
    const CELL: usize = 8;
    const ROW: usize = 16;
    let cell = |row: usize, column: usize| {
        let bits = changed[row * ROW..(row + 1) * ROW].iter();
        let of_columns = bits.flat_map(|bits| &bits[column * CELL..(column + 1) * CELL]);
        of_columns.map(&off).fold(0.0, f64::max)
    };
    let rows = (0..KEY_BITS / ROW).map(|r| (0..64 / CELL).map(|c| cell(r, c)).collect());
    let heat = Heat {
        rows: rows.collect(),
        columns: (0..64 / CELL).map(|c| (c * CELL + 1).to_string()).collect(),
        names: (0..KEY_BITS / ROW).map(|r| (r * ROW + 1).to_string()).collect(),
        range: (0.0, 0.1),
        decimals: Some(3),
        marked: None,
    };
    let title = format!("{name}: |part of changes - 0.5|, largest of 16 x 8 bits");
    Panel::heat(title, "from this bit of the hash on", "from this bit of the key on", heat)
}
