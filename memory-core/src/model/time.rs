//! A moment in time, in milliseconds since 1970 UTC, and its RFC 3339 text form.

use std::fmt;
use std::str::FromStr;

use super::error::{Error, Result};
use super::shorten::quoted;

/// A moment in time, in milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Events can have times from year 1 to year 9999.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// What is wrong with a time that is none of an event's.
pub(crate) const OUTSIDE: &str = "is outside 0001-01-01 to 9999-12-30T00:00:00Z";

/// The last date that lies before [`Timestamp::MAX`] as a whole.
const LAST_DATE: jiff::civil::Date = jiff::civil::date(9999, 12, 29);

impl Timestamp {
    /// The earliest accepted time, 0001-01-01T00:00:00Z.
    pub const MIN: Timestamp = Timestamp(-62_135_596_800_000);
    /// The latest accepted time, 9999-12-30T00:00:00Z.
    pub const MAX: Timestamp = Timestamp(253_402_128_000_000);

    /// Creates a timestamp from milliseconds since 1970; negative numbers lie before it.
    ///
    /// # Errors
    /// `invalid_argument` when the time is outside [`Timestamp::MIN`] to [`Timestamp::MAX`].
    pub fn from_millis(millis: i64) -> Result<Self> {
        let time = Timestamp(millis);
        if time < Timestamp::MIN || time > Timestamp::MAX {
            return Err(Error::invalid(
                "timestamp",
                format_args!("{millis} ms {OUTSIDE}"),
            ));
        }
        Ok(time)
    }

    /// Like [`Timestamp::from_millis`], but an unaccepted time is moved to the nearest
    /// accepted one.
    pub fn from_millis_clamped(millis: i64) -> Self {
        Timestamp(millis.clamp(Timestamp::MIN.0, Timestamp::MAX.0))
    }

    /// Returns the milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Returns the date in UTC, as `YYYY-MM-DD`.
    pub fn date_utc(self) -> String {
        self.civil().date().to_string()
    }

    /// Returns the time of day in UTC, as `HH:MM`.
    pub fn time_utc(self) -> String {
        let time = self.civil().time();
        format!("{:02}:{:02}", time.hour(), time.minute())
    }

    /// Returns the year, month (1 to 12) and day (1 to 31) in UTC.
    pub fn ymd_utc(self) -> (i16, i8, i8) {
        let date = self.civil().date();
        (date.year(), date.month(), date.day())
    }

    /// Why a text is no time, without quoting it.
    pub(crate) fn problem(text: &str) -> &'static str {
        let date = text.get(.."2026-01-30".len());
        let date = date.and_then(|date| date.parse().ok());
        let is_outside = |date: &jiff::civil::Date| date.year() < 1 || *date > LAST_DATE;
        match date.filter(is_outside) {
            Some(_) => OUTSIDE,
            None => "is not an RFC 3339 time or a date",
        }
    }

    fn civil(self) -> jiff::civil::DateTime {
        jiff::tz::Offset::UTC.to_datetime(
            jiff::Timestamp::from_millisecond(self.0)
                .expect("Timestamp keeps within years 1 to 9999"),
        )
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds, for example `2026-01-30T14:05:00.000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.civil();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }
}

impl FromStr for Timestamp {
    type Err = Error;

    /// Accepts RFC 3339 (`2026-01-30T14:05:00Z`) and a bare date (`2026-01-30`,
    /// the start of that day in UTC). A time of day needs an offset or `Z`.
    fn from_str(text: &str) -> Result<Self> {
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Timestamp::from_millis(at.as_millisecond());
        }
        // The parser of dates takes them out of anything that contains one.
        let date = Some(text).filter(|text| text.len() == "2026-01-30".len());
        date.and_then(|date| date.parse::<jiff::civil::Date>().ok())
            .and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok())
            .and_then(|at| Timestamp::from_millis(at.timestamp().as_millisecond()).ok())
            .ok_or_else(|| match Timestamp::problem(text) {
                OUTSIDE => Error::invalid("timestamp", format_args!("{} {OUTSIDE}", quoted(text))),
                _ => Error::invalid(
                    "timestamp",
                    format_args!(
                        "{} is not an RFC 3339 time with an offset, such as \
                         2026-01-30T14:05:00Z, or a date",
                        quoted(text)
                    ),
                ),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_time_can_be_shown_and_read_back() {
        for time in [Timestamp::MIN, Timestamp::MAX, Timestamp::default()] {
            assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
            assert!(!time.date_utc().is_empty() && !time.time_utc().is_empty());
        }
        assert!(Timestamp::from_millis(Timestamp::MAX.millis() + 1).is_err());
        for outside in [
            "9999-12-31",
            "9999-12-31T23:59:59Z",
            "9999-12-30T09:00:00+01:00",
            "0000-12-31",
        ] {
            let error = outside.parse::<Timestamp>().unwrap_err();
            assert!(error.message().ends_with(OUTSIDE), "{error}");
        }
        // Nobody knows which moment this is.
        for text in [
            "2026-01-30T14:05:00",
            "2026-01-30 14:05",
            "2026-01-30T",
            "2026-W05-5",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert_eq!(
            "2026-01-30".parse::<Timestamp>().unwrap().date_utc(),
            "2026-01-30"
        );
    }
}
