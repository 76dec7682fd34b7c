//! Similar users: all pairs against signatures and bands, as the number of users grows.

use crate::chance::{Chance, Zipf};
use crate::experiment::{About, Experiment};
use crate::outcome::{Findings, Outcome, Table, Verdict, grouped, significant};
use crate::plot::{Axis, Chart, Mark, Panel, Series};
use crate::row;
use crate::statistics::{ALARM, count_tails_within, deviations};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;
use tamis::hash::KeyHash;
use tamis::similar::lsh::Bands;
use tamis::similar::{Method, Set, Signer, jaccard, signature};
use tamis_corpus::sets::{SetOptions, for_each_member};

/// The experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovieLens {
    /// Pairs of at least this similarity are looked for.
    pub threshold: f64,
    /// Components of a signature, `k`.
    pub components: usize,
    /// The part of pairs at the threshold that the bands should find.
    pub recall: f64,
    /// Users that are made when there are no data.
    pub users: usize,
    /// Films that are made when there are no data.
    pub films: usize,
}

impl Default for MovieLens {
    fn default() -> Self {
        Self { threshold: 0.6, components: 400, recall: 0.95, users: 4000, films: 1700 }
    }
}

impl Experiment for MovieLens {
    const ABOUT: About = About {
        name: "movielens",
        title: "MovieLens",
        question: "Which users have seen nearly the same films: all pairs exactly, by signatures, and by bands, as their number grows?",
        theory: &[
            "All n (n - 1) / 2 pairs are compared exactly. Signatures of k = 400 components estimate the similarity of a pair with a standard deviation of sqrt(J (1 - J) / k), 0.024 at 0.6; the \
             verdict allows as many standard deviations for each similar pair as chance exceeds once in a million runs. Bands are chosen to find 95 of 100 pairs at the threshold and more above; candidates \
             are compared exactly, so nothing wrong is found. The pairs found are judged by Chernoff's bound, with 0.05 added for what the pairs of one user have in common.",
            "The number of comparisons grows with the square of n for all pairs; with bands it grows with the candidates. Without data, users are made: films by Zipf's law, and of one user in twenty \
             a copy with some films exchanged. With the MovieLens ratings (user, film in the first two columns) there are 943 users.",
        ],
        data: Some("a table of users and films, such as the 100,000 ratings of MovieLens (u.data)"),
        timed: true,
    };

    fn quick() -> Self {
        Self { users: 300, films: 600, ..Self::default() }
    }

    fn run(&self, seed: u64, data: Option<&Path>) -> Result<Outcome> {
        let users = match data {
            Some(path) => read(path)?,
            None => self.invent(seed),
        };
        anyhow::ensure!(users.len() > 8, "there are {} users, too few to compare", users.len());
        let bands = Bands::for_recall(self.components, self.threshold, self.recall)?;
        let signer = Signer::with_method(Method::Fast, self.components)?;
        let signer = signer.with_hash(KeyHash::new(seed));
        let mut steps = Vec::new();
        for eighths in [1, 2, 4, 6, 8] {
            let users = &users[..users.len() * eighths / 8];
            steps.push(Step::measure(users, self.threshold, &signer, bands));
        }
        Ok(self.outcome(&steps, bands))
    }
}

fn read(path: &Path) -> Result<Vec<Set>> {
    let mut films: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let hash = KeyHash::default();
    for_each_member(&[path.to_owned()], &SetOptions::default(), |row| {
        films.entry(row.set.to_owned()).or_default().push(hash.bytes(row.item.as_bytes()));
        Ok::<(), tamis_corpus::Error>(())
    })?;
    Ok(films.into_values().map(Set::from_hashes).collect())
}

/// Two users, by their numbers, and their similarity.
type Pair = (usize, usize, f64);

/// What was found among so many users.
struct Step {
    users: usize,
    exact: Vec<Pair>,
    /// Estimates for the exact pairs.
    estimates: Vec<f64>,
    /// Pairs whose estimate reaches the threshold.
    estimated: usize,
    candidates: usize,
    found: usize,
    /// Seconds for all pairs, for all estimates, and with bands; signatures are part of the last two.
    seconds: [f64; 3],
}

impl Step {
    fn measure(users: &[Set], threshold: f64, signer: &Signer, bands: Bands) -> Self {
        let pairs = || (0..users.len()).flat_map(|a| (a + 1..users.len()).map(move |b| (a, b)));
        let start = Instant::now();
        let exact: Vec<Pair> = pairs()
            .map(|(a, b)| (a, b, jaccard::similarity(&users[a], &users[b])))
            .filter(|pair| pair.2 >= threshold)
            .collect();
        let all = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let sign = |set: &Set| {
            let mut components = vec![0; signer.components()];
            signer.sign_into(set, &mut components);
            components
        };
        let signatures: Vec<Vec<u64>> = users.iter().map(sign).collect();
        let signing = start.elapsed().as_secs_f64();
        let estimate = |a: usize, b: usize| {
            let sizes = (users[a].len() as u64, users[b].len() as u64);
            signature::estimate(&signatures[a], &signatures[b], sizes)
        };
        let start = Instant::now();
        let estimated = pairs().filter(|(a, b)| estimate(*a, *b) >= threshold).count();
        let estimating = signing + start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut buckets: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
        for (user, signature) in signatures.iter().enumerate() {
            for (band, hash) in bands.hashes(signature).enumerate() {
                buckets.entry((band, hash)).or_default().push(user);
            }
        }
        let mut candidates: Vec<(usize, usize)> = Vec::new();
        for bucket in buckets.values() {
            for (index, a) in bucket.iter().enumerate() {
                candidates.extend(bucket[index + 1..].iter().map(|b| (*a, *b)));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let is_found = |(a, b): &&(usize, usize)| {
            jaccard::at_least(&users[*a], &users[*b], threshold).is_some()
        };
        let found = candidates.iter().filter(is_found).count();
        let with_bands = signing + start.elapsed().as_secs_f64();
        Self {
            users: users.len(),
            estimates: exact.iter().map(|(a, b, _)| estimate(*a, *b)).collect(),
            exact,
            estimated,
            candidates: candidates.len(),
            found,
            seconds: [all, estimating, with_bands],
        }
    }

    const fn pairs(&self) -> usize {
        self.users * (self.users - 1) / 2
    }
}

impl MovieLens {
    fn invent(&self, seed: u64) -> Vec<Set> {
        let mut chance = Chance::new(seed, 11);
        let law = Zipf::new(self.films, 0.6);
        let mut users: Vec<Set> = Vec::with_capacity(self.users);
        while users.len() < self.users {
            let copied = (chance.below(20) == 0).then(|| users.last()).flatten();
            let mut films = match copied {
                Some(other) => {
                    let kept = 0.7 + 0.3 * chance.unit();
                    other.iter().copied().filter(|_| chance.unit() < kept).collect()
                }
                None => Vec::new(),
            };
            // From 20 to 320 films, small numbers more often.
            let wanted = if films.is_empty() {
                (20.0 * 16f64.powf(chance.unit())) as usize
            } else {
                films.len() + films.len() / 20
            };
            while films.len() < wanted {
                films.push(KeyHash::default().integer(law.draw(&mut chance) as u64));
            }
            users.push(Set::from_hashes(films));
        }
        users
    }

    fn outcome(&self, steps: &[Step], bands: Bands) -> Outcome {
        let mut table = Table::new(
            "pairs",
            format!(
                "Pairs of at least {}, with {} bands of {} rows",
                self.threshold, bands.bands, bands.rows
            ),
            &["users", "all pairs", "similar", "estimated similar", "candidates", "found"],
        );
        let mut similar = Table::new(
            "similar",
            "The most similar users",
            &["user", "other", "similarity", "estimate"],
        );
        let mut times = Table::new(
            "times",
            "Seconds on one thread",
            &["users", "all pairs", "all estimates", "bands"],
        );
        for step in steps {
            let found = step.exact.len();
            table.push(row![
                step.users,
                step.pairs(),
                found,
                step.estimated,
                step.candidates,
                step.found
            ]);
            let [all, estimates, with_bands] = step.seconds;
            times.push(row![step.users, all, estimates, with_bands]);
        }
        let Some(last) = steps.last() else { return Outcome::default() };
        let mut best: Vec<(&Pair, &f64)> = last.exact.iter().zip(&last.estimates).collect();
        best.sort_by(|a, b| b.0.2.total_cmp(&a.0.2).then(a.0.0.cmp(&b.0.0)));
        for ((a, b, similarity), estimate) in best.iter().take(20) {
            similar.push(row![*a + 1, *b + 1, *similarity, **estimate]);
        }
        let line = |name: &str, colour: usize, value: &dyn Fn(&Step) -> f64| {
            let points = steps.iter().map(|step| (step.users as f64, value(step)));
            Series::new(name, Mark::Line, colour, points)
        };
        let spread =
            3.0 * (self.threshold * (1.0 - self.threshold) / self.components as f64).sqrt();
        let chart = Chart::new(vec![
            Panel::new(
                "Comparisons",
                Axis::linear("users"),
                Axis::logarithmic("pairs"),
                vec![
                    line("all pairs", 0, &|step| step.pairs() as f64),
                    line("candidates", 1, &|step| step.candidates as f64),
                    line("similar", 2, &|step| step.exact.len() as f64),
                ],
            ),
            Panel::new(
                "Similar users",
                Axis::linear("similarity").from_to(self.threshold - 0.02, 1.02),
                Axis::linear("estimate").from_to(self.threshold - 0.12, 1.02),
                vec![
                    Series::new(
                        "equal",
                        Mark::Line,
                        6,
                        [(self.threshold, self.threshold), (1.0, 1.0)],
                    ),
                    Series::new(
                        "3 deviations at the threshold",
                        Mark::Dashed,
                        6,
                        [(self.threshold, self.threshold - spread), (1.0, 1.0 - spread)],
                    ),
                    Series::new(
                        "pairs",
                        Mark::Points,
                        0,
                        last.exact.iter().zip(&last.estimates).map(|(pair, e)| (pair.2, *e)),
                    ),
                ],
            ),
        ]);
        let times_chart = Chart::new(vec![Panel::new(
            "Time",
            Axis::linear("users"),
            Axis::logarithmic("seconds on one thread"),
            vec![
                line("all pairs, exactly", 0, &|step| step.seconds[0]),
                line("all estimates", 2, &|step| step.seconds[1]),
                line("bands", 1, &|step| step.seconds[2]),
            ],
        )]);
        Outcome {
            findings: Findings { tables: vec![table, similar], chart },
            verdicts: self.verdicts(last, bands),
            timings: Some(Findings { tables: vec![times], chart: times_chart }),
        }
    }

    fn verdicts(&self, last: &Step, bands: Bands) -> Vec<Verdict> {
        let pairs = last.exact.len();
        let z = deviations(ALARM / pairs.max(1) as f64);
        let off = |(pair, estimate): (&Pair, &f64)| {
            // At the ends of the scale one component more or less is still chance.
            let deviation = (pair.2 * (1.0 - pair.2)).max(0.01) / self.components as f64;
            (estimate - pair.2).abs() / deviation.sqrt()
        };
        let worst = last.exact.iter().zip(&last.estimates).map(off).fold(0.0, f64::max);
        let expected: f64 = last.exact.iter().map(|pair| bands.probability(pair.2)).sum();
        let p = expected / pairs.max(1) as f64;
        let explained =
            count_tails_within(last.found as u64, pairs as u64, ((p - 0.05).max(0.0), 1.0));
        vec![
            Verdict::new("estimates of similar pairs are right")
                .expected("0 standard deviations off")
                .measured(format!(
                    "{} at most, of {} pairs",
                    significant(worst),
                    grouped(pairs as u64)
                ))
                .tolerance(format!("{z:.1}, one false alarm in a million runs"))
                .holds(worst <= z),
            Verdict::new("bands find the similar pairs that the curve promises")
                .expected(format!("{} of {}", significant(expected), grouped(pairs as u64)))
                .measured(grouped(last.found as u64))
                .tolerance("0.05 and Chernoff's bound, one false alarm in a million runs")
                .holds(last.found <= pairs && explained >= ALARM),
            Verdict::new("bands compare fewer pairs")
                .expected("less than half of all")
                .measured(format!(
                    "{} of {}",
                    grouped(last.candidates as u64),
                    grouped(last.pairs() as u64)
                ))
                .tolerance("none")
                .holds(2 * last.candidates < last.pairs()),
        ]
    }
}
