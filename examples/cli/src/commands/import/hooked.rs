//! What the store has of a session although the keys of a transcript do not tell. Hooks do not know
//! the ids by which a transcript identifies its messages, and an export does not contain them, so
//! these are recognised by what they say.

use std::collections::HashMap;

use recallite::scope::ProjectScope;
use recallite::text::keys::content_hash;
use recallite::{Event, EventFilter, EventKind, Json, Memory, NewEvent, Timestamp, ToolUse};
use serde_json::Value;

use crate::agent_names;
use crate::agents::hook_host;

/// The agent whose hooks are not told the id of a tool call.
const WITHOUT_CALL_IDS: &str = agent_names::GEMINI_CLI;
/// What the privacy filter puts in place of a value that it removes.
const REMOVED: &str = "[REDACTED]";

/// Each stored event stands for one of the transcript: what was said twice is two events.
#[derive(Default)]
pub(super) struct Hooked {
    session: String,
    /// How often hooks stored prompts and responses.
    said: HashMap<(EventKind, String), usize>,
    /// The arguments of tool calls that hooks stored without an id, by the tool's name.
    calls: HashMap<String, Vec<Value>>,
    /// What has the time of its transcript.
    timed: HashMap<(EventKind, Timestamp), Vec<Stored>>,
}

/// What a stored event says.
enum Stored {
    Said(String),
    Called {
        name: String,
        arguments: Value,
        is_finished: bool,
    },
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
            match hook_host(&event) {
                Some(host) => hooked.put_hooked(&host, event),
                None => {
                    let timed = hooked.timed.entry((event.kind, event.timestamp));
                    timed.or_default().push(Stored::of(event));
                }
            }
        }
        Ok(hooked)
    }

    fn put_hooked(&mut self, host: &str, event: Event) {
        match event.tool {
            None => {
                *self
                    .said
                    .entry((event.kind, key(&event.content)))
                    .or_default() += 1
            }
            Some(tool) if host == WITHOUT_CALL_IDS => {
                let calls = self.calls.entry(tool.name).or_default();
                calls.push(arguments(tool.input.as_ref()));
            }
            Some(_) => {}
        }
    }

    pub(super) fn is_of(&self, session: &str) -> bool {
        self.session == session
    }

    /// Takes the stored event away that stands for one of a transcript; false if there is none.
    pub(super) fn take(&mut self, memory: &Memory, event: &NewEvent) -> bool {
        let filtered = |text: &str| memory.privacy_filter().text(text).text.into_string();
        self.take_timed(event, &filtered) || self.take_hooked(event, &filtered)
    }

    fn take_timed(&mut self, event: &NewEvent, filtered: &dyn Fn(&str) -> String) -> bool {
        let Some(at) = event.timestamp else {
            return false;
        };
        let Some(stored) = self.timed.get_mut(&(event.kind, at)) else {
            return false;
        };
        let place = match &event.tool {
            Some(tool) => stored.iter().position(|it| it.is_call(tool, filtered)),
            None => {
                let said = key(&filtered(&event.content));
                stored.iter().position(|it| it.is_said(&said))
            }
        };
        place.map(|place| stored.swap_remove(place)).is_some()
    }

    fn take_hooked(&mut self, event: &NewEvent, filtered: &dyn Fn(&str) -> String) -> bool {
        if let Some(tool) = &event.tool {
            let Some(calls) = self.calls.get_mut(&tool.name) else {
                return false;
            };
            let given = arguments(tool.input.as_ref());
            let place = calls
                .iter()
                .position(|stored| is_same(stored, &given, filtered));
            return place.map(|place| calls.swap_remove(place)).is_some();
        }
        // The filter is slow, and most sessions have no hooks.
        if self.said.is_empty() {
            return false;
        }
        let said = (event.kind, key(&filtered(&event.content)));
        match self.said.get_mut(&said) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

impl Stored {
    fn of(event: Event) -> Stored {
        match event.tool {
            None => Stored::Said(key(&event.content)),
            Some(tool) => Stored::Called {
                arguments: arguments(tool.input.as_ref()),
                name: tool.name,
                is_finished: !tool.output.is_empty(),
            },
        }
    }

    fn is_said(&self, given: &str) -> bool {
        matches!(self, Stored::Said(stored) if stored == given)
    }

    /// A call whose result was missing is another event than the one that has it.
    fn is_call(&self, given: &ToolUse, filtered: &dyn Fn(&str) -> String) -> bool {
        match self {
            Stored::Said(_) => false,
            Stored::Called {
                name,
                arguments: stored,
                is_finished,
            } => {
                *name == given.name
                    && *is_finished != given.output.is_empty()
                    && is_same(stored, &arguments(given.input.as_ref()), filtered)
            }
        }
    }
}

fn key(text: &str) -> String {
    content_hash(text.trim())
}

/// The arguments of a tool call; null if there are none.
pub(super) fn arguments(input: Option<&Json>) -> Value {
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
