//! Claude Code transcripts, read by the library.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use recallite::transcript::{ImportOptions, TranscriptItem, TranscriptReader, find_transcripts};
use recallite::{Dedupe, Memory, Timestamp};

use super::broken::Broken;
use super::found::Found;
use super::projects::project_at;
use super::storing::Storing;
use crate::agents::{is_own_command, is_subagent, tool_key, unfinished_tool_key};
use crate::arguments::Source;
use crate::transcript_lines::{Lines, Unread};

pub(super) fn read(
    memory: &Memory,
    path: &Path,
    input: impl BufRead,
    storing: &mut Storing<'_>,
) -> Result<Unread, Broken> {
    let reading = |error: recallite::Error| Broken::Reading(error.to_string());
    let (session, parent) = sessions_of(path);
    let options = ImportOptions::default();
    let mut reader =
        TranscriptReader::new(input, session, options).filter(memory.privacy_filter().clone());
    let name = path.display().to_string();
    // Where it began, as hooks store it: the working folder follows the agent.
    let mut project = None;
    for item in reader.by_ref() {
        let mut item = item.map_err(reading)?;
        item.parent_session_id = item.parent_session_id.or(parent.clone());
        // The program's own, which writes the summary of a conversation that is compacted.
        if item.agent_id.as_deref().is_some_and(is_for_compaction) {
            continue;
        }
        project = project.or_else(|| item.cwd.as_deref().map(project_at));
        if is_own_command(&item.content) || is_notice(&item) {
            continue;
        }
        // Hooks are told the id of a call.
        let call = item.tool_use_id.take().map(|id| match item.is_finished {
            true => tool_key(&id),
            false => unfinished_tool_key(&id),
        });
        let mut event = item.into_event(&name);
        event.project.clone_from(&project);
        event.dedupe = call.map_or(event.dedupe, Dedupe::Key);
        storing.push_seen(event)?;
    }
    Ok(Unread::counted(reader.counters().errors))
}

/// Whether Claude Code itself started an agent, to summarise a conversation.
fn is_for_compaction(agent: &str) -> bool {
    agent.starts_with("acompact")
}

/// Puts the conversations of Claude Code in the order in which they began, so that a message is
/// known from its own conversation before one that was forked from it repeats it.
pub(super) fn put_forks_last(memory: &Memory, files: &mut [Found]) {
    let began = |file: &Found| {
        let session = memory.session(&sessions_of(&file.path).0).ok().flatten();
        let created = Timestamp::from_millis_clamped(file.created_ms().unwrap_or_default());
        session.map_or(created, |session| session.started.min(created))
    };
    files.sort_by_cached_key(|file| match file.source {
        Source::ClaudeCode => (1, began(file)),
        _ => (0, Timestamp::default()),
    });
}

/// Whether the program wrote a message by itself, which hooks do not report either: a command's
/// wrapper, the text of a hook, an answer without a model.
fn is_notice(item: &TranscriptItem) -> bool {
    const NO_MODEL: &str = "<synthetic>";
    item.tool.is_none() && (item.is_meta || item.model.as_deref() == Some(NO_MODEL))
}

/// The session of all lines of a transcript, whatever a line names, and the session that started it,
/// by the file's place. One that was renamed, such as a backup, is of the session that its own lines
/// name, so that what hooks stored or a person has forgotten is recognised.
fn sessions_of(path: &Path) -> (String, Option<String>) {
    let found = find_transcripts(path).ok();
    let (session, parent) = match found.and_then(|files| files.into_iter().next()) {
        Some(file) => (file.session_id, file.parent_session_id),
        None => {
            let name = path.file_stem().unwrap_or_default();
            (name.to_string_lossy().into_owned(), None)
        }
    };
    match is_name_of_session(&session) {
        true => (session, parent),
        false => (named_by_lines(path).unwrap_or(session), parent),
    }
}

/// Whether Claude Code itself names a transcript so.
fn is_name_of_session(stem: &str) -> bool {
    let is_uuid = stem.len() == 36
        && stem.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_uuid || is_subagent(stem)
}

/// The session that the lines of a transcript name, except those of subagents. The last one decides:
/// a transcript may begin with a copy of the conversation that it continues.
fn named_by_lines(path: &Path) -> Option<String> {
    // What is no file, such as a pipe, can be read only once.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut lines = Lines::new(BufReader::new(File::open(path).ok()?));
    let mut named = None;
    while let Ok(Some(line)) = lines.next_value() {
        let is_of_subagent = line["isSidechain"] == true || line["agentId"].is_string();
        if let Some(session) = line["sessionId"].as_str()
            && !session.trim().is_empty()
            && !is_of_subagent
        {
            named = Some(session.to_owned());
        }
    }
    named
}
