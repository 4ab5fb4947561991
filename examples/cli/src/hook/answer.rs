//! The response to the agent: context if its host accepts it, otherwise nothing.

use serde_json::{Value, json};

use super::call::{Call, Host, Moment};

/// The response with this text; `None` sends nothing, which every host accepts.
///
/// No other field is sent, because Codex rejects a response with a field that it does not know.
pub(super) fn of(call: &Call, context: &str) -> Option<Value> {
    let takes_context = match call.moment {
        Moment::Start { .. } => true,
        Moment::Prompt { .. } => call.takes_context_with_a_prompt,
        _ => false,
    };
    (takes_context && !context.is_empty()).then(|| match call.host {
        Host::CopilotCli => json!({ "additionalContext": context }),
        _ => json!({
            "hookSpecificOutput": {
                "hookEventName": call.event,
                "additionalContext": context,
            }
        }),
    })
}
