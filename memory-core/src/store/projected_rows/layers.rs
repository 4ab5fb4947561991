//! The layers that `stats` shows: how many rows each has, and what waits for work.

use crate::model::error::Result;
use crate::model::stats::LayerStats;
use crate::model::time::Timestamp;
use crate::store::projected_rows::row_kind::{RowKind, Rows};

/// The layers that callers see, with the row kind of each and the one on which its work
/// waits.
const LAYERS: [(&str, RowKind, Option<RowKind>); 18] = [
    ("tasks", RowKind::Task, None),
    ("conditions", RowKind::Condition, None),
    ("artifacts", RowKind::Artifact, None),
    ("entries", RowKind::Entry, None),
    ("edges", RowKind::EdgeTuple, None),
    ("build_runs", RowKind::BuildRun, None),
    ("decisions", RowKind::Decision, None),
    ("conflicts", RowKind::Conflict, None),
    ("promotions", RowKind::Promotion, None),
    ("pipeline_metrics", RowKind::Metric, None),
    ("memory_resolutions", RowKind::Resolution, None),
    ("accesses", RowKind::Access, None),
    ("levels", RowKind::Level, Some(RowKind::LevelDue)),
    ("insights", RowKind::Insight, None),
    ("pins", RowKind::Pin, None),
    ("working_set", RowKind::Working, None),
    (
        "consolidated",
        RowKind::Consolidated,
        Some(RowKind::Unconsolidated),
    ),
    ("continuity", RowKind::Continuity, None),
];

/// The status of each layer.
pub(crate) fn layers(rows: &dyn Rows) -> Result<Vec<LayerStats>> {
    LAYERS
        .iter()
        .map(|(name, row_kind, work)| {
            let facts = rows.facts(*row_kind)?;
            let backlog = match work {
                Some(work) => rows.facts(*work)?.rows,
                None => 0,
            };
            Ok(LayerStats {
                name,
                size: facts.rows,
                backlog,
                last_moved: (facts.moved_ms != 0)
                    .then(|| Timestamp::from_millis_clamped(facts.moved_ms)),
            })
        })
        .collect()
}
