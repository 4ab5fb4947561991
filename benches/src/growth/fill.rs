//! Stores to measure on: natural text in sessions of several projects, with learned items, injected
//! contexts, and uses of them.
//!
//! A store with ten times as many events has ten times as many days, sessions, entries, tasks, uses,
//! consolidated memories, events that rose and projects.
//! What the bench looks up by name (a session, a project, a file) has the same number of events in
//! every store.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use recallite::clock::Clock;
use recallite::rules::endless::MemoryMode;
use recallite::rules::history::Decision;
use recallite::{
    ContextOptions, EventKind, EventRef, Json, MaintainBudget, Memory, MemoryBuilder, NewEvent,
    Recording, Seq, SessionUpdate, Timestamp, ToolUse,
};
use serde_json::json;

use crate::Result;
use crate::text::Author;

/// The number of events in a session.
const SESSION_EVENTS: usize = 40;
const SESSIONS_PER_BATCH: usize = 100;
const SESSIONS_PER_DAY: i64 = 10;
const DAY_MS: i64 = 86_400_000;
const SESSION_MS: i64 = 800_000;
const PROJECTS: usize = 12;

/// The project that the bench queries.
pub(super) const PROJECT: &str = "lighthouse";
pub(super) const SESSION: &str = "the-lighthouse-session";
pub(super) const FILE_PART: &str = "lighthouse/lamp";
pub(super) const TOOL: &str = "Lantern";
/// A word of one entry and one task.
pub(super) const RARE_WORD: &str = "Quetzalcoatlus";

/// Opens a memory without rules that learn, because they would find something different in each
/// store's synthetic text.
pub(super) fn builder() -> MemoryBuilder {
    Memory::builder()
        .learn_by_rules(false)
        .recall_cache(false)
        .retention_ms(EventKind::UserPrompt, 100 * 365 * DAY_MS as u64)
}

/// A clock set to the time of the current session, so that what is done with the session is as old
/// as it is.
#[derive(Debug)]
struct SessionClock(AtomicI64);

impl SessionClock {
    fn set(&self, at_ms: i64) {
        self.0.store(at_ms, Ordering::Relaxed);
    }
}

impl Clock for SessionClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis_clamped(self.0.load(Ordering::Relaxed))
    }
}

/// Fills a folder that does not contain a store yet.
pub(super) fn fill(folder: &Path, events: usize, now: Timestamp) -> Result<()> {
    let begun = Instant::now();
    let clock = Arc::new(SessionClock(AtomicI64::new(now.millis())));
    let memory = builder().clock(clock.clone()).open(folder)?;
    let sessions = events.div_ceil(SESSION_EVENTS);
    let mut author = Author::new(events as u64);
    let mut scripts: Vec<Script> = Vec::with_capacity(sessions);
    for from in (0..sessions).step_by(SESSIONS_PER_BATCH) {
        let mut batch = Vec::new();
        for number in from..(from + SESSIONS_PER_BATCH).min(sessions) {
            let script = Script::new(number, sessions, now);
            script.write(&mut author, &mut batch);
            scripts.push(script.quoting(&batch[batch.len() - SESSION_EVENTS].content));
        }
        memory.append_batch(batch)?;
    }
    while memory.maintain(MaintainBudget::default())?.has_more {}
    for script in &scripts {
        clock.set(script.at_ms + SESSION_MS);
        script.learn(&memory, &mut author)?;
        script.use_memory(&memory, &mut author)?;
    }
    clock.set(now.millis());
    // Going over to endless mode makes a memory of every summary.
    memory.endless().set_mode(MemoryMode::Endless)?;
    memory.endless().set_mode(MemoryMode::Session)?;
    while memory.maintain(MaintainBudget::default())?.has_more {}
    memory.close()?;
    println!(
        "filled {events} events with what was learned of them in {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A session to be written and learned from.
struct Script {
    number: usize,
    name: String,
    project: String,
    /// The time at which it began.
    at_ms: i64,
    /// The words of its first message.
    quote: String,
}

impl Script {
    fn new(number: usize, sessions: usize, now: Timestamp) -> Script {
        let is_asked_for = number == sessions / 2;
        let age = (sessions - number) as i64 * (DAY_MS / SESSIONS_PER_DAY);
        Script {
            number,
            name: match is_asked_for {
                true => SESSION.to_owned(),
                false => format!("session-{number}"),
            },
            project: match is_asked_for {
                true => PROJECT.to_owned(),
                // The first project has half of the sessions, the next a quarter.
                // Every 16th session is of a project that has no other.
                false if number.is_multiple_of(16) => format!("project-of-{number}"),
                false => format!(
                    "project-{}",
                    (number + 1).trailing_zeros().min(PROJECTS as u32)
                ),
            },
            at_ms: now.millis() - age,
            quote: String::new(),
        }
    }

    fn quoting(mut self, message: &str) -> Script {
        let end = message
            .char_indices()
            .take_while(|(at, _)| *at <= 80)
            .filter(|(_, letter)| *letter == ' ')
            .last()
            .map_or(message.len(), |(at, _)| at);
        self.quote = message[..end].to_owned();
        self
    }

    fn is_asked_for(&self) -> bool {
        self.project == PROJECT
    }

    fn write(&self, author: &mut Author, batch: &mut Vec<NewEvent>) {
        for place in 0..SESSION_EVENTS {
            let event = match place % 5 {
                0 | 2 => NewEvent::new(EventKind::UserPrompt, &*self.name, author.text(250)),
                1 | 3 => NewEvent::new(EventKind::AgentResponse, &*self.name, author.text(600)),
                _ => self.tool(place, author),
            };
            let at = self.at_ms + place as i64 * (SESSION_MS / SESSION_EVENTS as i64);
            batch.push(
                event
                    .project(&*self.project)
                    .timestamp(Timestamp::from_millis_clamped(at)),
            );
        }
    }

    fn tool(&self, place: usize, author: &mut Author) -> NewEvent {
        let (folder, file) = (author.word().to_owned(), author.word().to_owned());
        let (name, path) = match (self.is_asked_for(), place % 2) {
            (true, 0) => (TOOL, String::new()),
            (true, _) => ("Read", format!("src/{FILE_PART}_{file}.rs")),
            _ => (
                ["Read", "Edit", "Write", "Bash"][author.below(4)],
                format!("src/{folder}/{file}.rs"),
            ),
        };
        let mut used = ToolUse::new(name)
            .success(!(self.is_asked_for() && place % 2 == 1))
            .output(author.text(300));
        used.input = Json::parse("input", &json!({"file_path": path}).to_string()).ok();
        NewEvent::tool(&*self.name, used)
    }

    /// Two entries, a task, and sometimes a blocker.
    fn learn(&self, memory: &Memory, author: &mut Author) -> Result<()> {
        let phrase = |author: &mut Author, words: usize| {
            let words: Vec<String> = (0..words).map(|_| author.word().to_owned()).collect();
            words.join(" ")
        };
        let quotes = json!([{"message_index": 0, "quote": self.quote}]);
        let rare = match self.is_asked_for() {
            true => RARE_WORD,
            false => "",
        };
        let entries: Vec<_> = ["decision", "fact"]
            .iter()
            .enumerate()
            .map(|(at, kind)| {
                let number = self.number;
                json!({
                    "id": format!("e{at}"), "type": kind, "quotes": quotes,
                    "title": format!("{} {number} {rare}", phrase(author, 5)),
                    "content": format!("{} in session {number}.", phrase(author, 25)),
                })
            })
            .collect();
        let mut task = json!({
            "id": "t0", "title": format!("{} {} {rare}", phrase(author, 4), self.number),
            "quotes": quotes, "status": "pending",
        });
        if self.number.is_multiple_of(4) {
            task["status"] = "blocked".into();
            task["blocked_by"] = json!([format!("{} is renewed", phrase(author, 3))]);
        }
        let extraction = json!({
            "schema_version": 1, "entries": entries, "tasks": [task],
            "relations": [{"from": "e1", "relation": "derived_from", "to": "e0"}],
        });
        memory.ingest(&self.name, &extraction.to_string())?;
        Ok(())
    }

    /// Every fourth session asks for context, makes a decision and continues another session.
    fn use_memory(&self, memory: &Memory, author: &mut Author) -> Result<()> {
        if !self.number.is_multiple_of(4) {
            return Ok(());
        }
        let question = format!("{} {}", author.text(30), self.quote);
        memory.context(
            ContextOptions::new(&*question)
                .session(&*self.name)
                .recording(Recording::Now),
        )?;
        let first = (self.number * SESSION_EVENTS) as u64;
        let used: Vec<EventRef> = (1..4).map(|at| Seq(first + at).into()).collect();
        // Events that three sessions use rise.
        for session in [&*self.name, "a reader", "another reader"] {
            memory.levels().record_access(&used, session, 0.9)?;
        }
        let update = SessionUpdate::default().summary(author.text(120));
        memory.update_session(&self.name, update)?;
        memory.endless().score_continuity(&self.name, &question)?;
        memory.history().record_decision(
            &Decision::new(
                format!("decision-{}", self.number),
                Timestamp::from_millis_clamped(self.at_ms),
                "the bench",
                author.text(60),
            )
            .confidence(0.8)
            .evidence(Vec::new()),
        )?;
        Ok(())
    }
}
