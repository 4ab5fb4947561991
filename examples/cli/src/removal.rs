//! The two ways to remove memories, for the command and the viewer.

use recallite::{Erased, Memory, Selector};

use crate::exit;
use crate::failure::{Failure, Outcome, with_commands};
use crate::output::{Line, Look, Output};

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

/// Names the files in which the text may still be, and says what clears them.
pub(crate) fn tell_open(receipt: &Erased, output: &mut Output) {
    for place in &receipt.unclean_places {
        output.line(Line::new().add(Look::Warning, "not cleared: ").plain(place));
    }
    if let Some(advice) = &receipt.advice {
        output.say(with_commands(advice));
    }
}

/// Fails if the text may still be in a file: a script goes by the exit code.
pub(crate) fn is_done(receipt: &Erased) -> Outcome {
    match receipt.is_complete {
        true => Ok(()),
        false => Err(Failure::Silent(exit::FAILED)),
    }
}
