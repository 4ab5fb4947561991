//! What was done to an agent's files, and how it is told.

use std::path::PathBuf;

use serde_json::json;

use crate::output::{Line, Look, Output, path_json};

/// What was done to an agent's files.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Files that were written, changed or removed.
    pub(super) changed: Vec<PathBuf>,
    /// How the agent called the server that had our name before, if it was another.
    pub(super) replaced: Option<String>,
    /// What the user has to do next.
    pub(super) next: &'static str,
}

/// Tells what was done.
pub(super) fn tell(
    host: &str,
    said: &str,
    done: &Done,
    warning: Option<&str>,
    output: &mut Output,
) {
    if output.is_json() {
        output.json(&json!({
            "host": host,
            "changed": done.changed.iter().map(|file| path_json(file)).collect::<Vec<_>>(),
            "replaced": done.replaced,
            "next": done.next,
            "warning": warning,
        }));
        return;
    }
    output.line(Line::new().add(Look::Good, said));
    for file in &done.changed {
        output.line(Line::new().plain("    ").plain(file.display()));
    }
    if let Some(replaced) = &done.replaced {
        let line = Line::new().add(Look::Warning, "replaced: ");
        output.line(line.plain(format_args!(
            "the MCP server named recallite was: {replaced}"
        )));
    }
    if !done.next.is_empty() {
        output.say(done.next);
    }
    if let Some(warning) = warning {
        output.line(Line::new().add(Look::Warning, "warning: ").plain(warning));
    }
}
