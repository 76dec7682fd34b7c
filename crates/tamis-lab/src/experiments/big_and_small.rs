//! A filter of many strings, and one that can be followed by hand.

use super::filters::Theory;
use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped};
use crate::plot::{Axis, Chart, Heat, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, count_tails_within, rate_interval};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use tamis::filter::BloomFilter;
use tamis::hash::KeyHash;

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BigAndSmall {
    /// How many strings the big filter has.
    pub strings: usize,
    /// What part of strangers it may find.
    pub rate: f64,
    /// How many strangers it is asked for.
    pub strangers: usize,
    /// The bits of the small filter, an odd number.
    pub small_bits: u64,
    /// The functions of the small filter.
    pub small_functions: u32,
}

impl Default for BigAndSmall {
    fn default() -> Self {
        let (strings, strangers) = (100_000, 2_000_000);
        Self { strings, rate: 0.0001, strangers, small_bits: 31, small_functions: 3 }
    }
}

impl Experiment for BigAndSmall {
    const ABOUT: About = About {
        name: "big-and-small",
        title: "Big and small filter",
        question: "Does a filter of 100,000 strings find all of them and one in 10,000 others, and can a small one be followed by hand?",
        theory: &[
            "A filter sized for a rate of p takes n = m ln(1 / p) / (ln 2)^2 bits and k = (n / m) ln 2 functions: 1,917,000 bits and 13 functions here. \
             It never denies a string that is in. Of two million strangers 200 are expected; the interval around the measured rate contains the true \
             one but for one run in a million (Chernoff), and by McDiarmid a filter's own rate is within some percent of the mean.",
            "The small filter has 31 bits and three functions. A vegetable's hash, read as a fraction of 2^64, is written in base 31: its first three digits are its \
             bits. The digits are computed here and must be those of the library; a stranger is denied if one of its bits is 0.",
        ],
        data: None,
        timed: false,
    };

    fn quick() -> Self {
        Self { strings: 10_000, rate: 0.001, strangers: 50_000, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(self.strings > 0 && self.strangers > 0, "one string at least");
        let big = self.big(seed)?;
        let (table, panel, verdicts) = self.small(seed)?;
        let mut verdicts_of_all = big.verdicts;
        verdicts_of_all.extend(verdicts);
        let chart = Chart::new(vec![big.panel, panel]);
        let findings = Findings { tables: vec![big.table, table], chart };
        Ok(Outcome { findings, verdicts: verdicts_of_all, timings: None })
    }
}

struct Big {
    table: Table,
    panel: Panel,
    verdicts: Vec<Verdict>,
}

const IN: [&str; 5] = ["carrot", "leek", "turnip", "spinach", "beetroot"];
const OUT: [&str; 5] = ["pumpkin", "fennel", "parsnip", "chard", "radish"];

impl BigAndSmall {
    fn big(&self, seed: u64) -> Result<Big> {
        let mut strings = Chance::new(seed, 6).strings(self.strings + self.strangers);
        let strangers = strings.split_off(self.strings);
        let filter = BloomFilter::with_false_positive_rate(self.strings as u64, self.rate)?;
        let mut filter = filter.with_hash(KeyHash::new(seed));
        filter.insert_many(&strings);
        let denied = filter.contains_many(&strings).iter().filter(|found| !**found).count();

        let mut table = Table::new(
            "rate",
            "The measured rate as more strangers are asked for",
            &["strangers", "found", "rate", "from", "to"],
        );
        let answers = filter.contains_many(&strangers);
        let mut found = 0;
        let mut asked = 0;
        let mut rows = Vec::new();
        for answers in answers.chunks(self.strangers.div_ceil(40)) {
            found += answers.iter().filter(|found| **found).count() as u64;
            asked += answers.len() as u64;
            let (low, high) = rate_interval(found, asked, ALARM);
            let rate = found as f64 / asked as f64;
            table.push(row![asked, found, rate, low, high]);
            rows.push((asked as f64, rate, low, high));
        }
        let theory = Theory::new(filter.bits(), filter.hashes(), self.strings as u64);
        let explained = count_tails_within(found, asked, theory.rates(ALARM / 2.0)) >= ALARM / 2.0;
        let (_, rate, low, high) = rows.last().copied().unwrap_or_default();
        let verdicts = vec![
            Verdict::new("every string that is in is found")
                .expected("0 denied")
                .measured(format!("{denied} of {}", grouped(self.strings as u64)))
                .tolerance("none")
                .holds(denied == 0),
            Verdict::new("strangers are found at the rate that was asked for")
                .expected(format!(
                    "{} ({} computed)",
                    self.rate,
                    format_args!("{:.2e}", theory.rate())
                ))
                .measured(format!("{rate:.2e}, between {low:.2e} and {high:.2e}"))
                .tolerance("Chernoff and McDiarmid, one false alarm in a million runs")
                .holds(explained),
        ];
        let upper = rows.iter().map(|row| (row.0, row.3));
        let band = Mark::Band(rows.iter().map(|row| row.2).collect());
        let top = 6.0 * self.rate;
        let panel = Panel::new(
            format!(
                "{} strings, {} bits, {} functions",
                grouped(self.strings as u64),
                grouped(filter.bits()),
                filter.hashes()
            ),
            Axis::linear("strangers asked for"),
            Axis::linear("part of strangers that is found").from_to(0.0, top),
            vec![
                Series::new("explained by chance", band, 0, upper),
                Series::new("asked for", Mark::Dashed, 6, rows.iter().map(|r| (r.0, self.rate))),
                Series::new("measured", Mark::Points, 0, rows.iter().map(|row| (row.0, row.1))),
            ],
        );
        Ok(Big { table, panel, verdicts })
    }

    fn small(&self, seed: u64) -> Result<(Table, Panel, Vec<Verdict>)> {
        let hash = KeyHash::new(seed);
        let mut filter =
            BloomFilter::with_bits(self.small_bits, self.small_functions)?.with_hash(hash);
        let mut by_hand = BTreeSet::new();
        let mut table = Table::new(
            "vegetables",
            "The small filter by hand",
            &["vegetable", "inserted", "bits", "found", "by hand"],
        );
        let bits = |set: &dyn Fn(&u64) -> f64| (0..self.small_bits).map(|bit| set(&bit)).collect();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut agree = true;
        for vegetable in IN {
            filter.insert(vegetable);
            by_hand.extend(self.digits(hash.bytes(vegetable.as_bytes())));
        }
        for (index, vegetable) in IN.into_iter().chain(OUT).enumerate() {
            let digits = self.digits(hash.bytes(vegetable.as_bytes()));
            let all_set = digits.iter().all(|bit| by_hand.contains(bit));
            let found = filter.contains(vegetable);
            agree &= found == all_set && filter.indexes(vegetable) == digits;
            let inserted = index < IN.len();
            agree &= found || !inserted;
            let dark = if inserted { 1.0 } else { 0.5 };
            rows.push(bits(&|bit| if digits.contains(bit) { dark } else { 0.0 }));
            let places: Vec<String> = digits.iter().map(ToString::to_string).collect();
            let word = |yes: bool| if yes { "yes" } else { "no" };
            table.push(row![
                vegetable,
                word(inserted),
                places.join(" "),
                word(found),
                word(all_set)
            ]);
        }
        let set = (filter.fill() * self.small_bits as f64).round() as usize;
        let verdict = Verdict::new("the small filter does what is computed by hand")
            .expected(format!("{} bits set, the same answers", by_hand.len()))
            .measured(format!("{set} bits set, {}", if agree { "the same" } else { "others" }))
            .tolerance("none")
            .holds(agree && set == by_hand.len());
        rows.insert(0, bits(&|bit| if by_hand.contains(bit) { 1.0 } else { 0.0 }));
        let names = ["filter"].into_iter().chain(IN).chain(OUT).map(str::to_owned).collect();
        let label = |bit: u64| if bit.is_multiple_of(5) { bit.to_string() } else { String::new() };
        let heat = Heat {
            rows,
            columns: (0..self.small_bits).map(label).collect(),
            names,
            range: (0.0, 1.0),
            decimals: None,
            marked: None,
        };
        let title = "Bits of the small filter, of what is in, and of strangers (light)";
        let panel = Panel::heat(title, "bit", "vegetable", heat);
        Ok((table, panel, vec![verdict]))
    }

    /// The digits of `hash / 2^64` in the base of the bits.
    fn digits(&self, hash: u64) -> Vec<u64> {
        let mut rest = u128::from(hash);
        let base = u128::from((self.small_bits - 1) | 1);
        (0..self.small_functions)
            .map(|_| {
                let product = rest * base;
                rest = product & u128::from(u64::MAX);
                (product >> 64) as u64
            })
            .collect()
    }
}
