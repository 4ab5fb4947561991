//! Finds the files to import, and detects the source of each.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::refused::Refused;
use crate::agent_folders::{self, is_agent_folder};
use crate::arguments::Source;
use crate::failure::{Failure, Outcome};
use crate::transcript_lines::{MAX_BYTES, read_json};

/// The maximum depth of the search below a folder: `sessions/2026/01/30/…` and
/// `projects/name/session/subagents/…` are the deepest.
const MAX_DEPTH: usize = 6;
/// How many bytes of a document are read to detect its source.
const PEEK_BYTES: u64 = 256 << 10;
/// How many lines of a transcript, of any length: the first ones may be the agent's own notes, and
/// the first message may have pictures.
const PEEK_LINES: usize = 20;

/// A file to import.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) source: Source,
    pub(super) size_bytes: u64,
    pub(super) modified: SystemTime,
}

impl Found {
    /// When it was changed last, in milliseconds since 1970.
    pub(super) fn modified_ms(&self) -> Option<i64> {
        millis(self.modified)
    }

    /// When it began to exist as far as the system knows, and not after it was changed last.
    pub(super) fn created_ms(&self) -> Option<i64> {
        let created = fs::metadata(&self.path).and_then(|file| file.created());
        millis(created.unwrap_or(self.modified).min(self.modified))
    }
}

fn millis(at: SystemTime) -> Option<i64> {
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// The files to import, and those that are skipped although they look similar.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: Vec<Found>,
    pub(super) refused: Refused,
    /// The files and folders that the system refused, with its reasons: what they contain is not
    /// imported.
    pub(super) failed: Vec<(String, String)>,
}

/// Files that agents read as notes, in any folder.
const NOTES: [&str; 9] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "copilot-instructions.md",
    ".clinerules",
    ".cursorrules",
    ".windsurfrules",
];
/// Folders whose documents agents read as notes, at any depth, and the folders in which they lie.
const WITH_NOTES: [(&str, &str); 10] = [
    (".amazonq", "rules"),
    (".augment", "rules"),
    (".claude", "rules"),
    (".clinerules", "rules"),
    (".continue", "rules"),
    (".cursor", "rules"),
    (".github", "instructions"),
    (".kiro", "steering"),
    (".roo", "rules"),
    (".windsurf", "rules"),
];
/// The same, wherever they lie.
const WITH_NOTES_ANYWHERE: [&str; 2] = [".clinerules", "memory-bank"];
/// Folders of Claude Code in which its own agents keep notes.
const OF_SUBAGENTS: [&str; 2] = ["agent-memory", "agent-memory-local"];
/// Files there from which Codex makes its notes: the same in other words.
const DRAFTS: [&str; 2] = ["raw_memories.md", "phase2_workspace_diff.md"];
/// The file that marks a folder as a skill: instructions for an agent rather than notes.
const SKILL: &str = "SKILL.md";
/// Folders with other people's files, or with nothing to import.
const NOT_LOOKED_IN: [&str; 2] = [".git", "node_modules"];

/// The files of these paths, or those of coding agents in the user's home; oldest first, so that
/// log order roughly follows time.
pub(super) fn files(paths: &[PathBuf], from: Option<Source>) -> Outcome<Files> {
    let usual = usual_places();
    let (paths, is_asked) = match paths.is_empty() {
        true => (usual.as_slice(), false),
        false => (paths, true),
    };
    let mut found = Files::default();
    for path in paths {
        let before = found.count();
        match found.look_at(path, from) {
            Err(error) if is_asked => return Err(Failure::io(path, &error)),
            Err(error) => found.fail(path, &error),
            Ok(()) => {}
        }
        if is_asked && found.count() == before {
            let advice = match from {
                Some(_) => "",
                None => "; name the format with --from",
            };
            return Err(Failure::not_found(format!(
                "{}: found nothing to import{advice}",
                path.display()
            )));
        }
    }
    let order = |a: &Found, b: &Found| a.modified.cmp(&b.modified).then(a.path.cmp(&b.path));
    found.files.sort_by(order);
    Ok(found)
}

/// The folders in which coding agents keep conversations and the user's notes, if they exist.
pub(crate) fn usual_places() -> Vec<PathBuf> {
    let claude = agent_folders::CLAUDE_CODE.path().ok();
    let codex = agent_folders::CODEX.path().ok();
    let gemini = agent_folders::GEMINI_CLI.path().ok();
    [
        (&claude, "projects"),
        (&claude, "agent-memory"),
        (&claude, "CLAUDE.md"),
        (&claude, "rules"),
        (&codex, "sessions"),
        (&codex, "archived_sessions"),
        (&codex, "AGENTS.md"),
        (&codex, "memories"),
        (&gemini, "tmp"),
        (&gemini, "GEMINI.md"),
    ]
    .into_iter()
    .filter_map(|(folder, name)| Some(folder.as_ref()?.join(name)))
    // One that cannot be reached is named to the user.
    .filter(|place| place.try_exists().unwrap_or(true))
    .collect()
}

impl Files {
    /// How many things were found so far, whether they can be imported or not.
    fn count(&self) -> usize {
        self.files.len() + self.refused.count as usize + self.failed.len()
    }

    /// Notes that the system refused a file or folder.
    fn fail(&mut self, path: &Path, error: &std::io::Error) {
        self.failed
            .push((path.display().to_string(), error.to_string()));
    }

    /// The same below a folder, where other programs may have removed it meanwhile.
    fn fail_below(&mut self, path: &Path, error: &std::io::Error) {
        if error.kind() != std::io::ErrorKind::NotFound {
            self.fail(path, error);
        }
    }

    /// Finds what is in one of the places to import from.
    fn look_at(&mut self, path: &Path, from: Option<Source>) -> std::io::Result<()> {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            let root = path.canonicalize()?;
            self.collect(path, &root, from, MAX_DEPTH);
        } else {
            // A document that is given by name is imported as notes, whatever its name.
            let named = is_document(path).then_some(Source::Markdown);
            self.push(path, from.or(named), &metadata, true);
        }
        Ok(())
    }

    fn collect(&mut self, folder: &Path, root: &Path, from: Option<Source>, depth: usize) {
        if folder.join(SKILL).is_file() {
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.fail_below(folder, &error),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.fail_below(folder, &error);
                    continue;
                }
            };
            let path = entry.path();
            if let Err(error) = self.collect_entry(&entry, &path, root, from, depth) {
                self.fail_below(&path, &error);
            }
        }
    }

    fn collect_entry(
        &mut self,
        entry: &fs::DirEntry,
        path: &Path,
        root: &Path,
        from: Option<Source>,
        depth: usize,
    ) -> std::io::Result<()> {
        // The type of the entry itself, so that links are not followed.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let is_looked_in = NOT_LOOKED_IN.iter().all(|name| entry.file_name() != *name);
            if depth > 1 && is_looked_in {
                self.collect(path, root, from, depth - 1);
            }
        } else if kind.is_file() {
            self.push(path, from, &entry.metadata()?, false);
        } else if kind.is_symlink() && is_notes(path) && leads_out(path, root) {
            self.refused.add(|| {
                format!(
                    "{}: is a link that points outside the folder; name its target to import it",
                    path.display()
                )
            });
        }
        Ok(())
    }

    /// A file that the user named is what the user says, or what it contains, whatever its ending.
    fn push(&mut self, path: &Path, from: Option<Source>, metadata: &fs::Metadata, is_named: bool) {
        // Opening a pipe or a device could block.
        if !metadata.is_file() {
            return;
        }
        if is_compressed(path) && from != Some(Source::Markdown) {
            self.refused.add(|| {
                let path = path.display();
                format!("{path}: is compressed; unpack it with `zstd -d` to import it")
            });
            return;
        }
        let is_json = matches!(ending(path), Some("jsonl" | "json"));
        let source = match from {
            Some(Source::Markdown) if is_named || is_document(path) || is_notes(path) => from,
            Some(Source::Markdown) => None,
            Some(_) if is_json || is_named => from,
            Some(_) => None,
            None if is_notes(path) => Some(Source::Markdown),
            None if is_json || is_named => match source_of(path) {
                Ok(source) => source,
                Err(error) if is_named => return self.fail(path, &error),
                Err(error) => return self.fail_below(path, &error),
            },
            None => None,
        };
        if let Some(source) = source {
            self.files.push(Found {
                path: path.to_owned(),
                source,
                size_bytes: metadata.len(),
                modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            });
        }
    }
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(OsStr::to_str)
}

/// Whether a file is a transcript that its agent has packed, as Codex does with old ones.
fn is_compressed(path: &Path) -> bool {
    name_of(path).is_some_and(|name| name.ends_with(".jsonl.zst"))
}

fn is_document(path: &Path) -> bool {
    matches!(ending(path), Some("md" | "mdc" | "markdown"))
}

fn name_of(path: &Path) -> Option<&str> {
    path.file_name().and_then(OsStr::to_str)
}

/// Whether agents read a file as notes, judging by its name and folder.
fn is_notes(path: &Path) -> bool {
    let is = |known: &[&str]| name_of(path).is_some_and(|name| known.contains(&name));
    if is(&NOTES) {
        return true;
    }
    if !is_document(path) || is(&DRAFTS) {
        return false;
    }
    // A folder that is named by `.` has its own name, too.
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut folders = path.ancestors().skip(1);
    let is_in_rules = folders.any(|folder| {
        let above = folder.parent().and_then(name_of).unwrap_or_default();
        name_of(folder).is_some_and(|name| {
            WITH_NOTES_ANYWHERE.contains(&name)
                || WITH_NOTES.contains(&(above, name))
                // For one mode of Roo Code.
                || above == ".roo" && name.starts_with("rules-")
        })
    });
    is_in_rules || is_memory(path)
}

/// Whether an agent, rather than a person, keeps a file as its memory.
pub(super) fn is_memory(path: &Path) -> bool {
    let is_of_codex = path.parent().is_some_and(|folder| {
        let above = folder.parent();
        name_of(folder) == Some("memories")
            && above.is_some_and(|above| name_of(above) == Some(".codex") || is_agent_folder(above))
    });
    is_of_codex || is_memory_of_claude_code(path)
}

/// Claude Code keeps a memory folder beside the transcripts of a project, and one for each of its
/// own agents.
pub(super) fn is_memory_of_claude_code(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1).map(name_of);
    let (folder, _, projects) = (above.next(), above.next(), above.next());
    let is_of_project = folder == Some(Some("memory")) && projects == Some(Some("projects"));
    is_of_project
        || path.ancestors().skip(1).any(|folder| {
            let is_named = name_of(folder).is_some_and(|name| OF_SUBAGENTS.contains(&name));
            let above = folder.parent().filter(|_| is_named);
            above.is_some_and(|above| name_of(above) == Some(".claude") || is_agent_folder(above))
        })
}

/// Whether a link's target is outside the root or does not exist.
fn leads_out(link: &Path, root: &Path) -> bool {
    link.canonicalize()
        .map_or(true, |target| !target.starts_with(root))
}

/// Detects the source of a file by its first lines.
fn source_of(path: &Path) -> std::io::Result<Option<Source>> {
    let file = fs::File::open(path)?;
    if path.extension().is_some_and(|ending| ending == "json") {
        let mut text = Vec::new();
        file.take(PEEK_BYTES).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let is_chat = text.contains("\"sessionId\"") && text.contains("\"messages\"");
        return Ok(is_chat.then_some(Source::GeminiCli));
    }
    let lines = BufReader::new(file.take(MAX_BYTES)).split(b'\n');
    for line in lines.take(PEEK_LINES) {
        let source = read_json(&line?)
            .ok()
            .and_then(|line| source_of_line(&line));
        if source.is_some() {
            return Ok(source);
        }
    }
    Ok(None)
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
    fn notes_are_known_by_their_names_and_places() {
        for path in [
            "CLAUDE.md",
            "/work/shop/AGENTS.md",
            "/h/.claude/projects/-work-shop/memory/MEMORY.md",
            "/h/.claude/projects/-work-shop/memory/style.md",
            "/h/.codex/memories/MEMORY.md",
            "/work/shop/.cursor/rules/rust/style.mdc",
            "/work/shop/.cursorrules",
            "/work/shop/.clinerules/style.md",
            "/work/shop/.clinerules/rules/style.md",
            "/work/shop/.github/instructions/tests.instructions.md",
            "/work/shop/.roo/rules-code/style.md",
            "/work/shop/.kiro/steering/tech.md",
            "/work/shop/.claude/agent-memory/reviewer/MEMORY.md",
            "/work/shop/memory-bank/progress.md",
            "/backup/projects/-work-shop/memory/style.md",
        ] {
            assert!(is_notes(Path::new(path)), "{path}");
        }
        for path in [
            "/work/shop/README.md",
            "/work/shop/rules/style.md",
            "/work/shop/memory/leak.rs",
            "/work/shop/docs/memory/leak.md",
            "/work/shop/memories/2026.md",
            "/work/shop/steering/notes.md",
            "/work/shop/.github/PULL_REQUEST_TEMPLATE.md",
            "/work/shop/agent-memory/notes.md",
            "/h/.codex/memories/raw_memories.md",
            "/h/.codex/memories/rollout_summaries/2026-01-30-redis.md",
            "/h/.claude/projects/-work-shop/c1.jsonl",
        ] {
            assert!(!is_notes(Path::new(path)), "{path}");
        }
    }

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
