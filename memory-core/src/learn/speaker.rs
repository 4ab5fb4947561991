//! Tells who said a message: only what a person or the agent said themselves is learned from.

use crate::model::event::{Event, EventKind, Origin};
use crate::model::json::Json;
use crate::rules::statements::Speaker;

/// The speaker of a message; `None` unless a person or the agent said it themselves, which
/// excludes text of tools, web pages and the host, and recalled text.
pub(super) fn speaker_of(event: &Event) -> Option<Speaker> {
    let metadata = event.metadata.as_ref().map(Json::to_value);
    let is_sidechain = metadata.is_some_and(|metadata| metadata["isSidechain"] == true);
    match (event.kind, event.origin) {
        // An agent's prompt to another agent.
        (EventKind::UserPrompt, Origin::User) if is_sidechain => None,
        // What it answers is for the agent that asked.
        (EventKind::AgentResponse, _) if is_sidechain => None,
        (EventKind::UserPrompt, Origin::User) => Some(Speaker::User),
        (EventKind::AgentResponse, Origin::Assistant) => Some(Speaker::Agent),
        _ => None,
    }
}
