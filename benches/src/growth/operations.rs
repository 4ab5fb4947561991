//! Every public operation, with the growth that its documentation promises.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::{EntryId, EntryType, MemoryAnswer, ResolutionKind};
use recallite::rules::graph::{EdgeEnds, GraphNode, NodeType, Relation};
use recallite::rules::history::{ConflictVerdict, Decision};
use recallite::rules::tasks::events::ResolutionType;
use recallite::rules::tasks::{EntityId, EntityKind, Priority, Task, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, EdgeFilter, EntryFilter, EventFilter, EventKind, EventRef, ExportOptions,
    MaintainBudget, MemberRole, Memory, NewEntry, NewEvent, NewTask, Query, Recording, ScopeKind,
    Selector, Seq, SessionUpdate, SmartSearchOptions, TaskFilter, Timestamp, ToolOutcome,
};
use serde_json::json;

use super::fill::{self, FILE_PART, PROJECT, RARE_WORD, SESSION, TOOL};
use crate::Result;
use crate::text::Author;

/// What the latency of a call depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// Nothing.
    Constant,
    /// The logarithm of the store's size.
    Logarithmic,
    /// The size of the result or change.
    ByResult,
    /// The size of the store.
    ByStore,
}

impl Promise {
    pub(super) fn name(self) -> &'static str {
        match self {
            Promise::Constant => "constant",
            Promise::Logarithmic => "logarithmic",
            Promise::ByResult => "by result",
            Promise::ByStore => "by store",
        }
    }
}

/// How an operation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// Several times; it changes nothing that a later run would see.
    Often,
    /// Several times while another process appends.
    OftenWatched,
    /// Once, while another process appends.
    Once,
}

/// One public operation.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) promise: Promise,
    pub(super) run: Run,
    /// Runs it and returns the number of results.
    pub(super) work: fn(&mut Scene) -> Result<usize>,
}

/// What the operations work on.
pub(super) struct Scene {
    pub(super) memory: Memory,
    /// A folder for files that an operation writes outside of the store.
    pub(super) scratch: PathBuf,
    pub(super) author: Author,
    /// How many events the store was filled with.
    pub(super) events: usize,
    pub(super) now: Timestamp,
    entries: Vec<EntryId>,
    tasks: Vec<EntityId>,
    turn: usize,
}

impl Scene {
    pub(super) fn new(
        memory: Memory,
        scratch: PathBuf,
        events: usize,
        now: Timestamp,
    ) -> Result<Scene> {
        let few = EntryFilter::default().limit(200);
        let entries = memory.knowledge().entries(&few)?;
        let tasks = memory
            .tasks()
            .list(&TaskFilter::default().limit(200).status(TaskStatus::Pending))?;
        Ok(Scene {
            memory,
            scratch,
            author: Author::new(5),
            events,
            now,
            entries: entries
                .into_iter()
                .map(|learned| learned.entry.id)
                .collect(),
            tasks: tasks.into_iter().map(|task| task.id).collect(),
            turn: 0,
        })
    }

    fn next(&mut self) -> usize {
        self.turn += 1;
        self.turn
    }

    /// A conversation event that no call got before; successive ones are far apart.
    fn event(&mut self) -> EventRef {
        let steps = (self.events / 41).max(1);
        let place = self.next() * 7 % steps;
        Seq((place * 41 + 1) as u64).into()
    }

    /// The newest event: earlier operations may have forgotten every other one of a small store.
    fn appended_event(&mut self) -> Result<EventRef> {
        let newest = self.memory.events(all().newest_first())?.next();
        let newest = newest.ok_or("a store of the bench has events")??;
        Ok(newest.seq.into())
    }

    fn entry(&mut self) -> EntryId {
        let at = self.next() % self.entries.len();
        self.entries[at].clone()
    }

    fn task(&mut self) -> EntityId {
        let at = self.next() % self.tasks.len();
        self.tasks[at].clone()
    }

    /// An entry by hand that nothing was done to.
    fn new_entry(&mut self) -> Result<EntryId> {
        let (number, text) = (self.next(), self.author.text(80));
        let entry = NewEntry::new(EntryType::Fact, "bench", format!("By hand {number}"), text);
        Ok(self.memory.knowledge().add_entry(&entry)?.entry.id)
    }

    /// A task by hand, which may wait for something.
    fn new_task(&mut self, waits: bool) -> Result<Task> {
        let number = self.next();
        let mut task = NewTask::new(format!("By hand {number}"));
        if waits {
            task = task.blocked_by([format!("approval {number}")]);
        }
        Ok(self.memory.tasks().create(&task)?)
    }

    /// The id of a conversation event, as text.
    fn event_id(&mut self) -> Result<String> {
        let event = self.event();
        let event = self.memory.event(event)?;
        Ok(event
            .ok_or("a forgotten event was asked for")?
            .id
            .to_string())
    }

    fn question(&mut self) -> String {
        let words: Vec<String> = (0..7).map(|_| self.author.word().to_owned()).collect();
        words.join(" ")
    }

    /// The first `count` events that match a filter.
    fn take(&self, filter: EventFilter, count: usize) -> Result<usize> {
        let mut found = 0;
        for event in self.memory.events(filter)?.take(count) {
            event?;
            found += 1;
        }
        Ok(found)
    }

    /// What a hook does: opens its own handle and searches once.
    fn first_search(&mut self, learned: bool) -> Result<usize> {
        let memory = fill::builder().open(self.memory.path())?;
        let query = Query::new(self.question()).project(ProjectScope::All);
        Ok(memory.search(query.limit(10).learned(learned))?.items.len())
    }

    fn project(&self) -> ProjectScope {
        ProjectScope::Named(PROJECT.to_owned())
    }
}

fn all() -> EventFilter {
    EventFilter::new().project(ProjectScope::All)
}

macro_rules! operations {
    ($($name:literal, $promise:ident, $run:ident, $work:expr;)*) => {
        &[$(Operation {
            name: $name,
            promise: Promise::$promise,
            run: Run::$run,
            work: $work,
        },)*]
    };
}

/// In the order in which they are measured: operations that change the store come last.
pub(super) const OPERATIONS: &[Operation] = operations! {
    "event", Constant, Often, |s| {
        let event = s.event();
        Ok(usize::from(s.memory.event(event)?.is_some()))
    };
    "views.event", Constant, Often, |s| {
        let event = s.event();
        Ok(s.memory.views().event(event, |view| view.content().len().min(1))?.unwrap_or(0))
    };
    "views.guard", Constant, Often, |s| {
        let event = s.event();
        Ok(usize::from(s.memory.views().guard(event)?.is_some()))
    };
    "citation", Constant, Often, |s| {
        let event = s.event();
        let citation = s.memory.event(event)?.ok_or("a forgotten event was asked for")?.citation;
        s.memory.citation(&citation.to_string()).map(|_| 1).map_err(Into::into)
    };
    "views.scan, first 20", Constant, Often, |s| {
        let mut left = 20;
        let visited = s.memory.views().scan(&all(), |_| {
            left -= 1;
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })?;
        Ok(visited as usize)
    };
    "views.scan(session)", ByResult, Often, |s| {
        Ok(s.memory.views().scan(&all().session(SESSION), |_| ControlFlow::Continue(()))? as usize)
    };
    "wait_for_change", Constant, Often, |s| {
        s.memory.wait_for_change(Seq(0), Duration::ZERO).map(|_| 1).map_err(Into::into)
    };
    "upkeep.settings", Constant, Often, |s| Ok(s.memory.upkeep().settings()?.len());
    "fence", ByResult, Often, |s| {
        let text = s.author.text(2_000);
        s.memory.fence(&text).map(|_| 1).map_err(Into::into)
    };
    "events, first 20", Constant, Often, |s| s.take(all(), 20);
    "events(kind), first 20", Constant, Often, |s| {
        s.take(all().kinds([EventKind::SessionSummary, EventKind::ToolObservation]), 20)
    };
    "events(session)", ByResult, Often, |s| s.take(all().session(SESSION), 100);
    "events(session, every kind)", ByResult, Often, |s| {
        s.take(all().session(SESSION).kinds(EventKind::ALL.iter().copied()), 100)
    };
    "events(session, kind)", ByResult, Often, |s| {
        s.take(all().session(SESSION).kinds([EventKind::ToolObservation]), 100)
    };
    "events(rare project)", ByResult, Often, |s| {
        s.take(EventFilter::new().project(s.project()), 100)
    };
    "events(rare project, kind)", ByResult, Often, |s| {
        let filter = EventFilter::new().project(s.project());
        s.take(filter.kinds([EventKind::UserPrompt]), 100)
    };
    "count_events(kind)", Constant, Often, |s| {
        Ok(s.memory.count_events(&all().kinds([EventKind::UserPrompt]))? as usize)
    };
    "events(offset half, limit 20)", ByStore, Often, |s| {
        let half = s.memory.count_events(&all())? as usize / 2;
        s.take(all().offset(half), 20)
    };
    "events(tools)", ByResult, Often, |s| s.take(all().tools([TOOL]), 100);
    "events(tool, project)", ByResult, Often, |s| {
        s.take(EventFilter::new().project(s.project()).tools(["Read"]), 100)
    };
    "events(file_contains)", ByResult, Often, |s| s.take(all().file_contains(FILE_PART), 100);
    "events(file_contains, session)", ByResult, Often, |s| {
        s.take(all().file_contains(".rs").session(SESSION), 100)
    };
    "events(file_contains common), first 20", Constant, Often, |s| {
        s.take(all().file_contains("src/").newest_first(), 20)
    };
    "events(tool_outcome failed)", ByResult, Often, |s| {
        s.take(all().tool_outcome(ToolOutcome::Failed), 100)
    };
    "events(file_contains), none", Constant, Often, |s| {
        s.take(all().file_contains("no/such/path"), 20)
    };
    "changes_since", Constant, Often, |s| {
        Ok(s.memory.changes_since(Seq(s.events as u64 / 2), 20)?.len())
    };
    "session", Constant, Often, |s| Ok(usize::from(s.memory.session(SESSION)?.is_some()));
    "sessions(rare project)", ByResult, Often, |s| Ok(s.memory.sessions(&s.project(), None)?.len());
    "sessions", ByResult, Often, |s| Ok(s.memory.sessions(&ProjectScope::All, None)?.len());
    "sessions(the newest 10)", ByResult, Often, |s| {
        Ok(s.memory.sessions(&ProjectScope::All, Some(10))?.len())
    };
    "knowledge.session_messages", ByResult, Often, |s| Ok(s.memory.knowledge().session_messages(SESSION, None, None)?.len());
    "search", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All).limit(10);
        Ok(s.memory.search(query)?.items.len())
    };
    "open and search", Logarithmic, Often, |s| s.first_search(true);
    "open and search events alone", Logarithmic, Often, |s| s.first_search(false);
    "search(session)", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All).session(SESSION);
        Ok(s.memory.search(query)?.items.len())
    };
    "search(tools)", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All).tools([TOOL]);
        Ok(s.memory.search(query)?.items.len())
    };
    "search(file_contains)", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All);
        Ok(s.memory.search(query.file_contains(FILE_PART))?.items.len())
    };
    "search(tool_outcome)", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All);
        Ok(s.memory.search(query.tool_outcome(ToolOutcome::Succeeded))?.items.len())
    };
    "smart_search", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All);
        Ok(s.memory.smart_search(query, SmartSearchOptions::default())?.index.len())
    };
    "context", Logarithmic, Often, |s| {
        let query = Query::new(s.question()).project(ProjectScope::All);
        let options = ContextOptions::new(query).recording(Recording::Never);
        Ok(s.memory.context(options)?.items.len())
    };
    "timeline", Constant, Often, |s| {
        let event = s.event();
        Ok(s.memory.timeline(&[event], 3)?.len())
    };
    "details", Constant, Often, |s| {
        let event = s.event();
        Ok(s.memory.details(&[event])?.len())
    };
    "tasks.list, 20", Constant, Often, |s| {
        Ok(s.memory.tasks().list(&TaskFilter::default().limit(20))?.len())
    };
    "tasks.list(rare project)", ByResult, Often, |s| {
        let filter = TaskFilter::default().project(s.project());
        Ok(s.memory.tasks().list(&filter)?.len())
    };
    "tasks.list(rare text)", ByResult, Often, |s| {
        let filter = TaskFilter::default().project(ProjectScope::All).text(RARE_WORD);
        Ok(s.memory.tasks().list(&filter)?.len())
    };
    "tasks.get", Constant, Often, |s| {
        let task = s.task();
        Ok(usize::from(s.memory.tasks().get(&task)?.is_some()))
    };
    "tasks.blocked", ByResult, Often, |s| Ok(s.memory.tasks().blocked(&ProjectScope::All, None)?.len());
    "tasks.blocked, 5", Constant, Often, |s| {
        Ok(s.memory.tasks().blocked(&ProjectScope::All, Some(5))?.len())
    };
    "tasks.blocked(rare project)", ByResult, Often, |s| {
        Ok(s.memory.tasks().blocked(&s.project(), None)?.len())
    };
    "tasks.with_only_suggested_blockers", ByStore, Often, |s| {
        Ok(s.memory.tasks().with_only_suggested_blockers(&ProjectScope::All, None)?.len())
    };
    "tasks.get_as_of", ByResult, Often, |s| {
        let (task, now) = (s.task(), s.now);
        Ok(usize::from(s.memory.tasks().get_as_of(&task, now)?.is_some()))
    };
    "tasks.entity", Constant, Often, |s| {
        let task = s.task();
        Ok(usize::from(s.memory.tasks().entity(&task)?.is_some()))
    };
    "tasks.with_placeholder_blockers", ByStore, Often, |s| {
        Ok(s.memory.tasks().with_placeholder_blockers(&ProjectScope::All, None)?.len())
    };
    "tasks.artifacts", ByResult, Often, |s| Ok(s.memory.tasks().artifacts(None)?.len());
    "tasks.conditions(rare project)", ByResult, Often, |s| {
        Ok(s.memory.tasks().conditions(&s.project(), None)?.len())
    };
    "tasks.resolved_conditions", ByResult, Often, |s| {
        Ok(s.memory.tasks().resolved_conditions(&ProjectScope::All, None)?.len())
    };
    "knowledge.entry", Constant, Often, |s| {
        let entry = s.entry();
        Ok(usize::from(s.memory.knowledge().entry(&entry)?.is_some()))
    };
    "knowledge.entries, 20", Constant, Often, |s| {
        let filter = EntryFilter::default().limit(20);
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(session)", ByResult, Often, |s| {
        let filter = EntryFilter::default().session(SESSION);
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(rare project)", ByResult, Often, |s| {
        let filter = EntryFilter::default().project(s.project());
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(decisions in force, rare project), 5", Constant, Often, |s| {
        let filter = EntryFilter::default()
            .project(s.project())
            .entry_type(EntryType::Decision)
            .status("active")
            .limit(5);
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(status), none", Constant, Often, |s| {
        let filter = EntryFilter::default().project(ProjectScope::All).status("superseded");
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(rare word)", ByResult, Often, |s| {
        let filter = EntryFilter::default().project(ProjectScope::All).text(RARE_WORD);
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.entries(text)", ByResult, Often, |s| {
        let filter = EntryFilter::default().text("in session 7.");
        Ok(s.memory.knowledge().entries(&filter)?.len())
    };
    "knowledge.search", Logarithmic, Often, |s| {
        let question = s.question();
        Ok(s.memory.knowledge().search(&question, &EntryFilter::default())?.len())
    };
    "knowledge.edges", ByResult, Often, |s| {
        let filter = EdgeFilter::default().from(s.entry().to_string());
        Ok(s.memory.knowledge().edges(&filter)?.len())
    };
    "knowledge.lineage", ByResult, Often, |s| {
        let entry = s.entry();
        Ok(s.memory.knowledge().lineage(&entry, None)?.len())
    };
    "knowledge.related_entries", ByResult, Often, |s| {
        let entry = s.entry();
        Ok(s.memory.knowledge().related_entries(&entry, None)?.len())
    };
    "knowledge.placeholders", ByResult, Often, |s| Ok(s.memory.knowledge().placeholders(None)?.len());
    "knowledge.memory_resolutions", ByResult, Often, |s| {
        Ok(s.memory.knowledge().memory_resolutions(None)?.len())
    };
    "knowledge.effective_memory", Constant, Often, |s| {
        let event = s.event_id()?;
        s.memory.knowledge().effective_memory(&event).map(|_| 1).map_err(Into::into)
    };
    "knowledge.conflicts", ByResult, Often, |s| Ok(s.memory.knowledge().conflicts(None)?.len());
    "levels.get", Constant, Often, |s| {
        let event = s.event();
        s.memory.levels().get(event)?;
        Ok(1)
    };
    "levels.counts", Constant, Often, |s| s.memory.levels().counts().map(|_| 1).map_err(Into::into);
    "levels.pinned", ByResult, Often, |s| Ok(s.memory.levels().pinned(&ProjectScope::All)?.len());
    "levels.insights", ByResult, Often, |s| Ok(s.memory.levels().insights(None)?.len());
    "citations.detail", Constant, Often, |s| {
        let event = s.event();
        let id = s.memory.event(event)?.ok_or("a forgotten event was asked for")?.id;
        s.memory.citations().detail(id)?;
        Ok(1)
    };
    "citations.citing_sessions", ByResult, Often, |s| {
        let event = s.event();
        Ok(s.memory.citations().citing_sessions(event, None)?.len())
    };
    "citations.popular(10)", Constant, Often, |s| Ok(s.memory.citations().popular(10, None)?.len());
    "citations.popular(10, 7 days)", ByResult, Often, |s| {
        Ok(s.memory.citations().popular(10, Some(7))?.len())
    };
    "citations.popular(1000, 10 years)", ByStore, Often, |s| {
        Ok(s.memory.citations().popular(1_000, Some(3_650))?.len())
    };
    "history.build_runs", ByResult, Often, |s| Ok(s.memory.history().build_runs(None)?.len());
    "history.pipeline_metrics", ByResult, Often, |s| {
        Ok(s.memory.history().pipeline_metrics(None)?.len())
    };
    "history.promotions", ByResult, Often, |s| Ok(s.memory.history().promotions(None)?.len());
    "history.decisions", ByResult, Often, |s| Ok(s.memory.history().decisions(None)?.len());
    "endless.continuity_log", ByResult, Often, |s| Ok(s.memory.endless().continuity_log(None)?.len());
    "endless.mode", Constant, Often, |s| s.memory.endless().mode().map(|_| 1).map_err(Into::into);
    "endless.session_now", Constant, Often, |s| {
        s.memory.endless().session_now(SESSION).map(|_| 1).map_err(Into::into)
    };
    "endless.config", Constant, Often, |s| s.memory.endless().config().map(|_| 1).map_err(Into::into);
    "endless.status", Constant, Often, |s| s.memory.endless().status().map(|_| 1).map_err(Into::into);
    "endless.context", Constant, Often, |s| s.memory.endless().context(None).map(|_| 1).map_err(Into::into);
    "pauses.list", ByResult, Often, |s| Ok(s.memory.pauses().list(None)?.len());
    "upkeep.upgrade", Constant, Often, |s| {
        s.memory.upkeep().upgrade().map(|_| 1).map_err(Into::into)
    };
    "upkeep.count_erasable(rare project)", ByResult, Often, |s| {
        Ok(s.memory.upkeep().count_erasable(&Selector::new().project(s.project()))? as usize)
    };
    "stats", Constant, Often, |s| s.memory.stats().map(|_| 1).map_err(Into::into);
    "upkeep.count_selected(rare project)", ByResult, Often, |s| {
        Ok(s.memory.upkeep().count_selected(&Selector::new().project(s.project()))? as usize)
    };
    "upkeep.count_selected(project, kind)", ByResult, Often, |s| {
        let selector = Selector::new().project(s.project()).kinds([EventKind::UserPrompt]);
        Ok(s.memory.upkeep().count_selected(&selector)? as usize)
    };
    "upkeep.count_selected(kind)", ByResult, Often, |s| {
        let selector = Selector::new().project(ProjectScope::All).kinds([EventKind::UserPrompt]);
        Ok(s.memory.upkeep().count_selected(&selector)? as usize)
    };
    "append", Constant, OftenWatched, |s| {
        let text = s.author.text(400);
        s.memory.append(NewEvent::new(EventKind::UserPrompt, "bench", text).project("bench"))?;
        Ok(1)
    };
    "append_batch of 100", Constant, OftenWatched, |s| {
        let events = (0..100)
            .map(|_| NewEvent::new(EventKind::UserPrompt, "bench", s.author.text(400)))
            .collect();
        Ok(s.memory.append_batch(events)?.len())
    };
    "update_session", Constant, OftenWatched, |s| {
        let update = SessionUpdate::default().tags([format!("tag-{}", s.next())]);
        s.memory.update_session(SESSION, update)?;
        Ok(1)
    };
    "ingest", Constant, OftenWatched, |s| {
        let number = s.next();
        let session = format!("ingested-{number}");
        let text = s.author.text(80);
        s.memory.append(NewEvent::new(EventKind::UserPrompt, &*session, &*text))?;
        let quotes = json!([{"message_index": 0, "quote": text.trim()}]);
        let extraction = json!({"schema_version": 1, "entries": [{
            "id": "e1", "type": "fact", "title": format!("Fact {number}"),
            "content": text, "quotes": quotes,
        }], "tasks": [{"id": "t1", "title": format!("Task {number}"), "quotes": quotes}]});
        s.memory.ingest(&session, &extraction.to_string())?;
        Ok(1)
    };
    "tasks.change_status", Constant, OftenWatched, |s| {
        let task = s.task();
        let now = match s.memory.tasks().get(&task)?.map(|found| found.task.status()) {
            Some(TaskStatus::InProgress) => TaskStatus::Pending,
            _ => TaskStatus::InProgress,
        };
        s.memory.tasks().change_status(&task, now, &[])?;
        Ok(1)
    };
    "knowledge.add_edge", Constant, OftenWatched, |s| {
        let (from, to) = (s.entry(), s.entry());
        let ends = EdgeEnds {
            source_type: NodeType::Entry,
            source_id: from.to_string(),
            relation: Relation::DerivedFrom,
            destination_type: NodeType::Entry,
            destination_id: to.to_string(),
        };
        s.memory.knowledge().add_edge(&ends, None)?;
        Ok(1)
    };
    "tasks.create", Constant, OftenWatched, |s| s.new_task(false).map(|_| 1);
    "tasks.rename", Constant, OftenWatched, |s| {
        let (task, number) = (s.task(), s.next());
        s.memory.tasks().rename(&task, &format!("Renamed {number}"))?;
        Ok(1)
    };
    "tasks.set_priority", Constant, OftenWatched, |s| {
        let task = s.task();
        let urgent = [Priority::High, Priority::Low][s.next() % 2];
        s.memory.tasks().set_priority(&task, urgent)?;
        Ok(1)
    };
    "tasks.resolve_condition, of a task by hand", ByResult, OftenWatched, |s| {
        let task = s.new_task(true)?;
        let condition = task.blockers().first().ok_or("a task by hand waits")?.entity_id.clone();
        let target = (EntityKind::Task, s.task()).into();
        let kind = ResolutionType::UserConfirmed;
        s.memory.tasks().resolve_condition(&condition, &target, kind, 1.0)?;
        Ok(1)
    };
    "knowledge.add_entry", Logarithmic, OftenWatched, |s| s.new_entry().map(|_| 1);
    "knowledge.supersede, entries by hand", Constant, OftenWatched, |s| {
        let (older, newer) = (s.new_entry()?, s.new_entry()?);
        s.memory.knowledge().supersede(&older, &newer)?;
        Ok(1)
    };
    "knowledge.contradict, entries by hand", Constant, OftenWatched, |s| {
        let (older, newer) = (s.new_entry()?, s.new_entry()?);
        let conflict = s.memory.knowledge().contradict(&older, &newer, None)?;
        let verdict = ConflictVerdict::new(newer, "asked", "the bench");
        s.memory.knowledge().resolve_conflict(&conflict.conflict_id, &verdict)?;
        Ok(1)
    };
    "knowledge.certify, an entry by hand", Constant, OftenWatched, |s| {
        let entry = s.new_entry()?;
        s.memory.knowledge().certify(&entry, "the bench")?;
        s.memory.knowledge().deprecate(&entry)?;
        Ok(1)
    };
    "knowledge.replace_edges", ByResult, OftenWatched, |s| {
        let node = |entry: EntryId| GraphNode::new(NodeType::Entry, entry.to_string());
        let (from, to) = (node(s.entry()), node(s.entry()));
        let added = s.memory.knowledge().replace_edges(&from, Relation::DerivedFrom, &[to])?;
        Ok(added.added)
    };
    "knowledge.extraction_request, a new session", ByResult, OftenWatched, |s| {
        let session = format!("asked-{}", s.next());
        let text = s.author.text(400);
        s.memory.append(NewEvent::new(EventKind::UserPrompt, &*session, text))?;
        Ok(s.memory.knowledge().extraction_request(&session, None)?.messages.len())
    };
    "knowledge.mark_unknown_context", Constant, OftenWatched, |s| {
        let event = s.event();
        s.memory.knowledge().mark_unknown_context(event)?;
        Ok(1)
    };
    "knowledge.resolve_memory", Constant, OftenWatched, |s| {
        let event = s.event_id()?;
        let answer = MemoryAnswer::new(ResolutionKind::Rejected, 1.0);
        s.memory.knowledge().resolve_memory(&event, &answer)?;
        Ok(1)
    };
    "history.record_decision", Constant, OftenWatched, |s| {
        let (id, now) = (format!("of-the-bench-{}", s.next()), s.now);
        let decision = Decision::new(id, now, "the bench", s.author.text(60));
        s.memory.history().record_decision(&decision.evidence(Vec::new()))?;
        Ok(1)
    };
    "endless.score_continuity", Constant, OftenWatched, |s| {
        let text = s.author.text(200);
        s.memory.endless().score_continuity("bench", &text)?;
        Ok(1)
    };
    "endless.set_config", Constant, OftenWatched, |s| {
        let config = s.memory.endless().config()?;
        s.memory.endless().set_config(&config)?;
        Ok(1)
    };
    "pauses.pause", Constant, OftenWatched, |s| {
        s.memory.pauses().pause(ScopeKind::Session, "paused")?;
        s.memory.pauses().resume(ScopeKind::Session, "paused")?;
        Ok(1)
    };
    "levels.pin", Constant, OftenWatched, |s| {
        let event = s.event();
        s.memory.levels().pin(event.clone())?;
        s.memory.levels().unpin(event)?;
        Ok(1)
    };
    "levels.record_access", Constant, OftenWatched, |s| {
        let event = s.event();
        s.memory.levels().record_access(&[event], "bench", 0.9)?;
        Ok(1)
    };
    "levels.set_half_life_days", Constant, OftenWatched, |s| {
        s.memory.levels().set_half_life_days(None)?;
        Ok(1)
    };
    "import_claude_code", ByResult, OftenWatched, |s| {
        let number = s.next();
        let lines: Vec<String> = (0..20)
            .map(|place| {
                let (role, text) = (["user", "assistant"][place % 2], s.author.text(300));
                json!({
                    "type": role, "uuid": format!("{number}-{place}"),
                    "sessionId": format!("imported-{number}"), "cwd": "/work/bench",
                    "message": {"role": role, "content": text},
                })
                .to_string()
            })
            .collect();
        let file = s.scratch.join("transcript.jsonl");
        std::fs::write(&file, lines.join("\n"))?;
        s.memory.import_claude_code(&file)?;
        Ok(lines.len())
    };
    "levels.graduate", Constant, OftenWatched, |s| {
        let event = s.event();
        s.memory.levels().record_access(&[event], "bench", 0.9)?;
        s.memory.levels().graduate(100)?;
        Ok(1)
    };
    "forget one event", Constant, OftenWatched, |s| {
        let event = s.event();
        Ok(s.memory.forget(&Selector::new().id(event))?.count as usize)
    };
    "forget that selects nothing", Constant, OftenWatched, |s| {
        let selector = Selector::new().project(ProjectScope::Named("nobody's".to_owned()));
        Ok(s.memory.forget(&selector)?.count as usize)
    };
    "erase that selects nothing", Constant, OftenWatched, |s| {
        let selector = Selector::new().project(ProjectScope::Named("nobody's".to_owned()));
        Ok(s.memory.erase(&selector)?.count as usize)
    };
    "upkeep.apply_retention, nothing old", Constant, OftenWatched, |s| {
        Ok(s.memory.upkeep().apply_retention()?.count as usize)
    };
    "maintain, nothing waiting", Constant, OftenWatched, |s| {
        s.memory.maintain(MaintainBudget::default()).map(|_| 1).map_err(Into::into)
    };
    "endless.set_mode", ByStore, Once, |s| {
        s.memory.endless().set_mode(MemoryMode::Endless).map(|()| 1).map_err(Into::into)
    };
    "append, endless", Constant, OftenWatched, |s| {
        let text = s.author.text(400);
        s.memory.append(NewEvent::new(EventKind::UserPrompt, "bench", text).project("bench"))?;
        Ok(1)
    };
    "forget one event, endless", Constant, OftenWatched, |s| {
        let event = s.event();
        Ok(s.memory.forget(&Selector::new().id(event))?.count as usize)
    };
    "endless.add_to_working_set, endless", Constant, OftenWatched, |s| {
        let event = [s.appended_event()?];
        s.memory.endless().add_to_working_set(&event, 0.9)?;
        s.memory.endless().refresh_working_set(&event)?;
        Ok(s.memory.endless().prune_working_set(&event)?)
    };
    "endless.working_set", ByResult, Often, |s| Ok(s.memory.endless().working_set()?.len());
    "endless.memories", ByResult, Often, |s| Ok(s.memory.endless().memories(None, None)?.len());
    "endless.memories, 10", Constant, Often, |s| {
        Ok(s.memory.endless().memories(None, Some(10))?.len())
    };
    "endless.context, endless", Constant, Often, |s| {
        s.memory.endless().context(None).map(|_| 1).map_err(Into::into)
    };
    "endless.status, endless", Constant, Often, |s| {
        s.memory.endless().status().map(|_| 1).map_err(Into::into)
    };
    "endless.consolidate, endless", ByStore, Once, |s| {
        Ok(s.memory.endless().consolidate()?.memories.len())
    };
    "backup", ByStore, Once, |s| {
        s.memory.backup(s.scratch.join("backup"))?;
        Ok(1)
    };
    "export_jsonl", ByStore, Once, |s| {
        let options = ExportOptions::new().replace(true);
        let exported = s.memory.export_jsonl(s.scratch.join("export.jsonl"), &options);
        exported.map(|_| 1).map_err(Into::into)
    };
    "import_jsonl", ByStore, Once, |s| {
        let memory = fill::builder().open(s.scratch.join("imported"))?;
        let imported = memory.import_jsonl(s.scratch.join("export.jsonl"));
        imported.map(|_| 1).map_err(Into::into)
    };
    "restore_jsonl", ByStore, Once, |s| {
        let memory = fill::builder().open(s.scratch.join("restored"))?;
        Ok(memory.restore_jsonl(s.scratch.join("export.jsonl"))? as usize)
    };
    "check", ByStore, Once, |s| {
        let report = s.memory.check()?;
        if report.ok {
            return Ok(1);
        }
        Err(format!("{report:?}").into())
    };
    "upkeep.state_hash", ByStore, Once, |s| {
        s.memory.upkeep().state_hash(s.now).map(|_| 1).map_err(Into::into)
    };
    "erase one event", ByStore, Once, |s| {
        let event = s.event();
        Ok(s.memory.erase(&Selector::new().id(event))?.count as usize)
    };
    "forget a tenth", ByStore, Once, |s| {
        let everything = EventFilter::new().project(ProjectScope::All);
        let tenth = s.memory.stats()?.events as usize / 10;
        let Some(event) = s.memory.events(everything)?.nth(tenth) else {
            return Ok(0);
        };
        let oldest = Selector::new().project(ProjectScope::All).before(event?.timestamp);
        Ok(s.memory.forget(&oldest)?.count as usize)
    };
    "erase that selects nothing, a tenth forgotten", Constant, OftenWatched, |s| {
        let selector = Selector::everything()
            .project(ProjectScope::All)
            .before(Timestamp::MIN);
        Ok(s.memory.erase(&selector)?.count as usize)
    };
    "compact", ByStore, Once, |s| s.memory.compact().map(|_| 1).map_err(Into::into);
    "rebuild", ByStore, Once, |s| s.memory.rebuild(s.now).map(|_| 1).map_err(Into::into);
    // A store that shares keeps more than one that does not, so all of this is last.
    "sharing.identity", Constant, Often, |s| {
        s.memory.sharing().identity().map(|_| 1).map_err(Into::into)
    };
    "sharing.announcement", Constant, Often, |s| {
        let said = s.memory.sharing().announcement("bench")?;
        s.memory.sharing().read_announcement(&said).map(|_| 1).map_err(Into::into)
    };
    "sharing.add_member", Constant, OftenWatched, |s| {
        let other = fill::builder().open(s.scratch.join("other"))?;
        let identity = other.sharing().identity()?;
        s.memory.sharing().add_member(&identity, "other", MemberRole::Owner)?;
        s.memory.sharing().remove_member(&identity)?;
        Ok(1)
    };
    "sharing.withhold", Constant, OftenWatched, |s| {
        s.memory.sharing().withhold(ScopeKind::Session, "withheld")?;
        s.memory.sharing().is_withheld(ScopeKind::Session, "withheld")?;
        s.memory.sharing().offer(ScopeKind::Session, "withheld")?;
        Ok(1)
    };
    "sharing.members", ByResult, Often, |s| Ok(s.memory.sharing().members()?.len());
    "sharing.watermarks", ByResult, Often, |s| Ok(s.memory.sharing().watermarks()?.len());
    "sharing.source", ByResult, Often, |s| {
        let event = s.appended_event()?;
        s.memory.sharing().source(event).map(|_| 1).map_err(Into::into)
    };
    "sharing.cited_elsewhere", ByResult, Often, |s| {
        let event = s.appended_event()?;
        Ok(s.memory.sharing().cited_elsewhere(event)?.len())
    };
    "sharing.projects_of", ByResult, Often, |s| {
        let event = s.appended_event()?;
        Ok(s.memory.sharing().projects_of(event)?.len())
    };
    "sharing.log_checksum", Constant, Often, |s| {
        let half = s.events as u64 / 2;
        s.memory.sharing().log_checksum(half).map(|_| 1).map_err(Into::into)
    };
    "sharing.retraction_mark", Constant, Often, |s| {
        s.memory.sharing().retraction_mark().map(|_| 1).map_err(Into::into)
    };
    "sharing.batch_since, 20", Constant, Often, |s| {
        let half = s.events as u64 / 2;
        Ok(s.memory.sharing().batch_since(half, 20)?.records as usize)
    };
    "sharing.unanswered_erasures", ByResult, Often, |s| {
        Ok(s.memory.sharing().unanswered_erasures(None)?.len())
    };
    "sharing.shared_hash", ByStore, Once, |s| {
        s.memory.sharing().shared_hash().map(|_| 1).map_err(Into::into)
    };
    "sharing.push_folder", ByStore, Once, |s| {
        let folder = s.scratch.join("shared");
        std::fs::create_dir_all(&folder)?;
        s.memory.sharing().push_folder(folder).map(|_| 1).map_err(Into::into)
    };
    "sharing.announce", Constant, Often, |s| {
        s.memory.sharing().announce(s.scratch.join("shared"), "bench")?;
        Ok(s.memory.sharing().announced(s.scratch.join("shared"))?.len())
    };
    "sharing.pull_folder, nothing new", Constant, Often, |s| {
        s.memory.sharing().pull_folder(s.scratch.join("shared")).map(|_| 1).map_err(Into::into)
    };
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{OPERATIONS, Promise};

    /// The handles that have a file of their own; the methods of the memory itself are in others.
    const HANDLES: [&str; 9] = [
        "tasks",
        "knowledge",
        "levels",
        "citations",
        "history",
        "endless",
        "pauses",
        "sharing",
        "views",
    ];

    /// What the documentation of a method says about its growth.
    fn growth(method: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../memory-core/src/memory");
        let (files, method) = match method.split_once('.') {
            Some((handle, method)) => (vec![handle.to_owned()], method),
            None => {
                let files = std::fs::read_dir(&folder).expect("the core is beside the benches");
                let names = files.map(|file| {
                    let path = file.expect("a file").path();
                    path.file_stem()
                        .expect("a name")
                        .to_string_lossy()
                        .into_owned()
                });
                let is_own = |name: &String| !HANDLES.contains(&&**name);
                (names.filter(is_own).collect(), method)
            }
        };
        for file in files {
            let path = folder.join(file + ".rs");
            let source = std::fs::read_to_string(path).unwrap_or_default();
            let heads = [format!("pub fn {method}("), format!("pub fn {method}<")];
            if let Some(at) = heads.iter().find_map(|head| source.find(head)) {
                let docs = &source[..at];
                let from = docs
                    .rfind("/// # Growth")
                    .expect("a method says how it grows");
                let lines = docs[from..].lines().skip(1);
                let lines = lines.map(|line| line.trim().trim_start_matches("///").trim());
                let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
                return lines.join(" ");
            }
        }
        panic!("{method} is no method of the core");
    }

    /// Methods that say how they grow and are no operation of the bench, and why.
    const EXCEPTIONS: [(&str, &str); 34] = [
        ("close", "by what recall has buffered, which is bounded"),
        ("preview_settings", "reads a file of settings"),
        ("set_progress_handler", "sets a field"),
        ("interrupt", "sets a field"),
        ("length", "of a text, without a store"),
        ("counted", "of what was counted before, without a store"),
        ("count", "reads one event"),
        ("count_part", "reads one event"),
        ("process_outbox", "needs an embedder; `vectors` measures it"),
        ("retry_outbox", "needs an embedder"),
        ("ingest_with", "`ingest` with options"),
        (
            "import_claude_code_with",
            "`import_claude_code` with options",
        ),
        ("export_jsonl_to", "`export_jsonl` into a writer"),
        ("restore_jsonl_from", "`restore_jsonl` from a reader"),
        ("import_jsonl_from", "`import_jsonl` from a reader"),
        ("pauses.resume", "measured with `pauses.pause`"),
        ("levels.unpin", "measured with `levels.pin`"),
        (
            "knowledge.resolve_conflict",
            "measured with `knowledge.contradict`",
        ),
        ("knowledge.deprecate", "measured with `knowledge.certify`"),
        (
            "knowledge.remove_edge",
            "measured with `knowledge.replace_edges`",
        ),
        (
            "endless.refresh_working_set",
            "measured with `endless.add_to_working_set`",
        ),
        (
            "endless.prune_working_set",
            "measured with `endless.add_to_working_set`",
        ),
        (
            "endless.consolidate_with",
            "`endless.consolidate` in a host's words",
        ),
        (
            "endless.prepare_consolidation",
            "the first half of `endless.consolidate`",
        ),
        (
            "endless.store_consolidation",
            "the second half of `endless.consolidate`",
        ),
        (
            "sharing.remove_member",
            "measured with `sharing.add_member`",
        ),
        ("sharing.offer", "measured with `sharing.withhold`"),
        ("sharing.is_withheld", "measured with `sharing.withhold`"),
        (
            "sharing.read_announcement",
            "measured with `sharing.announcement`",
        ),
        ("sharing.announced", "measured with `sharing.announce`"),
        ("sharing.renew_identity", "makes another store of it"),
        (
            "sharing.receive",
            "needs another store; `share` measures it",
        ),
        (
            "sharing.receive_selected",
            "needs another store; `share` measures it",
        ),
        (
            "sharing.erase_ordered",
            "needs another store; `share` measures it",
        ),
    ];

    /// The method that an operation measures.
    fn method(operation: &str) -> &str {
        let is_name = |letter: char| letter.is_ascii_lowercase() || "._".contains(letter);
        let end = operation.find(|letter| !is_name(letter));
        &operation[..end.unwrap_or(operation.len())]
    }

    /// Every public method that says how it grows, as its operation is called.
    fn promised() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../memory-core/src/memory");
        let mut found = BTreeSet::new();
        for file in std::fs::read_dir(folder).expect("the core is beside the benches") {
            let path = file.expect("a file").path();
            let Ok(source) = std::fs::read_to_string(&path) else {
                continue;
            };
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let mut handle = HANDLES.contains(&&*stem).then(|| stem.to_string());
            let mut says = false;
            for line in source.lines().map(str::trim) {
                if line == "impl Upkeep<'_> {" {
                    handle = Some("upkeep".to_owned());
                }
                says |= line == "/// # Growth";
                if let Some(call) = line.strip_prefix("pub fn ") {
                    let name = call.split(['(', '<']).next().unwrap_or_default();
                    let prefix = handle.as_ref().map(|handle| format!("{handle}."));
                    if std::mem::take(&mut says) {
                        found.insert(prefix.unwrap_or_default() + name);
                    }
                }
            }
        }
        found
    }

    #[test]
    fn every_method_that_promises_a_growth_is_measured() {
        let promised = promised();
        assert!(promised.len() > 140, "{}", promised.len());
        let measured: BTreeSet<&str> = OPERATIONS.iter().map(|one| method(one.name)).collect();
        let excused = |name: &str| {
            let name = name.trim_start_matches("upkeep.");
            EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name)
        };
        let missing: Vec<&String> = promised
            .iter()
            .filter(|name| !measured.contains(name.as_str()) && !excused(name))
            .collect();
        assert!(
            missing.is_empty(),
            "{missing:#?} are in no operation: add them, or say in EXCEPTIONS why not"
        );
        for (name, _) in EXCEPTIONS {
            let is_there = promised.contains(name) || promised.contains(&format!("upkeep.{name}"));
            assert!(is_there, "{name} is excused, and is no method");
            assert!(!measured.contains(name), "{name} is excused and measured");
        }
    }

    #[test]
    fn every_promise_is_that_of_the_documentation() {
        for operation in OPERATIONS {
            // What a hook does: several calls.
            if operation.name.starts_with("open and search") {
                continue;
            }
            let said = growth(method(operation.name)).to_lowercase();
            // With a limit, or for a given number of things, what grows by the result is constant.
            let is_result = [
                "by result",
                "by the rarest of the conditions",
                "by `limit`",
                "by the events of the batch",
                "by the events that are given",
                "by what is ",
            ]
            .iter()
            .any(|words| said.contains(words));
            let is_search = said.contains("logarithmic") || said.contains("as that of [`search`]");
            let is_right = match operation.promise {
                Promise::Constant => said.contains("constant") || is_result,
                Promise::Logarithmic => is_search,
                Promise::ByResult | Promise::ByStore => said.contains("by "),
            };
            let (name, promise) = (operation.name, operation.promise);
            assert!(
                is_right,
                "{name} is measured as {promise:?}, but its documentation says: {said}"
            );
        }
    }
}
