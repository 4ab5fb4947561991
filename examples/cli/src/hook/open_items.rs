//! What stands when a session starts: proved preferences, constraints and decisions in force and
//! unfinished tasks, and what a session that was told them knows.

use std::collections::BTreeMap;

use recallite::rules::entries::{EntryType, LearnedEntry, Stage};
use recallite::rules::graph::Relation;
use recallite::rules::tasks::Task;
use recallite::text::show::harmless_line;
use recallite::{EdgeFilter, EntryFilter, Event, EventId, EventRef, Memory, TaskFilter};

use serde_json::Value;

use super::known::HARDLY_MORE;
use crate::evidence;
use crate::tasks::open as open_tasks;
use crate::time::now;
use crate::tokens::estimate_tokens;

/// The maximum size of the text, in tokens.
const BUDGET_TOKENS: usize = 600;
/// The maximum size of the fence itself.
const FENCE_TOKENS: usize = 80;
/// The maximum size of the preferences and constraints.
const RULES_TOKENS: usize = 200;
/// How many preferences, and how many constraints.
const MAX_RULES: usize = 6;
const MAX_TASKS: usize = 8;
const MAX_DECISIONS: usize = 5;
/// The maximum length of a title, in characters.
const TITLE_CHARS: usize = 160;

/// What stands, as a session is told it.
#[derive(Debug, Default)]
pub(super) struct OpenItems {
    /// Fenced; empty if there is nothing.
    pub(super) text: String,
    /// The events of which the text says nearly all, and otherwise the records of what it names:
    /// what stands behind a title is still to be given.
    pub(super) told: Vec<EventRef>,
}

impl OpenItems {
    pub(super) fn of(memory: &Memory) -> recallite::Result<OpenItems> {
        let live = TaskFilter::default().is_live(true);
        let tasks = open_tasks(memory, &live.limit(MAX_TASKS))?;
        let tasks: Vec<Item> = tasks.into_iter().map(Item::Task).collect();
        let mut rules = in_force(memory, EntryType::Constraint, MAX_RULES)?;
        rules.append(&mut in_force(memory, EntryType::Preference, MAX_RULES)?);
        let decisions = in_force(memory, EntryType::Decision, MAX_DECISIONS)?;
        let mut items = OpenItems::default();
        items.add(memory, &rules, FENCE_TOKENS + RULES_TOKENS)?;
        items.add(memory, &tasks, BUDGET_TOKENS)?;
        items.add(memory, &decisions, BUDGET_TOKENS)?;
        if !items.text.is_empty() {
            items.text = memory.fence(items.text.trim_end())?;
        }
        Ok(items)
    }

    /// Adds lines until one does not fit.
    fn add(
        &mut self,
        memory: &Memory,
        items: &[Item],
        most_tokens: usize,
    ) -> recallite::Result<()> {
        for item in items {
            let proofs = item.proofs(memory)?;
            let line = item.line(&proofs);
            let known = estimate_tokens(&self.text);
            if known + estimate_tokens(&line) + FENCE_TOKENS > most_tokens {
                break;
            }
            self.text.push_str(&line);
            self.text.push('\n');
            self.told.append(&mut item.told(memory, proofs)?);
        }
        Ok(())
    }
}

/// The newest proved entries of a type that are in force.
fn in_force(memory: &Memory, entry_type: EntryType, limit: usize) -> recallite::Result<Vec<Item>> {
    let filter = EntryFilter::default()
        .entry_type(entry_type)
        .min_stage(Stage::Verified)
        .status("active")
        .as_of(now())
        .limit(limit)
        .is_live(true);
    let entries = memory.knowledge().entries(&filter)?;
    Ok(entries.into_iter().map(Item::Entry).collect())
}

/// An event that proves an item, and how many of its bytes are quoted for it.
struct Proof {
    event: Event,
    quoted: usize,
}

enum Item {
    Task(Task),
    Entry(LearnedEntry),
}

impl Item {
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
        let says = self.says();
        let says = harmless_line(&says);
        line.extend(says.chars().take(TITLE_CHARS));
        if says.chars().nth(TITLE_CHARS).is_some() {
            line.truncate(line.trim_end().len());
            line.push('…');
        }
        line
    }

    fn says(&self) -> String {
        match self {
            Item::Task(task) => task_line(task),
            Item::Entry(known) => match known.entry.entry_type {
                EntryType::Decision => format!("decided: {}", known.entry.title),
                entry_type => format!("{entry_type}: {}", known.entry.title),
            },
        }
    }

    /// Whether its line leaves out nothing of what it says.
    fn is_told_whole(&self) -> bool {
        let (title, text) = match self {
            Item::Task(task) => (&task.title, task.description.as_deref().unwrap_or_default()),
            Item::Entry(known) => (&known.entry.title, known.content.as_str()),
        };
        let end = |c: char| c.is_whitespace() || ['.', '!', '。', '！'].contains(&c);
        title.contains(text.trim_matches(end)) && self.says().chars().count() <= TITLE_CHARS
    }

    fn proofs(&self, memory: &Memory) -> recallite::Result<Vec<Proof>> {
        let quoted = match self {
            Item::Task(task) => quotes_of_task(memory, task)?,
            Item::Entry(known) => quotes_of_entry(known),
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
            Item::Entry(known) => Some(known.event_id.into()),
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
