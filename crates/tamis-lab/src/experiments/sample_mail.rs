//! The sample mail, for when no other is given: what `examples/mail` holds.

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

const HAM_TRAINING: [Message; 36] = messages!("ham", "training":
    "ar-ziyara"
    "de-protokoll"
    "en-attachment-report"
    "en-bank-statement"
    "en-bounce"
    "en-calendar-invitation"
    "en-cron-backup"
    "en-dentist"
    "en-family-photo"
    "en-garden"
    "en-invoice"
    "en-library"
    "en-list"
    "en-list-patch"
    "en-meeting"
    "en-newsletter-weekly"
    "en-password-reset"
    "en-reply-thread"
    "en-shipping-notice"
    "en-shop-receipt"
    "en-train"
    "en-travel-hotel"
    "es-receta"
    "fr-covoiturage"
    "ja-hanami"
    "nl-bibliotheek"
    "nl-etentje"
    "nl-nieuwsbrief"
    "nl-vergadering"
    "pt-encomenda"
    "pt-escola"
    "pt-fatura-agua"
    "pt-jantar"
    "pt-relatorio"
    "ru-dacha"
    "zh-xiangmu-huiyi"
);

const HAM_TESTING: [Message; 31] = messages!("ham", "testing":
    "ar-suwar"
    "de-plakate"
    "en-attachment-seeds"
    "en-bank-statement-2"
    "en-bounce-2"
    "en-calendar-invitation-2"
    "en-cron-backup-2"
    "en-doctor-appointment"
    "en-garden-2"
    "en-invoice-2"
    "en-job-application"
    "en-list-2"
    "en-list-patch-2"
    "en-newsletter-museum"
    "en-newsletter-weekly-2"
    "en-password-reset-2"
    "en-refund-shop"
    "en-reply-thread-2"
    "en-shipping-notice-2"
    "en-shop-offer"
    "en-shop-receipt-2"
    "en-travel-flight"
    "es-mudanza"
    "fr-train"
    "ja-hon"
    "nl-nieuwsbrief-2"
    "nl-vergadering-2"
    "pt-encomenda-2"
    "pt-jantar-2"
    "ru-varenye"
    "zh-celiang"
);

const SPAM_TRAINING: [Message; 36] = messages!("spam", "training":
    "ar-jaiza"
    "de-rechnung"
    "en-advance-fee"
    "en-crypto"
    "en-extortion"
    "en-hidden-text"
    "en-invoice-exe"
    "en-invoice-zip"
    "en-job"
    "en-loan"
    "en-lottery"
    "en-parcel"
    "en-parcel-html"
    "en-phish-bank"
    "en-phish-mailbox"
    "en-pills"
    "en-pills-plain"
    "en-refund"
    "en-romance"
    "en-seo"
    "en-snowshoe-newsletter"
    "en-watch"
    "en-watch-image"
    "es-inversion"
    "fr-heritage"
    "ja-account"
    "nl-lening"
    "nl-pakket"
    "nl-pillen"
    "nl-prijs"
    "pt-banco-conta"
    "pt-comprimidos"
    "pt-emprestimo"
    "pt-premio"
    "ru-rassylka"
    "zh-fapiao"
);

const SPAM_TESTING: [Message; 31] = messages!("spam", "testing":
    "ar-jaiza-2"
    "de-rechnung-2"
    "en-advance-fee-2"
    "en-boss-payment"
    "en-crypto-2"
    "en-domain-renewal"
    "en-extortion-2"
    "en-hidden-text-2"
    "en-invoice-macro"
    "en-invoice-zip-2"
    "en-job-2"
    "en-lottery-2"
    "en-parcel-html-2"
    "en-phish-bank-2"
    "en-phish-mailbox-2"
    "en-phish-streaming"
    "en-pills-2"
    "en-refund-2"
    "en-romance-2"
    "en-seo-2"
    "en-snowshoe-newsletter-2"
    "en-watch-image-2"
    "es-inversion-2"
    "fr-heritage-2"
    "ja-account-2"
    "nl-lening-2"
    "nl-pakket-2"
    "pt-banco-conta-2"
    "pt-premio-2"
    "ru-rassylka-2"
    "zh-fapiao-2"
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
