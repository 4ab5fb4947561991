//! Maps each row kind to the type of its rows.

use crate::projection::edges::EdgeRow;
use crate::projection::endless::{ContinuityRow, SettingRow};
use crate::projection::entries::EntryRow;
use crate::projection::history::{IngestedRow, ReadTo, SessionIngestedRow};
use crate::projection::levels::{InsightRow, LevelRow};
use crate::projection::memories::PlaceholderRow;
use crate::projection::pins::PinRow;
use crate::projection::rows::{Cursor, Row};
use crate::projection::tasks::EntityKeyRow;
use crate::rules::endless::{ConsolidatedMemory, WorkingItem};
use crate::rules::entries::MemoryResolution;
use crate::rules::history::{BuildRun, Conflict, Decision, PipelineMetric, PromotionRecord};
use crate::rules::levels::AccessMetrics;
use crate::rules::tasks::{Artifact, Condition, Task};
use crate::store::projected_rows::projected::RowKind;

macro_rules! row_types {
    ($($kind:ident: $row:ty,)*) => {
        $(impl Row for $row {
            const KIND: RowKind = RowKind::$kind;
        })*

        /// Checks that a row of any kind can be read; kinds with no typed value, or with
        /// several, are skipped.
        #[cfg(test)]
        pub(super) fn check(row_kind: RowKind, row: &[u8]) -> crate::model::error::Result<()> {
            match row_kind {
                $(RowKind::$kind => crate::projection::rows::read::<$row>(row).map(drop),)*
                _ => Ok(()),
            }
        }
    };
}

row_types! {
    Setting: SettingRow,
    Task: Task,
    Condition: Condition,
    Artifact: Artifact,
    EntityKey: EntityKeyRow,
    Entry: EntryRow,
    Edge: EdgeRow,
    BuildRun: BuildRun,
    Ingested: IngestedRow,
    Decision: Decision,
    Conflict: Conflict,
    Promotion: PromotionRecord,
    Metric: PipelineMetric,
    SessionIngested: SessionIngestedRow,
    SessionRead: ReadTo,
    Placeholder: PlaceholderRow,
    Resolution: MemoryResolution,
    Access: AccessMetrics,
    Level: LevelRow,
    Insight: InsightRow,
    Pin: PinRow,
    Working: WorkingItem,
    Consolidated: ConsolidatedMemory,
    Continuity: ContinuityRow,
    Cursor: Cursor,
}
