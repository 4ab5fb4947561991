//! Reads and changes the stored graph: edges by their ends, callers' edges, lineage and
//! related entries.

use std::collections::BTreeSet;

use serde_json::json;

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::model::lists::LIST_LIMIT;
use crate::model::setters::setters;
use crate::model::shorten::short;
use crate::model::time::Timestamp;
use crate::projection::edges::{self, EdgeItem, Way};
use crate::projection::tasks::GraphRows;
use crate::projection::{self, entries, tasks};
use crate::recall::shown::read;
use crate::rules::entries::EntryId;
use crate::rules::graph::{
    self, Edge, EdgeEnds, GraphNode, LineageStep, NodeType, RelatedEntry, Relation, ReplacedEdges,
    validate_edge,
};
use crate::rules::tasks::EntityId;
use crate::store::WriteTx;
use crate::store::projected_rows::projected::Rows;
use crate::write::prepare::SystemEvent;

/// The maximum number of edges that one call replaces.
pub const MAX_EDGES_PER_CALL: usize = 10_000;

/// Selects the edges at a node.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EdgeFilter {
    /// The node that the edges start at. Give exactly one of `from` and `to`.
    pub from: Option<String>,
    /// The node that the edges lead to.
    pub to: Option<String>,
    /// Keeps only edges of this relation.
    pub relation: Option<Relation>,
    /// Returns the edges as they were at this moment. Default: now.
    pub as_of: Option<Timestamp>,
    /// The maximum number of edges to return. Default: 1,000.
    pub limit: Option<usize>,
}

impl EdgeFilter {
    setters! {
        /// Keeps only edges that start at this node.
        from: some text;
        /// Keeps only edges that lead to this node.
        to: some text;
        /// Keeps only edges of this relation.
        relation: some Relation;
        /// Returns the edges as they were at this moment.
        as_of: some Timestamp;
        /// Returns at most this many.
        limit: some usize;
    }
}

/// [`Knowledge::edges`](crate::Knowledge::edges).
pub(crate) fn edges(engine: &Engine, filter: &EdgeFilter) -> Result<Vec<Edge>> {
    let (way, node) = match (&filter.from, &filter.to) {
        (Some(node), None) => (Way::Out, node),
        (None, Some(node)) => (Way::In, node),
        _ => {
            return Err(Error::invalid(
                "from",
                "give exactly one end: the node that the edges start at, or the one they lead to",
            ));
        }
    };
    let argument = match way {
        Way::Out => "from",
        Way::In => "to",
    };
    edges::at_node(
        &engine.store.read()?.projected()?,
        way,
        &read::full_id(engine, argument, node)?,
        filter.relation,
        filter.as_of,
        filter.limit.unwrap_or(LIST_LIMIT),
    )
}

/// [`Knowledge::add_edge`](crate::Knowledge::add_edge).
pub(crate) fn add_edge(engine: &Engine, ends: &EdgeEnds, meta: Option<&Json>) -> Result<Edge> {
    validate_edge(ends.source_type, ends.relation, ends.destination_type)?;
    let ends = &in_full(engine, ends)?;
    if ends.source_id == ends.destination_id {
        return Err(Error::new(
            ErrorCode::InvariantViolation,
            "an edge cannot connect a node to itself",
        )
        .with_argument("destination_id"));
    }
    let meta = match meta {
        Some(meta) if !meta.as_str().starts_with('{') => {
            return Err(Error::invalid("meta", "must be a JSON object"));
        }
        Some(meta) => Some(engine.filter.clean_json(meta)),
        None => None,
    };
    engine.store.write(|tx| {
        check_node(tx, "source_id", ends.source_type, &ends.source_id)?;
        check_node(
            tx,
            "destination_id",
            ends.destination_type,
            &ends.destination_id,
        )?;
        refuse_governed(ends.relation)?;
        let known = edges::find(&tx.projected()?, ends)?;
        if let Some(known) = known
            && (meta.is_none() || edges::with_fields(meta.clone()) == known.meta)
        {
            return Ok(known);
        }
        let draft = SystemEvent::new(
            engine,
            EventKind::EdgeChanged,
            format!("edge {} added", ends.relation),
            json!({"added": [EdgeItem::new(ends, meta)]}),
        )
        .draft(engine);
        projection::append(tx, &[draft])?;
        edges::find(&tx.projected()?, ends)?
            .ok_or_else(|| Error::new(ErrorCode::Internal, "the new edge was not stored"))
    })
}

/// [`Knowledge::remove_edge`](crate::Knowledge::remove_edge).
pub(crate) fn remove_edge(engine: &Engine, ends: &EdgeEnds) -> Result<bool> {
    let ends = &in_full(engine, ends)?;
    engine.store.write(|tx| {
        refuse_governed(ends.relation)?;
        let known = edges::find(&tx.projected()?, ends)?;
        if known.is_none() {
            return Ok(false);
        }
        let draft = SystemEvent::new(
            engine,
            EventKind::EdgeChanged,
            format!("edge {} removed", ends.relation),
            json!({"removed": [EdgeItem::new(ends, None)]}),
        )
        .draft(engine);
        projection::append(tx, &[draft])?;
        Ok(true)
    })
}

/// [`Knowledge::replace_edges`](crate::Knowledge::replace_edges).
pub(crate) fn replace_edges(
    engine: &Engine,
    source: &GraphNode,
    relation: Relation,
    targets: &[GraphNode],
) -> Result<ReplacedEdges> {
    if targets.len() > MAX_EDGES_PER_CALL {
        return Err(Error::invalid(
            "targets",
            format_args!(
                "has {} items; the limit is {MAX_EDGES_PER_CALL} per call",
                targets.len()
            ),
        ));
    }
    let source = &node_in_full(engine, "source", source)?;
    let targets = targets
        .iter()
        .enumerate()
        .map(|(index, target)| node_in_full(engine, &format!("targets[{index}]"), target))
        .collect::<Result<Vec<GraphNode>>>()?;
    engine.store.write(|tx| {
        check_targets(tx, source, relation, &targets)?;
        refuse_governed(relation)?;
        let (removed, added) = difference(tx, source, relation, &targets)?;
        let replaced = ReplacedEdges {
            removed: removed.len(),
            added: added.len(),
        };
        if replaced != ReplacedEdges::default() {
            let draft = SystemEvent::new(
                engine,
                EventKind::EdgeChanged,
                format!("edges {relation} replaced"),
                json!({"removed": removed, "added": added}),
            )
            .draft(engine);
            projection::append(tx, &[draft])?;
        }
        Ok(replaced)
    })
}

/// Refuses edges whose nodes do not exist or must not be connected by the relation.
fn check_targets(
    tx: &WriteTx<'_>,
    source: &GraphNode,
    relation: Relation,
    targets: &[GraphNode],
) -> Result<()> {
    check_node(tx, "source", source.node_type, &source.id)?;
    for (index, target) in targets.iter().enumerate() {
        let argument = format!("targets[{index}]");
        validate_edge(source.node_type, relation, target.node_type)
            .map_err(|error| error.about(&*argument))?;
        check_node(tx, &argument, target.node_type, &target.id)?;
        if target.id == source.id {
            return Err(Error::new(
                ErrorCode::InvariantViolation,
                format!("{argument}: an edge cannot connect a node to itself"),
            )
            .with_argument(argument));
        }
    }
    Ok(())
}

/// The edges to remove and to add, so that the source has edges to exactly these targets.
fn difference(
    tx: &WriteTx<'_>,
    source: &GraphNode,
    relation: Relation,
    targets: &[GraphNode],
) -> Result<(Vec<EdgeItem>, Vec<EdgeItem>)> {
    let ends = |target: &GraphNode| EdgeEnds {
        source_type: source.node_type,
        source_id: source.id.clone(),
        relation,
        destination_type: target.node_type,
        destination_id: target.id.clone(),
    };
    let wanted: BTreeSet<EdgeEnds> = targets.iter().map(ends).collect();
    let old = edges::at_node(
        &tx.projected()?,
        Way::Out,
        &source.id,
        Some(relation),
        None,
        usize::MAX,
    )?;
    let removed = old.iter().filter(|edge| !wanted.contains(&edge.ends));
    let removed = removed.map(|edge| EdgeItem::new(&edge.ends, None));
    let removed = removed.collect();
    let old: BTreeSet<EdgeEnds> = old.into_iter().map(|edge| edge.ends).collect();
    let added = wanted.difference(&old);
    let added = added.map(|ends| EdgeItem::new(ends, None)).collect();
    Ok((removed, added))
}

/// Events may be given as their citations.
fn in_full(engine: &Engine, ends: &EdgeEnds) -> Result<EdgeEnds> {
    Ok(EdgeEnds {
        source_id: read::full_id(engine, "source_id", &ends.source_id)?,
        destination_id: read::full_id(engine, "destination_id", &ends.destination_id)?,
        ..ends.clone()
    })
}

fn node_in_full(engine: &Engine, argument: &str, node: &GraphNode) -> Result<GraphNode> {
    Ok(GraphNode {
        id: read::full_id(engine, argument, &node.id)?,
        ..node.clone()
    })
}

/// [`Knowledge::lineage`](crate::Knowledge::lineage).
pub(crate) fn lineage(
    engine: &Engine,
    entry: &EntryId,
    limit: Option<usize>,
) -> Result<Vec<LineageStep>> {
    let rows = engine.store.read()?.projected()?;
    known_entry(&rows, entry)?;
    let graph = GraphRows::new(&rows);
    let limit = limit.unwrap_or(LIST_LIMIT);
    graph.check(graph::lineage(&graph, entry.as_str(), limit))
}

/// [`Knowledge::related_entries`](crate::Knowledge::related_entries).
pub(crate) fn related_entries(
    engine: &Engine,
    entry: &EntryId,
    limit: Option<usize>,
) -> Result<Vec<RelatedEntry>> {
    let rows = engine.store.read()?.projected()?;
    known_entry(&rows, entry)?;
    let graph = GraphRows::new(&rows);
    let found = graph.check(graph::related_entries(&graph, entry.as_str()))?;
    Ok(found
        .into_iter()
        .take(limit.unwrap_or(LIST_LIMIT))
        .map(|(entry, entities)| RelatedEntry {
            entry_id: EntryId::new(entry),
            entities: entities.into_iter().map(EntityId::new).collect(),
        })
        .collect())
}

fn known_entry(rows: &dyn Rows, entry: &EntryId) -> Result<()> {
    match entries::entry(rows, entry)? {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorCode::NotFound,
            format!("no entry with id {}", short(entry.as_str())),
        )
        .with_argument("entry")),
    }
}

fn check_node(tx: &WriteTx<'_>, argument: &str, kind: NodeType, id: &str) -> Result<()> {
    let exists = match kind {
        NodeType::Entry => entries::entry(&tx.projected()?, &EntryId::new(id))?.is_some(),
        NodeType::Entity => tasks::entity_kind(&tx.projected()?, id)?.is_some(),
        NodeType::Event => match id.parse::<EventId>() {
            Ok(id) => match tx.seq_of_id(&id)? {
                Some(seq) => !tx.is_deleted(seq)?,
                None => false,
            },
            Err(_) => false,
        },
    };
    if exists {
        return Ok(());
    }
    Err(Error::new(ErrorCode::NotFound, format!("no {kind} with this id")).with_argument(argument))
}

/// Refuses edges that follow from the state of a task, a condition or an entry: one that is changed
/// alone would contradict it.
fn refuse_governed(relation: Relation) -> Result<()> {
    let advice = match relation {
        Relation::BlockedBy | Relation::BlockedBySuggested => "use tasks.change_status()",
        Relation::ResolvesTo => "use tasks.resolve_condition()",
        Relation::Supersedes => "supersede the entry instead",
        Relation::Contradicts => "let the entries contradict each other instead",
        _ => return Ok(()),
    };
    Err(Error::new(
        ErrorCode::InvariantViolation,
        format!("{relation} edges cannot be changed directly; {advice}"),
    )
    .with_argument("relation"))
}
