//! Signatures estimate without bias, and more exactly than theory asks for.
//!
//! All samples come from a fixed seed. A mean over `n` samples of standard deviation `s` is allowed four times
//! `s / sqrt(n)`.

use tamis::hash::{Functions, KeyHash};
use tamis::similar::signature::{ComponentBits, Packed};
use tamis::similar::{Method, Signer};

/// Two sets of these sizes with so many members in common, different for each `seed`.
fn sets(seed: u64, left: usize, right: usize, common: usize) -> (Vec<u64>, Vec<u64>) {
    let mut items =
        Functions::new(KeyHash::new(7).integer(seed)).map(|f| KeyHash::new(9).integer(f));
    let both: Vec<u64> = items.by_ref().take(common).collect();
    let mut make = |size: usize| {
        let mut set = both.clone();
        set.extend(items.by_ref().take(size - common));
        set
    };
    (make(left), make(right))
}

/// Mean error and root of the mean squared error over `sqrt(J (1 - J) / k)`.
fn errors(
    signer: &Signer,
    left: usize,
    right: usize,
    common: usize,
    samples: u64,
) -> (f64, f64, f64) {
    let similarity = common as f64 / (left + right - common) as f64;
    let theory = similarity * (1.0 - similarity) / signer.components() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for seed in 0..samples {
        let (a, b) = sets(seed, left, right, common);
        let error = signer.sign(&a).similarity(&signer.sign(&b)).unwrap() - similarity;
        sum += error;
        squares += error * error;
    }
    let n = samples as f64;
    (sum / n, (squares / n / theory).sqrt(), 4.0 * (squares / n / n).sqrt())
}

#[test]
fn the_fast_method_has_no_bias_and_beats_the_theory_on_small_sets() {
    for (k, left, right, common) in [
        (128, 30, 30, 20),
        (128, 60, 60, 40),
        (128, 100, 100, 50),
        (400, 200, 200, 100),
        (64, 20, 20, 10),
    ] {
        let (bias, ratio, allowed) = errors(&Signer::new(k).unwrap(), left, right, common, 3000);
        assert!(bias.abs() < allowed, "k = {k}, {left}: bias {bias}");
        assert!(ratio < 0.80, "k = {k}, {left} and {right}: ratio {ratio}");
    }
}

#[test]
fn unequal_and_large_sets_have_next_to_no_bias_and_no_more_error_than_theory() {
    // A set inside of another has the largest similarity that their sizes allow; estimates cannot be larger, and are
    // less on average, by a little.
    for (left, right, common, samples) in
        [(20, 2000, 20, 2000), (5, 500, 5, 3000), (3000, 3000, 1500, 400)]
    {
        let (bias, ratio, allowed) =
            errors(&Signer::new(128).unwrap(), left, right, common, samples);
        let allowed = if left == common { 0.003 } else { allowed };
        assert!(bias.abs() < allowed, "{left} and {right}: bias {bias}");
        // A ratio from n samples has a standard deviation of about 1 / sqrt(2 n).
        let slack = 1.0 + 4.0 / (2.0 * samples as f64).sqrt();
        assert!(ratio < slack, "{left} and {right}: ratio {ratio}");
    }
}

/// With both sizes known, unequal sets are told more exactly than by equal components alone: by the
/// information of three outcomes instead of two.
#[test]
fn sizes_make_the_estimate_of_unequal_sets_more_exact() {
    for (left, right, common) in [(100, 1000, 60), (300, 3000, 100), (50, 400, 25)] {
        let samples = 2000;
        let (bias, ratio, _) = errors(&Signer::new(128).unwrap(), left, right, common, samples);
        let j = common as f64 / (left + right - common) as f64;
        let u = left as f64 / (left + right) as f64;
        let v = 1.0 - u;
        let three = 1.0 / j + v * v / (u - j * v) + u * u / (v - j * u);
        let two = 1.0 / (j * (1.0 - j));
        let theory = (two / three).sqrt();
        assert!(theory < 0.9 && bias.abs() < 0.003, "{left} and {right}: bias {bias}");
        let slack = 1.0 + 4.0 / (2.0 * samples as f64).sqrt();
        assert!(ratio < theory * slack, "{left} and {right}: ratio {ratio}, theory {theory}");
    }
}

#[test]
fn the_classic_method_follows_the_theory() {
    let signer = Signer::with_method(Method::Classic, 128).unwrap();
    let (bias, ratio, allowed) = errors(&signer, 40, 40, 20, 2000);
    assert!(bias.abs() < allowed, "bias {bias}");
    // Four standard deviations of a ratio from 2,000 samples: 0.063.
    assert!((ratio - 1.0).abs() < 0.07, "ratio {ratio}");
}

#[test]
fn fewer_bits_for_each_component_cost_exactness_but_no_bias() {
    let signer = Signer::new(256).unwrap();
    let similarity = 1.0 / 3.0;
    for bits in [1, 8, 16, 32, 64].map(|bits| ComponentBits::from_bits(bits).unwrap()) {
        let samples = 1500;
        let (mut sum, mut squares) = (0.0, 0.0);
        for seed in 0..samples {
            let (a, b) = sets(seed, 200, 200, 100);
            let [a, b] = [a, b].map(|set| Packed::new(&signer.sign(&set), bits));
            let error = a.similarity(&b).unwrap() - similarity;
            sum += error;
            squares += error * error;
        }
        let n = samples as f64;
        let allowed = 4.0 * (squares / n / n).sqrt();
        assert!((sum / n).abs() < allowed, "{bits:?}: bias {}", sum / n);
    }
    let size = |bits| Packed::new(&signer.sign(&[1]), bits).as_bytes().len();
    assert_eq!(size(ComponentBits::One), 32);
    assert_eq!(size(ComponentBits::SixtyFour), 2048);
}

#[test]
fn merging_signatures_is_signing_the_union() {
    for method in [Method::Fast, Method::Classic] {
        let signer = Signer::with_method(method, 100).unwrap();
        for (left, right, common) in [(3, 5, 1), (50, 80, 20), (500, 4, 0), (1000, 1000, 10)] {
            let (a, b) = sets(11, left, right, common);
            let mut merged = signer.sign(&a);
            merged.merge(&signer.sign(&b)).unwrap();
            let union: Vec<u64> = a.into_iter().chain(b).collect();
            assert_eq!(merged, signer.sign(&union), "{method:?} {left} {right}");
        }
    }
}

#[test]
fn order_and_repetitions_change_nothing() {
    let signer = Signer::new(64).unwrap();
    let (set, _) = sets(3, 50, 50, 0);
    let mut shuffled: Vec<u64> = set.iter().rev().copied().collect();
    shuffled.extend_from_slice(&set[..20]);
    assert_eq!(signer.sign(&set), signer.sign(&shuffled));
}

#[test]
fn signatures_of_other_seeds_methods_or_sizes_are_never_compared() {
    let signature = Signer::new(64).unwrap().sign(&[1, 2, 3]);
    for other in [
        Signer::new(65).unwrap(),
        Signer::with_method(Method::Classic, 64).unwrap(),
        Signer::new(64).unwrap().with_hash(KeyHash::new(1)),
    ] {
        let sentence = signature.similarity(&other.sign(&[1, 2, 3])).unwrap_err().to_string();
        assert!(sentence.contains("do not match"), "{sentence}");
        assert!(signature.clone().merge(&other.sign(&[1])).is_err());
    }
    assert!(Signer::new(0).is_err());
    assert!(Signer::new(4097).is_err());
}

#[test]
fn sets_without_members_are_alike_and_like_nothing_else() {
    let signer = Signer::new(32).unwrap();
    let empty = signer.sign(&[]);
    assert_eq!(empty.similarity(&signer.sign(&[])).unwrap(), 1.0);
    assert_eq!(empty.similarity(&signer.sign(&[1])).unwrap(), 0.0);
}
