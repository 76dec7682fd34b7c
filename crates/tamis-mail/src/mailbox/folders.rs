//! Folder names with a special use: outgoing mail, unfinished mail, deleted mail, and junk.
//!
//! Names are compared without case, in the forms that common clients and servers use: a plain
//! folder (`Sent Items`), a Maildir++ folder (`.Sent`, `.INBOX.Trash`, `.Trash.2024`), an mbox file
//! (`Sent`, `Sent.mbox`) and its folder (`Sent.sbd`), with accents as UTF-8 or modified UTF-7.

use std::ffi::OsStr;

/// The special use of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Unfinished, unsent or deleted mail, and templates: nobody has sorted it into spam and ham.
    Unsorted,
    /// Sent mail: what the owner wrote.
    Sent,
    /// Junk.
    Junk,
}

/// Folders below a named path that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Left {
    /// None.
    #[default]
    None,
    /// Sent, unfinished and deleted mail.
    Unsorted,
    /// Junk as well.
    UnsortedAndJunk,
}

impl Left {
    /// Whether a folder or an mbox file of this name is left out.
    #[must_use]
    pub fn out(self, name: &OsStr) -> bool {
        match self {
            Self::None => false,
            Self::Unsorted => matches!(use_of(name), Some(Use::Unsorted | Use::Sent)),
            Self::UnsortedAndJunk => use_of(name).is_some(),
        }
    }
}

/// Endings of the files and folders that mail programs keep for one mail folder.
const ENDINGS: [&str; 4] = [".mbox", ".mbx", ".sbd", ".mboxrd"];

/// The special use that a name of a folder or an mbox file tells.
#[must_use]
pub fn use_of(name: &OsStr) -> Option<Use> {
    let name = name.to_str()?.to_lowercase();
    if let Some(inner) = name.strip_prefix('.') {
        // The parts of a Maildir++ name: a folder in the trash is deleted mail, too.
        return inner.split(['.', '/']).find_map(of_part);
    }
    let ending = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    of_part(ending.unwrap_or(&name))
}

fn of_part(name: &str) -> Option<Use> {
    if JUNK.contains(&name) {
        Some(Use::Junk)
    } else if SENT.contains(&name) {
        Some(Use::Sent)
    } else if UNSORTED.contains(&name) {
        Some(Use::Unsorted)
    } else {
        None
    }
}

/// Junk, in lower case.
const JUNK: [&str; 28] = [
    "junk",
    "spam",
    "junk e-mail",
    "junk email",
    "junk mail",
    "junk-e-mail",
    "junk-email",
    "junkmail",
    "bulk mail",
    "bulk",
    "probably spam",
    "probably-spam",
    "spamverdacht",
    "unerwünscht",
    "unerw&apw-nscht",
    "indésirables",
    "ind&aok-sirables",
    "courrier indésirable",
    "courrier ind&aok-sirable",
    "pourriel",
    "correo no deseado",
    "no deseado",
    "ongewenst",
    "ongewenste e-mail",
    "ongewenste reclame",
    "posta indesiderata",
    "lixo eletrônico",
    "lixo eletr&apq-nico",
];

/// Sent mail, in lower case.
const SENT: [&str; 24] = [
    // English.
    "sent",
    "sent items",
    "sent mail",
    "sent messages",
    "sent-items",
    "sent_items",
    "sent-mail",
    "sent_mail",
    // French.
    "envoyés",
    "envoy&aok-s",
    "messages envoyés",
    "messages envoy&aok-s",
    "éléments envoyés",
    "&amk-l&aok-ments envoy&aok-s",
    // German.
    "gesendet",
    "gesendete objekte",
    "gesendete elemente",
    // Dutch.
    "verzonden",
    "verzonden items",
    "verzonden berichten",
    // Spanish and Portuguese.
    "enviados",
    "elementos enviados",
    "itens enviados",
    // Italian.
    "posta inviata",
];

/// Unfinished, unsent and deleted mail, in lower case.
const UNSORTED: [&str; 45] = [
    // English.
    "trash",
    "bin",
    "deleted",
    "deleted items",
    "deleted messages",
    "deleted-items",
    "deleted_items",
    "drafts",
    "draft",
    "postponed",
    "outbox",
    "unsent messages",
    "queue",
    "templates",
    // French.
    "corbeille",
    "brouillons",
    "éléments supprimés",
    "&amk-l&aok-ments supprim&aok-s",
    "boîte d'envoi",
    "bo&ao4-te d'envoi",
    "modèles",
    "mod&aog-les",
    // German.
    "papierkorb",
    "gelöscht",
    "gel&apy-scht",
    "gelöschte objekte",
    "gel&apy-schte objekte",
    "gelöschte elemente",
    "gel&apy-schte elemente",
    "entwürfe",
    "entw&apw-rfe",
    "postausgang",
    "vorlagen",
    // Dutch.
    "prullenbak",
    "prullenmand",
    "verwijderde items",
    "concepten",
    // Spanish and Portuguese.
    "papelera",
    "borradores",
    "elementos eliminados",
    "lixeira",
    "lixo",
    "rascunhos",
    // Italian.
    "cestino",
    "bozze",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_folders_are_known_by_the_names_that_clients_give_them() {
        let of = |name: &str| use_of(OsStr::new(name));
        for name in [
            "Trash",
            ".Trash",
            ".INBOX.Trash",
            ".Trash.2024",
            ".Drafts",
            "Deleted Messages",
            "Outbox",
            "Unsent Messages",
            "templates",
            "Corbeille",
            "Entwürfe",
        ] {
            assert_eq!(of(name), Some(Use::Unsorted), "{name}");
        }
        for name in ["SENT", "Sent Items", "Sent.mbox", "Sent.sbd", ".Envoy&AOk-s", "Verzonden"] {
            assert_eq!(of(name), Some(Use::Sent), "{name}");
        }
        for name in
            [".Junk", "junk", "Spam", "Junk E-mail", "Bulk Mail", ".INBOX.Spam", "Junk.mbox"]
        {
            assert_eq!(of(name), Some(Use::Junk), "{name}");
        }
        for name in [
            "",
            ".",
            "INBOX",
            ".Friends",
            "spam-list",
            "sent to anne",
            "training",
            "Trashy",
            "sent.eml",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn junk_is_left_out_only_where_that_is_asked_for() {
        let out = |left: Left, name: &str| left.out(OsStr::new(name));
        assert!(out(Left::UnsortedAndJunk, "Junk") && out(Left::UnsortedAndJunk, "Sent"));
        assert!(!out(Left::Unsorted, "Junk") && out(Left::Unsorted, "Sent"));
        assert!(!out(Left::None, "Junk") && !out(Left::None, "Sent"));
    }
}
