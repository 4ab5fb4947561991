//! Tasks that survive across conversations: what a session says about a task becomes events
//! about one entity, and folding those events gives its state.
//!
//! [`resolver`] takes one extracted entry and a [`TaskView`] of the current state and
//! answers with [`TaskEvent`]s; [`projector`] applies each event to the tables. Neither
//! touches the disk.
//!
//! ```
//! use recallite::rules::tasks::resolver::KeyedIds;
//! use recallite::rules::tasks::{Source, TaskEntry, TaskResolver, TaskState, TaskStatus};
//! use recallite::Timestamp;
//!
//! let mut state = TaskState::new();
//! let ids = KeyedIds::new([0; 32]);
//! let said = TaskEntry {
//!     title: "Fix login bug".into(),
//!     status: Some(TaskStatus::Blocked),
//!     blocked_by: vec!["PROJ-12".into()],
//!     ..TaskEntry::default()
//! };
//! let resolution = TaskResolver::new(&state, &ids, Some("shop"))
//!     .resolve(&Source::new("monday", "e1"), &said, true)?;
//! for event in &resolution.events {
//!     state.apply(event, Timestamp::default());
//! }
//! let task = state.tasks().next().expect("one task");
//! assert_eq!(task.status(), TaskStatus::Blocked);
//! assert_eq!(task.phase.confirmed()[0].raw_text, "PROJ-12");
//! # Ok::<(), recallite::Error>(())
//! ```

pub mod blockers;
pub mod classify;
pub mod entity;
pub mod events;
pub(crate) mod keys;
pub mod matcher;
pub mod model;
pub mod projector;
pub mod resolver;
pub mod status;
pub mod view;

pub use blockers::{BlockerConfidence, BlockerRef, Blockers, BlockersMode, TaskCandidate};
pub use entity::{ArtifactKind, EntityId, EntityKind, EntityRef, Source};
pub use events::{StatusMove, TaskEvent, TaskPayload};
pub use model::{Artifact, Condition, Task, TaskPhase};
pub use projector::{TaskChange, TaskState, TaskTables};
pub use resolver::{EntityIds, Resolution, TaskEntry, TaskResolver};
pub use status::{
    MoveOutcome, Priority, TaskStatus, TaskTransition, Transition, allows_blockers,
    decide_transition, initial_task_status,
};
pub use view::TaskView;
