//! Every type that the core's front page names, or that a memory takes or gives, can grow: it
//! has `#[non_exhaustive]`, so that a new field or value breaks no program.

use crate::interface::declared::Shape;
use crate::interface::source::{Declared, Source};
use crate::interface::table::{AreaTable, Table};
use crate::shell::{Outcome, root};

/// What is complete, and why.
const COMPLETE: &[(&str, &str)] = &[
    ("EdgeEnds", "the five parts that identify an edge"),
    ("EntityRef", "a kind and an id, which identify an entity"),
    (
        "EvidenceQuote",
        "a message and its words: the specification's form of a quote",
    ),
    ("GraphNode", "a type and an id, which identify a node"),
    (
        "Usage",
        "the four counts by which the specification graduates a memory",
    ),
];

/// Areas of the table whose types only functions without a memory take and give. Their fields
/// are those of the specification.
const OF_RULES: &[&str] = &["rules", "judged"];

/// The types that ought to be able to grow and cannot.
fn closed(source: &Source, table: &Table) -> Outcome<Vec<String>> {
    let areas = table.area.iter();
    let areas = areas.filter(|area| !OF_RULES.contains(&area.name.as_str()));
    let names = |area: &AreaTable| [&area.words[..], &area.records, &area.options].concat();
    let listed: Vec<&Declared> = areas
        .flat_map(names)
        .map(|name| source.public(&name))
        .collect::<Outcome<_>>()?;
    let all = listed.into_iter().chain(source.named_by_crate());
    let closed = all.filter(|one| !one.is_open && has_parts(one));
    let mut names: Vec<String> = closed.map(|one| one.name.clone()).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Whether it has public fields or values: a single number or text that is a type of its own
/// has not.
fn has_parts(declared: &Declared) -> bool {
    match &declared.shape {
        Shape::Struct(structure) => !structure.is_builder,
        Shape::Words(_) | Shape::Values(_) => true,
        Shape::Other => false,
    }
}

#[test]
fn what_may_get_more_fields_or_values_leaves_room_for_them() -> Outcome {
    let source = Source::read(&root().join("memory-core/src"))?;
    let complete: Vec<&str> = COMPLETE.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        closed(&source, &Table::read()?)?,
        complete,
        "add `#[non_exhaustive]`, and setters or `new` to what a program makes"
    );
    Ok(())
}
