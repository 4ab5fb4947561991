//! The insights of a project, which the library keeps for the whole store.

use recallite::rules::levels::Insight;
use recallite::scope::ProjectScope;
use recallite::{EventId, Memory};

/// The insights of a project: those that come from at least one of its memories, as in a search.
/// All of them are looked at, so that those of other projects take no place from them.
pub(crate) fn insights_of(
    memory: &Memory,
    scope: &ProjectScope,
) -> recallite::Result<Vec<Insight>> {
    let found = memory.levels().insights(Some(usize::MAX))?;
    let project = match scope {
        ProjectScope::Named(name) => name.as_str(),
        ProjectScope::Own if !memory.project().is_empty() => memory.project(),
        _ => return Ok(found),
    };
    let mut kept = Vec::new();
    for insight in found {
        if comes_from(memory, &insight, project)? {
            kept.push(insight);
        }
    }
    Ok(kept)
}

fn comes_from(memory: &Memory, insight: &Insight, project: &str) -> recallite::Result<bool> {
    for source in &insight.sources {
        if let Ok(id) = source.parse::<EventId>()
            && let Some(event) = memory.event(id)?
            && event.project == project
        {
            return Ok(true);
        }
    }
    Ok(false)
}
