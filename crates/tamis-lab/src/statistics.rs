//! What chance alone may do.
//!
//! A verdict must hold for every seed, so its tolerance is what chance exceeds with a probability of at most
//! [`ALARM`]; where a verdict looks at many numbers at once, each gets its share of that (Bonferroni). An experiment has
//! fewer than a hundred verdicts: all of them together give a false alarm in less than one of 10,000 seeds.
//!
//! Counts are judged by Chernoff's bound, which is no approximation: of `n` independent trials with probability `p`
//! a part `q` or further away comes with a probability of at most
//!
//! ```text
//! 2 e^(-n D(q, p))        D(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))
//! ```

/// The probability with which a verdict may fail although everything is right.
pub const ALARM: f64 = 1e-6;

/// The logarithm of the gamma function, for `x > 0` (Lanczos).
fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.001_208_650_973_866_179,
        -0.000_005_395_239_384_953,
    ];
    let base = x + 5.5;
    let mut sum = 1.000_000_000_190_015;
    for (index, coefficient) in (1..).zip(COEFFICIENTS) {
        sum += coefficient / (x + f64::from(index));
    }
    (x + 0.5) * base.ln() - base + (2.506_628_274_631_000_5 * sum / x).ln()
}

/// The upper part of the incomplete gamma function, `Q(a, x)`: a series below `a + 1`, a continued fraction above.
fn gamma_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (1.0 - sum * scale).max(0.0);
    }
    // Lentz's method.
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..10_000 {
        let factor = -f64::from(i) * (f64::from(i) - a);
        b += 2.0;
        d = 1.0 / (factor * d + b + tiny);
        c = b + factor / c + tiny;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    scale * fraction
}

/// The probability that a chi-square of so many degrees of freedom is at least this.
#[must_use]
pub fn chi_square_tail(statistic: f64, freedom: f64) -> f64 {
    gamma_upper(freedom / 2.0, statistic / 2.0)
}

/// The value that a chi-square exceeds with this probability.
#[must_use]
pub fn chi_square_limit(freedom: f64, probability: f64) -> f64 {
    let width = 20.0 * (2.0 * freedom).sqrt() + 200.0;
    bisect(0.0, freedom + width, |limit| chi_square_tail(limit, freedom) > probability)
}

/// The probability that a standard normal number is at least this far from 0, on either side.
#[must_use]
pub fn normal_tails(deviations: f64) -> f64 {
    gamma_upper(0.5, deviations * deviations / 2.0)
}

/// How many standard deviations from 0 a normal number is with this probability, on either side.
#[must_use]
pub fn deviations(probability: f64) -> f64 {
    bisect(0.0, 38.0, |limit| normal_tails(limit) > probability)
}

/// `D(q, p)`: how unlike two probabilities are.
fn divergence(q: f64, p: f64) -> f64 {
    let part = |q: f64, p: f64| if q == 0.0 { 0.0 } else { q * (q / p).ln() };
    part(q, p) + part(1.0 - q, 1.0 - p)
}

/// At most so probable is a count this far from the expected one or further, if the probability is `p`.
#[must_use]
pub fn count_tails(count: u64, trials: u64, p: f64) -> f64 {
    if trials == 0 {
        return 1.0;
    }
    let q = count as f64 / trials as f64;
    if p <= 0.0 || p >= 1.0 {
        return if q == p { 1.0 } else { 0.0 };
    }
    (2.0 * (-(trials as f64) * divergence(q, p)).exp()).min(1.0)
}

/// The same if the probability lies somewhere from `low` to `high`.
#[must_use]
pub fn count_tails_within(count: u64, trials: u64, (low, high): (f64, f64)) -> f64 {
    let q = count as f64 / trials.max(1) as f64;
    count_tails(count, trials, q.clamp(low, high))
}

/// All probabilities that explain a count: the true one is among them but for this probability.
#[must_use]
pub fn rate_interval(count: u64, trials: u64, alarm: f64) -> (f64, f64) {
    let q = count as f64 / trials.max(1) as f64;
    let low = match count {
        0 => 0.0,
        _ => bisect(0.0, q, |p| count_tails(count, trials, p.max(1e-300)) < alarm),
    };
    let high = match count {
        count if count >= trials => 1.0,
        _ => bisect(q, 1.0, |p| p < 1.0 && count_tails(count, trials, p.max(1e-300)) >= alarm),
    };
    (low, high)
}

/// The last place from `from` to `to` where something is true that is true at first and false later.
fn bisect(mut from: f64, mut to: f64, is_before: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (from + to);
        if is_before(middle) { from = middle } else { to = middle }
    }
    0.5 * (from + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From printed tables.
    #[test]
    fn tails_are_those_of_the_tables() {
        assert!((chi_square_tail(18.307, 10.0) - 0.05).abs() < 1e-5);
        assert!((chi_square_tail(124.342, 100.0) - 0.05).abs() < 1e-5);
        assert!((chi_square_limit(10.0, 0.001) - 29.588).abs() < 1e-3);
        assert!((normal_tails(1.959_964) - 0.05).abs() < 1e-7);
        assert!((deviations(1e-6) - 4.8916).abs() < 1e-3);
        assert!(chi_square_tail(1e6, 99.0) < 1e-300);
    }

    /// Chernoff's bound is above the exact binomial tail and not far from it.
    #[test]
    fn the_bound_on_counts_is_a_bound() {
        let (trials, p) = (40u64, 0.3f64);
        let mut exact = 0.0;
        let mut choose = 1.0;
        for count in (0..=trials).rev() {
            exact += choose * p.powi(count as i32) * (1.0 - p).powi((trials - count) as i32);
            choose *= count as f64 / (trials - count + 1) as f64;
            if count > 12 {
                let bound = count_tails(count, trials, p) / 2.0;
                assert!(
                    bound >= exact * (1.0 - 1e-9) && bound < exact * 12.0,
                    "{count}: {bound} {exact}"
                );
            }
        }
        let (low, high) = rate_interval(100, 1_000_000, 1e-6);
        assert!(low > 4e-5 && low < 1e-4 && high > 1e-4 && high < 2e-4, "{low} {high}");
        assert_eq!(rate_interval(0, 10, 0.05).0, 0.0);
    }
}
