//! Sessions as callers see and change them.

use super::time::Timestamp;

/// One conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// Its name, as events carry it.
    pub id: String,
    /// The project of its first event; empty for none.
    pub project: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended, when it was ended.
    pub ended: Option<Timestamp>,
    /// The time of its newest conversation event.
    pub last_event: Timestamp,
    /// Its summary, when it was given one.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Conversation events that it holds.
    pub events: u64,
    /// Prompts among them.
    pub prompts: u64,
    /// Responses among them.
    pub responses: u64,
    /// Tool observations among them.
    pub tools: u64,
}

/// A change of a session; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionUpdate {
    /// The project it belongs to.
    pub project: Option<String>,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Its summary; passes the privacy filter.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
}
