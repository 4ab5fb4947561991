//! Everything of an ingestion that needs no lock: reading, checking, filtering
//! and aligning.

use std::time::Instant;

use serde_json::Value;

use crate::engine::Engine;
use crate::learn::pipeline::{IngestOptions, messages};
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::privacy::check_name;
use crate::rules::align::{AlignmentReport, EvidenceQuote, align};
use crate::rules::entries::EvidenceReport;
use crate::rules::extraction::{Extraction, Quote, RelationKind};
use crate::write::prepare::{clean_text, kept_name, kept_option};

/// An extraction that is checked, filtered and aligned.
pub(super) struct Prepared {
    pub(super) session: String,
    /// The project of events; empty for none.
    pub(super) project: String,
    pub(super) extraction: Extraction,
    /// Names the extraction of this session: the same content has the same key.
    pub(super) extraction_key: String,
    /// Secrets under which ids are made.
    pub(super) id_secret: [u8; 32],
    /// The secret under which the extractor's prompt is known.
    pub(super) prompt_secret: [u8; 32],
    /// The event id of each message, where it is still there.
    pub(super) message_ids: Vec<Option<String>>,
    /// Whether the session begins with a response: its prompt is missing.
    pub(super) lacks_prompt: Option<String>,
    pub(super) entry_evidence: Vec<EvidenceReport>,
    pub(super) task_evidence: Vec<EvidenceReport>,
    pub(super) parse_ms: f64,
    pub(super) align_ms: f64,
}

impl Prepared {
    pub(super) fn new(
        engine: &Engine,
        session: &str,
        text: &str,
        options: &IngestOptions,
    ) -> Result<Self> {
        if let Some(project) = &options.project {
            check_name("project", project)?;
        }
        let session = &kept_name(engine, session)?;
        let project = kept_option(engine, options.project.as_deref())?;
        let began = Instant::now();
        let read = engine.store.read()?;
        let messages = messages(&read, session)?;
        let mut extraction = Extraction::parse(text, messages.len())?;
        refuse_circles(&extraction)?;
        filter(engine, &mut extraction)?;
        let secret = read.derived_secret("recallite 2026 extraction keys");
        let canonical = serde_json::from_str::<Value>(text)
            .map_or_else(|_| text.to_owned(), |value| value.to_string());
        let mut hasher = blake3::Hasher::new_keyed(&secret);
        hasher.update(&(session.len() as u64).to_le_bytes());
        hasher.update(session.as_bytes());
        hasher.update(canonical.as_bytes());
        let extraction_key = hasher.finalize().to_hex().to_string();
        let own_project = read
            .session(session)?
            .map(|(_, row)| read.public_session(row))
            .transpose()?
            .map(|session| session.project)
            .filter(|project| !project.is_empty());
        let project = project
            .or(own_project)
            .unwrap_or_else(|| engine.project.clone());
        let parse_ms = millis(began);

        let began = Instant::now();
        let texts: Vec<&str> = messages
            .iter()
            .map(|message| message.event.as_ref().map_or("", |e| e.content.as_str()))
            .collect();
        let message_ids: Vec<Option<String>> = messages
            .iter()
            .map(|message| message.event.as_ref().map(|event| event.id.to_string()))
            .collect();
        let quote_secret = read.derived_secret("recallite 2026 quotes");
        let evidence = |quotes: &[Quote]| -> EvidenceReport {
            let report = look_up(&texts, quotes);
            debug_assert_eq!(
                report.evidence_aligned,
                report.results.iter().all(crate::learn::pipeline::is_found)
            );
            EvidenceReport::of(&report, &quote_secret, |index| {
                message_ids.get(index).cloned().flatten()
            })
        };
        let entry_evidence = extraction
            .entries
            .iter()
            .map(|entry| evidence(&entry.quotes))
            .collect();
        let task_evidence = extraction
            .tasks
            .iter()
            .map(|task| evidence(&task.quotes))
            .collect();
        let lacks_prompt = messages
            .first()
            .and_then(|message| message.event.as_ref())
            .filter(|event| event.kind == EventKind::AgentResponse)
            .map(|event| event.id.to_string());
        Ok(Prepared {
            session: session.to_owned(),
            project,
            extraction,
            extraction_key,
            id_secret: read.derived_secret("recallite 2026 entity and entry ids"),
            prompt_secret: read.derived_secret("recallite 2026 extractor prompts"),
            message_ids,
            lacks_prompt,
            entry_evidence,
            task_evidence,
            parse_ms,
            align_ms: millis(began),
        })
    }

    /// The name of the run after so many earlier ones.
    pub(super) fn build_id(&self, runs: u64) -> String {
        format!("build_{}_{}", &self.extraction_key[..16], runs + 1)
    }

    /// The name under which the resolver knows a task of this extraction.
    pub(super) fn source_entry(&self, local_id: &str) -> String {
        format!("{local_id}@{}", &self.extraction_key[..16])
    }
}

pub(super) fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

fn look_up(texts: &[&str], quotes: &[Quote]) -> AlignmentReport {
    let quotes: Vec<EvidenceQuote> = quotes
        .iter()
        .map(|quote| EvidenceQuote::new(quote.message_index as usize, quote.quote.as_str()))
        .collect();
    align(texts, &quotes)
}

/// Every text passes the privacy filter, as the messages did: a quote of a
/// masked secret is masked too and still stands where it stood.
fn filter(engine: &Engine, extraction: &mut Extraction) -> Result<()> {
    let clean_quotes = |path: String, quotes: &mut [Quote]| -> Result<()> {
        for (index, quote) in quotes.iter_mut().enumerate() {
            quote.quote = clean_text(
                engine,
                &format!("{path}.quotes[{index}].quote"),
                &quote.quote,
            )?;
        }
        Ok(())
    };
    for (index, entry) in extraction.entries.iter_mut().enumerate() {
        let path = format!("entries[{index}]");
        entry.title = clean_text(engine, &format!("{path}.title"), &entry.title)?;
        entry.content = clean_text(engine, &format!("{path}.content"), &entry.content)?;
        clean_quotes(path, &mut entry.quotes)?;
    }
    for (index, task) in extraction.tasks.iter_mut().enumerate() {
        let path = format!("tasks[{index}]");
        let entry = &mut task.entry;
        entry.title = clean_text(engine, &format!("{path}.title"), &entry.title)?;
        if !has_own_words(&entry.title) {
            return Err(Error::invalid(
                format!("{path}.title"),
                "has no letter or digit after private text was taken out",
            ));
        }
        if let Some(description) = &mut entry.description {
            *description = clean_text(engine, &format!("{path}.description"), description)?;
        }
        if let Some(project) = &mut entry.project {
            check_name(&format!("{path}.project"), project)?;
            *project = kept_name(engine, project)?;
        }
        for (at, blocker) in entry.blocked_by.iter_mut().enumerate() {
            *blocker = clean_text(engine, &format!("{path}.blocked_by[{at}]"), blocker)?;
        }
        clean_quotes(path, &mut task.quotes)?;
    }
    Ok(())
}

/// Whether a title says anything beside the marks of what was taken out: tasks
/// named by marks alone would all be one.
fn has_own_words(title: &str) -> bool {
    let mut rest = title.to_owned();
    for mark in crate::privacy::Marker::ALL {
        if !mark.as_str().is_empty() {
            rest = rest.replace(mark.as_str(), " ");
        }
    }
    !crate::rules::tasks::keys::normalize_identity(&rest).is_empty()
}

/// What was derived from or replaced by itself, over any number of steps, is a
/// mistake of the model.
fn refuse_circles(extraction: &Extraction) -> Result<()> {
    for kind in [RelationKind::DerivedFrom, RelationKind::Supersedes] {
        let mut edges: Vec<(&str, &str)> = Vec::new();
        for (index, relation) in extraction.relations.iter().enumerate() {
            if relation.kind != kind {
                continue;
            }
            let (from, to) = (relation.from.as_str(), relation.to.as_str());
            if reaches(&edges, to, from) {
                return Err(Error::invalid(
                    format!("relations[{index}]"),
                    format_args!("closes a circle of {kind}"),
                ));
            }
            edges.push((from, to));
        }
    }
    Ok(())
}

fn reaches(edges: &[(&str, &str)], from: &str, to: &str) -> bool {
    let mut seen = std::collections::BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if at == to {
            return true;
        }
        for (_, next) in edges.iter().filter(|(source, _)| *source == at) {
            if seen.insert(next) {
                waiting.push(next);
            }
        }
    }
    false
}
