//! Folds edges: a live edge exists once, and stays readable with its end after it is removed.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::rows::{self, newest_first};
use crate::rules::graph::{Edge, EdgeEnds, NodeType, Relation};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The direction in which an edge is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From a node to the targets of its edges.
    Out,
    /// From a node to the sources of edges that lead to it.
    In,
}

impl Way {
    fn row_kind(self, is_live: bool) -> RowKind {
        match (self, is_live) {
            (Way::Out, true) => RowKind::EdgeOut,
            (Way::In, true) => RowKind::EdgeIn,
            (Way::Out, false) => RowKind::EdgePastOut,
            (Way::In, false) => RowKind::EdgePastIn,
        }
    }
}

fn relation_number(relation: Relation) -> u8 {
    Relation::ALL
        .iter()
        .position(|&other| other == relation)
        .and_then(|at| u8::try_from(at).ok())
        .unwrap_or(u8::MAX)
}

/// An id preceded by its length, so that no id is a prefix of another.
fn node_key(id: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(4 + id.len());
    key.extend_from_slice(&u32::try_from(id.len()).unwrap_or(u32::MAX).to_be_bytes());
    key.extend_from_slice(id.as_bytes());
    key
}

fn way_key(id: &str, relation: Relation, number: u64) -> Vec<u8> {
    let mut key = node_key(id);
    key.push(relation_number(relation));
    key.extend_from_slice(&newest_first(number));
    key
}

fn tuple_key(ends: &EdgeEnds) -> Vec<u8> {
    let mut key = node_key(&ends.source_id);
    key.push(relation_number(ends.relation));
    key.push(ends.source_type as u8);
    key.push(ends.destination_type as u8);
    key.extend(node_key(&ends.destination_id));
    key
}

/// An edge as stored in the log.
#[derive(Serialize, Deserialize)]
pub(crate) struct EdgeItem {
    src_type: NodeType,
    #[serde(deserialize_with = "codec::text")]
    src_id: String,
    rel_type: Relation,
    dst_type: NodeType,
    #[serde(deserialize_with = "codec::text")]
    dst_id: String,
    meta: Option<Json>,
}

impl EdgeItem {
    pub(crate) fn new(ends: &EdgeEnds, meta: Option<Json>) -> Self {
        EdgeItem {
            src_type: ends.source_type,
            src_id: ends.source_id.clone(),
            rel_type: ends.relation,
            dst_type: ends.destination_type,
            dst_id: ends.destination_id.clone(),
            meta,
        }
    }

    fn into_parts(self) -> (EdgeEnds, Option<Json>) {
        let ends = EdgeEnds {
            source_type: self.src_type,
            source_id: self.src_id,
            relation: self.rel_type,
            destination_type: self.dst_type,
            destination_id: self.dst_id,
        };
        (ends, self.meta)
    }
}

/// The payload of an event about edges.
#[derive(Deserialize)]
pub(crate) struct EdgePayload {
    #[serde(default)]
    added: Vec<EdgeItem>,
    #[serde(default)]
    removed: Vec<EdgeItem>,
}

/// An edge and its lifetime.
#[derive(Serialize, Deserialize)]
pub(crate) struct EdgeRow {
    edge_id: String,
    src_type: NodeType,
    src_id: String,
    rel_type: Relation,
    dst_type: NodeType,
    dst_id: String,
    meta: Option<Json>,
    created_at: Timestamp,
    ended_at: Option<Timestamp>,
}

impl From<Edge> for EdgeRow {
    fn from(edge: Edge) -> Self {
        EdgeRow {
            edge_id: edge.id,
            src_type: edge.ends.source_type,
            src_id: edge.ends.source_id,
            rel_type: edge.ends.relation,
            dst_type: edge.ends.destination_type,
            dst_id: edge.ends.destination_id,
            meta: edge.meta,
            created_at: edge.created_at,
            ended_at: edge.ended_at,
        }
    }
}

impl From<EdgeRow> for Edge {
    fn from(row: EdgeRow) -> Self {
        Edge {
            id: row.edge_id,
            ends: EdgeEnds {
                source_type: row.src_type,
                source_id: row.src_id,
                relation: row.rel_type,
                destination_type: row.dst_type,
                destination_id: row.dst_id,
            },
            meta: row.meta,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

fn read(rows: &dyn Rows, number: u64) -> Result<Edge> {
    rows::get::<EdgeRow>(rows, &number.to_be_bytes())?
        .map(Edge::from)
        .ok_or_else(|| rows::broken(RowKind::Edge, "it is missing"))
}

fn write(rows: &mut ProjectedMut<'_>, number: u64, edge: Edge) -> Result<()> {
    rows::put(rows, &number.to_be_bytes(), &EdgeRow::from(edge))
}

fn number_in(row: &[u8]) -> Result<u64> {
    row.try_into()
        .map(u64::from_be_bytes)
        .map_err(|_| rows::broken(RowKind::EdgeTuple, "it is no number"))
}

/// The live edge between these ends.
pub(crate) fn find(rows: &dyn Rows, ends: &EdgeEnds) -> Result<Option<Edge>> {
    match rows.get(RowKind::EdgeTuple, &tuple_key(ends))? {
        Some(row) => read(rows, number_in(&row)?).map(Some),
        None => Ok(None),
    }
}

/// A meta that says something.
pub(crate) fn with_fields(meta: Option<Json>) -> Option<Json> {
    meta.filter(|meta| meta.as_str() != "{}")
}

/// Creates an edge, or updates the meta of an existing one: an empty object takes it away.
pub(crate) fn put(
    rows: &mut ProjectedMut<'_>,
    ends: &EdgeEnds,
    meta: Option<Json>,
    at: Timestamp,
) -> Result<()> {
    let tuple = tuple_key(ends);
    if let Some(row) = rows.get(RowKind::EdgeTuple, &tuple)? {
        let number = number_in(&row)?;
        let mut edge = read(rows, number)?;
        let new = meta.is_some().then(|| with_fields(meta));
        if let Some(new) = new.filter(|new| *new != edge.meta) {
            edge.meta = new;
            write(rows, number, edge)?;
        }
        return Ok(());
    }
    let number = rows.next_number()?;
    let edge = Edge {
        id: ends.edge_id(),
        ends: ends.clone(),
        meta: with_fields(meta),
        created_at: at,
        ended_at: None,
    };
    write(rows, number, edge)?;
    rows.put(RowKind::EdgeTuple, &tuple, &number.to_be_bytes())?;
    rows.put(
        RowKind::EdgeOut,
        &way_key(&ends.source_id, ends.relation, number),
        &[],
    )?;
    rows.put(
        RowKind::EdgeIn,
        &way_key(&ends.destination_id, ends.relation, number),
        &[],
    )
}

/// Ends a live edge, if there is one.
pub(crate) fn end(rows: &mut ProjectedMut<'_>, ends: &EdgeEnds, at: Timestamp) -> Result<()> {
    let tuple = tuple_key(ends);
    let Some(row) = rows.get(RowKind::EdgeTuple, &tuple)? else {
        return Ok(());
    };
    let number = number_in(&row)?;
    let mut edge = read(rows, number)?;
    edge.ended_at = Some(at);
    write(rows, number, edge)?;
    rows.remove(RowKind::EdgeTuple, &tuple)?;
    for (way, id) in [(Way::Out, &ends.source_id), (Way::In, &ends.destination_id)] {
        let key = way_key(id, ends.relation, number);
        rows.remove(way.row_kind(true), &key)?;
        rows.put(way.row_kind(false), &key, &[])?;
    }
    Ok(())
}

/// Edges at a node, newest first, at most `limit`: those that existed at `as_of`, or else the
/// live ones.
pub(crate) fn at_node(
    rows: &dyn Rows,
    way: Way,
    id: &str,
    relation: Option<Relation>,
    as_of: Option<Timestamp>,
    limit: usize,
) -> Result<Vec<Edge>> {
    let mut prefix = node_key(id);
    if let Some(relation) = relation {
        prefix.push(relation_number(relation));
    }
    let mut numbers = Vec::new();
    let states: &[bool] = if as_of.is_some() {
        &[true, false]
    } else {
        &[true]
    };
    for &is_live in states {
        rows.scan(way.row_kind(is_live), &prefix, None, &mut |key, _| {
            let tail = key
                .last_chunk::<8>()
                .ok_or_else(|| rows::broken(way.row_kind(is_live), "its key is too short"))?;
            numbers.push(!u64::from_be_bytes(*tail));
            // Live edges of one relation already come newest first.
            Ok(as_of.is_some() || relation.is_none() || numbers.len() < limit)
        })?;
    }
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let mut edges = Vec::new();
    for number in numbers {
        if edges.len() == limit {
            break;
        }
        let edge = read(rows, number)?;
        if as_of.is_none_or(|at| edge.holds_at(at)) {
            edges.push(edge);
        }
    }
    Ok(edges)
}

/// The nodes from which edges of one relation lead to a node, or led before they were ended.
pub(crate) fn ever_from(rows: &dyn Rows, id: &str, relation: Relation) -> Result<Vec<String>> {
    let mut prefix = node_key(id);
    prefix.push(relation_number(relation));
    let mut numbers = Vec::new();
    for is_live in [true, false] {
        let row_kind = Way::In.row_kind(is_live);
        rows.scan(row_kind, &prefix, None, &mut |key, _| {
            let tail = key
                .last_chunk::<8>()
                .ok_or_else(|| rows::broken(row_kind, "its key is too short"))?;
            numbers.push(!u64::from_be_bytes(*tail));
            Ok(true)
        })?;
    }
    numbers
        .into_iter()
        .map(|number| Ok(read(rows, number)?.ends.source_id))
        .collect()
}

/// Replaces every live edge of one relation from a node.
pub(crate) fn replace_out(
    rows: &mut ProjectedMut<'_>,
    source: (NodeType, &str),
    relation: Relation,
    targets: Vec<(NodeType, String, Option<Json>)>,
    at: Timestamp,
) -> Result<()> {
    let wanted: Vec<(EdgeEnds, Option<Json>)> = targets
        .into_iter()
        .map(|(destination_type, destination_id, meta)| {
            let ends = EdgeEnds {
                source_type: source.0,
                source_id: source.1.to_owned(),
                relation,
                destination_type,
                destination_id,
            };
            (ends, meta)
        })
        .collect();
    for old in at_node(rows, Way::Out, source.1, Some(relation), None, usize::MAX)? {
        if !wanted.iter().any(|(ends, _)| *ends == old.ends) {
            end(rows, &old.ends, at)?;
        }
    }
    for (ends, meta) in wanted {
        put(rows, &ends, meta, at)?;
    }
    Ok(())
}

/// Folds edges that were added or removed by a caller or an extraction.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, payload: EdgePayload) -> Result<()> {
    for item in payload.removed {
        end(rows, &item.into_parts().0, event.timestamp)?;
    }
    for item in payload.added {
        let (ends, meta) = item.into_parts();
        put(rows, &ends, meta, event.timestamp)?;
    }
    Ok(())
}
