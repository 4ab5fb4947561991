//! Rules about learned items that take a graph.

use pyo3::prelude::*;
use pyo3::types::PyMapping;
use recallite::rules::plain::{self, GraphEdge};
use recallite::rules::tasks::{EntityId, EntityRef};

use crate::argument::{self, elements, word as given_word};
use crate::convert::rows;
use crate::failure::wrong_type;
use crate::rules::rule;

fn triple(value: &Bound<'_, PyAny>, name: &str) -> PyResult<GraphEdge> {
    type Triple<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
    let (from, relation, to) = value
        .extract::<Triple<'_>>()
        .map_err(|_| wrong_type(name, "a triple of source, relation and destination", value))?;
    Ok(GraphEdge {
        source_id: argument::text(&from, &format!("{name}[0]"))?,
        relation: given_word(&relation, &format!("{name}[1]"))?,
        destination_id: argument::text(&to, &format!("{name}[2]"))?,
    })
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
        let mut listed = Vec::new();
        for pair in mapping.items()?.iter() {
            let (id, kind): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            let id = argument::text(&id, "entities")?;
            let kind = given_word(&kind, &format!("entities[{id:?}]"))?;
            listed.push(EntityRef {
                kind,
                id: EntityId::new(id),
            });
        }
        let edges = elements(edges, "edges", "several triples", triple)?;
        Ok((argument::text(task_id, "task_id")?, listed, edges))
    };
    rule(
        py,
        "effective_blockers",
        arguments,
        |(task_id, entities, edges)| Ok(plain::effective_blockers(&task_id, &entities, &edges)),
        rows,
    )
}
