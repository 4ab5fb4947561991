//! The statuses of a task and the allowed changes between them.

use crate::model::read::words;

words! {
    /// The status of a task.
    TaskStatus ("status") {
        /// Not started.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Blocked by at least one blocker.
        Blocked = "blocked",
        /// Done. It can be reopened.
        Done = "done",
        /// Cancelled, permanently.
        Cancelled = "cancelled",
    }
}

words! {
    /// How urgent a task is.
    #[derive(Default)]
    Priority ("priority") {
        /// It can wait.
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
    /// The outcome of a requested status change.
    MoveOutcome ("outcome") {
        /// The task already has this status.
        NoChange = "no_change",
        /// The change is made.
        Accepted = "accepted",
        /// The change is rejected; the task may get another status instead.
        Rejected = "rejected",
    }
}

/// The result of a requested status change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTransition {
    /// The outcome of the request.
    pub outcome: MoveOutcome,
    /// The status afterwards. A rejected change may lead to another status.
    pub status: TaskStatus,
    /// Why the change was rejected, if it was.
    pub reason: Option<String>,
}

/// Decides a requested status change of a task. Pending to done is rejected and leads to
/// `in_progress`; cancelled is final.
pub fn decide_transition(from: TaskStatus, to: TaskStatus) -> TaskTransition {
    let decided = Transition::decide(from, to);
    TaskTransition {
        outcome: decided.outcome(),
        status: decided.effective_status(),
        reason: decided.rejected_reason().map(str::to_owned),
    }
}

/// Returns the initial status of a task that is first mentioned with the status
/// `requested`. Work reported as done starts as `in_progress`; blocked and cancelled follow
/// as a change from pending.
pub fn initial_task_status(requested: Option<TaskStatus>) -> TaskStatus {
    TaskStatus::initial(requested).into()
}

/// Returns true if a task with this status may have that many confirmed and suggested
/// blockers. A blocked task needs at least one, any other task has no confirmed ones, and a
/// finished task has none at all.
pub fn allows_blockers(status: TaskStatus, confirmed: usize, suggested: usize) -> bool {
    status.allows_blockers(confirmed, suggested)
}

/// Why a change from pending to done is rejected. The wording is fixed by the
/// specification.
pub const PENDING_TO_DONE_REASON: &str = "Direct transition from pending to done is not allowed";

/// The result of a requested status change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The task already has this status; nothing is recorded.
    NoChange {
        /// The current status.
        status: TaskStatus,
    },
    /// The change is made.
    Applied {
        /// The status afterwards.
        status: TaskStatus,
    },
    /// The change is rejected, and the task gets another status instead (pending → done
    /// becomes `in_progress`). Both facts are recorded.
    Corrected {
        /// Why the requested change was rejected.
        reason: String,
        /// The status afterwards.
        status: TaskStatus,
    },
    /// The change is rejected and the status stays the same.
    Rejected {
        /// Why it was rejected.
        reason: String,
        /// The status it keeps.
        status: TaskStatus,
    },
}

impl Transition {
    /// Decides a change from one status to another.
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

    /// Returns the status after the decision.
    pub fn effective_status(&self) -> TaskStatus {
        match self {
            Transition::NoChange { status }
            | Transition::Applied { status }
            | Transition::Corrected { status, .. }
            | Transition::Rejected { status, .. } => *status,
        }
    }

    /// Returns why the requested change was rejected, if it was.
    pub fn rejected_reason(&self) -> Option<&str> {
        match self {
            Transition::Corrected { reason, .. } | Transition::Rejected { reason, .. } => {
                Some(reason)
            }
            _ => None,
        }
    }

    /// Returns the outcome as a word; a corrected change was rejected.
    pub fn outcome(&self) -> MoveOutcome {
        match self {
            Transition::NoChange { .. } => MoveOutcome::NoChange,
            Transition::Applied { .. } => MoveOutcome::Accepted,
            Transition::Corrected { .. } | Transition::Rejected { .. } => MoveOutcome::Rejected,
        }
    }
}

impl TaskStatus {
    /// Returns true if the change is allowed. Cancelled is final; done can only be reopened
    /// as pending.
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

    /// Returns true if the task still has to be done: pending, `in_progress` or blocked. Only
    /// such tasks are matched by title as blockers.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Blocked
        )
    }

    /// Like [`initial_task_status`], in the type that a new task takes.
    pub fn initial(requested: Option<TaskStatus>) -> InitialStatus {
        match requested {
            Some(TaskStatus::InProgress | TaskStatus::Done) => InitialStatus::InProgress,
            None | Some(TaskStatus::Pending | TaskStatus::Blocked | TaskStatus::Cancelled) => {
                InitialStatus::Pending
            }
        }
    }

    /// Like [`allows_blockers`].
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
        /// Not started.
        Pending = "pending",
        /// In progress.
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
