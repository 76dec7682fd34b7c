//! Whose store? One rule for the names of users, for the command and all protocols.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The longest name, in bytes.
const LONGEST: usize = 255;

/// The name of a user: in lower case, without a `+tag`, with its domain, without `<` and `>` around it.
///
/// `Anne+shop@Example.org` and `<anne@example.org>` are the user `anne@example.org`; `anne` without a
/// domain is another one.
///
/// # Errors
/// [`Error::User`] for what has control characters, spaces or path separators, starts with a dot, or is
/// too long.
pub fn user(name: &str) -> Result<String> {
    let refused = || Error::User { got: name.to_owned() };
    let address = name.strip_prefix('<').and_then(|name| name.strip_suffix('>')).unwrap_or(name);
    let (local, domain) = match address.rsplit_once('@') {
        Some((local, domain)) => (local, Some(domain.trim_end_matches('.'))),
        None => (address, None),
    };
    let local = local.split('+').next().unwrap_or(local);
    if local.is_empty() || domain.is_some_and(str::is_empty) {
        return Err(refused());
    }
    let user = match domain {
        Some(domain) => format!("{local}@{domain}"),
        None => local.to_owned(),
    };
    let user = user.to_lowercase();
    let is_refused =
        |c: char| c.is_control() || c.is_whitespace() || matches!(c, '/' | '\\' | ':' | '<' | '>');
    if user.starts_with('.') || user.len() > LONGEST || user.chars().any(is_refused) {
        return Err(refused());
    }
    Ok(user)
}

/// The folder of a user's store in the folder of all stores, by the rule of [`user`].
///
/// # Errors
/// As [`user`].
pub fn folder_of(stores: &Path, name: &str) -> Result<PathBuf> {
    Ok(stores.join(user(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_one_name_however_it_is_written() {
        for (name, expected) in [
            ("anne", "anne"),
            ("Anne", "anne"),
            ("anne+shop", "anne"),
            ("ANNE+shop+b@Example.ORG", "anne@example.org"),
            ("<anne@example.org>", "anne@example.org"),
            ("anne@example.org.", "anne@example.org"),
            ("a.b", "a.b"),
            ("Ünal@bücher.example", "ünal@bücher.example"),
            ("\"a@b\"@example.org", "\"a@b\"@example.org"),
        ] {
            assert_eq!(user(name).ok().as_deref(), Some(expected), "{name:?}");
            assert_eq!(user(expected).ok().as_deref(), Some(expected), "it is its own name");
        }
    }

    #[test]
    fn no_user_has_a_name_that_leads_out_of_the_folder() {
        let stores = Path::new("stores");
        assert_eq!(folder_of(stores, "Anne@X").ok(), Some(stores.join("anne@x")));
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "/",
            "/etc",
            "a/",
            ".hidden",
            "a\0b",
            "a\nb",
            "a\u{85}b",
            "a b",
            "a\\b",
            "C:x",
            "<>",
            "<",
            "+x",
            "+@y",
            "@y",
            "a@",
            "a@.",
            "a@b/c",
            "a@../../x",
        ] {
            assert!(user(name).is_err(), "{name:?}");
        }
        assert!(user(&"x".repeat(256)).is_err());
    }
}
