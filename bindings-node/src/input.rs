//! Converts JavaScript arguments for the core. The TypeScript layer has checked types;
//! ranges are checked here and in the core.

use std::time::Duration;

use napi::Either;
use recallite::scope::ProjectScope;
use recallite::{Error, EventRef, Result, Seq, Timestamp};

use crate::output::MAX_SAFE_INTEGER;

/// A time: milliseconds since 1970, or RFC 3339 text.
pub type Time = Either<f64, String>;

/// The name of an event: its position in the log, an id or a citation.
pub type Name = Either<f64, String>;

/// A non-negative integer.
pub fn count(argument: &str, value: f64) -> Result<u64> {
    if value.fract() != 0.0 || !(0.0..=MAX_SAFE_INTEGER as f64).contains(&value) {
        return Err(Error::invalid(
            argument,
            format_args!("{value} is not a whole number from 0 to 2^53 - 1"),
        ));
    }
    Ok(value as u64)
}

/// A count of things in memory.
pub fn size(argument: &str, value: f64) -> Result<usize> {
    count(argument, value).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
}

/// An integer that may be negative.
pub fn signed(argument: &str, value: f64) -> Result<i64> {
    if value.fract() != 0.0 || value.abs() > MAX_SAFE_INTEGER as f64 {
        return Err(Error::invalid(
            argument,
            format_args!("{value} is not a whole number from -(2^53 - 1) to 2^53 - 1"),
        ));
    }
    Ok(value as i64)
}

/// An index that a model may have made up: -1, which names nothing, for a number that is none.
pub fn made_up_index(value: f64) -> i64 {
    signed("", value).unwrap_or(-1)
}

/// A duration in milliseconds.
pub fn duration(argument: &str, value: f64) -> Result<Duration> {
    count(argument, value).map(Duration::from_millis)
}

pub fn position(argument: &str, value: f64) -> Result<Seq> {
    count(argument, value).map(Seq)
}

/// A 32-bit non-negative integer.
pub fn small(argument: &str, value: f64) -> Result<u32> {
    u32::try_from(count(argument, value)?)
        .map_err(|_| Error::invalid(argument, format_args!("{value} is more than 2^32 - 1")))
}

/// An optional value.
pub fn optional<T, U>(
    argument: &str,
    value: Option<T>,
    convert: impl FnOnce(&str, T) -> Result<U>,
) -> Result<Option<U>> {
    value.map(|value| convert(argument, value)).transpose()
}

/// A time, named as the caller wrote it.
pub fn time(argument: &str, value: Time) -> Result<Timestamp> {
    let time = match value {
        Either::A(ms) if ms.fract() != 0.0 || ms.abs() > MAX_SAFE_INTEGER as f64 => {
            return Err(Error::invalid(
                argument,
                format_args!("{ms} is not a whole number of milliseconds"),
            ));
        }
        Either::A(ms) => Timestamp::from_millis(ms as i64),
        Either::B(text) => text.parse(),
    };
    time.map_err(|error: Error| error.about(argument))
}

/// An event's name.
pub fn name(argument: &str, value: Name) -> Result<EventRef> {
    match value {
        Either::A(seq) => count(argument, seq).map(|seq| EventRef::Seq(Seq(seq))),
        Either::B(text) => text.parse().map_err(|error: Error| error.about(argument)),
    }
}

/// The projects to read.
pub fn scope(project: Option<String>, all_projects: Option<bool>) -> Result<ProjectScope> {
    match (project, all_projects.unwrap_or(false)) {
        (Some(_), true) => Err(Error::invalid(
            "project",
            "pass either project or allProjects, not both",
        )),
        (Some(name), false) => Ok(ProjectScope::Named(name)),
        (None, true) => Ok(ProjectScope::All),
        (None, false) => Ok(ProjectScope::Own),
    }
}

/// Like [`scope`], for an option.
pub fn replace_scope(
    project: Option<String>,
    all_projects: Option<bool>,
    to: &mut ProjectScope,
) -> Result<()> {
    *to = scope(project, all_projects)?;
    Ok(())
}
