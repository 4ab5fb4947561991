//! What the host knows about an extraction, and who read the messages.

use crate::model::ids::EventId;
use crate::model::setters::setters;
use crate::projection::history::{BY_RULES, Report};

/// What the host knows about an extraction.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct IngestOptions {
    /// The language model that made the extraction.
    pub extractor_model: String,
    /// The prompt that the model was given, or its hash. Only a hash is stored.
    pub extractor_prompt: String,
    /// How long the extraction took, in milliseconds.
    pub extraction_ms: Option<f64>,
    /// The project of the entries and tasks. Default: the project of the `messages` if they share
    /// one and the session was not assigned another; otherwise the session's, otherwise the
    /// memory's.
    pub project: Option<String>,
    /// The ids of the messages that the model was given, in the order in which it numbered
    /// them. They count as read, and remain correct even if other messages of the session
    /// have been erased in the meantime. Default: those of
    /// [`Knowledge::session_messages`](crate::Knowledge::session_messages); of these, the
    /// messages that the extraction quotes, and all messages before them, count as read.
    pub messages: Vec<EventId>,
    /// The messages that say that something is over, by the rules.
    pub(crate) reports: Vec<Report>,
}

impl IngestOptions {
    setters! {
        /// Sets the language model that made the extraction.
        extractor_model: text;
        /// Sets the prompt that the model was given, or its hash.
        extractor_prompt: text;
        /// Sets how long the extraction took, in milliseconds.
        extraction_ms: some f64;
        /// Sets the project of the entries and tasks.
        project: some text;
        /// Sets the ids of the messages that the model was given.
        messages: list of EventId;
    }
}

/// What stands in the place of a model in the runs of entries that a person or a program adds.
pub(super) const BY_HAND: &str = "by hand";

/// Who read the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A model of the host.
    Model,
    /// The library's rules, which read this range of the log.
    Rules { after: u64, to: u64 },
    /// The library's rules, which read a message again because of what became known by this
    /// position.
    Again { known: u64 },
    /// Nobody: the caller asserts it.
    Caller,
}

impl Reader {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Reader::Model => "model",
            Reader::Rules { .. } | Reader::Again { .. } => BY_RULES,
            Reader::Caller => "caller",
        }
    }
}
