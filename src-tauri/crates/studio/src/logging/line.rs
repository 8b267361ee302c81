use std::fmt::{Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::Event;
use tracing::field::{Field, Visit};

/// Facts are short; what is longer is a text.
const MAX_FACT_CHARS: usize = 240;

/// An event as one line: when, how bad, where, what, and its facts.
pub(super) fn of(event: &Event<'_>) -> String {
    let metadata = event.metadata();
    let mut facts = Facts::default();
    event.record(&mut facts);
    let room = metadata.target().split("::").next().unwrap_or_default().trim_start_matches("facsimile_");
    format!("{} {} {room}: {}{}", time_of(SystemTime::now()), metadata.level(), facts.what, facts.line)
}

#[derive(Default)]
struct Facts {
    what: String,
    line: String,
}

impl Facts {
    fn add(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.what = in_one_line(value);
        } else {
            // Writing to a string does not fail.
            let _ = write!(self.line, " {}={}", field.name(), in_one_line(value));
        }
    }
}

impl Visit for Facts {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }
}

/// A line break would be a line that nobody logged.
fn in_one_line(text: &str) -> String {
    let calm = text.chars().filter(|c| !c.is_control() || c.is_whitespace());
    let calm = calm.map(|c| if c.is_whitespace() { ' ' } else { c });
    let mut line: String = calm.clone().take(MAX_FACT_CHARS).collect();
    if calm.count() > MAX_FACT_CHARS {
        line.push('…');
    }
    line
}

/// The time in the form `2026-11-30T08:12:33.123Z`.
pub(crate) fn time_of(time: SystemTime) -> String {
    const DAY_MS: u128 = 24 * 60 * 60 * 1000;
    let ms = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let (year, month, day) = date_of((ms / DAY_MS) as i64);
    let of_day = ms % DAY_MS;
    let (hours, minutes, seconds) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", of_day % 1000)
}

/// Year, month and day of a day counted from 1970. Years are taken to begin in March, so that a leap day ends one.
fn date_of(day: i64) -> (i64, i64, i64) {
    const DAYS_TO_1970_FROM_MARCH_0: i64 = 719_468;
    const ERA_DAYS: i64 = 146_097;
    let since = day + DAYS_TO_1970_FROM_MARCH_0;
    let (era, of_era) = (since.div_euclid(ERA_DAYS), since.rem_euclid(ERA_DAYS));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_told_in_utc() {
        let told = |ms| time_of(UNIX_EPOCH + Duration::from_millis(ms));
        let times = [0, 951_782_400_000, 951_868_800_000, 1_796_025_600_123, 4_107_542_399_999];
        assert_eq!(
            times.map(told),
            [
                "1970-01-01T00:00:00.000Z",
                "2000-02-29T00:00:00.000Z",
                "2000-03-01T00:00:00.000Z",
                "2026-11-30T08:00:00.123Z",
                "2100-02-28T23:59:59.999Z"
            ]
        );
    }

    #[test]
    fn a_fact_is_one_short_line() {
        let cut = format!("{}…", "x".repeat(MAX_FACT_CHARS));
        let facts = ["a\nb\r\tc\0d\u{1b}[1m", &"x".repeat(500)].map(in_one_line);
        assert_eq!(facts, ["a b  cd[1m".to_owned(), cut]);
    }
}
