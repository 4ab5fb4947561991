//! Runs endless mode on the store: its settings, the working set, consolidation, continuity
//! across processes, and switching it on and off.

mod consolidation;
mod context;
mod continuity;
mod migration;
mod plan;
mod settings;
#[cfg(test)]
mod tests;

pub use consolidation::{ConsolidationReport, PreparedConsolidation, Summarizer, SummaryRequest};
pub(crate) use consolidation::{consolidate, consolidate_if_due, consolidate_with};
pub(crate) use consolidation::{prepare, store_prepared};
pub use context::{EndlessContext, EndlessStatus};
pub(crate) use context::{context, memories, status};
pub(crate) use continuity::{continuity_log, score_continuity};
pub(crate) use migration::{set_mode, take_settings};
pub(crate) use settings::{config, mode, session_now, set_config, settings_in_force};
