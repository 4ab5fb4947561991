//! What a record is about: the sessions and projects that it belongs to, and those of everything
//! that the library recorded it from. Whoever may not see all of them may not see the record.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::{CitationId, EventId, parse_citation};
use crate::projection::pauses::ScopeKind;
use crate::projection::{edges, entries, rows, tasks};
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::entries::EntryId;
use crate::rules::graph::Relation;
use crate::rules::history::Conflict;
use crate::rules::tasks::EntityId;
use crate::rules::tasks::keys::DEFAULT_PROJECT;
use crate::store::log::record::{Record, RecordView};
use crate::store::projected_rows::projected::Rows;
use crate::store::shared::record_order::by_record_order;
use crate::store::{ReadTx, WriteTx};

/// A memory made of memories made of events: nothing is derived more deeply.
const MAX_STEPS: u32 = 4;

/// A session or a project, by its name.
pub(crate) type Subject = (ScopeKind, String);

pub(crate) type Subjects = HashSet<Subject>;

/// The log and what was folded of it, as a transaction sees them.
pub(crate) trait Recorded {
    fn folded(&self) -> Result<Box<dyn Rows + '_>>;
    fn look<T>(
        &self,
        seq: u64,
        look: impl FnOnce(&RecordView<'_>) -> Result<T>,
    ) -> Result<Option<T>>;
    fn seq_with_id(&self, id: EventId) -> Result<Option<u64>>;
    fn seq_cited(&self, citation: CitationId) -> Result<Option<u64>>;
    fn project_of_session(&self, name: &str) -> Result<Option<String>>;
    fn ordered(&self, seqs: Vec<u64>) -> Result<Vec<u64>>;
}

impl Recorded for ReadTx {
    fn folded(&self) -> Result<Box<dyn Rows + '_>> {
        Ok(Box::new(self.projected()?))
    }

    fn look<T>(
        &self,
        seq: u64,
        look: impl FnOnce(&RecordView<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.with_record(seq, look)
    }

    fn seq_with_id(&self, id: EventId) -> Result<Option<u64>> {
        self.seq_of(&id.into())
    }

    fn seq_cited(&self, citation: CitationId) -> Result<Option<u64>> {
        self.seq_of(&citation.into())
    }

    fn project_of_session(&self, name: &str) -> Result<Option<String>> {
        self.session_project(name)
    }

    fn ordered(&self, seqs: Vec<u64>) -> Result<Vec<u64>> {
        self.in_record_order(seqs)
    }
}

impl Recorded for WriteTx<'_> {
    fn folded(&self) -> Result<Box<dyn Rows + '_>> {
        Ok(Box::new(self.projected()?))
    }

    fn look<T>(
        &self,
        seq: u64,
        look: impl FnOnce(&RecordView<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.with_record(seq, look)
    }

    fn seq_with_id(&self, id: EventId) -> Result<Option<u64>> {
        self.seq_of_id(&id)
    }

    fn seq_cited(&self, citation: CitationId) -> Result<Option<u64>> {
        self.seq_of_citation(&citation)
    }

    fn project_of_session(&self, name: &str) -> Result<Option<String>> {
        self.name_of_session_project(name)
    }

    fn ordered(&self, seqs: Vec<u64>) -> Result<Vec<u64>> {
        let orders = self.record_orders_of(&seqs)?;
        Ok(by_record_order(seqs, &orders))
    }
}

/// Finds out what records are about. In a write transaction, nothing is folded meanwhile.
pub(crate) struct About<'a, L> {
    log: &'a L,
    rows: Box<dyn Rows + 'a>,
    /// The projects of sessions.
    sessions: HashMap<String, Option<String>>,
    /// By the id of an event, entry, task and so on.
    things: HashMap<String, Subjects>,
}

impl<'a, L: Recorded> About<'a, L> {
    pub(crate) fn new(log: &'a L) -> Result<Self> {
        Ok(About {
            log,
            rows: log.folded()?,
            sessions: HashMap::new(),
            things: HashMap::new(),
        })
    }

    /// What the name of an event, an entry, a task and so on stands for; nothing if it stands for
    /// nothing.
    pub(super) fn named(&mut self, name: &str) -> Result<Subjects> {
        let mut found = Subjects::new();
        self.add_thing(name, MAX_STEPS, &mut found)?;
        Ok(found)
    }

    pub(crate) fn record(&mut self, kind: EventKind, record: &Record<'_>) -> Result<Subjects> {
        let mut found = Subjects::new();
        self.add_place(kind, &record.session, &record.project, &mut found)?;
        // Conversation events are judged by what they belong to, whatever they mention.
        if kind.is_conversation() {
            return Ok(found);
        }
        let payload = record
            .metadata
            .and_then(|json| serde_json::from_str(json.as_str()).ok());
        if let Some(payload) = payload {
            self.add_named(&payload, MAX_STEPS, &mut found)?;
        }
        Ok(found)
    }

    /// What is said in a session belongs to the project that it names. What is recorded about a
    /// session names the project of whoever asked for it, and belongs to that of the session too.
    fn add_place(
        &mut self,
        kind: EventKind,
        session: &str,
        project: &str,
        found: &mut Subjects,
    ) -> Result<()> {
        let is_said = kind.is_conversation() && kind != EventKind::SessionSummary;
        self.add_session(session, is_said, found)?;
        // The library takes the project of whoever asked: if that has none, it says nothing.
        if kind.is_conversation() || !project.is_empty() {
            found.insert((ScopeKind::Project, project.to_owned()));
        }
        Ok(())
    }

    fn add_session(&mut self, name: &str, is_alone: bool, found: &mut Subjects) -> Result<()> {
        if name.is_empty() {
            return Ok(());
        }
        found.insert((ScopeKind::Session, name.to_owned()));
        if is_alone {
            return Ok(());
        }
        let project = match self.sessions.get(name) {
            Some(known) => known.clone(),
            None => {
                let project = self.log.project_of_session(name)?;
                self.sessions.insert(name.to_owned(), project.clone());
                project
            }
        };
        found.extend(project.map(|project| (ScopeKind::Project, project)));
        Ok(())
    }

    /// Adds what the names in a value stand for.
    fn add_named(&mut self, value: &Value, steps: u32, found: &mut Subjects) -> Result<()> {
        match value {
            Value::String(name) => self.add_thing(name, steps, found),
            Value::Array(items) => items
                .iter()
                .try_for_each(|item| self.add_named(item, steps, found)),
            Value::Object(fields) => fields
                .values()
                .try_for_each(|field| self.add_named(field, steps, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    fn add_thing(&mut self, name: &str, steps: u32, found: &mut Subjects) -> Result<()> {
        // No id is longer, and none contains blanks.
        if steps == 0 || name.is_empty() || name.len() > 128 || name.contains(' ') {
            return Ok(());
        }
        if let Some(known) = self.things.get(name) {
            found.extend(known.iter().cloned());
            return Ok(());
        }
        self.things.insert(name.to_owned(), Subjects::new());
        let about = self.thing(name, steps - 1)?;
        found.extend(about.iter().cloned());
        self.things.insert(name.to_owned(), about);
        Ok(())
    }

    fn thing(&mut self, name: &str, steps: u32) -> Result<Subjects> {
        let mut found = Subjects::new();
        if let Some(seq) = self.event_named(name)? {
            self.add_event(seq, &mut found)?;
            return Ok(found);
        }
        if let Some(entry) = entries::entry(&*self.rows, &EntryId::new(name))? {
            self.add_session(&entry.session, false, &mut found)?;
            found.insert((ScopeKind::Project, entry.project));
            self.add_sources(name, steps, &mut found)?;
            return Ok(found);
        }
        let task = tasks::task(&*self.rows, &EntityId::new(name))?;
        let is_task = task.is_some();
        if is_task {
            self.add_sources(name, steps, &mut found)?;
        }
        let declarations = self.declarations(tasks::history(&*self.rows, name)?)?;
        for act in &declarations {
            self.add_event(*act, &mut found)?;
            if !is_task {
                self.add_tasks_declaring((name, *act), steps, &mut found)?;
            }
        }
        if let Some(task) = task {
            add_project_of_task(task.project, &mut found);
        }
        if is_task || !declarations.is_empty() {
            return Ok(found);
        }
        if let Some(memory) = rows::get::<ConsolidatedMemory>(&*self.rows, name.as_bytes())? {
            let sources = memory.source_events.into_iter().map(Value::String);
            self.add_named(&Value::Array(sources.collect()), steps, &mut found)?;
        } else if let Some(conflict) = rows::get::<Conflict>(&*self.rows, name.as_bytes())? {
            let conflict = crate::model::codec::to_value(&conflict);
            self.add_named(&conflict, steps, &mut found)?;
        }
        Ok(found)
    }

    /// Of the acts on a task, a condition or an artifact, those that declared it: two stores may
    /// have. Without any, the first one.
    fn declarations(&self, acts: Vec<u64>) -> Result<Vec<u64>> {
        let acts = self.log.ordered(acts)?;
        let mut declarations = Vec::new();
        for &act in &acts {
            let kind = self.log.look(act, |view| Ok(view.kind()))?;
            if kind.is_some_and(declares) {
                declarations.push(act);
            }
        }
        if declarations.is_empty() {
            declarations.extend(acts.first());
        }
        Ok(declarations)
    }

    /// What an entry or a task was learned from, which may be of another project than its session.
    fn add_sources(&mut self, name: &str, steps: u32, found: &mut Subjects) -> Result<()> {
        edges::ever_from(&*self.rows, name, Relation::SourceOf)?
            .iter()
            .try_for_each(|event| self.add_thing(event, steps, found))
    }

    /// A condition or an artifact comes from the same words as the task for which it was declared.
    fn add_tasks_declaring(
        &mut self,
        (name, declaration): (&str, u64),
        steps: u32,
        found: &mut Subjects,
    ) -> Result<()> {
        let Some(source) = self.source_of_act(declaration)? else {
            return Ok(());
        };
        for relation in [Relation::BlockedBy, Relation::BlockedBySuggested] {
            for task in edges::ever_from(&*self.rows, name, relation)? {
                for act in tasks::history(&*self.rows, &task)? {
                    if self.source_of_act(act)?.as_ref() == Some(&source) {
                        self.add_thing(&task, steps, found)?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The session and the source of an act on a task, a condition or an artifact.
    fn source_of_act(&self, seq: u64) -> Result<Option<(String, String)>> {
        let source = self.log.look(seq, |view| {
            let record = view.archive()?;
            let payload: Option<Value> = record
                .metadata
                .and_then(|json| serde_json::from_str(json.as_str()).ok());
            let source = payload.and_then(|payload| {
                let source = payload["source_entry_id"].as_str()?;
                Some((record.session.to_string(), source.to_owned()))
            });
            Ok(source)
        })?;
        Ok(source.flatten())
    }

    fn event_named(&self, name: &str) -> Result<Option<u64>> {
        if let Ok(id) = name.parse::<EventId>() {
            return self.log.seq_with_id(id);
        }
        match parse_citation(name).filter(|_| name.starts_with("mem:")) {
            Some(citation) => self.log.seq_cited(CitationId::from_checked(citation)),
            None => Ok(None),
        }
    }

    fn add_event(&mut self, seq: u64, found: &mut Subjects) -> Result<()> {
        let of = self.log.look(seq, |view| {
            let record = view.archive()?;
            let (session, project) = (record.session.to_string(), record.project.to_string());
            Ok((view.kind(), session, project))
        })?;
        match of {
            Some((kind, session, project)) => self.add_place(kind, &session, &project, found),
            None => Ok(()),
        }
    }
}

/// Adds the project of a task to what those who declared it belong to. A task of no project is in
/// `default`, and belongs to the project of that name only if one of those did.
fn add_project_of_task(project: String, found: &mut Subjects) {
    let subject = (ScopeKind::Project, project);
    let is_of_none = subject.1 == DEFAULT_PROJECT && !found.contains(&subject);
    found.insert(match is_of_none {
        true => (ScopeKind::Project, String::new()),
        false => subject,
    });
}

/// Whether events of this kind declare a task, a condition or an artifact.
fn declares(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskCreated | EventKind::ConditionDeclared | EventKind::ArtifactDeclared
    )
}
