//! Spam that was caught is changed in every usual way to evade a filter, and must stay caught.
//!
//! The share of the changed messages that is still called spam, at the cut that the model has set
//! for itself, may fall by so much: 5 points for changes that no reader notices, 20 for letters that
//! look odd, 40 for 200 visible words of wanted mail. Corpus and changes have fixed seeds.

mod changes;
mod corpus;

use changes::Notice;
use corpus::{Chance, Letter};
use tamis_mail::evaluation::{Options, Pupil};
use tamis_mail::filter::Verdict;

const SPAM: u8 = 1;

/// Messages learned of each kind.
const LEARNED: usize = 900;

/// Spam messages that are changed.
const CHANGED: usize = 200;

fn trained(chance: &mut Chance) -> Pupil {
    let labels = ["ham".to_owned(), "spam".to_owned()];
    let mut pupil = Pupil::new(&labels, Options::default()).expect("a pupil");
    for at in 0..2 * LEARNED {
        let is_spam = at % 2 == 1;
        let letter = corpus::letter(chance, is_spam);
        let traits = pupil.read(&corpus::message(&letter, chance));
        pupil.learn(&traits, u8::from(is_spam));
    }
    pupil.set_cuts();
    pupil
}

fn is_spam(pupil: &Pupil, raw: &[u8]) -> bool {
    pupil.filter().judge(&pupil.read(raw)).verdict == Verdict::Label(SPAM)
}

/// Changes caught spam and prints the table of what is still caught; the rows that cost too much.
fn too_costly(is_wanted: impl Fn(Notice) -> bool) -> Vec<String> {
    let mut chance = Chance::new(17);
    let pupil = trained(&mut chance);
    let ham = (0..500).filter(|_| {
        let letter = corpus::letter(&mut chance, false);
        is_spam(&pupil, &corpus::message(&letter, &mut chance))
    });
    let lost = ham.count();
    assert!(lost <= 5, "{lost} of 500 wanted messages are lost");
    let mut caught: Vec<Letter> = Vec::new();
    for _ in 0..4 * CHANGED {
        let letter = corpus::letter(&mut chance, true);
        if is_spam(&pupil, &corpus::html_message(&letter, &corpus::page(&letter, ""))) {
            caught.push(letter);
        }
        if caught.len() == CHANGED {
            break;
        }
    }
    assert_eq!(caught.len(), CHANGED, "too little spam is caught at all");
    println!("{:34} {:>8} {:>8} {:>8}", "change", "caught %", "cost", "allowed");
    let mut failed = Vec::new();
    for change in changes::all().into_iter().filter(|change| is_wanted(change.notice)) {
        let still =
            caught.iter().filter(|letter| is_spam(&pupil, &(change.apply)(letter, &mut chance)));
        let share = 100.0 * still.count() as f64 / CHANGED as f64;
        let (cost, allowed) = (100.0 - share, change.notice.allowed());
        println!("{:34} {share:8.1} {cost:8.1} {allowed:8.0}", change.name);
        if cost > allowed {
            failed.push(format!("{}: {cost} points", change.name));
        }
    }
    failed
}

#[test]
fn caught_spam_stays_caught_in_disguise() {
    let failed = too_costly(|notice| notice != Notice::Words);
    assert!(failed.is_empty(), "too much is lost by {failed:?}");
}

#[test]
fn the_table_has_every_kind_of_change() {
    let changes = changes::all();
    let count = |notice: Notice| changes.iter().filter(|c| c.notice == notice).count();
    assert!(count(Notice::Nothing) >= 30 && count(Notice::Letters) >= 4);
    assert!(changes.iter().filter(|change| change.name.starts_with("hidden")).count() >= 17);
}
