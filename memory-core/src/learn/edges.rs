//! The graph in the store: edges by their ends, edges that a caller makes,
//! lineage and related entries.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::learn::knowledge::LIST_LIMIT;
use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::edges::{self, Way};
use crate::projection::tasks::GraphRows;
use crate::projection::{self, entries, tasks};
use crate::rules::entries::EntryId;
use crate::rules::graph::{
    Edge, EdgeEnds, LineageStep, NodeType, Relation, lineage, related_entries, validate_blocked_by,
    validate_edge,
};
use crate::rules::tasks::{EntityId, EntityKind, TaskStatus};
use crate::store::WriteTx;
use crate::write::prepare::SystemEvent;

/// At most so many edges are replaced by one call.
pub const MAX_EDGES_PER_CALL: usize = 10_000;

/// Which edges at a node are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeFilter {
    /// The node where the edges start; exactly one of both ends is given.
    pub from: Option<String>,
    /// The node that the edges lead to.
    pub to: Option<String>,
    /// Of this relation.
    pub relation: Option<Relation>,
    /// As they were at this moment; by default as they are.
    pub as_of: Option<Timestamp>,
    /// At most so many; 1,000 by default.
    pub limit: Option<usize>,
}

impl Memory {
    /// The edges from a node or to a node, the newest first. A node is an
    /// entry, an entity, or an event by its id.
    ///
    /// # Errors
    /// `invalid_argument` unless exactly one of `from` and `to` is given.
    pub fn edges(&self, filter: &EdgeFilter) -> Result<Vec<Edge>> {
        self.enter()?;
        let (way, node) = match (&filter.from, &filter.to) {
            (Some(node), None) => (Way::Out, node),
            (None, Some(node)) => (Way::In, node),
            _ => {
                return Err(Error::invalid(
                    "from",
                    "give exactly one of `from` and `to`",
                ));
            }
        };
        edges::at_node(
            &self.inner.store.read()?.projected()?,
            way,
            node,
            filter.relation,
            filter.as_of,
            filter.limit.unwrap_or(LIST_LIMIT),
        )
    }

    /// Makes an edge between two nodes that exist. An edge that is there
    /// already only gets the new meta.
    ///
    /// # Errors
    /// `invalid_argument` naming `relation` when the relation does not lead
    /// between such nodes, or naming `meta` when that is no JSON object;
    /// `not_found` naming `source_id` or `destination_id`;
    /// `invariant_violation` when a node would lead to itself, or for `blocked_by`, `blocked_by_suggested`
    /// and `resolves_to` edges, which only the acts on tasks make.
    pub fn add_edge(&self, ends: &EdgeEnds, meta: Option<&Json>) -> Result<Edge> {
        self.enter()?;
        validate_edge(ends.source_type, ends.relation, ends.destination_type)?;
        if ends.source_id == ends.destination_id {
            return Err(Error::new(
                ErrorCode::InvariantViolation,
                "an edge cannot lead from a node to itself",
            )
            .with_argument("destination_id"));
        }
        let meta = match meta {
            Some(meta) if !meta.as_str().starts_with('{') => {
                return Err(Error::invalid("meta", "must be a JSON object"));
            }
            Some(meta) => Some(self.inner.filter.clean_json(meta)),
            None => None,
        };
        self.inner.store.write(|tx| {
            check_node(tx, "source_id", ends.source_type, &ends.source_id)?;
            check_node(
                tx,
                "destination_id",
                ends.destination_type,
                &ends.destination_id,
            )?;
            refuse_task_edges(tx, ends)?;
            let known = edges::find(&tx.projected()?, ends)?;
            if let Some(known) = known
                && (meta.is_none() || meta == known.meta)
            {
                return Ok(known);
            }
            let draft = SystemEvent::new(
                &self.inner,
                EventKind::EdgeChanged,
                format!("edge {} added", ends.relation),
                json!({"added": [edges::edge_payload(ends, meta.as_ref())]}),
            )
            .draft(&self.inner);
            projection::append(tx, &[draft])?;
            edges::find(&tx.projected()?, ends)?
                .ok_or_else(|| Error::new(ErrorCode::Internal, "a new edge is missing"))
        })
    }

    /// Removes an edge; it stays readable with `as_of`. False when there is
    /// none.
    ///
    /// # Errors
    /// `invariant_violation` for the edges of tasks, which only acts on tasks
    /// change.
    pub fn remove_edge(&self, ends: &EdgeEnds) -> Result<bool> {
        self.enter()?;
        self.inner.store.write(|tx| {
            refuse_task_edges(tx, ends)?;
            let known = edges::find(&tx.projected()?, ends)?;
            if known.is_none() {
                return Ok(false);
            }
            let draft = SystemEvent::new(
                &self.inner,
                EventKind::EdgeChanged,
                format!("edge {} removed", ends.relation),
                json!({"removed": [edges::edge_payload(ends, None)]}),
            )
            .draft(&self.inner);
            projection::append(tx, &[draft])?;
            Ok(true)
        })
    }

    /// Replaces every edge of one relation from a node, at once: `targets` are
    /// the new destinations. Gives how many edges were removed and made.
    ///
    /// # Errors
    /// As [`Memory::add_edge`], naming `source` or the target, for example
    /// `targets[3]`; `invalid_argument` naming `targets` above
    /// [`MAX_EDGES_PER_CALL`]. Nothing is changed then.
    pub fn replace_edges(
        &self,
        source: (NodeType, &str),
        relation: Relation,
        targets: &[(NodeType, String)],
    ) -> Result<(usize, usize)> {
        self.enter()?;
        if targets.len() > MAX_EDGES_PER_CALL {
            return Err(Error::invalid(
                "targets",
                format_args!(
                    "has {} items; at most {MAX_EDGES_PER_CALL} are replaced at once",
                    targets.len()
                ),
            ));
        }
        let ends: BTreeSet<EdgeEnds> = targets
            .iter()
            .map(|(destination_type, destination_id)| EdgeEnds {
                source_type: source.0,
                source_id: source.1.to_owned(),
                relation,
                destination_type: *destination_type,
                destination_id: destination_id.clone(),
            })
            .collect();
        self.inner.store.write(|tx| {
            check_node(tx, "source", source.0, source.1)?;
            for (index, (kind, id)) in targets.iter().enumerate() {
                validate_edge(source.0, relation, *kind)?;
                check_node(tx, &format!("targets[{index}]"), *kind, id)?;
                if id == source.1 {
                    return Err(Error::new(
                        ErrorCode::InvariantViolation,
                        format!("targets[{index}]: an edge cannot lead from a node to itself"),
                    )
                    .with_argument(format!("targets[{index}]")));
                }
            }
            if let Some(first) = ends.first() {
                refuse_task_edges(tx, first)?;
            }
            let old = edges::at_node(
                &tx.projected()?,
                Way::Out,
                source.1,
                Some(relation),
                None,
                usize::MAX,
            )?;
            let removed: Vec<_> = old
                .iter()
                .filter(|edge| !ends.contains(&edge.ends))
                .map(|edge| edges::edge_payload(&edge.ends, None))
                .collect();
            let old: BTreeSet<EdgeEnds> = old.into_iter().map(|edge| edge.ends).collect();
            let added: Vec<_> = ends
                .difference(&old)
                .map(|end| edges::edge_payload(end, None))
                .collect();
            let counts = (removed.len(), added.len());
            if counts != (0, 0) {
                let draft = SystemEvent::new(
                    &self.inner,
                    EventKind::EdgeChanged,
                    format!("edges {relation} replaced"),
                    json!({"removed": removed, "added": added}),
                )
                .draft(&self.inner);
                projection::append(tx, &[draft])?;
            }
            Ok(counts)
        })
    }

    /// An entry and all that was derived from it, nearest first, at most ten
    /// derivations deep; circles end.
    ///
    /// # Errors
    /// `not_found`.
    pub fn lineage(&self, entry: &EntryId) -> Result<Vec<LineageStep>> {
        self.enter()?;
        let rows = self.inner.store.read()?.projected()?;
        self.known_entry(&rows, entry)?;
        let graph = GraphRows::new(&rows);
        graph.check(lineage(&graph, entry.as_str()))
    }

    /// The entries that prove something about an entity which this entry proves
    /// something about too, each with those entities.
    ///
    /// # Errors
    /// `not_found`.
    pub fn related_entries(&self, entry: &EntryId) -> Result<BTreeMap<EntryId, Vec<EntityId>>> {
        self.enter()?;
        let rows = self.inner.store.read()?.projected()?;
        self.known_entry(&rows, entry)?;
        let graph = GraphRows::new(&rows);
        let found = graph.check(related_entries(&graph, entry.as_str()))?;
        Ok(found
            .into_iter()
            .map(|(entry, entities)| {
                (
                    EntryId::new(entry),
                    entities.into_iter().map(EntityId::new).collect(),
                )
            })
            .collect())
    }

    fn known_entry(&self, rows: &dyn crate::store::projected::Rows, entry: &EntryId) -> Result<()> {
        match entries::entry(rows, entry)? {
            Some(_) => Ok(()),
            None => Err(
                Error::new(ErrorCode::NotFound, format!("there is no entry {entry}"))
                    .with_argument("entry"),
            ),
        }
    }
}

fn check_node(tx: &WriteTx<'_>, argument: &str, kind: NodeType, id: &str) -> Result<()> {
    let exists = match kind {
        NodeType::Entry => entries::entry(&tx.projected()?, &EntryId::new(id))?.is_some(),
        NodeType::Entity => tasks::entity_kind(&tx.projected()?, id)?.is_some(),
        NodeType::Event => match id.parse::<EventId>() {
            Ok(id) => match tx.seq_of_id(&id)? {
                Some(seq) => !tx.is_dead(seq)?,
                None => false,
            },
            Err(_) => false,
        },
    };
    if exists {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::NotFound,
        format!("there is no {kind} with this id"),
    )
    .with_argument(argument))
}

/// Blockers and resolutions belong to the state of tasks and conditions: an
/// edge alone would contradict it.
fn refuse_task_edges(tx: &WriteTx<'_>, ends: &EdgeEnds) -> Result<()> {
    let advice = match ends.relation {
        Relation::BlockedBy | Relation::BlockedBySuggested => {
            let rows = tx.projected()?;
            let id = EntityId::new(ends.source_id.as_str());
            let kind = tasks::entity_kind(&rows, id.as_str())?;
            if kind == Some(EntityKind::Task) {
                let is_blocked = tasks::task(&rows, &id)?
                    .is_some_and(|task| task.status() == TaskStatus::Blocked);
                validate_blocked_by(id.as_str(), is_blocked)?;
            }
            "change_task_status"
        }
        Relation::ResolvesTo => "resolve_condition",
        _ => return Ok(()),
    };
    Err(Error::new(
        ErrorCode::InvariantViolation,
        format!(
            "{} edges follow the task's state; use {advice}",
            ends.relation
        ),
    )
    .with_argument("relation"))
}
