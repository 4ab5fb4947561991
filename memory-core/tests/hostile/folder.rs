//! Attacks by another user through the folder of a store: links, pipes, folders in place of files,
//! open permissions.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use recallite::scope::ProjectScope;
use recallite::{MaintainBudget, Selector};

use crate::traced::MANY_VECTORS;
use crate::victim::{OPERATION, PLACE, Place, Template, open, prompt};

/// Runs an operation of the victim with this umask, and returns how it ended.
fn run(operation: &str, place: &Place, umask: &str) -> String {
    let output = Command::new("timeout")
        .args([
            "60",
            "sh",
            "-c",
            &format!("umask {umask}; exec \"$0\" \"$@\""),
        ])
        .arg(std::env::current_exe().unwrap())
        .args([
            "victim::victim",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(OPERATION, operation)
        .env(PLACE, &place.0)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(124), "{operation} hangs");
    let text = String::from_utf8(output.stdout).unwrap();
    let end = text
        .lines()
        .find(|line| line.starts_with("| ended") || line.starts_with("| error"));
    let end = end.unwrap_or_else(|| panic!("{operation} ended without a word: {text}"));
    end.trim_start_matches("| ").to_owned()
}

/// A folder with a store that has events and vector files.
fn place() -> (tempfile::TempDir, Place) {
    let folder = tempfile::tempdir().unwrap();
    let place = Template::make(folder.path(), MANY_VECTORS).place;
    let memory = open(&place.store()).unwrap();
    memory.process_outbox(100).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    drop(memory);
    assert!(
        place.store().join("index").exists(),
        "there are no side files"
    );
    (folder, place)
}

fn modes(folder: &Path, found: &mut Vec<(String, u32)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let data = entry.metadata().unwrap();
        found.push((
            entry.path().display().to_string(),
            data.permissions().mode() & 0o777,
        ));
        if data.is_dir() {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn only_the_owner_may_read_whatever_the_umask_is() {
    for umask in ["000", "022", "077"] {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().to_owned());
        assert_eq!(run("create", &place, umask), "ended well");
        fs::rename(place.new_store(), place.store()).unwrap();
        for operation in [
            "append_batch",
            "process_outbox",
            "erase",
            "compact",
            "backup",
        ] {
            assert_eq!(run(operation, &place, umask), "ended well", "{operation}");
        }
        all_are_private(folder.path(), 5);
    }
    let (_folder, place) = place();
    fs::remove_dir_all(place.store().join("index")).unwrap();
    assert_eq!(run("vector files", &place, "000"), "ended well");
    all_are_private(&place.store(), 4);
}

fn all_are_private(folder: &Path, least: usize) {
    let mut found = Vec::new();
    modes(folder, &mut found);
    assert!(found.len() >= least, "{found:?}");
    for (path, mode) in found {
        assert_eq!(mode & 0o077, 0, "{path} has mode {mode:o}");
    }
}

#[test]
fn a_pipe_or_a_folder_in_place_of_a_file_hangs_nobody() {
    let (_folder, place) = place();
    for name in ["CURRENT", "memory.1.redb", "index"] {
        for kind in ["mkfifo", "mkdir", "touch"] {
            let path = place.store().join(name);
            let aside = place.0.join("aside");
            fs::rename(&path, &aside).unwrap();
            assert!(Command::new(kind).arg(&path).status().unwrap().success());
            let end = run("append", &place, "077");
            let is_clear = [
                "corrupt",
                "io",
                "invalid_argument",
                "permission_denied",
                "unsupported",
            ]
            .iter()
            .any(|code| end.starts_with(&format!("error {code} ")));
            // Side files are rebuilt, and the names of the generation files tell which one is live.
            assert!(
                is_clear || (name != "memory.1.redb" && end == "ended well"),
                "{kind} {name}: {end}"
            );
            if fs::metadata(&path).unwrap().is_dir() {
                fs::remove_dir_all(&path).unwrap();
            } else {
                fs::remove_file(&path).unwrap();
            }
            fs::rename(&aside, &path).unwrap();
            assert_eq!(
                run("append", &place, "077"),
                "ended well",
                "{kind} {name}, put back"
            );
        }
    }
}

#[test]
fn links_in_the_folder_lead_no_write_elsewhere() {
    let (folder, place) = place();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "precious").unwrap();
    let store = place.store();
    // A symlink in place of the folder of side files.
    fs::remove_dir_all(store.join("index")).unwrap();
    symlink(&precious, store.join("index")).unwrap();
    for operation in ["append_batch", "process_outbox", "compact"] {
        let _ = run(operation, &place, "077");
    }
    if let Ok(memory) = open(&store) {
        let _ = memory.search("harbour");
        let _ = memory.erase(&Selector::new().session("hush").project(ProjectScope::All));
    }
    assert_eq!(
        fs::read_to_string(precious.join("file")).unwrap(),
        "precious"
    );
    let others: Vec<_> = fs::read_dir(&precious)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(others, ["file"], "side files were written through the link");
}

/// A store may come with a repository that somebody else wrote.
#[test]
fn links_and_pipes_among_the_side_files_are_removed_and_not_followed() {
    const NAMES: [&str; 5] = [
        "vectors.1.0.9.7.bin",
        "vectors.9.0.9.7.bin",
        "vectors.old.bin",
        "vectors.1.0.9.7.tmp",
        "words.1.7.tmp",
    ];
    for kind in ["link", "hard link", "pipe"] {
        let (folder, place) = place();
        let precious = folder.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        let paths = NAMES.map(|name| place.store().join("index").join(name));
        for path in &paths {
            match kind {
                "link" => symlink(&precious, path).unwrap(),
                "hard link" => fs::hard_link(&precious, path).unwrap(),
                _ => {
                    let made = Command::new("mkfifo").arg(path).status().unwrap();
                    assert!(made.success());
                }
            }
        }
        for operation in ["open", "process_outbox", "erase", "compact"] {
            let ended = run(operation, &place, "077");
            assert_eq!(ended, "ended well", "{operation} with a {kind}");
        }
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious", "{kind}");
        for path in &paths {
            let is_there = fs::symlink_metadata(path).is_ok();
            assert!(!is_there, "a {kind} is left: {}", path.display());
        }
    }
}

/// A store may come with a repository that somebody else wrote.
#[test]
fn links_in_place_of_files_are_refused_and_not_followed() {
    let (folder, place) = place();
    let precious = folder.path().join("precious");
    for name in ["CURRENT", "memory.1.redb", "swap.lock", "build.lock"] {
        for text in ["precious", ""] {
            fs::write(&precious, text).unwrap();
            let path = place.store().join(name);
            let aside = place.0.join("aside");
            let was_there = fs::rename(&path, &aside).is_ok();
            symlink(&precious, &path).unwrap();
            for operation in ["append", "compact"] {
                let _ = run(operation, &place, "077");
            }
            assert_eq!(fs::read_to_string(&precious).unwrap(), text, "{name}");
            fs::remove_file(&path).unwrap();
            if was_there {
                fs::rename(&aside, &path).unwrap();
            }
            assert_eq!(run("append", &place, "077"), "ended well", "{name}");
        }
    }
}

#[test]
fn a_store_that_is_reached_through_a_link_is_the_same_store() {
    let (folder, place) = place();
    let link = folder.path().join("link");
    symlink(place.store(), &link).unwrap();
    let (here, there) = (open(&place.store()).unwrap(), open(&link).unwrap());
    let before = here.stats().unwrap().last_seq;
    there.append(prompt("s", "through the link")).unwrap();
    assert_eq!(here.stats().unwrap().last_seq, before + 1);
}
