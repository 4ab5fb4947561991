//! The two ways to remove memories, for the command and the viewer.

use recallite::{Memory, Selector};

use crate::failure::Outcome;

/// What is done to the selected memories.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    Forget,
    Erase,
}

impl Removal {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Removal::Forget => "forget",
            Removal::Erase => "erase",
        }
    }

    /// How many memories it would remove. Erasing also removes what is already forgotten.
    pub(crate) fn count(self, memory: &Memory, selector: &Selector) -> Outcome<u64> {
        Ok(match self {
            Removal::Forget => memory.upkeep().count_selected(selector)?,
            Removal::Erase => memory.upkeep().count_erasable(selector)?,
        })
    }
}
