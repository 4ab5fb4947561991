//! The rules that look at several events or memories at once: functions that need no memory
//! and are too quick for a worker.

use napi_derive::napi;
use recallite::EventKind;
use recallite::rules::levels::{CueLanguages, InsightEvent, extract_insights as find_insights};
use recallite::text::citation::{self, CitedMemory};
use recallite::text::summary as short;

use super::each;
use crate::convert::{give_plain, take};
use crate::generated::NativeInsight;
use crate::input::{self, Time, word};
use crate::outcome::{Outcome, quick};

/// An event as the search for insights sees it.
#[napi(object, object_to_js = false)]
pub struct NativeInsightEvent {
    pub id: String,
    pub is_user_prompt: bool,
    pub content: String,
    pub canonical_key: String,
}

/// What events, taken together, give away.
#[napi(catch_unwind)]
pub fn extract_insights(
    events: Vec<NativeInsightEvent>,
    cues: Option<String>,
) -> Outcome<Vec<NativeInsight>> {
    quick(|| {
        let cues = match cues {
            Some(cues) => word("cues", &cues)?,
            None => CueLanguages::EnglishAndKorean,
        };
        let events: Vec<InsightEvent<'_>> = events
            .iter()
            .map(|event| InsightEvent {
                id: &event.id,
                is_user_prompt: event.is_user_prompt,
                content: &event.content,
                canonical_key: &event.canonical_key,
            })
            .collect();
        give_plain(find_insights(&events, cues))
    })
}

/// An event as the summary of a session sees it.
#[napi(object, object_to_js = false)]
pub struct NativeSpoken {
    pub kind: String,
    pub content: String,
}

/// One memory of a citation block.
#[napi(object, object_to_js = false)]
pub struct NativeCitedMemory {
    pub content: String,
    pub citation: String,
    pub timestamp: Time,
    pub session: String,
}

/// The summary of a session that has ended.
#[napi(catch_unwind)]
pub fn session_summary_text(events: Vec<NativeSpoken>) -> Outcome<String> {
    quick(|| {
        let events = each(events.iter().enumerate(), |(index, event)| {
            let kind: EventKind = word(&format!("events[{index}].kind"), &event.kind)?;
            Ok((kind, event.content.as_str()))
        })?;
        Ok(short::session_summary_text(events))
    })
}

/// The block of cited memories that is put in front of an agent.
#[napi(catch_unwind)]
pub fn citation_block(memories: Vec<NativeCitedMemory>, format: Option<String>) -> Outcome<String> {
    quick(|| {
        let format = input::optional("format", format, take)?.unwrap_or_default();
        let times = each(memories.iter().enumerate(), |(index, memory)| {
            input::time(
                &format!("memories[{index}].timestamp"),
                memory.timestamp.clone(),
            )
        })?;
        let memories: Vec<CitedMemory<'_>> = memories
            .iter()
            .zip(times)
            .map(|(memory, timestamp)| CitedMemory {
                content: &memory.content,
                citation_id: &memory.citation,
                timestamp,
                session_id: &memory.session,
            })
            .collect();
        Ok(citation::citation_block(format, &memories))
    })
}
