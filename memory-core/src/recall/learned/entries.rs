//! Resolves entries that were found: which one is current, its state, and its certainty.

use crate::model::error::Result;
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::projection::{entries, memories};
use crate::recall::asked::present::Present;
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::{Evidence, Found, blank};
use crate::recall::learned::{less_doubted, quoted, weight};
use crate::rules::entries::{
    CONTESTED_PENALTY, EffectiveStatus, Entry, EntryId, EntryStatus, LearnedEntry, Stage,
    effective_memory,
};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;

/// How many successors are followed to the current one.
const MAX_STEPS: usize = 16;

/// The entry that is current for another, now or at a moment, and the one it replaced, if any.
pub(crate) fn effective(
    rows: &dyn Rows,
    id: &EntryId,
    as_of: Option<Timestamp>,
) -> Result<Option<(LearnedEntry, Option<EntryId>)>> {
    let resolution = memories::resolution(rows, id.as_str())?;
    // Nobody had answered yet at an earlier moment.
    let resolution = resolution.filter(|answer| as_of.is_none_or(|at| answer.resolved_at <= at));
    let (effective_id, status) = effective_memory(id.as_str(), resolution.as_ref());
    if status == EffectiveStatus::Resolved
        && let Some(target) = entries::entry(rows, &EntryId::new(effective_id))?
    {
        return Ok(Some((target, Some(id.clone()))));
    }
    Ok(entries::entry(rows, id)?.map(|row| (row, None)))
}

/// The state of an entry by what it says itself; `None` if it is not shown: it was withdrawn,
/// has expired or is not valid yet.
fn own_state(entry: &Entry, present: &Present) -> Option<LearnedState> {
    present.note(&entry.validity);
    let is_valid = entry.holds_at(present.now);
    match entry.status {
        EntryStatus::Deprecated => None,
        // Until its successor becomes valid, it still holds.
        EntryStatus::Superseded { .. } if is_valid => Some(LearnedState::InForce),
        EntryStatus::Superseded { .. } => Some(LearnedState::Superseded),
        _ if !is_valid => None,
        EntryStatus::Contested { .. } => Some(LearnedState::Contested),
        EntryStatus::Active => Some(LearnedState::InForce),
    }
}

/// The entries that contradict one now: those that are shown themselves. `is_live` says
/// whether nothing that proves an entry was forgotten.
pub(crate) fn contradicting(
    rows: &dyn Rows,
    entry: &Entry,
    present: &Present,
    is_live: &dyn Fn(&LearnedEntry) -> Result<bool>,
) -> Result<Vec<EntryId>> {
    let mut found = Vec::new();
    for id in entry.contested_with() {
        if let Some(other) = entries::entry(rows, id)?
            && own_state(&other.entry, present).is_some_and(LearnedState::is_current)
            && is_live(&other)?
        {
            found.push(id.clone());
        }
    }
    Ok(found)
}

/// The state of an entry now, and what contests it; `None` if it is not shown.
pub(crate) fn state_now(
    read: &ReadTx,
    rows: &dyn Rows,
    entry: &Entry,
    present: &Present,
) -> Result<Option<(LearnedState, Vec<EntryId>)>> {
    let Some(state) = own_state(entry, present) else {
        return Ok(None);
    };
    if state != LearnedState::Contested {
        return Ok(Some((state, Vec::new())));
    }
    let with = contradicting(rows, entry, present, &|other| {
        quoted::is_entry_live(read, other)
    })?;
    Ok(Some(match with.is_empty() {
        true => (LearnedState::InForce, with),
        false => (LearnedState::Contested, with),
    }))
}

/// An entry with the status that it has now: only entries that are shown themselves contest it.
pub(crate) fn as_it_counts(
    read: &ReadTx,
    rows: &dyn Rows,
    mut row: LearnedEntry,
    present: &Present,
) -> Result<LearnedEntry> {
    if matches!(row.entry.status, EntryStatus::Contested { .. }) {
        let is_live = |other: &LearnedEntry| quoted::is_entry_live(read, other);
        let with = contradicting(rows, &row.entry, present, &is_live)?;
        row.entry.status = match with.is_empty() {
            true => EntryStatus::Active,
            false => EntryStatus::Contested { with },
        };
    }
    Ok(row)
}

/// The entry at the end of the chain of those that replaced one.
pub(crate) fn current_successor(rows: &dyn Rows, id: &EntryId) -> Result<Option<LearnedEntry>> {
    let mut at = id.clone();
    for _ in 0..MAX_STEPS {
        let Some(row) = entries::entry(rows, &at)? else {
            return Ok(None);
        };
        match row.entry.superseded_by() {
            Some(next) => at = next.clone(),
            None => return Ok(Some(row)),
        }
    }
    Ok(None)
}

impl Finder<'_> {
    /// The current entry for one that the index found.
    pub(super) fn entry(&self, id: &EntryId, coverage: f32) -> Result<Option<Found>> {
        let Some((row, _)) = effective(self.rows, id, self.query.as_of)? else {
            return Ok(None);
        };
        self.found_entry(row, coverage)
    }

    /// What replaced an entry that covers this much of the question and is valid now: a
    /// question in the old words means it too.
    pub(super) fn successor(&self, id: &EntryId, coverage: f32) -> Result<Option<Found>> {
        match current_successor(self.rows, id)? {
            Some(row) => self.found_entry(row, coverage),
            None => Ok(None),
        }
    }

    /// The state of an entry, now or as of the query's moment, and what contests it; `None`
    /// if it is not shown.
    fn state_with(&self, row: &LearnedEntry) -> Result<Option<(LearnedState, Vec<EntryId>)>> {
        let Some(at) = self.query.as_of else {
            return state_now(self.read, self.rows, &row.entry, self.present);
        };
        let is_shown = row.entry.holds_at(at) && quoted::was_known_at(self.read, row, at)?;
        Ok(is_shown.then(|| (LearnedState::InForce, Vec::new())))
    }

    /// Whether an entry was said in the period: a conversation may be read long after it was. One
    /// that quotes nothing counts from when it was added.
    fn is_entry_in_time(&self, row: &LearnedEntry) -> Result<bool> {
        match self.is_dated() && row.quoted_events().next().is_some() {
            true => quoted::any_said(self.read, row.quoted_events(), &|at| self.is_in_time(at)),
            false => Ok(self.is_in_time(row.created_at)),
        }
    }

    fn found_entry(&self, row: LearnedEntry, coverage: f32) -> Result<Option<Found>> {
        let entry = &row.entry;
        let Some((state, contested_with)) = self.state_with(&row)? else {
            return Ok(None);
        };
        let query = self.query;
        let fits = self.is_of_project(&row.project)
            && self.is_entry_in_time(&row)?
            && query.session.as_ref().is_none_or(|s| *s == row.session)
            && (query.entry_types.is_empty() || query.entry_types.contains(&entry.entry_type));
        if !fits {
            return Ok(None);
        }
        let mut relevance = coverage * self.share_of(LearnedKind::Entry, Some(entry.entry_type));
        if self.is_asked(entry.entry_type) {
            relevance = less_doubted(relevance);
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
                confidence: row.confidence,
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
