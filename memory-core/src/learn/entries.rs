//! Reads stored entries, and carries out what callers do with them: supersede, contradict,
//! resolve, certify, deprecate.

use serde_json::json;

use crate::engine::{Engine, learned_index};
use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::lists::{on_page, page};
use crate::model::setters::setters;
use crate::model::shorten::short;
use crate::model::time::Timestamp;
use crate::projection::entries::{self, Group, InState, STATUSES};
use crate::projection::{self, rows};
use crate::recall::asked::present::Present;
use crate::recall::learned::entries::{as_it_counts, contradicting};
use crate::recall::learned::quoted;
use crate::rules::entries::{
    Entry, EntryAct, EntryId, EntryStatus, EntryType, LearnedEntry, PromotionGrounds, Refusal,
    Stage,
};
use crate::rules::history::{Conflict, ConflictResolution, ConflictVerdict, PromotionRecord};
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::{RowKind, Rows};
use crate::store::projected_rows::touches::Liveness;
use crate::write::prepare::{SystemEvent, clean_text};

/// Selects learned entries. An entry must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EntryFilter {
    /// Keeps only entries of these projects.
    pub project: ProjectScope,
    /// Keeps only entries of this type.
    pub entry_type: Option<EntryType>,
    /// Keeps only entries of at least this stage.
    pub min_stage: Option<Stage>,
    /// Keeps only entries with this status: `active`, `contested`, `deprecated` or
    /// `superseded`.
    pub status: Option<String>,
    /// Keeps only entries that were learned from this session.
    pub session: Option<String>,
    /// Keeps only entries that were valid at this moment, whatever happened to them later and
    /// whenever they were said. [`Memory::search`](crate::Memory::search) with `as_of` also asks
    /// whether they had been said by then.
    pub as_of: Option<Timestamp>,
    /// Keeps only entries with this text in the title or content, ignoring letter case.
    pub text: Option<String>,
    /// Skips this many entries, to page through a list. Default: 0.
    pub offset: Option<usize>,
    /// The maximum number of entries to return. Default: 1,000.
    pub limit: Option<usize>,
    /// Keeps only entries whose quoted events are all there, as searches do: leaves out what was
    /// learned from events that are forgotten now. Set this for lists that you give to a model.
    /// Default: false. [`Knowledge::search`](crate::Knowledge::search) always does this.
    pub is_live: bool,
}

impl EntryFilter {
    setters! {
        /// Keeps only entries of these projects.
        project: ProjectScope;
        /// Keeps only entries of this type.
        entry_type: some EntryType;
        /// Keeps only entries of at least this stage.
        min_stage: some Stage;
        /// Keeps only entries with this status.
        status: some text;
        /// Keeps only entries that were learned from this session.
        session: some text;
        /// Keeps only entries that were valid at this moment.
        as_of: some Timestamp;
        /// Keeps only entries with this text in the title or content.
        text: some text;
        /// Skips this many entries.
        offset: some usize;
        /// Returns at most this many.
        limit: some usize;
        /// Sets whether to keep only entries whose quoted events are all there.
        is_live: bool;
    }

    pub(super) fn check(&self) -> Result<()> {
        match &self.status {
            Some(status) if !STATUSES.contains(&status.as_str()) => Err(Error::invalid(
                "status",
                format_args!("unknown value; use one of {}", STATUSES.join(", ")),
            )),
            _ => Ok(()),
        }
    }

    /// The same filter with the session under its stored name.
    pub(super) fn kept(&self, engine: &Engine) -> Result<Self> {
        let session = crate::write::prepare::read_session_option(engine, self.session.as_deref())?;
        Ok(EntryFilter {
            session,
            ..self.clone()
        })
    }

    /// Visits the entries that may match, newest first, until `visit` returns false.
    fn newest(
        &self,
        read: &ReadTx,
        rows: &dyn Rows,
        project: Option<&str>,
        visit: &mut dyn FnMut(LearnedEntry) -> Result<bool>,
    ) -> Result<()> {
        let statuses = match self.status.as_deref() {
            None => Vec::new(),
            // What is stored as contested may count as active.
            Some("active") => vec!["active", "contested"],
            Some(status) => vec![status],
        };
        let states = InState {
            entry_type: self.entry_type,
            statuses: &statuses,
            min_stage: self.min_stage,
        };
        let group = match (self.session.as_deref(), project) {
            (Some(session), _) => Group::OfSession(session),
            (None, Some(project)) => Group::OfProject(project),
            (None, None) => Group::All,
        };
        // The rows by state are in the order of the log, which is another one if stores share.
        let has_states = self.session.is_none() && !states.is_any();
        match has_states && !read.may_be_reordered()? {
            true => entries::in_states(rows, project, states, visit),
            false => entries::newest(read, rows, group, visit),
        }
    }

    pub(super) fn fits(
        &self,
        project: Option<&str>,
        text: Option<&str>,
        row: &LearnedEntry,
    ) -> bool {
        let entry = &row.entry;
        project.is_none_or(|project| row.project == project)
            && self.entry_type.is_none_or(|kind| entry.entry_type == kind)
            && self
                .min_stage
                .is_none_or(|stage| entry.lifecycle.stage() >= stage)
            && self
                .status
                .as_deref()
                .is_none_or(|status| entry.status.as_str() == status)
            && self
                .session
                .as_deref()
                .is_none_or(|session| row.session == session)
            && self.as_of.is_none_or(|at| entry.holds_at(at))
            && text.is_none_or(|text| {
                entry.title.to_lowercase().contains(text)
                    || row.content.to_lowercase().contains(text)
            })
    }
}

/// How many items are scanned for a text before its words are looked up in the index.
pub(super) const WALKED: usize = 100;

fn missing(argument: &str, id: &EntryId) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("no entry with id {}", short(id.as_str())),
    )
    .with_argument(argument)
}

fn required(rows: &dyn Rows, argument: &str, id: &EntryId) -> Result<LearnedEntry> {
    entries::entry(rows, id)?.ok_or_else(|| missing(argument, id))
}

/// [`Knowledge::entries`](crate::Knowledge::entries).
pub(crate) fn entries(engine: &Engine, filter: &EntryFilter) -> Result<Vec<LearnedEntry>> {
    filter.check()?;
    let project = crate::write::prepare::wanted_project(engine, &filter.project)?;
    let filter = &filter.kept(engine)?;
    let text = filter.text.as_ref().map(|text| text.to_lowercase());
    let page = page(filter.offset, filter.limit);
    let limit = page.end;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let present = Present::at(engine.store.clock().now());
    // The entry that fits, as it counts.
    let fitting = |row: LearnedEntry| -> Result<Option<LearnedEntry>> {
        let row = as_it_counts(&read, &rows, row, &present)?;
        let fits = filter.fits(project.as_deref(), text.as_deref(), &row)
            && (!filter.is_live || quoted::is_entry_live(&read, &row)?);
        Ok(fits.then_some(row))
    };
    let (mut found, mut left) = (Vec::new(), WALKED);
    filter.newest(&read, &rows, project.as_deref(), &mut |row| {
        if found.len() < limit {
            found.extend(fitting(row)?);
        }
        left -= usize::from(text.is_some());
        Ok(found.len() < limit && left > 0)
    })?;
    if left > 0 || found.len() >= limit {
        return Ok(on_page(found, &page));
    }
    // The rest may be anywhere: visit the entries that contain its words.
    let text = text.as_deref().unwrap_or_default();
    found.clear();
    match learned_index::entries_with(&rows, text)? {
        Some(ids) => {
            // They are in the order of the log, which is another one if stores share.
            let is_sorted = !read.may_be_reordered()?;
            for id in ids {
                if is_sorted && found.len() >= limit {
                    break;
                }
                if let Some(row) = entries::entry(&rows, &id)? {
                    found.extend(fitting(row)?);
                }
            }
            if !is_sorted {
                entries::sort_newest(&read, &mut found)?;
            }
        }
        None => filter.newest(&read, &rows, project.as_deref(), &mut |row| {
            found.extend(fitting(row)?);
            Ok(found.len() < limit)
        })?,
    }
    Ok(on_page(found, &page))
}

/// [`Knowledge::entry`](crate::Knowledge::entry).
pub(crate) fn entry(engine: &Engine, id: &EntryId) -> Result<Option<LearnedEntry>> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let present = Present::at(engine.store.clock().now());
    let found = entries::entry(&rows, id)?;
    found
        .map(|row| as_it_counts(&read, &rows, row, &present))
        .transpose()
}

/// [`Knowledge::supersede`](crate::Knowledge::supersede).
pub(crate) fn supersede(engine: &Engine, older: &EntryId, newer: &EntryId) -> Result<()> {
    engine.store.write(|tx| {
        let rows = tx.projected()?;
        let old = required(&rows, "older", older)?;
        let new = required(&rows, "newer", newer)?;
        let drafts = replacement(engine, &rows, &old, &new)?;
        drop(rows);
        projection::append(tx, &drafts)?;
        Ok(())
    })
}

/// The events by which an entry is replaced by a newer one; none if it was already. An entry that
/// was withdrawn, or that the older one replaced, cannot take its place: nothing would be in force.
pub(crate) fn replacement(
    engine: &Engine,
    rows: &dyn Rows,
    old: &LearnedEntry,
    new: &LearnedEntry,
) -> Result<Vec<Draft>> {
    let acts = old
        .entry
        .supersede(&new.entry, engine.store.clock().now())?;
    if acts.is_empty() {
        return Ok(Vec::new());
    }
    refuse_circle(rows, &old.entry.id, &new.entry.id)?;
    if new.entry.status == EntryStatus::Deprecated {
        return Err(Error::new(
            ErrorCode::InvariantViolation,
            format!("entry {} was withdrawn: it replaces nothing", new.entry.id),
        )
        .with_argument("newer"));
    }
    let mut drafts: Vec<Draft> = acts.iter().map(|act| entry_act(engine, old, act)).collect();
    drafts.extend(settled(engine, rows, old, "superseded")?);
    Ok(drafts)
}

/// Like [`replacement`]; none if one of the entries is gone, the older one has a successor already, or
/// the newer one was withdrawn or replaced by it before.
pub(super) fn replacement_if_free(
    engine: &Engine,
    rows: &dyn Rows,
    older: &EntryId,
    newer: &EntryId,
) -> Result<Vec<Draft>> {
    let pair = entries::entry(rows, older)?.zip(entries::entry(rows, newer)?);
    let Some((old, new)) = pair else {
        return Ok(Vec::new());
    };
    match replacement(engine, rows, &old, &new) {
        Err(error) if error.code() == ErrorCode::InvariantViolation => Ok(Vec::new()),
        drafts => drafts,
    }
}

/// The events by which two entries are in conflict; none if they are or were, or if they cannot be.
pub(super) fn conflict_if_new(
    engine: &Engine,
    rows: &dyn Rows,
    older: &EntryId,
    newer: &EntryId,
) -> Result<Vec<Draft>> {
    let pair = entries::entry(rows, older)?.zip(entries::entry(rows, newer)?);
    let Some((old, new)) = pair else {
        return Ok(Vec::new());
    };
    if find_conflict(rows, older, newer)?.is_some() || !old.entry.can_contradict(&new.entry) {
        return Ok(Vec::new());
    }
    Ok(conflict_between(engine, &old, &new, "contradicts", None)?.1)
}

/// The events by which the conflicts of an entry that no longer counts are over, with this
/// resolution: the other entries are upheld.
fn settled(
    engine: &Engine,
    rows: &dyn Rows,
    loser: &LearnedEntry,
    resolution: &str,
) -> Result<Vec<Draft>> {
    let now = engine.store.clock().now();
    let lost = &loser.entry.id;
    let mut drafts = Vec::new();
    for id in loser.entry.contested_with() {
        let Some(other) = entries::entry(rows, id)? else {
            continue;
        };
        let conflict = find_conflict(rows, id, lost)?;
        if let Some(conflict) = conflict.filter(|conflict| conflict.resolved.is_none()) {
            let ended = conflict.resolve(ConflictResolution {
                resolved_at: now.max(conflict.detected_at),
                resolution: resolution.to_owned(),
                resolved_by: "system".to_owned(),
            })?;
            drafts.push(conflict_event(engine, &other, &ended));
        }
        let against = lost.clone();
        drafts.push(entry_act(engine, &other, &EntryAct::Upheld { against }));
    }
    Ok(drafts)
}

/// The events by which an entry is withdrawn; none if it was already.
pub(crate) fn withdrawal(
    engine: &Engine,
    rows: &dyn Rows,
    row: &LearnedEntry,
) -> Result<Vec<Draft>> {
    let at = engine.store.clock().now();
    let still_holds = match row.entry.status {
        EntryStatus::Active | EntryStatus::Contested { .. } => true,
        // Its successor is not valid yet.
        EntryStatus::Superseded { .. } => row.entry.valid_to().is_none_or(|to| to > at),
        EntryStatus::Deprecated => false,
    };
    if !still_holds {
        return Ok(Vec::new());
    }
    let mut drafts = vec![entry_act(engine, row, &EntryAct::Deprecated { at })];
    drafts.extend(settled(engine, rows, row, "deprecated")?);
    Ok(drafts)
}

/// [`Knowledge::contradict`](crate::Knowledge::contradict).
pub(crate) fn contradict(
    engine: &Engine,
    older: &EntryId,
    newer: &EntryId,
    reason: Option<&str>,
) -> Result<Conflict> {
    let reason = reason
        .map(|reason| clean_text(engine, "reason", reason))
        .transpose()?;
    engine.store.write(|tx| {
        let rows = tx.projected()?;
        let old = required(&rows, "older", older)?;
        let new = required(&rows, "newer", newer)?;
        let known = find_conflict(&rows, older, newer)?;
        drop(rows);
        if let Some(known) = known {
            return Ok(known);
        }
        let (conflict, drafts) = conflict_between(engine, &old, &new, "contradicts", reason)?;
        projection::append(tx, &drafts)?;
        Ok(conflict)
    })
}

/// The events of a new conflict: one per entry and the ledger record.
pub(crate) fn conflict_between(
    engine: &Engine,
    old: &LearnedEntry,
    new: &LearnedEntry,
    conflict_type: &str,
    reason: Option<String>,
) -> Result<(Conflict, Vec<Draft>)> {
    let (older, newer) = (&old.entry.id, &new.entry.id);
    let now = engine.store.clock().now();
    let conflict = Conflict {
        conflict_id: conflict_id(older, newer),
        older_id: older.clone(),
        newer_id: newer.clone(),
        conflict_type: conflict_type.to_owned(),
        reason,
        detected_at: now,
        resolved: None,
    };
    conflict.check()?;
    if !old.entry.can_contradict(&new.entry) {
        return Err(Error::new(
            ErrorCode::InvariantViolation,
            format!(
                "entries {older} and {newer} cannot conflict: one is no longer active, or they are \
                 valid at different times"
            ),
        )
        .with_argument("newer"));
    }
    let drafts = vec![
        conflict_event(engine, old, &conflict),
        entry_act(
            engine,
            old,
            &EntryAct::Contested {
                with: newer.clone(),
            },
        ),
        entry_act(
            engine,
            new,
            &EntryAct::Contested {
                with: older.clone(),
            },
        ),
    ];
    Ok((conflict, drafts))
}

/// [`Knowledge::resolve_conflict`](crate::Knowledge::resolve_conflict).
pub(crate) fn resolve_conflict(
    engine: &Engine,
    conflict_id: &str,
    verdict: &ConflictVerdict,
) -> Result<Conflict> {
    let in_favour_of = &verdict.in_favour_of;
    let resolution = clean_text(engine, "resolution", &verdict.resolution)?;
    let resolved_by = clean_text(engine, "resolved_by", &verdict.resolved_by)?;
    engine.store.write(|tx| {
        let rows = tx.projected()?;
        let conflict = rows::get::<Conflict>(&rows, conflict_id.as_bytes())?.ok_or_else(|| {
            Error::new(
                ErrorCode::NotFound,
                format!("no conflict with id {}", short(conflict_id)),
            )
            .with_argument("conflict_id")
        })?;
        let loser = if *in_favour_of == conflict.older_id {
            &conflict.newer_id
        } else if *in_favour_of == conflict.newer_id {
            &conflict.older_id
        } else {
            return Err(Error::invalid(
                "in_favour_of",
                "is not part of this conflict",
            ));
        };
        let now = engine.store.clock().now();
        let ended = conflict.resolve(ConflictResolution {
            // Another machine, whose clock is ahead, may have found it.
            resolved_at: now.max(conflict.detected_at),
            resolution,
            resolved_by,
        })?;
        let mut drafts = Vec::new();
        if let Some(row) = entries::entry(&rows, in_favour_of)? {
            drafts.push(conflict_event(engine, &row, &ended));
            let act = EntryAct::Upheld {
                against: loser.clone(),
            };
            drafts.push(entry_act(engine, &row, &act));
        }
        if let Some(mut row) = entries::entry(&rows, loser)? {
            // This conflict is over; the others of the loser end with it.
            let against = in_favour_of.clone();
            row.entry = row.entry.after(&EntryAct::Upheld { against });
            drafts.extend(withdrawal(engine, &rows, &row)?);
        }
        drop(rows);
        projection::append(tx, &drafts)?;
        Ok(ended)
    })
}

/// [`Knowledge::certify`](crate::Knowledge::certify).
pub(crate) fn certify(engine: &Engine, id: &EntryId, certified_by: &str) -> Result<()> {
    let certified_by = clean_text(engine, "certified_by", certified_by)?;
    engine.store.write(|tx| {
        let now = engine.store.clock().now();
        let rows = tx.projected()?;
        let mut row = required(&rows, "id", id)?;
        let is_contested = matches!(row.entry.status, EntryStatus::Contested { .. });
        let is_live = |other: &LearnedEntry| is_entry_live(tx, other);
        if is_contested && contradicting(&rows, &row.entry, &Present::at(now), &is_live)?.is_empty()
        {
            row.entry.status = EntryStatus::Active;
        }
        drop(rows);
        let from = row.entry.lifecycle.stage();
        if from != Stage::Verified {
            return Err(Error::new(
                ErrorCode::InvariantViolation,
                format!("entry {id} is {from}: only a verified entry can be certified"),
            )
            .with_argument("id"));
        }
        let grounds = PromotionGrounds {
            evidence: None,
            certified_by: Some(certified_by.clone()),
        };
        let promoted = row.entry.promote(grounds);
        let act = promoted.map_err(|refusal| Error::from(refusal).with_argument("id"))?;
        let record = PromotionRecord {
            entry_id: id.clone(),
            from,
            to: Stage::Certified,
            is_blocked: false,
            reason: format!("certified by {certified_by}"),
            build_id: None,
            at: now,
        };
        let draft = promotion(engine, &row, &act, &[record]);
        projection::append(tx, &[draft])?;
        Ok(())
    })
}

/// [`Knowledge::deprecate`](crate::Knowledge::deprecate).
pub(crate) fn deprecate(engine: &Engine, id: &EntryId) -> Result<()> {
    engine.store.write(|tx| {
        let rows = tx.projected()?;
        let row = required(&rows, "id", id)?;
        let drafts = withdrawal(engine, &rows, &row)?;
        drop(rows);
        projection::append(tx, &drafts)?;
        Ok(())
    })
}

/// Whether every event that an entry quotes is live.
pub(crate) fn is_entry_live(live: &dyn Liveness, row: &LearnedEntry) -> Result<bool> {
    for id in row.quoted_events() {
        if !id.parse().map_or(Ok(false), |id| live.is_live(&id))? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn entry_act(engine: &Engine, row: &LearnedEntry, act: &EntryAct) -> Draft {
    entry_event(engine, row, entries::act_payload(&row.entry.id, act))
}

/// The event of a promotion, with its ledger records.
pub(crate) fn promotion(
    engine: &Engine,
    row: &LearnedEntry,
    act: &EntryAct,
    records: &[PromotionRecord],
) -> Draft {
    let mut payload = entries::act_payload(&row.entry.id, act);
    payload["promotions"] = codec::to_value(&records);
    entry_event(engine, row, payload)
}

pub(crate) fn entry_event(
    engine: &Engine,
    row: &LearnedEntry,
    payload: serde_json::Value,
) -> Draft {
    SystemEvent {
        session: row.session.clone(),
        project: row.project.clone(),
        ..SystemEvent::new(
            engine,
            EventKind::EntryChanged,
            format!(
                "entry {}: {}",
                payload["act"].as_str().unwrap_or("changed"),
                row.entry.title
            ),
            payload,
        )
    }
    .draft(engine)
}

fn conflict_event(engine: &Engine, row: &LearnedEntry, conflict: &Conflict) -> Draft {
    SystemEvent {
        project: row.project.clone(),
        ..SystemEvent::new(
            engine,
            EventKind::ConflictChanged,
            if conflict.resolved.is_some() {
                "conflict resolved"
            } else {
                "conflict found"
            },
            codec::to_value(conflict),
        )
    }
    .draft(engine)
}

/// The id of the conflict between two entries, in either order.
fn conflict_id(a: &EntryId, b: &EntryId) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let mut hasher = blake3::Hasher::new();
    for part in [first, second] {
        hasher.update(&(part.as_str().len() as u64).to_le_bytes());
        hasher.update(part.as_str().as_bytes());
    }
    format!("conflict_{}", &hasher.finalize().to_hex()[..32])
}

pub(crate) fn find_conflict(rows: &dyn Rows, a: &EntryId, b: &EntryId) -> Result<Option<Conflict>> {
    rows::get(rows, conflict_id(a, b).as_bytes())
}

/// Refuses to supersede an entry by one that it superseded itself, directly or not.
fn refuse_circle(rows: &dyn Rows, older: &EntryId, newer: &EntryId) -> Result<()> {
    let mut at = newer.clone();
    // More steps than there are entries would mean a cycle.
    for _ in 0..=rows.facts(RowKind::Entry)?.rows {
        let next = match entries::entry(rows, &at)?.map(|row| row.entry.status) {
            Some(EntryStatus::Superseded { by }) => by,
            _ => return Ok(()),
        };
        if next == *older {
            break;
        }
        at = next;
    }
    Err(Error::new(
        ErrorCode::InvariantViolation,
        "`older` replaced `newer`, itself or by others: they would supersede each other in a cycle",
    )
    .with_argument("newer"))
}

/// Promotes a new entry as far as its evidence allows: to verified if it has quotes and all
/// were found, else to candidate.
pub(crate) fn promote_to_verified(
    row: &LearnedEntry,
    evidence: &crate::rules::entries::EvidenceReport,
    build_id: &str,
    at: Timestamp,
) -> (Entry, Vec<PromotionRecord>) {
    let mut entry = row.entry.clone();
    let mut records = Vec::new();
    let has_quotes = !evidence.aligned.is_empty() || !evidence.failed.is_empty();
    for to in [Stage::Working, Stage::Candidate, Stage::Verified] {
        let from = entry.lifecycle.stage();
        let promoted = if to == Stage::Verified && !has_quotes {
            Err(Refusal {
                reason: "No quote proves the entry".to_owned(),
                failed_quotes: Vec::new(),
            })
        } else {
            entry.promote(PromotionGrounds {
                evidence: Some(evidence.clone()),
                certified_by: None,
            })
        };
        let record = |is_blocked: bool, reason: String| PromotionRecord {
            entry_id: entry.id.clone(),
            from,
            to,
            is_blocked,
            reason,
            build_id: Some(build_id.to_owned()),
            at,
        };
        match promoted {
            Ok(act) => {
                let reason = match to {
                    Stage::Working => "well-formed",
                    Stage::Candidate => "typed, quotes looked up",
                    _ => "every quote was found",
                };
                records.push(record(false, reason.to_owned()));
                entry = entry.after(&act);
            }
            Err(refusal) => {
                records.push(record(true, refusal.reason));
                break;
            }
        }
    }
    (entry, records)
}

/// The result of checking an entry, as stored in the log.
pub(crate) fn checked_payload(entry: &Entry) -> serde_json::Value {
    json!({
        "entry_id": entry.id.as_str(),
        "type": entry.entry_type.as_str(),
        "stage": entry.lifecycle.stage().as_str(),
        "ok": true,
    })
}
