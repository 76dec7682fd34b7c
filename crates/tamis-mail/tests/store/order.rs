//! In which order messages were learned does not decide what a store knows.

use super::common::{create, learner, message, open, tables};

const COUNT: usize = 60;

/// Message `number` is spam or ham by its kind: the first half of the numbers is spam.
fn label(number: usize) -> &'static str {
    if number < COUNT / 2 { "spam" } else { "ham" }
}

#[test]
fn classes_learned_one_after_the_other_are_learned_again_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let [apart, together] = ["apart", "together"].map(|name| folder.path().join(name));
    let mut first = create(&apart);
    for number in 0..COUNT / 2 {
        first.learn(&message(number), label(number), 0).expect("learned");
    }
    assert_eq!(first.close_in_proportion().expect("closed"), 0, "one class alone has no order");
    let mut second = learner(&apart);
    for number in COUNT / 2..COUNT {
        second.learn(&message(number), label(number), 0).expect("learned");
    }
    assert_eq!(second.close_in_proportion().expect("closed"), COUNT);

    // Spam comes first where both are as far: it was learned first.
    let mut side_by_side = create(&together);
    for number in 0..COUNT / 2 {
        for number in [number, COUNT / 2 + number] {
            side_by_side.learn(&message(number), label(number), 0).expect("learned");
        }
    }
    assert_eq!(side_by_side.close_in_proportion().expect("closed"), 0);
    let (apart, together) = (open(&apart), open(&together));
    let half = COUNT as i64 / 2;
    assert_eq!(apart.filter().model().messages(), (half, half));
    assert_eq!(tables(apart.filter()), tables(together.filter()));
}

#[test]
fn mixed_lessons_are_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store");
    let mut learner = create(&store);
    for number in 0..COUNT {
        let label = if number % 3 == 0 { "spam" } else { "ham" };
        learner.learn(&message(number), label, 0).expect("learned");
    }
    let before = tables(learner.filter());
    assert_eq!(learner.close_in_proportion().expect("closed"), 0);
    assert_eq!(tables(open(&store).filter()), before);
}
