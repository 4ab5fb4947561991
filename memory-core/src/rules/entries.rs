//! Learned entries: what is known, how well it is supported by evidence, and when it is
//! valid.
//!
//! The record of an entry never changes; what happens to it is a list of [`EntryAct`]s. The
//! stages carry their proofs: a [`Lifecycle::Verified`] can only be built from
//! [`AlignedEvidence`], which requires a report without a failed quote.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::codec::{self, Refused};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::{EventId, Seq};
use crate::model::json::Json;
pub use crate::model::learned::{EntryType, Stage};
use crate::model::read::words;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::rules::align::{AlignmentReport, MatchMethod};

/// The reason why an entry with an unproved quote is not verified. The wording is fixed.
pub const EVIDENCE_FAILED_REASON: &str = "Evidence alignment failed";

/// The factor on the score of a contested entry in search. A contested entry is also not
/// promoted before the conflict is resolved. The factor equals the status weight of
/// inactive memories in the matcher.
pub const CONTESTED_PENALTY: f64 = 0.7;

/// Where a quote was found in the source, without its text. In Rust and C, its beginning and end are
/// offsets in bytes of UTF-8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EvidenceSpan {
    /// The index of the message in the session, counted from 0.
    pub message_index: u32,
    /// The hash of the quote as it was given, keyed with a secret of the store.
    #[serde(deserialize_with = "codec::text")]
    pub quote_hash: String,
    /// Where the quote begins in the message.
    pub span_start: u64,
    /// Where the quote ends, exclusive.
    pub span_end: u64,
    /// How certain the match is, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// How it was found; never [`MatchMethod::None`].
    #[serde(rename = "match_method")]
    pub method: MatchMethod,
    /// The id of the event that contains the message, if it is known.
    pub event_id: Option<String>,
}

/// A quote that was not found, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MissingQuote {
    /// The index of the message in the session, counted from 0.
    pub message_index: u32,
    /// The hash of the quote as it was given, keyed with a secret of the store.
    #[serde(deserialize_with = "codec::text")]
    pub quote_hash: String,
    /// Why it was not found, for example `not_found`.
    #[serde(deserialize_with = "codec::text")]
    pub reason: String,
}

/// The result of searching for an entry's quotes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EvidenceReport {
    /// The quotes that were found.
    #[serde(default)]
    pub aligned: Vec<EvidenceSpan>,
    /// The quotes that were not found.
    #[serde(default)]
    pub failed: Vec<MissingQuote>,
}

impl EvidenceReport {
    /// Whether every quote was found; true if there was none.
    pub fn is_aligned(&self) -> bool {
        self.failed.is_empty()
    }

    /// Creates the report of an alignment. `event_of` returns the event of a message.
    /// Quotes are identified by hashes keyed with `secret`; without it, nobody can tell
    /// from a hash whether a guessed quote is the right one.
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

    /// Refuses spans that end before they begin, and quotes without a match method.
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
    /// Creates the proof, if every quote of the report was found.
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

    /// Returns the report.
    pub fn report(&self) -> &EvidenceReport {
        &self.0
    }
}

/// An entry's stage, together with what that stage requires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LifecycleForm", into = "LifecycleForm")]
pub enum Lifecycle {
    /// As extracted.
    Raw,
    /// Well-formed.
    Working,
    /// Its quotes, if it has any, were searched for; some may have failed.
    Candidate(EvidenceReport),
    /// Every quote was found.
    Verified(AlignedEvidence),
    /// Every quote was found, and somebody confirmed the entry.
    Certified {
        /// The proof.
        evidence: AlignedEvidence,
        /// Who confirmed it.
        certified_by: String,
    },
}

impl Lifecycle {
    /// Returns the stage alone.
    pub fn stage(&self) -> Stage {
        match self {
            Lifecycle::Raw => Stage::Raw,
            Lifecycle::Working => Stage::Working,
            Lifecycle::Candidate(_) => Stage::Candidate,
            Lifecycle::Verified(_) => Stage::Verified,
            Lifecycle::Certified { .. } => Stage::Certified,
        }
    }

    /// Returns the result of searching for the quotes, from the candidate stage on.
    pub fn evidence(&self) -> Option<&EvidenceReport> {
        match self {
            Lifecycle::Raw | Lifecycle::Working => None,
            Lifecycle::Candidate(report) => Some(report),
            Lifecycle::Verified(evidence) | Lifecycle::Certified { evidence, .. } => {
                Some(evidence.report())
            }
        }
    }

    /// Returns the JSON form: the stage and what it carries.
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

/// The stored form of a [`Lifecycle`].
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

/// How the ids of learned entries begin; hexadecimal digits follow.
const ID_PREFIX: &str = "entry_";
/// The length of the beginning of an id that tells it from those of other entries.
const SHORT_ID_CHARS: usize = ID_PREFIX.len() + 8;
/// The length of a whole id.
const ID_CHARS: usize = ID_PREFIX.len() + 32;

/// Whether a text is the id of a learned entry, or a beginning of it that is long enough.
pub(crate) fn may_be_entry_id(text: &str) -> bool {
    let digits = text.strip_prefix(ID_PREFIX);
    let are_hex = |digits: &str| {
        let mut digits = digits.bytes();
        digits.all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
    };
    (SHORT_ID_CHARS..=ID_CHARS).contains(&text.len()) && digits.is_some_and(are_hex)
}

/// The id of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryId(#[serde(deserialize_with = "codec::text")] String);

impl EntryId {
    /// Creates an id from its text.
    pub fn new(id: impl Into<String>) -> Self {
        EntryId(id.into())
    }

    /// Returns the text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The beginning of the id, by which a model refers to the entry.
    pub(crate) fn short(&self) -> &str {
        self.0.get(..SHORT_ID_CHARS).unwrap_or(&self.0)
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
#[non_exhaustive]
pub enum EntryStatus {
    /// It counts.
    Active,
    /// Another entry contradicts it; it counts less.
    Contested {
        /// The entries that contradict it, at least one.
        with: Vec<EntryId>,
    },
    /// It no longer counts, without a successor.
    Deprecated,
    /// Another entry replaced it.
    Superseded {
        /// The entry that replaced it.
        by: EntryId,
    },
}

impl EntryStatus {
    /// Returns `active`, `contested`, `deprecated` or `superseded`.
    pub fn as_str(&self) -> &'static str {
        match self {
            EntryStatus::Active => "active",
            EntryStatus::Contested { .. } => "contested",
            EntryStatus::Deprecated => "deprecated",
            EntryStatus::Superseded { .. } => "superseded",
        }
    }

    /// Returns the factor on the entry's score in search.
    pub fn search_weight(&self) -> f64 {
        match self {
            EntryStatus::Active => 1.0,
            EntryStatus::Contested { .. } => CONTESTED_PENALTY,
            EntryStatus::Deprecated | EntryStatus::Superseded { .. } => 0.0,
        }
    }
}

/// The period during which something is valid; the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    /// The first moment; `None` means it has always been valid.
    pub from: Option<Timestamp>,
    /// The moment after the last one; `None` means that no end is known.
    pub to: Option<Timestamp>,
}

impl Validity {
    /// Creates a period.
    ///
    /// # Errors
    /// `invalid_argument` naming `valid_to` when it is not after `valid_from`.
    pub fn new(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<Self> {
        match (from, to) {
            (Some(from), Some(to)) if to <= from => {
                Err(Error::invalid("valid_to", "must be after `valid_from`"))
            }
            _ => Ok(Validity { from, to }),
        }
    }

    /// Returns true if the moment is within the period.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }
}

/// The state of an entry, as a result of its acts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The id of the entry.
    pub id: EntryId,
    /// What kind of statement it makes.
    pub entry_type: EntryType,
    /// A one-line title.
    pub title: String,
    /// Its stage and proof.
    pub lifecycle: Lifecycle,
    /// Whether it counts.
    pub status: EntryStatus,
    /// When it is valid.
    pub validity: Validity,
}

impl Entry {
    /// How well it is supported by evidence.
    pub fn stage(&self) -> Stage {
        self.lifecycle.stage()
    }

    /// The result of searching for its quotes; `None` before that was done.
    pub fn evidence(&self) -> Option<&EvidenceReport> {
        self.lifecycle.evidence()
    }

    /// Who confirmed it.
    pub fn certified_by(&self) -> Option<&str> {
        match &self.lifecycle {
            Lifecycle::Certified { certified_by, .. } => Some(certified_by),
            _ => None,
        }
    }

    /// The entries that contradict it.
    pub fn contested_with(&self) -> &[EntryId] {
        match &self.status {
            EntryStatus::Contested { with } => with,
            _ => &[],
        }
    }

    /// The entry that replaced it.
    pub fn superseded_by(&self) -> Option<&EntryId> {
        match &self.status {
            EntryStatus::Superseded { by } => Some(by),
            _ => None,
        }
    }

    /// The moment from which it is valid; `None` means it has always been.
    pub fn valid_from(&self) -> Option<Timestamp> {
        self.validity.from
    }

    /// The moment until which it is valid, exclusive; `None` means that no end is known.
    pub fn valid_to(&self) -> Option<Timestamp> {
        self.validity.to
    }
}

/// Something that happens to an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryAct {
    /// It was promoted to another stage.
    #[serde(serialize_with = "write_promoted", deserialize_with = "read_promoted")]
    Promoted(Lifecycle),
    /// Another entry replaced it; it stops being valid then.
    Superseded {
        /// The entry that replaced it.
        by: EntryId,
        /// When the other entry became valid.
        at: Timestamp,
    },
    /// Another entry was found to contradict it.
    Contested {
        /// The other entry.
        with: EntryId,
    },
    /// A conflict was resolved in its favour.
    Upheld {
        /// The other entry.
        against: EntryId,
    },
    /// It was deprecated.
    Deprecated {
        /// When it stopped being valid.
        at: Timestamp,
    },
}

/// The stored form of a promotion.
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
    /// The reason in words; contains [`EVIDENCE_FAILED_REASON`] if a quote failed.
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

/// The grounds for a promotion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromotionGrounds {
    /// The result of searching for the quotes, if that was done.
    pub evidence: Option<EvidenceReport>,
    /// Who confirms the entry, for the last step.
    pub certified_by: Option<String>,
}

impl Entry {
    /// Promotes the entry to the next stage if the grounds allow it. Raw → working →
    /// candidate requires nothing, verified requires that every quote was found, and
    /// certified requires somebody who confirms it.
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
                    .ok_or_else(|| {
                        Refusal::new("certification needs the name of who certifies it")
                    })?,
            },
            Lifecycle::Certified { .. } => {
                return Err(Refusal::new("the entry is already at the highest stage"));
            }
        };
        Ok(EntryAct::Promoted(next))
    }

    /// Returns the acts by which `newer` replaces this entry.
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
                format!("entry {} was already superseded by {by}", self.id),
            )
            .with_argument("older")),
            _ => Ok(vec![EntryAct::Superseded {
                by: newer.id.clone(),
                at: newer.validity.from.unwrap_or(at),
            }]),
        }
    }

    /// Returns true if this entry and another one can contradict each other now: both
    /// count, and their periods of validity overlap.
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

    /// Returns true if the entry counted and was valid at that moment.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.validity.holds_at(at)
    }

    /// Returns the entry after an act. Acts that no longer apply change nothing.
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
                // What was replaced keeps its successor.
                if !matches!(entry.status, EntryStatus::Superseded { .. }) {
                    entry.status = EntryStatus::Deprecated;
                }
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

    /// Ends the validity, unless it already ends earlier.
    fn end(&mut self, at: Timestamp) {
        let at = self.validity.from.map_or(at, |from| from.max(at));
        self.validity.to = Some(self.validity.to.map_or(at, |to| to.min(at)));
    }
}

/// A marker for an event whose context was incomplete when it was stored, to be resolved
/// later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placeholder {
    /// The id of the placeholder.
    pub id: String,
    /// The event that lacks context.
    pub event_id: String,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Placeholder {
    /// The type of every placeholder.
    pub const TYPE: &'static str = "unknown_context";
}

words! {
    /// The answer about an uncertain memory.
    ResolutionKind ("resolution_type") {
        /// It is the other memory.
        Confirmed = "confirmed",
        /// It is not the other memory.
        Rejected = "rejected",
        /// Nobody has answered yet.
        Pending = "pending",
    }
}

/// An answer about an uncertain memory.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemoryAnswer {
    /// The kind of answer.
    pub kind: ResolutionKind,
    /// What the memory means; required if it is confirmed.
    pub resolved_to: Option<String>,
    /// How certain the answer is, from 0 to 1.
    pub confidence: f64,
}

impl MemoryAnswer {
    /// Creates an answer of this kind and certainty, from 0 to 1.
    pub fn new(kind: ResolutionKind, confidence: f64) -> Self {
        MemoryAnswer {
            kind,
            resolved_to: None,
            confidence,
        }
    }

    setters! {
        /// Sets what the memory means.
        resolved_to: some text;
    }
}

/// A recorded answer about what an uncertain memory means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryResolution {
    /// The uncertain memory.
    #[serde(deserialize_with = "codec::text")]
    pub condition_id: String,
    /// What it may mean.
    pub resolved_to: Option<String>,
    /// The kind of answer.
    #[serde(rename = "resolution_type")]
    pub kind: ResolutionKind,
    /// How certain the answer is, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// When it was answered.
    #[serde(rename = "at")]
    pub resolved_at: Timestamp,
}

words! {
    /// How a memory should be read.
    EffectiveStatus ("resolution_status") {
        /// As another memory.
        Resolved = "resolved",
        /// As itself, with an open question.
        Pending = "pending",
        /// As itself.
        Direct = "direct",
    }
}

/// What a memory means now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveMemory {
    /// The memory to show.
    pub effective_id: String,
    /// How it was determined.
    pub status: EffectiveStatus,
    /// Its title, if it is an entry, a task, a condition or an artifact.
    pub title: Option<String>,
    /// Its full text (the content of an event or an entry, or the description of a task);
    /// `None` if there is no such memory or it is a forgotten event. What was learned from a
    /// forgotten event is given until it is erased, as listings do.
    pub content: Option<String>,
}

/// Returns the memory that a memory stands for, given the last answer about it, and how
/// that was determined. Only a confirmed answer is followed; a proposal or a rejection is
/// not the truth.
pub(crate) fn effective_memory<'a>(
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

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearnedEntry {
    /// Its id, stage, status and validity.
    pub entry: Entry,
    /// The full text.
    pub content: String,
    /// The canonical key of its title.
    pub canonical_key: String,
    /// The project it belongs to; empty if there is none.
    pub project: String,
    /// The session it was learned from.
    pub session: String,
    /// Its id within the extraction.
    pub local_id: Option<String>,
    /// How clearly it was stated, from 0 to 1, in the extractor's judgement.
    pub confidence: Option<f64>,
    /// The run that created it.
    pub build_id: Option<String>,
    /// When it was learned.
    pub created_at: Timestamp,
    /// The position of the event that created it.
    pub seq: Seq,
    /// The id of that event.
    pub event_id: EventId,
}

impl LearnedEntry {
    /// The ids of the events that it quotes.
    pub(crate) fn quoted_events(&self) -> impl Iterator<Item = &str> {
        let quotes = self
            .entry
            .evidence()
            .map_or(&[][..], |found| &found.aligned);
        quotes.iter().filter_map(|span| span.event_id.as_deref())
    }

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
        let confirmed = PromotionGrounds {
            evidence: None,
            certified_by: Some("Ada".into()),
        };
        entry = promoted(&entry, confirmed.clone());
        assert_eq!(entry.lifecycle.stage(), Stage::Certified);
        assert!(entry.promote(confirmed).is_err());
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
