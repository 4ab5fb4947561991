//! Records injections: what was given to an agent becomes an event in the log.

use crate::engine::Engine;
use crate::engine::injections::TakenInjections;
use crate::engine::logger::{Target, counted};
use crate::model::error::Result;
use crate::model::json::{Json, canonical_text};
use crate::privacy::Clean;
use crate::projection;
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
        .map(Injected::to_value)
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

/// Records an injection now, or with the next append, `maintain` or `close`. `erased` is how many
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
        let receipts = projection::append(tx, &drafts)?;
        fold_appended(tx, &drafts, &receipts)
    });
    if result.is_err() {
        taken.drafts = drafts;
        put_back(engine, taken);
    }
    result
}

/// Puts back the injections of a write that failed.
pub(crate) fn put_back(engine: &Engine, taken: TakenInjections) {
    let dropped = engine.injections.put_back(taken);
    if dropped > 0 {
        engine.logger.warn(Target::Recall, || {
            let dropped = counted(dropped as u64, "record");
            format!("dropped {dropped} of what was given: too many wait to be written")
        });
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::clock::{Clock as _, IdSource, RandomIds};
    use crate::engine::injections::{PendingInjections, TakenInjections};
    use crate::model::ids::EventId;
    use crate::model::time::Timestamp;
    use crate::store::log::append::Draft;
    use crate::testing::FixedClock;
    use crate::{ContextOptions, EventKind, Memory, NewEvent, Recording};

    /// Draws ids, and with them the order of records, from a clock.
    #[derive(Debug)]
    struct IdsOf(Arc<FixedClock>);

    impl IdSource for IdsOf {
        fn event_id(&self, _: Timestamp) -> EventId {
            let millis = self.0.now().millis().max(0).unsigned_abs();
            let random: [u8; 10] = RandomIds.salt()[..10].try_into().unwrap();
            let id = uuid::Builder::from_unix_timestamp_millis(millis, &random);
            EventId::from_bytes(id.into_uuid().into_bytes())
        }

        fn salt(&self) -> [u8; 16] {
            RandomIds.salt()
        }
    }

    /// What was recorded by a clock that was centuries ahead comes after what is given once it is set
    /// right.
    #[test]
    fn a_session_is_what_a_rebuild_makes_of_what_it_was_given() {
        let clock = Arc::new(FixedClock::at("2276-01-01T00:00:00Z".parse().unwrap()));
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder()
            .clock(clock.clone())
            .ids(Arc::new(IdsOf(clock.clone())))
            .project("shop")
            .open(folder.path())
            .unwrap();
        let said = NewEvent::new(EventKind::UserPrompt, "talk", "the gate is green");
        let said = memory.append(said.project("garden")).unwrap();
        clock.advance_ms(-250 * 365 * 24 * 60 * 60 * 1_000);
        let options = ContextOptions::new("zzz qqq")
            .session("talk")
            .pinned([said.seq.into()])
            .recording(Recording::Now);
        assert!(!memory.context(options).unwrap().is_empty());
        let live = memory.session("talk").unwrap();
        assert_eq!(memory.check().unwrap().first_divergence, None);
        let rebuilt = memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        assert_eq!(memory.session("talk").unwrap(), live);
    }

    #[test]
    fn what_was_given_last_is_kept_if_too_much_waits() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let draft = |number: usize| -> Draft {
            let injection = super::Injection {
                session: &format!("s{number}"),
                items: &[],
                further_proofs: &[],
                tokens: 0,
                reason: "",
            };
            super::injection_draft(&memory.engine, &injection).unwrap()
        };
        let pending = PendingInjections::default();
        (60..70).for_each(|number| _ = pending.push(draft(number), 0));
        let taken = TakenInjections {
            drafts: (0..60).map(draft).collect(),
            erased: vec![0; 60],
        };
        assert_eq!(pending.put_back(taken), 6);
        let left = pending.take().drafts;
        let sessions: Vec<&str> = left.iter().map(|one| &*one.event.session).collect();
        let expected: Vec<String> = (6..70).map(|number| format!("s{number}")).collect();
        assert_eq!(sessions, expected);
    }
}
