//! Finds the programs that the tests need, and installs missing ones.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::shell::{Outcome, program, run};

/// Whether a program can be started.
pub fn is_there(name: &str) -> bool {
    Command::new(name)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The path of a program in the search path.
pub fn path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// Installs missing programs, given as pairs of a program and its Debian package.
///
/// If that is not possible, the error says what to install by hand.
pub fn need(wanted: &[(&str, &str)]) -> Outcome {
    let missing: Vec<&str> = wanted
        .iter()
        .filter(|(name, _)| !is_there(name))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)?;
    match wanted.iter().find(|(name, _)| !is_there(name)) {
        None => Ok(()),
        Some((name, package)) => {
            Err(format!("{name} is still missing after installing {package}").into())
        }
    }
}

/// Installs PostgreSQL, whose programs Debian does not put in the search path.
pub fn need_postgres() -> Outcome {
    let is_there = || {
        let debian = std::fs::read_dir("/usr/lib/postgresql");
        let mut versions = debian.into_iter().flatten().flatten();
        versions.any(|version| version.path().join("bin/initdb").is_file()) || is_there("pg_config")
    };
    if is_there() {
        return Ok(());
    }
    install(&["postgresql"])?;
    match is_there() {
        true => Ok(()),
        false => Err("initdb is still missing after installing postgresql".into()),
    }
}

/// Installs Debian packages.
pub fn install(packages: &[&str]) -> Outcome {
    let by_hand = format!("install by hand: {}", packages.join(" "));
    if !is_there("apt-get") {
        return Err(by_hand.into());
    }
    let is_root = crate::shell::output(program("id").arg("-u"))?.trim() == "0";
    let apt = |arguments: &[&str]| {
        let mut command = match is_root {
            true => program("apt-get"),
            false => {
                let mut sudo = program("sudo");
                sudo.args(["--non-interactive", "apt-get"]);
                sudo
            }
        };
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["--quiet", "--yes"])
            .args(arguments);
        run(&mut command)
    };
    // Outdated lists refer to versions that the servers no longer have.
    apt(&["update"])
        .and_then(|()| apt(&[&["install", "--no-install-recommends"], packages].concat()))
        .map_err(|problem| format!("{by_hand} ({problem})").into())
}
