//! Tasks that survive across conversations: what a session says about a task
//! becomes events on one entity, and a fold of those events gives its state.
//!
//! The way through: [`resolver`] takes one extracted entry and a [`TaskView`]
//! of the present state and answers with [`TaskEvent`]s; [`projector`] applies
//! each event to the tables. Neither knows the disk.

pub mod blockers;
pub mod events;
pub(crate) mod keys;
pub mod matcher;
pub mod model;
pub mod projector;
pub mod resolver;
pub mod status;
pub mod view;

pub use blockers::{BlockerConfidence, BlockerRef, Blockers, BlockersMode, Candidate};
pub use events::{Source, StatusMove, TaskEvent, TaskPayload};
pub use model::{Artifact, ArtifactKind, Condition, EntityId, EntityKind, Task, TaskPhase};
pub use projector::{TaskChange, TaskState, TaskTables};
pub use resolver::{EntityIds, Resolution, TaskEntry, TaskResolver};
pub use status::{Priority, TaskStatus, Transition};
pub use view::TaskView;
