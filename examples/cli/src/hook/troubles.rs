//! Failures of hooks, recorded outside of the store for `doctor`: codes and messages, never any
//! content.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use recallite::privacy::INEXACT_TAG_WARNING;
use recallite::{Error, ErrorCode, Timestamp};
use serde_json::{Value, json};

use super::call::Call;
use crate::disk::free_bytes;
use crate::failure::{is_beyond_file_limit, is_out_of_space, with_commands};
use crate::files;

/// Above this size, in bytes, the older half is dropped.
const MAX_BYTES: u64 = 64 << 10;
const FILE: &str = "hook-troubles.jsonl";
/// How many bytes at the beginning of the file are kept for failures on a full disk: blank lines,
/// over which they are written.
const KEPT: usize = 4 << 10;
/// With less room than this, in bytes, writing to the store may fail, or try for long.
const ALMOST_FULL: u64 = 1 << 20;

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
/// The code of a store that has reached its own limit of size, whatever room the disk has.
const SIZE_LIMIT: &str = "size_limit";
/// The code of the system's limit on the size of files.
const FILE_LIMIT: &str = "file_limit";

impl Trouble {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Trouble {
            code: code.to_owned(),
            message: message.into(),
        }
    }

    pub(super) fn of(error: &Error) -> Self {
        // The library asks to reopen the store, which every hook does anyway.
        let code = match error.code() {
            _ if is_beyond_file_limit(error) => FILE_LIMIT,
            _ if is_out_of_space(error) => ErrorCode::Full.as_str(),
            ErrorCode::Full => SIZE_LIMIT,
            code => code.as_str(),
        };
        Trouble::new(code, with_commands(error.message()))
    }

    /// The deadline was reached after this time. On a full disk, that is the reason.
    pub(super) fn of_deadline(after: Duration) -> Self {
        let message = format!("did not finish within {} ms", after.as_millis());
        let free = STORE.get().and_then(|folder| free_bytes(folder));
        match free.filter(|free| *free < ALMOST_FULL) {
            Some(free) => {
                let message = format!("{message}; the disk of the store has {free} bytes left");
                Trouble::new(ErrorCode::Full.as_str(), message)
            }
            None => Trouble::new("deadline", message),
        }
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
            _ if is(ErrorCode::Full) => {
                "free disk space, then run `recallite import` to add what was not stored"
            }
            SIZE_LIMIT => {
                "run `recallite forget --before 365d`, then `recallite maintain --compact`"
            }
            FILE_LIMIT => {
                "raise the limit on the size of files (`ulimit -f`), then run `recallite import`"
            }
            _ if is(ErrorCode::PermissionDenied) => {
                "make yourself the owner of the store's folder and make it writable, or name a copy \
                 of it elsewhere with RECALLITE_STORE"
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

/// Keeps room for failures on a disk that is full later, if the file does not exist yet. Called by
/// `install`, because a hook writes nothing outside of the store unless it fails.
pub(crate) fn keep_room() {
    let Some(file) = file().filter(|file| !file.exists()) else {
        return;
    };
    if let Some(folder) = file.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(mut open) = options.open(&file)
        && open.write_all(&[b'\n'; KEPT]).is_err()
    {
        let _ = fs::remove_file(&file);
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
    // A line of its own, whatever became of the one before on a full disk.
    let line = format!("\n{line}\n");
    // A single write, so that hooks of several sessions do not mix their lines.
    let appended = options
        .open(&file)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if appended.is_err() {
        let _ = write_into_kept(&file, line.as_bytes());
    }
}

/// Writes a line where the file has room for it already, over the oldest ones if there is no more.
fn write_into_kept(file: &Path, line: &[u8]) -> std::io::Result<()> {
    let mut open = OpenOptions::new().read(true).write(true).open(file)?;
    let mut kept = vec![0; KEPT];
    open.read_exact(&mut kept)?;
    let last = kept.iter().rposition(|byte| *byte != b'\n');
    let free = last.map_or(0, |last| last + 1);
    let at = match free + line.len() <= KEPT {
        true => free,
        false if line.len() <= KEPT => 0,
        false => return Err(ErrorKind::FileTooLarge.into()),
    };
    open.seek(SeekFrom::Start(at as u64))?;
    open.write_all(line)
}

/// Drops the older half of a file that has become too large. It is replaced as a whole, so that a
/// process that is killed leaves the old one or the new one.
fn shorten(file: &Path) {
    let is_large = fs::metadata(file).is_ok_and(|metadata| metadata.len() > MAX_BYTES);
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
    let _ = files::write_private(file, &format!("{}{newer}", "\n".repeat(KEPT)));
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
    let text = String::from_utf8_lossy(&text);
    let noted = text.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        Some(Noted {
            at: line["at"].as_str()?.parse().ok()?,
            code: line["code"].as_str()?.to_owned(),
            message: line["message"].as_str().unwrap_or_default().to_owned(),
            host: line["host"].as_str().unwrap_or_default().to_owned(),
            store: line["store"].as_str().map(PathBuf::from),
        })
    });
    let mut noted: Vec<Noted> = noted.filter(|noted| noted.at >= moment).collect();
    // Those of a full disk are at the beginning.
    noted.sort_by_key(|noted| noted.at);
    noted
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_takes_that_of_the_oldest() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        // A file without room that was kept has none to give.
        fs::write(&file, "{}\n").unwrap();
        assert!(write_into_kept(&file, b"\n{}\n").is_err());
        fs::write(&file, "\n".repeat(KEPT)).unwrap();
        let line = |number: usize| format!("\n{number:0>500}\n");
        for number in 1..20 {
            write_into_kept(&file, line(number).as_bytes()).unwrap();
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(text.len(), KEPT);
            let whole: Vec<usize> = text
                .lines()
                .filter(|line| line.len() == 500)
                .map(|line| line.parse().unwrap())
                .collect();
            // One that is being written over is cut off.
            let least = number.min(KEPT / 502 - 1);
            assert!(whole.contains(&number), "{number}: {whole:?}");
            assert!(whole.len() >= least, "{number}: {whole:?}");
        }
        assert!(write_into_kept(&file, &[b'x'; KEPT + 1]).is_err());
    }
}
