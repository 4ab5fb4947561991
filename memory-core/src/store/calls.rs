//! Which calls of tools are wanted.

use super::record::ToolFields;
use crate::model::filter::ToolOutcome;
use crate::text::tool::observed_file;

/// What is wanted of a call. Every field that is set must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedCall {
    /// Names of tools, one of which it must be; empty means any.
    pub(crate) tools: Vec<String>,
    /// Part of the path of the file that it was about.
    pub(crate) file_contains: Option<String>,
    pub(crate) outcome: Option<ToolOutcome>,
}

impl WantedCall {
    /// Whether events that are no calls fit as well.
    pub(crate) fn is_anything(&self) -> bool {
        self.tools.is_empty() && self.file_contains.is_none() && self.outcome.is_none()
    }

    /// Whether an event with this call, or with none, fits.
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
