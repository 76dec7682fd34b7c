//! Many categories by structures that know two: a tree of them.
//!
//! A clubcard of `m` members and `M >= m` others has `r = floor(log2(M / m))` bits for each member, and one for everyone
//! whom those let pass:
//!
//! ```text
//! bits = m r + m + M / 2^r
//! ```
//!
//! Sorted by size, the categories are cut in two again and again where the sum of that is least, which a table over
//! all intervals tells. A chain of the largest against all others, and so on, is one of those trees.

use super::contender::Classes;

/// A structure that tells members from others.
pub(crate) trait TwoWay: Sized {
    /// What a key is turned into, once for all questions.
    type Question;

    /// Learns members and others.
    ///
    /// # Errors
    /// Keys that it refuses.
    fn train(members: &[&[&str]], others: &[&[&str]]) -> anyhow::Result<Self>;

    /// How large it is.
    ///
    /// # Errors
    /// A file that cannot be made.
    fn bytes(&self) -> anyhow::Result<usize>;

    /// A question for a key.
    fn question(key: &str) -> Self::Question;

    /// Whether a key is a member.
    fn is_member(&self, question: &Self::Question) -> bool;
}

/// Structures and the categories that they lead to.
pub(crate) enum Tree<T> {
    Category(u32),
    /// Members to the left, others to the right.
    Split(T, Box<[Tree<T>; 2]>),
}

/// How categories are cut in two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    Category(u32),
    /// The smaller part, and the larger one.
    Split(Box<[Plan; 2]>),
}

impl Plan {
    /// The plan of the least cost.
    pub(crate) fn least(counts: &[u64]) -> Self {
        let order = by_size(counts);
        let sum = |from: usize, to: usize| order[from..to].iter().map(|&c| counts[c]).sum::<u64>();
        let count = order.len();
        // For each interval its cost and where it is cut.
        let mut table = vec![vec![(0.0, 0); count + 1]; count + 1];
        for length in 2..=count {
            for from in 0..=count - length {
                let to = from + length;
                let cost = |cut: &usize| {
                    let below = table[from][*cut].0 + table[*cut][to].0;
                    below + cost(sum(from, *cut), sum(*cut, to))
                };
                let best = (from + 1..to).min_by(|a, b| cost(a).total_cmp(&cost(b)));
                table[from][to] = best.map_or((0.0, 0), |cut| (cost(&cut), cut));
            }
        }
        Self::cut(&order, &table, counts, 0, count)
    }

    fn cut(
        order: &[usize],
        table: &[Vec<(f64, usize)>],
        counts: &[u64],
        from: usize,
        to: usize,
    ) -> Self {
        if to - from == 1 {
            return Self::Category(order[from] as u32);
        }
        let cut = table[from][to].1;
        let part = |from, to| Self::cut(order, table, counts, from, to);
        Self::split(part(from, cut), part(cut, to), counts)
    }

    /// The largest category against all others, then the next one.
    pub(crate) fn chain(counts: &[u64]) -> Self {
        let mut order = by_size(counts).into_iter().map(|category| Self::Category(category as u32));
        let smallest = order.next().unwrap_or(Self::Category(0));
        order.fold(smallest, |rest, next| Self::split(rest, next, counts))
    }

    fn split(left: Self, right: Self, counts: &[u64]) -> Self {
        let both =
            if left.keys(counts) <= right.keys(counts) { [left, right] } else { [right, left] };
        Self::Split(Box::new(both))
    }

    fn keys(&self, counts: &[u64]) -> u64 {
        self.categories().iter().map(|&category| counts[category as usize]).sum()
    }

    fn categories(&self) -> Vec<u32> {
        match self {
            Self::Category(category) => vec![*category],
            Self::Split(parts) => parts.iter().flat_map(Self::categories).collect(),
        }
    }
}

/// Categories from the smallest on.
fn by_size(counts: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&category| counts[category]);
    order
}

/// Bits for two parts.
fn cost(left: u64, right: u64) -> f64 {
    let (members, others) = (left.min(right) as f64, left.max(right) as f64);
    let bits = (others / members).log2().floor();
    members * (bits + 1.0) + others * (-bits).exp2()
}

impl<T: TwoWay> Tree<T> {
    /// Trains a structure for every cut.
    ///
    /// # Errors
    /// Keys that a structure refuses.
    pub(crate) fn train(plan: &Plan, classes: &Classes<'_>) -> anyhow::Result<Self> {
        Ok(match plan {
            Plan::Category(category) => Self::Category(*category),
            Plan::Split(parts) => {
                let keys = |part: &Plan| -> Vec<&[&str]> {
                    part.categories().iter().map(|&category| classes[category as usize]).collect()
                };
                let own = T::train(&keys(&parts[0]), &keys(&parts[1]))?;
                let below = [Self::train(&parts[0], classes)?, Self::train(&parts[1], classes)?];
                Self::Split(own, Box::new(below))
            }
        })
    }

    /// How large all structures are.
    ///
    /// # Errors
    /// A file that cannot be made.
    pub(crate) fn bytes(&self) -> anyhow::Result<usize> {
        Ok(match self {
            Self::Category(_) => 0,
            Self::Split(own, below) => own.bytes()? + below[0].bytes()? + below[1].bytes()?,
        })
    }

    /// The category of a key.
    pub(crate) fn category(&self, key: &str) -> u32 {
        let question = T::question(key);
        let mut tree = self;
        loop {
            match tree {
                Self::Category(category) => return *category,
                Self::Split(own, below) => {
                    tree = &below[usize::from(!own.is_member(&question))];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(category: u32) -> Box<Plan> {
        Box::new(Plan::Category(category))
    }

    fn bits(plan: &Plan, counts: &[u64]) -> f64 {
        let Plan::Split(parts) = plan else { return 0.0 };
        let [left, right] = parts.each_ref().map(|part| part.keys(counts));
        cost(left, right) + parts.iter().map(|part| bits(part, counts)).sum::<f64>()
    }

    #[test]
    fn five_equal_ones_cost_twelve_bits_in_a_tree() {
        let counts = [1000; 5];
        assert_eq!(bits(&Plan::least(&counts), &counts), 12_000.0);
        assert_eq!(bits(&Plan::chain(&counts), &counts), 12_500.0);
        let chain = Plan::chain(&[5, 9, 1]);
        let rest = Plan::Split(Box::new([*leaf(2), *leaf(0)]));
        assert_eq!(chain, Plan::Split(Box::new([rest, *leaf(1)])));
    }

    #[test]
    fn bits_of_two_parts() {
        assert_eq!((cost(5, 5), cost(1, 4), cost(8, 1)), (10.0, 4.0, 5.0));
    }
}
