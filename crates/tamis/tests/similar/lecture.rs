//! The worked examples of the lecture, as they stand on its slides.

use tamis::hash::KeyHash;
use tamis::similar::lsh::Bands;
use tamis::similar::matrix::BinaryMatrix;
use tamis::similar::{Set, Shingler, Shingles, Signer, jaccard};

fn characters(length: usize) -> Shingler {
    Shingler::new(Shingles::Characters(length))
}

#[test]
fn the_2_shingles_of_abcab_are_ab_bc_and_ca() {
    let shingler = characters(2);
    let expected = Set::of_items(["ab", "bc", "ca"], &KeyHash::default());
    assert_eq!(shingler.set("abcab"), expected);
    let mut with_repetitions = Vec::new();
    shingler.hashes("abcab", &mut with_repetitions);
    assert_eq!(with_repetitions.len(), 4, "ab twice");
}

#[test]
fn the_matrix_of_four_documents_gives_a_distance_of_two_thirds() {
    let sets = ["aab", "bcd", "cda", "cd"].map(|text| characters(2).set(text));
    let matrix = BinaryMatrix::new(&sets);
    assert_eq!(matrix.rows().len(), 5, "aa, ab, bc, cd, da");
    let ones = |document| matrix.column(document).iter().filter(|has| **has).count();
    assert_eq!([ones(0), ones(1), ones(2), ones(3)], [2, 2, 2, 1]);
    assert_eq!(jaccard::distance(&sets[1], &sets[2]), 2.0 / 3.0);
    assert_eq!(matrix.similarity(1, 2), 1.0 / 3.0);
}

#[test]
fn the_other_example_counts_three_of_six() {
    let rows: [&[u8]; 7] = [
        &[1, 1, 1, 0],
        &[1, 1, 0, 1],
        &[0, 1, 0, 1],
        &[0, 0, 0, 1],
        &[1, 0, 0, 1],
        &[1, 1, 1, 0],
        &[1, 0, 1, 0],
    ];
    assert_eq!(BinaryMatrix::from_rows(&rows).similarity(0, 1), 3.0 / 6.0);
}

#[test]
fn the_two_orders_of_a_sentence_are_10_of_13_alike() {
    let words = Shingler::new(Shingles::Words(1)).lowercase(true);
    let left = words.set("When nine hundred years old you reach, look as good you will not.");
    let right = words.set("You will not look as good when nine hundred years old");
    assert_eq!(jaccard::similarity(&left, &right), 10.0 / 13.0);
    assert_eq!(format!("{:.4}", jaccard::similarity(&left, &right)), "0.7692");
}

#[test]
fn three_permutations_give_the_signatures_of_the_slide() {
    let rows: [&[u8]; 7] = [
        &[1, 0, 1, 0],
        &[1, 0, 0, 1],
        &[0, 1, 0, 1],
        &[0, 1, 0, 1],
        &[0, 1, 0, 1],
        &[1, 0, 1, 0],
        &[1, 0, 1, 0],
    ];
    let matrix = BinaryMatrix::from_rows(&rows);
    let permutations = [[2, 3, 7, 6, 1, 5, 4], [4, 2, 1, 3, 6, 7, 5], [3, 4, 7, 2, 6, 1, 5]];
    let signatures = permutations.map(|order| {
        [0, 1, 2, 3].map(|document| matrix.minimum(document, &order).expect("no document is empty"))
    });
    assert_eq!(signatures, [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]);
    assert_eq!((matrix.similarity(0, 2), matrix.similarity(1, 3)), (0.75, 0.75));
    assert_eq!((matrix.similarity(0, 1), matrix.similarity(2, 3)), (0.0, 0.0));
}

#[test]
fn an_expected_error_of_five_percent_takes_400_components() {
    assert_eq!(Signer::with_expected_error(0.05).unwrap().components(), 400);
    assert_eq!(Signer::with_expected_error(0.1).unwrap().components(), 100);
    assert!(Signer::with_expected_error(0.0).is_err());
    assert!(Signer::with_expected_error(f64::NAN).is_err());
}

/// The report's rule: the fewest rows with `(r / k)^(1/r)` at least the threshold.
#[test]
fn the_reports_rule_gives_rows_and_bands_from_a_threshold() {
    for (k, threshold) in [(400usize, 0.6f64), (400, 0.3), (100, 0.8), (128, 0.5)] {
        let bands = Bands::for_threshold(k, threshold).unwrap();
        let steep = |rows: usize| (rows as f64 / k as f64).powf(1.0 / rows as f64);
        assert!(steep(bands.rows) >= threshold);
        assert!(bands.rows == 1 || steep(bands.rows - 1) < threshold);
        assert_eq!(bands.bands, k / bands.rows);
    }
    assert!(Bands::for_threshold(400, 0.0).is_err());
    assert!(Bands::for_threshold(400, f64::NAN).is_err());
}
