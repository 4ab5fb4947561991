//! Taking in what a language model extracted from a session.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use recallite::{IngestOptions, IngestReport, IngestedEntry, IngestedTask, SessionMessage};

use crate::argument::{self, Given, number, optional};
use crate::learn_argument::json_text;
use crate::learn_record::{PlacedReport, Placer, classes, evidence_report, list, word};
use crate::memory::Memory;
use crate::record::{self, Object, make};

/// A report whose spans are counted in code points as well.
struct PlacedIngest {
    entries: Vec<(IngestedEntry, PlacedReport)>,
    tasks: Vec<(IngestedTask, PlacedReport)>,
    rest: IngestReport,
}

#[pymethods]
impl Memory {
    /// The messages of a session as an extraction numbers them: its prompts and
    /// responses, in the order in which they were stored. Give these to the
    /// language model. Raises `NotFound` when there is no such session.
    #[pyo3(signature = (session, /))]
    fn session_messages<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "session_messages",
            || argument::text(session, "session"),
            |memory, session| memory.session_messages(&session),
            |py, messages| list(py, messages, session_message),
        )
    }

    /// Takes in what a language model extracted from a session: a `dict` or
    /// JSON text after `recallite.EXTRACTION_SCHEMA`.
    ///
    /// Quotes are looked up, entries and tasks become records, and every step is
    /// an event. Taking in the same extraction again writes nothing. An error
    /// names the element that is wrong, for example
    /// `entries[3].quotes[0].message_index`.
    ///
    /// `extractor_model`, `extractor_prompt` (kept as a hash) and `extraction_ms`
    /// go to the ledger. `project` is by default the session's, else the
    /// memory's own.
    #[pyo3(
        signature = (
            session, extraction, *, extractor_model=None, extractor_prompt=None,
            extraction_ms=None, project=None
        ),
        text_signature = "($self, session, extraction, *, extractor_model='', \
                          extractor_prompt='', extraction_ms=None, project=None)"
    )]
    fn ingest<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
        extraction: &Bound<'py, PyAny>,
        extractor_model: Given<'py>,
        extractor_prompt: Given<'py>,
        extraction_ms: Given<'py>,
        project: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let options = IngestOptions {
                extractor_model: optional(&extractor_model, "extractor_model", argument::text)?
                    .unwrap_or_default(),
                extractor_prompt: optional(&extractor_prompt, "extractor_prompt", argument::text)?
                    .unwrap_or_default(),
                extraction_ms: optional(&extraction_ms, "extraction_ms", number)?,
                project: optional(&project, "project", argument::text)?,
            };
            Ok((
                argument::text(session, "session")?,
                json_text(extraction, "extraction")?,
                options,
            ))
        };
        self.call(
            py,
            "ingest",
            arguments,
            |memory, (session, extraction, options)| {
                let report = memory.ingest_with(&session, &extraction, &options)?;
                placed(memory, report)
            },
            ingest_report,
        )
    }
}

fn placed(memory: &recallite::Memory, mut rest: IngestReport) -> recallite::Result<PlacedIngest> {
    let mut placer = Placer::new(memory);
    let mut entries = Vec::with_capacity(rest.entries.len());
    for mut entry in std::mem::take(&mut rest.entries) {
        let evidence = placer.place(std::mem::take(&mut entry.evidence))?;
        entries.push((entry, evidence));
    }
    let mut tasks = Vec::with_capacity(rest.tasks.len());
    for mut task in std::mem::take(&mut rest.tasks) {
        let evidence = placer.place(std::mem::take(&mut task.evidence))?;
        tasks.push((task, evidence));
    }
    Ok(PlacedIngest {
        entries,
        tasks,
        rest,
    })
}

fn session_message(py: Python<'_>, message: SessionMessage) -> Object<'_> {
    let event = message.event.map(|event| record::event(py, event));
    make(
        py,
        &classes(py)?.session_message,
        (message.index, event.transpose()?),
    )
}

fn ingest_report(py: Python<'_>, report: PlacedIngest) -> Object<'_> {
    make(
        py,
        &classes(py)?.ingest_report,
        (
            report.rest.build_id,
            report.rest.session,
            report.rest.already_ingested,
            record::each(py, report.entries, ingested_entry)?,
            record::each(py, report.tasks, ingested_task)?,
            report.rest.events,
        ),
    )
}

fn ingested_entry(py: Python<'_>, (entry, evidence): (IngestedEntry, PlacedReport)) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.ingested_entry,
        (
            entry.local_id,
            entry.entry_id.as_str(),
            entry.is_new,
            word(py, &classes.stage, entry.stage.as_str())?,
            evidence_report(py, evidence)?,
        ),
    )
}

fn ingested_task(py: Python<'_>, (task, evidence): (IngestedTask, PlacedReport)) -> Object<'_> {
    make(
        py,
        &classes(py)?.ingested_task,
        (
            task.local_id,
            task.task_id.as_str(),
            task.is_new,
            task.acts,
            evidence_report(py, evidence)?,
        ),
    )
}
