//! Computes days, weeks, months and years relative to the moment of a question.

use std::cell::OnceCell;

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};

use super::dates::NamedDate;
use super::span::TimeSpan;
use crate::model::time::Timestamp;
use crate::model::zone::Zone;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// The maximum number of years back: nobody remembers further.
const MAX_YEARS: i64 = 200;

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
    /// Includes the first hours of the next day.
    Night,
}

/// The moment of a question and its day, in the user's time zone.
pub(super) struct Calendar<'z> {
    now: Timestamp,
    zone: &'z Zone,
    /// Computed on demand: most questions name no time.
    today: OnceCell<Date>,
}

impl<'z> Calendar<'z> {
    pub(super) fn at(now: Timestamp, zone: &'z Zone) -> Self {
        Calendar {
            now,
            zone,
            today: OnceCell::new(),
        }
    }

    fn today(&self) -> Date {
        *self.today.get_or_init(|| self.zone.date_of(self.now))
    }

    fn year(&self) -> i64 {
        self.today().year().into()
    }

    /// From one local time until before another.
    fn span(&self, from: DateTime, until: DateTime) -> TimeSpan {
        TimeSpan {
            from: self.zone.moment_of(from),
            until: self.zone.moment_of(until),
        }
    }

    /// From this many milliseconds before now until before a later moment.
    fn before_now(&self, from_ms: i64, until_ms: i64) -> TimeSpan {
        let moment = |ms| Timestamp::from_millis_clamped(self.now.millis() - ms);
        TimeSpan {
            from: moment(from_ms),
            until: moment(until_ms),
        }
    }

    /// The start of the day this many days ago.
    fn start_of(&self, days_ago: i64) -> DateTime {
        midnight(self.today().saturating_sub(days_ago.days()))
    }

    /// From the day `first` days ago until before the one `end` days ago; 0 is today.
    pub(super) fn days(&self, first: i64, end: i64) -> TimeSpan {
        self.span(self.start_of(first), self.start_of(end))
    }

    /// The whole day, this many days ago.
    pub(super) fn day(&self, ago: i64) -> TimeSpan {
        self.days(ago, ago - 1)
    }

    /// A part of the day this many days ago.
    pub(super) fn part(&self, ago: i64, part: Part) -> TimeSpan {
        let hour = |hour: i64| self.start_of(ago).saturating_add(hour.hours());
        let (first, end) = match part {
            Part::Morning => (0, 12),
            Part::Afternoon => (12, 18),
            Part::Evening => (17, 24),
            Part::Night => (18, 30),
        };
        self.span(hour(first), hour(end))
    }

    /// How many days ago the last Monday was, today included.
    fn since_monday(&self) -> i64 {
        self.today().weekday().to_monday_zero_offset().into()
    }

    /// How many days ago a weekday last was; 0 is Monday. `before_today` excludes today.
    pub(super) fn weekday(&self, weekday: i64, before_today: bool) -> i64 {
        let ago = (self.since_monday() - weekday).rem_euclid(7);
        match ago {
            0 if before_today => 7,
            ago => ago,
        }
    }

    /// How many days ago a weekday of the week `weeks_ago` was; negative if it is still to
    /// come.
    pub(super) fn weekday_of_week(&self, weekday: i64, weeks_ago: i64) -> i64 {
        self.since_monday() - weekday + 7 * weeks_ago
    }

    /// Saturday and Sunday of the week this many weeks ago.
    pub(super) fn weekend(&self, weeks_ago: i64) -> TimeSpan {
        let saturday = self.weekday_of_week(5, weeks_ago);
        self.days(saturday, saturday - 2)
    }

    /// A whole calendar day, week, month or year, this many units ago.
    pub(super) fn whole(&self, unit: Unit, ago: i64) -> TimeSpan {
        match unit {
            Unit::Minute | Unit::Hour => self.ago(unit, ago),
            Unit::Day => self.day(ago),
            Unit::Week => {
                let monday = self.since_monday() + 7 * ago;
                self.days(monday, monday - 7)
            }
            Unit::Month => {
                let months = ago.min(12 * MAX_YEARS).months();
                self.month_of(self.today().first_of_month().saturating_sub(months))
            }
            Unit::Year => {
                let years = ago.min(MAX_YEARS).years();
                self.year_of(self.today().first_of_year().saturating_sub(years))
            }
        }
    }

    /// The year that a span is, if it is one of the last few.
    pub(super) fn year_named_by(&self, span: &TimeSpan) -> Option<i16> {
        const LAST_YEARS: i64 = 4;
        let ago = (0..LAST_YEARS).find(|ago| self.whole(Unit::Year, *ago) == *span)?;
        i16::try_from(self.year() - ago).ok()
    }

    /// What people mean by this many units ago: "two weeks ago" may be off by some days.
    pub(super) fn ago(&self, unit: Unit, count: i64) -> TimeSpan {
        let around =
            |ago_ms: i64, slack_ms: i64| self.before_now(ago_ms + slack_ms, ago_ms - slack_ms);
        match unit {
            Unit::Minute => around(count * MINUTE_MS, (count * MINUTE_MS / 2).max(MINUTE_MS)),
            Unit::Hour => around(count * HOUR_MS, HOUR_MS / 2),
            Unit::Week => self.days(7 * count + 3, 7 * count - 4),
            Unit::Day | Unit::Month | Unit::Year => self.whole(unit, count),
        }
    }

    /// The last `count` units until now.
    pub(super) fn last(&self, unit: Unit, count: i64) -> TimeSpan {
        let days = match unit {
            Unit::Minute => return self.before_now(count * MINUTE_MS, -1),
            Unit::Hour => return self.before_now(count * HOUR_MS, -1),
            Unit::Day => count,
            Unit::Week => 7 * count,
            Unit::Month => 31 * count,
            Unit::Year => 366 * count.min(MAX_YEARS),
        };
        self.days(days, -1)
    }

    /// From the start of a span until now.
    pub(super) fn since(&self, span: TimeSpan) -> TimeSpan {
        TimeSpan {
            from: span.from,
            until: self.before_now(0, -1).until,
        }
    }

    /// The time that a date names; `None` if the day does not exist or the date is
    /// incomplete.
    pub(super) fn date(&self, date: &NamedDate) -> Option<TimeSpan> {
        let span_of = |year: i64| -> Option<TimeSpan> {
            let first = Date::new(year.try_into().ok()?, date.month.unwrap_or(1), 1).ok()?;
            match (date.month, date.day) {
                (None, _) => Some(self.year_of(first)),
                (Some(_), None) => Some(self.month_of(first)),
                (Some(month), Some(day)) => {
                    let day = Date::new(first.year(), month, day).ok()?;
                    Some(self.span(midnight(day), midnight(day.saturating_add(1.day()))))
                }
            }
        };
        if let Some(year) = date.year {
            return span_of(year.into());
        }
        date.month?;
        // The previous leap day is at most eight years back.
        let past = (0..9).filter_map(|back| span_of(self.year() - back));
        past.into_iter().find(|span| span.from <= self.now)
    }

    fn month_of(&self, first: Date) -> TimeSpan {
        self.span(midnight(first), midnight(first.saturating_add(1.month())))
    }

    fn year_of(&self, first: Date) -> TimeSpan {
        self.span(midnight(first), midnight(first.saturating_add(1.year())))
    }
}

fn midnight(date: Date) -> DateTime {
    date.to_datetime(Time::midnight())
}
