//! JSON Lines: an export of this library, or the simple form that any program can write.

use std::io::BufRead;
use std::path::Path;

use recallite::{Dedupe, ErrorCode, EventKind, Json, Memory, NewEvent, Timestamp};
use serde_json::Value;

use super::broken::Broken;
use super::storing::Storing;
use crate::transcript_lines::{Lines, Unread};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Stores the contents of a file; returns the lines that could not be read.
///
/// A simple line is an object with `content`, `role` (`user`, `assistant`, or an event kind), and
/// optionally `session`, `timestamp`, `project`, `actor`, `id` and `metadata`.
pub(super) fn read(
    memory: &Memory,
    path: &Path,
    mut input: impl BufRead,
    storing: &mut Storing<'_>,
) -> Result<Unread, Broken> {
    if begins_with_header(&mut input)? {
        let imported = memory.upkeep().import_jsonl_from(input).map_err(at_fault)?;
        storing.count_exported(&imported);
        return Ok(Unread::default());
    }
    let fallback = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_value()? {
        match event_of(&line, &fallback) {
            Ok(mut event) => {
                match metadata_of(&line) {
                    Ok(metadata) => event.metadata = metadata,
                    Err(error) => storing.warn(format!("left out: {}", error.message()), 1),
                }
                // The same words at another time are another message.
                if let (Dedupe::Content, Some(at)) = (&event.dedupe, event.timestamp) {
                    let moment = format!("line {} {at} {}", event.session, event.kind);
                    // Those that know only their day are others in another file.
                    let moment = match at.millis() % DAY_MS {
                        0 => format!("{moment} {fallback}"),
                        _ => moment,
                    };
                    event.dedupe = storing.placed(moment, &event.content);
                }
                storing.push(event)?;
            }
            Err(problem) => lines.refuse(problem),
        }
    }
    Ok(lines.unread)
}

/// An error about the export itself is its own; any other is the store's.
fn at_fault(error: recallite::Error) -> Broken {
    match error.code() {
        ErrorCode::InvalidArgument | ErrorCode::NewerFormat | ErrorCode::Unsupported => {
            // The file is named beside it.
            Broken::Reading(error.problem().to_owned())
        }
        _ => Broken::Storing(error.into()),
    }
}

/// Whether the first line is the header of an export; it is not consumed.
fn begins_with_header(input: &mut impl BufRead) -> std::io::Result<bool> {
    Ok(input.fill_buf()?.starts_with(b"{\"recallite\":"))
}

/// The event of a line; the error says what is wrong with it.
fn event_of(line: &Value, fallback: &str) -> Result<NewEvent, &'static str> {
    if !line.is_object() {
        return Err("no JSON object");
    }
    let text = |field: &str| line[field].as_str().filter(|text| !text.trim().is_empty());
    let kind = match text("kind").or(text("role")).ok_or("no role")? {
        "user" | "human" => EventKind::UserPrompt,
        "assistant" | "agent" | "model" => EventKind::AgentResponse,
        other => other
            .parse()
            .ok()
            .filter(|kind: &EventKind| kind.is_appendable())
            .ok_or("an unknown role")?,
    };
    let content = crate::agents::text_of(&line["content"]);
    if content.trim().is_empty() {
        return Err("no content");
    }
    let session = text("session").or(text("session_id")).unwrap_or(fallback);
    let mut event = NewEvent::new(kind, session, content);
    event.timestamp = time_of(&line["timestamp"]).ok_or("a timestamp that is none")?;
    event.project = text("project").map(str::to_owned);
    event.actor = text("actor").map(str::to_owned);
    let key = text("id").map(|id| format!("line {session} {id}"));
    event.dedupe = key.map_or(Dedupe::Content, Dedupe::Key);
    Ok(event)
}

/// The metadata of a line, if it has any.
fn metadata_of(line: &Value) -> recallite::Result<Option<Json>> {
    let metadata = Some(&line["metadata"]).filter(|metadata| metadata.is_object());
    let parsed = metadata.map(|metadata| Json::parse("metadata", &metadata.to_string()));
    parsed.transpose()
}

/// When a line was said, if it tells: as text, or in seconds or milliseconds since 1970. `None` for a
/// time that cannot be read: the line would be given the present one.
#[allow(clippy::option_option, reason = "no time is not a wrong one")]
fn time_of(value: &Value) -> Option<Option<Timestamp>> {
    /// Milliseconds before 1973, and seconds until the year 5138.
    const MAX_SECONDS: i64 = 100_000_000_000;
    match value {
        Value::Null => Some(None),
        Value::String(text) if text.trim().is_empty() => Some(None),
        Value::String(text) => text.parse().ok().map(Some),
        Value::Number(number) => {
            let number = number.as_i64().filter(|number| *number > 0)?;
            let ms = match number < MAX_SECONDS {
                true => number * 1_000,
                false => number,
            };
            Timestamp::from_millis(ms).ok().map(Some)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_time_is_text_or_a_number_and_never_guessed() {
        let said: Timestamp = "2026-01-30T14:05:00Z".parse().unwrap();
        for given in [
            json!("2026-01-30T14:05:00Z"),
            json!(1_769_781_900),
            json!(1_769_781_900_000_i64),
        ] {
            let line = json!({"role": "user", "content": "hello there", "timestamp": given});
            assert_eq!(event_of(&line, "f").unwrap().timestamp, Some(said));
        }
        for given in [
            json!("bad"),
            json!("2026-02-30T00:00:00Z"),
            json!(-5),
            json!({}),
        ] {
            let line = json!({"role": "user", "content": "hello there", "timestamp": given});
            assert_eq!(
                event_of(&line, "f").unwrap_err(),
                "a timestamp that is none"
            );
        }
        let line = json!({"role": "user", "content": "hello there"});
        assert_eq!(event_of(&line, "f").unwrap().timestamp, None);
    }

    #[test]
    fn an_error_of_the_store_is_not_blamed_on_the_file() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(matches!(at_fault(full.into()), Broken::Storing(_)));
        let wrong = "nonsense".parse::<EventKind>().unwrap_err();
        assert!(matches!(at_fault(wrong), Broken::Reading(_)));
    }

    #[test]
    fn a_plain_line_is_an_event() {
        let line = json!({"role": "user", "content": "hello", "session": "s1",
            "timestamp": "2026-01-30T14:05:00Z", "project": "shop", "metadata": {"a": 1}});
        let event = event_of(&line, "file").unwrap();
        assert_eq!(
            (event.kind, event.session.as_str()),
            (EventKind::UserPrompt, "s1")
        );
        assert_eq!(event.project.as_deref(), Some("shop"));
        let line = json!({"kind": "agent_response", "content": "hi"});
        assert_eq!(event_of(&line, "file").unwrap().session, "file");
        for (wrong, problem) in [
            (json!({"role": "user"}), "no content"),
            (
                json!({"role": "forgotten", "content": "x"}),
                "an unknown role",
            ),
            (json!({"content": "x"}), "no role"),
            (json!([]), "no JSON object"),
        ] {
            assert_eq!(event_of(&wrong, "file").unwrap_err(), problem);
        }
    }
}
