//! Decisions, and the evidence that they rest on.

use recallite::rules::history::{Decision, DecisionEvidence};
use recallite::{Error, Json, Result, Timestamp};

use crate::call::with_memory;
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// One piece of evidence of a decision to be recorded. Begin with
/// RECALLITE_INIT(recallite_new_evidence); every field must be given, role may
/// be absent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_new_evidence {
    /// sizeof(recallite_new_evidence).
    pub struct_size: usize,
    /// The entry or entity.
    pub evidence_id: recallite_str,
    /// What it does for the decision, for example "supports".
    pub role: recallite_str,
    /// When it was known, in milliseconds since 1970 UTC: not after the
    /// decision.
    pub known_ms: i64,
    /// What it is: one of recallite_evidence_kind.
    pub kind: i32,
    /// How well it was proved: RECALLITE_STAGE_VERIFIED or
    /// RECALLITE_STAGE_CERTIFIED.
    pub stage: i32,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_new_evidence {
    const FIRST_SIZE: usize = size_of::<recallite_new_evidence>();
}

/// A decision to be recorded. Begin with RECALLITE_INIT(recallite_new_decision);
/// decision_id, actor, action and decided_ms must be given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_new_decision {
    /// sizeof(recallite_new_decision).
    pub struct_size: usize,
    /// A name for it that no other decision has.
    pub decision_id: recallite_str,
    /// Who made it.
    pub actor: recallite_str,
    /// What was decided.
    pub action: recallite_str,
    /// What came of it, as JSON; absent for nothing.
    pub outcome_json: recallite_str,
    /// The run of the pipeline that it belongs to; absent for none.
    pub build_id: recallite_str,
    /// What it rests on: an array, each with the same struct_size.
    pub evidence: *const recallite_new_evidence,
    /// How many pieces of evidence.
    pub evidence_len: usize,
    /// When it was made, in milliseconds since 1970 UTC.
    pub decided_ms: i64,
    /// How sure, from 0 to 1; read when has_confidence is set.
    pub confidence: f64,
    /// Whether confidence is given.
    pub has_confidence: c_bool,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_new_decision {
    const FIRST_SIZE: usize = size_of::<recallite_new_decision>();
}

/// Records a decision. Its evidence must be in the store, verified or
/// certified, and known before the decision was made.
///
/// @param[in] memory the memory.
/// @param[in] decision the decision.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT naming the field, for example
///     "evidence[1].known_ms"; RECALLITE_NOT_FOUND naming
///     "evidence[1].evidence_id"; RECALLITE_INVARIANT_VIOLATION when an entry is
///     not of the stage that is claimed; RECALLITE_ALREADY_EXISTS when the
///     decision was recorded before; RECALLITE_BUSY, RECALLITE_FULL or
///     RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_history_record_decision(
    memory: *mut recallite_memory,
    decision: *const recallite_new_decision,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let decision = unsafe {
            let decision = input::read("decision", decision)?;
            new_decision(&decision)?
        };
        memory.history().record_decision(&decision).map_err(in_c)
    })
}

/// The same error with the names that the fields have in C.
fn in_c(error: Error) -> Error {
    match error.argument() {
        Some("decided_at") => error.about("decided_ms"),
        Some(argument) => match argument.strip_suffix(".known_at") {
            Some(place) => {
                let place = format!("{place}.known_ms");
                error.about(place)
            }
            None => error,
        },
        None => error,
    }
}

/// # Safety
/// The texts and the evidence of `decision` are absent or readable.
unsafe fn new_decision(decision: &recallite_new_decision) -> Result<Decision> {
    let time = |field: &str, millis: i64| {
        Timestamp::from_millis(millis).map_err(|error| error.about(field))
    };
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Decision {
            decision_id: decision.decision_id.required("decision_id")?.to_owned(),
            decided_at: time("decided_ms", decision.decided_ms)?,
            actor: decision.actor.required("actor")?.to_owned(),
            action: decision.action.required("action")?.to_owned(),
            outcome: decision
                .outcome_json
                .optional("outcome_json")?
                .map(|text| Json::parse("outcome_json", text))
                .transpose()?,
            confidence: boolean("has_confidence", decision.has_confidence)?
                .then_some(decision.confidence),
            build_id: owned(decision.build_id.optional("build_id")?),
            evidence: input::structs(
                "evidence",
                decision.evidence,
                decision.evidence_len,
                |one| {
                    Ok(DecisionEvidence {
                        kind: words::word("kind", one.kind)?,
                        evidence_id: one.evidence_id.required("evidence_id")?.to_owned(),
                        stage: words::word("stage", one.stage)?,
                        role: owned(one.role.optional("role")?).unwrap_or_default(),
                        known_at: time("known_ms", one.known_ms)?,
                    })
                },
            )?,
        })
    }
}
