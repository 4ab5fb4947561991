//! Rules about what is learned: moves of tasks, edges, blockers, levels,
//! insights, continuity.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyTuple};
use recallite::rules::endless::{
    self, ConsolidationPolicy, ConsolidationTrigger, ContextSnapshot, continuity as join,
    snapshot as look,
};
use recallite::rules::graph::{self, Adjacency, NodeType, Relation};
use recallite::rules::levels::{
    self, CueLanguages, EvidenceGate, GraduationPolicy, InsightEvent, Level, Usage,
};
use recallite::rules::tasks::{EntityKind, TaskPhase, TaskStatus, Transition};

use crate::argument::{self, Given, elements, number, optional, signed, word as given_word};
use crate::convert::{FromPython, Object, give, rows};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::rules::{class, plain, rule};

/// What becomes of a requested move of a task. Pending to done is refused and
/// leads to in_progress; cancelled is final.
#[pyfunction]
#[pyo3(signature = (from_, to, /))]
pub(crate) fn decide_transition<'py>(
    py: Python<'py>,
    from_: &Bound<'py, PyAny>,
    to: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        Ok((
            given_word::<TaskStatus>(from_, "from_")?,
            given_word::<TaskStatus>(to, "to")?,
        ))
    };
    rule(
        py,
        "decide_transition",
        arguments,
        |(from, to)| Ok(Transition::decide(from, to)),
        |py, moved| {
            let status = give(py, moved.effective_status())?;
            let fields = (moved.outcome(), status, moved.rejected_reason());
            class(py, "TaskTransition")?.call1(fields)
        },
    )
}

/// The status with which a task comes into being when it is first heard of with
/// `requested`.
#[pyfunction]
#[pyo3(signature = (requested=None, /))]
pub(crate) fn initial_task_status<'py>(
    py: Python<'py>,
    requested: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    rule(
        py,
        "initial_task_status",
        || optional(&requested, "requested", given_word::<TaskStatus>),
        |requested| Ok(TaskPhase::initial(TaskStatus::initial(requested)).status()),
        give,
    )
}

/// Whether a task of this status may have that many confirmed and suggested
/// blockers.
#[pyfunction]
#[pyo3(
    signature = (status, confirmed, suggested=None, /),
    text_signature = "(status, confirmed, suggested=0, /)"
)]
pub(crate) fn allows_blockers<'py>(
    py: Python<'py>,
    status: &Bound<'py, PyAny>,
    confirmed: &Bound<'py, PyAny>,
    suggested: Given<'py>,
) -> PyResult<bool> {
    let arguments = || {
        Ok((
            given_word::<TaskStatus>(status, "status")?,
            argument::size(confirmed, "confirmed")?,
            optional(&suggested, "suggested", argument::size)?.unwrap_or(0),
        ))
    };
    rule(
        py,
        "allows_blockers",
        arguments,
        |(status, confirmed, suggested)| Ok(status.allows_blockers(confirmed, suggested)),
        plain,
    )
}

/// Whether an edge of this relation may lead from one node type to another.
#[pyfunction]
#[pyo3(signature = (source_type, relation, destination_type, /))]
pub(crate) fn is_edge_allowed(
    py: Python<'_>,
    source_type: &Bound<'_, PyAny>,
    relation: &Bound<'_, PyAny>,
    destination_type: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let arguments = || {
        Ok((
            given_word::<NodeType>(source_type, "source_type")?,
            given_word::<Relation>(relation, "relation")?,
            given_word::<NodeType>(destination_type, "destination_type")?,
        ))
    };
    rule(
        py,
        "is_edge_allowed",
        arguments,
        |(source, relation, destination)| Ok(relation.allows(source, destination)),
        plain,
    )
}

/// The graph that a caller gave.
struct Graph {
    kinds: HashMap<String, EntityKind>,
    /// From old to new.
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

/// What really blocks a task, given a graph: `entities` maps ids to kinds, `edges`
/// are triples `(source, relation, destination)` from old to new. A condition
/// that resolves to another entity is replaced by it.
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

/// Whether a memory at `level` rises, by how it was used (a `Usage`, a dict, or
/// `None` when it never was). `evidence_aligned=False`: a quote of it was not
/// found, so that it is not verified.
#[pyfunction]
#[pyo3(signature = (level, usage, *, evidence_aligned=None))]
pub(crate) fn evaluate_graduation<'py>(
    py: Python<'py>,
    level: &Bound<'py, PyAny>,
    usage: &Bound<'py, PyAny>,
    evidence_aligned: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let aligned = optional(&evidence_aligned, "evidence_aligned", argument::boolean)?;
        let gate = match aligned {
            None => EvidenceGate::NotNeeded,
            Some(true) => EvidenceGate::Aligned,
            Some(false) => EvidenceGate::Failed,
        };
        let usage = optional(&Some(usage.clone()), "usage", Usage::from_python)?;
        Ok((given_word::<Level>(level, "level")?, usage, gate))
    };
    rule(
        py,
        "evaluate_graduation",
        arguments,
        |(level, usage, gate)| {
            let policy = GraduationPolicy::default();
            Ok(levels::evaluate(&policy, level, usage.as_ref(), gate))
        },
        |py, found| {
            let failed_on = found
                .failed_on
                .map(|criterion| class(py, "Criterion")?.call1((criterion.as_str(),)));
            let fields = (
                give(py, found.next)?,
                found.passed,
                failed_on.transpose()?,
                found.reason,
            );
            class(py, "Evaluation")?.call1(fields)
        },
    )
}

const INSIGHT_FIELDS: &[&str] = &["id", "is_user_prompt", "content", "canonical_key"];

fn insight_event(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(String, bool, String, String)> {
    let class = class(value.py(), "InsightEvent")?;
    let expected = "an InsightEvent or a dict";
    let prefix = format!("{name}.");
    let fields = Fields::of(value, name, prefix, &class, INSIGHT_FIELDS, expected)?;
    Ok((
        fields.required("id", argument::text)?,
        fields.required("is_user_prompt", argument::boolean)?,
        fields.required("content", argument::text)?,
        fields.required("canonical_key", argument::text)?,
    ))
}

/// Finds patterns (two or more events with the same key) and preferences (prompts
/// with a cue word). `events` are `InsightEvent`s or dicts; `cues` is `english` or
/// `english_and_korean`.
#[pyfunction]
#[pyo3(
    signature = (events, *, cues=None),
    text_signature = "(events, *, cues='english_and_korean')"
)]
pub(crate) fn extract_insights<'py>(
    py: Python<'py>,
    events: &Bound<'py, PyAny>,
    cues: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let cues = optional(&cues, "cues", given_word::<CueLanguages>)?;
        Ok((
            elements(
                events,
                "events",
                "several InsightEvent or dict",
                insight_event,
            )?,
            cues.unwrap_or(CueLanguages::EnglishAndKorean),
        ))
    };
    rule(
        py,
        "extract_insights",
        arguments,
        |(events, cues)| {
            let events: Vec<InsightEvent<'_>> = events
                .iter()
                .map(
                    |(id, is_user_prompt, content, canonical_key)| InsightEvent {
                        id,
                        is_user_prompt: *is_user_prompt,
                        content,
                        canonical_key,
                    },
                )
                .collect();
            Ok(levels::extract_insights(&events, cues))
        },
        rows,
    )
}

const SNAPSHOT_FIELDS: &[&str] = &["id", "timestamp", "topics", "files", "entities"];

fn context(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ContextSnapshot> {
    let class = class(value.py(), "ContextSnapshot")?;
    let expected = "a ContextSnapshot or a dict";
    let prefix = format!("{name}.");
    let fields = Fields::of(value, name, prefix, &class, SNAPSHOT_FIELDS, expected)?;
    let texts = |field: &str| -> PyResult<Vec<String>> {
        Ok(fields.optional(field, argument::texts)?.unwrap_or_default())
    };
    Ok(ContextSnapshot {
        id: fields.required("id", argument::text)?,
        timestamp: fields.required("timestamp", argument::timestamp)?,
        topics: texts("topics")?,
        files: texts("files")?,
        entities: texts("entities")?,
    })
}

fn context_snapshot(py: Python<'_>, found: ContextSnapshot) -> Object<'_> {
    let fields = (
        found.id,
        give(py, found.timestamp)?,
        PyTuple::new(py, found.topics)?,
        PyTuple::new(py, found.files)?,
        PyTuple::new(py, found.entities)?,
    );
    class(py, "ContextSnapshot")?.call1(fields)
}

/// What a text is about: the topics, files and names in it, found without a
/// model.
#[pyfunction]
#[pyo3(signature = (id, text, at))]
pub(crate) fn snapshot<'py>(
    py: Python<'py>,
    id: &Bound<'py, PyAny>,
    text: &Bound<'py, PyAny>,
    at: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        Ok((
            argument::text(id, "id")?,
            argument::text(text, "text")?,
            argument::timestamp(at, "at")?,
        ))
    };
    rule(
        py,
        "snapshot",
        arguments,
        |(id, text, at)| Ok(look::snapshot(&id, &text, at)),
        context_snapshot,
    )
}

/// Scores how far `current` goes on from `previous` (both `ContextSnapshot`s or
/// dicts; `None` when nothing was before). From `min_seamless` on it is seamless.
#[pyfunction]
#[pyo3(
    signature = (current, previous, *, min_seamless=None),
    text_signature = "(current, previous, *, min_seamless=0.7)"
)]
pub(crate) fn continuity<'py>(
    py: Python<'py>,
    current: &Bound<'py, PyAny>,
    previous: &Bound<'py, PyAny>,
    min_seamless: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let least = optional(&min_seamless, "min_seamless", number)?;
        Ok((
            context(current, "current")?,
            optional(&Some(previous.clone()), "previous", context)?,
            least.unwrap_or(join::MIN_SEAMLESS_SCORE),
        ))
    };
    rule(
        py,
        "continuity",
        arguments,
        |(current, previous, least)| Ok(endless::continuity(&current, previous.as_ref(), least)),
        give,
    )
}

/// The name to show for a session: `endless` for each day of the endless mode.
#[pyfunction]
#[pyo3(signature = (session, /))]
pub(crate) fn outside_session_name(py: Python<'_>, session: &Bound<'_, PyAny>) -> PyResult<String> {
    rule(
        py,
        "outside_session_name",
        || argument::text(session, "session"),
        |session| Ok(endless::outside_session_name(&session).to_owned()),
        plain,
    )
}

/// Whether it is time to consolidate: any one of the limits of `policy` (a
/// `ConsolidationPolicy` or a dict) is reached. Times are in milliseconds.
#[pyfunction]
#[pyo3(signature = (*, since_last_ms, working_set_size, idle_ms, policy=None))]
pub(crate) fn is_consolidation_due<'py>(
    py: Python<'py>,
    since_last_ms: &Bound<'py, PyAny>,
    working_set_size: &Bound<'py, PyAny>,
    idle_ms: &Bound<'py, PyAny>,
    policy: Given<'py>,
) -> PyResult<bool> {
    let arguments = || {
        let trigger = ConsolidationTrigger {
            since_last_ms: signed(since_last_ms, "since_last_ms")?,
            working_set_size: argument::size(working_set_size, "working_set_size")?,
            idle_ms: signed(idle_ms, "idle_ms")?,
        };
        Ok((
            trigger,
            optional(&policy, "policy", ConsolidationPolicy::from_python)?.unwrap_or_default(),
        ))
    };
    rule(
        py,
        "is_consolidation_due",
        arguments,
        |(trigger, policy)| Ok(trigger.is_due(&policy)),
        plain,
    )
}
