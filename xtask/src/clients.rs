//! Tests `recallite mcp` with the official clients of the Model Context Protocol, in the versions
//! of `examples/cli/tests/clients`.

use std::path::{Path, PathBuf};

use crate::report::Count;
use crate::shell::{Outcome, copy, passed_on, program, read, root, run, target, write};

/// The programs, and the lists of packages that they import.
const FILES: [&str; 7] = [
    "calls.json",
    "calls.mjs",
    "client.mjs",
    "client.py",
    "inspector.mjs",
    "package-lock.json",
    "package.json",
];

/// The clients, installed below the target folder.
pub struct Clients {
    folder: PathBuf,
    python: PathBuf,
}

impl Clients {
    /// Installs what is missing.
    ///
    /// The error says what could not be installed.
    pub fn install() -> Outcome<Clients> {
        let from = root().join("examples/cli/tests/clients");
        let folder = target().join("mcp-clients");
        for file in FILES {
            copy(&from.join(file), &folder.join(file))?;
        }
        once(&folder, "node", &from.join("package-lock.json"), || {
            run(program("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(&folder))
        })?;
        let wanted = from.join("requirements.txt");
        let venv = folder.join("venv");
        let python = venv.join("bin/python");
        once(&folder, "python", &wanted, || {
            run(program("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&venv))?;
            run(program(&python)
                .args(["-m", "pip", "--disable-pip-version-check", "--quiet"])
                .args(["install", "--requirement"])
                .arg(&wanted))
        })?;
        Ok(Clients { folder, python })
    }

    /// Runs every client against this program.
    pub fn test(&self, recallite: &Path) -> Outcome<Count> {
        let mut count = Count::default();
        for (runner, script) in [
            (self.python.as_path(), "client.py"),
            (Path::new("node"), "client.mjs"),
            (Path::new("node"), "inspector.mjs"),
        ] {
            let mut client = program(runner);
            client.arg(self.folder.join(script)).arg(recallite);
            let said = passed_on(&mut client)?;
            count.passed += passed(&said).ok_or_else(|| format!("{script} counted no check"))?;
        }
        Ok(count)
    }
}

/// Parses the number in `… client: 57 passed`.
fn passed(said: &str) -> Option<usize> {
    let (_, count) = said.trim().rsplit_once(": ")?;
    count.strip_suffix(" passed")?.parse().ok()
}

/// Runs a step unless it was already run for the same list of packages.
fn once(folder: &Path, what: &str, list: &Path, install: impl FnOnce() -> Outcome) -> Outcome {
    let done = folder.join(format!("{what}.installed"));
    let wanted = read(list)?;
    if read(&done).is_ok_and(|had| had == wanted) {
        return Ok(());
    }
    install()?;
    write(&done, &wanted)
}
