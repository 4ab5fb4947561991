//! What goes back to the agent: context where its host takes some, else nothing.

use serde_json::{Value, json};

use super::call::{Call, Moment};

/// The answer with this text; `None` says nothing at all, which every host takes.
///
/// No other field is sent: Codex refuses a whole answer for one that it does not
/// know.
pub(super) fn of(call: &Call, context: &str) -> Option<Value> {
    let takes_context = match call.moment {
        Moment::Start { .. } => true,
        Moment::Prompt { .. } => call.host.takes_context_with_a_prompt(),
        _ => false,
    };
    (takes_context && !context.is_empty()).then(|| {
        json!({
            "hookSpecificOutput": {
                "hookEventName": call.event,
                "additionalContext": context,
            }
        })
    })
}
