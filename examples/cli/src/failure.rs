//! Errors that end a command, and their exit codes.

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;

use recallite::ErrorCode;
use recallite::text::show::harmless_line;

use crate::color::choice;
use crate::exit;
use crate::interrupt;

const INTERRUPTED: &str = "interrupted; nothing unfinished is left";

/// The result of a command or a part of one.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the library.
    Memory(recallite::Error),
    /// An error of this program, with its exit code.
    Said(u8, String),
    /// There is no store in the folder that was named or is used by default.
    NoStore(PathBuf),
    /// A name that fits several things; their names are stored text.
    Ambiguous { said: String, names: Vec<String> },
    /// Everything has been printed; only the exit code is left.
    Silent(u8),
}

impl Failure {
    /// An error of this program.
    pub(crate) fn said(message: impl Into<String>) -> Self {
        Failure::Said(exit::FAILED, message.into())
    }

    /// Invalid arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure::Said(exit::USAGE, message.into())
    }

    /// A signal stopped the command.
    pub(crate) fn interrupted() -> Self {
        Failure::Said(interrupt::exit_code(), INTERRUPTED.to_owned())
    }

    /// Something that does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Failure::Said(exit::NOT_FOUND, message.into())
    }

    /// A file or folder that the system refused; the error names it.
    pub(crate) fn io(path: &std::path::Path, error: &std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => exit::NOT_FOUND,
            _ => exit::FAILED,
        };
        let hint = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "; free space there and try again"
            }
            std::io::ErrorKind::FileTooLarge => FILE_LIMIT,
            _ => "",
        };
        Failure::Said(code, format!("{}: {error}{hint}", path.display()))
    }

    /// An error of the library about the place where memories are shared. What others left there is
    /// no argument of this command.
    pub(crate) fn of_place(error: recallite::Error) -> Self {
        let is_of_place = error.code() == ErrorCode::InvalidArgument
            && matches!(error.argument(), Some("folder" | "batch"));
        match is_of_place {
            true => Failure::said(Failure::Memory(error).message()),
            false => Failure::Memory(error),
        }
    }

    /// Whether the memory answers again only after it was opened again.
    pub(crate) fn needs_reopen(&self) -> bool {
        matches!(self, Failure::Memory(error) if error.needs_reopen())
    }

    /// The error in one line.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Silent(_) => String::new(),
            Failure::Said(_, message) => harmless_line(message).into_owned(),
            Failure::NoStore(folder) => harmless_line(&format!(
                "no store found in {}; create one with `recallite import` or `recallite remember`, \
                 or name another folder with --store",
                folder.display()
            ))
            .into_owned(),
            Failure::Ambiguous { said, names } => {
                harmless_line(&format!("{said}: {}", names.join("; "))).into_owned()
            }
            Failure::Memory(error) => harmless_line(&advice(error)).into_owned(),
        }
    }

    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Said(code, _) | Failure::Silent(code) => *code,
            Failure::NoStore(_) => exit::NOT_FOUND,
            Failure::Ambiguous { .. } => exit::USAGE,
            Failure::Memory(error) => exit_code_of(error),
        }
    }

    /// The error as `--json` prints it.
    pub(crate) fn json(&self) -> Value {
        let code = match self {
            Failure::Said(exit::NOT_FOUND, _) | Failure::NoStore(_) => "not_found",
            Failure::Said(exit::USAGE, _) | Failure::Ambiguous { .. } => "invalid_argument",
            Failure::Said(exit::BUSY, _) => "busy",
            Failure::Said(..) | Failure::Silent(_) => "failed",
            Failure::Memory(error) => error.code().as_str(),
        };
        json!({ "error": { "code": code, "message": self.message() } })
    }

    /// Prints the error to standard error, and returns the exit code.
    pub(crate) fn report(&self, as_json: bool, color: ColorChoice) -> u8 {
        if let Failure::Silent(code) = self {
            return *code;
        }
        let mut stderr = AutoStream::new(std::io::stderr(), choice(color));
        let _ = if as_json {
            writeln!(stderr, "{}", self.json())
        } else {
            let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
            writeln!(stderr, "{red}error:{red:#} {}", self.message())
        };
        self.exit_code()
    }
}

fn exit_code_of(error: &recallite::Error) -> u8 {
    match error.code() {
        ErrorCode::NotFound => exit::NOT_FOUND,
        ErrorCode::Busy => exit::BUSY,
        ErrorCode::Corrupt => exit::DAMAGED,
        ErrorCode::InvalidArgument => exit::USAGE,
        ErrorCode::Interrupted => interrupt::exit_code(),
        _ => exit::FAILED,
    }
}

/// Whether the disk was full: the cause of an error that asks to reopen the store.
pub(crate) fn is_out_of_space(error: &recallite::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    is_by_io(error, |kind| matches!(kind, StorageFull | QuotaExceeded))
}

/// Whether the system lets the process write no larger files, however much room there is.
pub(crate) fn is_beyond_file_limit(error: &recallite::Error) -> bool {
    is_by_io(error, |kind| kind == std::io::ErrorKind::FileTooLarge)
}

/// What helps then.
const FILE_LIMIT: &str = "; raise the limit on the size of files (`ulimit -f`) and try again";

/// Whether a failure of this kind, of the disk or another stream, is among the causes of an error.
pub(crate) fn is_by_io(
    error: &recallite::Error,
    is_it: impl Fn(std::io::ErrorKind) -> bool,
) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref().map(std::io::Error::kind);
        if kind.is_some_and(&is_it) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The library's message, with the command that helps where the library can only name a function.
fn advice(error: &recallite::Error) -> String {
    if error.code() == ErrorCode::Interrupted {
        return INTERRUPTED.to_owned();
    }
    const AGAIN: &str = "run the command again";
    // A command has no time limit to set, and opens the store each time.
    let message = &error
        .message()
        .replace(" longer than `busy_timeout_ms`", "")
        .replace(
            "make room on the disk, open the store again, then repeat the call",
            "make room on the disk, then run the command again",
        )
        .replace("open the store again, then repeat the call", AGAIN)
        // Not every command stores events.
        .replace(
            "an event that did reach the disk is recognised as a duplicate",
            "what did reach the disk is not stored twice",
        )
        .replace("open the copy", "name the copy with --store");
    if is_beyond_file_limit(error) && message.contains(AGAIN) {
        let again = format!("raise the limit on the size of files (`ulimit -f`), then {AGAIN}");
        return with_commands(&message.replace(AGAIN, &again));
    }
    let hint = match error.code() {
        ErrorCode::Busy if !message.contains("try again") => "; another process has it, try again",
        ErrorCode::Corrupt => "; run `recallite doctor` to see what can be repaired",
        // The folder of the argument rather than the store's.
        ErrorCode::Full if error.argument().is_some() => "; free space there and try again",
        ErrorCode::Full if is_out_of_space(error) => "; free disk space and try again",
        ErrorCode::Full => {
            "; run `recallite forget` and `recallite maintain --compact` to make room"
        }
        _ if is_beyond_file_limit(error) => FILE_LIMIT,
        _ if is_out_of_space(error) && !message.contains("make room on the disk") => {
            "; free disk space and try again"
        }
        ErrorCode::NewerFormat => "; install a newer version of recallite",
        _ => "",
    };
    format!("{}{hint}", with_commands(message))
}

/// The functions that messages of the library name, and the commands that call them.
const COMMANDS: [(&str, &str); 22] = [
    ("add_member", "share members --add IDENTITY"),
    ("announce", "share init PLACE"),
    ("backup", "backup FOLDER"),
    ("change_status", "task block"),
    ("check", "check"),
    ("compact", "maintain --compact"),
    ("erase", "erase"),
    ("erase_ordered", "share pull"),
    ("export_jsonl", "export"),
    ("grant", "share grant ACCOUNT"),
    ("import_jsonl", "import"),
    ("init", "share init PLACE"),
    ("maintain", "maintain"),
    ("push_folder", "share push"),
    ("rebuild", "maintain --rebuild"),
    ("remove_member", "share members --remove IDENTITY"),
    ("renew_identity", "share renew"),
    ("resolve_condition", "conditions resolve"),
    ("restore", "restore"),
    ("restore_jsonl", "restore"),
    ("revoke", "share revoke ACCOUNT -a"),
    ("withhold", "share withhold"),
];

/// A message that names functions of the library, with the commands that call them.
pub(crate) fn with_commands(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once("()") {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = before.trim_end_matches(is_of_name);
        let name = &before[words.len()..];
        match COMMANDS.iter().find(|(function, _)| *function == name) {
            Some((_, command)) => {
                // `tasks.change_status()`
                let words = match words.strip_suffix('.') {
                    Some(area) => area.trim_end_matches(is_of_name),
                    None => words,
                };
                // A function is called, a command is run.
                match words.strip_suffix("call ") {
                    Some(words) => text.extend([words, "run "]),
                    None => text.push_str(words),
                }
                text.extend(["`recallite ", command, "`"]);
            }
            None => text.extend([before, "()"]),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

impl From<recallite::Error> for Failure {
    fn from(error: recallite::Error) -> Self {
        Failure::Memory(error)
    }
}

impl From<recallite_postgres::Error> for Failure {
    fn from(error: recallite_postgres::Error) -> Self {
        use recallite_postgres::Error;
        let code = match &error {
            Error::Address(_) | Error::InvalidArgument { .. } => exit::USAGE,
            Error::NotShared | Error::NotAnnounced => exit::NOT_FOUND,
            Error::Busy(_) => exit::BUSY,
            _ => exit::FAILED,
        };
        match error {
            Error::Memory(error) => Failure::of_place(error),
            Error::NotShared => Failure::Said(
                code,
                "the database has no shared memory that this account can see; create one with \
                 `recallite share init`, or ask its owner to run `recallite share grant ACCOUNT`"
                    .to_owned(),
            ),
            error => Failure::Said(code, with_commands(&error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn functions_in_a_message_become_commands() {
        for (message, said) in [
            (
                "the table differs; call rebuild(), or restore_jsonl() of an export",
                "the table differs; run `recallite maintain --rebuild`, or `recallite restore` of \
                 an export",
            ),
            (
                "then call maintain() or erase() again: both",
                "then run `recallite maintain` or `recallite erase` again: both",
            ),
            (
                "use tasks.change_status() instead",
                "use `recallite task block` instead",
            ),
            ("maintain() rebuilds it", "`recallite maintain` rebuilds it"),
            ("unknown() stays (a) (b)", "unknown() stays (a) (b)"),
            ("recheck()", "recheck()"),
        ] {
            assert_eq!(with_commands(message), said);
        }
    }

    /// The source files in a folder, without those of tests.
    fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if !matches!(name, "tests" | "testing") {
                    sources(&path, files);
                }
            } else if name.ends_with(".rs") && !name.contains("test") {
                files.push(path);
            }
        }
    }

    /// The texts in code that come before its tests.
    fn texts(code: &str) -> Vec<&str> {
        let code = code.split("#[cfg(test)]").next().unwrap();
        let (mut texts, mut at) = (Vec::new(), 0);
        let end_of = |from: usize, what: &str| {
            let found = code[from..].find(what);
            found.map_or(code.len(), |length| from + length + what.len())
        };
        while let Some(c) = code[at..].chars().next() {
            let rest = &code[at..];
            let next = at + c.len_utf8();
            at = match c {
                '/' if rest.starts_with("//") => end_of(at, "\n"),
                '\'' if rest.starts_with("'\"'") => at + 3,
                '\'' if rest.starts_with("'\\") => end_of(at + 3, "'"),
                '"' => {
                    let before = code[..at].trim_end_matches('#');
                    let end = match before.ends_with('r') {
                        true => end_of(next, &format!("\"{}", &code[before.len()..at])),
                        false => {
                            let mut end = next;
                            while let Some(found) = code[end..].find(['"', '\\']) {
                                end += found + 1;
                                match code.as_bytes()[end - 1] {
                                    b'"' => break,
                                    _ => end += 1,
                                }
                            }
                            end
                        }
                    };
                    texts.push(&code[next..end]);
                    end
                }
                _ => next,
            };
        }
        texts
    }

    /// Otherwise a person would be told to call a function.
    #[test]
    fn every_function_that_a_message_names_has_a_command() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["../../memory-core/src", "../postgres/src"] {
            sources(&here.join(folder), &mut files);
        }
        let mut named = 0;
        for file in files {
            let code = std::fs::read_to_string(&file).unwrap();
            // Nobody is told a query.
            let told = texts(&code)
                .into_iter()
                .filter(|text| !text.starts_with("SELECT "));
            for text in told {
                let said = with_commands(text);
                named += usize::from(said != text);
                let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
                let mut left = said.split("()").map(|before| {
                    let words = before.trim_end_matches(is_name);
                    before.len() - words.len()
                });
                let count = said.matches("()").count();
                let is_told = left.by_ref().take(count).all(|length| length < 3);
                assert!(is_told, "{}: {text}", file.display());
            }
        }
        assert!(named > 15, "only {named} messages were found");
    }

    #[test]
    fn what_failed_is_told_with_what_helps() {
        let of = |kind| recallite::Error::from(std::io::Error::from(kind));
        let told = advice(&of(ErrorKind::FileTooLarge));
        assert!(told.contains("`ulimit -f`"), "{told}");
        assert!(!told.contains("disk space"), "{told}");
        let error = recallite::Error::new(
            ErrorCode::NeedsReopen,
            "writing failed; open the store again, then repeat the call",
        )
        .with_source(of(ErrorKind::FileTooLarge));
        assert_eq!(
            advice(&error),
            "writing failed; raise the limit on the size of files (`ulimit -f`), then run the \
             command again"
        );
        // As the library says it of a store that is open.
        let error = recallite::Error::new(
            ErrorCode::NeedsReopen,
            "writing the store's file failed (no space); make room on the disk, open the store \
             again, then repeat the call: an event that did reach the disk is recognised as a \
             duplicate",
        );
        assert_eq!(
            advice(&error),
            "writing the store's file failed (no space); make room on the disk, then run the \
             command again: what did reach the disk is not stored twice"
        );
        let place = Path::new("/etc/x");
        let told = Failure::io(place, &ErrorKind::StorageFull.into()).message();
        assert!(told.ends_with("; free space there and try again"), "{told}");
    }

    #[test]
    fn a_full_disk_is_told_with_where_room_is_needed() {
        let full = || recallite::Error::from(std::io::Error::from(ErrorKind::StorageFull));
        let here = advice(&full());
        assert!(here.contains("free disk space"), "{here}");
        let elsewhere = advice(&full().about("folder"));
        assert!(!elsewhere.contains("forget"), "{elsewhere}");
        assert!(
            elsewhere.contains("free space there") && elsewhere.starts_with("folder: "),
            "{elsewhere}"
        );
    }
}
