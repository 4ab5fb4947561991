//! What was learned: how conflicts and questions end, and the edges of several nodes.

use napi_derive::napi;
use recallite::rules::entries::EntryId;
use recallite::rules::graph::NodeType;
use recallite::{Memory, Result};

use super::each;
use crate::convert::give;
use crate::generated::NativeConflict;
use crate::input::word;
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::size;

/// A node of the graph. `type` is a word of Rust.
#[napi(object, object_to_js = false)]
pub struct NativeNode {
    #[napi(js_name = "type")]
    pub node_type: String,
    pub id: String,
}

/// How a conflict ends.
#[napi(object, object_to_js = false)]
pub struct NativeConflictVerdict {
    pub in_favour_of: String,
    pub resolution: String,
    pub resolved_by: String,
}

/// An answer to what an uncertain memory means.
#[napi(object, object_to_js = false)]
pub struct NativeMemoryAnswer {
    pub kind: String,
    pub resolved_to: Option<String>,
    pub confidence: f64,
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

fn resolve_conflict(
    memory: &Memory,
    conflict_id: String,
    verdict: NativeConflictVerdict,
) -> Result<NativeConflict> {
    let conflict = memory.knowledge().resolve_conflict(
        &conflict_id,
        &EntryId::new(verdict.in_favour_of),
        &verdict.resolution,
        &verdict.resolved_by,
    )?;
    give(memory, conflict)
}

fn resolve_memory(memory: &Memory, uncertain: String, answer: NativeMemoryAnswer) -> Result<()> {
    memory.knowledge().resolve_memory(
        &uncertain,
        word("kind", &answer.kind)?,
        answer.resolved_to.as_deref(),
        answer.confidence,
    )
}

methods! {
    resolve_conflict / resolve_conflict_sync(
        conflict_id: [String], verdict: [NativeConflictVerdict])
        -> [NativeConflict] as "Promise<NativeConflict | Failure>" = resolve_conflict;
    resolve_memory / resolve_memory_sync(uncertain: [String], answer: [NativeMemoryAnswer])
        -> [()] as "Promise<undefined | Failure>" = resolve_memory;
    replace_edges / replace_edges_sync(
        source: [NativeNode], relation: [String], targets: [Vec<NativeNode>])
        -> [NativeReplacedEdges] as "Promise<NativeReplacedEdges | Failure>" = replace_edges;
    related_entries / related_entries_sync(entry: [String])
        -> [Vec<NativeRelatedEntry>] as "Promise<Array<NativeRelatedEntry> | Failure>"
        = related_entries;
}
