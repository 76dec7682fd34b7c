//! What a receiving server found out about the sender: the header `Authentication-Results` of RFC 8601.

/// Whether it contradicts the sender: DMARC failed, or SPF failed and no signature of DKIM is good.
pub(super) fn contradicts(header: &str) -> bool {
    let (mut spf_failed, mut signed) = (false, false);
    for (method, result) in results(header) {
        let has = |name: &str, wanted: &str| {
            method.eq_ignore_ascii_case(name) && result.eq_ignore_ascii_case(wanted)
        };
        if has("dmarc", "fail") {
            return true;
        }
        spf_failed |= has("spf", "fail") || has("spf", "softfail");
        signed |= has("dkim", "pass");
    }
    spf_failed && !signed
}

/// The server that wrote it: the first word that is no comment.
pub(super) fn host(header: &str) -> &str {
    let mut rest = header.trim_start();
    while let Some(comment) = rest.strip_prefix('(') {
        let mut depth = 1usize;
        let end = comment.char_indices().find(|(_, character)| {
            match character {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest = end.map_or("", |(at, _)| comment[at + 1..].trim_start());
    }
    let is_end = |c: char| c.is_whitespace() || c == ';' || c == '(';
    rest.split(is_end).next().unwrap_or_default().trim_matches('"')
}

/// Each method with its result: what stands at the start of a clause.
fn results(header: &str) -> Vec<(String, String)> {
    let mut results = Vec::new();
    let mut clause = String::new();
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for character in header.chars().chain([';']) {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted || depth > 0 => escaped = true,
            '"' if depth == 0 => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ';' => {
                results.extend(result(&clause));
                clause.clear();
            }
            _ => clause.push(character),
        }
    }
    results
}

fn result(clause: &str) -> Option<(String, String)> {
    let (method, rest) = clause.split_once('=')?;
    let method = method.split('/').next().unwrap_or(method).trim();
    let result = rest.split_whitespace().next()?;
    Some((method.to_owned(), result.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_the_first_word() {
        for header in [
            " mx.example.org; spf=pass",
            "mx.example.org 1; none",
            "(by (a) filter)\r\n\tmx.example.org(1);",
            "\"mx.example.org\"; none",
        ] {
            assert_eq!(host(header), "mx.example.org", "{header}");
        }
        for header in ["", ";", "(never ends", "()"] {
            assert_eq!(host(header), "", "{header}");
        }
    }

    #[test]
    fn what_contradicts_the_sender() {
        for header in [
            "mx.example.org; dmarc=fail (p=NONE) header.from=example.com",
            "mx.example.org; spf=pass smtp.mailfrom=a@b; DKIM=pass; DMARC = Fail",
            "mx.example.org; spf=softfail; dkim=none",
            "mx.example.org;\r\n\tspf=fail smtp.mailfrom=example.com",
            "mx.example.org 1; spf/1=fail; dkim=fail; dkim=neutral",
        ] {
            assert!(contradicts(header), "{header}");
        }
    }

    #[test]
    fn what_does_not() {
        for header in [
            "",
            "mx.example.org; none",
            "mx.example.org; dmarc=pass; spf=fail; dkim=pass",
            "mx.example.org; spf=softfail; dkim=fail; dkim=pass header.d=example.com",
            "mx.example.org; spf=none; dkim=fail",
            "mx.example.org; spf=pass reason=\"; dmarc=fail\"; dkim=pass (was ; dmarc=fail)",
            "dmarc=failure; (((((",
        ] {
            assert!(!contradicts(header), "{header}");
        }
    }
}
