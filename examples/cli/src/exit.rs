//! The exit codes, as documented in the README. 2 is avoided on purpose: to the hooks of coding
//! agents, it means "block".

/// Everything was done.
pub(crate) const DONE: u8 = 0;
/// A failure without a code of its own.
pub(crate) const FAILED: u8 = 1;
/// The store, event or task does not exist.
pub(crate) const NOT_FOUND: u8 = 3;
/// Another process holds the store; the same command may succeed later.
pub(crate) const BUSY: u8 = 4;
/// The store is damaged, or a check found something wrong.
pub(crate) const DAMAGED: u8 = 5;
/// Nothing was done because `--confirm` is missing.
pub(crate) const UNCONFIRMED: u8 = 6;
/// The arguments are invalid.
pub(crate) const USAGE: u8 = 64;
/// Ctrl-C stopped the command. Shells use this number for it.
pub(crate) const INTERRUPTED: u8 = 130;
/// The same for SIGTERM.
pub(crate) const TERMINATED: u8 = 143;

/// Every code with its meaning, for the help, the manual and the README.
pub(crate) const ALL: [(u8, &str); 9] = [
    (DONE, "success"),
    (FAILED, "failure"),
    (NOT_FOUND, "something you named does not exist"),
    (BUSY, "another process holds the store; try again"),
    (DAMAGED, "the store is damaged, or a check found a problem"),
    (
        UNCONFIRMED,
        "nothing was done, because --confirm is missing",
    ),
    (USAGE, "the arguments are invalid"),
    (INTERRUPTED, "Ctrl-C stopped the command"),
    (TERMINATED, "SIGTERM stopped the command"),
];

/// The section about them below the help of the whole command.
pub(crate) fn help() -> String {
    let lines = ALL.map(|(code, meaning)| format!("\n  {code:<4}{meaning}"));
    format!("Exit codes:{}", lines.concat())
}
