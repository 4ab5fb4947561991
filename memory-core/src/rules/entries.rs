//! Learned entries: what is known, how well it is proved, and from when until
//! when it holds.
//!
//! An entry's record never changes; what happens to it is a list of
//! [`EntryAct`]s. The stages carry their proofs: a [`Lifecycle::Verified`] can
//! only be built from [`AlignedEvidence`], which only a report without a failed
//! quote gives.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::codec::{self, Refused};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::{EventId, Seq};
use crate::model::json::Json;
pub use crate::model::learned::{EntryType, Stage};
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::rules::align::{AlignmentReport, MatchMethod};

/// Why an entry with an unproved quote is not verified; fixed wording.
pub const EVIDENCE_FAILED_REASON: &str = "Evidence alignment failed";

/// The score of a contested entry is multiplied by this in search, and it is
/// not promoted before the conflict is resolved. It equals the status weight
/// of inactive memories in the matcher.
pub const CONTESTED_PENALTY: f64 = 0.7;

/// Where a quote stands in the source, without its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceSpan {
    /// Which message of the session, counted from 0.
    pub message_index: u32,
    /// The hash of the quote as it was given, under a secret of the store.
    #[serde(deserialize_with = "codec::text")]
    pub quote_hash: String,
    /// First byte of the quote in the UTF-8 message.
    pub span_start: u64,
    /// The byte after the last.
    pub span_end: u64,
    /// How sure, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// How it was found, never [`MatchMethod::None`].
    #[serde(rename = "match_method")]
    pub method: MatchMethod,
    /// The id of the event that holds the message, where it is known.
    pub event_id: Option<String>,
}

/// A quote that was not found, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingQuote {
    /// Which message of the session, counted from 0.
    pub message_index: u32,
    /// The hash of the quote as it was given, under a secret of the store.
    #[serde(deserialize_with = "codec::text")]
    pub quote_hash: String,
    /// Why, for example `not_found`.
    #[serde(deserialize_with = "codec::text")]
    pub reason: String,
}

/// What looking up an entry's quotes gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// The quotes that were found.
    #[serde(default)]
    pub aligned: Vec<EvidenceSpan>,
    /// The quotes that were not.
    #[serde(default)]
    pub failed: Vec<MissingQuote>,
}

impl EvidenceReport {
    /// Whether every quote was found; true when there was none.
    pub fn is_aligned(&self) -> bool {
        self.failed.is_empty()
    }

    /// What an alignment found; `event_of` names the event of a message. Quotes are
    /// known by hashes under `secret`: without it nobody can tell from a hash
    /// whether a quote that was guessed is the one.
    pub fn of(
        report: &AlignmentReport,
        secret: &[u8; 32],
        event_of: impl Fn(usize) -> Option<String>,
    ) -> Self {
        let keyed = |quote: &str| {
            blake3::keyed_hash(secret, quote.as_bytes())
                .to_hex()
                .to_string()
        };
        let index = |index: i64| u32::try_from(index).unwrap_or(u32::MAX);
        let mut found = EvidenceReport::default();
        for result in &report.results {
            let message_index = index(result.message_index);
            let quote_hash = keyed(&result.quote);
            match result.span {
                Some(span) => found.aligned.push(EvidenceSpan {
                    message_index,
                    quote_hash,
                    span_start: span.bytes.start as u64,
                    span_end: span.bytes.end as u64,
                    confidence: result.confidence,
                    method: result.match_method,
                    event_id: event_of(message_index as usize),
                }),
                None => found.failed.push(MissingQuote {
                    message_index,
                    quote_hash,
                    reason: result
                        .reason
                        .map_or_else(String::new, |why| why.as_str().to_owned()),
                }),
            }
        }
        found
    }

    /// Refuses spans that end before they begin, and quotes that nothing found.
    fn check(&self) -> Result<(), Refused> {
        for (index, quote) in self.aligned.iter().enumerate() {
            let wrong = |field: &str, problem: &str| {
                Refused::new(&format!("evidence.aligned[{index}].{field}"), problem)
            };
            if quote.method == MatchMethod::None {
                return Err(wrong("match_method", "must say how the quote was found"));
            }
            if quote.span_end < quote.span_start {
                return Err(wrong("span_end", "must not be before span_start"));
            }
        }
        Ok(())
    }
}

/// A report without a failed quote: the proof that a verified entry carries.
#[derive(Clone, Debug, PartialEq)]
pub struct AlignedEvidence(EvidenceReport);

impl AlignedEvidence {
    /// The proof, if the report gives one.
    ///
    /// # Errors
    /// The refusal to use when a quote was not found.
    pub fn new(report: EvidenceReport) -> Result<Self, Refusal> {
        if report.is_aligned() {
            Ok(AlignedEvidence(report))
        } else {
            Err(Refusal::evidence(report.failed))
        }
    }

    /// The report.
    pub fn report(&self) -> &EvidenceReport {
        &self.0
    }
}

/// An entry's stage together with what that stage must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LifecycleForm", into = "LifecycleForm")]
pub enum Lifecycle {
    /// As it was extracted.
    Raw,
    /// Well-formed.
    Working,
    /// Its quotes were looked up, if it has any; some may have failed.
    Candidate(EvidenceReport),
    /// Every quote was found.
    Verified(AlignedEvidence),
    /// Every quote was found, and somebody vouched for it.
    Certified {
        /// The proof.
        evidence: AlignedEvidence,
        /// Who vouched.
        certified_by: String,
    },
}

impl Lifecycle {
    /// The bare stage.
    pub fn stage(&self) -> Stage {
        match self {
            Lifecycle::Raw => Stage::Raw,
            Lifecycle::Working => Stage::Working,
            Lifecycle::Candidate(_) => Stage::Candidate,
            Lifecycle::Verified(_) => Stage::Verified,
            Lifecycle::Certified { .. } => Stage::Certified,
        }
    }

    /// The evidence that was looked up, from candidate on.
    pub fn evidence(&self) -> Option<&EvidenceReport> {
        match self {
            Lifecycle::Raw | Lifecycle::Working => None,
            Lifecycle::Candidate(report) => Some(report),
            Lifecycle::Verified(evidence) | Lifecycle::Certified { evidence, .. } => {
                Some(evidence.report())
            }
        }
    }

    /// The JSON form: the stage and what it carries.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong; an entry that
    /// claims to be verified with a failed quote cannot be read.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("lifecycle", json)
    }
}

/// A [`Lifecycle`] as it is kept.
#[derive(Serialize, Deserialize)]
struct LifecycleForm {
    stage: Stage,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certified_by: Option<String>,
}

impl From<Lifecycle> for LifecycleForm {
    fn from(lifecycle: Lifecycle) -> Self {
        let stage = lifecycle.stage();
        let (evidence, certified_by) = match lifecycle {
            Lifecycle::Raw | Lifecycle::Working => (None, None),
            Lifecycle::Candidate(report) => (Some(report), None),
            Lifecycle::Verified(evidence) => (Some(evidence.0), None),
            Lifecycle::Certified {
                evidence,
                certified_by,
            } => (Some(evidence.0), Some(certified_by)),
        };
        LifecycleForm {
            stage,
            evidence,
            certified_by,
        }
    }
}

impl TryFrom<LifecycleForm> for Lifecycle {
    type Error = Refused;

    fn try_from(form: LifecycleForm) -> Result<Self, Refused> {
        let report = form.evidence.unwrap_or_default();
        report.check()?;
        let proof = |report| {
            AlignedEvidence::new(report).map_err(|refusal| Refused::new("evidence", refusal.reason))
        };
        Ok(match form.stage {
            Stage::Raw => Lifecycle::Raw,
            Stage::Working => Lifecycle::Working,
            Stage::Candidate => Lifecycle::Candidate(report),
            Stage::Verified => Lifecycle::Verified(proof(report)?),
            Stage::Certified => Lifecycle::Certified {
                evidence: proof(report)?,
                certified_by: form
                    .certified_by
                    .filter(|name| !name.trim().is_empty())
                    .ok_or(Refused::new("certified_by", "is missing"))?,
            },
        })
    }
}

/// The identity of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryId(#[serde(deserialize_with = "codec::text")] String);

impl EntryId {
    /// The id with this text.
    pub fn new(id: impl Into<String>) -> Self {
        EntryId(id.into())
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntryId {
    fn from(id: &str) -> Self {
        EntryId::new(id)
    }
}

impl std::fmt::Display for EntryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether an entry counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    /// It counts.
    Active,
    /// Another entry says otherwise; it counts less.
    Contested {
        /// The entries that it disagrees with, at least one.
        with: Vec<EntryId>,
    },
    /// It no longer counts, without a successor.
    Deprecated,
    /// Another entry took its place.
    Superseded {
        /// The entry that did.
        by: EntryId,
    },
}

impl EntryStatus {
    /// `active`, `contested`, `deprecated` or `superseded`.
    pub fn as_str(&self) -> &'static str {
        match self {
            EntryStatus::Active => "active",
            EntryStatus::Contested { .. } => "contested",
            EntryStatus::Deprecated => "deprecated",
            EntryStatus::Superseded { .. } => "superseded",
        }
    }

    /// The factor on the entry's score in search.
    pub fn search_weight(&self) -> f64 {
        match self {
            EntryStatus::Active => 1.0,
            EntryStatus::Contested { .. } => CONTESTED_PENALTY,
            EntryStatus::Deprecated | EntryStatus::Superseded { .. } => 0.0,
        }
    }
}

/// From when until when something holds; the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    /// The first moment; `None` means always before.
    pub from: Option<Timestamp>,
    /// The moment after the last; `None` means that no end is known.
    pub to: Option<Timestamp>,
}

impl Validity {
    /// A span of time.
    ///
    /// # Errors
    /// `invalid_argument` naming `valid_to` when it is not after `valid_from`.
    pub fn new(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<Self> {
        match (from, to) {
            (Some(from), Some(to)) if to <= from => {
                Err(Error::invalid("valid_to", "must be after valid_from"))
            }
            _ => Ok(Validity { from, to }),
        }
    }

    /// Whether it holds at that moment.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }
}

/// The state of an entry that its acts made.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its identity.
    pub id: EntryId,
    /// What it tells.
    pub entry_type: EntryType,
    /// In one line.
    pub title: String,
    /// Its stage and proof.
    pub lifecycle: Lifecycle,
    /// Whether it counts.
    pub status: EntryStatus,
    /// When it holds.
    pub validity: Validity,
}

impl Entry {
    /// How well it is proved.
    pub fn stage(&self) -> Stage {
        self.lifecycle.stage()
    }

    /// What looking up its quotes gave; `None` before that.
    pub fn evidence(&self) -> Option<&EvidenceReport> {
        self.lifecycle.evidence()
    }

    /// Who vouched for it.
    pub fn certified_by(&self) -> Option<&str> {
        match &self.lifecycle {
            Lifecycle::Certified { certified_by, .. } => Some(certified_by),
            _ => None,
        }
    }

    /// The entries that it disagrees with.
    pub fn contested_with(&self) -> &[EntryId] {
        match &self.status {
            EntryStatus::Contested { with } => with,
            _ => &[],
        }
    }

    /// The entry that took its place.
    pub fn superseded_by(&self) -> Option<&EntryId> {
        match &self.status {
            EntryStatus::Superseded { by } => Some(by),
            _ => None,
        }
    }

    /// From when it holds; `None` means always before.
    pub fn valid_from(&self) -> Option<Timestamp> {
        self.validity.from
    }

    /// Until when it holds, exclusive; `None` means that no end is known.
    pub fn valid_to(&self) -> Option<Timestamp> {
        self.validity.to
    }
}

/// What happens to an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryAct {
    /// It rose to another stage.
    #[serde(serialize_with = "write_promoted", deserialize_with = "read_promoted")]
    Promoted(Lifecycle),
    /// Another entry took its place; it stops holding then.
    Superseded {
        /// The entry that did.
        by: EntryId,
        /// When the other began to hold.
        at: Timestamp,
    },
    /// It was found to disagree with another.
    Contested {
        /// The other.
        with: EntryId,
    },
    /// A disagreement ended in its favour.
    Upheld {
        /// The other.
        against: EntryId,
    },
    /// It was taken back.
    Deprecated {
        /// When it stopped holding.
        at: Timestamp,
    },
}

/// A promotion as it is kept.
#[derive(Serialize, Deserialize)]
struct Promoted {
    lifecycle: Lifecycle,
}

fn write_promoted<S: Serializer>(lifecycle: &Lifecycle, to: S) -> Result<S::Ok, S::Error> {
    let lifecycle = lifecycle.clone();
    Promoted { lifecycle }.serialize(to)
}

fn read_promoted<'de, D: Deserializer<'de>>(from: D) -> Result<Lifecycle, D::Error> {
    Promoted::deserialize(from).map(|promoted| promoted.lifecycle)
}

/// Why an entry was not promoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In words; contains [`EVIDENCE_FAILED_REASON`] when a quote failed.
    pub reason: String,
    /// The quotes that failed.
    pub failed_quotes: Vec<MissingQuote>,
}

impl Refusal {
    fn new(reason: impl Into<String>) -> Self {
        Refusal {
            reason: reason.into(),
            failed_quotes: Vec::new(),
        }
    }

    fn evidence(failed_quotes: Vec<MissingQuote>) -> Self {
        Refusal {
            reason: format!(
                "{EVIDENCE_FAILED_REASON}: {} quotes were not found in the source",
                failed_quotes.len()
            ),
            failed_quotes,
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Error::new(ErrorCode::InvariantViolation, refusal.reason)
    }
}

/// What a promotion may build on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromotionGrounds {
    /// What looking up the quotes gave, when that was done.
    pub evidence: Option<EvidenceReport>,
    /// Who vouches for the entry, for the last step.
    pub certified_by: Option<String>,
}

impl Entry {
    /// The next stage, if the grounds allow it: raw → working → candidate need
    /// nothing, verified needs every quote found, certified needs somebody who
    /// vouches.
    ///
    /// # Errors
    /// The refusal with its reason; the entry stays as it is.
    pub fn promote(&self, grounds: PromotionGrounds) -> Result<EntryAct, Refusal> {
        if self.status != EntryStatus::Active {
            return Err(Refusal::new(format!(
                "entry {} is {}",
                self.id,
                self.status.as_str()
            )));
        }
        let next = match &self.lifecycle {
            Lifecycle::Raw => Lifecycle::Working,
            Lifecycle::Working => Lifecycle::Candidate(grounds.evidence.unwrap_or_default()),
            Lifecycle::Candidate(report) => Lifecycle::Verified(AlignedEvidence::new(
                grounds.evidence.unwrap_or_else(|| report.clone()),
            )?),
            Lifecycle::Verified(evidence) => Lifecycle::Certified {
                evidence: evidence.clone(),
                certified_by: grounds
                    .certified_by
                    .filter(|name| !name.trim().is_empty())
                    .ok_or_else(|| Refusal::new("nobody vouches for the entry"))?,
            },
            Lifecycle::Certified { .. } => {
                return Err(Refusal::new("the entry has the highest stage already"));
            }
        };
        Ok(EntryAct::Promoted(next))
    }

    /// The acts by which `newer` takes this entry's place.
    ///
    /// # Errors
    /// `invalid_argument` naming `newer` when it is the same entry;
    /// `invariant_violation` when this entry was superseded already by another.
    pub fn supersede(&self, newer: &Entry, at: Timestamp) -> Result<Vec<EntryAct>> {
        if newer.id == self.id {
            return Err(Error::invalid("newer", "an entry cannot supersede itself"));
        }
        match &self.status {
            EntryStatus::Superseded { by } if *by == newer.id => Ok(Vec::new()),
            EntryStatus::Superseded { by } => Err(Error::new(
                ErrorCode::InvariantViolation,
                format!("entry {} was superseded by {by} already", self.id),
            )),
            _ => Ok(vec![EntryAct::Superseded {
                by: newer.id.clone(),
                at: newer.validity.from.unwrap_or(at),
            }]),
        }
    }

    /// Whether this entry and another can disagree now: both count and their
    /// times of validity overlap.
    pub fn can_contradict(&self, other: &Entry) -> bool {
        let counts = |entry: &Entry| {
            matches!(
                entry.status,
                EntryStatus::Active | EntryStatus::Contested { .. }
            )
        };
        let begins_before_end = |a: &Validity, b: &Validity| match (a.from, b.to) {
            (Some(from), Some(to)) => from < to,
            _ => true,
        };
        self.id != other.id
            && counts(self)
            && counts(other)
            && begins_before_end(&self.validity, &other.validity)
            && begins_before_end(&other.validity, &self.validity)
    }

    /// Whether the entry counted and held at that moment.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.validity.holds_at(at)
    }

    /// The entry after an act. Acts that no longer apply change nothing.
    #[must_use]
    pub fn after(&self, act: &EntryAct) -> Entry {
        let mut entry = self.clone();
        match act {
            EntryAct::Promoted(lifecycle) => {
                if lifecycle.stage() > self.lifecycle.stage() {
                    entry.lifecycle = lifecycle.clone();
                }
            }
            EntryAct::Superseded { by, at } => {
                entry.status = EntryStatus::Superseded { by: by.clone() };
                entry.end(*at);
            }
            EntryAct::Deprecated { at } => {
                entry.status = EntryStatus::Deprecated;
                entry.end(*at);
            }
            EntryAct::Contested { with } => match &mut entry.status {
                EntryStatus::Active => {
                    entry.status = EntryStatus::Contested {
                        with: vec![with.clone()],
                    };
                }
                EntryStatus::Contested { with: others } if !others.contains(with) => {
                    others.push(with.clone());
                }
                _ => {}
            },
            EntryAct::Upheld { against } => {
                if let EntryStatus::Contested { with } = &mut entry.status {
                    with.retain(|other| other != against);
                    if with.is_empty() {
                        entry.status = EntryStatus::Active;
                    }
                }
            }
        }
        entry
    }

    /// Ends the validity, but never after an end that is known.
    fn end(&mut self, at: Timestamp) {
        let at = self.validity.from.map_or(at, |from| from.max(at));
        self.validity.to = Some(self.validity.to.map_or(at, |to| to.min(at)));
    }
}

/// Context that was incomplete when an event was stored, to be resolved later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// Its identity.
    pub id: String,
    /// The event that lacks context.
    pub event_id: String,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Placeholder {
    /// The type of every placeholder.
    pub const TYPE: &'static str = "unknown_context";
}

words! {
    /// What became of an uncertain memory.
    ResolutionKind ("resolution_type") {
        /// It is the other one.
        Confirmed = "confirmed",
        /// It is not the other one.
        Rejected = "rejected",
        /// Nobody has said yet.
        Pending = "pending",
    }
}

/// What is said about an uncertain memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryAnswer {
    /// What became of it.
    pub kind: ResolutionKind,
    /// What it means; needed when it is confirmed.
    pub resolved_to: Option<String>,
    /// How sure, from 0 to 1.
    pub confidence: f64,
}

/// An answer to what an uncertain memory means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryResolution {
    /// The uncertain memory.
    #[serde(deserialize_with = "codec::text")]
    pub condition_id: String,
    /// What it may mean.
    pub resolved_to: Option<String>,
    /// What became of it.
    #[serde(rename = "resolution_type")]
    pub kind: ResolutionKind,
    /// How sure, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// When it was answered.
    #[serde(rename = "at")]
    pub resolved_at: Timestamp,
}

words! {
    /// How a memory is to be read.
    EffectiveStatus ("resolution_status") {
        /// As another memory.
        Resolved = "resolved",
        /// As itself, and a question is open.
        Pending = "pending",
        /// As itself.
        Direct = "direct",
    }
}

/// What a memory means now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveMemory {
    /// The memory to show.
    pub effective_id: String,
    /// How that was found.
    pub status: EffectiveStatus,
    /// Its title, where it has one: of an entry, a task, a condition or an artifact.
    pub title: Option<String>,
    /// What it says in full: an event's or an entry's content, a task's description.
    /// Nothing when there is no such memory, or it was forgotten.
    pub content: Option<String>,
}

/// The memory that one stands for, given the last resolution of it, and how that was
/// found. Only a confirmed one is followed: a proposal or a rejection is not the truth.
pub fn effective_memory<'a>(
    id: &'a str,
    resolution: Option<&'a MemoryResolution>,
) -> (&'a str, EffectiveStatus) {
    match resolution {
        Some(MemoryResolution {
            kind: ResolutionKind::Confirmed,
            resolved_to: Some(target),
            ..
        }) => (target.as_str(), EffectiveStatus::Resolved),
        Some(MemoryResolution {
            kind: ResolutionKind::Pending,
            ..
        }) => (id, EffectiveStatus::Pending),
        _ => (id, EffectiveStatus::Direct),
    }
}

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
    /// The id of that event.
    pub event_id: EventId,
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
            event_id: EventId::from_bytes([0; 16]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    fn entry(id: &str) -> Entry {
        Entry {
            id: EntryId::new(id),
            entry_type: EntryType::Fact,
            title: "배포는 금요일".to_owned(),
            lifecycle: Lifecycle::Raw,
            status: EntryStatus::Active,
            validity: Validity::default(),
        }
    }

    fn report(failed: usize) -> EvidenceReport {
        EvidenceReport {
            aligned: vec![EvidenceSpan {
                message_index: 0,
                quote_hash: "aa".into(),
                span_start: 3,
                span_end: 9,
                confidence: 1.0,
                method: MatchMethod::Exact,
                event_id: None,
            }],
            failed: vec![
                MissingQuote {
                    message_index: 1,
                    quote_hash: "bb".into(),
                    reason: "not_found".into(),
                };
                failed
            ],
        }
    }

    fn promoted(entry: &Entry, grounds: PromotionGrounds) -> Entry {
        entry.after(&entry.promote(grounds).expect("promotes"))
    }

    #[test]
    fn one_failed_quote_keeps_an_entry_from_being_verified() {
        let mut entry = entry("e");
        entry = promoted(&entry, PromotionGrounds::default());
        let grounds = |failed| PromotionGrounds {
            evidence: Some(report(failed)),
            certified_by: None,
        };
        entry = promoted(&entry, grounds(1));
        assert_eq!(entry.lifecycle.stage(), Stage::Candidate);
        let refusal = entry
            .promote(PromotionGrounds::default())
            .expect_err("failed quote");
        assert!(refusal.reason.contains("Evidence alignment failed"));
        assert_eq!(refusal.failed_quotes.len(), 1);
        entry = promoted(&entry, grounds(0));
        assert_eq!(entry.lifecycle.stage(), Stage::Verified);
        assert!(entry.promote(PromotionGrounds::default()).is_err());
        let vouched = PromotionGrounds {
            evidence: None,
            certified_by: Some("Ada".into()),
        };
        entry = promoted(&entry, vouched.clone());
        assert_eq!(entry.lifecycle.stage(), Stage::Certified);
        assert!(entry.promote(vouched).is_err());
        let read = Lifecycle::from_json(&entry.lifecycle.to_json()).expect("reads back");
        assert_eq!(read, entry.lifecycle);
    }

    #[test]
    fn a_verified_stage_with_a_failed_quote_cannot_be_read() {
        let mut value = Lifecycle::Candidate(report(1)).to_json().to_value();
        value["stage"] = "verified".into();
        let error = Lifecycle::from_json(&Json::from_value(&value)).expect_err("no proof");
        assert_eq!(error.argument(), Some("lifecycle.evidence"));
    }

    #[test]
    fn a_superseded_entry_held_until_its_successor_did() {
        let old = entry("old");
        let mut new = entry("new");
        new.validity = Validity::new(Some(at(100)), None).expect("a span");
        let acts = old.supersede(&new, at(500)).expect("supersedes");
        let old = old.after(&acts[0]);
        assert!(old.holds_at(at(99)) && !old.holds_at(at(100)));
        assert!(new.holds_at(at(100)) && !new.holds_at(at(99)));
        assert_eq!(old.supersede(&new, at(501)).expect("again"), []);
        assert!(old.supersede(&entry("third"), at(501)).is_err());
        assert!(old.promote(PromotionGrounds::default()).is_err());
    }

    #[test]
    fn a_contested_entry_counts_again_when_every_conflict_is_over() {
        let mut entry = entry("e");
        for other in ["a", "b", "a"] {
            entry = entry.after(&EntryAct::Contested {
                with: EntryId::new(other),
            });
        }
        assert!((entry.status.search_weight() - CONTESTED_PENALTY).abs() < f64::EPSILON);
        assert!(entry.promote(PromotionGrounds::default()).is_err());
        for other in ["a", "b"] {
            entry = entry.after(&EntryAct::Upheld {
                against: EntryId::new(other),
            });
        }
        assert_eq!(entry.status, EntryStatus::Active);
    }

    #[test]
    fn only_a_confirmed_resolution_is_followed() {
        let resolution = |kind| MemoryResolution {
            condition_id: "c".into(),
            resolved_to: Some("t".into()),
            kind,
            confidence: 1.0,
            resolved_at: at(0),
        };
        for (kind, expected) in [
            (ResolutionKind::Confirmed, ("t", EffectiveStatus::Resolved)),
            (ResolutionKind::Pending, ("c", EffectiveStatus::Pending)),
            (ResolutionKind::Rejected, ("c", EffectiveStatus::Direct)),
        ] {
            let answer = resolution(kind);
            assert_eq!(effective_memory("c", Some(&answer)), expected);
        }
        assert_eq!(effective_memory("c", None), ("c", EffectiveStatus::Direct));
    }
}
