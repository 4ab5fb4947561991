//! What is open when a session starts: unfinished tasks and proved decisions in force, and what a
//! session that was told them knows.

use std::collections::BTreeMap;

use recallite::rules::entries::{EntryType, LearnedEntry, Stage};
use recallite::rules::graph::Relation;
use recallite::rules::tasks::Task;
use recallite::text::show::harmless_line;
use recallite::{EdgeFilter, EntryFilter, Event, EventId, EventRef, Memory, TaskFilter};

use serde_json::Value;

use super::known::HARDLY_MORE;
use crate::commands::open_tasks;
use crate::evidence;
use crate::time::now;
use crate::tokens::estimate_tokens;

/// The maximum size of the text, in tokens.
const BUDGET_TOKENS: usize = 600;
/// The maximum size of the fence itself.
const FENCE_TOKENS: usize = 80;
const MOST_TASKS: usize = 8;
const MOST_DECISIONS: usize = 5;
/// The maximum length of a title, in characters.
const TITLE_CHARS: usize = 160;

/// Open tasks and decisions as a session is told them.
#[derive(Debug, Default)]
pub(super) struct OpenItems {
    /// Fenced; empty if there are none.
    pub(super) text: String,
    /// The events of which the text says nearly all, and otherwise the records of what it names:
    /// what stands behind a title is still to be given.
    pub(super) told: Vec<EventRef>,
}

impl OpenItems {
    pub(super) fn of(memory: &Memory) -> recallite::Result<OpenItems> {
        let live = TaskFilter::default().is_live(true);
        let tasks = open_tasks(memory, &live.limit(MOST_TASKS))?;
        let decisions = memory.knowledge().entries(
            &EntryFilter::default()
                .entry_type(EntryType::Decision)
                .min_stage(Stage::Verified)
                .status("active")
                .as_of(now())
                .limit(MOST_DECISIONS)
                .is_live(true),
        )?;
        let items = tasks
            .iter()
            .map(Item::Task)
            .chain(decisions.iter().map(Item::Decision));
        let mut body = String::new();
        let mut told = Vec::new();
        for item in items {
            let proofs = item.proofs(memory)?;
            let line = item.line(&proofs);
            if estimate_tokens(&body) + estimate_tokens(&line) + FENCE_TOKENS > BUDGET_TOKENS {
                break;
            }
            body.push_str(&line);
            body.push('\n');
            told.append(&mut item.told(memory, proofs)?);
        }
        if !body.is_empty() {
            body = memory.fence(body.trim_end())?;
        }
        Ok(OpenItems { text: body, told })
    }
}

/// An event that proves an item, and how many of its bytes are quoted for it.
struct Proof {
    event: Event,
    quoted: usize,
}

enum Item<'a> {
    Task(&'a Task),
    Decision(&'a LearnedEntry),
}

impl Item<'_> {
    /// What stands, behind the citation of the first event that proves it and, of a task, the id
    /// by which it can be changed.
    fn line(&self, proofs: &[Proof]) -> String {
        let mut line = String::from("> ");
        if let Some(proof) = proofs.first() {
            line.push_str(&format!("[{}] ", proof.event.citation));
        }
        if let Item::Task(task) = self {
            line.push_str(&format!("[{}] ", task.id));
        }
        line.extend(harmless_line(&self.says()).chars().take(TITLE_CHARS));
        line
    }

    fn says(&self) -> String {
        match self {
            Item::Task(task) => task_line(task),
            Item::Decision(known) => format!("decided: {}", known.entry.title),
        }
    }

    /// Whether its line leaves out nothing of what it says.
    fn is_told_whole(&self) -> bool {
        let (title, text) = match self {
            Item::Task(task) => (&task.title, task.description.as_deref().unwrap_or_default()),
            Item::Decision(known) => (&known.entry.title, known.content.as_str()),
        };
        let end = |c: char| c.is_whitespace() || ['.', '!', '。', '！'].contains(&c);
        title.contains(text.trim_matches(end)) && self.says().chars().count() <= TITLE_CHARS
    }

    fn proofs(&self, memory: &Memory) -> recallite::Result<Vec<Proof>> {
        let quoted = match self {
            Item::Task(task) => quotes_of_task(memory, task)?,
            Item::Decision(known) => quotes_of_entry(known),
        };
        let mut proofs: Vec<Proof> = Vec::new();
        for (id, bytes) in quoted {
            let Ok(id) = id.parse::<EventId>() else {
                continue;
            };
            if let Some(event) = memory.event(id)? {
                proofs.push(Proof {
                    event,
                    quoted: bytes,
                });
            }
        }
        if proofs.is_empty()
            && let Some(record) = self.record(memory)?
        {
            let quoted = 0;
            proofs.extend(memory.event(record)?.map(|event| Proof { event, quoted }));
        }
        Ok(proofs)
    }

    /// The event that created it.
    fn record(&self, memory: &Memory) -> recallite::Result<Option<EventRef>> {
        Ok(match self {
            Item::Task(task) => memory
                .tasks()
                .get(&task.id)?
                .and_then(|detail| Some(detail.history.first()?.id.into())),
            Item::Decision(known) => Some(known.event_id.into()),
        })
    }

    /// What a session knows that was told the line.
    fn told(&self, memory: &Memory, proofs: Vec<Proof>) -> recallite::Result<Vec<EventRef>> {
        let is_told = |proof: &Proof| {
            proof.event.content.len().saturating_sub(proof.quoted) <= HARDLY_MORE
                && self.is_told_whole()
        };
        let told = proofs.into_iter().filter(is_told);
        let mut told: Vec<EventRef> = told.map(|proof| proof.event.id.into()).collect();
        if told.is_empty() {
            told.extend(self.record(memory)?);
        }
        Ok(told)
    }
}

fn task_line(task: &Task) -> String {
    let waits: Vec<&str> = task
        .blockers()
        .iter()
        .map(|by| by.raw_text.as_str())
        .collect();
    let waits = match waits.is_empty() {
        true => String::new(),
        false => format!(" (waits for: {})", waits.join("; ")),
    };
    format!("{} task: {}{waits}", task.status(), task.title)
}

/// The events that a task quotes, each with how many bytes of it, newest first.
fn quotes_of_task(memory: &Memory, task: &Task) -> recallite::Result<Vec<(String, usize)>> {
    let edges = memory.knowledge().edges(
        &EdgeFilter::default()
            .to(task.id.to_string())
            .relation(Relation::SourceOf),
    )?;
    let quoted = edges.into_iter().map(|edge| {
        let meta = edge.meta.as_ref().map_or("", |meta| meta.as_str());
        let meta: Value = serde_json::from_str(meta).unwrap_or_default();
        let place = |name: &str| meta["span"][name].as_u64().unwrap_or(0);
        let bytes = place("end").saturating_sub(place("start"));
        (edge.ends.source_id, as_bytes(bytes))
    });
    Ok(quoted.collect())
}

/// The events that an entry quotes, each with how many bytes of it, in the order of the quotes.
fn quotes_of_entry(known: &LearnedEntry) -> Vec<(String, usize)> {
    let mut places = BTreeMap::new();
    let mut quoted: Vec<(String, usize)> = Vec::new();
    for span in evidence::spans(known) {
        let Some(id) = &span.event_id else { continue };
        let bytes = as_bytes(span.span_end.saturating_sub(span.span_start));
        let at = *places.entry(id).or_insert(quoted.len());
        match quoted.get_mut(at) {
            Some((_, sum)) => *sum += bytes,
            None => quoted.push((id.clone(), bytes)),
        }
    }
    quoted
}

fn as_bytes(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
