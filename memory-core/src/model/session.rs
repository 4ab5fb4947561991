//! Sessions, and how callers change them.

use super::setters::setters;
use super::time::Timestamp;

/// One conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The name of the session, as in its events.
    pub id: String,
    /// The project of its first event, or the one that it was given; empty if there is none.
    pub project: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` if it has not been ended. A session that continued has a later
    /// `last_event`.
    pub ended: Option<Timestamp>,
    /// The time of its newest conversation event.
    pub last_event: Timestamp,
    /// Its summary, if it has one.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The number of conversation events in it, whatever the project of each.
    pub events: u64,
    /// The number of prompts among them.
    pub prompts: u64,
    /// The number of responses among them.
    pub responses: u64,
    /// The number of tool observations among them.
    pub tools: u64,
}

/// The name shown for a session of the endless mode.
pub const ENDLESS_SESSION: &str = "endless";

/// The name to show for a session: that of the endless mode for each of its days.
pub(crate) fn outside_name(session: &str) -> &str {
    let is_day = session
        .strip_prefix(ENDLESS_SESSION)
        .and_then(|rest| rest.strip_prefix('_'))
        .is_some_and(|day| day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok());
    if is_day { ENDLESS_SESSION } else { session }
}

/// A change to a session. Fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionUpdate {
    /// The project it belongs to: in lists of sessions, for what is learned from it, for pauses,
    /// and for what a selector covers. Each event keeps its own project, by which it is found.
    pub project: Option<String>,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Its summary, which passes through the privacy filter.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
}

impl SessionUpdate {
    setters! {
        /// Sets the project.
        project: some text;
        /// Sets when it began.
        started: some Timestamp;
        /// Sets when it ended.
        ended: some Timestamp;
        /// Sets its summary.
        summary: some text;
        /// Sets its tags.
        tags: some texts;
    }
}
