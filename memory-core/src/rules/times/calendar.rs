//! Days, weeks, months and years around the moment of a question.

use super::TimeSpan;
use super::dates::NamedDate;
use crate::model::time::Timestamp;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// So many years back at most: nobody remembers further.
const MOST_YEARS: i64 = 200;

/// A unit in which people count back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A part of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    /// Also the first hours of the day after.
    Night,
}

/// The moment of a question and its day.
pub(super) struct Calendar {
    now_ms: i64,
    /// Days since 1970.
    today: i64,
    year: i64,
    /// 1 to 12.
    month: i64,
}

impl Calendar {
    pub(super) fn at(now: Timestamp) -> Self {
        let (year, month, _) = now.ymd_utc();
        Calendar {
            now_ms: now.millis(),
            today: now.millis().div_euclid(DAY_MS),
            year: year.into(),
            month: month.into(),
        }
    }

    fn millis(from: i64, until: i64) -> TimeSpan {
        TimeSpan {
            from: Timestamp::from_millis_clamped(from),
            until: Timestamp::from_millis_clamped(until),
        }
    }

    /// From the day that many days ago until before another one; today is 0.
    pub(super) fn days(&self, first: i64, end: i64) -> TimeSpan {
        Self::millis((self.today - first) * DAY_MS, (self.today - end) * DAY_MS)
    }

    /// The whole day so many days ago.
    pub(super) fn day(&self, ago: i64) -> TimeSpan {
        self.days(ago, ago - 1)
    }

    /// A part of the day so many days ago.
    pub(super) fn part(&self, ago: i64, part: Part) -> TimeSpan {
        let start = (self.today - ago) * DAY_MS;
        let (first, end) = match part {
            Part::Morning => (0, 12),
            Part::Afternoon => (12, 18),
            Part::Evening => (17, 24),
            Part::Night => (18, 30),
        };
        Self::millis(start + first * HOUR_MS, start + end * HOUR_MS)
    }

    /// How many days ago the last Monday was, today included.
    fn since_monday(&self) -> i64 {
        (self.today + 3).rem_euclid(7)
    }

    /// How many days ago the last such day was; 0 is Monday. `before_today` passes over
    /// today.
    pub(super) fn weekday(&self, weekday: i64, before_today: bool) -> i64 {
        let ago = (self.since_monday() - weekday).rem_euclid(7);
        match ago {
            0 if before_today => 7,
            ago => ago,
        }
    }

    /// How many days ago a weekday of the week so many weeks ago was; below 0 when it is
    /// still to come.
    pub(super) fn weekday_of_week(&self, weekday: i64, weeks_ago: i64) -> i64 {
        self.since_monday() - weekday + 7 * weeks_ago
    }

    /// Saturday and Sunday of the week so many weeks ago.
    pub(super) fn weekend(&self, weeks_ago: i64) -> TimeSpan {
        let saturday = self.weekday_of_week(5, weeks_ago);
        self.days(saturday, saturday - 2)
    }

    /// The calendar's unit so many units ago: a whole day, week, month or year.
    pub(super) fn whole(&self, unit: Unit, ago: i64) -> TimeSpan {
        match unit {
            Unit::Minute | Unit::Hour => self.ago(unit, ago),
            Unit::Day => self.day(ago),
            Unit::Week => {
                let monday = self.since_monday() + 7 * ago;
                self.days(monday, monday - 7)
            }
            Unit::Month => {
                let (year, month) = months_before(self.year, self.month, ago);
                Self::month_of(year, month)
            }
            Unit::Year => Self::years(self.year - ago.min(MOST_YEARS)),
        }
    }

    /// What is meant by so many units ago: "two weeks ago" may be some days more or less.
    pub(super) fn ago(&self, unit: Unit, count: i64) -> TimeSpan {
        let around = |distance: i64, slack: i64| {
            Self::millis(
                self.now_ms - distance - slack,
                self.now_ms - distance + slack,
            )
        };
        match unit {
            Unit::Minute => around(count * 60_000, (count * 30_000).max(60_000)),
            Unit::Hour => around(count * HOUR_MS, HOUR_MS / 2),
            Unit::Week => self.days(7 * count + 3, 7 * count - 4),
            Unit::Day | Unit::Month | Unit::Year => self.whole(unit, count),
        }
    }

    /// The last so many units until now.
    pub(super) fn last(&self, unit: Unit, count: i64) -> TimeSpan {
        let days = match unit {
            Unit::Minute => return Self::millis(self.now_ms - count * 60_000, self.now_ms + 1),
            Unit::Hour => return Self::millis(self.now_ms - count * HOUR_MS, self.now_ms + 1),
            Unit::Day => count,
            Unit::Week => 7 * count,
            Unit::Month => 31 * count,
            Unit::Year => 366 * count.min(MOST_YEARS),
        };
        self.days(days, -1)
    }

    /// From the beginning of a time until now.
    pub(super) fn since(&self, span: TimeSpan) -> TimeSpan {
        TimeSpan {
            from: span.from,
            until: Timestamp::from_millis_clamped(self.now_ms + 1),
        }
    }

    /// The time that a date names; `None` for a day that there is not, and for what was
    /// not fully said.
    pub(super) fn date(&self, date: &NamedDate) -> Option<TimeSpan> {
        let (month, day) = (date.month.map(i64::from), date.day.map(i64::from));
        let span_of = |year: i64| -> Option<TimeSpan> {
            match (month, day) {
                (None, _) => Some(Self::years(year)),
                (Some(month), None) => Some(Self::month_of(year, month)),
                (Some(month), Some(day)) => {
                    let (next_year, next_month) = months_before(year, month, -1);
                    let first = days_from_civil(year, month, 1);
                    let length = days_from_civil(next_year, next_month, 1) - first;
                    let start = (first + day - 1) * DAY_MS;
                    (day <= length).then(|| Self::millis(start, start + DAY_MS))
                }
            }
        };
        if let Some(year) = date.year {
            return span_of(year.into());
        }
        month?;
        // A leap day is at most eight years back.
        let past = (0..9).filter_map(|back| span_of(self.year - back));
        past.into_iter()
            .find(|span| span.from.millis() <= self.now_ms)
    }

    fn month_of(year: i64, month: i64) -> TimeSpan {
        let (next_year, next_month) = months_before(year, month, -1);
        Self::millis(
            days_from_civil(year, month, 1) * DAY_MS,
            days_from_civil(next_year, next_month, 1) * DAY_MS,
        )
    }

    fn years(year: i64) -> TimeSpan {
        Self::millis(
            days_from_civil(year, 1, 1) * DAY_MS,
            days_from_civil(year + 1, 1, 1) * DAY_MS,
        )
    }
}

/// The month so many months before another one, 1 to 12, and its year.
fn months_before(year: i64, month: i64, count: i64) -> (i64, i64) {
    let months = year * 12 + (month - 1) - count.clamp(-1, 12 * MOST_YEARS);
    (months.div_euclid(12), months.rem_euclid(12) + 1)
}

/// The days from 1970 to a date of the Gregorian calendar.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}
