//! Exports events as Arrow record batches through the C data interface in Python capsules,
//! so that no Arrow library is needed here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, LargeStringArray, RecordBatch, RecordBatchIterator, RecordBatchReader,
    StringArray, StructArray, TimestampMillisecondArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use recallite::{Error, ErrorCode, Event, Json, PrivacyReport, ToolRecord};

use crate::events::Reading;
use crate::failure::{guarded, raise};

/// The columns are the fields of `Event`; JSON is text, because Arrow has no type for it
/// that every reader supports.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        text("id"),
        Field::new("seq", DataType::UInt64, false),
        text("citation"),
        text("kind"),
        text("session"),
        text("project"),
        text("actor"),
        text("origin"),
        Field::new(
            "timestamp",
            DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            false,
        ),
        Field::new("content", DataType::LargeUtf8, false),
        text("canonical_key"),
        Field::new("metadata", DataType::LargeUtf8, true),
        Field::new("tool", DataType::Struct(tool_fields()), true),
        Field::new("privacy", DataType::Struct(privacy_fields()), false),
    ]))
});

/// Nullable, because most events have no tool call.
fn tool_fields() -> Fields {
    Fields::from(vec![
        Field::new("name", DataType::Utf8, true),
        Field::new("input", DataType::LargeUtf8, true),
        Field::new("output", DataType::LargeUtf8, true),
        Field::new("duration_ms", DataType::UInt64, true),
        Field::new("success", DataType::Boolean, true),
        Field::new("error", DataType::LargeUtf8, true),
        Field::new("prompt_index", DataType::UInt32, true),
        Field::new("tool_index", DataType::UInt32, true),
        Field::new("metadata", DataType::LargeUtf8, true),
    ])
}

fn privacy_fields() -> Fields {
    Fields::from(vec![
        Field::new("private_count", DataType::UInt32, false),
        Field::new("secret_count", DataType::UInt32, false),
        Field::new("anonymized_count", DataType::UInt32, false),
        Field::new("original_bytes", DataType::UInt64, false),
        Field::new("filtered_bytes", DataType::UInt64, false),
    ])
}

fn texts<'e, T: AsRef<str> + 'e>(events: &'e [Event], field: impl Fn(&'e Event) -> T) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(events.iter().map(field)))
}

fn tools(events: &[Event]) -> Result<ArrayRef, ArrowError> {
    fn each<'e, T>(
        events: &'e [Event],
        field: impl Fn(&'e ToolRecord) -> Option<T>,
    ) -> impl Iterator<Item = Option<T>> {
        events
            .iter()
            .map(move |event| event.tool.as_ref().and_then(&field))
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter(each(events, |t| Some(&t.name)))),
        Arc::new(LargeStringArray::from_iter(each(events, |t| {
            t.input.as_ref().map(Json::as_str)
        }))),
        Arc::new(LargeStringArray::from_iter(each(events, |t| {
            Some(&t.output)
        }))),
        Arc::new(UInt64Array::from_iter(each(events, |t| t.duration_ms))),
        Arc::new(BooleanArray::from_iter(each(events, |t| Some(t.success)))),
        Arc::new(LargeStringArray::from_iter(each(events, |t| {
            t.error.as_ref()
        }))),
        Arc::new(UInt32Array::from_iter(each(events, |t| t.prompt_index))),
        Arc::new(UInt32Array::from_iter(each(events, |t| t.tool_index))),
        Arc::new(LargeStringArray::from_iter(each(events, |t| {
            Some(t.metadata.as_str())
        }))),
    ];
    let is_there: Vec<bool> = events.iter().map(|event| event.tool.is_some()).collect();
    let column = StructArray::try_new(tool_fields(), columns, Some(is_there.into()))?;
    Ok(Arc::new(column))
}

fn privacy(events: &[Event]) -> Result<ArrayRef, ArrowError> {
    let small = |field: fn(&PrivacyReport) -> u32| -> ArrayRef {
        let values = events.iter().map(|event| field(&event.privacy));
        Arc::new(UInt32Array::from_iter_values(values))
    };
    let whole = |field: fn(&PrivacyReport) -> u64| -> ArrayRef {
        let values = events.iter().map(|event| field(&event.privacy));
        Arc::new(UInt64Array::from_iter_values(values))
    };
    let columns = vec![
        small(|report| report.private_count),
        small(|report| report.secret_count),
        small(|report| report.anonymized_count),
        whole(|report| report.original_bytes),
        whole(|report| report.filtered_bytes),
    ];
    let column = StructArray::try_new(privacy_fields(), columns, None)?;
    Ok(Arc::new(column))
}

fn batch(events: &[Event]) -> Result<RecordBatch, ArrowError> {
    let times = events.iter().map(|event| event.timestamp.millis());
    let columns: Vec<ArrayRef> = vec![
        texts(events, |event| event.id.to_string()),
        Arc::new(UInt64Array::from_iter_values(
            events.iter().map(|event| event.seq.0),
        )),
        texts(events, |event| event.citation.as_str()),
        texts(events, |event| event.kind.as_str()),
        texts(events, |event| &event.session),
        texts(events, |event| &event.project),
        texts(events, |event| &event.actor),
        texts(events, |event| event.origin.as_str()),
        Arc::new(TimestampMillisecondArray::from_iter_values(times).with_timezone("UTC")),
        Arc::new(LargeStringArray::from_iter_values(
            events.iter().map(|event| &event.content),
        )),
        texts(events, |event| &event.canonical_key),
        Arc::new(LargeStringArray::from_iter(
            events
                .iter()
                .map(|event| event.metadata.as_ref().map(Json::as_str)),
        )),
        tools(events)?,
        privacy(events)?,
    ];
    RecordBatch::try_new(Arc::clone(&SCHEMA), columns)
}

/// Reads events into batches on demand. A consumer may call it from any thread, without the
/// interpreter.
pub(crate) struct Batches {
    reading: Arc<Reading>,
    rows: usize,
}

impl Batches {
    pub(crate) fn new(reading: Arc<Reading>, rows: usize) -> Self {
        Batches { reading, rows }
    }

    /// The next batch; `None` at the end.
    pub(crate) fn step(&mut self) -> recallite::Result<Option<RecordBatch>> {
        let mut events = Vec::new();
        while events.len() < self.rows {
            match self.reading.step()? {
                Some(event) => events.push(event),
                None => break,
            }
        }
        if events.is_empty() {
            return Ok(None);
        }
        batch(&events).map(Some).map_err(|error| {
            Error::new(ErrorCode::Internal, format!("to_arrow: {error}")).with_source(error)
        })
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    /// Called through the C interface, which no panic may cross.
    fn next(&mut self) -> Option<Self::Item> {
        let step = catch_unwind(AssertUnwindSafe(|| self.step())).unwrap_or_else(|_| {
            Err(Error::new(
                ErrorCode::Internal,
                "reading events panicked: this is a defect in recallite; please report it",
            ))
        });
        step.map_err(|error| ArrowError::ExternalError(Box::new(error)))
            .transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }
}

/// A capsule that owns a stream until a consumer takes it.
pub(crate) fn stream(
    py: Python<'_>,
    batches: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// A capsule that owns the schema until a consumer takes it.
pub(crate) fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(SCHEMA.as_ref()).map_err(|error| {
        let error = Error::new(ErrorCode::Internal, format!("schema: {error}"));
        raise(py, &error)
    })?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Events as Arrow record batches, in memory. Created by `memory.events(…).to_arrow()`.
///
/// Everything that supports Arrow's PyCapsule interface can read it, any number of times:
/// `pyarrow.table(events)`, `polars.DataFrame(events)`,
/// `pandas.DataFrame.from_arrow(events)`. The columns are the fields of `Event`; `metadata`
/// and the tool's `input` and `metadata` are JSON texts.
#[pyclass(frozen, module = "recallite")]
pub(crate) struct ArrowEvents {
    batches: Vec<RecordBatch>,
    rows: usize,
}

impl ArrowEvents {
    pub(crate) fn new(batches: Vec<RecordBatch>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        ArrowEvents { batches, rows }
    }
}

#[pymethods]
impl ArrowEvents {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = SCHEMA.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The size of the batches in memory, in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        let batches = self.batches.iter();
        batches.map(RecordBatch::get_array_memory_size).sum()
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    fn __repr__(&self) -> String {
        format!(
            "<recallite.ArrowEvents of {} rows and {} columns>",
            self.rows,
            SCHEMA.fields().len()
        )
    }

    /// Returns the batches as an `ArrowArrayStream`. A requested schema is ignored.
    #[pyo3(
        signature = (requested_schema=None),
        text_signature = "($self, requested_schema=None)"
    )]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(py, "__arrow_c_stream__", || {
            // The batches share their buffers with the copies.
            let batches = self.batches.clone().into_iter().map(Ok);
            stream(py, RecordBatchIterator::new(batches, Arc::clone(&SCHEMA)))
        })
    }

    /// Returns the schema of the batches, as an `ArrowSchema`.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, "__arrow_c_schema__", || schema_capsule(py))
    }
}
