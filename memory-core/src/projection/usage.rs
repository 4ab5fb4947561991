//! Folds how recalled events were used: how often each was given to an agent, and whether the
//! agent's responses picked it up.
//!
//! Everything follows from injections and responses in log order, so that a rebuild produces
//! the same tables.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};

use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::model::event::{Appended, Event, EventKind};
use crate::model::json::Json;
use crate::rules::levels::POPULAR_CITATION_USES;
use crate::store::WriteTx;
use crate::store::index_tables::usage::{EventUse, OpenInjection};
use crate::store::log::append::Draft;
use crate::store::log::record::RecordView;
use crate::store::projected_rows::projected::RowKind;

/// How many responses after an injection are compared with it.
const RESPONSES: u8 = 3;
/// Responses later than this are not compared.
const RECENT_MS: i64 = 24 * 60 * 60 * 1_000;
/// The share of an injected text's words that a response must contain.
const REUSED_SHARE: f32 = 0.3;
/// The minimum number of an injected text's words that a response must contain; all of them
/// if there are fewer.
const REUSED_WORDS: usize = 3;
/// The maximum number of memories per injection: each takes one bit in the session's row.
pub(crate) const MAX_INJECTED: usize = 64;
/// How many prompts before a response count as its question: the one before the injection, or
/// right after it.
const ASKED_PROMPTS: usize = 2;

/// One memory of an injection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Injected {
    pub(crate) seq: u64,
    pub(crate) citation: String,
    /// The byte ranges of its content that were given, in order; none of something of which no words
    /// were given.
    pub(crate) parts: Vec<Range<usize>>,
    /// How likely it helped with the question, 0 to 1; 1 for what a host pinned.
    pub(crate) confidence: f64,
}

impl Injected {
    /// Reads one of the items in the metadata of an injection.
    pub(crate) fn read(item: &Value) -> Option<Self> {
        let place = |at: &Value| at.as_u64().and_then(|at| usize::try_from(at).ok());
        let parts = item["parts"].as_array().map(Vec::as_slice);
        let parts = parts.unwrap_or_default().iter();
        Some(Injected {
            seq: item["seq"].as_u64()?,
            citation: item["citation"].as_str().unwrap_or_default().to_owned(),
            parts: parts
                .filter_map(|part| Some(place(&part[0])?..place(&part[1])?))
                .collect(),
            confidence: item["confidence"].as_f64().unwrap_or(1.0),
        })
    }

    /// Its form in the metadata.
    pub(crate) fn to_value(&self) -> Value {
        let parts = self.parts.iter().map(|part| [part.start, part.end]);
        json!({
            "citation": self.citation,
            "seq": self.seq,
            "parts": parts.collect::<Vec<_>>(),
            "confidence": self.confidence,
        })
    }
}

/// The metadata of an injection.
struct Recorded {
    items: Vec<Injected>,
    tokens: u64,
}

fn recorded(event: &Event) -> Recorded {
    let metadata = event.metadata.as_ref().map_or(Value::Null, Json::to_value);
    let items = metadata["items"].as_array().map(Vec::as_slice);
    Recorded {
        items: items
            .unwrap_or_default()
            .iter()
            .take(MAX_INJECTED)
            .filter_map(Injected::read)
            .collect(),
        tokens: metadata["tokens"].as_u64().unwrap_or(0),
    }
}

/// Updates the usage tables for one event. Called for every event in log order, in the
/// transaction that appends it or in one that rebuilds the tables after
/// [`WriteTx::clear_usage`]. Only injections and responses change anything.
pub(crate) fn fold_usage(tx: &mut WriteTx<'_>, event: &Event) -> Result<()> {
    match event.kind {
        EventKind::Injected => fold_injection(tx, event),
        EventKind::AgentResponse => fold_response(tx, event),
        _ => Ok(()),
    }
}

/// [`fold_usage`] for events that were just appended.
pub(crate) fn fold_appended(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    receipts: &[Appended],
) -> Result<()> {
    // Most stores have no injection waiting for a response.
    let mut any_open = tx.has_open_injections()?;
    for (draft, receipt) in drafts.iter().zip(receipts) {
        let concerns = match draft.event.kind {
            EventKind::Injected => {
                any_open = true;
                true
            }
            EventKind::AgentResponse if any_open => {
                match tx.session_number(&draft.event.session)? {
                    Some(session) => tx.open_injection(session)?.is_some(),
                    None => false,
                }
            }
            _ => false,
        };
        if concerns
            && !receipt.duplicate
            && let Some(event) = tx.stored_event(receipt.seq.0)?
        {
            fold_usage(tx, &event)?;
        }
    }
    Ok(())
}

fn fold_injection(tx: &mut WriteTx<'_>, event: &Event) -> Result<()> {
    let Some(session) = tx.session_number(&event.session)? else {
        return Ok(());
    };
    let recorded = recorded(event);
    let usage = EventUse {
        injection: event.seq.0,
        at_ms: event.timestamp.millis(),
        session,
    };
    for item in &recorded.items {
        // Its text may be long, and does not matter here.
        if tx.is_live_at(item.seq)? {
            let uses = tx.put_usage(item.seq, &usage)?;
            if uses == Some(POPULAR_CITATION_USES) {
                make_candidate(tx, item.seq)?;
            }
        }
    }
    tx.set_open_injection(
        session,
        Some(OpenInjection {
            injection: event.seq.0,
            responses_left: RESPONSES,
            reused: 0,
            is_judged: false,
        }),
    )?;
    tx.change_injection_stats(|stats| {
        stats.injections += 1;
        stats.memories += recorded.items.len() as u64;
        stats.tokens += recorded.tokens;
        stats.last = stats.last.max(Some(event.timestamp));
    })
}

/// Has the level of an event determined again, because its citation is popular. Mostly its
/// accesses do so as well, but those may have been lost in a crash.
fn make_candidate(tx: &WriteTx<'_>, seq: u64) -> Result<()> {
    if let Some(event) = tx.event_at(seq)? {
        let mut rows = tx.projected()?;
        let id = event.id.to_string();
        rows.put(RowKind::LevelDue, id.as_bytes(), &[])?;
        // Waiting to be judged is no change of a layer.
        rows.finish(i64::MIN)?;
    }
    Ok(())
}

fn fold_response(tx: &mut WriteTx<'_>, event: &Event) -> Result<()> {
    let Some(session) = tx.session_number(&event.session)? else {
        return Ok(());
    };
    let Some(mut row) = tx.open_injection(session)? else {
        return Ok(());
    };
    let injection = tx
        .stored_event(row.injection)?
        .filter(|injection| event.timestamp.millis() - injection.timestamp.millis() <= RECENT_MS);
    let Some(injection) = injection else {
        return tx.set_open_injection(session, None);
    };
    let recorded = recorded(&injection);
    let mut query = HashSet::new();
    for seq in tx.prompts_before(session, event.seq.0, ASKED_PROMPTS)? {
        if let Some(prompt) = tx.stored_event(seq)? {
            query.extend(words(&prompt.content));
        }
    }
    let response = words(&event.content);
    let before = row.reused;
    for (bit, item) in recorded.items.iter().enumerate() {
        if row.reused >> bit & 1 == 1 {
            continue;
        }
        let Some(memory) = tx.stored_event(item.seq)? else {
            continue;
        };
        if is_reused(
            &words_given(&memory.content, &item.parts),
            &query,
            &response,
        ) {
            row.reused |= 1 << bit;
        }
    }
    let is_first = !row.is_judged;
    tx.change_injection_stats(|stats| {
        if is_first {
            stats.judged += 1;
            stats.judged_memories += recorded.items.len() as u64;
        }
        if before == 0 && row.reused != 0 {
            stats.reused += 1;
        }
        stats.reused_memories += u64::from((row.reused & !before).count_ones());
    })?;
    row.is_judged = true;
    row.responses_left = row.responses_left.saturating_sub(1);
    tx.set_open_injection(session, (row.responses_left > 0).then_some(row))
}

/// The content words of a text, as hashes of their stems.
fn words(text: &str) -> HashSet<u32> {
    with_analyser(|analyser| {
        analyser.analyse("", text);
        analyser
            .terms()
            .filter(|term| !term.is_question_stop)
            .map(|term| term.hash)
            .collect()
    })
}

/// The content words of the parts of a text that were given.
fn words_given(text: &str, parts: &[Range<usize>]) -> HashSet<u32> {
    let mut given = HashSet::new();
    for part in parts {
        let start = text.floor_char_boundary(part.start);
        let end = text.floor_char_boundary(part.end).max(start);
        given.extend(words(&text[start..end]));
    }
    given
}

/// Whether a response picks up an injected text: it contains enough of the words that were
/// not already in the query.
fn is_reused(memory: &HashSet<u32>, query: &HashSet<u32>, response: &HashSet<u32>) -> bool {
    let own: Vec<u32> = memory.difference(query).copied().collect();
    let shared = own.iter().filter(|word| response.contains(word)).count();
    !own.is_empty()
        && shared >= own.len().min(REUSED_WORDS)
        && shared as f32 >= REUSED_SHARE * own.len() as f32
}

/// Whether a record changes usage in the current state: an injection, or a response in a
/// session that waits for one.
fn concerns(tx: &WriteTx<'_>, seq: u64) -> Result<bool> {
    match tx.kind_at(seq)? {
        Some(EventKind::Injected) => Ok(true),
        Some(EventKind::AgentResponse) if tx.has_open_injections()? => {
            let session = |view: &RecordView<'_>| Ok(view.archive()?.session.to_string());
            match tx.session_number(&tx.with_record(seq, session)?.unwrap_or_default())? {
                Some(session) => Ok(tx.open_injection(session)?.is_some()),
                None => Ok(false),
            }
        }
        _ => Ok(false),
    }
}

/// [`refold_usage`], if an injection was forgotten since the last time.
pub(crate) fn refold_if_stale(tx: &mut WriteTx<'_>) -> Result<()> {
    match tx.is_usage_stale()? {
        true => refold_usage(tx),
        false => Ok(()),
    }
}

/// Clears all usage rows and folds the log again: after events were erased, and to rebuild.
pub(crate) fn refold_usage(tx: &mut WriteTx<'_>) -> Result<()> {
    tx.clear_usage()?;
    for seq in tx.live_of_kinds(&[EventKind::Injected, EventKind::AgentResponse])? {
        tx.running.tick()?;
        if concerns(tx, seq)?
            && let Some(event) = tx.event_at(seq)?
        {
            fold_usage(tx, &event)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use crate::model::event::NewEvent;
    use crate::model::ids::EventRef;
    use crate::model::ids::Seq;
    use crate::recall::shown::context::{ContextOptions, Recording, UNKNOWN_SESSION};
    use crate::write::injections::{Injection, record_injection};

    fn reused(memory: &str, query: &str, response: &str) -> bool {
        is_reused(&words(memory), &words(query), &words(response))
    }

    #[test]
    fn an_event_whose_citation_was_used_five_times_is_a_candidate() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let memory = Memory::open(folder.path()).expect("a new store");
        let event = NewEvent::new(EventKind::UserPrompt, "s1", "The port is 8443.");
        let said = memory.append(event).expect("a sound store");
        let given = [Injected {
            seq: said.seq.0,
            citation: said.citation.to_string(),
            parts: std::iter::once(0..5).collect(),
            confidence: 0.9,
        }];
        for uses in 1..=7 {
            // The record of what was given, without the accesses that go with it.
            let injection = Injection {
                session: "s2",
                items: &given,
                further_proofs: &[],
                tokens: 5,
                reason: "",
            };
            record_injection(&memory.engine, &injection, 0, true).expect("a sound store");
            let judged = memory.levels().graduate(10).expect("a sound store").judged;
            let expected = usize::from(uses == POPULAR_CITATION_USES);
            assert_eq!(judged, expected, "after {uses} uses");
        }
    }

    #[test]
    fn words_of_the_query_alone_are_no_reuse() {
        let memory = "The staging database listens on port 5433 behind the bastion host.";
        let query = "which port does the staging database use?";
        assert!(!reused(
            memory,
            query,
            "The staging database port is unknown to me."
        ));
        assert!(reused(
            memory,
            query,
            "Connect through the bastion: port 5433 on that host."
        ));
        assert!(!reused("", query, "anything"));
    }

    #[test]
    fn reuse_is_seen_without_spaces_between_words() {
        let memory = "배포는 금요일 정오에 합니다";
        assert!(reused(
            memory,
            "언제 배포하지?",
            "금요일 정오에 배포하면 됩니다."
        ));
        assert!(!reused(memory, "언제 배포하지?", "모르겠습니다."));
        assert!(reused(
            "本番は金曜日の正午に出す",
            "いつ出す？",
            "金曜日の正午です"
        ));
    }

    #[test]
    fn a_few_shared_words_of_a_long_text_are_no_reuse() {
        let long = (0..60).map(|n| format!("topic{n} ")).collect::<String>();
        assert!(!reused(&long, "", "topic1 topic2 topic3 topic4"));
    }

    #[test]
    fn a_rebuild_from_the_log_gives_the_same_figures() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let say = |kind, session: &str, text: &str| {
            let receipt = memory.append(NewEvent::new(kind, session, text)).unwrap();
            receipt.citation.to_string()
        };
        let port = say(
            EventKind::UserPrompt,
            "s1",
            "The staging port is 5433, host Heimdall.",
        );
        for (session, answer) in [("a", "Port 5433 on host Heimdall."), ("b", "No idea.")] {
            let options = ContextOptions::new("staging port?").session(session);
            memory.context(options).unwrap();
            say(EventKind::AgentResponse, session, answer);
        }
        memory
            .context(ContextOptions::new("staging port?").recording(Recording::Now))
            .unwrap();
        let look = || {
            (
                memory.stats().unwrap().injections,
                memory
                    .citations()
                    .detail(port.parse::<EventRef>().unwrap())
                    .unwrap(),
                memory.citations().popular(10, None).unwrap(),
                memory
                    .citations()
                    .citing_sessions(port.parse::<EventRef>().unwrap(), None)
                    .unwrap(),
            )
        };
        let before = look();
        assert_eq!(before.0.injections, 3);
        assert_eq!(before.0.reused, 1);
        assert_eq!(before.3, [UNKNOWN_SESSION, "b", "a"]);

        let log = memory.changes_since(Seq(0), usize::MAX).unwrap();
        let store = &memory.engine.store;
        store.write(|tx| tx.clear_usage()).unwrap();
        assert_eq!(memory.stats().unwrap().injections.injections, 0);
        assert!(memory.citations().popular(10, None).unwrap().is_empty());
        store
            .write(|tx| log.iter().try_for_each(|event| fold_usage(tx, event)))
            .unwrap();
        assert_eq!(look(), before);

        let seq = memory.citation(&port).unwrap().seq.0;
        store.write(|tx| tx.remove_usage(seq)).unwrap();
        assert!(
            memory
                .citations()
                .citing_sessions(port.parse::<EventRef>().unwrap(), None)
                .unwrap()
                .is_empty()
        );
        assert!(
            memory
                .citations()
                .popular(10, None)
                .unwrap()
                .iter()
                .all(|p| p.seq.0 != seq)
        );
    }
}
