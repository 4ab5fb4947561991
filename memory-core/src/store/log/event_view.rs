//! Reading events in place: views of the records in the pages of the store, without copying
//! any text.

use crate::model::error::Result;
use crate::model::event::{Event, EventKind, Origin, PrivacyReport, ToolRecord};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::store::database::checked::HeldValue;
use crate::store::log::record::{Record, RecordView, Text, ToolFields, corrupt};
use crate::text::keys::canonical_key;

/// A view of an event in the store's page. Its texts are borrowed, not copied. See
/// [`Views::event`](crate::Views::event).
#[derive(Clone, Debug)]
pub struct EventView<'a> {
    seq: u64,
    kind: EventKind,
    origin: Origin,
    record: Record<'a>,
}

impl<'a> EventView<'a> {
    /// The view of a record with the content `record`.
    pub(in crate::store) fn new(view: &RecordView<'a>, record: Record<'a>) -> Result<Self> {
        let origin = Origin::from_number(record.origin)
            .ok_or_else(|| corrupt(view.seq(), "has an unknown origin"))?;
        Ok(EventView {
            seq: view.seq(),
            kind: view.kind(),
            origin,
            record,
        })
    }

    /// Returns the event's id.
    pub fn id(&self) -> EventId {
        EventId::from_bytes(self.record.id)
    }

    /// Returns its position in the log.
    pub fn seq(&self) -> Seq {
        Seq(self.seq)
    }

    /// Returns its citation, without `mem:`.
    pub fn citation(&self) -> &'a str {
        self.record.citation.0
    }

    /// Returns what kind of event it is.
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// Returns the session it belongs to.
    pub fn session(&self) -> &'a str {
        self.record.session.0
    }

    /// Returns the project it belongs to; empty if there is none.
    pub fn project(&self) -> &'a str {
        self.record.project.0
    }

    /// Returns who said or did it.
    pub fn actor(&self) -> &'a str {
        self.record.actor.0
    }

    /// Returns where the text came from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns when it happened.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis_clamped(self.record.timestamp_ms)
    }

    /// Returns the filtered text.
    pub fn content(&self) -> &'a str {
        self.record.content.0
    }

    /// Returns the caller's metadata, as JSON text.
    pub fn metadata(&self) -> Option<&'a str> {
        self.record.metadata.map(|json| json.0)
    }

    /// Returns the tool call of a tool observation.
    pub fn tool(&self) -> Option<ToolView<'a>> {
        self.record.tool.map(ToolView)
    }

    /// Returns what the privacy filter did.
    pub fn privacy(&self) -> PrivacyReport {
        self.record.privacy
    }

    /// Copies the event.
    pub fn to_event(&self) -> Event {
        Event {
            id: self.id(),
            seq: self.seq(),
            citation: CitationId::from_checked(self.citation().to_owned()),
            kind: self.kind,
            session: self.session().to_owned(),
            project: self.project().to_owned(),
            actor: self.actor().to_owned(),
            origin: self.origin,
            timestamp: self.timestamp(),
            content: self.content().to_owned(),
            canonical_key: canonical_key(self.content(), None),
            metadata: self.record.metadata.map(owned_json),
            tool: self.tool().map(|tool| tool.to_record()),
            privacy: self.privacy(),
        }
    }
}

/// The tool call of an [`EventView`].
#[derive(Clone, Copy, Debug)]
pub struct ToolView<'a>(ToolFields<'a>);

impl<'a> ToolView<'a> {
    /// Returns the tool's name.
    pub fn name(&self) -> &'a str {
        self.0.name.0
    }

    /// Returns the masked arguments, as JSON text.
    pub fn input(&self) -> Option<&'a str> {
        self.0.input.map(|json| json.0)
    }

    /// Returns the masked output, truncated to the limits in force when it was stored.
    pub fn output(&self) -> &'a str {
        self.0.output.0
    }

    /// Returns how long the call took, in milliseconds.
    pub fn duration_ms(&self) -> Option<u64> {
        self.0.duration_ms
    }

    /// Returns true if the call succeeded.
    pub fn success(&self) -> bool {
        self.0.success
    }

    /// Returns the masked error message.
    pub fn error(&self) -> Option<&'a str> {
        self.0.error.map(|text| text.0)
    }

    /// Returns which prompt of the session caused the call, counted from 0.
    pub fn prompt_index(&self) -> Option<u32> {
        self.0.prompt_index
    }

    /// Returns which call of that prompt this is, counted from 0.
    pub fn tool_index(&self) -> Option<u32> {
        self.0.tool_index
    }

    /// Returns what was derived from the call (file path, exit code, …), as JSON text.
    pub fn metadata(&self) -> &'a str {
        self.0.metadata.0
    }

    fn to_record(self) -> ToolRecord {
        ToolRecord {
            name: self.name().to_owned(),
            input: self.0.input.map(owned_json),
            output: self.output().to_owned(),
            duration_ms: self.duration_ms(),
            success: self.success(),
            error: self.error().map(str::to_owned),
            prompt_index: self.prompt_index(),
            tool_index: self.tool_index(),
            metadata: owned_json(self.0.metadata),
        }
    }
}

fn owned_json(text: Text<'_>) -> Json {
    Json::from_checked(text.0.to_owned())
}

/// Keeps the page of a live event in memory, for views that outlive a call. See
/// [`Views::guard`](crate::Views::guard).
pub struct EventGuard {
    seq: u64,
    page: HeldValue<&'static [u8]>,
}

impl std::fmt::Debug for EventGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventGuard")
            .field("seq", &self.seq)
            .finish_non_exhaustive()
    }
}

impl EventGuard {
    /// The guard of the record at a position, whose digest is verified here, and its time.
    pub(in crate::store) fn new(
        seq: u64,
        page: HeldValue<&'static [u8]>,
    ) -> Result<(EventGuard, i64)> {
        let at_ms = RecordView::new(seq, page.value())?.archive()?.timestamp_ms;
        Ok((EventGuard { seq, page }, at_ms))
    }

    /// The size of the record in bytes.
    pub(crate) fn size_bytes(&self) -> usize {
        self.page.value().len()
    }

    /// The envelope and what follows it.
    pub(in crate::store) fn record(&self) -> Result<RecordView<'_>> {
        RecordView::new(self.seq, self.page.value())
    }

    /// Returns a view of the event in the page. Call this once and reuse the view, because
    /// each call validates the structure of the record.
    ///
    /// # Errors
    /// `corrupt` when the record cannot be read.
    pub fn view(&self) -> Result<EventView<'_>> {
        let record = self.record()?;
        EventView::new(&record, record.archive_of_known_digest()?)
    }
}

impl RecordView<'_> {
    /// The record as an owned event.
    pub(crate) fn to_event(&self) -> Result<Event> {
        Ok(EventView::new(self, self.archive()?)?.to_event())
    }
}
