//! Vectors of edges and blockers.

use recallite::rules::graph::{
    Adjacency, EntityKind, NodeType, Relation, effective_blockers, validate_edge,
};
use serde_json::{Value, json};

use super::Runner;
use super::compare::{equal, list, text};

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[
    ("edge_validity", edge_case),
    ("effective_blockers", blockers_case),
];

fn edge_case(input: &Value, expected: &Value) -> Result<(), String> {
    let ends = || -> recallite::Result<()> {
        let source: NodeType = text(input, "src_type").parse()?;
        let relation: Relation = text(input, "rel_type").parse()?;
        let destination: NodeType = text(input, "dst_type").parse()?;
        validate_edge(source, relation, destination)
    };
    equal(&json!({"valid": ends().is_ok()}), expected)
}

/// The graph of a case; edges are ordered from old to new.
struct Graph<'a>(&'a Value);

impl Graph<'_> {
    fn ends(&self, from: &str, id: &str, relation: Relation, to: &str) -> Vec<String> {
        let mut found: Vec<String> = list(self.0, "edges")
            .filter(|edge| text(edge, from) == id && text(edge, "rel") == relation.as_str())
            .map(|edge| text(edge, to).to_owned())
            .collect();
        found.reverse();
        found
    }
}

impl Adjacency for Graph<'_> {
    fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String> {
        self.ends("src", source_id, relation, "dst")
    }

    fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String> {
        self.ends("dst", destination_id, relation, "src")
    }

    fn entity_kind(&self, entity_id: &str) -> Option<EntityKind> {
        list(self.0, "entities")
            .find(|entity| text(entity, "id") == entity_id)
            .and_then(|entity| text(entity, "type").parse().ok())
    }
}

fn blockers_case(input: &Value, expected: &Value) -> Result<(), String> {
    let found: Vec<Value> = effective_blockers(&Graph(input), text(input, "task_id"))
        .into_iter()
        .map(|blocker| {
            json!({
                "original_id": blocker.original_id,
                "effective_id": blocker.effective_id,
                "effective_type": blocker.effective_kind.map(EntityKind::as_str),
                "resolved": blocker.resolved,
            })
        })
        .collect();
    let mut expected: Vec<Value> = expected.as_array().cloned().unwrap_or_default();
    expected.sort_by_key(|blocker| text(blocker, "original_id").to_owned());
    equal(&Value::from(found), &Value::from(expected))
}
