//! What the coding agents are called in commands, in reports and in the metadata of what their hooks
//! store.

use crate::arguments::Host;

pub(crate) const CLAUDE_CODE: &str = "claude-code";
pub(crate) const CODEX: &str = "codex";
pub(crate) const GEMINI_CLI: &str = "gemini-cli";
pub(crate) const CURSOR: &str = "cursor";
pub(crate) const VSCODE: &str = "vscode";
pub(crate) const COPILOT_CLI: &str = "copilot-cli";
/// Of a caller that has no sign of any of them.
pub(crate) const UNKNOWN: &str = "unknown";

/// The name of an agent that can be installed into.
pub(crate) fn of(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => CLAUDE_CODE,
        Host::Codex => CODEX,
        Host::GeminiCli => GEMINI_CLI,
        Host::Cursor => CURSOR,
        Host::Vscode => VSCODE,
    }
}
