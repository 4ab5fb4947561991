//! Claude Code transcripts, read by the library.

use std::io::BufRead;
use std::path::Path;

use recallite::transcript::{ImportOptions, TranscriptReader, find_transcripts};
use recallite::{Dedupe, EventFilter, Memory};

use super::storing::Storing;
use super::{Broken, Projects};
use crate::agents::is_from_hook;
use recallite::scope::ProjectScope;

/// How many events of a session are checked for having been stored by a hook.
const LOOKED_AT: usize = 64;

pub(super) fn read(
    memory: &Memory,
    path: &Path,
    input: impl BufRead,
    storing: &mut Storing<'_>,
) -> Result<u64, Broken> {
    let reading = |error: recallite::Error| Broken::Reading(error.to_string());
    let file = find_transcripts(path)
        .map_err(reading)?
        .into_iter()
        .next()
        .ok_or_else(|| Broken::Reading("not a transcript".to_owned()))?;
    // Hooks stored the same messages without their ids, so equal text means the same message. Tool
    // calls are stored in another form by hooks.
    let is_hooked = is_hooked(memory, &file.session_id).map_err(|e| Broken::Storing(e.into()))?;
    let options = ImportOptions {
        has_tool_observations: !is_hooked,
        ..ImportOptions::default()
    };
    let mut reader = TranscriptReader::new(input, file.session_id.clone(), options)
        .filter(memory.privacy_filter().clone());
    let name = path.display().to_string();
    let mut projects = Projects::default();
    for item in reader.by_ref() {
        let mut item = item.map_err(reading)?;
        item.parent_session_id = item.parent_session_id.or(file.parent_session_id.clone());
        let project = item.cwd.as_deref().map(|cwd| projects.of(cwd));
        let mut event = item.into_event(&name);
        if memory.project().is_empty() {
            event.project = project;
        }
        if is_hooked {
            event.dedupe = Dedupe::Content;
        }
        storing.push(event)?;
    }
    Ok(reader.counters().errors)
}

/// Whether a hook stored messages of this session.
fn is_hooked(memory: &Memory, session: &str) -> recallite::Result<bool> {
    let filter = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .limit(LOOKED_AT);
    for event in memory.events(filter)? {
        if is_from_hook(&event?) {
            return Ok(true);
        }
    }
    Ok(false)
}
