//! From the receipts of upkeep to the frozen dataclasses of `recallite._upkeep`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use recallite::rules::outbox::Processed;
use recallite::{
    CheckReport, Compacted, Divergence, Erased, Exported, Forgotten, Imported, Maintained, Rebuilt,
    Upgraded,
};

use crate::record::{Object, fields, make, time};
use crate::stored::classes;

classes! {
    /// The classes of `recallite._upkeep`.
    Classes, classes, "recallite._upkeep";
    check_report = "CheckReport",
    compacted = "Compacted",
    divergence = "Divergence",
    erased = "Erased",
    exported = "Exported",
    forgotten = "Forgotten",
    imported = "Imported",
    maintained = "Maintained",
    processed = "Processed",
    rebuilt = "Rebuilt",
    upgraded = "Upgraded",
}

pub(crate) fn forgotten(py: Python<'_>, done: Forgotten) -> Object<'_> {
    make(
        py,
        &classes(py)?.forgotten,
        (
            done.count,
            done.content_bytes,
            done.sessions,
            done.jobs,
            done.segments,
            done.tombstone.map(|seq| seq.0),
        ),
    )
}

pub(crate) fn erased(py: Python<'_>, done: Erased) -> Object<'_> {
    make(
        py,
        &classes(py)?.erased,
        (
            done.count,
            done.dependents,
            done.tombstone.map(|seq| seq.0),
            done.generation,
            done.was_overwritten,
            PyTuple::new(py, done.places)?,
            done.is_complete,
            PyTuple::new(py, done.open_places)?,
            done.completed,
        ),
    )
}

pub(crate) fn compacted(py: Python<'_>, done: Compacted) -> Object<'_> {
    make(
        py,
        &classes(py)?.compacted,
        (done.before_bytes, done.after_bytes, done.generation),
    )
}

fn divergence(py: Python<'_>, found: Divergence) -> Object<'_> {
    make(
        py,
        &classes(py)?.divergence,
        (
            found.place,
            found.seq.map(|seq| seq.0),
            found.problem,
            found.remedy,
        ),
    )
}

pub(crate) fn check_report(py: Python<'_>, report: CheckReport) -> Object<'_> {
    let first = report.first_divergence;
    make(
        py,
        &classes(py)?.check_report,
        (
            report.ok,
            report.events,
            first.map(|found| divergence(py, found)).transpose()?,
            report.state_hash,
            time(py, report.as_of)?,
        ),
    )
}

pub(crate) fn rebuilt(py: Python<'_>, done: Rebuilt) -> Object<'_> {
    make(
        py,
        &classes(py)?.rebuilt,
        (done.events, done.hash_before, done.hash_after),
    )
}

pub(crate) fn exported(py: Python<'_>, done: Exported) -> Object<'_> {
    make(py, &classes(py)?.exported, (done.events, done.bytes))
}

pub(crate) fn imported(py: Python<'_>, done: Imported) -> Object<'_> {
    make(
        py,
        &classes(py)?.imported,
        (done.events, done.duplicates, done.skipped),
    )
}

pub(crate) fn upgraded(py: Python<'_>, done: Upgraded) -> Object<'_> {
    make(
        py,
        &classes(py)?.upgraded,
        (done.from_format, done.to_format, done.changed),
    )
}

pub(crate) fn maintained(py: Python<'_>, done: Maintained) -> Object<'_> {
    let fields = fields![py;
        done.folded,
        done.merges,
        done.jobs_done,
        done.jobs_failed,
        done.jobs_revived,
        done.jobs_cleaned,
        done.jobs_waiting,
        done.graph_vectors,
        done.judged,
        done.moved,
        done.insights,
        done.consolidated,
        done.has_more,
        done.compaction_pays,
        done.erasures_completed,
        done.erasures_open,
    ];
    make(py, &classes(py)?.maintained, fields)
}

pub(crate) fn processed(py: Python<'_>, done: Processed) -> Object<'_> {
    let errors = done.errors.into_iter().map(|(job, why)| (job.0, why));
    make(
        py,
        &classes(py)?.processed,
        (
            done.processed,
            done.succeeded,
            done.failed,
            done.skipped,
            PyTuple::new(py, errors.collect::<Vec<_>>())?,
        ),
    )
}
