//! How much of the context given to a session is used again: conversations are replayed as they
//! happened, and each prompt gets the context that a hook would inject.

use recallite::scope::ProjectScope;
use recallite::{ContextOptions, Event, EventFilter, EventKind, Memory, NewEvent, ToolUse};

use super::line;
use crate::Result;
use crate::corpus::format::Corpus;
use crate::corpus::new_event;

/// The budget of the context that a hook injects at a prompt.
const BUDGET_TOKENS: usize = 800;
/// The least relevance of a memory that it injects, and of the best of them.
const MIN_RELEVANCE: f32 = 0.08;
const MIN_BEST_RELEVANCE: f32 = 0.3;

/// The totals of all injected contexts.
#[derive(Default)]
struct Given {
    prompts: u64,
    injections: u64,
    tokens: u64,
    memories: u64,
    judged: u64,
    reused: u64,
    judged_memories: u64,
    reused_memories: u64,
}

/// Replays the imported conversations.
pub(super) fn imported(imported: &Memory) -> Result<()> {
    let everything = EventFilter::new().project(ProjectScope::All);
    let events = imported.events(everything)?.map(|event| Ok(again(event?)));
    let mut given = Given::default();
    given.replay(events)?;
    given.print();
    Ok(())
}

/// Replays each conversation of a corpus.
pub(super) fn corpus(corpus: &Corpus) -> Result<()> {
    let mut given = Given::default();
    for conversation in &corpus.conversations {
        given.replay(conversation.events.iter().map(new_event))?;
    }
    println!(
        "\n{}: {} conversations",
        corpus.name,
        corpus.conversations.len()
    );
    given.print();
    Ok(())
}

/// Converts a stored event back to the event that was appended.
fn again(event: Event) -> NewEvent {
    let new = match event.tool {
        Some(tool) => {
            let mut used = ToolUse::new(tool.name)
                .output(tool.output)
                .success(tool.success);
            used.input = tool.input;
            used.duration_ms = tool.duration_ms;
            used.error = tool.error;
            NewEvent::tool(event.session, used)
        }
        None => NewEvent::new(event.kind, event.session, event.content),
    };
    new.project(event.project).timestamp(event.timestamp)
}

impl Given {
    fn replay(&mut self, events: impl Iterator<Item = Result<NewEvent>>) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let memory = Memory::open(folder.path())?;
        for event in events {
            let event = event?;
            if event.kind == EventKind::UserPrompt {
                self.prompts += 1;
                let options = ContextOptions::new(&*event.content)
                    .session(&*event.session)
                    .budget_tokens(BUDGET_TOKENS)
                    .min_relevance(MIN_RELEVANCE)
                    .min_best_relevance(MIN_BEST_RELEVANCE);
                memory.context(options)?;
            }
            memory.append(event)?;
        }
        let stats = memory.stats()?.injections;
        self.injections += stats.injections;
        self.tokens += stats.tokens;
        self.memories += stats.memories;
        self.judged += stats.judged;
        self.reused += stats.reused;
        self.judged_memories += stats.judged_memories;
        self.reused_memories += stats.reused_memories;
        Ok(())
    }

    fn print(&self) {
        let share = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
        println!(
            "replayed: {} of {} prompts were given something, {} memories of {} tokens in all a time",
            self.injections,
            self.prompts,
            self.memories / self.injections.max(1),
            self.tokens / self.injections.max(1),
        );
        let reused = share(self.reused, self.judged);
        line(
            "injections of which something is reused",
            reused,
            "%",
            50.0,
            false,
        );
        println!(
            "  of {} memories {:.0} % are reused",
            self.judged_memories,
            share(self.reused_memories, self.judged_memories)
        );
    }
}
