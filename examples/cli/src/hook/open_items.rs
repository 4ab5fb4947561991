//! What is open when a session starts: unfinished tasks and proved decisions in force, and the events
//! that prove them.

use recallite::rules::entries::{EntryType, LearnedEntry, Stage};
use recallite::rules::graph::Relation;
use recallite::rules::tasks::Task;
use recallite::text::show::harmless_line;
use recallite::{EdgeFilter, EntryFilter, EventId, EventRef, Memory, TaskFilter};

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
    /// The events that prove what the text says or, where nothing was quoted, its records.
    pub(super) proofs: Vec<EventRef>,
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
        let mut proofs = Vec::new();
        for item in items {
            let mut of_item = item.proofs(memory)?;
            let line = item.line(memory, &of_item)?;
            if estimate_tokens(&body) + estimate_tokens(&line) + FENCE_TOKENS > BUDGET_TOKENS {
                break;
            }
            body.push_str(&line);
            body.push('\n');
            proofs.append(&mut of_item);
        }
        if !body.is_empty() {
            body = memory.fence(body.trim_end())?;
        }
        Ok(OpenItems { text: body, proofs })
    }
}

enum Item<'a> {
    Task(&'a Task),
    Decision(&'a LearnedEntry),
}

impl Item<'_> {
    /// What stands, behind the citation of the first event that proves it and, of a task, the id
    /// by which it can be changed.
    fn line(&self, memory: &Memory, proofs: &[EventRef]) -> recallite::Result<String> {
        let mut line = String::from("> ");
        let proof = match proofs.first() {
            Some(proof) => memory.event(proof.clone())?,
            None => None,
        };
        if let Some(proof) = proof {
            line.push_str(&format!("[{}] ", proof.citation));
        }
        let says = match self {
            Item::Task(task) => {
                line.push_str(&format!("[{}] ", task.id));
                task_line(task)
            }
            Item::Decision(known) => format!("decided: {}", known.entry.title),
        };
        line.extend(harmless_line(&says).chars().take(TITLE_CHARS));
        Ok(line)
    }

    fn proofs(&self, memory: &Memory) -> recallite::Result<Vec<EventRef>> {
        match self {
            Item::Task(task) => proofs_of_task(memory, task),
            Item::Decision(known) => Ok(proofs_of_entry(known)),
        }
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

fn proofs_of_task(memory: &Memory, task: &Task) -> recallite::Result<Vec<EventRef>> {
    let quoted = memory.knowledge().edges(
        &EdgeFilter::default()
            .to(task.id.to_string())
            .relation(Relation::SourceOf),
    )?;
    let mut proofs: Vec<EventRef> = quoted
        .iter()
        .filter_map(|edge| event(&edge.ends.source_id))
        .collect();
    if proofs.is_empty()
        && let Some(detail) = memory.tasks().get(&task.id)?
    {
        let record = detail.history.first();
        proofs.extend(record.map(|event| EventRef::from(event.id)));
    }
    Ok(proofs)
}

fn proofs_of_entry(known: &LearnedEntry) -> Vec<EventRef> {
    let proofs: Vec<EventRef> = evidence::spans(known)
        .iter()
        .filter_map(|span| event(span.event_id.as_deref()?))
        .collect();
    match proofs.is_empty() {
        true => vec![known.event_id.into()],
        false => proofs,
    }
}

fn event(id: &str) -> Option<EventRef> {
    id.parse::<EventId>().ok().map(EventRef::from)
}
