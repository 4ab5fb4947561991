//! Which events are wanted.

use crate::model::event::EventKind;
use crate::model::project::ProjectScope;
use crate::model::time::Timestamp;

/// The setters that whatever narrows events has: by session, project, kind and time.
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
    /// Only observations of this tool.
    pub tool: Option<String>,
    /// Only tool observations about a file whose path contains this.
    pub file_contains: Option<String>,
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

    /// Only observations of this tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Only tool observations about a file whose path contains this.
    #[must_use]
    pub fn file_contains(mut self, part: impl Into<String>) -> Self {
        self.file_contains = Some(part.into());
        self
    }

    /// Newest first.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.newest_first = true;
        self
    }
}
