//! Retention and size limits: warnings by default, enforcement only on request, and never a
//! silent drop.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::store::running::Running;
use crate::upkeep::forget;
use crate::upkeep::forget::{Forgotten, TakenOut};
use crate::upkeep::select::Selector;

/// [`Upkeep::apply_retention`](crate::Upkeep::apply_retention).
pub(crate) fn apply_retention(engine: &Engine, running: &Running) -> Result<Forgotten> {
    let mut total = TakenOut::default();
    let now = engine.store.clock().now().millis();
    for (kind, age) in &engine.lifetime.retention_ms {
        let age = i64::try_from(*age).unwrap_or(i64::MAX);
        let before = Timestamp::from_millis_clamped(now.saturating_sub(age));
        let selector = Selector::new()
            .kinds([*kind])
            .before(before)
            .project(ProjectScope::All);
        total.add(forget::forget_but_pinned(engine, &selector, running)?);
    }
    Ok(total.into())
}
