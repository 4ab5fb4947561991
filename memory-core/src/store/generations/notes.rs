//! What happened while a store was opened, to be logged.

use std::fmt;

use crate::model::log_record::LogLevel;

/// Something that a store did on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The store did not exist and was created.
    Begun,
    /// The file was in the state left by a crash.
    Repaired,
    /// `CURRENT` did not name the live generation, for example after a crash.
    Named,
    /// Files of earlier generations or of killed processes, still open in some process.
    Left(usize),
    /// The file was reopened after a failure.
    Healed,
}

impl Note {
    pub(crate) fn level(self) -> LogLevel {
        match self {
            Note::Begun | Note::Repaired | Note::Named | Note::Healed => LogLevel::Info,
            Note::Left(_) => LogLevel::Debug,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Begun => f.write_str("created a new store"),
            Note::Repaired => f.write_str("a crash was repaired by reading the whole store file"),
            Note::Named => {
                f.write_str("CURRENT did not name the live store file and was corrected")
            }
            Note::Left(files) => write!(f, "{files} old files stay until nobody has them open"),
            Note::Healed => f.write_str("reopened the store file after a failure"),
        }
    }
}
