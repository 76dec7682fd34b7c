//! No false negative ever: random sequences of everything that can happen, for every kind.

use super::subjects::{blocked, classic, counting, growing_blocked, growing_classic, rotating};
use super::{follow, operations};
use proptest::prelude::*;
use tamis::filter::Layout;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_classic_bloom_filter_never_denies_what_was_inserted(
        fresh in classic(), operations in operations()
    ) {
        follow(&fresh, &operations);
    }

    #[test]
    fn a_blocked_bloom_filter_never_denies_what_was_inserted(
        fresh in blocked(), operations in operations()
    ) {
        follow(&fresh, &operations);
    }

    #[test]
    fn counters_anywhere_never_deny_what_was_inserted_and_not_removed(
        fresh in counting(Layout::Classic), operations in operations()
    ) {
        follow(&fresh, &operations);
    }

    #[test]
    fn counters_in_a_line_never_deny_what_was_inserted_and_not_removed(
        fresh in counting(Layout::Blocked), operations in operations()
    ) {
        follow(&fresh, &operations);
    }

    #[test]
    fn a_growing_filter_of_classic_layers_never_denies_what_was_inserted(
        fresh in growing_classic(), operations in operations()
    ) {
        follow(&fresh, &operations);
    }

    #[test]
    fn a_rotating_filter_never_denies_what_was_inserted_in_its_generations(
        fresh in rotating(), operations in operations()
    ) {
        follow(&fresh, &operations);
    }
}

proptest! {
    // Sizing a blocked layer takes milliseconds, and each case adds several.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_growing_filter_of_blocked_layers_never_denies_what_was_inserted(
        fresh in growing_blocked(), operations in operations()
    ) {
        follow(&fresh, &operations);
    }
}
