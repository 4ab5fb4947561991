//! Filters events by their tool calls.

use crate::model::filter::ToolOutcome;
use crate::store::log::record::ToolFields;
use crate::text::tool::observed_file;

/// A filter on tool calls. Every field that is set must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedCall {
    /// Accepted tool names; empty means any.
    pub(crate) tools: Vec<String>,
    /// Part of the path of the file that the call was about.
    pub(crate) file_contains: Option<String>,
    pub(crate) outcome: Option<ToolOutcome>,
}

impl WantedCall {
    /// Whether events without a call match as well.
    pub(crate) fn is_anything(&self) -> bool {
        self.tools.is_empty() && self.file_contains.is_none() && self.outcome.is_none()
    }

    /// Whether an index decides which events match.
    pub(crate) fn is_indexed(&self) -> bool {
        self.file_contains.is_none() && self.outcome != Some(ToolOutcome::Succeeded)
    }

    /// Whether an event with this call, or without one, matches.
    pub(crate) fn fits(&self, call: Option<&ToolFields<'_>>) -> bool {
        let Some(call) = call else {
            return self.is_anything();
        };
        let is_of = |tools: &[String]| tools.is_empty() || tools.iter().any(|t| t == &*call.name);
        is_of(&self.tools)
            && self
                .outcome
                .is_none_or(|outcome| outcome == ToolOutcome::of(call.success))
            && self.file_contains.as_ref().is_none_or(|part| {
                observed_file(&call.metadata).is_some_and(|path| path.contains(part.as_str()))
            })
    }
}
