//! What a sentence says, and who says it.

use std::ops::Range;

/// Who says a sentence: some cues count only from one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user.
    User,
    /// The agent.
    Agent,
}

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingKind {
    /// A blocker is gone or a problem is solved.
    Resolution,
    /// Something has to wait for something else.
    Blocker,
    /// Something is to be done later.
    Task,
    /// Something was decided.
    Decision,
    /// How a person wants the work to be done.
    Preference,
    /// What the work must or must not do.
    Constraint,
    /// A port, version, path, host or owner.
    Fact,
    /// Some work is not to be done any more. Says nothing unless a known task is this work.
    GivenUp,
    /// Some work is done. Says nothing unless a known task is this work.
    Done,
}

impl FindingKind {
    /// Whether it says how things are or are to be, rather than what is to be done.
    pub(crate) fn is_statement(self) -> bool {
        use FindingKind::{Constraint, Decision, Fact, Preference};
        matches!(self, Decision | Preference | Constraint | Fact)
    }

    /// Whether it is only about a task that is known, so that it may be said beside anything else.
    pub(crate) fn ends_a_task(self) -> bool {
        matches!(self, FindingKind::Done | FindingKind::GivenUp)
    }

    /// Whether it may end or free a task that is known, or that becomes known later.
    pub(crate) fn is_report(self) -> bool {
        self == FindingKind::Resolution || self.ends_a_task()
    }

    /// Whether it says that something is over: a problem, a blocker, some work.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, FindingKind::Resolution | FindingKind::Done)
    }

    /// The name in the labelled sets of the tests.
    #[cfg(test)]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            FindingKind::Resolution => "resolved",
            FindingKind::Blocker => "blocker",
            FindingKind::Task => "task",
            FindingKind::Decision => "decision",
            FindingKind::Preference => "preference",
            FindingKind::Constraint => "constraint",
            FindingKind::Fact => "fact",
            FindingKind::Done => "done",
            FindingKind::GivenUp => "given up",
        }
    }
}

/// A sentence that says something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// The sentence's byte range in the message.
    pub(crate) span: Range<usize>,
    /// What is to be done, is blocked or was resolved, if the sentence names it.
    pub(crate) subject: Option<Range<usize>>,
    /// The blocker.
    pub(crate) blocker: Option<Range<usize>>,
    /// The verb that says how the subject was done: "rotated".
    pub(crate) verb: Option<Range<usize>>,
    /// From 0 to 1; lower than a model's for a clear sentence.
    pub(crate) confidence: f64,
}
