//! The time zone in which people count their days.

use jiff::civil::{Date, DateTime};
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;

use super::error::{Error, Result};
use super::shorten::quoted;
use super::time::Timestamp;

/// The machine's time zone, looked up each time, or a named one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Zone(Option<TimeZone>);

impl Zone {
    /// A zone by its IANA name (`Asia/Seoul`, `UTC`) or as an offset (`+09:00`).
    ///
    /// # Errors
    /// `invalid_argument` naming `time_zone`.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let zone = DateTimeParser::new().parse_time_zone(name).ok();
        // Neither a rule as POSIX has it, where `UTC+9` lies west of UTC, nor an offset of days.
        let is_known = |zone: &TimeZone| match zone.to_fixed_offset() {
            Ok(offset) => offset.seconds().abs() < 86_400,
            Err(_) => zone.iana_name().is_some(),
        };
        match zone.filter(is_known) {
            Some(zone) => Ok(Zone(Some(zone))),
            None => Err(Error::invalid(
                "time_zone",
                format_args!(
                    "{} is not a known time zone; use a name such as \"Asia/Seoul\" or an \
                     offset such as \"+09:00\"",
                    quoted(name)
                ),
            )),
        }
    }

    /// A snapshot of the zone, for repeated use.
    pub(crate) fn as_it_is(&self) -> Self {
        Zone(Some(self.zone()))
    }

    fn zone(&self) -> TimeZone {
        self.0.clone().unwrap_or_else(system)
    }

    /// The local date of a moment.
    pub(crate) fn date_of(&self, at: Timestamp) -> Date {
        self.zone().to_datetime(instant(at)).date()
    }

    /// The moment of a local time. A time that occurs twice means the first; one that is
    /// skipped is shifted by the gap.
    pub(crate) fn moment_of(&self, at: DateTime) -> Timestamp {
        let moment = self.zone().to_ambiguous_timestamp(at).compatible();
        // Only reached for years in which no event can lie.
        let nearest = if at.year() > 0 { i64::MAX } else { i64::MIN };
        Timestamp::from_millis_clamped(moment.map_or(nearest, |at| at.as_millisecond()))
    }

    /// The offset from UTC at a moment, in seconds.
    pub(crate) fn offset_seconds(&self, at: Timestamp) -> i32 {
        self.zone().to_offset(instant(at)).seconds()
    }
}

#[cfg(not(unix))]
fn system() -> TimeZone {
    TimeZone::system()
}

/// The machine's time zone. The file that describes it is read here, because jiff's own cache has
/// locks, which a child process waits for in vain if another thread held one when it was forked.
#[cfg(unix)]
fn system() -> TimeZone {
    let name = std::env::var_os("TZ");
    zone_of_file(name.as_deref()).unwrap_or_else(TimeZone::system)
}

/// The zone that the value of the variable `TZ` names by a file; `None` for any other value.
#[cfg(unix)]
fn zone_of_file(name: Option<&std::ffi::OsStr>) -> Option<TimeZone> {
    use std::path::Path;

    let file = match name {
        None => Path::new("/etc/localtime").to_owned(),
        Some(name) => {
            let name = name.to_str()?;
            let name = name.strip_prefix(':').unwrap_or(name);
            if name.is_empty() {
                return Some(TimeZone::UTC);
            }
            // A name that is an absolute path stays one.
            Path::new("/usr/share/zoneinfo").join(name)
        }
    };
    let is_small = |found: std::fs::Metadata| found.is_file() && found.len() < 1 << 20;
    std::fs::metadata(&file).is_ok_and(is_small).then_some(())?;
    TimeZone::tzif("Local", &std::fs::read(&file).ok()?).ok()
}

fn instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.millis()).expect("events are of the years 1 to 9999")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_named_or_an_offset() {
        let at: Timestamp = "2026-07-01T16:30:00Z".parse().unwrap();
        for (name, date, ahead) in [
            ("UTC", "2026-07-01", 0),
            ("Asia/Seoul", "2026-07-02", 9 * 3600),
            ("America/New_York", "2026-07-01", -4 * 3600),
            ("+05:30", "2026-07-01", 19_800),
            ("-0800", "2026-07-01", -8 * 3600),
        ] {
            let zone = Zone::named(name).unwrap();
            assert_eq!(zone.date_of(at).to_string(), date, "{name}");
            assert_eq!(zone.offset_seconds(at), ahead, "{name}");
        }
        for name in [
            "",
            "Asia/Nowhere",
            "+99:00",
            "+24:00",
            "../etc/passwd",
            "seoul time",
            "UTC+9",
            "GMT+09:00",
            "KST-9",
            "EST5EDT,M3.2.0,M11.1.0",
        ] {
            let error = Zone::named(name).unwrap_err();
            assert_eq!(error.argument(), Some("time_zone"), "{name}");
        }
    }

    /// Where the system has no such files, jiff answers.
    #[cfg(unix)]
    #[test]
    fn the_systems_zone_is_what_its_file_says() {
        let zone = |name: &str| zone_of_file(Some(name.as_ref()));
        let at: Timestamp = "2026-07-01T16:30:00Z".parse().unwrap();
        for name in ["Asia/Seoul", ":America/New_York", "Europe/Berlin"] {
            if let Some(found) = zone(name) {
                let named = Zone::named(name.trim_start_matches(':')).unwrap();
                let found = Zone(Some(found));
                assert_eq!(found.offset_seconds(at), named.offset_seconds(at), "{name}");
            }
        }
        assert_eq!(zone(""), Some(TimeZone::UTC));
        for other in [
            "CET-1CEST",
            "Asia/Nowhere",
            "/dev/null",
            ".",
            "../../../etc/passwd",
        ] {
            assert_eq!(zone(other), None, "{other}");
        }
        assert_eq!(Zone::default().offset_seconds(at), {
            let offset = TimeZone::system().to_offset(instant(at));
            offset.seconds()
        });
    }

    #[test]
    fn a_clock_that_is_changed_leaves_out_an_hour_and_passes_another_twice() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let moment = |text: &str| zone.moment_of(text.parse().unwrap()).to_string();
        assert_eq!(moment("2026-03-29T02:30"), "2026-03-29T01:30:00.000Z");
        assert_eq!(moment("2026-10-25T02:30"), "2026-10-25T00:30:00.000Z");
    }

    #[test]
    fn every_moment_has_a_day_in_every_zone() {
        for name in ["-23:59", "+23:59", "Pacific/Kiritimati"] {
            let zone = Zone::named(name).unwrap();
            for at in [Timestamp::MIN, Timestamp::MAX] {
                let start = zone.moment_of(zone.date_of(at).at(0, 0, 0, 0));
                assert!((start.millis() - at.millis()).abs() <= 86_400_000);
            }
            assert_eq!(zone.moment_of(DateTime::MIN), Timestamp::MIN);
            assert_eq!(zone.moment_of(DateTime::MAX), Timestamp::MAX);
        }
    }
}
