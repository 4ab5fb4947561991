//! Keys, hashes, short forms and citations of texts: functions that need no
//! memory and are too quick for a worker.

use std::sync::atomic::AtomicBool;

use napi_derive::napi;
use recallite::text::citation::{self, CITATION_LENGTH, CitationFormat, CitedMemory};
use recallite::text::keys::{self, ArtifactKind};
use recallite::text::{show, summary as short, tokens};
use recallite::{Error, EventKind, Result};

use super::each;
use crate::input::{self, Time, word};
use crate::outcome::{Outcome, now};
use crate::output::size;

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

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEntityKeyParts {
    pub kind: String,
    pub project: Option<String>,
    pub identifier: String,
}

fn quick<T>(call: impl FnOnce() -> Result<T>) -> Outcome<T> {
    now(&AtomicBool::new(false), call)
}

/// The canonical key of a title.
#[napi(catch_unwind)]
pub fn canonical_key(title: String, project: Option<String>) -> Outcome<String> {
    quick(|| Ok(keys::canonical_key(&title, project.as_deref())))
}

/// The key of a task.
#[napi(catch_unwind)]
pub fn task_key(title: String, project: Option<String>) -> Outcome<String> {
    quick(|| Ok(keys::task_key(&title, project.as_deref())))
}

/// The key of a condition.
#[napi(catch_unwind)]
pub fn condition_key(text: String, project: Option<String>) -> Outcome<String> {
    quick(|| Ok(keys::condition_key(&text, project.as_deref())))
}

/// The key of an artifact.
#[napi(catch_unwind)]
pub fn artifact_key(identifier: String) -> Outcome<String> {
    quick(|| Ok(keys::artifact_key(&identifier)))
}

/// Which pattern an artifact's identifier has.
#[napi(catch_unwind)]
pub fn artifact_kind(identifier: String) -> Outcome<String> {
    quick(|| {
        Ok(match keys::artifact_kind(&identifier) {
            ArtifactKind::Url => "url",
            ArtifactKind::Jira => "jira",
            ArtifactKind::GithubIssue => "github_issue",
            ArtifactKind::Generic => "generic",
        }
        .to_owned())
    })
}

/// The parts of an entity key.
#[napi(catch_unwind)]
pub fn parse_entity_key(key: String) -> Outcome<Option<NativeEntityKeyParts>> {
    quick(|| {
        Ok(
            keys::parse_entity_key(&key).map(|parts| NativeEntityKeyParts {
                kind: parts.kind.as_str().to_owned(),
                project: parts.project,
                identifier: parts.identifier,
            }),
        )
    })
}

/// BLAKE3 of a text.
#[napi(catch_unwind)]
pub fn content_hash(content: String) -> Outcome<String> {
    quick(|| Ok(keys::content_hash(&content)))
}

/// The key by which the same content in the same session is one event.
#[napi(catch_unwind)]
pub fn dedupe_key(session: String, content: String) -> Outcome<String> {
    quick(|| Ok(keys::dedupe_key(&session, &content)))
}

/// The first sentence of a text on one line.
#[napi(catch_unwind)]
pub fn summary(content: String) -> Outcome<String> {
    quick(|| Ok(short::summary(&content)))
}

/// Text that moves no cursor.
#[napi(catch_unwind)]
pub fn harmless(content: String) -> Outcome<String> {
    quick(|| Ok(show::harmless(&content).into_owned()))
}

/// The same on one line.
#[napi(catch_unwind)]
pub fn harmless_line(content: String) -> Outcome<String> {
    quick(|| Ok(show::harmless_line(&content).into_owned()))
}

/// The beginning of a text on one line.
#[napi(catch_unwind)]
pub fn preview(content: String) -> Outcome<String> {
    quick(|| Ok(short::preview(&content)))
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

/// The estimated number of tokens of a text.
#[napi(catch_unwind)]
pub fn estimate_tokens(text: String) -> Outcome<f64> {
    quick(|| size(tokens::estimate_tokens(&text)))
}

/// The citation id that an event id gives.
#[napi(catch_unwind)]
pub fn citation_id(event_id: String, length: Option<f64>) -> Outcome<String> {
    quick(|| {
        let length = length
            .map(|length| input::size("length", length))
            .transpose()?;
        Ok(citation::citation_id(
            &event_id,
            length.unwrap_or(CITATION_LENGTH),
        ))
    })
}

/// The citation id in what a person typed.
#[napi(catch_unwind)]
pub fn parse_citation(text: String) -> Outcome<Option<String>> {
    quick(|| Ok(citation::parse_citation(&text)))
}

/// The block of cited memories that is put in front of an agent.
#[napi(catch_unwind)]
pub fn citation_block(memories: Vec<NativeCitedMemory>, format: Option<String>) -> Outcome<String> {
    quick(|| {
        let format = match format.as_deref() {
            None => CitationFormat::default(),
            Some(name) => [
                CitationFormat::Inline,
                CitationFormat::Footnote,
                CitationFormat::Reference,
            ]
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| {
                Error::invalid(
                    "format",
                    "unknown value; use one of inline, footnote, reference",
                )
            })?,
        };
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
