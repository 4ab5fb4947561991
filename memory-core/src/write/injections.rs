//! Records injections: what was given to an agent becomes an event in the log.

use crate::engine::Engine;
use crate::engine::injections::TakenInjections;
use crate::model::error::Result;
use crate::model::json::{Json, canonical_text};
use crate::privacy::Clean;
use crate::projection::usage::{Injected, MAX_INJECTED, fold_appended};
use crate::store::WriteTx;
use crate::store::log::append::Draft;
use crate::write::prepare;

/// The session under which an injection is recorded if it names none.
pub const UNKNOWN_SESSION: &str = "unknown";

/// The payload of an injection.
#[derive(Clone, Debug)]
pub(crate) struct Injection<'a> {
    pub(crate) session: &'a str,
    pub(crate) items: &'a [Injected],
    /// The events that prove what was given, beyond those among the items.
    pub(crate) further_proofs: &'a [u64],
    pub(crate) tokens: usize,
    pub(crate) reason: &'a str,
}

/// The event that records an injection. It names what was given; the query is not copied
/// here, being at most in the log as the session's prompt.
pub(crate) fn injection_draft(engine: &Engine, injection: &Injection<'_>) -> Result<Draft> {
    let items: Vec<serde_json::Value> = injection
        .items
        .iter()
        .take(MAX_INJECTED)
        .map(|item| {
            serde_json::json!({
                "citation": item.citation,
                "seq": item.seq,
                "start": item.start,
                "end": item.end,
                "confidence": item.confidence,
            })
        })
        .collect();
    let citations: Vec<String> = injection
        .items
        .iter()
        .map(|item| format!("mem:{}", item.citation))
        .collect();
    let content = format!("context given: {}", citations.join(" "));
    let mut metadata = serde_json::json!({
        "items": items,
        "tokens": injection.tokens,
        "reason": injection.reason,
    });
    if !injection.further_proofs.is_empty() {
        metadata["further_proofs"] = injection.further_proofs.into();
    }
    prepare::injected(
        engine,
        injection.session,
        content,
        Json::from_value(&metadata),
    )
}

/// Records an injection now, or with the next append, flush or close. `erased` is how many
/// events had been erased when it was begun.
pub(crate) fn record_injection(
    engine: &Engine,
    injection: &Injection<'_>,
    erased: u64,
    is_now: bool,
) -> Result<()> {
    let draft = injection_draft(engine, injection)?;
    if engine.injections.push(draft, erased) || is_now {
        flush_injections(engine)?;
    }
    Ok(())
}

/// Writes what [`Memory::context`](crate::Memory::context) has buffered, if anything.
pub(crate) fn flush_injections(engine: &Engine) -> Result<()> {
    let mut taken = engine.injections.take();
    if taken.drafts.is_empty() {
        return Ok(());
    }
    let mut drafts = std::mem::take(&mut taken.drafts);
    let result = engine.store.write(|tx| {
        forget_erased(&taken, tx, &mut drafts)?;
        let receipts = tx.append(&drafts)?;
        fold_appended(tx, &drafts, &receipts)
    });
    if result.is_err() {
        taken.drafts = drafts;
        engine.injections.put_back(taken);
    }
    result
}

/// Removes the names of sessions erased since the injections were recorded, by any process,
/// from the first `drafts`: an erased name must not come back.
pub(crate) fn forget_erased(
    taken: &TakenInjections,
    tx: &WriteTx<'_>,
    drafts: &mut [Draft],
) -> Result<()> {
    for (draft, erased) in drafts.iter_mut().zip(&taken.erased) {
        let is_gone =
            *erased != tx.state.erased_events && tx.session_number(&draft.event.session)?.is_none();
        if is_gone {
            draft.event.session = UNKNOWN_SESSION.to_owned();
            draft.event.metadata = draft.event.metadata.take().map(without_reason);
        }
    }
    Ok(())
}

/// The payload of an injection without the reason given by the host.
fn without_reason(metadata: Clean) -> Clean {
    let mut value: serde_json::Value = serde_json::from_str(metadata.as_str()).unwrap_or_default();
    value["reason"] = "".into();
    Clean::from_log(canonical_text(&value))
}
