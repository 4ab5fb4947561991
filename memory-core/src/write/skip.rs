//! Which events are not to be stored, as the opener chose.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::event::{NewEvent, SkipReason};

/// Why each event is not to be stored; `None` for those that are.
pub(crate) fn skipped(engine: &Engine, events: &[NewEvent]) -> Result<Vec<Option<SkipReason>>> {
    let reason = |event: &NewEvent| {
        let tool = event.tool.as_ref()?;
        engine.tool_policy.refuses(tool)
    };
    Ok(events.iter().map(reason).collect())
}
