//! Vectors of edges and blockers.

use recallite::rules::graph::{EntityKind, NodeType, Relation, validate_edge};
use recallite::rules::plain::{GraphEdge, effective_blockers};
use recallite::rules::tasks::EntityRef;
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

fn blockers_case(input: &Value, expected: &Value) -> Result<(), String> {
    let kind = |text: &str| text.parse::<EntityKind>();
    let entities = list(input, "entities")
        .map(|one| Ok((kind(text(one, "type"))?, text(one, "id").into()).into()))
        .collect::<recallite::Result<Vec<EntityRef>>>();
    let edges = list(input, "edges")
        .map(|edge| {
            Ok(GraphEdge {
                source_id: text(edge, "src").to_owned(),
                relation: text(edge, "rel").parse()?,
                destination_id: text(edge, "dst").to_owned(),
            })
        })
        .collect::<recallite::Result<Vec<GraphEdge>>>();
    let said = |error: recallite::Error| error.to_string();
    let (entities, edges) = (entities.map_err(said)?, edges.map_err(said)?);
    let found: Vec<Value> = effective_blockers(text(input, "task_id"), &entities, &edges)
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
