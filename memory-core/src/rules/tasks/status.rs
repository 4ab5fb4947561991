//! The statuses of a task and the only moves between them.

use crate::model::read::words;

words! {
    /// Where a task stands.
    TaskStatus ("status") {
        /// Known, not begun.
        Pending = "pending",
        /// Being worked on.
        InProgress = "in_progress",
        /// Held up by at least one blocker.
        Blocked = "blocked",
        /// Finished. It may be opened again.
        Done = "done",
        /// Given up, for ever.
        Cancelled = "cancelled",
    }
}

words! {
    /// How urgent a task is.
    #[derive(Default)]
    Priority ("priority") {
        /// Can wait.
        Low = "low",
        /// The default.
        #[default]
        Medium = "medium",
        /// Soon.
        High = "high",
        /// Before everything else.
        Critical = "critical",
    }
}

words! {
    /// What becomes of a requested move, in a word.
    MoveOutcome ("outcome") {
        /// The task stands there already.
        NoChange = "no_change",
        /// The move happens.
        Accepted = "accepted",
        /// The move is refused; the task may move elsewhere instead.
        Rejected = "rejected",
    }
}

/// What becomes of a task's requested move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTransition {
    /// What becomes of it.
    pub outcome: MoveOutcome,
    /// The status afterwards: a refused move may lead elsewhere.
    pub status: TaskStatus,
    /// Why the move was refused, if it was.
    pub reason: Option<String>,
}

/// What becomes of a requested move of a task. Pending to done is refused and leads to
/// in_progress; cancelled is final.
pub fn decide_transition(from: TaskStatus, to: TaskStatus) -> TaskTransition {
    let decided = Transition::decide(from, to);
    TaskTransition {
        outcome: decided.outcome(),
        status: decided.effective_status(),
        reason: decided.rejected_reason().map(str::to_owned),
    }
}

/// The status with which a task comes into being when it is first heard of with
/// `requested`: work reported as done starts as in_progress, and blocked or cancelled
/// follow as a move from pending.
pub fn initial_task_status(requested: Option<TaskStatus>) -> TaskStatus {
    TaskStatus::initial(requested).into()
}

/// Whether a task of this status may have that many confirmed and suggested blockers:
/// blocked needs one, everything else has no confirmed one, and a finished task has none
/// at all.
pub fn allows_blockers(status: TaskStatus, confirmed: usize, suggested: usize) -> bool {
    status.allows_blockers(confirmed, suggested)
}

/// Why pending → done is refused; the wording is fixed by the specification.
pub const PENDING_TO_DONE_REASON: &str = "Direct transition from pending to done is not allowed";

/// What becomes of a requested move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The task stands there already; nothing is recorded.
    NoChange {
        /// The status it has.
        status: TaskStatus,
    },
    /// The move happens.
    Applied {
        /// The status afterwards.
        status: TaskStatus,
    },
    /// The move is refused, and the task moves elsewhere instead (pending →
    /// done becomes in_progress). Both facts are recorded.
    Corrected {
        /// Why the requested move was refused.
        reason: String,
        /// The status afterwards.
        status: TaskStatus,
    },
    /// The move is refused and the task stays.
    Rejected {
        /// Why it was refused.
        reason: String,
        /// The status it keeps.
        status: TaskStatus,
    },
}

impl Transition {
    /// Decides the move `from` → `to`.
    pub fn decide(from: TaskStatus, to: TaskStatus) -> Self {
        if from == to {
            Transition::NoChange { status: from }
        } else if from.can_move_to(to) {
            Transition::Applied { status: to }
        } else if (from, to) == (TaskStatus::Pending, TaskStatus::Done) {
            Transition::Corrected {
                reason: PENDING_TO_DONE_REASON.to_owned(),
                status: TaskStatus::InProgress,
            }
        } else {
            Transition::Rejected {
                reason: format!("Transition from {from} to {to} is not allowed"),
                status: from,
            }
        }
    }

    /// The status after the decision.
    pub fn effective_status(&self) -> TaskStatus {
        match self {
            Transition::NoChange { status }
            | Transition::Applied { status }
            | Transition::Corrected { status, .. }
            | Transition::Rejected { status, .. } => *status,
        }
    }

    /// Why the requested move was refused, if it was.
    pub fn rejected_reason(&self) -> Option<&str> {
        match self {
            Transition::Corrected { reason, .. } | Transition::Rejected { reason, .. } => {
                Some(reason)
            }
            _ => None,
        }
    }

    /// The decision in a word; a corrected move was rejected.
    pub fn outcome(&self) -> MoveOutcome {
        match self {
            Transition::NoChange { .. } => MoveOutcome::NoChange,
            Transition::Applied { .. } => MoveOutcome::Accepted,
            Transition::Corrected { .. } | Transition::Rejected { .. } => MoveOutcome::Rejected,
        }
    }
}

impl TaskStatus {
    /// Whether the move is in the table. Cancelled is terminal; done can only
    /// be opened again as pending.
    pub fn can_move_to(self, to: TaskStatus) -> bool {
        use TaskStatus::{Blocked, Cancelled, Done, InProgress, Pending};
        matches!(
            (self, to),
            (Pending, InProgress | Blocked | Cancelled)
                | (InProgress, Done | Blocked | Cancelled)
                | (Blocked, InProgress | Done | Cancelled)
                | (Done, Pending)
        )
    }

    /// Whether the task still has to be done: pending, in_progress or blocked.
    /// Only such tasks are matched by title as blockers.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Blocked
        )
    }

    /// As [`initial_task_status`], in the type that a new task takes.
    pub fn initial(requested: Option<TaskStatus>) -> InitialStatus {
        match requested {
            Some(TaskStatus::InProgress | TaskStatus::Done) => InitialStatus::InProgress,
            None | Some(TaskStatus::Pending | TaskStatus::Blocked | TaskStatus::Cancelled) => {
                InitialStatus::Pending
            }
        }
    }

    /// As [`allows_blockers`].
    pub fn allows_blockers(self, confirmed: usize, suggested: usize) -> bool {
        match self {
            TaskStatus::Blocked => confirmed + suggested > 0,
            TaskStatus::Pending | TaskStatus::InProgress => confirmed == 0,
            TaskStatus::Done | TaskStatus::Cancelled => confirmed + suggested == 0,
        }
    }
}

words! {
    /// The statuses that a task can be created with.
    InitialStatus ("initial_status") {
        /// Known, not begun.
        Pending = "pending",
        /// Being worked on.
        InProgress = "in_progress",
    }
}

impl From<InitialStatus> for TaskStatus {
    fn from(status: InitialStatus) -> Self {
        match status {
            InitialStatus::Pending => TaskStatus::Pending,
            InitialStatus::InProgress => TaskStatus::InProgress,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_never_becomes_done_in_one_move() {
        let moved = Transition::decide(TaskStatus::Pending, TaskStatus::Done);
        assert_eq!(moved.effective_status(), TaskStatus::InProgress);
        assert_eq!(moved.rejected_reason(), Some(PENDING_TO_DONE_REASON));
    }

    #[test]
    fn cancelled_is_terminal_and_a_refused_move_has_a_reason() {
        for &to in TaskStatus::ALL {
            let moved = Transition::decide(TaskStatus::Cancelled, to);
            assert_eq!(moved.effective_status(), TaskStatus::Cancelled);
            assert_eq!(
                moved.outcome() == MoveOutcome::Rejected,
                moved.rejected_reason().is_some()
            );
        }
    }

    #[test]
    fn words_read_back() {
        for &status in TaskStatus::ALL {
            assert_eq!(status.as_str().parse::<TaskStatus>().ok(), Some(status));
        }
        let error = "finished".parse::<TaskStatus>().expect_err("unknown");
        assert_eq!(error.argument(), Some("status"));
    }
}
