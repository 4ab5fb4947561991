//! The response to the agent: context if its host accepts it, otherwise nothing.

use serde_json::{Value, json};

use super::call::{Call, Host, Moment};

/// The most characters that an agent reads at once: a longer answer becomes a file, of which it is
/// shown the beginning.
const MAX_CHARS: usize = 10_000;
/// What a warning about a prompt takes behind its context, and the frame around both.
const BESIDE_CHARS: usize = 2_000;
/// The most tokens of a context, whatever the settings allow: none has more than four characters.
pub(super) const MAX_TOKENS: usize = (MAX_CHARS - BESIDE_CHARS) / 4;

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
