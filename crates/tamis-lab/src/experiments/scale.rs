//! What would it take to serve a billion addresses, ten billion documents, a billion certificates?

use crate::chance::Chance;
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;
use tamis::cascade::{Answer, Trainer};
use tamis::filter::Layout;
use tamis::filter::{BlockedBloomFilter, Stored};
use tamis::hash::KeyHash;
use tamis::plan::{CascadePlan, FilterPlan, Variant};
use tamis::similar::index::Index;
use tamis::similar::lsh::Bands;
use tamis::similar::{Set, Signer};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Addresses in a filter.
    pub addresses: f64,
    /// Documents in an index.
    pub documents: f64,
    /// Certificates in a cascade; one in a hundred is revoked.
    pub certificates: f64,
    /// Keys that are measured.
    pub measured_keys: usize,
    /// Documents that are measured.
    pub measured_documents: usize,
    /// Shingles of a document.
    pub shingles: usize,
    /// Components of a signature.
    pub components: usize,
    /// Cores of a machine.
    pub cores: f64,
    /// Memory of a machine, in GB.
    pub memory: f64,
    /// What a machine costs, in euro an hour.
    pub price: f64,
    /// Machines of the cluster.
    pub machines: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            addresses: 1e9,
            documents: 1e10,
            certificates: 1e9,
            measured_keys: 4_000_000,
            measured_documents: 2_000,
            shingles: 1000,
            components: 128,
            cores: 16.0,
            memory: 128.0,
            price: 1.0,
            machines: 64.0,
        }
    }
}

impl Experiment for Scale {
    const ABOUT: About = About {
        name: "scale",
        title: "Scale on paper",
        question: "What time, memory and money take 10^9 addresses, 10^10 documents and 10^9 certificates, on one machine and on a cluster?",
        theory: &[
            "Costs per item are measured on one thread and multiplied. Assumed are: machines of 16 cores and 128 GB at one euro an hour, a cluster of 64 of them; work that divides by cores and machines without \
             loss; a filter of 1 % (blocked); documents of 1,000 shingles with signatures of 128 components, 32 bits each, twelve bytes for each of 16 bands and a name of ten letters; certificates of which one in a hundred is revoked, with no bits to refuse \
             strangers. Reading the input, the network, copies for safety and people's time are not counted.",
            "What does not fit into the memory of one machine needs as many machines as hold it. Serving is priced by a month of 730 hours, building by the hours that it takes. The verdicts compare bytes per item of what was built with what \
             is planned for the large number: the plan is what the multiplication rests on. A filter's and an index's differ by less than a hundredth and a header, a cascade's by three hundredths.",
        ],
        data: None,
        timed: true,
    };

    fn quick() -> Self {
        Self { measured_keys: 50_000, measured_documents: 50, ..Self::default() }
    }

    fn run(&self, seed: u64, _: Option<&Path>) -> Result<Outcome> {
        anyhow::ensure!(
            self.measured_keys > 100 && self.measured_documents > 0,
            "100 keys at least"
        );
        anyhow::ensure!(
            self.cores > 0.0 && self.memory > 0.0 && self.machines >= 1.0,
            "a machine has a core and memory"
        );
        let tasks = [self.addresses(seed)?, self.documents(seed)?, self.certificates(seed)?];
        Ok(self.outcome(&tasks))
    }
}

/// What one kind of item costs.
struct Task {
    name: &'static str,
    items: f64,
    /// Planned for the large number, and of what was built.
    bytes: (f64, f64),
    /// How far they may be apart, as a part.
    tolerance: f64,
    /// Nanoseconds to insert and to ask on one thread.
    insert: f64,
    ask: f64,
}

impl Scale {
    fn addresses(&self, seed: u64) -> Result<Task> {
        let keys = Chance::new(seed, 14).numbers(self.measured_keys);
        let rate = 0.01;
        let start = Instant::now();
        let filter = BlockedBloomFilter::with_false_positive_rate(keys.len() as u64, rate)?;
        let mut filter = filter.with_hash(KeyHash::new(seed));
        filter.insert_many(&keys);
        let insert = nanoseconds(start, keys.len());
        let start = Instant::now();
        let found = filter.contains_many(&keys);
        let ask = nanoseconds(start, found.len());
        let variant = Variant { layout: Layout::Blocked, counting: None };
        let plan = FilterPlan::for_rate(variant, self.addresses as u64, rate)?;
        let bytes = (plan.bits_per_item() / 8.0, filter.bits() as f64 / 8.0 / keys.len() as f64);
        let tolerance = 0.01 + 1000.0 / self.measured_keys as f64;
        Ok(Task { name: "addresses", items: self.addresses, bytes, tolerance, insert, ask })
    }

    fn documents(&self, seed: u64) -> Result<Task> {
        let mut chance = Chance::new(seed, 15);
        let signer = Signer::new(self.components)?.with_hash(KeyHash::new(seed));
        let bands = Bands { bands: 16, rows: self.components / 16 };
        let mut index = Index::new(signer, bands)?;
        let sets: Vec<Set> = (0..self.measured_documents)
            .map(|_| Set::from_hashes(chance.numbers(self.shingles)))
            .collect();
        let start = Instant::now();
        for (number, set) in sets.iter().enumerate() {
            index.insert(&format!("{number:010}"), set);
        }
        let insert = nanoseconds(start, sets.len());
        let start = Instant::now();
        let found: usize = sets.iter().map(|set| index.similars_to(set, 0.8).len()).sum();
        let ask = nanoseconds(start, found);
        let mut file = Vec::new();
        index.write(&mut file)?;
        let built = file.len() as f64 / sets.len() as f64;
        // Components, hashes of bands with numbers of documents, and a name of ten letters with its place and order.
        let planned = (self.components * 4 + bands.bands * 12 + 22) as f64;
        Ok(Task {
            name: "documents",
            items: self.documents,
            bytes: (planned, built),
            tolerance: 0.01 + 2.0 / self.measured_documents as f64,
            insert,
            ask,
        })
    }

    fn certificates(&self, seed: u64) -> Result<Task> {
        let keys = Chance::new(seed, 16).numbers(self.measured_keys);
        let start = Instant::now();
        let mut trainer = Trainer::new(KeyHash::new(seed));
        let (valid, revoked) = (trainer.category("valid")?, trainer.category("revoked")?);
        for (index, key) in keys.iter().enumerate() {
            trainer.insert(if index % 100 == 0 { revoked } else { valid }, key);
        }
        let cascade = trainer.build(0)?;
        // It is built on all cores; this is what one of them would take.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as f64;
        let insert = nanoseconds(start, keys.len()) * cores;
        let start = Instant::now();
        let right = cascade
            .classify_many(&keys)
            .iter()
            .enumerate()
            .filter(|(index, answer)| {
                **answer == Answer::Unknowable(if index % 100 == 0 { revoked } else { valid })
            })
            .count();
        let ask = nanoseconds(start, right);
        let mut file = Vec::new();
        cascade.write(&mut file)?;
        let revoked = (self.certificates / 100.0) as u64;
        let plan = CascadePlan::new(&[self.certificates as u64 - revoked, revoked], 0)?;
        let bytes = (plan.bytes() as f64 / self.certificates, file.len() as f64 / right as f64);
        let tolerance = 0.03 + 60_000.0 / self.measured_keys as f64;
        Ok(Task { name: "certificates", items: self.certificates, bytes, tolerance, insert, ask })
    }

    fn outcome(&self, tasks: &[Task]) -> Outcome {
        let mut memory = Table::new(
            "memory",
            "Memory and what it costs to keep it for a month",
            &["items", "number", "bytes each", "GB", "machines", "euro a month"],
        );
        let mut costs =
            Table::new("costs", "Measured on one thread", &["items", "insert, ns", "ask, ns"]);
        let mut times = Table::new(
            "times",
            "On paper",
            &[
                "items",
                "machines",
                "hours to build",
                "euro to build",
                "questions a second",
                "euro for 10^9 questions",
            ],
        );
        let mut verdicts = Vec::new();
        let mut points = [Vec::new(), Vec::new()];
        for task in tasks {
            let gigabytes = task.items * task.bytes.0 / 1e9;
            let needed = (gigabytes / self.memory).ceil().max(1.0);
            let month = needed * self.price * 730.0;
            memory.push(row![task.name, task.items, task.bytes.0, gigabytes, needed, month]);
            costs.push(row![task.name, task.insert, task.ask]);
            for (machines, points) in
                [needed, self.machines.max(needed)].into_iter().zip(&mut points)
            {
                let hours = task.items * task.insert / 1e9 / 3600.0 / self.cores / machines;
                let a_second = 1e9 / task.ask * self.cores * machines;
                let for_billion = 1e9 / a_second / 3600.0 * self.price * machines;
                let build = hours * machines * self.price;
                times.push(row![task.name, machines, hours, build, a_second, for_billion]);
                points.push(hours);
            }
            let (planned, built) = task.bytes;
            verdicts.push(
                Verdict::new(format!(
                    "{} take as many bytes as planned for {:e}",
                    task.name, task.items
                ))
                .expected(significant(planned))
                .measured(significant(built))
                .tolerance(format!("{} %", significant(100.0 * task.tolerance)))
                .holds((built / planned - 1.0).abs() <= task.tolerance + 1e-9),
            );
        }
        let numbers: Vec<String> =
            (1..).zip(tasks).map(|(n, task): (u32, _)| format!("{n} {}", task.name)).collect();
        let axis = || Axis::linear(numbers.join(", ")).from_to(0.4, tasks.len() as f64 + 0.6);
        let at = |index: usize, shift: f64| index as f64 + 1.0 + shift;
        let gigabytes = tasks.iter().enumerate();
        let gigabytes =
            gigabytes.map(|(index, task)| (at(index, 0.0), task.items * task.bytes.0 / 1e9));
        let machine = [(0.4, self.memory), (tasks.len() as f64 + 0.6, self.memory)];
        let chart = Chart::new(vec![Panel::new(
            "Memory",
            axis(),
            Axis::logarithmic("GB").from_to(0.001, 1e5),
            vec![
                Series::new("needed", Mark::Bars(0.6), 0, gigabytes),
                Series::new("one machine has", Mark::Dashed, 6, machine),
            ],
        )]);
        let hours = |which: usize, shift: f64| {
            points[which]
                .iter()
                .enumerate()
                .map(move |(index, hours)| (at(index, shift), *hours))
                .collect::<Vec<_>>()
        };
        let times_chart = Chart::new(vec![Panel::new(
            "Time to build, on paper",
            axis(),
            Axis::logarithmic("hours").from_to(1e-6, 1e3),
            vec![
                Series::new("as many machines as needed", Mark::Bars(0.3), 0, hours(0, -0.17)),
                Series::new("cluster", Mark::Bars(0.3), 1, hours(1, 0.17)),
            ],
        )]);
        Outcome {
            findings: Findings { tables: vec![memory], chart },
            verdicts,
            timings: Some(Findings { tables: vec![times, costs], chart: times_chart }),
        }
    }
}

fn nanoseconds(start: Instant, count: usize) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / count.max(1) as f64
}
