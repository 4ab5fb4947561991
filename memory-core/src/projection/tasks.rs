//! Folds tasks, conditions and artifacts into rows, and provides the view of them on which
//! the resolver decides.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::embed::{normalise, static_table};
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::edges::{self, Way};
use crate::projection::resolved::{is_resolved, mark_resolved};
use crate::projection::rows::{self, TIME_BYTES, in_project, joined, time_newest_first};
use crate::rules::entries::EntryId;
use crate::rules::graph::{Adjacency, EdgeEnds, NodeType, Relation};
use crate::rules::tasks::keys::title_norm;
use crate::rules::tasks::projector::{self, TaskChange};
use crate::rules::tasks::view::KeyHit;
use crate::rules::tasks::{
    Artifact, BlockerRef, Condition, EntityId, EntityKind, Priority, Source, Task, TaskEvent,
    TaskPayload, TaskStatus, TaskTables, TaskView,
};
use crate::store::projected_rows::projected::{Projected, ProjectedMut, RowKind, Rows};

fn kind_number(kind: EntityKind) -> u8 {
    match kind {
        EntityKind::Task => 1,
        EntityKind::Condition => 2,
        EntityKind::Artifact => 3,
    }
}

fn row_kind_of(kind: EntityKind) -> RowKind {
    match kind {
        EntityKind::Task => RowKind::Task,
        EntityKind::Condition => RowKind::Condition,
        EntityKind::Artifact => RowKind::Artifact,
    }
}

fn kind_key(kind: EntityKind, text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + text.len());
    key.push(kind_number(kind));
    key.extend_from_slice(text.as_bytes());
    key
}

fn status_number(status: TaskStatus) -> u8 {
    match status {
        TaskStatus::Pending => 1,
        TaskStatus::InProgress => 2,
        TaskStatus::Blocked => 3,
        TaskStatus::Done => 4,
        TaskStatus::Cancelled => 5,
    }
}

/// The keys under which a task is listed.
fn listed(task: &Task) -> Vec<(RowKind, Vec<u8>)> {
    let mut keys = Vec::with_capacity(4);
    for project in [None, Some(task.project.as_str())] {
        let key = |of: u8| {
            let mut key = in_project(project);
            key.push(of);
            key.extend_from_slice(&time_newest_first(task.updated_at));
            key.extend_from_slice(task.id.as_str().as_bytes());
            key
        };
        keys.push((RowKind::TaskByStatus, key(status_number(task.status()))));
        if task.status() == TaskStatus::Blocked {
            keys.push((RowKind::TaskBlocked, key(urgency(task.priority))));
        }
    }
    keys
}

/// A number that sorts the most urgent tasks first.
fn urgency(priority: Priority) -> u8 {
    match priority {
        Priority::Critical => 1,
        Priority::High => 2,
        Priority::Medium => 3,
        Priority::Low => 4,
    }
}

pub(crate) fn task(rows: &dyn Rows, id: &EntityId) -> Result<Option<Task>> {
    rows::get(rows, id.as_str().as_bytes())
}

pub(crate) fn condition(rows: &dyn Rows, id: &EntityId) -> Result<Option<Condition>> {
    rows::get(rows, id.as_str().as_bytes())
}

pub(crate) fn artifact(rows: &dyn Rows, id: &EntityId) -> Result<Option<Artifact>> {
    rows::get(rows, id.as_str().as_bytes())
}

/// The entity that a key stands for.
#[derive(Serialize, Deserialize)]
pub(crate) struct EntityKeyRow {
    entity_id: EntityId,
    /// Whether it is the entity's current key.
    is_primary: bool,
}

/// The kind of the entity with this id.
pub(crate) fn entity_kind(rows: &dyn Rows, id: &str) -> Result<Option<EntityKind>> {
    for kind in [
        EntityKind::Task,
        EntityKind::Condition,
        EntityKind::Artifact,
    ] {
        if rows.get(row_kind_of(kind), id.as_bytes())?.is_some() {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// When the entity with this id was created.
pub(crate) fn created_at(rows: &dyn Rows, id: &EntityId) -> Result<Option<Timestamp>> {
    Ok(match entity_kind(rows, id.as_str())? {
        Some(EntityKind::Task) => task(rows, id)?.map(|found| found.created_at),
        Some(EntityKind::Condition) => condition(rows, id)?.map(|found| found.created_at),
        Some(EntityKind::Artifact) => artifact(rows, id)?.map(|found| found.created_at),
        None => None,
    })
}

/// Visits the tasks of a project (`None`: of all) with a status, the latest change first, until
/// `visit` returns false.
pub(crate) fn by_status(
    rows: &dyn Rows,
    project: Option<&str>,
    status: TaskStatus,
    visit: &mut dyn FnMut(Task) -> Result<bool>,
) -> Result<()> {
    let mut prefix = in_project(project);
    prefix.push(status_number(status));
    rows::each_listed(
        rows,
        RowKind::TaskByStatus,
        &prefix,
        prefix.len() + TIME_BYTES,
        visit,
    )
}

/// Visits the blocked tasks of a project (`None`: of all), the most urgent first and then the
/// latest change first, until `visit` returns false.
pub(crate) fn by_urgency(
    rows: &dyn Rows,
    project: Option<&str>,
    visit: &mut dyn FnMut(Task) -> Result<bool>,
) -> Result<()> {
    let prefix = in_project(project);
    // The urgency and the time.
    let from = prefix.len() + 1 + TIME_BYTES;
    rows::each_listed(rows, RowKind::TaskBlocked, &prefix, from, visit)
}

/// Visits the conditions of a project (`None`: of all), by id, until `visit` returns false.
pub(crate) fn conditions(
    rows: &dyn Rows,
    project: Option<&str>,
    visit: &mut dyn FnMut(Condition) -> Result<bool>,
) -> Result<()> {
    match project {
        Some(project) => {
            let prefix = joined(&[project, ""]);
            rows::each_listed(
                rows,
                RowKind::ConditionOfProject,
                &prefix,
                prefix.len(),
                visit,
            )
        }
        None => rows::scan(rows, &[], &mut |_, condition| visit(condition)),
    }
}

/// Like [`conditions`], for those that were resolved to another entity.
pub(crate) fn resolved_conditions(
    rows: &dyn Rows,
    project: Option<&str>,
    visit: &mut dyn FnMut(Condition) -> Result<bool>,
) -> Result<()> {
    let prefix = in_project(project);
    rows::each_listed(
        rows,
        RowKind::ConditionResolved,
        &prefix,
        prefix.len(),
        visit,
    )
}

/// The keys under which a condition is listed.
fn listed_condition(condition: &Condition) -> Vec<(RowKind, Vec<u8>)> {
    let (id, project) = (condition.id.as_str(), condition.project.as_str());
    let mut keys = vec![(RowKind::ConditionOfProject, joined(&[project, id]))];
    if condition.is_resolved() {
        for project in [None, Some(project)] {
            let key = [&in_project(project), id.as_bytes()].concat();
            keys.push((RowKind::ConditionResolved, key));
        }
    }
    keys
}

/// Titles by project, read once for many lookups.
#[derive(Debug, Default)]
pub(crate) struct TitleCache(RefCell<BTreeMap<String, Vec<Title>>>);

/// The title of a task.
#[derive(Debug)]
struct Title {
    norm: String,
    id: EntityId,
    /// A unit vector, computed at the first comparison. `None` without known words.
    vector: OnceCell<Option<TitleVector>>,
}

type TitleVector = [f32; static_table::DIMENSIONS];

impl Title {
    fn new(norm: String, id: EntityId) -> Self {
        Title {
            norm,
            id,
            vector: OnceCell::new(),
        }
    }

    fn vector(&self) -> Option<&TitleVector> {
        self.vector
            .get_or_init(|| title_vector(&self.norm))
            .as_ref()
    }
}

/// The mean of the title's word pieces in the built-in table, so that every process and every
/// rebuild finds the same neighbours.
fn title_vector(title: &str) -> Option<TitleVector> {
    let mut vector = static_table::text_vector(title)?;
    normalise(&mut vector).then_some(vector)
}

impl TitleCache {
    /// Adds a task that was created after the titles were read.
    pub(crate) fn add(&self, project: &str, title: &str, id: &EntityId) {
        if let Some(titles) = self.0.borrow_mut().get_mut(project) {
            titles.push(Title::new(title_norm(title), id.clone()));
        }
    }

    fn with<T>(
        &self,
        rows: &dyn Rows,
        project: &str,
        look: impl FnOnce(&[Title]) -> T,
    ) -> Result<T> {
        let mut cache = self.0.borrow_mut();
        if !cache.contains_key(project) {
            cache.insert(project.to_owned(), titles_of(rows, project)?);
        }
        Ok(look(cache.get(project).map_or(&[], Vec::as_slice)))
    }
}

/// The tasks as seen by one transaction.
pub(crate) struct TaskRows<'a> {
    pub(crate) rows: &'a dyn Rows,
    pub(crate) titles: &'a TitleCache,
}

impl TaskRows<'_> {
    /// The other tasks of the title and the project of a task: several stores may have recorded one
    /// before they shared.
    pub(crate) fn namesakes(&self, of: &Task) -> Result<Vec<Task>> {
        let norm = title_norm(&of.title);
        let ids: Vec<EntityId> = self.titles.with(self.rows, &of.project, |titles| {
            let same = titles.iter().filter(|title| title.norm == norm);
            same.map(|title| title.id.clone()).collect()
        })?;
        let mut namesakes = Vec::new();
        for id in ids.into_iter().filter(|id| *id != of.id) {
            let task = task(self.rows, &id)?;
            namesakes.extend(task.filter(|task| task.canonical_key == of.canonical_key));
        }
        Ok(namesakes)
    }
}

impl TaskView for TaskRows<'_> {
    fn find(&self, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>> {
        find(self.rows, kind, canonical_key)
    }

    fn task(&self, id: &EntityId) -> Result<Option<Task>> {
        task(self.rows, id)
    }

    fn exists(&self, kind: EntityKind, id: &EntityId) -> Result<bool> {
        exists(self.rows, kind, id)
    }

    fn resolved_to(&self, id: &EntityId) -> Result<Option<(EntityKind, EntityId)>> {
        Ok(condition(self.rows, id)?.and_then(|found| found.resolved_to.map(Into::into)))
    }

    fn search_titles(&self, project: &str, text: &str, limit: usize) -> Result<Vec<EntityId>> {
        let norm = title_norm(text);
        self.titles.with(self.rows, project, |titles| {
            let mut found: Vec<(bool, &EntityId)> = titles
                .iter()
                .filter(|title| title.norm.contains(&norm))
                .map(|title| (title.norm != norm, &title.id))
                .collect();
            found.sort();
            found
                .into_iter()
                .take(limit)
                .map(|(_, id)| id.clone())
                .collect()
        })
    }

    fn similar_titles(
        &self,
        project: &str,
        text: &str,
        limit: usize,
    ) -> Result<Vec<(EntityId, f64)>> {
        let Some(wanted) = title_vector(&title_norm(text)) else {
            return Ok(Vec::new());
        };
        self.titles.with(self.rows, project, |titles| {
            let mut found: Vec<(EntityId, f64)> = titles
                .iter()
                .filter_map(|title| {
                    let vector = title.vector()?;
                    let cosine: f32 = wanted.iter().zip(vector).map(|(a, b)| a * b).sum();
                    Some((title.id.clone(), f64::from(cosine)))
                })
                .collect();
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            found.truncate(limit);
            found
        })
    }

    fn is_resolved(&self, source: &Source) -> Result<bool> {
        is_resolved(self.rows, source)
    }
}

fn find(rows: &dyn Rows, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>> {
    let row: Option<EntityKeyRow> = rows::get(rows, &kind_key(kind, canonical_key))?;
    Ok(row.map(|row| KeyHit {
        id: row.entity_id,
        is_primary: row.is_primary,
    }))
}

fn exists(rows: &dyn Rows, kind: EntityKind, id: &EntityId) -> Result<bool> {
    Ok(rows
        .get(row_kind_of(kind), id.as_str().as_bytes())?
        .is_some())
}

fn titles_of(rows: &dyn Rows, project: &str) -> Result<Vec<Title>> {
    let prefix = joined(&[project, ""]);
    let mut titles = Vec::new();
    rows.scan(RowKind::TaskTitle, &prefix, None, &mut |key, row| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        titles.push(Title::new(
            text(row),
            EntityId::new(text(&key[prefix.len()..])),
        ));
        Ok(true)
    })?;
    Ok(titles)
}

/// The fold's tables.
struct Tables<'a, 't>(&'a mut ProjectedMut<'t>);

impl TaskView for Tables<'_, '_> {
    fn find(&self, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>> {
        find(self.0, kind, canonical_key)
    }

    fn task(&self, id: &EntityId) -> Result<Option<Task>> {
        task(self.0, id)
    }

    fn exists(&self, kind: EntityKind, id: &EntityId) -> Result<bool> {
        exists(self.0, kind, id)
    }

    fn resolved_to(&self, id: &EntityId) -> Result<Option<(EntityKind, EntityId)>> {
        Ok(condition(self.0, id)?.and_then(|found| found.resolved_to.map(Into::into)))
    }

    fn search_titles(&self, project: &str, text: &str, limit: usize) -> Result<Vec<EntityId>> {
        let titles = TitleCache::default();
        TaskRows {
            rows: self.0,
            titles: &titles,
        }
        .search_titles(project, text, limit)
    }

    fn is_resolved(&self, source: &Source) -> Result<bool> {
        is_resolved(self.0, source)
    }
}

impl TaskTables for Tables<'_, '_> {
    fn condition(&self, id: &EntityId) -> Result<Option<Condition>> {
        condition(self.0, id)
    }

    fn put_task(&mut self, task: Task) -> Result<()> {
        let id = task.id.as_str();
        let old = self::task(self.0, &task.id)?;
        rows::put(self.0, id.as_bytes(), &task)?;
        rows::list_anew(self.0, old.as_ref().map(listed), &listed(&task))?;
        self.0.put(
            RowKind::TaskTitle,
            &joined(&[&task.project, id]),
            title_norm(&task.title).as_bytes(),
        )
    }

    fn put_condition(&mut self, condition: Condition) -> Result<()> {
        let old = self::condition(self.0, &condition.id)?;
        rows::put(self.0, condition.id.as_str().as_bytes(), &condition)?;
        let old = old.as_ref().map(listed_condition);
        rows::list_anew(self.0, old, &listed_condition(&condition))
    }

    fn put_artifact(&mut self, artifact: Artifact) -> Result<()> {
        rows::put(self.0, artifact.id.as_str().as_bytes(), &artifact)
    }

    fn put_key(&mut self, kind: EntityKind, canonical_key: &str, id: &EntityId) -> Result<()> {
        let key = kind_key(kind, canonical_key);
        if find(self.0, kind, canonical_key)?.is_some_and(|hit| hit.id != *id) {
            return Ok(());
        }
        let row = |is_primary| EntityKeyRow {
            entity_id: id.clone(),
            is_primary,
        };
        let present = kind_key(kind, id.as_str());
        if let Some(old) = self.0.get(RowKind::KeyOfEntity, &present)?
            && old != canonical_key.as_bytes()
        {
            let old_key = [&[kind_number(kind)], old.as_slice()].concat();
            rows::put(self.0, &old_key, &row(false))?;
        }
        rows::put(self.0, &key, &row(true))?;
        self.0
            .put(RowKind::KeyOfEntity, &present, canonical_key.as_bytes())
    }

    fn mark_resolved(&mut self, source: &Source) -> Result<()> {
        mark_resolved(self.0, source)
    }
}

/// Folds one task event with its edges and history.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, act: &TaskEvent) -> Result<()> {
    let at = event.timestamp;
    let changes = projector::apply(&mut Tables(rows), act, at)?;
    let mut history = joined(&[act.subject().as_str(), ""]);
    history.extend_from_slice(&event.seq.0.to_be_bytes());
    rows.put(RowKind::History, &history, &[])?;
    for change in changes {
        match change {
            TaskChange::Entity(..) => {}
            TaskChange::BlockerEdges { task: id, .. } => blocker_edges(rows, &id, at)?,
            TaskChange::ResolvesTo { condition, target } => {
                let TaskPayload::ConditionResolvedTo {
                    resolution,
                    confidence,
                    ..
                } = &act.payload
                else {
                    continue;
                };
                let meta = json!({
                    "resolution_type": resolution,
                    "confidence": confidence,
                    "resolved_at": at,
                });
                edges::replace_out(
                    rows,
                    (NodeType::Entity, condition.as_str()),
                    Relation::ResolvesTo,
                    vec![(
                        NodeType::Entity,
                        target.1.as_str().to_owned(),
                        Some(Json::from_value(&meta)),
                    )],
                    at,
                )?;
            }
            TaskChange::History { task, entry } => {
                let is_entry =
                    crate::projection::entries::entry(rows, &EntryId::new(entry.as_str()))?
                        .is_some();
                if is_entry {
                    let ends = EdgeEnds {
                        source_type: NodeType::Entry,
                        source_id: entry,
                        relation: Relation::EvidenceOf,
                        destination_type: NodeType::Entity,
                        destination_id: task.as_str().to_owned(),
                    };
                    edges::put(rows, &ends, None, at)?;
                }
            }
        }
    }
    if event.kind == EventKind::TaskCreated {
        let ends = EdgeEnds {
            source_type: NodeType::Event,
            source_id: event.id.to_string(),
            relation: Relation::Produced,
            destination_type: NodeType::Entity,
            destination_id: act.subject().as_str().to_owned(),
        };
        edges::put(rows, &ends, None, at)?;
    }
    Ok(())
}

fn blocker_edges(rows: &mut ProjectedMut<'_>, id: &EntityId, at: Timestamp) -> Result<()> {
    let Some(task) = task(rows, id)? else {
        return Ok(());
    };
    let targets = |refs: &[BlockerRef], mode: &str| {
        refs.iter()
            .map(|blocker| {
                let meta = json!({
                    "mode": mode,
                    "kind": blocker.kind.as_str(),
                    "raw_text": blocker.raw_text,
                    "confidence": blocker.confidence.as_str(),
                });
                (
                    NodeType::Entity,
                    blocker.entity_id.as_str().to_owned(),
                    Some(Json::from_value(&meta)),
                )
            })
            .collect()
    };
    for (relation, targets) in [
        (
            Relation::BlockedBy,
            targets(task.phase.confirmed(), "replace"),
        ),
        (
            Relation::BlockedBySuggested,
            targets(task.phase.suggested(), "suggest"),
        ),
    ] {
        edges::replace_out(rows, (NodeType::Entity, id.as_str()), relation, targets, at)?;
    }
    Ok(())
}

/// The positions of an entity's acts, in log order.
pub(crate) fn history(rows: &dyn Rows, id: &str) -> Result<Vec<u64>> {
    let mut seqs = Vec::new();
    rows.scan(RowKind::History, &joined(&[id, ""]), None, &mut |key, _| {
        seqs.push(act_at(key)?);
        Ok(true)
    })?;
    Ok(seqs)
}

/// The positions of the last of an entity's acts, at most `most`, in log order.
pub(crate) fn latest_acts(rows: &Projected, id: &str, most: usize) -> Result<Vec<u64>> {
    let keys = rows.last_keys(RowKind::History, &joined(&[id, ""]), most)?;
    keys.iter().map(|key| act_at(key)).collect()
}

/// The position of an act, by its key.
fn act_at(key: &[u8]) -> Result<u64> {
    let tail = key
        .last_chunk::<8>()
        .ok_or_else(|| rows::broken(RowKind::History, "its key is too short"))?;
    Ok(u64::from_be_bytes(*tail))
}

/// The graph as the pure rules read it. They cannot report read errors: the first one is kept
/// for [`GraphRows::check`].
pub(crate) struct GraphRows<'a> {
    rows: &'a dyn Rows,
    failed: RefCell<Option<Error>>,
}

impl<'a> GraphRows<'a> {
    pub(crate) fn new(rows: &'a dyn Rows) -> Self {
        GraphRows {
            rows,
            failed: RefCell::new(None),
        }
    }

    /// The result, unless a read failed on the way.
    pub(crate) fn check<T>(&self, found: T) -> Result<T> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    fn or_keep<T: Default>(&self, found: Result<T>) -> T {
        found.unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            T::default()
        })
    }
}

impl Adjacency for GraphRows<'_> {
    fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String> {
        let found = edges::at_node(
            self.rows,
            Way::Out,
            source_id,
            Some(relation),
            None,
            usize::MAX,
        );
        let edges = self.or_keep(found);
        edges
            .into_iter()
            .map(|edge| edge.ends.destination_id)
            .collect()
    }

    fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String> {
        let found = edges::at_node(
            self.rows,
            Way::In,
            destination_id,
            Some(relation),
            None,
            usize::MAX,
        );
        let edges = self.or_keep(found);
        edges.into_iter().map(|edge| edge.ends.source_id).collect()
    }

    fn entity_kind(&self, entity_id: &str) -> Option<EntityKind> {
        self.or_keep(entity_kind(self.rows, entity_id))
    }
}
