//! The sample mail, for when there is no other: twelve spam and twelve wanted messages to learn from, five of each to judge.

use std::path::PathBuf;
use tamis_mail::evaluation::{Example, Split};

macro_rules! messages {
    ($label:literal, $part:literal: $($name:literal)*) => {
        [$((
            concat!($label, "/", $part, "/", $name, ".eml"),
            include_bytes!(concat!("../../../../examples/mail/", $label, "/", $part, "/", $name, ".eml")).as_slice(),
        )),*]
    };
}

type Message = (&'static str, &'static [u8]);

/// The collection that is kept in `examples/mail`.
#[must_use]
pub fn split() -> Split {
    let mut split = Split { labels: vec!["ham".to_owned(), "spam".to_owned()], ..Split::default() };
    let example = |label: u8, (path, raw): Message| Example {
        path: PathBuf::from(path),
        raw: raw.to_vec(),
        label,
    };
    split.training.extend(HAM_TRAINING.map(|message| example(0, message)));
    split.training.extend(SPAM_TRAINING.map(|message| example(1, message)));
    split.testing.extend(HAM_TESTING.map(|message| example(0, message)));
    split.testing.extend(SPAM_TESTING.map(|message| example(1, message)));
    split
}

const HAM_TRAINING: [Message; 12] = messages!("ham", "training":
    "en-garden" "en-invoice" "en-library" "en-list" "en-meeting" "en-train" "nl-bibliotheek" "nl-etentje" "nl-vergadering" "pt-escola" "pt-jantar" "pt-relatorio"
);

const HAM_TESTING: [Message; 5] = messages!("ham", "testing":
    "en-garden-2" "en-invoice-2" "en-list-2" "nl-vergadering-2" "pt-jantar-2"
);

const SPAM_TRAINING: [Message; 12] = messages!("spam", "training":
    "en-loan" "en-lottery" "en-parcel" "en-pills" "en-refund" "en-watch" "nl-lening" "nl-pillen" "nl-prijs" "pt-comprimidos" "pt-emprestimo" "pt-premio"
);

const SPAM_TESTING: [Message; 5] = messages!("spam", "testing":
    "en-lottery-2" "en-pills-2" "en-refund-2" "nl-lening-2" "pt-premio-2"
);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn nothing_of_the_sample_is_forgotten() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mail");
        let raws = |split: &Split| {
            let all = split.training.iter().chain(&split.testing);
            all.map(|example| (example.label, example.raw.clone())).collect::<BTreeSet<_>>()
        };
        assert_eq!(raws(&split()), raws(&Split::read(&folder).unwrap()));
    }
}
