//! Learned entries in the store: reading them, and what a caller may do to
//! them: supersede, contradict, settle, certify, take back.

use serde_json::json;

use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::projection::{self, entries, rows};
use crate::rules::entries::{
    Entry, EntryAct, EntryId, EntryType, PromotionGrounds, Refusal, Stage,
};
use crate::rules::ledgers::{Conflict, ConflictResolution, PromotionRecord};
use crate::scope::ProjectScope;
use crate::store::append::Draft;
use crate::store::projected::{Rows, Shelf};
use crate::write::prepare::{SystemEvent, clean_text};

/// An entry as the store keeps it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearnedEntry {
    /// Its identity, stage, status and validity.
    pub entry: Entry,
    /// In full.
    pub content: String,
    /// The canonical key of its title.
    pub canonical_key: String,
    /// The project it belongs to; empty for none.
    pub project: String,
    /// The session it was learned from.
    pub session: String,
    /// Its name within the extraction.
    pub local_id: Option<String>,
    /// How clearly it was said, from 0 to 1, as the extractor judged.
    pub confidence: Option<f64>,
    /// The run that made it.
    pub build_id: Option<String>,
    /// When it was learned.
    pub created_at: Timestamp,
    /// The position of the event that made it.
    pub seq: Seq,
}

impl LearnedEntry {
    pub(crate) fn new(entry: Entry, content: String, project: &str, session: &str) -> Self {
        LearnedEntry {
            canonical_key: crate::text::keys::canonical_key(&entry.title, None),
            entry,
            content,
            project: project.to_owned(),
            session: session.to_owned(),
            local_id: None,
            confidence: None,
            build_id: None,
            created_at: Timestamp::default(),
            seq: Seq(0),
        }
    }
}

/// Which entries are wanted. Every field that is set must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryFilter {
    /// Of these projects.
    pub project: ProjectScope,
    /// Of this type.
    pub entry_type: Option<EntryType>,
    /// At least of this stage.
    pub min_stage: Option<Stage>,
    /// `active`, `contested`, `deprecated` or `superseded`.
    pub status: Option<String>,
    /// Learned from this session.
    pub session: Option<String>,
    /// Holding at this moment, whatever became of it later.
    pub as_of: Option<Timestamp>,
    /// With this text in the title or content, letter case ignored.
    pub text: Option<String>,
    /// At most so many; 1,000 by default.
    pub limit: Option<usize>,
}

impl EntryFilter {
    pub(super) fn check(&self) -> Result<()> {
        const KNOWN: [&str; 4] = ["active", "contested", "deprecated", "superseded"];
        match &self.status {
            Some(status) if !KNOWN.contains(&status.as_str()) => Err(Error::invalid(
                "status",
                format_args!("unknown value; use one of {}", KNOWN.join(", ")),
            )),
            _ => Ok(()),
        }
    }

    /// The same filter with the name that its session is kept under.
    pub(super) fn kept(&self, memory: &Memory) -> Result<Self> {
        let session = crate::write::prepare::kept_option(&memory.inner, self.session.as_deref())?;
        Ok(EntryFilter {
            session,
            ..self.clone()
        })
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

/// How many rows a list gives unless it is told otherwise.
pub(crate) const LIST_LIMIT: usize = 1_000;

fn missing(argument: &str, id: &EntryId) -> Error {
    Error::new(ErrorCode::NotFound, format!("there is no entry {id}")).with_argument(argument)
}

fn required(rows: &dyn Rows, argument: &str, id: &EntryId) -> Result<LearnedEntry> {
    entries::entry(rows, id)?.ok_or_else(|| missing(argument, id))
}

impl Memory {
    /// Learned entries that fit a filter, the one learned last in front.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown status; `corrupt` or `io`.
    pub fn entries(&self, filter: &EntryFilter) -> Result<Vec<LearnedEntry>> {
        self.enter()?;
        filter.check()?;
        let project = crate::write::prepare::wanted_project(&self.inner, &filter.project)?;
        let filter = &filter.kept(self)?;
        let text = filter.text.as_ref().map(|text| text.to_lowercase());
        let limit = filter.limit.unwrap_or(LIST_LIMIT);
        let mut found = Vec::new();
        entries::newest(&self.inner.store.read()?.projected()?, &mut |row| {
            if found.len() < limit && filter.fits(project.as_deref(), text.as_deref(), &row) {
                found.push(row);
            }
            Ok(found.len() < limit)
        })?;
        Ok(found)
    }

    /// One learned entry, or `None`.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn entry(&self, id: &EntryId) -> Result<Option<LearnedEntry>> {
        self.enter()?;
        entries::entry(&self.inner.store.read()?.projected()?, id)
    }

    /// Says that `newer` takes the place of `older`, which stops holding when
    /// the newer one began to hold. Saying it twice changes nothing.
    ///
    /// # Errors
    /// `not_found` naming the entry; `invalid_argument` when both are the same;
    /// `invariant_violation` when another entry took the older one's place
    /// already, or when the two would replace each other in a circle.
    pub fn supersede(&self, older: &EntryId, newer: &EntryId) -> Result<()> {
        self.enter()?;
        self.inner.store.write(|tx| {
            let rows = tx.projected()?;
            let old = required(&rows, "older", older)?;
            let new = required(&rows, "newer", newer)?;
            refuse_circle(&rows, older, newer)?;
            drop(rows);
            let now = self.inner.store.clock().now();
            let drafts: Vec<Draft> = old
                .entry
                .supersede(&new.entry, now)?
                .iter()
                .map(|act| self.entry_act(&old, act))
                .collect();
            projection::append(tx, &drafts)?;
            Ok(())
        })
    }

    /// Says that two entries disagree. Both count less until the conflict is
    /// resolved. Saying it twice gives the conflict that is there.
    ///
    /// # Errors
    /// `not_found` naming the entry; `invalid_argument` when both are the same;
    /// `invariant_violation` when one of them no longer counts or they hold at
    /// different times.
    pub fn contradict(
        &self,
        older: &EntryId,
        newer: &EntryId,
        reason: Option<&str>,
    ) -> Result<Conflict> {
        self.enter()?;
        let reason = reason
            .map(|reason| clean_text(&self.inner, "reason", reason))
            .transpose()?;
        self.inner.store.write(|tx| {
            let rows = tx.projected()?;
            let old = required(&rows, "older", older)?;
            let new = required(&rows, "newer", newer)?;
            let known = find_conflict(&rows, older, newer)?;
            drop(rows);
            if let Some(known) = known {
                return Ok(known);
            }
            let (conflict, drafts) = self.conflict_between(&old, &new, "contradicts", reason)?;
            projection::append(tx, &drafts)?;
            Ok(conflict)
        })
    }

    /// The acts and the ledger record of a disagreement.
    pub(crate) fn conflict_between(
        &self,
        old: &LearnedEntry,
        new: &LearnedEntry,
        conflict_type: &str,
        reason: Option<String>,
    ) -> Result<(Conflict, Vec<Draft>)> {
        let (older, newer) = (&old.entry.id, &new.entry.id);
        let now = self.inner.store.clock().now();
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
                    "entries {older} and {newer} cannot disagree: one no longer counts, or they hold at different times"
                ),
            ));
        }
        let drafts = vec![
            self.conflict_event(old, &conflict),
            self.entry_act(
                old,
                &EntryAct::Contested {
                    with: newer.clone(),
                },
            ),
            self.entry_act(
                new,
                &EntryAct::Contested {
                    with: older.clone(),
                },
            ),
        ];
        Ok((conflict, drafts))
    }

    /// Ends a conflict in favour of one entry; the other is taken back.
    ///
    /// # Errors
    /// `not_found` when there is no such conflict; `invalid_argument` naming
    /// `in_favour_of` when it is no part of it, or `resolution` when it is
    /// blank; `invalid_transition` when the conflict has ended already.
    pub fn resolve_conflict(
        &self,
        conflict_id: &str,
        in_favour_of: &EntryId,
        resolution: &str,
        resolved_by: &str,
    ) -> Result<Conflict> {
        self.enter()?;
        let resolution = clean_text(&self.inner, "resolution", resolution)?;
        let resolved_by = clean_text(&self.inner, "resolved_by", resolved_by)?;
        self.inner.store.write(|tx| {
            let rows = tx.projected()?;
            let conflict = rows::get_typed(
                &rows,
                Shelf::Conflict,
                conflict_id.as_bytes(),
                Conflict::from_json,
            )?
            .ok_or_else(|| {
                Error::new(
                    ErrorCode::NotFound,
                    format!("there is no conflict {conflict_id}"),
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
                    "is no part of this conflict",
                ));
            };
            let now = self.inner.store.clock().now();
            let ended = conflict.resolve(ConflictResolution {
                resolved_at: now,
                resolution,
                resolved_by,
            })?;
            let mut drafts = Vec::new();
            if let Some(row) = entries::entry(&rows, in_favour_of)? {
                drafts.push(self.conflict_event(&row, &ended));
                let act = EntryAct::Upheld {
                    against: loser.clone(),
                };
                drafts.push(self.entry_act(&row, &act));
            }
            if let Some(row) = entries::entry(&rows, loser)? {
                drafts.push(self.entry_act(&row, &EntryAct::Deprecated { at: now }));
            }
            drop(rows);
            projection::append(tx, &drafts)?;
            Ok(ended)
        })
    }

    /// Raises a verified entry to certified: somebody vouches for it.
    ///
    /// # Errors
    /// `not_found`; `invariant_violation` with the reason when the entry is not
    /// verified or does not count.
    pub fn certify(&self, id: &EntryId, certified_by: &str) -> Result<()> {
        self.enter()?;
        let certified_by = clean_text(&self.inner, "certified_by", certified_by)?;
        self.inner.store.write(|tx| {
            let rows = tx.projected()?;
            let row = required(&rows, "id", id)?;
            drop(rows);
            let from = row.entry.lifecycle.stage();
            if from != Stage::Verified {
                return Err(Error::new(
                    ErrorCode::InvariantViolation,
                    format!("entry {id} is {from}: only a verified entry can be certified"),
                ));
            }
            let act = row.entry.promote(PromotionGrounds {
                evidence: None,
                certified_by: Some(certified_by.clone()),
            })?;
            let record = PromotionRecord {
                entry_id: id.clone(),
                from,
                to: Stage::Certified,
                is_blocked: false,
                reason: format!("certified by {certified_by}"),
                build_id: None,
                at: self.inner.store.clock().now(),
            };
            let draft = self.promotion(&row, &act, &[record]);
            projection::append(tx, &[draft])?;
            Ok(())
        })
    }

    /// Takes an entry back without a successor: it stops holding now.
    ///
    /// # Errors
    /// `not_found`.
    pub fn deprecate(&self, id: &EntryId) -> Result<()> {
        self.enter()?;
        self.inner.store.write(|tx| {
            let row = required(&tx.projected()?, "id", id)?;
            let at = self.inner.store.clock().now();
            let draft = self.entry_act(&row, &EntryAct::Deprecated { at });
            projection::append(tx, &[draft])?;
            Ok(())
        })
    }

    pub(crate) fn entry_act(&self, row: &LearnedEntry, act: &EntryAct) -> Draft {
        self.entry_event(row, entries::act_payload(&row.entry.id, act))
    }

    /// The event of a promotion, with its records for the ledger.
    pub(crate) fn promotion(
        &self,
        row: &LearnedEntry,
        act: &EntryAct,
        records: &[PromotionRecord],
    ) -> Draft {
        let mut payload = entries::act_payload(&row.entry.id, act);
        payload["promotions"] = records.iter().map(|r| r.to_json().to_value()).collect();
        self.entry_event(row, payload)
    }

    pub(crate) fn entry_event(&self, row: &LearnedEntry, payload: serde_json::Value) -> Draft {
        SystemEvent {
            session: row.session.clone(),
            project: row.project.clone(),
            ..SystemEvent::new(
                &self.inner,
                EventKind::EntryChanged,
                format!(
                    "entry {}: {}",
                    payload["act"].as_str().unwrap_or("changed"),
                    row.entry.title
                ),
                payload,
            )
        }
        .draft(&self.inner)
    }

    fn conflict_event(&self, row: &LearnedEntry, conflict: &Conflict) -> Draft {
        SystemEvent {
            project: row.project.clone(),
            ..SystemEvent::new(
                &self.inner,
                EventKind::ConflictChanged,
                if conflict.resolved.is_some() {
                    "conflict resolved"
                } else {
                    "conflict found"
                },
                conflict.to_json().to_value(),
            )
        }
        .draft(&self.inner)
    }
}

/// The id of the conflict of two entries, whichever was named first.
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
    rows::get_typed(
        rows,
        Shelf::Conflict,
        conflict_id(a, b).as_bytes(),
        Conflict::from_json,
    )
}

/// An entry cannot be replaced by one that it replaced itself.
fn refuse_circle(rows: &dyn Rows, older: &EntryId, newer: &EntryId) -> Result<()> {
    let mut at = newer.clone();
    // As many steps as there are entries would be a circle already.
    for _ in 0..=rows.facts(Shelf::Entry)?.rows {
        let next = match entries::entry(rows, &at)?.map(|row| row.entry.status) {
            Some(crate::rules::entries::EntryStatus::Superseded { by }) => by,
            _ => return Ok(()),
        };
        if next == *older {
            break;
        }
        at = next;
    }
    Err(Error::new(
        ErrorCode::InvariantViolation,
        format!("entries {older} and {newer} would replace each other in a circle"),
    ))
}

/// Raises a new entry as far as its evidence carries it: to verified when it
/// has quotes and all were found, otherwise to candidate.
pub(crate) fn raise(
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

/// What the type check of an entry found, as the log keeps it.
pub(crate) fn checked_payload(entry: &Entry) -> serde_json::Value {
    json!({
        "entry_id": entry.id.as_str(),
        "type": entry.entry_type.as_str(),
        "stage": entry.lifecycle.stage().as_str(),
        "ok": true,
    })
}
