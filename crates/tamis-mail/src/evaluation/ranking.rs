//! How well scores tell spam from ham.

/// A score and whether the message was spam.
pub type Scored = (f64, bool);

/// The probability that a spam does not score above a ham: 1 - AUC, ties by half.
#[must_use]
pub fn one_minus_auc(scores: &[Scored]) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (spam, ham) = count(scores);
    // For each spam, the ham above it and half of those beside it.
    let mut wrong = 0.0;
    let mut ham_above = ham as f64;
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        let (spam_here, ham_here) = count(same);
        ham_above -= ham_here as f64;
        wrong += spam_here as f64 * (ham_above + 0.5 * ham_here as f64);
    }
    wrong / (spam as f64 * ham as f64).max(1.0)
}

/// The part of the spam that is found when this part of the ham is lost.
#[must_use]
pub fn recall_at(scores: &[Scored], lost: f64) -> f64 {
    let (spam, ham) = count(scores);
    let mut of_ham: Vec<f64> = scores.iter().filter(|(_, spam)| !spam).map(|(s, _)| *s).collect();
    of_ham.sort_unstable_by(|a, b| b.total_cmp(a));
    let may_go = (ham as f64 * lost).floor() as usize;
    let cut = of_ham.get(may_go).copied().unwrap_or(f64::NEG_INFINITY);
    let found = scores.iter().filter(|(score, is_spam)| *is_spam && *score > cut).count();
    found as f64 / spam.max(1) as f64
}

/// The mean square of the difference between probability and truth.
#[must_use]
pub fn brier(probabilities: &[Scored]) -> f64 {
    let square = |(p, spam): &Scored| (p - f64::from(u8::from(*spam))).powi(2);
    probabilities.iter().map(square).sum::<f64>() / probabilities.len().max(1) as f64
}

/// The expected difference between probability and frequency, over twenty equal ranges of probability.
#[must_use]
pub fn expected_error(probabilities: &[Scored]) -> f64 {
    let mut ranges = [(0.0, 0.0, 0usize); 20];
    for (p, spam) in probabilities {
        let range = &mut ranges[((p * 20.0) as usize).min(19)];
        range.0 += p;
        range.1 += f64::from(u8::from(*spam));
        range.2 += 1;
    }
    let off: f64 = ranges.iter().map(|(p, spam, _)| (p - spam).abs()).sum();
    off / probabilities.len().max(1) as f64
}

fn count(scores: &[Scored]) -> (usize, usize) {
    let spam = scores.iter().filter(|(_, spam)| *spam).count();
    (spam, scores.len() - spam)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_order_has_no_error_and_chance_has_half() {
        let perfect: Vec<Scored> = (0..10).map(|i| (f64::from(i), i >= 5)).collect();
        assert_eq!(one_minus_auc(&perfect), 0.0);
        assert_eq!(recall_at(&perfect, 0.0), 1.0);
        let tied: Vec<Scored> = (0..10).map(|i| (0.0, i >= 5)).collect();
        assert_eq!(one_minus_auc(&tied), 0.5);
        assert_eq!(recall_at(&tied, 0.0), 0.0);
        // One of the two spam is below one of the two ham: one of four pairs is wrong.
        let mixed = [(1.0, true), (2.0, false), (3.0, true), (0.0, false)];
        assert_eq!(one_minus_auc(&mixed), 0.25);
        assert_eq!(recall_at(&mixed, 0.0), 0.5);
        assert_eq!(recall_at(&mixed, 0.5), 1.0);
    }

    #[test]
    fn probabilities_are_judged_by_frequencies() {
        let right: Vec<Scored> = (0..100).map(|i| (0.25, i % 4 == 0)).collect();
        assert!(expected_error(&right) < 1e-12);
        assert!((brier(&right) - 0.1875).abs() < 1e-12);
        let wrong: Vec<Scored> = (0..100).map(|_| (0.9, false)).collect();
        assert!((expected_error(&wrong) - 0.9).abs() < 1e-12);
    }
}
