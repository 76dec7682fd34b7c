//! Laws that hold for any sequence of lessons.

use crate::common::{LABELS, create, is_blank, judge, learner, message, open, tables};
use proptest::prelude::*;
use tamis_mail::store::Change;

#[derive(Debug, Clone)]
enum Step {
    Learn { message: usize, label: usize },
    Forget { message: usize },
    Expire { before: u64 },
    Rename { label: usize },
    Remove { label: usize },
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..25usize, 0..4usize).prop_map(|(message, label)| Step::Learn { message, label }),
        3 => (0..25usize).prop_map(|message| Step::Forget { message }),
        1 => (0..40u64).prop_map(|before| Step::Expire { before }),
        1 => (2..4usize).prop_map(|label| Step::Rename { label }),
        1 => (2..4usize).prop_map(|label| Step::Remove { label }),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..40)
}

/// What a store should have: message, label and time, in the order of learning.
#[derive(Debug, Default)]
struct Expected {
    there: Vec<(usize, usize, u64)>,
    /// The present names of the labels; the last two have one once they were used.
    names: [Option<String>; 4],
    renamed: usize,
}

impl Expected {
    fn name(&self, label: usize) -> String {
        self.names[label].clone().unwrap_or_else(|| LABELS[label].to_owned())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_happens_the_store_is_what_remains(steps in steps(), order in any::<u64>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let mut learning = create(&path);
        let mut expected = Expected::default();
        for (time, step) in (0..).zip(steps) {
            match step {
                Step::Learn { message: number, label } => {
                    let before = expected.there.iter().find(|(message, ..)| *message == number);
                    let before = before.map(|(_, label, _)| *label);
                    let name = expected.name(label);
                    let change = learning.learn(&message(number), &name, time).expect("learned");
                    match before {
                        None => prop_assert_eq!(change, Change::Learned),
                        Some(same) if same == label => prop_assert_eq!(change, Change::Known),
                        Some(other) => {
                            prop_assert_eq!(change, Change::Moved { from: expected.name(other) });
                        }
                    }
                    expected.names[label] = Some(name);
                    if before != Some(label) {
                        expected.there.retain(|(message, ..)| *message != number);
                        expected.there.push((number, label, time));
                    }
                }
                Step::Forget { message: number } => {
                    let known = expected.there.iter().any(|(message, ..)| *message == number);
                    prop_assert_eq!(learning.forget(&message(number)).expect("forgotten"), known);
                    expected.there.retain(|(message, ..)| *message != number);
                }
                Step::Expire { before } => {
                    let count = expected.there.iter().filter(|(.., time)| *time < before).count();
                    prop_assert_eq!(learning.expire(before).expect("expired"), count);
                    expected.there.retain(|(.., time)| *time >= before);
                }
                Step::Rename { label } => {
                    let (from, to) = (expected.name(label), format!("label{}", expected.renamed));
                    let renamed = learning.rename_label(&from, &to).is_ok();
                    prop_assert_eq!(renamed, expected.names[label].is_some());
                    if renamed {
                        expected.names[label] = Some(to);
                        expected.renamed += 1;
                    }
                }
                Step::Remove { label } => {
                    let removed = learning.remove_label(&expected.name(label)).ok();
                    let own = expected.there.iter_mut().filter(|(_, of, _)| *of == label);
                    let count = own.map(|(_, of, _)| *of = 0).count();
                    prop_assert_eq!(removed, expected.names[label].take().map(|_| count));
                }
                Step::Reopen => {
                    learning.close().expect("closed");
                    learning = learner(&path);
                }
            }
        }
        let mut there = expected.there.clone();
        prop_assert_eq!(learning.messages(), there.len());

        // Learning something new and forgetting it leaves every bit as it was.
        learning.commit().expect("committed");
        let before = tables(open(&path).filter());
        learning.learn(&message(99), "spam", 99).expect("learned");
        prop_assert!(learning.forget(&message(99)).expect("forgotten"));
        learning.commit().expect("committed");
        let store = open(&path);
        prop_assert_eq!(tables(store.filter()), before);
        prop_assert_eq!(store.verify().expect("sound"), there.len());
        let info = store.info().expect("info");
        for label in 0..4 {
            let count = there.iter().filter(|(_, of, _)| *of == label).count();
            let listed = info.labels.iter().find(|(name, _)| *name == expected.name(label));
            prop_assert_eq!(listed.map_or(0, |(_, count)| *count), count);
        }

        // Rebuilding equals never having learned anything else.
        learning.rebuild(|_| ()).expect("rebuilt");
        let fresh_path = folder.path().join("fresh");
        let mut fresh = create(&fresh_path);
        for (number, label, time) in &there {
            fresh.learn(&message(*number), &expected.name(*label), *time).expect("learned");
        }
        fresh.close().expect("closed");
        let (rebuilt, fresh) = (open(&path), open(&fresh_path));
        prop_assert_eq!(tables(rebuilt.filter()), tables(fresh.filter()));
        prop_assert_eq!(rebuilt.verify().expect("sound"), there.len());
        for number in 0..30 {
            let [left, right] = [&rebuilt, &fresh].map(|store| judge(store, &message(number)));
            prop_assert_eq!(left.score.to_bits(), right.score.to_bits());
        }

        // Forgetting everything, in any order, leaves nothing.
        let mut learning = learner(&path);
        let start = order as usize % there.len().max(1);
        there.rotate_left(start);
        for (number, ..) in &there {
            prop_assert!(learning.forget(&message(*number)).expect("forgotten"));
        }
        prop_assert!(is_blank(learning.filter()));
    }
}
