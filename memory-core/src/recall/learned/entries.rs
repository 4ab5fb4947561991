//! Resolves entries that were found: which one is current, its state, and its certainty.

use crate::model::error::Result;
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::projection::{entries, memories};
use crate::recall::learned::proof::{Evidence, blank};
use crate::recall::learned::{Finder, Found, weight};
use crate::rules::entries::{
    CONTESTED_PENALTY, EffectiveStatus, Entry, EntryId, EntryStatus, LearnedEntry, Stage,
    effective_memory,
};
use crate::store::projected::Rows;

/// How many successors are followed to the current one.
const MOST_STEPS: usize = 16;

/// The entry that is current for another, and the one it replaced, if any.
pub(crate) fn effective(
    rows: &dyn Rows,
    id: &EntryId,
) -> Result<Option<(LearnedEntry, Option<EntryId>)>> {
    let resolution = memories::resolution(rows, id.as_str())?;
    let (effective_id, status) = effective_memory(id.as_str(), resolution.as_ref());
    if status == EffectiveStatus::Resolved
        && let Some(target) = entries::entry(rows, &EntryId::new(effective_id))?
    {
        return Ok(Some((target, Some(id.clone()))));
    }
    Ok(entries::entry(rows, id)?.map(|row| (row, None)))
}

/// The state of an entry now or at a moment; `None` if it is not shown: it was withdrawn or
/// has expired.
fn state_of(entry: &Entry, as_of: Option<Timestamp>, now: Timestamp) -> Option<LearnedState> {
    if let Some(at) = as_of {
        return entry.holds_at(at).then_some(LearnedState::InForce);
    }
    match entry.status {
        EntryStatus::Deprecated => None,
        EntryStatus::Superseded { .. } => Some(LearnedState::Superseded),
        _ if entry.validity.to.is_some_and(|to| to <= now) => None,
        EntryStatus::Contested { .. } => Some(LearnedState::Contested),
        EntryStatus::Active => Some(LearnedState::InForce),
    }
}

impl Finder<'_> {
    /// The current entry for one that the index found.
    pub(super) fn entry(&self, id: &EntryId, coverage: f32) -> Result<Option<Found>> {
        let Some((row, _)) = effective(self.rows, id)? else {
            return Ok(None);
        };
        self.found_entry(row, coverage)
    }

    /// What replaced an entry that covers this much of the question and is valid now: a
    /// question in the old words means it too.
    pub(super) fn successor(&self, id: &EntryId, coverage: f32) -> Result<Option<Found>> {
        let mut at = id.clone();
        for _ in 0..MOST_STEPS {
            let Some(row) = entries::entry(self.rows, &at)? else {
                return Ok(None);
            };
            match row.entry.superseded_by() {
                Some(next) => at = next.clone(),
                None => return self.found_entry(row, coverage),
            }
        }
        Ok(None)
    }

    /// The state of an entry, now or as of the query's moment; `None` if it is not shown. An
    /// entry without `valid_from` was unknown before it was first said.
    pub(super) fn state(&self, row: &LearnedEntry) -> Result<Option<LearnedState>> {
        if let Some(at) = self.query.as_of
            && row.entry.valid_from().is_none()
            && !self.was_said_by(row, at)?
        {
            return Ok(None);
        }
        if self.query.as_of.is_none() {
            self.note_changes(row);
        }
        Ok(state_of(&row.entry, self.query.as_of, self.now))
    }

    /// Notes when the entry will begin or cease to hold.
    fn note_changes(&self, row: &LearnedEntry) {
        let validity = &row.entry.validity;
        let ahead = [validity.from, validity.to].into_iter().flatten();
        let next = ahead.filter(|at| *at > self.now).min();
        let known = self.changes_at.get();
        self.changes_at.set(known.into_iter().chain(next).min());
    }

    /// Whether an event that proves the entry existed at a moment; if none does, the record
    /// that created it.
    fn was_said_by(&self, row: &LearnedEntry, at: Timestamp) -> Result<bool> {
        let Evidence { quotes, record, .. } = Evidence::of_entry(row);
        for (id, _) in &quotes {
            if self.live(id)?.is_some_and(|event| event.timestamp <= at) {
                return Ok(true);
            }
        }
        let record = match record {
            Some(record) if quotes.is_empty() => self.read.event_at(record.0)?,
            _ => None,
        };
        Ok(record.is_some_and(|event| event.timestamp <= at))
    }

    fn found_entry(&self, row: LearnedEntry, coverage: f32) -> Result<Option<Found>> {
        let entry = &row.entry;
        let Some(state) = self.state(&row)? else {
            return Ok(None);
        };
        let query = self.query;
        let fits = self.is_of_project(&row.project)
            && self.is_in_time(row.created_at)
            && query.session.as_ref().is_none_or(|s| *s == row.session)
            && (query.entry_types.is_empty() || query.entry_types.contains(&entry.entry_type));
        if !fits {
            return Ok(None);
        }
        let mut relevance = coverage;
        if self.is_asked(entry.entry_type) {
            relevance = 1.0 - (1.0 - relevance) * weight::ASKED_DOUBT;
        }
        relevance *= match state {
            LearnedState::Contested => CONTESTED_PENALTY as f32,
            LearnedState::Superseded => weight::PAST,
            _ => 1.0,
        };
        if entry.stage() < Stage::Verified {
            relevance *= weight::UNPROVED;
        }
        let doubt = row.confidence.map_or(0.0, |sure| 1.0 - sure as f32);
        relevance *= 1.0 - weight::CONFIDENCE * doubt.clamp(0.0, 1.0);
        let contested_with = match state {
            LearnedState::Contested => entry.contested_with(),
            _ => &[],
        };
        let superseded_by = match state {
            LearnedState::Superseded => entry.superseded_by(),
            _ => None,
        };
        Ok(Some(Found {
            evidence: Evidence::of_entry(&row),
            rank: relevance,
            hit: LearnedHit {
                entry_type: Some(entry.entry_type),
                stage: Some(entry.stage()),
                superseded_by: superseded_by.map(|id| id.as_str().to_owned()),
                contested_with: contested_with
                    .iter()
                    .map(|id| id.as_str().to_owned())
                    .collect(),
                timestamp: row.created_at,
                relevance,
                text: row.content,
                project: row.project,
                session: row.session,
                ..blank(
                    LearnedKind::Entry,
                    row.entry.id.as_str(),
                    row.entry.title,
                    state,
                )
            },
        }))
    }
}
