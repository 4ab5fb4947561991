//! `remember`: stores a note of the user.

use std::io::Read as _;

use recallite::{EventKind, Json, NewEvent};
use serde_json::json;

use crate::agents::NOTE;
use crate::arguments::{Place, Remember};
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::notes::{append_note, notes_session};
use crate::output::{Line, Look, Output};

/// The maximum input read from standard input, in bytes.
const MAX_BYTES: u64 = 16 << 20;

pub(crate) fn remember(place: &Place, note: &Remember, output: &mut Output) -> Outcome {
    place.needs_one_project()?;
    let text = match note.words.as_slice() {
        [dash] if dash == "-" => read_note()?,
        words => words.join(" "),
    };
    let memory = place.open_or_create()?;
    let session = note
        .session
        .clone()
        .unwrap_or_else(|| notes_session(&memory));
    // Without `--session`, notes that have nothing to do with each other share one.
    let stands_alone = note.session.is_none();
    let mut event = NewEvent::new(EventKind::UserPrompt, session, text);
    if stands_alone {
        event.metadata = Some(note_mark()?);
    }
    let receipt = append_note(&memory, event)?;
    if output.is_json() {
        output.json(&json!({
            "id": receipt.id.to_string(),
            "citation": receipt.citation.to_string(),
            "duplicate": receipt.duplicate,
            "privacy": {
                "private_count": receipt.privacy.private_count,
                "secret_count": receipt.privacy.secret_count,
            },
            "warnings": receipt.warnings,
        }));
        return Ok(());
    }
    let said = if receipt.duplicate {
        "already remembered"
    } else {
        "remembered"
    };
    let line = Line::new()
        .add(Look::Good, said)
        .plain(" as ")
        .add(Look::Id, &receipt.citation);
    output.line(line);
    let taken_out = [
        (
            receipt.privacy.private_count,
            "private section",
            "private sections",
        ),
        (receipt.privacy.secret_count, "secret", "secrets"),
    ];
    for (count, one, many) in taken_out {
        if count > 0 {
            output.say(format_args!(
                "left out: {}",
                counted(count.into(), one, many)
            ));
        }
    }
    for warning in &receipt.warnings {
        output.line(Line::new().add(Look::Warning, "warning: ").plain(warning));
    }
    Ok(())
}

/// The metadata of a note.
fn note_mark() -> Outcome<Json> {
    Ok(Json::parse("metadata", &json!({ NOTE: true }).to_string())?)
}

fn read_note() -> Outcome<String> {
    let mut text = String::new();
    let read = std::io::stdin()
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text);
    match read {
        Err(error) => Err(Failure::usage(format!("standard input: {error}"))),
        Ok(_) if text.len() as u64 > MAX_BYTES => Err(Failure::usage(format!(
            "the note is larger than {MAX_BYTES} bytes; split it into several notes"
        ))),
        Ok(_) => Ok(text),
    }
}
