//! Checks of what stands in the sources: the names in comments and messages, and which types can
//! grow.

mod commented;
mod messages;
#[cfg(test)]
mod open;

use crate::interface;
use crate::shell::Outcome;

/// Fails if a message or a comment names what its language does not have.
pub fn check() -> Outcome {
    messages::check(interface::model()?)?;
    commented::check()
}
