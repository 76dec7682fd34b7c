//! Access control: every request needs the token if there is one, and pages of other origins are refused.
//!
//! [`OPEN`] paths need no token, so that a supervisor can probe the server without a secret; they tell nothing but
//! whether it works.

use super::Problem;
use crate::config::Config;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It does not have the token.
    NoToken,
    /// It came by a foreign name.
    Host,
    /// Another page makes a browser send it.
    Origin,
}

/// Paths that need no token.
pub const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// Refuses a request without the token, and one that a page of another origin makes a browser send.
pub fn check(config: &Config, path: &str, headers: &HeaderMap) -> Result<(), Refused> {
    match &config.token {
        Some(token) if !OPEN.contains(&path) && !knows(headers, token) => {
            return Err(Refused::NoToken);
        }
        Some(_) => {}
        // Without a token, a foreign name that was made to lead here must not do.
        None if !host_of(headers).is_none_or(is_own) => return Err(Refused::Host),
        None => {}
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let asked = origin.split_once("://").map(|(_, host)| host);
        if asked.is_none() || asked != host_of(headers) {
            return Err(Refused::Origin);
        }
    }
    Ok(())
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let forbidden = |sentence| Problem::new(StatusCode::FORBIDDEN, sentence).into_response();
        match self {
            Self::NoToken => {
                let ask = [(header::WWW_AUTHENTICATE, "Basic realm=\"tamis\", charset=\"UTF-8\"")];
                (ask, Problem::new(StatusCode::UNAUTHORIZED, "a token is needed")).into_response()
            }
            Self::Host => forbidden("ask for localhost, 127.0.0.1 or [::1]"),
            Self::Origin => forbidden("another page may not ask here"),
        }
    }
}

fn host_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?"))
}

/// Whether a host is this machine by its own name.
fn is_own(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let ip = || name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || ip().is_ok_and(|ip| ip.is_loopback())
}

/// Whether the token is there: as a bearer, or as the password that a browser asks for.
fn knows(headers: &HeaderMap, token: &str) -> bool {
    let said = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((scheme, rest)) = said.and_then(|said| said.split_once(' ')) else { return false };
    let is_it = |given: &[u8]| bool::from(given.ct_eq(token.as_bytes()));
    if scheme.eq_ignore_ascii_case("bearer") {
        return is_it(rest.trim().as_bytes());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return false;
    }
    let decoded = base64(rest.trim()).unwrap_or_default();
    let password = decoded.iter().position(|byte| *byte == b':').map(|at| &decoded[at + 1..]);
    password.is_some_and(is_it)
}

/// RFC 4648, as browsers write it.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn status(token: Option<&str>, headers: &[(&str, &str)]) -> u16 {
        status_of("/", token, headers)
    }

    fn status_of(path: &str, token: Option<&str>, headers: &[(&str, &str)]) -> u16 {
        let config = Config { token: token.map(str::to_owned), ..Config::default() };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: axum::http::HeaderName = name.parse().expect("a name");
            map.insert(name, value.parse().expect("a value"));
        }
        let status = |refused: Refused| refused.into_response().status().as_u16();
        check(&config, path, &map).map_or_else(status, |()| 200)
    }

    #[test]
    fn only_the_whole_token_opens() {
        let with = |value: &str| status(Some(TOKEN), &[("authorization", value)]);
        assert_eq!(with(&format!("Bearer {TOKEN}")), 200);
        assert_eq!(with("Basic bWU6MDEyMzQ1Njc4OWFiY2RlZg=="), 200, "me:0123456789abcdef");
        for wrong in [
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer ",
            "Bearer",
            "Basic MDEyMzQ1Njc4OWFiY2RlZg==",
            "Basic !!",
            "Digest 0123456789abcdef",
        ] {
            assert_eq!(with(wrong), 401, "{wrong}");
        }
        assert_eq!(status(Some(TOKEN), &[]), 401);
    }

    #[test]
    fn probes_need_no_token_and_are_closed_to_other_pages() {
        for path in OPEN {
            assert_eq!(status_of(path, Some(TOKEN), &[]), 200, "{path}");
            assert_eq!(status_of(path, None, &[("host", "evil.example")]), 403, "{path}");
            let foreign = [("host", "localhost"), ("origin", "https://evil.example")];
            assert_eq!(status_of(path, Some(TOKEN), &foreign), 403, "{path}");
        }
        for path in ["/healthz/", "/healthz/x", "//healthz", "/metrics", "/%68ealthz"] {
            assert_eq!(status_of(path, Some(TOKEN), &[]), 401, "{path}");
        }
    }

    #[test]
    fn foreign_names_and_foreign_pages_are_refused() {
        for (host, expected) in [
            ("127.0.0.1:8080", 200),
            ("localhost", 200),
            ("[::1]:80", 200),
            ("evil.example", 403),
            ("127.0.0.1.evil.example:8080", 403),
        ] {
            assert_eq!(status(None, &[("host", host)]), expected, "{host}");
        }
        let from = |origin| status(None, &[("host", "localhost:1"), ("origin", origin)]);
        assert_eq!(from("http://localhost:1"), 200);
        assert_eq!(from("http://localhost:2"), 403);
        assert_eq!(from("https://evil.example"), 403);
        assert_eq!(from("null"), 403);
    }
}
