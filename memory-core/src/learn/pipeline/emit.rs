//! Writes and folds the events of one ingestion inside one transaction, each after those that
//! it depends on.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::learn::entries;
use crate::learn::pipeline::changes::{Changes, Comparison, replace_each};
use crate::learn::pipeline::options::{IngestOptions, Reader};
use crate::learn::pipeline::prepare::{Prepared, millis, refuse_circles};
use crate::learn::pipeline::report::{IngestReport, IngestedEntry, IngestedTask};
use crate::learn::task_records::{project_of, task_event};
use crate::learn::task_times;
use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::projection::edges::EdgeItem;
use crate::projection::history::{MadeHere, RunEnd, RunReport};
use crate::projection::memories::{PlaceholderPayload, ResolutionPayload};
use crate::projection::{self, edges, tasks};
use crate::rules::entries::LearnedEntry;
use crate::rules::entries::{
    Entry, EntryId, EntryStatus, EvidenceReport, Lifecycle, ResolutionKind, Stage, Validity,
};
use crate::rules::graph::{EdgeEnds, NodeType, Relation, validate_edge};
use crate::rules::history::{BuildRun, PipelineMetric, PipelineStage};
use crate::rules::model_answer::{ExtractedEntry, RelationKind, SCHEMA_VERSION};
use crate::rules::tasks::resolver::{KeyedIds, TaskEntry};
use crate::rules::tasks::{EntityId, Source, Task, TaskResolver, TaskStatus, TaskView as _};
use crate::store::WriteTx;
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::Rows;
use crate::write::prepare::SystemEvent;

/// The event of a run's start or end, with its details.
pub(super) fn build_run(
    engine: &Engine,
    prepared: &Prepared,
    run: &BuildRun,
    end: RunEnd,
) -> Draft {
    let mut payload = codec::to_value(run);
    let end = codec::to_value(&RunEnd {
        extraction_key: Some(prepared.extraction_key.clone()),
        ..end
    });
    for (name, value) in end.as_object().into_iter().flatten() {
        payload[name] = value.clone();
    }
    let status = run.outcome.as_str();
    SystemEvent {
        session: prepared.session.clone(),
        project: prepared.project.clone(),
        ..SystemEvent::new(
            engine,
            EventKind::BuildRun,
            format!("build run {}: {status}", run.build_id),
            payload,
        )
    }
    .draft(engine)
}

/// The status of a task that was named in an extraction.
pub(super) fn status_of(rows: &dyn Rows, id: &EntityId) -> Result<TaskStatus> {
    let task = tasks::task(rows, id)?;
    // Its records may have been forgotten since.
    Ok(task.map_or(TaskStatus::Pending, |task| task.status()))
}

/// One ingestion in progress.
pub(super) struct Run<'a, 'w, 't> {
    engine: &'a Engine,
    tx: &'a mut WriteTx<'t>,
    prepared: &'w Prepared,
    run: BuildRun,
    /// The last position of the log before the run.
    began_after: u64,
    events: usize,
    timings: Vec<(PipelineStage, f64)>,
    entries: Vec<IngestedEntry>,
    tasks: Vec<IngestedTask>,
}

/// What an extraction says of its entries.
#[derive(Default)]
struct Related {
    edges: Vec<(EdgeEnds, Option<Json>)>,
    changes: Changes,
    /// What it says of known entries: a new entry, and the known one.
    of_known: Vec<(RelationKind, EntryId, EntryId)>,
}

impl<'a, 'w, 't> Run<'a, 'w, 't> {
    pub(super) fn new(
        engine: &'a Engine,
        tx: &'a mut WriteTx<'t>,
        prepared: &'w Prepared,
        run: BuildRun,
    ) -> Result<Self> {
        Ok(Run {
            engine,
            began_after: tx.state.last_seq,
            tx,
            prepared,
            run,
            events: 0,
            timings: Vec::new(),
            entries: Vec::new(),
            tasks: Vec::new(),
        })
    }

    fn event(&self, kind: EventKind, content: impl Into<String>, payload: Value) -> Draft {
        SystemEvent {
            session: self.prepared.session.clone(),
            project: self.prepared.project.clone(),
            ..SystemEvent::new(self.engine, kind, content, payload)
        }
        .draft(self.engine)
    }

    /// Appends and folds; returns the event ids.
    fn append(&mut self, drafts: &[Draft]) -> Result<Vec<String>> {
        let receipts = projection::append(self.tx, drafts)?;
        self.events += receipts.iter().filter(|r| !r.duplicate).count();
        Ok(receipts.iter().map(|r| r.id.to_string()).collect())
    }

    fn append_one(&mut self, draft: Draft) -> Result<String> {
        let mut ids = self.append(&[draft])?;
        Ok(ids.pop().unwrap_or_default())
    }

    fn time(&mut self, stage: PipelineStage, began: Instant) {
        self.timings.push((stage, millis(began)));
    }

    /// Runs the stages in order.
    pub(super) fn go(mut self, options: &IngestOptions) -> Result<IngestReport> {
        let parse_ms = self.prepared.parse_ms;
        self.timings.push((
            PipelineStage::Extraction,
            options
                .extraction_ms
                .filter(|ms| ms.is_finite() && *ms >= 0.0)
                .unwrap_or(parse_ms),
        ));
        let began = Instant::now();
        let draft = build_run(self.engine, self.prepared, &self.run, RunEnd::default());
        self.append_one(draft)?;
        let (ingested, extracted) = self.take_in(options)?;
        self.time(PipelineStage::Ingest, began);

        self.timings
            .push((PipelineStage::Align, self.prepared.align_ms));
        self.record_alignment(&ingested, &extracted)?;

        let began = Instant::now();
        let rows = self.materialize()?;
        self.time(PipelineStage::Materialize, began);

        let began = Instant::now();
        self.check_and_promote(&rows)?;
        self.time(PipelineStage::Check, began);

        let began = Instant::now();
        self.resolve_tasks()?;
        self.time(PipelineStage::Resolve, began);

        let began = Instant::now();
        self.relate()?;
        self.mark_unknown()?;
        self.time(PipelineStage::Project, began);

        let began = Instant::now();
        self.finish()?;
        self.time(PipelineStage::Index, began);
        self.record_metrics()?;
        Ok(IngestReport {
            build_id: self.run.build_id,
            session: self.prepared.session.clone(),
            already_ingested: false,
            entries: self.entries,
            tasks: self.tasks,
            left_out: self.prepared.left_out.clone(),
            events: self.events,
        })
    }

    fn take_in(&mut self, options: &IngestOptions) -> Result<(String, String)> {
        let prepared = self.prepared;
        let ids: Vec<&String> = prepared.message_ids.iter().flatten().collect();
        let draft = self.event(
            EventKind::SessionIngested,
            format!("{} messages taken in", prepared.message_ids.len()),
            json!({
                "build_id": self.run.build_id,
                "message_count": prepared.message_ids.len(),
                "reader": prepared.reader.as_str(),
                "read_through": prepared.read_through,
                "reports": codec::to_value(&options.reports),
                "first_event_id": ids.first(),
                "last_event_id": ids.last(),
            }),
        );
        let ingested = self.append_one(draft)?;
        let extraction = &prepared.extraction;
        let draft = self.event(
            EventKind::MemoryExtracted,
            format!(
                "{} entries and {} tasks extracted",
                extraction.entries.len(),
                extraction.tasks.len()
            ),
            json!({
                "build_id": self.run.build_id,
                "source_event_id": ingested,
                "extraction_key": prepared.extraction_key,
                "schema_version": SCHEMA_VERSION,
                "entry_count": extraction.entries.len(),
                "task_count": extraction.tasks.len(),
                "relation_count": extraction.relations.len(),
            }),
        );
        let extracted = self.append_one(draft)?;
        Ok((ingested, extracted))
    }

    /// The id of an entry: what is known has the same one, unless it must be a new memory.
    fn entry_id(&self, entry: &ExtractedEntry, evidence: &EvidenceReport) -> Result<EntryId> {
        let mut hasher = blake3::Hasher::new_keyed(&self.prepared.id_secret);
        for part in [
            self.prepared.session.as_str(),
            &self.prepared.project,
            entry.entry_type.as_str(),
            &entry.title,
            &entry.content,
        ] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        loop {
            let hash = hasher.finalize().to_hex();
            let id = EntryId::new(format!("entry_{}", &hash[..32]));
            let known = projection::entries::entry(&self.tx.projected()?, &id)?;
            match known {
                Some(row) if !self.is_same(&row, entry, evidence)? => hasher.update(b"again"),
                _ => return Ok(id),
            };
        }
    }

    /// Whether a known entry with these words is the one that was read. It is not if its proof
    /// is gone, nor if it was withdrawn or is valid at another time and somebody has said it
    /// since.
    fn is_same(
        &self,
        row: &LearnedEntry,
        entry: &ExtractedEntry,
        evidence: &EvidenceReport,
    ) -> Result<bool> {
        if !entries::is_entry_live(&*self.tx, row)? {
            return Ok(false);
        }
        let is_callers = self.prepared.reader == Reader::Caller;
        let validity = row.entry.validity;
        let is_over = validity
            .to
            .is_some_and(|to| to <= self.engine.store.clock().now());
        // A reader often leaves out what the message does not repeat; a caller means it.
        let is_unsaid = !is_callers && entry.validity == Validity::default();
        let is_same_time = validity == entry.validity || (is_unsaid && !is_over);
        let counts = matches!(
            row.entry.status,
            EntryStatus::Active | EntryStatus::Contested { .. }
        );
        if counts && is_same_time {
            return Ok(true);
        }
        let known = row.entry.evidence().map_or(&[][..], |found| &found.aligned);
        let mut quotes = evidence.aligned.iter();
        let is_said_again = quotes.any(|quote| {
            let mut known = known.iter();
            known.all(|span| span.event_id != quote.event_id)
        });
        Ok(!is_callers && !is_said_again)
    }

    fn record_alignment(&mut self, ingested: &str, extracted: &str) -> Result<()> {
        let prepared = self.prepared;
        let mut drafts = Vec::new();
        let mut record = |local_id: &str, entry_id: Option<&str>, evidence: &EvidenceReport| {
            let value = codec::to_value(evidence);
            drafts.push(self.event(
                EventKind::EvidenceAligned,
                format!(
                    "evidence of {local_id}: {} quotes found, {} not",
                    evidence.aligned.len(),
                    evidence.failed.len()
                ),
                json!({
                    "build_id": self.run.build_id,
                    "source_event_id": ingested,
                    "extraction_event_id": extracted,
                    "local_id": local_id,
                    "entry_id": entry_id,
                    "evidence_aligned": evidence.is_aligned(),
                    "aligned_count": evidence.aligned.len(),
                    "failed_count": evidence.failed.len(),
                    "evidence": value["aligned"],
                    "failed_quotes": value["failed"],
                }),
            ));
        };
        let extraction = &prepared.extraction;
        for (entry, evidence) in extraction.entries.iter().zip(&prepared.entry_evidence) {
            let id = self.entry_id(entry, evidence)?;
            record(&entry.id, Some(id.as_str()), evidence);
        }
        for (task, evidence) in extraction.tasks.iter().zip(&prepared.task_evidence) {
            record(&task.id, None, evidence);
        }
        self.append(&drafts)?;
        Ok(())
    }

    /// Creates the entries that the store does not have yet, and returns them.
    fn materialize(&mut self) -> Result<Vec<Option<LearnedEntry>>> {
        let prepared = self.prepared;
        let mut drafts = Vec::new();
        let mut new_rows = Vec::new();
        let mut named = BTreeSet::new();
        for (entry, evidence) in prepared
            .extraction
            .entries
            .iter()
            .zip(&prepared.entry_evidence)
        {
            let id = self.entry_id(entry, evidence)?;
            let known = projection::entries::entry(&self.tx.projected()?, &id)?;
            let is_new = known.is_none() && named.insert(id.clone());
            let stage = known.map_or(Stage::Raw, |row| row.entry.lifecycle.stage());
            self.entries.push(IngestedEntry {
                local_id: entry.id.clone(),
                entry_id: id.clone(),
                is_new,
                stage,
                evidence: evidence.clone(),
            });
            if !is_new {
                new_rows.push(None);
                continue;
            }
            let row = LearnedEntry {
                local_id: Some(entry.id.clone()),
                confidence: entry.confidence,
                build_id: Some(self.run.build_id.clone()),
                ..LearnedEntry::new(
                    Entry {
                        id,
                        entry_type: entry.entry_type,
                        title: entry.title.clone(),
                        lifecycle: Lifecycle::Raw,
                        status: EntryStatus::Active,
                        validity: entry.validity,
                    },
                    entry.content.clone(),
                    &prepared.project,
                    &prepared.session,
                )
            };
            let payload = projection::entries::created_payload(&row, &sources(evidence));
            drafts.push(entries::entry_event(self.engine, &row, payload));
            new_rows.push(Some(row));
        }
        self.append(&drafts)?;
        Ok(new_rows)
    }

    fn check_and_promote(&mut self, new_rows: &[Option<LearnedEntry>]) -> Result<()> {
        let at = self.engine.store.clock().now();
        let mut drafts = Vec::new();
        let mut checked = Vec::new();
        for (index, row) in new_rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let evidence = &self.prepared.entry_evidence[index];
            let (promoted, records) =
                entries::promote_to_verified(row, evidence, &self.run.build_id, at);
            checked.push(entries::checked_payload(&promoted));
            self.entries[index].stage = promoted.lifecycle.stage();
            let act = crate::rules::entries::EntryAct::Promoted(promoted.lifecycle);
            drafts.push(entries::promotion(self.engine, row, &act, &records));
        }
        if !checked.is_empty() {
            let draft = self.event(
                EventKind::EntriesChecked,
                format!("{} entries checked", checked.len()),
                json!({"build_id": self.run.build_id, "checked": checked}),
            );
            self.append_one(draft)?;
        }
        self.append(&drafts)?;
        Ok(())
    }

    fn resolve_tasks(&mut self) -> Result<()> {
        let prepared = self.prepared;
        let ids = KeyedIds::new(prepared.id_secret);
        let titles = tasks::TitleCache::default();
        let project = (!prepared.project.is_empty()).then_some(prepared.project.as_str());
        let mut resolved = Vec::with_capacity(prepared.extraction.tasks.len());
        for place in prepared.extraction.order_of_tasks() {
            let task = &prepared.extraction.tasks[place];
            let evidence = &prepared.task_evidence[place];
            let source = Source::new(&*prepared.session, prepared.source_entry(&task.id));
            // Without a quote nothing proves the blockers.
            let is_aligned = !evidence.aligned.is_empty() && evidence.is_aligned();
            let (resolution, record_project) = {
                let rows = self.tx.projected()?;
                let view = tasks::TaskRows {
                    rows: &rows,
                    titles: &titles,
                };
                debug_assert!(!view.is_resolved(&source)?, "runs end with their tasks");
                let resolver = TaskResolver::new(&view, &ids, project);
                let mut resolution = None;
                for known in known_tasks(&view, &resolver, &task.entry)? {
                    let entry = self.as_of_now(&rows, &known, &task.entry, evidence)?;
                    let found = resolver.resolve_known(&source, &entry, is_aligned, known)?;
                    match &mut resolution {
                        None => resolution = Some(found),
                        Some(first) => first.events.extend(found.events),
                    }
                }
                let resolution = match resolution {
                    Some(resolution) => resolution,
                    None => resolver.resolve(&source, &task.entry, is_aligned)?,
                };
                let record_project = project_of(&rows, &resolution.events, &prepared.project)?;
                (resolution, record_project)
            };
            let events = self.source_events(evidence);
            let drafts: Vec<Draft> = resolution
                .events
                .iter()
                .map(|act| task_event(self.engine, &record_project, act, &events))
                .collect();
            self.append(&drafts)?;
            let status = status_of(&self.tx.projected()?, &resolution.task_id)?;
            if resolution.is_new {
                let scope = task
                    .entry
                    .project
                    .as_deref()
                    .or(project)
                    .unwrap_or(crate::rules::tasks::keys::DEFAULT_PROJECT);
                titles.add(scope, &task.entry.title, &resolution.task_id);
            }
            let ingested = IngestedTask {
                local_id: task.id.clone(),
                task_id: resolution.task_id,
                is_new: resolution.is_new,
                status,
                acts: resolution.events.len(),
                evidence: evidence.clone(),
            };
            resolved.push((place, ingested));
            self.engine.testing_failure(PipelineStage::Resolve)?;
        }
        resolved.sort_by_key(|(place, _)| *place);
        self.tasks = resolved.into_iter().map(|(_, task)| task).collect();
        Ok(())
    }

    /// What is still so of what was said of a known task: a status holds at the time of its quote, and
    /// an old conversation may be read after the task has changed.
    fn as_of_now<'e>(
        &self,
        rows: &dyn Rows,
        known: &Task,
        entry: &'e TaskEntry,
        evidence: &EvidenceReport,
    ) -> Result<Cow<'e, TaskEntry>> {
        let messages = self.source_events(evidence);
        let said = task_times::last_said_in(self.tx, messages.iter().map(String::as_str))?;
        let changed = task_times::last_change(self.tx, rows, (&known.id, self.began_after))?;
        let is_over = said
            .zip(changed)
            .is_some_and(|(said, changed)| said < changed);
        Ok(match is_over {
            false => Cow::Borrowed(entry),
            true => Cow::Owned(TaskEntry {
                status: None,
                priority: None,
                blocked_by: Vec::new(),
                ..entry.clone()
            }),
        })
    }

    /// The messages on which a task rests: those it quotes, or else all that the model was given.
    fn source_events(&self, evidence: &EvidenceReport) -> Vec<String> {
        let quoted = evidence
            .aligned
            .iter()
            .filter_map(|span| span.event_id.clone());
        let quoted: BTreeSet<String> = quoted.collect();
        match quoted.is_empty() {
            true => self
                .prepared
                .rests_on
                .iter()
                .map(EventId::to_string)
                .collect(),
            false => quoted.into_iter().collect(),
        }
    }

    /// Adds the edges of the extraction's relations and of the tasks' evidence, and applies
    /// what supersedes or contradicts what.
    fn relate(&mut self) -> Result<()> {
        let mut related = self.relations()?;
        related.edges.extend(self.sources_of_tasks());
        self.make_edges(related.edges)?;
        let mut changes = related.changes;
        {
            let rows = self.tx.projected()?;
            let compared = &self.prepared.compared;
            let comparison = Comparison::new(self.tx, &rows, &self.entries, compared);
            comparison.changes(self.prepared, &related.of_known, &mut changes)?;
        }
        replace_each(changes.replaced, |older, newer| {
            self.replace_entry(older, newer)
        })?;
        for (older, newer) in changes.disagree {
            self.contradict_entry(&older, &newer)?;
        }
        for id in changes.withdrawn {
            self.withdraw_entry(&id)?;
        }
        Ok(())
    }

    /// What the relations of the extraction ask for.
    fn relations(&self) -> Result<Related> {
        let entry_of: BTreeMap<&str, (usize, &EntryId)> = self
            .entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.local_id.as_str(), (index, &entry.entry_id)))
            .collect();
        let task_of: BTreeMap<&str, &EntityId> = self
            .tasks
            .iter()
            .map(|task| (task.local_id.as_str(), &task.task_id))
            .collect();
        // Only now is it known which of them are the same.
        refuse_circles(&self.prepared.extraction.relations, &|local_id| {
            let known = entry_of.get(local_id);
            known.map_or(local_id, |(_, id)| id.as_str())
        })?;
        let mut related = Related::default();
        for relation in &self.prepared.extraction.relations {
            let Some(&(index, from)) = entry_of.get(relation.from.as_str()) else {
                continue;
            };
            let to_entry = entry_of.get(relation.to.as_str()).map(|(_, id)| *id);
            let known = self.prepared.known.get(&relation.to);
            let known = known.filter(|known| to_entry.is_none() && *known != from);
            if let Some(known) = known {
                let of_known = (relation.kind, from.clone(), known.clone());
                related.of_known.push(of_known);
            }
            // Of all that may be said of what is known, only this is an edge.
            let is_derived = relation.kind == RelationKind::DerivedFrom;
            let to_entry = match known {
                Some(known) if is_derived && self.is_known_still(known)? => Some(known),
                _ => to_entry,
            };
            let to_task = task_of.get(relation.to.as_str()).copied();
            let mut to = |relation: Relation, kind: NodeType, id: &str, meta: Option<Json>| {
                let ends = EdgeEnds {
                    source_type: NodeType::Entry,
                    source_id: from.as_str().to_owned(),
                    relation,
                    destination_type: kind,
                    destination_id: id.to_owned(),
                };
                related.edges.push((ends, meta));
            };
            match (relation.kind, to_entry, to_task) {
                (RelationKind::DerivedFrom, Some(entry), _) => {
                    to(Relation::DerivedFrom, NodeType::Entry, entry.as_str(), None);
                }
                (RelationKind::Supersedes, Some(entry), _) => {
                    related.changes.replaces(entry, from);
                }
                (RelationKind::Contradicts, Some(entry), _) => {
                    related.changes.disagrees(entry, from);
                }
                (RelationKind::Mentions, _, Some(task)) => {
                    to(Relation::Mentions, NodeType::Entity, task.as_str(), None);
                }
                (RelationKind::EvidenceOf, _, Some(task)) => to(
                    Relation::EvidenceOf,
                    NodeType::Entity,
                    task.as_str(),
                    evidence_meta(&self.prepared.entry_evidence[index]),
                ),
                _ => {}
            }
        }
        Ok(related)
    }

    /// Whether nothing that a known entry quotes was forgotten since it was looked up.
    fn is_known_still(&self, known: &EntryId) -> Result<bool> {
        let row = projection::entries::entry(&self.tx.projected()?, known)?;
        row.map_or(Ok(false), |row| entries::is_entry_live(&*self.tx, &row))
    }

    /// The edges from the events that a task's evidence quotes.
    fn sources_of_tasks(&self) -> Vec<(EdgeEnds, Option<Json>)> {
        let mut edges = Vec::new();
        for task in &self.tasks {
            for source in sources(&task.evidence) {
                let Some(event_id) = source["event_id"].as_str() else {
                    continue;
                };
                let ends = EdgeEnds {
                    source_type: NodeType::Event,
                    source_id: event_id.to_owned(),
                    relation: Relation::SourceOf,
                    destination_type: NodeType::Entity,
                    destination_id: task.task_id.as_str().to_owned(),
                };
                edges.push((ends, Some(Json::from_value(&source))));
            }
        }
        edges
    }

    fn make_edges(&mut self, wanted: Vec<(EdgeEnds, Option<Json>)>) -> Result<()> {
        let mut added = Vec::new();
        {
            let rows = self.tx.projected()?;
            for (ends, meta) in wanted {
                validate_edge(ends.source_type, ends.relation, ends.destination_type)?;
                let known = edges::find(&rows, &ends)?;
                if known.is_none() {
                    added.push(EdgeItem::new(&ends, meta));
                }
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        let draft = self.event(
            EventKind::EdgeChanged,
            format!("{} edges added", added.len()),
            json!({"build_id": self.run.build_id, "added": added}),
        );
        self.append_one(draft)?;
        Ok(())
    }

    /// Replaces an entry; false if it may not be replaced.
    fn replace_entry(&mut self, older: &EntryId, newer: &EntryId) -> Result<bool> {
        let drafts = {
            let rows = self.tx.projected()?;
            entries::replacement_if_free(self.engine, &rows, older, newer)?
        };
        self.append(&drafts)?;
        Ok(!drafts.is_empty())
    }

    fn contradict_entry(&mut self, older: &EntryId, newer: &EntryId) -> Result<()> {
        let drafts = {
            let rows = self.tx.projected()?;
            entries::conflict_if_new(self.engine, &rows, older, newer)?
        };
        self.append(&drafts).map(drop)
    }

    fn withdraw_entry(&mut self, id: &EntryId) -> Result<()> {
        let drafts = {
            let rows = self.tx.projected()?;
            match projection::entries::entry(&rows, id)? {
                Some(row) => entries::withdrawal(self.engine, &rows, &row)?,
                None => Vec::new(),
            }
        };
        self.append(&drafts)?;
        Ok(())
    }

    /// Marks what lacks context: an entry with a quote that was not found, and a session that
    /// begins with a response.
    fn mark_unknown(&mut self) -> Result<()> {
        let mut drafts = Vec::new();
        for entry in self.entries.iter().filter(|e| e.is_new) {
            if !entry.evidence.is_aligned() {
                drafts.push(self.event(
                    EventKind::MemoryResolved,
                    "an entry's quote was not found",
                    codec::to_value(&ResolutionPayload {
                        condition_id: entry.entry_id.as_str().to_owned(),
                        resolved_to: None,
                        kind: ResolutionKind::Pending,
                        confidence: 0.0,
                    }),
                ));
            }
        }
        if let Some(event_id) = &self.prepared.lacks_prompt {
            let known = Rows::get(
                &self.tx.projected()?,
                crate::store::projected_rows::projected::RowKind::Placeholder,
                event_id.as_bytes(),
            )?;
            if known.is_none() {
                drafts.push(self.event(
                    EventKind::MemoryResolved,
                    "a response without its prompt",
                    codec::to_value(&PlaceholderPayload::new(event_id)),
                ));
            }
        }
        self.append(&drafts)?;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let now = self.engine.store.clock().now().max(self.run.started_at);
        self.run = self.run.finish(now, None)?;
        let resolved: Vec<String> = self
            .tasks
            .iter()
            .map(|task| self.prepared.source_entry(&task.local_id))
            .collect();
        let made = |local_id: &str, id: &str| MadeHere {
            local_id: local_id.to_owned(),
            global_id: id.to_owned(),
        };
        let report = RunReport {
            entries: (self.entries.iter())
                .map(|entry| made(&entry.local_id, entry.entry_id.as_str()))
                .collect(),
            tasks: (self.tasks.iter())
                .map(|task| made(&task.local_id, task.task_id.as_str()))
                .collect(),
        };
        let end = RunEnd {
            resolved,
            report: Some(report),
            ..RunEnd::default()
        };
        let draft = build_run(self.engine, self.prepared, &self.run, end);
        self.append_one(draft)?;
        Ok(())
    }

    fn record_metrics(&mut self) -> Result<()> {
        let at = self.engine.store.clock().now();
        let drafts: Vec<Draft> = std::mem::take(&mut self.timings)
            .into_iter()
            .map(|(stage, latency_ms)| {
                let metric = PipelineMetric {
                    stage,
                    at,
                    latency_ms,
                    error: None,
                    session: Some(self.prepared.session.clone()),
                };
                self.event(
                    EventKind::PipelineMetric,
                    format!("{stage} took {latency_ms:.1} ms"),
                    codec::to_value(&metric),
                )
            })
            .collect();
        self.append(&drafts)?;
        Ok(())
    }
}

/// The known tasks that an entry is about: all open ones of its title.
fn known_tasks(
    view: &tasks::TaskRows<'_>,
    resolver: &TaskResolver<'_>,
    entry: &TaskEntry,
) -> Result<Vec<Task>> {
    let Some(known) = resolver.known_task(entry)? else {
        return Ok(Vec::new());
    };
    let mut all = view.namesakes(&known)?;
    all.retain(|task| task.status().is_open());
    if known.status().is_open() || all.is_empty() {
        all.insert(0, known);
    }
    Ok(all)
}

/// Groups quotes by the event that contains them: one source per event, with its first span.
fn sources(evidence: &EvidenceReport) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    evidence
        .aligned
        .iter()
        .filter_map(|span| {
            let event_id = span.event_id.as_deref()?;
            seen.insert(event_id).then(|| {
                json!({
                    "event_id": event_id,
                    "span": {"start": span.span_start, "end": span.span_end},
                    "confidence": span.confidence,
                    "alignment_method": span.method.as_str(),
                })
            })
        })
        .collect()
}

fn evidence_meta(evidence: &EvidenceReport) -> Option<Json> {
    let span = evidence.aligned.first()?;
    Some(Json::from_value(&json!({
        "confidence": span.confidence,
        "span": {"start": span.span_start, "end": span.span_end},
        "alignment_method": span.method.as_str(),
        "source_event_id": span.event_id,
    })))
}
