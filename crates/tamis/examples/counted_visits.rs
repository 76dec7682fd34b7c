//! Counts visits, and takes some back: a counting filter has a counter in the place of each bit.

use tamis::filter::{CounterWidth, CountingFilter, Removal};

pub(crate) fn main() -> tamis::Result<()> {
    let mut visits = CountingFilter::with_false_positive_rate(CounterWidth::Eight, 10_000, 0.001)?;
    for page in ["/home", "/price", "/home", "/home", "/about"] {
        visits.insert(page);
    }
    for page in ["/home", "/price", "/jobs"] {
        println!("{page}: {} visits", visits.count(page));
    }
    // That was a robot.
    assert_eq!(visits.remove("/home"), Removal::Removed);
    assert_eq!(visits.count("/home"), 2);
    // What is not in cannot be taken back.
    assert_eq!(visits.remove("/jobs"), Removal::Absent);
    Ok(())
}
