//! Formats and parses times.

use recallite::Timestamp;
use recallite::clock::{Clock as _, SystemClock};

/// A moment in local time, to the minute.
pub(crate) fn local(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.millis()).map_or_else(
        |_| at.to_string(),
        |moment| {
            let zoned = moment.to_zoned(jiff::tz::TimeZone::system());
            zoned.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}

/// Now, by the machine's clock, within the years that can be written: a clock without a battery may
/// say anything.
pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

/// The last day that a time can have: the next one may be in the year 10000 elsewhere.
const LATEST: &str = "9999-12-30";

/// Parses a moment: RFC 3339, a date (the start of that day in local time), or how long ago: `30m`,
/// `12h`, `7d`, `2w`.
pub(crate) fn moment(text: &str) -> Result<Timestamp, String> {
    // The parser of dates takes them out of anything that contains one.
    if text.len() == "2026-01-30".len()
        && let Ok(date) = text.parse::<jiff::civil::Date>()
        && let Ok(zoned) = date.to_zoned(jiff::tz::TimeZone::system())
    {
        return Ok(Timestamp::from_millis_clamped(
            zoned.timestamp().as_millisecond(),
        ));
    }
    moment_utc(text)
}

/// Parses a moment as [`moment`] does, but a date is the start of that day in UTC, as in the
/// library: what a date removes does not depend on the machine.
pub(crate) fn moment_utc(text: &str) -> Result<Timestamp, String> {
    if let Some(ago) = ago_ms(text) {
        return Ok(Timestamp::from_millis_clamped(
            now().millis().saturating_sub(ago),
        ));
    }
    text.parse().map_err(|_| match is_too_late(text) {
        true => format!("the latest time is {LATEST}"),
        false => "not a valid time; use 2026-01-30, 2026-01-30T14:05:00Z, or a time ago such as \
                  30m, 12h, 7d or 2w"
            .to_owned(),
    })
}

/// Whether a text is a date or a time after the last one.
fn is_too_late(text: &str) -> bool {
    let day = text
        .get(..10)
        .and_then(|day| day.parse::<jiff::civil::Date>().ok());
    let is_whole = text.len() == 10
        || text
            .get(..19)
            .is_some_and(|time| time.parse::<jiff::civil::DateTime>().is_ok());
    is_whole && day.is_some_and(|day| day.to_string().as_str() >= LATEST)
}

fn ago_ms(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
    let minutes: i64 = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return None,
    };
    (number >= 0).then(|| number.saturating_mul(minutes * 60_000))
}

/// Parses a duration.
pub(crate) fn duration_ms(text: &str) -> Result<u64, String> {
    let plain = text.strip_suffix("ms").map(str::parse::<u64>);
    let seconds = text.strip_suffix('s').map(str::parse::<u64>);
    match (plain, seconds) {
        (Some(Ok(ms)), _) => Ok(ms),
        (_, Some(Ok(seconds))) => Ok(seconds.saturating_mul(1_000)),
        _ => ago_ms(text)
            .and_then(|ms| u64::try_from(ms).ok())
            .ok_or_else(|| "not a valid duration; use for example 500ms, 30s, 5m or 1h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        let before = now().millis();
        let then = moment("2h").unwrap().millis() + 7_200_000;
        assert!((before..=now().millis()).contains(&then));
        assert_eq!(
            moment("2026-01-30T14:05:00Z").unwrap().to_string(),
            "2026-01-30T14:05:00.000Z"
        );
        assert!(moment("2026-01-30").is_ok());
        assert_eq!(
            moment_utc("2026-01-30").unwrap().to_string(),
            "2026-01-30T00:00:00.000Z"
        );
        assert!(moment_utc(LATEST).is_ok());
        for wrong in ["9999-12-3x", "9999-12-30T25:00:00Z"] {
            assert!(!moment_utc(wrong).unwrap_err().contains(LATEST), "{wrong}");
        }
        for late in ["9999-12-31", "9999-12-31T00:00:00Z"] {
            assert!(moment_utc(late).unwrap_err().contains(LATEST), "{late}");
        }
        for wrong in ["", "h", "-1d", "7", "7y", "yesterday", "한"] {
            assert!(
                moment(wrong).is_err() && moment_utc(wrong).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn lengths_are_read_as_people_type_them() {
        assert_eq!(duration_ms("500ms").unwrap(), 500);
        assert_eq!(duration_ms("30s").unwrap(), 30_000);
        assert_eq!(duration_ms("5m").unwrap(), 300_000);
        assert!(duration_ms("5").is_err());
    }
}
