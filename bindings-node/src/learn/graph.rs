//! The graph between events, entries and entities.

use napi_derive::napi;
use recallite::rules::entries::EntryId;
use recallite::rules::graph::{EdgeEnds, NodeType};
use recallite::{EdgeFilter, Json, Memory, Result};

use super::{each, word, words};
use crate::convert::give;
use crate::generated::{NativeEdge, NativeLineageStep};
use crate::input::{self, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::size;

/// Which edges at a node are wanted.
#[napi(object, object_to_js = false)]
pub struct NativeEdgeFilter {
    pub from: Option<String>,
    pub to: Option<String>,
    pub relation: Option<String>,
    pub as_of: Option<Time>,
    pub limit: Option<f64>,
}

/// Where an edge leads from and to.
#[napi(object, object_to_js = false)]
pub struct NativeEdgeEnds {
    pub source_type: String,
    pub source_id: String,
    pub relation: String,
    pub destination_type: String,
    pub destination_id: String,
}

/// A node of the graph. `type` is a word of Rust.
#[napi(object, object_to_js = false)]
pub struct NativeNode {
    #[napi(js_name = "type")]
    pub node_type: String,
    pub id: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeReplacedEdges {
    pub removed: f64,
    pub added: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeRelatedEntry {
    pub entry_id: String,
    pub entity_ids: Vec<String>,
}

impl NativeEdgeEnds {
    fn ends(self) -> Result<EdgeEnds> {
        Ok(EdgeEnds {
            source_type: word("source_type", &self.source_type)?,
            source_id: self.source_id,
            relation: word("relation", &self.relation)?,
            destination_type: word("destination_type", &self.destination_type)?,
            destination_id: self.destination_id,
        })
    }
}

fn edges(memory: &Memory, filter: NativeEdgeFilter) -> Result<Vec<NativeEdge>> {
    let filter = EdgeFilter {
        from: filter.from,
        to: filter.to,
        relation: words("relation", filter.relation)?,
        as_of: input::optional("as_of", filter.as_of, input::time)?,
        limit: input::optional("limit", filter.limit, input::size)?,
    };
    give(memory, memory.knowledge().edges(&filter)?)
}

fn add_edge(
    memory: &Memory,
    ends: NativeEdgeEnds,
    meta_json: Option<String>,
) -> Result<NativeEdge> {
    let meta = input::optional("meta", meta_json.as_deref(), Json::parse)?;
    let edge = memory.knowledge().add_edge(&ends.ends()?, meta.as_ref())?;
    give(memory, edge)
}

fn remove_edge(memory: &Memory, ends: NativeEdgeEnds) -> Result<bool> {
    memory.knowledge().remove_edge(&ends.ends()?)
}

fn replace_edges(
    memory: &Memory,
    source: NativeNode,
    relation: String,
    targets: Vec<NativeNode>,
) -> Result<NativeReplacedEdges> {
    let source_type: NodeType = word("source.type", &source.node_type)?;
    let targets = each(targets.into_iter().enumerate(), |(index, target)| {
        let node_type = word(&format!("targets[{index}].type"), &target.node_type)?;
        Ok((node_type, target.id))
    })?;
    let (removed, added) = memory.knowledge().replace_edges(
        (source_type, &source.id),
        word("relation", &relation)?,
        &targets,
    )?;
    Ok(NativeReplacedEdges {
        removed: size(removed)?,
        added: size(added)?,
    })
}

fn lineage(memory: &Memory, entry: String) -> Result<Vec<NativeLineageStep>> {
    give(memory, memory.knowledge().lineage(&EntryId::new(entry))?)
}

fn related_entries(memory: &Memory, entry: String) -> Result<Vec<NativeRelatedEntry>> {
    let found = memory.knowledge().related_entries(&EntryId::new(entry))?;
    Ok(found
        .into_iter()
        .map(|(entry, entities)| NativeRelatedEntry {
            entry_id: entry.as_str().to_owned(),
            entity_ids: entities.iter().map(|id| id.as_str().to_owned()).collect(),
        })
        .collect())
}

methods! {
    edges / edges_sync(filter: [NativeEdgeFilter])
        -> [Vec<NativeEdge>] as "Promise<Array<NativeEdge> | Failure>" = edges;
    add_edge / add_edge_sync(ends: [NativeEdgeEnds], meta_json: [Option<String>])
        -> [NativeEdge] as "Promise<NativeEdge | Failure>" = add_edge;
    remove_edge / remove_edge_sync(ends: [NativeEdgeEnds])
        -> [bool] as "Promise<boolean | Failure>" = remove_edge;
    replace_edges / replace_edges_sync(
        source: [NativeNode], relation: [String], targets: [Vec<NativeNode>])
        -> [NativeReplacedEdges] as "Promise<NativeReplacedEdges | Failure>" = replace_edges;
    lineage / lineage_sync(entry: [String])
        -> [Vec<NativeLineageStep>] as "Promise<Array<NativeLineageStep> | Failure>" = lineage;
    related_entries / related_entries_sync(entry: [String])
        -> [Vec<NativeRelatedEntry>] as "Promise<Array<NativeRelatedEntry> | Failure>"
        = related_entries;
}
