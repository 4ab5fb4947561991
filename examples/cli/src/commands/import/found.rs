//! Which files are imported, and who wrote each.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use crate::arguments::Source;
use crate::failure::{Failure, Outcome};

/// How deep below a folder files are looked for: `sessions/2026/01/30/…` and
/// `projects/name/session/subagents/…` are the deepest.
const MAX_DEPTH: usize = 6;
/// How much of a file is looked at to see who wrote it.
const PEEK_BYTES: u64 = 256 << 10;
/// Lines of it: the first ones may be notes of the agent's own.
const PEEK_LINES: usize = 20;

/// A file to import.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) source: Source,
    pub(super) size_bytes: u64,
    modified: SystemTime,
}

/// The files of these paths, or those that coding agents left in this user's
/// home; the oldest first, so that positions in the log follow time roughly.
pub(super) fn files(paths: &[PathBuf], from: Option<Source>) -> Outcome<Vec<Found>> {
    let usual = usual_places();
    let (paths, is_asked) = match paths.is_empty() {
        true => (&usual, false),
        false => (&paths.to_vec(), true),
    };
    let mut found = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(|error| Failure::io(path, &error))?;
        let before = found.len();
        if metadata.is_dir() {
            collect(path, from, MAX_DEPTH, &mut found);
        } else {
            push(path, from, &metadata, &mut found);
        }
        if is_asked && found.len() == before {
            return Err(Failure::not_found(format!(
                "{}: there is no conversation that can be imported; --from says who wrote it",
                path.display()
            )));
        }
    }
    if found.is_empty() {
        return Err(Failure::not_found(
            "no conversations of Claude Code, Codex or Gemini CLI were found; name a file or folder",
        ));
    }
    found.sort_by(|a, b| a.modified.cmp(&b.modified).then(a.path.cmp(&b.path)));
    Ok(found)
}

/// Where the coding agents keep their conversations, as far as they are there.
pub(crate) fn usual_places() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let under = |variable: &str, folder: &str| {
        std::env::var_os(variable)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join(folder)))
    };
    [
        under("CLAUDE_CONFIG_DIR", ".claude").map(|folder| folder.join("projects")),
        under("CODEX_HOME", ".codex").map(|folder| folder.join("sessions")),
        home.as_ref().map(|home| home.join(".gemini").join("tmp")),
    ]
    .into_iter()
    .flatten()
    .filter(|folder| folder.is_dir())
    .collect()
}

/// Folders that cannot be read are passed over: other programs work there.
fn collect(folder: &Path, from: Option<Source>, depth: usize, found: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // The type of the entry itself: linked folders are not followed.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if depth > 1 {
                collect(&path, from, depth - 1, found);
            }
        } else if kind.is_file()
            && let Ok(metadata) = entry.metadata()
        {
            push(&path, from, &metadata, found);
        }
    }
}

fn push(path: &Path, from: Option<Source>, metadata: &fs::Metadata, found: &mut Vec<Found>) {
    // A pipe or a device would be waited for.
    let is_json = matches!(
        path.extension().and_then(OsStr::to_str),
        Some("jsonl" | "json")
    );
    if !metadata.is_file() || !is_json {
        return;
    }
    let Some(source) = from.or_else(|| source_of(path)) else {
        return;
    };
    found.push(Found {
        path: path.to_owned(),
        source,
        size_bytes: metadata.len(),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    });
}

/// Who wrote a file, by its first lines.
fn source_of(path: &Path) -> Option<Source> {
    let mut begin = BufReader::new(fs::File::open(path).ok()?.take(PEEK_BYTES));
    if path.extension().is_some_and(|ending| ending == "json") {
        let mut text = Vec::new();
        begin.read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        let is_chat = text.contains("\"sessionId\"") && text.contains("\"messages\"");
        return is_chat.then_some(Source::GeminiCli);
    }
    begin
        .split(b'\n')
        .take(PEEK_LINES)
        .map_while(Result::ok)
        .find_map(|line| source_of_line(&serde_json::from_slice(&line).ok()?))
}

fn source_of_line(line: &Value) -> Option<Source> {
    let has = |field: &str| line.get(field).is_some();
    if has("recallite") {
        Some(Source::Jsonl)
    } else if has("payload") && has("type") {
        Some(Source::Codex)
    } else if has("projectHash") {
        Some(Source::GeminiCli)
    } else if has("sessionId") && has("type") {
        Some(Source::ClaudeCode)
    } else if has("content") && (has("role") || has("kind")) {
        Some(Source::Jsonl)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_writer_is_seen_from_a_line() {
        for (line, source) in [
            (json!({"recallite": 1, "whole": false}), Some(Source::Jsonl)),
            (
                json!({"role": "user", "content": "hello"}),
                Some(Source::Jsonl),
            ),
            (
                json!({"timestamp": "", "type": "session_meta", "payload": {}}),
                Some(Source::Codex),
            ),
            (
                json!({"sessionId": "s", "projectHash": "h", "startTime": ""}),
                Some(Source::GeminiCli),
            ),
            (
                json!({"type": "user", "sessionId": "s", "message": {}, "uuid": "u"}),
                Some(Source::ClaudeCode),
            ),
            (
                json!({"type": "summary", "summary": "x", "leafUuid": "u"}),
                None,
            ),
            (json!([1, 2]), None),
            (json!(null), None),
        ] {
            assert_eq!(source_of_line(&line), source, "{line}");
        }
    }
}
