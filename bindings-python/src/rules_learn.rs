//! Rules about learned items that take a graph.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyMapping;
use recallite::rules::graph::{self, Adjacency, Relation};
use recallite::rules::tasks::EntityKind;

use crate::argument::{self, elements, word as given_word};
use crate::convert::rows;
use crate::failure::wrong_type;
use crate::rules::rule;

/// The graph given by the caller.
struct Graph {
    kinds: HashMap<String, EntityKind>,
    /// From oldest to newest.
    edges: Vec<(String, Relation, String)>,
}

impl Adjacency for Graph {
    fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String> {
        let newest_first = self.edges.iter().rev();
        newest_first
            .filter(|(from, kind, _)| from == source_id && *kind == relation)
            .map(|(_, _, to)| to.clone())
            .collect()
    }

    fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String> {
        let newest_first = self.edges.iter().rev();
        newest_first
            .filter(|(_, kind, to)| to == destination_id && *kind == relation)
            .map(|(from, _, _)| from.clone())
            .collect()
    }

    fn entity_kind(&self, entity_id: &str) -> Option<EntityKind> {
        self.kinds.get(entity_id).copied()
    }
}

fn triple(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(String, Relation, String)> {
    type Triple<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
    let (from, relation, to) = value
        .extract::<Triple<'_>>()
        .map_err(|_| wrong_type(name, "a triple of source, relation and destination", value))?;
    Ok((
        argument::text(&from, &format!("{name}[0]"))?,
        given_word(&relation, &format!("{name}[1]"))?,
        argument::text(&to, &format!("{name}[2]"))?,
    ))
}

/// Returns what effectively blocks a task, given a graph: `entities` maps ids to kinds, and
/// `edges` are triples `(source, relation, destination)` from oldest to newest. A condition
/// that was resolved to another entity is replaced by it.
#[pyfunction]
#[pyo3(signature = (task_id, *, entities, edges))]
pub(crate) fn effective_blockers<'py>(
    py: Python<'py>,
    task_id: &Bound<'py, PyAny>,
    entities: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let mapping = entities
            .cast::<PyMapping>()
            .map_err(|_| wrong_type("entities", "a mapping of ids to kinds", entities))?;
        let mut kinds = HashMap::new();
        for pair in mapping.items()?.iter() {
            let (id, kind): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            let id = argument::text(&id, "entities")?;
            let kind = given_word(&kind, &format!("entities[{id:?}]"))?;
            kinds.insert(id, kind);
        }
        let edges = elements(edges, "edges", "several triples", triple)?;
        Ok((argument::text(task_id, "task_id")?, Graph { kinds, edges }))
    };
    rule(
        py,
        "effective_blockers",
        arguments,
        |(task_id, graph)| Ok(graph::effective_blockers(&graph, &task_id)),
        rows,
    )
}
