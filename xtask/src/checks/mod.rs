//! Checks of what stands in the sources: the names in documentation, comments and messages, and
//! which types can grow.

mod commented;
mod documented;
mod messages;
#[cfg(test)]
mod open;

use crate::interface;
use crate::shell::Outcome;

/// Fails if documentation, a message or a comment names what its language does not have.
pub fn check() -> Outcome {
    let model = interface::model()?;
    documented::check(model)?;
    messages::check(model)?;
    commented::check()
}
