//! Tests the pages of `recallite view` in a real Chromium: `examples/cli/tests/browser`.

use std::path::{Path, PathBuf};

use crate::report::Count;
use crate::shell::{Outcome, passed_on, program, root, run};
use crate::tools;

/// The names of Chromium on the supported systems.
const NAMES: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];

/// Finds a Chromium on this machine, or installs its package.
///
/// The error says what is missing.
pub fn browser() -> Outcome<PathBuf> {
    let found = || NAMES.into_iter().find(|name| tools::is_there(name));
    if found().is_none() {
        tools::install(&["chromium"])?;
    }
    found()
        .and_then(tools::path)
        .ok_or_else(|| "no Chromium runs here".into())
}

/// Tests every page against this program.
pub fn test(browser: &Path, recallite: &Path) -> Outcome<Count> {
    let folder = root().join("examples/cli/tests/browser");
    run(program("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&folder))?;
    let text = passed_on(
        program("npm")
            .arg("test")
            .env("CHROMIUM", browser)
            .env("RECALLITE_BIN", recallite)
            .current_dir(&folder),
    )?;
    Ok(Count::by_node(&text))
}
