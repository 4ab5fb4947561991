//! Decides which events are not stored: those of paused sessions and projects, and calls of
//! excluded tools.

use std::collections::HashMap;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::event::{NewEvent, SkipReason};
use crate::projection::pauses::{self, ScopeKind};
use crate::store::WriteTx;
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::Rows;
use crate::write::pauses::{PauseKeys, Place, places};
use crate::write::prepare::kept_name;

/// Why each event is not stored; `None` for those that are.
pub(crate) fn skipped(engine: &Engine, events: &[NewEvent]) -> Result<Vec<Option<SkipReason>>> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let mut paused = match pauses::is_any(&rows)? {
        true => Some(Paused {
            engine,
            secret: read.secret(),
            rows: &rows,
            known: HashMap::new(),
        }),
        false => None,
    };
    let reason = |event: &NewEvent| {
        if let Some(paused) = &mut paused
            && paused.has(event)?
        {
            return Ok(Some(SkipReason::Paused));
        }
        let tool = event.tool.as_ref();
        Ok(tool.and_then(|tool| engine.tool_policy.refuses(tool)))
    };
    events.iter().map(reason).collect()
}

/// Why each draft is not stored, as of this transaction: a pause that was returned from stops also
/// what was being prepared meanwhile.
pub(crate) fn paused_now(tx: &WriteTx<'_>, drafts: &[Draft]) -> Result<Vec<Option<SkipReason>>> {
    if !pauses::is_any(&tx.projected()?)? {
        return Ok(vec![None; drafts.len()]);
    }
    let keys = drafts.iter().map(|draft| PauseKeys::of_draft(tx, draft));
    let keys = keys.collect::<Result<Vec<PauseKeys>>>()?;
    let rows = tx.projected()?;
    let reason = |keys: PauseKeys| Ok(keys.paused(&rows)?.map(|_| SkipReason::Paused));
    keys.into_iter().map(reason).collect()
}

/// Pause lookups, cached by name.
struct Paused<'a> {
    engine: &'a Engine,
    secret: &'a [u8; 32],
    rows: &'a dyn Rows,
    known: HashMap<(ScopeKind, String), bool>,
}

impl Paused<'_> {
    fn has(&mut self, event: &NewEvent) -> Result<bool> {
        let project = event.project.as_ref().unwrap_or(&self.engine.project);
        let metadata = event.metadata.as_ref().map(|metadata| metadata.as_str());
        for Place(scope, name) in places(&event.session, project, metadata) {
            if self.is_paused(scope, &name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_paused(&mut self, scope: ScopeKind, name: &str) -> Result<bool> {
        let place = (scope, name.to_owned());
        if let Some(is_paused) = self.known.get(&place) {
            return Ok(*is_paused);
        }
        let key = pauses::key(self.secret, scope, &kept_name(self.engine, name)?);
        let is_paused = pauses::is_paused(self.rows, &key)?;
        self.known.insert(place, is_paused);
        Ok(is_paused)
    }
}
