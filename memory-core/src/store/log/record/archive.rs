//! What a record contains, and the rkyv archive in which it is stored.

use std::ops::Deref;

use rkyv::api::high::to_bytes_in_with_alloc;
use rkyv::ser::allocator::Arena;
use rkyv::string::{ArchivedString, StringResolver};
use rkyv::with::Niche;
use rkyv::{Place, SerializeUnsized, rancor};

use crate::model::error::Result;
use crate::model::event::PrivacyReport;

/// A text of a record, in any representation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl<'a> Text<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl rkyv::Archive for Text<'_> {
    type Archived = ArchivedString;
    type Resolver = StringResolver;

    fn resolve(&self, resolver: StringResolver, out: Place<ArchivedString>) {
        ArchivedString::resolve_from_str(self.0, resolver, out);
    }
}

impl<S> rkyv::Serialize<S> for Text<'_>
where
    S: rancor::Fallible + ?Sized,
    S::Error: rancor::Source,
    str: SerializeUnsized<S>,
{
    fn serialize(&self, serializer: &mut S) -> std::result::Result<StringResolver, S::Error> {
        ArchivedString::serialize_from_str(self.0, serializer)
    }
}

/// The content of a record, in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record<'a> {
    pub(crate) salt: [u8; 16],
    pub(crate) id: [u8; 16],
    pub(crate) timestamp_ms: i64,
    pub(crate) origin: u8,
    pub(crate) session: Text<'a>,
    pub(crate) project: Text<'a>,
    pub(crate) actor: Text<'a>,
    pub(crate) citation: Text<'a>,
    pub(crate) content: Text<'a>,
    pub(crate) metadata: Option<Text<'a>>,
    pub(crate) tool: Option<ToolFields<'a>>,
    pub(crate) privacy: PrivacyReport,
    /// The keyed hash by which a duplicate of the event is recognised.
    pub(crate) dedupe: Option<[u8; 16]>,
    /// Its origin, if another store recorded it.
    pub(crate) foreign: Option<Foreign<'a>>,
}

/// The origin of another store's record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Foreign<'a> {
    /// The store that recorded it.
    pub(crate) store: [u8; 16],
    /// Its position in the log of that store.
    pub(crate) position: u64,
    /// When that store recorded it, by its hybrid logical clock: see
    /// [`crate::store::shared::record_order`].
    pub(crate) stamp_ms: i64,
    /// Its citation there.
    pub(crate) citation: Text<'a>,
}

/// The tool call of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ToolFields<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) input: Option<Text<'a>>,
    pub(crate) output: Text<'a>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) success: bool,
    pub(crate) error: Option<Text<'a>>,
    pub(crate) prompt_index: Option<u32>,
    pub(crate) tool_index: Option<u32>,
    pub(crate) metadata: Text<'a>,
}

/// Version 1 of the archived record. From the first release on it never changes: a new
/// version is a new type. Fields that follow from the content are left out.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct RecordV1<'a> {
    salt: [u8; 16],
    id: [u8; 16],
    timestamp_ms: i64,
    origin: u8,
    session: Text<'a>,
    project: Text<'a>,
    actor: Text<'a>,
    citation: Text<'a>,
    content: Text<'a>,
    #[rkyv(with = Niche)]
    metadata: Option<Box<Text<'a>>>,
    #[rkyv(with = Niche)]
    tool: Option<Box<ToolV1<'a>>>,
    /// `None` if nothing was filtered: the length is then that of the content.
    #[rkyv(with = Niche)]
    privacy: Option<Box<PrivacyV1>>,
    /// Zero for none.
    dedupe: [u8; 16],
    #[rkyv(with = Niche)]
    foreign: Option<Box<ForeignV1<'a>>>,
}

/// Version 1 of an archived record's origin.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct ForeignV1<'a> {
    store: [u8; 16],
    position: u64,
    stamp_ms: i64,
    citation: Text<'a>,
}

impl<'a> ForeignV1<'a> {
    pub(super) fn new(foreign: &Foreign<'a>) -> Self {
        ForeignV1 {
            store: foreign.store,
            position: foreign.position,
            stamp_ms: foreign.stamp_ms,
            citation: foreign.citation,
        }
    }
}

impl ArchivedForeignV1<'_> {
    pub(super) fn fields(&self) -> Foreign<'_> {
        Foreign {
            store: self.store,
            position: self.position.to_native(),
            stamp_ms: self.stamp_ms.to_native(),
            citation: text(&self.citation),
        }
    }
}

/// Version 1 of an archived tool call, borrowed.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct ToolV1<'a> {
    name: Text<'a>,
    input: Option<Text<'a>>,
    output: Text<'a>,
    duration_ms: Option<u64>,
    success: bool,
    error: Option<Text<'a>>,
    prompt_index: Option<u32>,
    tool_index: Option<u32>,
    metadata: Text<'a>,
}

/// Version 1 of an archived privacy report.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct PrivacyV1 {
    private_count: u32,
    secret_count: u32,
    anonymized_count: u32,
    original_bytes: u64,
    filtered_bytes: u64,
}

impl PrivacyV1 {
    pub(super) fn new(report: &PrivacyReport) -> Self {
        PrivacyV1 {
            private_count: report.private_count,
            secret_count: report.secret_count,
            anonymized_count: report.anonymized_count,
            original_bytes: report.original_bytes,
            filtered_bytes: report.filtered_bytes,
        }
    }
}

impl ArchivedPrivacyV1 {
    pub(super) fn report(&self) -> PrivacyReport {
        PrivacyReport {
            private_count: self.private_count.to_native(),
            secret_count: self.secret_count.to_native(),
            anonymized_count: self.anonymized_count.to_native(),
            original_bytes: self.original_bytes.to_native(),
            filtered_bytes: self.filtered_bytes.to_native(),
        }
    }
}

/// The privacy report of a text that was not changed.
pub(super) fn nothing_filtered(content: &str) -> PrivacyReport {
    PrivacyReport {
        original_bytes: content.len() as u64,
        filtered_bytes: content.len() as u64,
        ..PrivacyReport::default()
    }
}

impl<'a> ToolV1<'a> {
    pub(super) fn new(tool: &ToolFields<'a>) -> Self {
        ToolV1 {
            name: tool.name,
            input: tool.input,
            output: tool.output,
            duration_ms: tool.duration_ms,
            success: tool.success,
            error: tool.error,
            prompt_index: tool.prompt_index,
            tool_index: tool.tool_index,
            metadata: tool.metadata,
        }
    }
}

impl ArchivedToolV1<'_> {
    pub(super) fn fields(&self) -> ToolFields<'_> {
        ToolFields {
            name: text(&self.name),
            input: self.input.as_ref().map(text),
            output: text(&self.output),
            duration_ms: self.duration_ms.as_ref().map(|n| n.to_native()),
            success: self.success,
            error: self.error.as_ref().map(text),
            prompt_index: self.prompt_index.as_ref().map(|n| n.to_native()),
            tool_index: self.tool_index.as_ref().map(|n| n.to_native()),
            metadata: text(&self.metadata),
        }
    }
}

pub(super) fn text(archived: &ArchivedString) -> Text<'_> {
    Text(archived.as_str())
}

pub(super) fn put_archive(out: Vec<u8>, record: &Record<'_>) -> Result<Vec<u8>, rancor::Error> {
    let is_untouched = record.privacy == nothing_filtered(&record.content);
    let (tool, foreign) = (record.tool.as_ref(), record.foreign.as_ref());
    let archived = RecordV1 {
        salt: record.salt,
        id: record.id,
        timestamp_ms: record.timestamp_ms,
        origin: record.origin,
        session: record.session,
        project: record.project,
        actor: record.actor,
        citation: record.citation,
        content: record.content,
        metadata: record.metadata.map(Box::new),
        tool: tool.map(|tool| Box::new(ToolV1::new(tool))),
        privacy: (!is_untouched).then(|| Box::new(PrivacyV1::new(&record.privacy))),
        dedupe: record.dedupe.unwrap_or_default(),
        foreign: foreign.map(|foreign| Box::new(ForeignV1::new(foreign))),
    };
    // An arena of its own: rkyv's is gone on a thread that is ending, or in `atexit`.
    let mut arena = Arena::new();
    to_bytes_in_with_alloc(&archived, out, arena.acquire())
}

/// The content of an archive, in place; `None` if it is malformed.
pub(super) fn read_archive(bytes: &[u8]) -> Option<Record<'_>> {
    let record = rkyv::access::<ArchivedRecordV1<'static>, rancor::Error>(bytes).ok()?;
    let content = text(&record.content);
    let privacy = match record.privacy.as_ref() {
        Some(report) => report.report(),
        None => nothing_filtered(&content),
    };
    Some(Record {
        salt: record.salt,
        id: record.id,
        timestamp_ms: record.timestamp_ms.to_native(),
        origin: record.origin,
        session: text(&record.session),
        project: text(&record.project),
        actor: text(&record.actor),
        citation: text(&record.citation),
        content,
        metadata: record.metadata.as_ref().map(|json| text(json)),
        tool: record.tool.as_ref().map(|tool| tool.fields()),
        privacy,
        dedupe: (record.dedupe != [0; 16]).then_some(record.dedupe),
        foreign: record.foreign.as_ref().map(|foreign| foreign.fields()),
    })
}
