//! What a person or an agent wants to be remembered, outside of conversations.

use recallite::{Appended, Memory, NewEvent};

use crate::failure::{Failure, Outcome};

/// Stores a note; reports it to the caller if the note is not stored.
pub(crate) fn append_note(memory: &Memory, note: NewEvent) -> Outcome<Appended> {
    let filter = memory.privacy_filter();
    let filtered = filter.text(&note.content);
    if filtered.report.private_count > 0
        && filtered.text.as_str().trim() == filter.config().marker.as_str()
    {
        return Err(Failure::usage(
            "nothing was stored, because all of it is private",
        ));
    }
    let receipt = memory.append(note)?;
    match receipt.skipped {
        None => Ok(receipt),
        Some(_) => Err(Failure::said(
            "nothing was stored, because recording is paused; `recallite paused` lists what is \
             paused, `recallite resume` resumes it",
        )),
    }
}

/// The session for a project's notes: one for each project, so that listing sessions never mixes
/// two projects.
pub(crate) fn notes_session(memory: &Memory) -> String {
    match memory.project() {
        "" => "notes".to_owned(),
        project => format!("notes {project}"),
    }
}
