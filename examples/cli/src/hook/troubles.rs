//! Failures of hooks, recorded outside of the store for `doctor`: codes and messages, never any
//! content.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use recallite::privacy::INEXACT_TAG_WARNING;
use recallite::{Error, ErrorCode, Timestamp};
use serde_json::{Value, json};

use super::call::Call;
use crate::failure::{is_out_of_space, with_commands};
use crate::files;

/// Above this size, in bytes, the older half is dropped.
const MOST_BYTES: u64 = 64 << 10;
const FILE: &str = "hook-troubles.jsonl";

/// A failure.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// `busy`, `deadline`, `input`, ...
    pub(crate) code: String,
    pub(crate) message: String,
}

/// The agent that called and its event, once its input was read: the deadline may end the process
/// at any moment after.
static CALLER: OnceLock<(&'static str, String)> = OnceLock::new();

/// Remembers who called.
pub(super) fn set_caller(call: &Call) {
    // A process serves one call.
    let _ = CALLER.set((call.host.name(), call.event.clone()));
}

/// The folder of the store that was called for, once it is known.
static STORE: OnceLock<PathBuf> = OnceLock::new();

/// Remembers which store is called for.
pub(super) fn set_store(folder: &Path) {
    // A process serves one call.
    let _ = STORE.set(folder.to_owned());
}

/// The code of a warning about a tag that was not exact, and hid its text.
const HIDDEN: &str = "private_tag";

impl Trouble {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Trouble {
            code: code.to_owned(),
            message: message.into(),
        }
    }

    pub(super) fn of(error: &Error) -> Self {
        // The library asks to reopen the store, which every hook does anyway.
        let code = match is_out_of_space(error) {
            true => ErrorCode::Full,
            false => error.code(),
        };
        Trouble::new(code.as_str(), with_commands(error.message()))
    }

    /// A warning of the privacy filter about a prompt that was stored.
    pub(super) fn warning(warning: &str) -> Self {
        let code = match warning == INEXACT_TAG_WARNING {
            true => HIDDEN,
            false => "privacy",
        };
        Trouble::new(code, warning)
    }

    /// Whether it is a failure, and no warning about a prompt.
    pub(crate) fn is_failure(code: &str) -> bool {
        !matches!(code, "privacy" | HIDDEN)
    }

    /// The command that helps with failures of this kind.
    pub(crate) fn remedy(code: &str) -> &'static str {
        let is = |known: ErrorCode| known.as_str() == code;
        match code {
            "deadline" => {
                "the disk or machine was busy; run `recallite import` to add what was not stored"
            }
            "too_long" => "run `recallite import` to add what was not stored",
            "input" => "update recallite and the agent, then run `recallite install` again",
            "privacy" => {
                "the prompt was stored; remove it with `recallite erase` if it had to stay private"
            }
            HIDDEN => {
                "the text was hidden, as by an exact tag; write a tag as `<private>`, or not at all"
            }
            "usage" => "update recallite; the plugin is newer than the command",
            "settings" => "run `recallite config`, and correct what it names",
            _ if is(ErrorCode::Busy) => {
                "another program held the store; run `recallite import` to add what was not stored"
            }
            _ if is(ErrorCode::Full) => "free disk space, or run `recallite maintain --compact`",
            _ if is(ErrorCode::PermissionDenied) => {
                "make yourself the owner of the store's folder and make it writable"
            }
            _ if is(ErrorCode::Corrupt) => "run `recallite check` to locate the damage",
            _ if is(ErrorCode::NewerFormat) => {
                "install the newer version of recallite that wrote the store"
            }
            _ if is(ErrorCode::Internal) => "please report it, with this message",
            _ => "correct what the message names, then run `recallite import`",
        }
    }
}

/// Records a failure; if that fails too, it is lost.
pub(super) fn note(trouble: &Trouble) {
    let Some(file) = file() else {
        return;
    };
    if let Some(folder) = file.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let (host, event) = CALLER
        .get()
        .map_or(("", ""), |(host, event)| (*host, event.as_str()));
    let line = json!({
        "at": crate::time::now().to_string(),
        "code": trouble.code,
        "message": trouble.message,
        "host": host,
        "event": event,
        "store": STORE.get().map(|folder| folder.display().to_string()),
    });
    shorten(&file);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(mut file) = options.open(file) {
        // A single write, so that hooks of several sessions do not mix their lines.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// Drops the older half of a file that has become too large. It is replaced as a whole, so that a
/// process that is killed leaves the old one or the new one.
fn shorten(file: &Path) {
    let is_large = fs::metadata(file).is_ok_and(|metadata| metadata.len() > MOST_BYTES);
    if !is_large {
        return;
    }
    let Ok(lines) = fs::read(file) else {
        return;
    };
    let half = lines.len() / 2;
    let end_of_line = lines[half..].iter().position(|byte| *byte == b'\n');
    let from = end_of_line.map_or(lines.len(), |end| half + end + 1);
    // A torn line need not be text.
    let newer = String::from_utf8_lossy(&lines[from..]);
    let _ = files::write_private(file, &newer);
}

/// A failure as it was recorded.
#[derive(Debug)]
pub(crate) struct Noted {
    pub(crate) at: Timestamp,
    pub(crate) code: String,
    pub(crate) message: String,
    /// The agent; empty if its input was not read.
    pub(crate) host: String,
    /// The folder of the store; `None` if it was not known yet, or was not recorded.
    pub(crate) store: Option<PathBuf>,
}

/// The failures since a moment, oldest first.
pub(crate) fn since(moment: Timestamp) -> Vec<Noted> {
    let lines = file().and_then(|file| fs::read(file).ok());
    let text = lines.unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(Noted {
                at: line["at"].as_str()?.parse().ok()?,
                code: line["code"].as_str()?.to_owned(),
                message: line["message"].as_str().unwrap_or_default().to_owned(),
                host: line["host"].as_str().unwrap_or_default().to_owned(),
                store: line["store"].as_str().map(PathBuf::from),
            })
        })
        .filter(|noted| noted.at >= moment)
        .collect()
}

/// The file, in the system's folder for state of programs; `None` if something else is in its place.
fn file() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")?.join("recallite-state")
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join("Library/Logs/recallite")
    } else {
        variable("XDG_STATE_HOME")
            .or_else(|| Some(variable("HOME")?.join(".local/state")))?
            .join("recallite")
    };
    let file = base.join(FILE);
    // A pipe that nobody writes would never answer.
    let is_other = fs::metadata(&file).is_ok_and(|found| !found.is_file());
    (!is_other).then_some(file)
}
