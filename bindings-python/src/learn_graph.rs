//! Edges, whose ends are given as results or pairs.

use pyo3::prelude::*;
use recallite::rules::graph::EdgeEnds;

use crate::areas::Knowledge;
use crate::argument::{self, Given, optional, renamed, word as given_word};
use crate::convert::give;
use crate::learn_argument::node;

/// The core's names of the ends, and the Python arguments for them.
const EDGE_ARGUMENTS: &[(&str, &str)] =
    &[("source_id", "source"), ("destination_id", "destination")];

#[pymethods]
impl Knowledge {
    /// Adds an edge between two existing nodes. If the edge already exists, only its meta
    /// is replaced.
    ///
    /// `source` and `destination` are results that name an entry, entity or event, or pairs
    /// such as `("entry", id)`. `meta` is a `dict`. Blockers and resolutions follow from
    /// the tasks: use `tasks.change_status` and `tasks.resolve_condition` for them.
    ///
    /// Growth: Constant.
    #[pyo3(signature = (source, relation, destination, *, meta=None))]
    fn add_edge<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        relation: &Bound<'py, PyAny>,
        destination: &Bound<'py, PyAny>,
        meta: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                ends(source, relation, destination)?,
                optional(&meta, "meta", argument::json_object)?,
            ))
        };
        self.call(
            py,
            "knowledge.add_edge",
            arguments,
            |memory, (ends, meta)| {
                memory
                    .knowledge()
                    .add_edge(&ends, meta.as_ref())
                    .map_err(|error| renamed(error, EDGE_ARGUMENTS))
            },
            give,
        )
    }

    /// Removes an edge. It can still be read with `as_of`. Returns `False` if there is no
    /// such edge. Give its ends as in `add_edge`.
    ///
    /// Growth: Constant.
    #[pyo3(signature = (source, relation, destination))]
    fn remove_edge<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        relation: &Bound<'py, PyAny>,
        destination: &Bound<'py, PyAny>,
    ) -> PyResult<bool> {
        self.call(
            py,
            "knowledge.remove_edge",
            || ends(source, relation, destination),
            |memory, ends| memory.knowledge().remove_edge(&ends),
            |_, removed| Ok(removed),
        )
    }
}

fn ends(
    source: &Bound<'_, PyAny>,
    relation: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
) -> PyResult<EdgeEnds> {
    let source = node(source, "source")?;
    let relation = given_word(relation, "relation")?;
    let destination = node(destination, "destination")?;
    Ok(EdgeEnds {
        source_type: source.node_type,
        source_id: source.id,
        relation,
        destination_type: destination.node_type,
        destination_id: destination.id,
    })
}
