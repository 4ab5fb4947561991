//! What the coding agents are called in commands, in reports and in the metadata of what their hooks
//! store.

pub(crate) const CLAUDE_CODE: &str = "claude-code";
pub(crate) const CODEX: &str = "codex";
pub(crate) const GEMINI_CLI: &str = "gemini-cli";
pub(crate) const CURSOR: &str = "cursor";
pub(crate) const VSCODE: &str = "vscode";
pub(crate) const COPILOT_CLI: &str = "copilot-cli";
