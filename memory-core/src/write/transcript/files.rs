//! Finds transcript files and the session that each belongs to.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::shorten::place;

/// Maximum depth of the search below the given folder: a root of projects contains
/// `project/session/subagents/agent-x.jsonl`.
const MAX_DEPTH: usize = 4;

/// A transcript file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The session that its messages are stored under: the file's stem. A subagent's file
    /// (`agent-….jsonl`) is a session of its own, so that its turns are not mixed with
    /// those of the conversation that started it.
    pub session_id: String,
    /// For a subagent's file in `<session>/subagents/`, the session that started it.
    pub parent_session_id: Option<String>,
    /// When it was last modified.
    pub modified: SystemTime,
}

/// Finds the transcripts at a path: the file itself, or every `.jsonl` file in a project's
/// folder or in a root of such folders, including those of subagents. The most recently
/// changed file comes first. Linked folders are not followed.
///
/// # Errors
/// `not_found` when the path does not exist or holds no transcript;
/// `permission_denied` or `io` when it cannot be read.
pub fn find_transcripts(path: &Path) -> Result<Vec<TranscriptFile>> {
    let about = |error: std::io::Error| {
        let kind = Error::from(error);
        Error::new(kind.code(), format!("{}: {kind}", place(path)))
            .with_argument("path")
            .with_source(kind)
    };
    let metadata = std::fs::metadata(path).map_err(about)?;
    let mut found = Vec::new();
    if metadata.is_dir() {
        let entries = std::fs::read_dir(path).map_err(about)?;
        collect(entries, MAX_DEPTH, &mut found);
    } else {
        push_file(path.to_owned(), &metadata, &mut found);
    }
    if found.is_empty() {
        return Err(Error::new(
            ErrorCode::NotFound,
            format!("{}: there is no transcript (*.jsonl) here", place(path)),
        )
        .with_argument("path"));
    }
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then(a.path.cmp(&b.path)));
    Ok(found)
}

/// Entries that vanish or cannot be read are skipped: other sessions run at the same time.
fn collect(entries: std::fs::ReadDir, depth: usize, found: &mut Vec<TranscriptFile>) {
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if depth > 1
                && let Ok(entries) = std::fs::read_dir(&path)
            {
                collect(entries, depth - 1, found);
            }
        } else if path.extension().is_some_and(|e| e == "jsonl")
            && let Ok(metadata) = std::fs::metadata(&path)
            && metadata.is_file()
        {
            push_file(path, &metadata, found);
        }
    }
}

fn push_file(path: PathBuf, metadata: &std::fs::Metadata, found: &mut Vec<TranscriptFile>) {
    let Some(stem) = path.file_stem() else {
        return;
    };
    let parent_session_id = path
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|n| n == "subagents"))
        .and_then(Path::parent)
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    found.push(TranscriptFile {
        session_id: stem.to_string_lossy().into_owned(),
        parent_session_id,
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        path,
    });
}

/// Returns the name of the folder in which Claude Code keeps a project's transcripts: the
/// project's path with every character that is not an ASCII letter or digit replaced by a
/// hyphen.
///
/// ```
/// use recallite::transcript::project_folder_name;
/// assert_eq!(project_folder_name("/home/ada/my.app"), "-home-ada-my-app");
/// ```
pub fn project_folder_name(project_path: &str) -> String {
    project_path
        .encode_utf16()
        .map(|unit| {
            u8::try_from(unit)
                .ok()
                .filter(u8::is_ascii_alphanumeric)
                .map_or('-', char::from)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn a_root_gives_every_session_and_subagent_newest_first() {
        let root = tempfile::tempdir().expect("a folder");
        let subagents = root.path().join("-home-ada-앱/s1/subagents");
        fs::create_dir_all(&subagents).expect("folders");
        let project = root.path().join("-home-ada-앱");
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for (index, path) in [
            project.join("s1.jsonl"),
            subagents.join("agent-x.jsonl"),
            project.join("s2.jsonl"),
            project.join("notes.txt"),
        ]
        .iter()
        .enumerate()
        {
            fs::write(path, "{}\n").expect("a file");
            fs::File::options()
                .write(true)
                .open(path)
                .and_then(|f| f.set_modified(start + Duration::from_secs(index as u64)))
                .expect("a time");
        }
        let found = find_transcripts(root.path()).expect("three files");
        let names: Vec<_> = found
            .iter()
            .map(|f| (f.session_id.as_str(), f.parent_session_id.as_deref()))
            .collect();
        assert_eq!(names, [("s2", None), ("agent-x", Some("s1")), ("s1", None)]);
        assert_eq!(find_transcripts(&project).expect("the same").len(), 3);
        let one = find_transcripts(&project.join("s1.jsonl")).expect("one file");
        assert_eq!(one.len(), 1);
    }

    #[test]
    fn nothing_found_is_an_error_that_names_the_path() {
        let root = tempfile::tempdir().expect("a folder");
        for path in [root.path().to_owned(), root.path().join("missing")] {
            let error = find_transcripts(&path).expect_err("nothing is there");
            assert_eq!(error.code(), ErrorCode::NotFound);
            assert_eq!(error.argument(), Some("path"));
            assert!(error.message().contains(&*path.to_string_lossy()));
        }
    }
}
