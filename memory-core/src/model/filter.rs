//! Which events are wanted.

use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::project::ProjectScope;
use crate::model::read::words;
use crate::model::time::Timestamp;

/// The most tools that one filter names.
pub const MAX_FILTER_TOOLS: usize = 64;

/// The longest name of a tool, and the longest part of a path, that a filter takes,
/// in bytes: longer ones are no names of anything that is stored.
pub const MAX_FILTER_BYTES: usize = 1_024;

words! {
    /// How a call of a tool ended.
    ToolOutcome ("tool_outcome") {
        /// It did what it was asked to.
        Succeeded = "succeeded",
        /// It gave an error.
        Failed = "failed",
    }
}

impl ToolOutcome {
    /// The outcome of a call that succeeded, or did not.
    pub(crate) fn of(success: bool) -> Self {
        match success {
            true => ToolOutcome::Succeeded,
            false => ToolOutcome::Failed,
        }
    }
}

/// Refuses names of tools and a part of a path that nothing can have.
///
/// # Errors
/// `invalid_argument`, naming `tools`, one of them, or `file_contains`.
pub(crate) fn check_calls(tools: &[String], file_contains: Option<&str>) -> Result<()> {
    if tools.len() > MAX_FILTER_TOOLS {
        return Err(Error::invalid(
            "tools",
            format_args!("{} are more than {MAX_FILTER_TOOLS}", tools.len()),
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

/// The setters that whatever narrows events has: by session, project, kind, time and
/// the calls of tools.
macro_rules! narrowed_by {
    () => {
        /// Only this session.
        #[must_use]
        pub fn session(mut self, session: impl Into<String>) -> Self {
            self.session = Some(session.into());
            self
        }

        /// Only these projects.
        #[must_use]
        pub fn project(mut self, project: ProjectScope) -> Self {
            self.project = project;
            self
        }

        /// Only these kinds.
        #[must_use]
        pub fn kinds(mut self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
            self.kinds = kinds.into_iter().collect();
            self
        }

        /// Only events at this time or later.
        #[must_use]
        pub fn from(mut self, from: Timestamp) -> Self {
            self.from = Some(from);
            self
        }

        /// Only events before this time.
        #[must_use]
        pub fn until(mut self, until: Timestamp) -> Self {
            self.until = Some(until);
            self
        }

        /// Only calls of these tools.
        #[must_use]
        pub fn tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.tools = tools.into_iter().map(Into::into).collect();
            self
        }

        /// Only calls of tools on a file whose path contains this.
        #[must_use]
        pub fn file_contains(mut self, part: impl Into<String>) -> Self {
            self.file_contains = Some(part.into());
            self
        }

        /// Only calls of tools that ended so.
        #[must_use]
        pub fn tool_outcome(mut self, outcome: ToolOutcome) -> Self {
            self.tool_outcome = Some(outcome);
            self
        }

        /// At most this many.
        #[must_use]
        pub fn limit(mut self, limit: usize) -> Self {
            self.limit = Some(limit);
            self
        }
    };
}

pub(crate) use narrowed_by;

/// Which events [`Memory::events`](crate::Memory::events) gives. The default is every conversation
/// event of the memory's project, oldest first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EventFilter {
    /// Only this session.
    pub session: Option<String>,
    /// Only these projects.
    pub project: ProjectScope,
    /// Only these kinds; empty means the four conversation kinds.
    pub kinds: Vec<EventKind>,
    /// Only events at this time or later.
    pub from: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
    /// Only calls of these tools, at most [`MAX_FILTER_TOOLS`]; empty means any event.
    pub tools: Vec<String>,
    /// Only calls of tools on a file whose path contains this, 1 to
    /// [`MAX_FILTER_BYTES`] bytes.
    pub file_contains: Option<String>,
    /// Only calls of tools that ended so.
    pub tool_outcome: Option<ToolOutcome>,
    /// Only user prompts that repeat this text: those whose
    /// [`canonical_key`](crate::text::keys::canonical_key) is the same, so that letter
    /// case, punctuation and blanks make no difference.
    pub repeats: Option<String>,
    /// Newest first instead of oldest first.
    pub newest_first: bool,
    /// At most this many events.
    pub limit: Option<usize>,
}

impl EventFilter {
    /// The default filter.
    pub fn new() -> Self {
        EventFilter::default()
    }

    narrowed_by!();

    /// Only user prompts that repeat a text.
    #[must_use]
    pub fn repeats(mut self, text: impl Into<String>) -> Self {
        self.repeats = Some(text.into());
        self
    }

    /// Newest first.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.newest_first = true;
        self
    }
}
