//! Tests the real coding agents, in the versions of `examples/cli/tests/hosts`, with the command's
//! hooks and plugins.

use std::path::Path;

use crate::report::Count;
use crate::shell::{Outcome, passed_on, program, root, run};

/// The script of Claude Code's package that installs its program; npm is told not to run it.
const CLAUDE_CODE: &str = "node_modules/@anthropic-ai/claude-code/install.cjs";

/// Runs whole sessions of each agent with this program.
pub fn test(recallite: &Path) -> Outcome<Count> {
    let folder = root().join("examples/cli/tests/hosts");
    run(program("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&folder))?;
    run(program("node").arg(CLAUDE_CODE).current_dir(&folder))?;
    let text = passed_on(
        program("npm")
            .arg("test")
            .env("RECALLITE_BIN", recallite)
            .current_dir(&folder),
    )?;
    Ok(Count::by_node(&text))
}
