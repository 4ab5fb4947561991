//! What hooks stored of a session. They do not know the ids by which a transcript identifies its
//! messages, so these are recognised by what they say.

use std::collections::{HashMap, HashSet};

use recallite::scope::ProjectScope;
use recallite::text::keys::content_hash;
use recallite::{EventFilter, EventKind, Json, Memory, NewEvent};
use serde_json::Value;

use crate::agents::hook_host;

/// The agent whose hooks are not told the id of a tool call.
const WITHOUT_CALL_IDS: &str = "gemini-cli";
/// What the privacy filter puts in place of a value that it removes.
const REMOVED: &str = "[REDACTED]";

#[derive(Default)]
pub(super) struct Hooked {
    session: String,
    /// Prompts and responses.
    said: HashSet<(EventKind, String)>,
    /// The arguments of tool calls without an id, by the tool's name.
    calls: HashMap<String, Vec<Value>>,
}

impl Hooked {
    /// Reads the whole session: hooks may have been installed in the middle of it.
    pub(super) fn of(memory: &Memory, session: &str) -> recallite::Result<Hooked> {
        let mut hooked = Hooked {
            session: session.to_owned(),
            ..Hooked::default()
        };
        let filter = EventFilter::new()
            .session(session)
            .project(ProjectScope::All);
        for event in memory.events(filter)? {
            let event = event?;
            let Some(host) = hook_host(&event) else {
                continue;
            };
            match event.tool {
                None => {
                    hooked.said.insert((event.kind, key(&event.content)));
                }
                Some(tool) if host == WITHOUT_CALL_IDS => {
                    let calls = hooked.calls.entry(tool.name).or_default();
                    calls.push(arguments(tool.input.as_ref()));
                }
                Some(_) => {}
            }
        }
        Ok(hooked)
    }

    pub(super) fn is_of(&self, session: &str) -> bool {
        self.session == session
    }

    /// Whether a hook stored what a transcript contains.
    pub(super) fn has(&self, memory: &Memory, event: &NewEvent) -> bool {
        let filtered = |text: &str| memory.privacy_filter().text(text).text.into_string();
        if let Some(tool) = &event.tool {
            let Some(calls) = self.calls.get(&tool.name) else {
                return false;
            };
            let given = arguments(tool.input.as_ref());
            return calls
                .iter()
                .any(|stored| is_same(stored, &given, &filtered));
        }
        // The filter is slow, and most sessions have no hooks.
        !self.said.is_empty()
            && self
                .said
                .contains(&(event.kind, key(&filtered(&event.content))))
    }
}

fn key(text: &str) -> String {
    content_hash(text.trim())
}

fn arguments(input: Option<&Json>) -> Value {
    input
        .and_then(|input| serde_json::from_str(input.as_str()).ok())
        .unwrap_or_default()
}

/// Whether arguments that were stored are those of a call, which still contains what the privacy
/// filter removes.
fn is_same(stored: &Value, given: &Value, filtered: &dyn Fn(&str) -> String) -> bool {
    match (stored, given) {
        (Value::Object(stored), Value::Object(given)) => {
            stored.len() == given.len()
                && stored.iter().all(|(name, stored)| {
                    given
                        .get(name)
                        .is_some_and(|given| is_same(stored, given, filtered))
                })
        }
        (Value::Array(stored), Value::Array(given)) => {
            stored.len() == given.len()
                && stored
                    .iter()
                    .zip(given)
                    .all(|(stored, given)| is_same(stored, given, filtered))
        }
        (Value::String(stored), Value::String(given)) if stored != given => {
            stored == REMOVED || *stored == filtered(given)
        }
        (Value::String(stored), Value::Number(_)) => stored == REMOVED,
        _ => stored == given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_the_same_although_a_secret_was_removed() {
        let filtered = |text: &str| text.replace("hunter2", "***");
        let given = json!({"command": "login hunter2", "password": "hunter2", "pin": 4711,
            "lines": [1, 2]});
        let stored = json!({"command": "login ***", "password": REMOVED, "pin": REMOVED,
            "lines": [1, 2]});
        assert!(is_same(&stored, &given, &filtered));
        assert!(is_same(&given, &given, &filtered));
        for other in [
            json!({"command": "login ***", "password": REMOVED, "pin": REMOVED}),
            json!({"command": "logout", "password": REMOVED, "pin": REMOVED, "lines": [1, 2]}),
            json!({"command": "login ***", "password": REMOVED, "pin": REMOVED, "lines": [1]}),
            json!(null),
        ] {
            assert!(!is_same(&other, &given, &filtered), "{other}");
        }
    }
}
