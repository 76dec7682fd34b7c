//! How a collection is divided: which messages are learned, which are judged.
//!
//! Random folds flatter a filter: messages of the same mailing list, the same sender or the same week lie on both sides.
//! So there are folds that leave out whole sources, and the order of dates.

use std::collections::HashMap;
use tamis::hash::KeyHash;
use tamis_mail::evaluation::Example;

/// A way to divide a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// Five folds by chance.
    Random,
    /// Five folds by mailing list, or else by the domain of the sender.
    Sources,
    /// The earlier half is learned.
    Dates,
    /// Two hundred of each class are learned, five times.
    Few,
}

impl Division {
    pub(crate) const ALL: [Self; 4] = [Self::Random, Self::Sources, Self::Dates, Self::Few];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Random => "random folds",
            Self::Sources => "sources left out",
            Self::Dates => "order of dates",
            Self::Few => "200 + 200 learned",
        }
    }

    /// The parts, each as what is learned and what is judged.
    pub(crate) fn parts(self, all: &[Example]) -> Vec<(Vec<Example>, Vec<Example>)> {
        let folds = |fold_of: &dyn Fn(&Example) -> u64| {
            (0..5)
                .map(|fold| {
                    let (testing, training) =
                        all.iter().cloned().partition(|example| fold_of(example) % 5 == fold);
                    (training, testing)
                })
                .collect()
        };
        let hash = KeyHash::default();
        match self {
            Self::Random => folds(&|example| hash.bytes(&example.raw)),
            Self::Sources => folds(&|example| hash.bytes(source(&example.raw).as_bytes())),
            Self::Dates => vec![by_date(all)],
            Self::Few => (0..5).map(|seed| few(all, seed)).collect(),
        }
    }
}

fn by_date(all: &[Example]) -> (Vec<Example>, Vec<Example>) {
    let date = |example: &Example| {
        let parsed = mail_parser::MessageParser::default().parse_headers(&example.raw[..]);
        parsed.and_then(|message| message.date().map(mail_parser::DateTime::to_timestamp))
    };
    let mut dated: Vec<(i64, &Example)> =
        all.iter().map(|example| (date(example).unwrap_or(0), example)).collect();
    dated.sort_by_key(|(date, _)| *date);
    let (earlier, later) = dated.split_at(dated.len() / 2);
    let own =
        |part: &[(i64, &Example)]| part.iter().map(|(_, example)| (*example).clone()).collect();
    (own(earlier), own(later))
}

fn few(all: &[Example], seed: u64) -> (Vec<Example>, Vec<Example>) {
    let hash = KeyHash::new(seed);
    let mut order: Vec<&Example> = all.iter().collect();
    order.sort_by_key(|example| hash.bytes(&example.raw));
    let mut taken: HashMap<u8, usize> = HashMap::new();
    order.into_iter().cloned().partition(|example| {
        let taken = taken.entry(example.label).or_default();
        *taken += 1;
        *taken <= 200
    })
}

/// The mailing list of a message, or the domain of its sender.
fn source(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(&raw[..raw.len().min(16 << 10)]).to_lowercase();
    let head = text.split("\n\n").next().unwrap_or_default();
    let header = |name: &str| {
        let line = head.lines().find(|line| line.starts_with(name))?;
        Some(line[name.len()..].trim().to_owned())
    };
    if let Some(list) = header("list-id:").or_else(|| header("sender:")) {
        return list;
    }
    let from = header("from:").unwrap_or_default();
    let domain = from.rsplit_once('@').map_or("", |(_, domain)| domain);
    domain.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '.' | '-')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A fifth of them is spam; they come from thirty sources.
    fn messages() -> Vec<Example> {
        let message = |number: u32| {
            let source = match number % 30 {
                list @ 0..10 => format!("List-Id: <list{list}.example.org>\nFrom: a@b{number}.org"),
                domain => format!("From: \"A\" <a{number}@domain{domain}.example.com>"),
            };
            let (day, hour) = (1 + number % 28, number % 24);
            let text =
                format!("{source}\nDate: {day} Sep 2002 {hour:02}:00:00 +0000\n\n{number}\n");
            let label = u8::from(number.is_multiple_of(5));
            Example { path: number.to_string().into(), raw: text.into_bytes(), label }
        };
        (0..1500).map(message).collect()
    }

    fn paths(examples: &[Example]) -> HashSet<&std::path::Path> {
        examples.iter().map(|example| example.path.as_path()).collect()
    }

    #[test]
    fn each_part_has_every_message_on_one_side() {
        let all = messages();
        for division in Division::ALL {
            for (training, testing) in division.parts(&all) {
                assert_eq!(training.len() + testing.len(), all.len(), "{division:?}");
                assert!(paths(&training).is_disjoint(&paths(&testing)), "{division:?}");
            }
        }
    }

    #[test]
    fn folds_judge_each_message_once() {
        let all = messages();
        for division in [Division::Random, Division::Sources] {
            let parts = division.parts(&all);
            let judged: Vec<Example> = parts.into_iter().flat_map(|(_, testing)| testing).collect();
            assert_eq!((judged.len(), paths(&judged)), (all.len(), paths(&all)), "{division:?}");
        }
    }

    #[test]
    fn no_source_is_on_both_sides() {
        for (training, testing) in Division::Sources.parts(&messages()) {
            let sources = |examples: &[Example]| -> HashSet<String> {
                examples.iter().map(|example| source(&example.raw)).collect()
            };
            assert!(!testing.is_empty() && sources(&training).is_disjoint(&sources(&testing)));
        }
    }

    #[test]
    fn what_is_learned_is_older_and_few_are_few() {
        let all = messages();
        let day = |example: &Example| 1 + example.path.to_string_lossy().parse().unwrap_or(0) % 28;
        let (training, testing) = by_date(&all);
        assert!(training.iter().map(day).max() <= testing.iter().map(day).min());
        let (training, _) = few(&all, 0);
        let spam = training.iter().filter(|example| example.label == 1).count();
        assert_eq!((training.len(), spam), (400, 200));
    }
}
