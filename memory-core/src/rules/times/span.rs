//! Spans of time, and where a question names them.

use std::ops::Range;

use super::dates::NamedDate;
use crate::model::time::Timestamp;

/// From a moment until before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeSpan {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
}

impl TimeSpan {
    pub(crate) fn contains(&self, at: Timestamp) -> bool {
        (self.from..self.until).contains(&at)
    }
}

/// A time and the range of its words in the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedTime {
    pub(super) place: Range<usize>,
    pub(super) span: TimeSpan,
    /// The date that alone names it.
    pub(super) date: Option<NamedDate>,
}
