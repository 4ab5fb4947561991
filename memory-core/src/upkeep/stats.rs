//! Statistics of a memory: those of the store, and those only this process knows.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::stats::Stats;
use crate::projection::pauses;

/// [`Memory::stats`](crate::Memory::stats).
pub(crate) fn stats(engine: &Engine) -> Result<Stats> {
    let read = engine.store.read()?;
    let mut stats = read.stats(engine.store.folder().size_bytes()?)?;
    let paused = pauses::counts(&read.projected()?)?;
    (stats.paused_sessions, stats.paused_projects) = (paused.sessions, paused.projects);
    drop(read);
    stats.quota_bytes = engine.lifetime.quota_bytes;
    stats.is_over_quota = engine.store.folder().live_bytes()? >= stats.quota_bytes;
    let (segments, events) = engine.lexical.damaged();
    stats.lexical.damaged_segments = segments.len() as u64 + engine.learned_index.damaged_count();
    stats.lexical.damaged_events = events;
    let open = engine.store.open_erasures()?;
    (stats.open_erasures, stats.requested_erasures) = (open.count(), open.requested);
    stats.unclean_places = open.places;
    if let (Some(stats), Some(ours)) = (&mut stats.embedding, &engine.embedding)
        && stats.version == ours.version
    {
        let graphs = ours.index.graph_counts();
        (stats.graph_vectors, stats.graph_waiting) = (graphs.held, graphs.waiting);
    }
    Ok(stats)
}
