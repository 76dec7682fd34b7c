//! What makes a message suspicious before anything was learned: a few facts with fixed weights.
//!
//! | fact | weight |
//! |---|---|
//! | the receiving server found that the sender is forged | 2 |
//! | the sender's name carries an address of another domain | 2 |
//! | an attachment is a program | 2.5 |
//! | the text of a link names another host than it leads to | 1.5 |
//! | more text is hidden than shown | 1 |
//! | words are spelled with letters that look like others | 1 |
//! | no date, or no message identifier | 0.5 |
//!
//! Weights add up to the logarithm of the odds. They were chosen by hand, not fitted. They speak loudest before
//! anything is learned and fade as `20 / (20 + m)`, where `m` counts the messages of the rarer class. Alone they
//! never call a message spam.

use super::facts::{Relation, domain_in_name, relation};
use super::head::Head;
use crate::message::{LinkFact, Message};

/// A suspicious fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Suspicion {
    /// The receiving server found that the sender is forged.
    Forged,
    /// The sender's name carries an address of another domain.
    ForeignAddress,
    /// An attachment is a program.
    Program,
    /// The text of a link names another host than it leads to.
    MisleadingLink,
    /// More text is hidden than shown.
    HiddenText,
    /// Words are spelled with letters that look like others.
    Disguised,
    /// There is no date, or no message identifier.
    Incomplete,
}

impl Suspicion {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Forged,
        Self::ForeignAddress,
        Self::Program,
        Self::MisleadingLink,
        Self::HiddenText,
        Self::Disguised,
        Self::Incomplete,
    ];

    /// What it adds to the logarithm of the odds.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Forged | Self::ForeignAddress => 2.0,
            Self::Program => 2.5,
            Self::MisleadingLink => 1.5,
            Self::HiddenText | Self::Disguised => 1.0,
            Self::Incomplete => 0.5,
        }
    }

    /// The fact as a clause.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Forged => "authentication of the sender failed",
            Self::ForeignAddress => "the sender's name shows an address of another domain",
            Self::Program => "an attachment is a program",
            Self::MisleadingLink => "a link shows another host than it leads to",
            Self::HiddenText => "it hides more text than it shows",
            Self::Disguised => "words are spelled with look-alike letters",
            Self::Incomplete => "it has no date or no message identifier",
        }
    }
}

/// The suspicious facts of a message, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suspicions(u8);

impl Suspicions {
    /// Looks at a message.
    #[must_use]
    pub fn of(message: &Message<'_>, head: &Head<'_>) -> Self {
        let structure = message.structure();
        let is = |suspicion: Suspicion| match suspicion {
            Suspicion::Forged => message.contradicted(),
            Suspicion::ForeignAddress => {
                let sender = message.sender().and_then(|address| address.rsplit_once('@'));
                let (Some(shown), Some((_, own))) = (domain_in_name(message), sender) else {
                    return false;
                };
                relation(shown.as_bytes(), own.as_bytes()) == Relation::Other
            }
            Suspicion::Program => structure
                .parts
                .iter()
                .any(|part| part.extension.as_deref().is_some_and(|name| PROGRAMS.contains(&name))),
            Suspicion::MisleadingLink => structure.links.iter().any(LinkFact::misleads),
            Suspicion::HiddenText => {
                structure.hidden_bytes > 200 && structure.hidden_bytes > structure.visible_bytes
            }
            Suspicion::Disguised => structure.confusables >= 2 || structure.zero_width >= 20,
            Suspicion::Incomplete => {
                !head.is_empty()
                    && (head.get(b"date").is_none() || head.get(b"message-id").is_none())
            }
        };
        let bits = Suspicion::ALL.into_iter().filter(|suspicion| is(*suspicion));
        Self(bits.fold(0, |set, suspicion| set | 1 << suspicion as u8))
    }

    /// The facts.
    pub fn iter(self) -> impl Iterator<Item = Suspicion> {
        Suspicion::ALL.into_iter().filter(move |suspicion| self.0 >> *suspicion as u8 & 1 == 1)
    }

    /// What they add to the logarithm of the odds before anything is learned.
    #[must_use]
    pub fn weight(self) -> f64 {
        self.iter().map(Suspicion::weight).sum()
    }
}

/// Extensions of files that run when they are opened.
const PROGRAMS: [&str; 22] = [
    "exe", "scr", "pif", "com", "bat", "cmd", "js", "jse", "vbs", "vbe", "wsf", "wsh", "hta",
    "jar", "lnk", "msi", "cpl", "ps1", "reg", "iso", "img", "vhd",
];
