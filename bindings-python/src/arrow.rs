//! Exports events as Arrow record batches through the C data interface in Python capsules,
//! so that no Arrow library is needed here.

use std::borrow::Cow;
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
use recallite::{Error, ErrorCode, Event, Json, Timestamp};

use crate::failure::{guarded, raise};
use crate::reading::Reading;

/// A column: its name, whether it may be null, and its values.
struct Column(&'static str, bool, Values);

/// The values of a column, of each event; JSON is text, because Arrow has no type for it that
/// every reader supports.
enum Values {
    Text(for<'e> fn(&'e Event) -> Option<Cow<'e, str>>),
    /// Together, they may be longer than 2 GiB in a batch.
    LongText(for<'e> fn(&'e Event) -> Option<&'e str>),
    Bool(fn(&Event) -> Option<bool>),
    U32(fn(&Event) -> Option<u32>),
    U64(fn(&Event) -> Option<u64>),
    Time(fn(&Event) -> Timestamp),
    /// Columns within it, and whether an event has it.
    Record(&'static [Column], fn(&Event) -> bool),
}

use Values::{Bool, LongText, Record, Text, Time, U32, U64};

/// Columns, one a line.
macro_rules! columns {
    ($($name:literal, $is_nullable:literal, $values:expr;)+) => {
        &[$(Column($name, $is_nullable, $values)),+]
    };
}

/// The columns are the fields of `Event`.
const COLUMNS: &[Column] = columns! {
    "id", false, Text(|one| Some(one.id.to_string().into()));
    "seq", false, U64(|one| Some(one.seq.0));
    "citation", false, Text(|one| some(one.citation.as_str()));
    "kind", false, Text(|one| some(one.kind.as_str()));
    "session", false, Text(|one| some(&one.session));
    "project", false, Text(|one| some(&one.project));
    "actor", false, Text(|one| some(&one.actor));
    "origin", false, Text(|one| some(one.origin.as_str()));
    "timestamp", false, Time(|one| one.timestamp);
    "content", false, LongText(|one| Some(&one.content));
    "canonical_key", false, Text(|one| some(&one.canonical_key));
    "metadata", true, LongText(|one| one.metadata.as_ref().map(Json::as_str));
    "tool", true, Record(TOOL_COLUMNS, |one| one.tool.is_some());
    "privacy", false, Record(PRIVACY_COLUMNS, |_| true);
};

/// Nullable, because most events have no tool call.
const TOOL_COLUMNS: &[Column] = columns! {
    "name", true, Text(|one| some(&one.tool.as_ref()?.name));
    "input", true, LongText(|one| one.tool.as_ref()?.input.as_ref().map(Json::as_str));
    "output", true, LongText(|one| Some(&one.tool.as_ref()?.output));
    "duration_ms", true, U64(|one| one.tool.as_ref()?.duration_ms);
    "success", true, Bool(|one| Some(one.tool.as_ref()?.success));
    "error", true, LongText(|one| one.tool.as_ref()?.error.as_deref());
    "prompt_index", true, U32(|one| one.tool.as_ref()?.prompt_index);
    "tool_index", true, U32(|one| one.tool.as_ref()?.tool_index);
    "metadata", true, LongText(|one| Some(one.tool.as_ref()?.metadata.as_str()));
};

const PRIVACY_COLUMNS: &[Column] = columns! {
    "private_count", false, U32(|one| Some(one.privacy.private_count));
    "secret_count", false, U32(|one| Some(one.privacy.secret_count));
    "anonymized_count", false, U32(|one| Some(one.privacy.anonymized_count));
    "original_bytes", false, U64(|one| Some(one.privacy.original_bytes));
    "filtered_bytes", false, U64(|one| Some(one.privacy.filtered_bytes));
};

fn some(text: &str) -> Option<Cow<'_, str>> {
    Some(text.into())
}

impl Values {
    fn data_type(&self) -> DataType {
        match self {
            Text(_) => DataType::Utf8,
            LongText(_) => DataType::LargeUtf8,
            Bool(_) => DataType::Boolean,
            U32(_) => DataType::UInt32,
            U64(_) => DataType::UInt64,
            Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            Record(columns, _) => DataType::Struct(fields(columns)),
        }
    }

    fn array(&self, events: &[Event]) -> Result<ArrayRef, ArrowError> {
        let all = events.iter();
        Ok(match self {
            Text(of) => Arc::new(all.map(of).collect::<StringArray>()),
            LongText(of) => Arc::new(all.map(of).collect::<LargeStringArray>()),
            Bool(of) => Arc::new(all.map(of).collect::<BooleanArray>()),
            U32(of) => Arc::new(all.map(of).collect::<UInt32Array>()),
            U64(of) => Arc::new(all.map(of).collect::<UInt64Array>()),
            Time(of) => {
                let times = all.map(|event| of(event).millis());
                Arc::new(TimestampMillisecondArray::from_iter_values(times).with_timezone("UTC"))
            }
            Record(columns, has) => {
                let has: Vec<bool> = all.map(has).collect();
                let is_missing = has.contains(&false);
                let nulls = is_missing.then(|| has.into());
                let arrays = arrays(columns, events)?;
                Arc::new(StructArray::try_new(fields(columns), arrays, nulls)?)
            }
        })
    }
}

fn fields(columns: &[Column]) -> Fields {
    let field = |Column(name, is_nullable, values): &Column| {
        Field::new(*name, values.data_type(), *is_nullable)
    };
    columns.iter().map(field).collect()
}

fn arrays(columns: &[Column], events: &[Event]) -> Result<Vec<ArrayRef>, ArrowError> {
    let columns = columns.iter();
    columns
        .map(|Column(_, _, values)| values.array(events))
        .collect()
}

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| Arc::new(Schema::new(fields(COLUMNS))));

fn batch(events: &[Event]) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_new(Arc::clone(&SCHEMA), arrays(COLUMNS, events)?)
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
