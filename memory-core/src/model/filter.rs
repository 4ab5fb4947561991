//! Filters that select events.

use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::project::ProjectScope;
use crate::model::read::words;
use crate::model::time::Timestamp;

/// The maximum number of tools in one filter.
pub const MAX_FILTER_TOOLS: usize = 64;

/// The maximum length of a tool's name, and of a part of a path, in a filter, in bytes.
/// Nothing stored has a longer one.
pub const MAX_FILTER_BYTES: usize = 1_024;

words! {
    /// How a tool call ended.
    ToolOutcome ("tool_outcome") {
        /// The call succeeded.
        Succeeded = "succeeded",
        /// The call returned an error.
        Failed = "failed",
    }
}

impl ToolOutcome {
    /// The outcome of a finished call.
    pub(crate) fn of(success: bool) -> Self {
        match success {
            true => ToolOutcome::Succeeded,
            false => ToolOutcome::Failed,
        }
    }
}

/// Refuses tool names and path fragments that cannot match anything.
///
/// # Errors
/// `invalid_argument`, naming `tools`, one of them, or `file_contains`.
pub(crate) fn check_calls(tools: &[String], file_contains: Option<&str>) -> Result<()> {
    if tools.len() > MAX_FILTER_TOOLS {
        return Err(Error::invalid(
            "tools",
            format_args!("has {} items; the limit is {MAX_FILTER_TOOLS}", tools.len()),
        ));
    }
    let tools = tools.iter().enumerate();
    let tools = tools.map(|(place, tool)| (format!("tools[{place}]"), tool.as_str()));
    let file = file_contains.map(|part| ("file_contains".to_owned(), part));
    for (argument, name) in tools.chain(file) {
        match name.len() {
            1..=MAX_FILTER_BYTES => {}
            0 => return Err(Error::invalid(argument, "must not be empty")),
            bytes => {
                return Err(Error::invalid(
                    argument,
                    format_args!("has {bytes} bytes; the limit is {MAX_FILTER_BYTES}"),
                ));
            }
        }
    }
    Ok(())
}

/// Defines the setters shared by everything that filters events: session, project, kind, time
/// and tool calls.
macro_rules! narrowed_by {
    () => {
        /// Keeps only events of this session.
        #[must_use]
        pub fn session(mut self, session: impl Into<String>) -> Self {
            self.session = Some(session.into());
            self
        }

        /// Keeps only events of these projects.
        #[must_use]
        pub fn project(mut self, project: ProjectScope) -> Self {
            self.project = project;
            self
        }

        /// Keeps only events of these kinds.
        #[must_use]
        pub fn kinds(mut self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
            self.kinds = kinds.into_iter().collect();
            self
        }

        /// Keeps only events at or after this time.
        #[must_use]
        pub fn from(mut self, from: Timestamp) -> Self {
            self.from = Some(from);
            self
        }

        /// Keeps only events before this time (exclusive).
        #[must_use]
        pub fn until(mut self, until: Timestamp) -> Self {
            self.until = Some(until);
            self
        }

        /// Keeps only calls of these tools.
        #[must_use]
        pub fn tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.tools = tools.into_iter().map(Into::into).collect();
            self
        }

        /// Keeps only tool calls on a file whose path contains this text.
        #[must_use]
        pub fn file_contains(mut self, part: impl Into<String>) -> Self {
            self.file_contains = Some(part.into());
            self
        }

        /// Keeps only tool calls with this outcome.
        #[must_use]
        pub fn tool_outcome(mut self, outcome: ToolOutcome) -> Self {
            self.tool_outcome = Some(outcome);
            self
        }

        /// The maximum number of items to return.
        #[must_use]
        pub fn limit(mut self, limit: usize) -> Self {
            self.limit = Some(limit);
            self
        }
    };
}

pub(crate) use narrowed_by;

/// Selects the events that [`Memory::events`](crate::Memory::events) returns. The default
/// is every conversation event of the memory's project, oldest first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EventFilter {
    /// Keeps only events of this session.
    pub session: Option<String>,
    /// Keeps only events of these projects.
    pub project: ProjectScope,
    /// Keeps only events of these kinds; empty means the four conversation kinds.
    pub kinds: Vec<EventKind>,
    /// Keeps only events at or after this time.
    pub from: Option<Timestamp>,
    /// Keeps only events before this time (exclusive).
    pub until: Option<Timestamp>,
    /// Keeps only calls of these tools, at most [`MAX_FILTER_TOOLS`]; empty means any
    /// event.
    pub tools: Vec<String>,
    /// Keeps only tool calls on a file whose path contains this text, 1 to
    /// [`MAX_FILTER_BYTES`] bytes.
    pub file_contains: Option<String>,
    /// Keeps only tool calls with this outcome.
    pub tool_outcome: Option<ToolOutcome>,
    /// Keeps only user prompts that repeat this text, ignoring letter case, punctuation
    /// and whitespace: those with the same
    /// [`canonical_key`](crate::text::keys::canonical_key).
    pub repeats: Option<String>,
    /// Whether to return the newest events first, instead of the oldest.
    pub newest_first: bool,
    /// The maximum number of events to return.
    pub limit: Option<usize>,
    /// The number of matching events to skip before the first one that is returned. Each costs
    /// a row of an index; to page through many events, [`EventFilter::from`] or
    /// [`EventFilter::until`] is faster.
    pub offset: usize,
}

impl EventFilter {
    /// Creates a filter with default settings.
    pub fn new() -> Self {
        EventFilter::default()
    }

    narrowed_by!();

    /// Keeps only user prompts that repeat a text.
    #[must_use]
    pub fn repeats(mut self, text: impl Into<String>) -> Self {
        self.repeats = Some(text.into());
        self
    }

    /// Skips this many matching events.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Orders events from newest to oldest.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.newest_first = true;
        self
    }
}
