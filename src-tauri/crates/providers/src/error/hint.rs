//! When a provider wants to be asked again.

use std::time::{Duration, SystemTime};

/// A longer wait than this is not waited for: the user is told instead.
pub const MAX_WAIT_MS: u64 = 120_000;

/// What an answer's headers say about another try.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hint {
    /// How long to wait.
    pub wait_ms: Option<u64>,
    /// Whether to try again at all, where it is said.
    pub should_retry: Option<bool>,
}

impl Hint {
    /// Reads the headers; the first hint that parses counts.
    pub fn read<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Self {
        let wait_ms = header("retry-after-ms")
            .and_then(|value| milliseconds(value, 1.0))
            .or_else(|| header("retry-after").and_then(|value| retry_after(value, now)))
            .or_else(|| header("x-ratelimit-reset-requests").and_then(duration_ms))
            .or_else(|| header("x-ratelimit-reset-tokens").and_then(duration_ms))
            .or_else(|| {
                let resets = ["requests", "tokens", "input-tokens", "output-tokens"];
                let reset = |what| header(&format!("anthropic-ratelimit-{what}-reset"));
                resets.into_iter().find_map(reset).and_then(|value| until(value, now))
            });
        let should_retry = match header("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        Self { wait_ms, should_retry }
    }
}

fn milliseconds(text: &str, factor: f64) -> Option<u64> {
    let value: f64 = text.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some((value * factor).ceil() as u64)
}

fn retry_after(value: &str, now: SystemTime) -> Option<u64> {
    milliseconds(value, 1000.0).or_else(|| {
        let date = httpdate::parse_http_date(value.trim()).ok()?;
        Some(wait_until(date, now))
    })
}

fn wait_until(date: SystemTime, now: SystemTime) -> u64 {
    date.duration_since(now).map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

/// Durations as `1s`, `6m0s`, `120ms`, `1.5s`.
pub(super) fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(end);
        let (factor, unit) = [("ms", 1.0), ("s", 1e3), ("m", 6e4), ("h", 3.6e6), ("d", 8.64e7)]
            .iter()
            .find_map(|(unit, factor)| tail.starts_with(unit).then_some((*factor, *unit)))?;
        total += milliseconds(number, factor)?;
        rest = &tail[unit.len()..];
    }
    (!text.trim().is_empty()).then_some(total)
}

/// The wait until an RFC 3339 time.
fn until(text: &str, now: SystemTime) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_sound = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_sound || !text.is_ascii() {
        return None;
    }
    let zone = text[19..].trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset_s = match zone.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), ..] => {
            let minutes = zone.get(1..3)?.parse::<i64>().ok()? * 60 + zone.get(4..6)?.parse::<i64>().ok()?;
            if *sign == b'+' { minutes * 60 } else { -minutes * 60 }
        }
        _ => return None,
    };
    // Days since 1970 of a Gregorian date, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset_s;
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?);
    Some(wait_until(date, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(headers: &[(&str, &str)]) -> Hint {
        // 2026-11-29T12:00:00Z
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_953_600);
        Hint::read(|name| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value), now)
    }

    #[test]
    fn every_form_of_a_hint_is_read() {
        let cases = [
            (("retry-after-ms", "1500"), Some(1500)),
            (("retry-after", "2"), Some(2000)),
            (("retry-after", "0.25"), Some(250)),
            (("retry-after", "Sun, 29 Nov 2026 12:00:30 GMT"), Some(30_000)),
            (("retry-after", "Sun, 29 Nov 2026 11:00:00 GMT"), Some(0)),
            (("retry-after", "soon"), None),
            (("retry-after", "-1"), None),
            (("x-ratelimit-reset-requests", "6m0s"), Some(360_000)),
            (("x-ratelimit-reset-tokens", "120ms"), Some(120)),
            (("anthropic-ratelimit-tokens-reset", "2026-11-29T12:00:10Z"), Some(10_000)),
            (("anthropic-ratelimit-requests-reset", "2026-11-29T13:00:10.5+01:00"), Some(10_000)),
            (("anthropic-ratelimit-requests-reset", "yesterday"), None),
        ];
        let read: Vec<_> = cases.iter().map(|(header, _)| hint(&[*header]).wait_ms).collect();
        let expected: Vec<_> = cases.iter().map(|(_, wait)| *wait).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn the_first_hint_that_parses_counts_and_the_verdict_stands_beside_it() {
        let headers = [("retry-after-ms", "x"), ("retry-after", "3"), ("x-should-retry", "false")];
        assert_eq!(hint(&headers), Hint { wait_ms: Some(3000), should_retry: Some(false) });
    }
}
