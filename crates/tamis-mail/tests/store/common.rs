//! Messages and stores for these tests.

use std::path::Path;
use tamis_mail::filter::{Filter, Judgement};
use tamis_mail::message::Message;
use tamis_mail::stages::Stage;
use tamis_mail::store::{Learner, Settings, Store};

pub const BITS: u32 = 12;
pub const SEED: u64 = 7;
pub const LABELS: [&str; 4] = ["ham", "spam", "social", "promotions"];

/// A message with words of its own, words that others have, a route, facts and addresses.
pub fn message(number: usize) -> Vec<u8> {
    let words: Vec<String> = (0..20 + number % 13)
        .map(|place| format!("word{}", (number * 7 + place * place) % 97))
        .collect();
    let (sender, host) = (number % 5, number % 3);
    format!(
        "Received: from mx{host}.example.org (mx{host}.example.org [192.0.2.{host}]) by here; today\n\
         From: a{sender}@example.org\nTo: you{host}@example.net\nList-Id: <list{sender}>\n\
         Message-ID: <{number}.{host}@example.org>\nSubject: number {number}\n\n{}\n",
        words.join(" ")
    )
    .into()
}

pub fn create(folder: &Path) -> Learner {
    Learner::create(folder, BITS, SEED, Settings::default()).expect("a new store")
}

pub fn open(folder: &Path) -> Store {
    Store::open(folder).expect("a store")
}

pub fn learner(folder: &Path) -> Learner {
    Learner::open(folder).expect("a store that learns")
}

/// The bytes of all files of a store.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("a file").metadata().expect("a size").len()).sum()
}

/// A copy of a store.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

/// The verdict of a store on a message.
pub fn judge(store: &Store, raw: &[u8]) -> Judgement {
    store.judge(&Message::parse(raw)).1
}

/// All tables of a filter, to be compared.
pub fn tables(filter: &Filter) -> impl PartialEq + std::fmt::Debug + use<> {
    let near: Vec<_> =
        filter.neighbours().iter().map(|near| (near.digest, near.time, near.signature)).collect();
    let labels: Vec<_> = filter
        .labels()
        .iter()
        .filter(|label| label.totals().messages > 0)
        .map(|label| (label.name.clone(), label.cells().to_vec(), label.totals()))
        .collect();
    (filter.model().clone(), labels, filter.senders().counters().to_vec(), near)
}

/// Whether nothing is left in any table.
pub fn is_blank(filter: &Filter) -> bool {
    let model = filter.model();
    model.masses().cells().is_blank()
        && model.masses().totals() == tamis_mail::model::Totals::default()
        && Stage::ALL.iter().all(|stage| model.correction(*stage).cells().is_blank())
        && filter
            .labels()
            .iter()
            .all(|label| label.cells().is_blank() && label.totals() == Default::default())
        && filter.senders().counters().is_blank()
        && filter.neighbours().iter().count() == 0
}
