//! Positions in a log as the server has them.

/// A position as an SQL integer. No log is long enough to overflow it.
pub(crate) fn to_sql(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

pub(crate) fn from_sql(position: i64) -> u64 {
    u64::try_from(position).unwrap_or(0)
}
