//! Numbers as people write them: `1M`, `64MiB`, `1%`.

use std::fmt;

pub use tamis_lab::outcome::grouped;

/// A number of items: `250000`, `250_000`, `250k`, `1.5M`, `2G`, `1e6`.
pub fn items(text: &str) -> Result<u64, String> {
    let number = scaled(text, &[("k", 1e3), ("m", 1e6), ("g", 1e9), ("b", 1e9), ("t", 1e12)])
        .ok_or("write a number of items such as 250000, 250k, 1.5M or 1e6")?;
    whole(number).ok_or_else(|| format!("{text} is no number of items that can be handled"))
}

/// An amount of memory: `65536`, `64k`, `64MiB`, `1.5G`; powers of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let plain = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
    let units =
        [("k", 1024.0), ("m", 1024.0 * 1024.0), ("g", 1024.0f64.powi(3)), ("t", 1024.0f64.powi(4))];
    let number = scaled(plain, &units).ok_or("write an amount of memory such as 64M or 2G")?;
    whole(number).filter(|&bytes| bytes > 0).ok_or_else(|| format!("{text} is no amount of memory"))
}

/// A rate: `0.01` or `1%`. Whether it makes sense is for the library to say.
pub fn rate(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 0.01),
        None => (text, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| "write a rate such as 0.01 or 1%")?;
    Ok(number * unit)
}

/// A seed: a decimal or `0x` hexadecimal number, or `random`.
pub fn seed(text: &str) -> Result<u64, String> {
    if text == "random" {
        return Ok(tamis_mail::store::random_seed());
    }
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "write a seed from 0 to 18446744073709551615, or random".to_owned())
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().replace('_', "").to_ascii_lowercase();
    let (number, unit) = units
        .iter()
        .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
        .unwrap_or((&text, 1.0));
    number.trim().parse::<f64>().ok().map(|number| number * unit)
}

fn whole(number: f64) -> Option<u64> {
    (number.is_finite() && (0.0..1.8e19).contains(&number)).then_some(number.round() as u64)
}

/// A number of things: `1 pair`, `1,234 pairs`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number of categories: `1 category`, `1,234 categories`.
pub fn categories(number: usize) -> String {
    format!("{} categor{}", grouped(number as u64), if number == 1 { "y" } else { "ies" })
}

/// An amount of memory for a person: `1.2 MB`, powers of 1000.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// A rate for a person: `1 %`, `0.0098 %`.
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.0;
        let text = if percent == 0.0 {
            "0 %".to_owned()
        } else {
            // Three significant digits, without trailing zeros.
            let decimals = (2 - percent.abs().log10().floor() as i32).clamp(0, 12) as usize;
            let digits = format!("{percent:.decimals$}");
            let digits = if decimals > 0 {
                digits.trim_end_matches('0').trim_end_matches('.')
            } else {
                &digits
            };
            format!("{digits} %")
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(items("250_000"), Ok(250_000));
        assert_eq!(items("1.5M"), Ok(1_500_000));
        assert_eq!(items("1e6"), Ok(1_000_000));
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        assert_eq!(bytes("2g"), Ok(2 << 30));
        assert_eq!(rate("1%"), Ok(0.01));
        assert_eq!(seed("0xff"), Ok(255));
        for nonsense in ["", "many", "-1", "1e300", "nan"] {
            assert!(items(nonsense).is_err(), "{nonsense}");
            assert!(bytes(nonsense).is_err(), "{nonsense}");
        }
        assert!(seed("-1").is_err());
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(counted(1, "pair"), "1 pair");
        assert_eq!(counted(1000, "pair"), "1,000 pairs");
        assert_eq!(categories(1), "1 category");
        assert_eq!(categories(1000), "1,000 categories");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_234_567), "1.2 MB");
        assert_eq!(Percent(0.01).to_string(), "1 %");
        assert_eq!(Percent(0.000_123_4).to_string(), "0.0123 %");
        assert_eq!(Percent(1.0).to_string(), "100 %");
    }
}
