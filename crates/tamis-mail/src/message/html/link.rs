//! Links: their hosts, and the hosts that their text names.

use std::borrow::Cow;

/// Maximum number of links of a page or a text.
pub const MAX_LINKS: usize = 1000;

/// Maximum length of a host name, in bytes.
const MAX_HOST: usize = 255;

/// The hosts of what looks like a link in plain text, in order.
pub fn links_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("://").filter_map(|(at, _)| {
        let scheme = &text[..at];
        (scheme.ends_with("http") || scheme.ends_with("https")).then(|| host_of(&text[at + 3..]))?
    })
}

/// The scheme and host of the address of a link, both in lower case.
///
/// Browsers ignore white space and control characters in it, and take backslashes for slashes.
pub(super) fn target(address: &str) -> Option<(String, String)> {
    let start = address.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
    let start = &start[..start.floor_char_boundary(2 * MAX_HOST)];
    let address = if start.contains(['\\', '\t', '\n', '\r']) {
        let kept = |c: &char| !matches!(c, '\t' | '\n' | '\r');
        start.chars().filter(kept).map(|c| if c == '\\' { '/' } else { c }).collect()
    } else {
        Cow::Borrowed(start)
    };
    let (scheme, rest) = match address.split_once("//") {
        Some(("", rest)) => ("http", rest),
        Some((scheme, rest)) => (scheme.strip_suffix(':')?, rest),
        None => return None,
    };
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let host = host_of(rest.trim_start_matches('/'))?;
    Some((scheme.to_ascii_lowercase(), host.to_lowercase()))
}

/// The host at the start of what follows `://`.
fn host_of(rest: &str) -> Option<&str> {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '@' | ':')));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty() && host.len() <= MAX_HOST).then_some(host)
}

/// The host that the text of a link names: `https://bank.example/x`, `www.bank.example` or
/// `bank.com`. Words and addresses of mail name none.
pub(super) fn shown_host(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 4 * MAX_HOST {
        return None;
    }
    if let Some(at) = text.find("://") {
        return host_of(&text[at + 3..]).filter(|host| host.contains('.')).map(str::to_lowercase);
    }
    let word = text.split_whitespace().find(|word| {
        word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
            || (text.len() == word.len() && !word.contains('@'))
    })?;
    let host = host_of(word)?.trim_end_matches('.').to_lowercase();
    let (labels, top) = host.rsplit_once('.')?;
    let is_label = |label: &str| {
        let mut characters = label.chars();
        !label.is_empty() && characters.all(|c| c.is_alphanumeric() || c == '-')
    };
    let is_top = TOP_LEVELS.contains(&top) || labels.starts_with("www.");
    (is_top && labels.split('.').all(is_label)).then_some(host)
}

/// Top-level domains by which a single word is taken for a host. Those that are also endings of
/// files are left out.
const TOP_LEVELS: [&str; 46] = [
    "com", "net", "org", "edu", "gov", "mil", "info", "biz", "io", "app", "dev", "shop", "online",
    "site", "store", "xyz", "top", "club", "bank", "example", "uk", "de", "fr", "nl", "it", "es",
    "eu", "ru", "cn", "jp", "br", "in", "au", "ca", "us", "ch", "at", "be", "se", "no", "dk", "fi",
    "co", "me", "tv", "mx",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_plain_text() {
        let text = "see http://a.example/x, https://b.example and ftp://c.example";
        assert_eq!(links_in_text(text).collect::<Vec<_>>(), ["a.example", "b.example"]);
    }

    #[test]
    fn targets_are_read_as_browsers_do() {
        for address in [
            "https://user@Shop.Example:80/x",
            " ht\ntps://shop.example",
            "https:\\\\shop.example\\x",
            "https:///shop.example?a",
        ] {
            let expected = ("https".to_owned(), "shop.example".to_owned());
            assert_eq!(target(address), Some(expected), "{address:?}");
        }
        assert_eq!(target("//cdn.example/x").map(|link| link.1).as_deref(), Some("cdn.example"));
        for address in ["", "#top", "mailto:a@b.example", "/path", "javascript:void(0)", "https://"]
        {
            assert_eq!(target(address), None, "{address:?}");
        }
    }

    #[test]
    fn the_text_of_a_link_may_name_a_host() {
        for (text, host) in [
            ("https://www.Bank.example/login", Some("www.bank.example")),
            (" www.bank.example ", Some("www.bank.example")),
            ("go to www.bank.com now", Some("www.bank.com")),
            ("bank.com/login", Some("bank.com")),
            ("click here", None),
            ("report.pdf", None),
            ("anne@bank.com", None),
            ("e.g. this.", None),
            ("", None),
        ] {
            assert_eq!(shown_host(text).as_deref(), host, "{text}");
        }
    }
}
