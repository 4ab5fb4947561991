//! Which projects a record is about: whoever may not see all of them may not see the record.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::projection::about::{About, Subjects};
use crate::projection::pauses::ScopeKind;
use crate::recall::shown::read::not_here;
use crate::store::log::tombstone::is_tombstone;

/// [`Sharing::projects_of`](crate::Sharing::projects_of).
pub(crate) fn projects_of(engine: &Engine, event: &EventRef) -> Result<Vec<String>> {
    let read = engine.store.read()?;
    let guard = read.guard(event)?.ok_or_else(|| not_here(event))?;
    let about = read.with_record(guard.view()?.seq().0, |view| {
        match is_tombstone(view.kind()) {
            true => Ok(Subjects::new()),
            false => About::new(&read)?.record(view.kind(), &view.archive()?),
        }
    })?;
    let mut projects: Vec<String> = about
        .into_iter()
        .flatten()
        .filter(|(scope, _)| *scope == ScopeKind::Project)
        .map(|(_, name)| name)
        .collect();
    projects.sort_unstable();
    projects.dedup();
    Ok(projects)
}
