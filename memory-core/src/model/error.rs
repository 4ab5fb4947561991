//! The error type of the library: a stable code, a message for people, and the answers to
//! "may I retry?" and "must I reopen?".

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::shorten::{place, short};

/// The result of every fallible call of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, as a stable code that never changes its meaning.
///
/// Its word, for example `not_found`, is the same in every language. Later versions may add
/// codes: treat an unknown one as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u16)]
pub enum ErrorCode {
    /// An argument is not valid for this call; the message names it.
    InvalidArgument = 1,
    /// The event, citation, task or session does not exist here.
    NotFound = 2,
    /// Something with this name or key already exists.
    AlreadyExists = 3,
    /// Another process or thread held the store for longer than `busy_timeout_ms`.
    Busy = 4,
    /// Bytes on the disk are not what was written; the message says where.
    Corrupt = 5,
    /// The operating system reported an error while reading or writing; the store can still
    /// be used.
    Io = 6,
    /// The disk is full, or the size limit of the store was reached.
    Full = 7,
    /// Reading or writing the store's file failed, its folder was moved, removed or
    /// replaced, or the process was forked. Open the store again, which repairs every
    /// handle of the process if the folder is the same, and then repeat the call: anything
    /// that did reach the disk is recognised as a duplicate.
    NeedsReopen = 8,
    /// The store was written by a newer library in a format that this one cannot read.
    NewerFormat = 9,
    /// The operating system denied access to the store's folder or files.
    PermissionDenied = 10,
    /// The handle was closed.
    Closed = 11,
    /// The call needs a feature that was not built in, or a platform that supports it.
    Unsupported = 12,
    /// An earlier panic made this handle unusable; reopen the store.
    Poisoned = 13,
    /// The embedder failed; recall by words still works.
    Embedder = 14,
    /// A task or job cannot move from its current status to the requested one.
    InvalidTransition = 15,
    /// The change would break a rule that the data must always obey.
    InvariantViolation = 16,
    /// A callback of the host returned an error or panicked.
    Callback = 17,
    /// A defect in this library; please report it with the message.
    Internal = 18,
    /// The program stopped the call; what was stored before that stays, and another call continues
    /// or starts over.
    Interrupted = 19,
}

impl ErrorCode {
    /// Every code, in numeric order.
    pub const ALL: &'static [ErrorCode] = &[
        ErrorCode::InvalidArgument,
        ErrorCode::NotFound,
        ErrorCode::AlreadyExists,
        ErrorCode::Busy,
        ErrorCode::Corrupt,
        ErrorCode::Io,
        ErrorCode::Full,
        ErrorCode::NeedsReopen,
        ErrorCode::NewerFormat,
        ErrorCode::PermissionDenied,
        ErrorCode::Closed,
        ErrorCode::Unsupported,
        ErrorCode::Poisoned,
        ErrorCode::Embedder,
        ErrorCode::InvalidTransition,
        ErrorCode::InvariantViolation,
        ErrorCode::Callback,
        ErrorCode::Internal,
        ErrorCode::Interrupted,
    ];

    /// Returns the code as every language shows it, for example `"invalid_argument"`.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::InvalidArgument => "invalid_argument",
            ErrorCode::NotFound => "not_found",
            ErrorCode::AlreadyExists => "already_exists",
            ErrorCode::Busy => "busy",
            ErrorCode::Corrupt => "corrupt",
            ErrorCode::Io => "io",
            ErrorCode::Full => "full",
            ErrorCode::NeedsReopen => "needs_reopen",
            ErrorCode::NewerFormat => "newer_format",
            ErrorCode::PermissionDenied => "permission_denied",
            ErrorCode::Closed => "closed",
            ErrorCode::Unsupported => "unsupported",
            ErrorCode::Poisoned => "poisoned",
            ErrorCode::Embedder => "embedder",
            ErrorCode::InvalidTransition => "invalid_transition",
            ErrorCode::InvariantViolation => "invariant_violation",
            ErrorCode::Callback => "callback",
            ErrorCode::Internal => "internal",
            ErrorCode::Interrupted => "interrupted",
        }
    }

    /// Returns the stable number of the code, as in the C header.
    pub fn number(self) -> u16 {
        self as u16
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error: what happened, to what, and what to do next.
///
/// A message names a function as `compact()` or, behind its area, `sharing.announce()`, and an
/// option or argument in backticks: other languages spell these in their own way.
///
/// A message never contains stored content or secrets. It is a single line of at most 1,000
/// bytes that can be written to a terminal or a log as it is: if something the caller named
/// is too long, it is shortened in the middle, and its control characters are shown as
/// spaces. A text that was given in place of the path of its file is not shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Error {
    code: ErrorCode,
    /// What is wrong, without the argument's name in front.
    problem: String,
    argument: Option<String>,
    /// Whether the message begins with the argument's name.
    is_about_argument: bool,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = one_line(message.into());
        Error {
            code,
            problem: message.clone(),
            argument: None,
            is_about_argument: false,
            message,
            source: None,
        }
    }

    /// Creates an [`ErrorCode::InvalidArgument`] error about an argument, for example
    /// `Error::invalid("session", "must not be empty")`. The message begins with the
    /// argument's name.
    pub fn invalid(argument: impl Into<String>, problem: impl fmt::Display) -> Self {
        Error::new(ErrorCode::InvalidArgument, problem.to_string()).about(argument)
    }

    /// Returns the same error about the argument with this name, which the message then
    /// begins with. The code, problem and cause stay the same.
    ///
    /// ```
    /// use recallite::Error;
    /// let error = Error::invalid("limit", "0 is outside 1 to 1,000");
    /// assert_eq!(error.problem(), "0 is outside 1 to 1,000");
    /// assert_eq!(error.about("page").message(), "page: 0 is outside 1 to 1,000");
    /// ```
    #[must_use]
    pub fn about(mut self, argument: impl Into<String>) -> Self {
        self.is_about_argument = true;
        self.with_argument(argument)
    }

    /// Returns the same error, naming the argument it is about. If the message begins with
    /// the argument's name, that name is replaced; a message that names it in its own words
    /// stays as it is.
    #[must_use]
    pub fn with_argument(mut self, argument: impl Into<String>) -> Self {
        let argument = one_line(short(&argument.into()));
        if self.is_about_argument {
            self.message = one_line(format!("{argument}: {}", self.problem));
        }
        self.argument = Some(argument);
        self
    }

    /// Returns the same error with a cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Returns the same error, whose problem ends with what else the caller should know.
    #[must_use]
    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.message = one_line(format!("{}; {note}", self.message));
        self.problem = one_line(format!("{}; {note}", self.problem));
        self
    }

    /// Returns the stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns what happened and what to do next, in English.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the problem: the message without the argument's name at the beginning.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Returns the argument that was wrong, if the error is about one.
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// Returns true if the same call may succeed later without any other change.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.code,
            ErrorCode::Busy | ErrorCode::Embedder | ErrorCode::Full
        )
    }

    /// Whether a full disk, or one with a quota that is used up, is the cause.
    pub(crate) fn is_of_full_disk(&self) -> bool {
        use std::error::Error as _;
        let mut cause: Option<&(dyn std::error::Error + 'static)> = self.source();
        while let Some(error) = cause {
            let kind = error.downcast_ref().map(std::io::Error::kind);
            if kind.is_some_and(|kind| ErrorCode::of_io(kind) == ErrorCode::Full) {
                return true;
            }
            cause = error.source();
        }
        false
    }

    /// Whether the program stopped the call itself.
    pub(crate) fn is_stop(&self) -> bool {
        matches!(
            self.code,
            ErrorCode::Interrupted | ErrorCode::Callback | ErrorCode::Closed
        )
    }

    /// Returns true if the store must be reopened before anything else.
    pub fn needs_reopen(&self) -> bool {
        matches!(
            self.code,
            ErrorCode::NeedsReopen | ErrorCode::Poisoned | ErrorCode::Closed
        )
    }
}

/// Turns a message into one line. If it is too long, the middle is cut, because the end says
/// what to do.
fn one_line(mut message: String) -> String {
    const LIMIT: usize = 1_000;
    const CUT: &str = " [...] ";
    if message.len() > LIMIT {
        let head = message.floor_char_boundary(LIMIT / 2);
        let tail = message.ceil_char_boundary(message.len() - (LIMIT / 2 - CUT.len()));
        message.replace_range(head..tail, CUT);
    }
    let is_unseen =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match message.contains(is_unseen) {
        true => message.replace(is_unseen, " "),
        false => message,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}

impl ErrorCode {
    /// Maps an I/O error of the system.
    pub(crate) fn of_io(kind: std::io::ErrorKind) -> Self {
        use std::io::ErrorKind;
        match kind {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                ErrorCode::PermissionDenied
            }
            ErrorKind::NotFound => ErrorCode::NotFound,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ErrorCode::Full,
            _ => ErrorCode::Io,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::new(ErrorCode::of_io(error.kind()), error.to_string()).with_source(error)
    }
}

/// Turns an error of the system, which does not say what it is about, into one that names the file.
pub(crate) fn about_file(file: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |error| {
        let message = format!("{}: {error}", place(file));
        Error::new(ErrorCode::of_io(error.kind()), message).with_source(error)
    }
}

/// What was found; damage counts as nothing.
pub(crate) fn unless_damaged<T>(found: Result<Option<T>>) -> Result<Option<T>> {
    match found {
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_written_is_not_permitted() {
        for kind in [
            std::io::ErrorKind::PermissionDenied,
            std::io::ErrorKind::ReadOnlyFilesystem,
        ] {
            assert_eq!(ErrorCode::of_io(kind), ErrorCode::PermissionDenied);
        }
    }

    #[test]
    fn an_argument_gets_another_name_and_nothing_else_changes() {
        let cause = std::io::Error::other("the disk");
        let error = Error::new(ErrorCode::NotFound, "is not there")
            .about("id")
            .with_source(cause);
        assert_eq!(error.message(), "id: is not there");
        let renamed = error.with_argument("events[3].id");
        assert_eq!(renamed.code(), ErrorCode::NotFound);
        assert_eq!(renamed.argument(), Some("events[3].id"));
        assert_eq!(renamed.problem(), "is not there");
        assert_eq!(renamed.message(), "events[3].id: is not there");
        let source = std::error::Error::source(&renamed).expect("the cause stays");
        assert_eq!(source.to_string(), "the disk");
    }

    #[test]
    fn a_message_in_its_own_words_stays_when_its_argument_is_named() {
        let error = Error::new(ErrorCode::AlreadyExists, "./copy exists already");
        let error = error.with_argument("path").with_argument("target");
        assert_eq!(error.argument(), Some("target"));
        assert_eq!(error.message(), "./copy exists already");
        assert_eq!(error.problem(), "./copy exists already");
        assert_eq!(
            error.about("target").message(),
            "target: ./copy exists already"
        );
    }

    #[test]
    fn a_long_name_leaves_the_problem_whole() {
        let error = Error::invalid("x".repeat(5_000), "must not be so long");
        assert!(error.message().len() <= 1_000);
        assert_eq!(error.problem(), "must not be so long");
        assert_eq!(error.about("x").message(), "x: must not be so long");
    }
}
