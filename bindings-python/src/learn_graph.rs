//! The graph between events, entries and entities: edges, lineage, and entries
//! that speak of the same things.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recallite::EdgeFilter;
use recallite::rules::graph::{EdgeEnds, NodeType, Relation};
use recallite::rules::tasks::EntityId;

use crate::areas::Knowledge;
use crate::argument::{self, Given, elements, optional, renamed, word as given_word};
use crate::convert::{Class, give, rows};
use crate::failure::raise;
use crate::learn_argument::{any_id, entry_id, node};

/// The core's names of the ends, and the arguments that give them here.
const EDGE_ARGUMENTS: &[(&str, &str)] =
    &[("source_id", "source"), ("destination_id", "destination")];

#[pymethods]
impl Knowledge {
    /// The edges from a node or to a node, the newest first. Give exactly one of
    /// `from_` and `to`: the id of an entry, entity or event, or a result that
    /// names one. `as_of`: as they were at this moment.
    #[pyo3(
        signature = (*, from_=None, to=None, relation=None, as_of=None, limit=None),
        text_signature = "($self, *, from_=None, to=None, relation=None, as_of=None, limit=1000)"
    )]
    fn edges<'py>(
        &self,
        py: Python<'py>,
        from_: Given<'py>,
        to: Given<'py>,
        relation: Given<'py>,
        as_of: Given<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let filter = EdgeFilter {
                from: optional(&from_, "from_", any_id)?,
                to: optional(&to, "to", any_id)?,
                relation: optional(&relation, "relation", given_word::<Relation>)?,
                as_of: optional(&as_of, "as_of", argument::timestamp)?,
                limit: optional(&limit, "limit", argument::size)?,
            };
            if filter.from.is_some() == filter.to.is_some() {
                let problem = "give exactly one of `from_` and `to`";
                return Err(raise(py, &recallite::Error::invalid("from_", problem)));
            }
            Ok(filter)
        };
        self.call(
            py,
            "knowledge.edges",
            arguments,
            |memory, filter| memory.knowledge().edges(&filter),
            rows,
        )
    }

    /// Makes an edge between two nodes that exist; one that is there already only
    /// gets the new meta.
    ///
    /// `source` and `destination` are results that name an entry, entity or
    /// event, or pairs such as `("entry", id)`. `meta` is a `dict`. Blockers and
    /// resolutions follow the tasks: use `change_task_status` and
    /// `resolve_condition` for them.
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

    /// Removes an edge; it stays readable with `as_of`. `False` when there is
    /// none. Its ends are given as to `add_edge`.
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

    /// Replaces every edge of one relation from a node, at once, by edges to
    /// `targets` (at most 10,000), each given as to `add_edge`. When one of them
    /// is wrong nothing is changed.
    #[pyo3(signature = (source, relation, targets))]
    fn replace_edges<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        relation: &Bound<'py, PyAny>,
        targets: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                node(source, "source")?,
                given_word::<Relation>(relation, "relation")?,
                elements(targets, "targets", "several nodes", node)?,
            ))
        };
        self.call(
            py,
            "knowledge.replace_edges",
            arguments,
            |memory, (source, relation, targets): ((NodeType, String), _, Vec<_>)| {
                memory
                    .knowledge()
                    .replace_edges((source.0, &source.1), relation, &targets)
            },
            |py, (removed, added)| {
                static CLASS: Class = Class::new("EdgesReplaced");
                CLASS.get(py)?.call1((removed, added))
            },
        )
    }

    /// The entries that prove something about an entity which this entry proves
    /// something about too: a `dict` of entry ids, each with those entities' ids.
    #[pyo3(signature = (entry, /))]
    fn related_entries<'py>(
        &self,
        py: Python<'py>,
        entry: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.call(
            py,
            "knowledge.related_entries",
            || entry_id(entry, "entry"),
            |memory, entry| memory.knowledge().related_entries(&entry),
            |py, related| {
                let found = PyDict::new(py);
                for (entry, entities) in related {
                    let entities: Vec<&str> = entities.iter().map(EntityId::as_str).collect();
                    found.set_item(entry.as_str(), entities)?;
                }
                Ok(found)
            },
        )
    }
}

fn ends(
    source: &Bound<'_, PyAny>,
    relation: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
) -> PyResult<EdgeEnds> {
    let (source_type, source_id) = node(source, "source")?;
    let relation = given_word(relation, "relation")?;
    let (destination_type, destination_id) = node(destination, "destination")?;
    Ok(EdgeEnds {
        source_type,
        source_id,
        relation,
        destination_type,
        destination_id,
    })
}
