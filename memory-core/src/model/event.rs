//! Events as callers pass them in and as the log stores them, and the receipt of an append.

use std::fmt;
use std::str::FromStr;

use super::error::{Error, Result};
use super::ids::{CitationId, EventId, Seq};
use super::json::Json;
use super::read::words;
use super::setters::setters;
use super::shorten::quoted;
use super::time::Timestamp;

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// What kind of event it is. The number and the name are stable, on disk and in
        /// every language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum EventKind { $($(#[$doc])* $name = $code,)* }

        impl EventKind {
            /// Every kind, in numeric order.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$name,)*];

            /// Returns the stable name, for example `"user_prompt"`.
            pub fn as_str(self) -> &'static str {
                match self { $(EventKind::$name => $text,)* }
            }

            /// The kind with this stable number.
            pub(crate) fn from_number(number: u16) -> Option<Self> {
                match number { $($code => Some(EventKind::$name),)* _ => None }
            }
        }
    };
}

event_kinds! {
    /// What a person asked or said.
    UserPrompt = 1, "user_prompt";
    /// What the agent answered.
    AgentResponse = 2, "agent_response";
    /// A summary of a session.
    SessionSummary = 3, "session_summary";
    /// A tool call and what it returned.
    ToolObservation = 4, "tool_observation";
    /// Pipeline: the messages of a session were taken in for learning.
    SessionIngested = 16, "session_ingested";
    /// Pipeline: an extractor returned its result for a session.
    MemoryExtracted = 17, "memory_extracted";
    /// Pipeline: quotes were aligned to exact spans.
    EvidenceAligned = 18, "evidence_aligned";
    /// Pipeline: entries were checked against their evidence.
    EntriesChecked = 19, "entries_checked";
    /// An entry was created, changed stage, or was superseded.
    EntryChanged = 20, "entry_changed";
    /// A build run began, succeeded or failed.
    BuildRun = 21, "build_run";
    /// A decision was recorded with its evidence.
    DecisionMade = 22, "decision_made";
    /// Two entries were found to contradict each other, or the conflict was resolved.
    ConflictChanged = 23, "conflict_changed";
    /// A pipeline stage reported how long it took.
    PipelineMetric = 24, "pipeline_metric";
    /// A caller created or removed an edge.
    EdgeChanged = 25, "edge_changed";
    /// A task was created.
    TaskCreated = 32, "task_created";
    /// A task changed its status.
    TaskStatusChanged = 33, "task_status_changed";
    /// A task's priority changed.
    TaskPriorityChanged = 34, "task_priority_changed";
    /// A task's blockers were replaced or suggested.
    TaskBlockersSet = 35, "task_blockers_set";
    /// A requested status change of a task was rejected.
    TaskTransitionRejected = 36, "task_transition_rejected";
    /// A condition that can block tasks was declared.
    ConditionDeclared = 37, "condition_declared";
    /// An artifact that can block tasks was declared.
    ArtifactDeclared = 38, "artifact_declared";
    /// A condition turned out to be another entity.
    ConditionResolvedTo = 39, "condition_resolved_to";
    /// A task's title changed.
    TaskTitleChanged = 40, "task_title_changed";
    /// A session began, ended, or got a summary or tags.
    SessionChanged = 48, "session_changed";
    /// Events were recalled; recorded in batches.
    Accessed = 49, "accessed";
    /// Recalled text was given to an agent, with its citations.
    Injected = 50, "injected";
    /// Events were forgotten (a tombstone).
    Forgotten = 51, "forgotten";
    /// Events were erased from the log.
    Erased = 52, "erased";
    /// An event moved to another memory level.
    LevelChanged = 53, "level_changed";
    /// Part of the working set was consolidated.
    Consolidated = 54, "consolidated";
    /// The continuity between two contexts was scored.
    ContinuityScored = 55, "continuity_scored";
    /// A setting of the store changed (mode, endless mode).
    SettingChanged = 56, "setting_changed";
    /// An uncertain memory was confirmed, rejected or left pending.
    MemoryResolved = 57, "memory_resolved";
    /// An event was pinned or unpinned.
    PinChanged = 58, "pin_changed";
}

impl EventKind {
    /// Returns true if events of this kind are part of a conversation (prompt, response,
    /// tool observation or session summary) and can therefore be found by a search.
    pub fn is_conversation(self) -> bool {
        matches!(
            self,
            EventKind::UserPrompt
                | EventKind::AgentResponse
                | EventKind::SessionSummary
                | EventKind::ToolObservation
        )
    }

    /// Whether an event of this kind is a turn of its session: a prompt or a response.
    pub(crate) fn is_turn(self) -> bool {
        matches!(self, EventKind::UserPrompt | EventKind::AgentResponse)
    }

    /// Whether an event of this kind is an act on a task, a condition or an artifact.
    pub(crate) fn is_of_task(self) -> bool {
        matches!(
            self,
            EventKind::TaskCreated
                | EventKind::TaskStatusChanged
                | EventKind::TaskPriorityChanged
                | EventKind::TaskBlockersSet
                | EventKind::TaskTransitionRejected
                | EventKind::TaskTitleChanged
                | EventKind::ConditionDeclared
                | EventKind::ArtifactDeclared
                | EventKind::ConditionResolvedTo
        )
    }

    /// Returns true if callers can append events of this kind, which holds for the four
    /// conversation kinds. Every other kind records what the library itself did, and replaying the
    /// log acts on it. Such events are recorded only by the methods that do it, such as
    /// [`Memory::forget`](crate::Memory::forget).
    pub fn is_appendable(self) -> bool {
        self.is_conversation()
    }

    /// Returns the word that people see: `prompt`, `response`, `insight` or `tool`, and the
    /// stable name for everything else.
    pub fn display_name(self) -> &'static str {
        match self {
            EventKind::UserPrompt => "prompt",
            EventKind::AgentResponse => "response",
            EventKind::SessionSummary => "insight",
            EventKind::ToolObservation => "tool",
            other => other.as_str(),
        }
    }

    /// Returns the stable number of the kind.
    pub fn number(self) -> u16 {
        self as u16
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EventKind {
    type Err = Error;

    /// Accepts the stable name, the display word of a conversation kind, and
    /// `assistant_response`.
    fn from_str(text: &str) -> Result<Self> {
        EventKind::ALL
            .iter()
            .copied()
            .find(|kind| {
                kind.as_str() == text || (kind.is_conversation() && kind.display_name() == text)
            })
            .or((text == "assistant_response").then_some(EventKind::AgentResponse))
            .ok_or_else(|| {
                let problem = format_args!(
                    "{} is not an event kind, such as \"user_prompt\", \"agent_response\", \
                     \"tool_observation\" or \"session_summary\"",
                    quoted(text)
                );
                Error::invalid("kind", problem)
            })
    }
}

/// Where the text of an event came from. It lets the library recognise recalled text that
/// comes back, so that it is not learned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Origin {
    /// A person wrote it.
    User = 1,
    /// An agent wrote it.
    Assistant = 2,
    /// A tool returned it.
    Tool = 3,
    /// It was fetched from the web.
    Web = 4,
    /// It is recalled text that came back as an event.
    Recalled = 5,
    /// The library itself recorded it.
    System = 6,
}

impl Origin {
    /// Every origin, in numeric order.
    pub const ALL: &'static [Origin] = &[
        Origin::User,
        Origin::Assistant,
        Origin::Tool,
        Origin::Web,
        Origin::Recalled,
        Origin::System,
    ];

    /// Returns the stable name, for example `"assistant"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Assistant => "assistant",
            Origin::Tool => "tool",
            Origin::Web => "web",
            Origin::Recalled => "recalled",
            Origin::System => "system",
        }
    }

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Origin::ALL
            .iter()
            .copied()
            .find(|origin| *origin as u8 == number)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Origin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Origin::ALL
            .iter()
            .copied()
            .find(|origin| origin.as_str() == text)
            .ok_or_else(|| {
                Error::invalid("origin", format_args!("{} is not an origin", quoted(text)))
            })
    }
}

/// The longest duration of a tool call, in milliseconds: the largest integer that is exact in every
/// language.
pub(crate) const MAX_DURATION_MS: u64 = (1 << 53) - 1;

/// A tool call, as the host saw it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolUse {
    /// The tool's name, for example `"Read"`.
    pub name: String,
    /// The arguments, as JSON.
    pub input: Option<Json>,
    /// What the tool returned, as text.
    pub output: String,
    /// How long the call took, in milliseconds; at most 2^53 - 1, which every language can
    /// represent exactly.
    pub duration_ms: Option<u64>,
    /// Whether the call succeeded. Default: true if `error` is absent or blank.
    pub success: Option<bool>,
    /// The error message, if the call failed.
    pub error: Option<String>,
    /// Which prompt of the session caused the call, counted from 0.
    pub prompt_index: Option<u32>,
    /// Which call of that prompt this is, counted from 0.
    pub tool_index: Option<u32>,
}

impl ToolUse {
    /// Creates a call of the tool with this name, without arguments or output.
    pub fn new(name: impl Into<String>) -> Self {
        ToolUse {
            name: name.into(),
            ..ToolUse::default()
        }
    }

    setters! {
        /// Sets the arguments.
        input: some Json;
        /// Sets what the tool returned.
        output: text;
        /// Sets how long the call took, in milliseconds.
        duration_ms: some u64;
        /// Sets whether the call succeeded.
        success: some bool;
        /// Sets the error message.
        error: some text;
        /// Sets which prompt of the session caused the call.
        prompt_index: some u32;
        /// Sets which call of that prompt this is.
        tool_index: some u32;
    }
}

/// How a repeated event is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dedupe {
    /// Events with the same content in the same session are one event (the default).
    #[default]
    Content,
    /// Events with the same key are one event. The key can be, for example, the uuid of a message
    /// in a transcript. Do not build it from the text: its hash, keyed with a secret of the store,
    /// outlives an erasure, so that an import does not bring the event back.
    Key(String),
    /// Every append stores a new event.
    None,
}

/// An event to append.
///
/// ```
/// use recallite::{EventKind, NewEvent};
/// let event = NewEvent::new(EventKind::UserPrompt, "session-1", "What did we decide about the cache?")
///     .actor("Ada")
///     .project("shop");
/// assert_eq!(event.session, "session-1");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewEvent {
    /// What kind of event it is: one of the four conversation kinds,
    /// [`EventKind::UserPrompt`], [`EventKind::AgentResponse`], [`EventKind::SessionSummary`] or
    /// [`EventKind::ToolObservation`].
    pub kind: EventKind,
    /// The session it belongs to, 1 to 1,024 bytes.
    pub session: String,
    /// The text. It may be empty for a tool observation, whose text is then made from
    /// `tool`.
    pub content: String,
    /// Who said or did it: `user`, `assistant`, the name of a tool or of a speaker.
    /// Default: derived from the kind.
    pub actor: Option<String>,
    /// Where the text came from. Default: derived from the kind.
    pub origin: Option<Origin>,
    /// The project it belongs to. Default: the project that the memory was opened for.
    pub project: Option<String>,
    /// When it happened. Default: now.
    pub timestamp: Option<Timestamp>,
    /// Any other information, as a JSON object. A prompt or response whose metadata has
    /// `"isNote": true` stands on its own: search does not take the messages before and after
    /// it in its session for its context.
    pub metadata: Option<Json>,
    /// How a repetition is recognised: by the same content in the same session (the
    /// default), by a key, or not at all.
    pub dedupe: Dedupe,
    /// Whether an event that was forgotten or erased counts as already stored, so that this one is
    /// not stored again. A forgotten event is recognised by its key, and also by its content; an
    /// erased one only by a key. Set this for imports, which bring the same events again. Default:
    /// false.
    pub stays_forgotten: bool,
    /// The tool call of a tool observation.
    pub tool: Option<ToolUse>,
}

impl NewEvent {
    /// Creates an event with default values for everything optional.
    pub fn new(kind: EventKind, session: impl Into<String>, content: impl Into<String>) -> Self {
        NewEvent {
            kind,
            session: session.into(),
            content: content.into(),
            actor: None,
            origin: None,
            project: None,
            timestamp: None,
            metadata: None,
            dedupe: Dedupe::Content,
            stays_forgotten: false,
            tool: None,
        }
    }

    /// Creates a tool observation whose content is made from the tool call.
    pub fn tool(session: impl Into<String>, tool: ToolUse) -> Self {
        let mut event = NewEvent::new(EventKind::ToolObservation, session, "");
        event.tool = Some(tool);
        event
    }

    /// Sets who said or did it.
    #[must_use]
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Sets where the text came from.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets the project it belongs to.
    #[must_use]
    pub fn project(mut self, project: impl Into<String>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Sets when it happened.
    #[must_use]
    pub fn timestamp(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// Attaches a JSON object.
    #[must_use]
    pub fn metadata(mut self, metadata: Json) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Sets how a repetition is recognised.
    #[must_use]
    pub fn dedupe(mut self, dedupe: Dedupe) -> Self {
        self.dedupe = dedupe;
        self
    }

    /// Sets whether an event that was forgotten or erased counts as already stored.
    #[must_use]
    pub fn stays_forgotten(mut self, stays_forgotten: bool) -> Self {
        self.stays_forgotten = stays_forgotten;
        self
    }
}

/// Whether metadata marks a message as a note; see [`NewEvent::metadata`].
pub(crate) fn is_note(metadata: Option<&str>) -> bool {
    const NAME: &str = "isNote";
    metadata.is_some_and(|json| {
        json.contains(NAME)
            && serde_json::from_str::<serde_json::Value>(json)
                .is_ok_and(|metadata| metadata[NAME] == true)
    })
}

/// What the privacy filter did to one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivacyReport {
    /// The number of private sections that were removed.
    pub private_count: u32,
    /// The number of secrets that were masked.
    pub secret_count: u32,
    /// The number of pieces of personal data that were anonymised (only with `anonymize`).
    pub anonymized_count: u32,
    /// The length of the text before filtering, in UTF-8 bytes.
    pub original_bytes: u64,
    /// The length of the text after filtering, in UTF-8 bytes.
    pub filtered_bytes: u64,
}

impl Appended {
    /// The receipt of an event that was not stored.
    pub(crate) fn skipped(reason: SkipReason) -> Self {
        Appended {
            id: EventId::from_bytes([0; 16]),
            seq: Seq(0),
            citation: CitationId::from_checked(String::new()),
            duplicate: false,
            skipped: Some(reason),
            privacy: PrivacyReport::default(),
            truncated_bytes: 0,
            warnings: Vec::new(),
        }
    }
}

impl PrivacyReport {
    /// Returns true if anything was removed or masked.
    pub fn changed(&self) -> bool {
        self.private_count + self.secret_count + self.anonymized_count > 0
    }

    /// The figures in the order in which exports and batches write them.
    pub(crate) fn figures(&self) -> [u64; 5] {
        [
            u64::from(self.private_count),
            u64::from(self.secret_count),
            u64::from(self.anonymized_count),
            self.original_bytes,
            self.filtered_bytes,
        ]
    }

    /// The report with these figures.
    pub(crate) fn of_figures(figures: [u64; 5]) -> Self {
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let [private, secret, anonymized, original_bytes, filtered_bytes] = figures;
        PrivacyReport {
            private_count: small(private),
            secret_count: small(secret),
            anonymized_count: small(anonymized),
            original_bytes,
            filtered_bytes,
        }
    }
}

words! {
    /// Why an append stored nothing although it did not fail.
    SkipReason ("skipped") {
        /// The tool policy excludes calls of this tool, or of all tools.
        ToolExcluded = "tool_excluded",
        /// The call failed, and the tool policy stores only successful calls.
        ToolFailed = "tool_failed",
        /// Recording is paused for the session or the project.
        Paused = "paused",
    }
}

/// The receipt of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// The event's id; for a duplicate, the id of the stored event. All zeros if it was
    /// skipped.
    pub id: EventId,
    /// The event's position in the log; 0 if it was skipped.
    pub seq: Seq,
    /// The event's citation; empty if it was skipped.
    pub citation: CitationId,
    /// True if the same event was already stored and nothing was written.
    pub duplicate: bool,
    /// Why nothing was stored although the append did not fail; `None` if the event is on
    /// disk.
    pub skipped: Option<SkipReason>,
    /// What the privacy filter did.
    pub privacy: PrivacyReport,
    /// The number of bytes that were cut from tool output; 0 if none.
    pub truncated_bytes: u64,
    /// Warnings for the caller, for example about an unclosed private tag.
    pub warnings: Vec<String>,
}

/// A tool call as it is stored: masked, truncated, and with metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolRecord {
    /// The tool's name.
    pub name: String,
    /// The masked arguments, as JSON.
    pub input: Option<Json>,
    /// The masked output, truncated to the limits in force when it was stored.
    pub output: String,
    /// How long the call took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether the call succeeded.
    pub success: bool,
    /// The masked error message.
    pub error: Option<String>,
    /// Which prompt of the session caused the call, counted from 0.
    pub prompt_index: Option<u32>,
    /// Which call of that prompt this is, counted from 0.
    pub tool_index: Option<u32>,
    /// What was derived from the call (file path, exit code, …), as a JSON object.
    pub metadata: Json,
}

/// An event stored in the log.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Its identity.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The session it belongs to.
    pub session: String,
    /// The project it belongs to; empty if there is none.
    pub project: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The complete text, after filtering.
    pub content: String,
    /// The canonical key of the text, by which repetitions are recognised.
    pub canonical_key: String,
    /// The metadata that the caller attached, as a JSON object.
    pub metadata: Option<Json>,
    /// The tool call of a tool observation.
    pub tool: Option<ToolRecord>,
    /// What the privacy filter did when the event was stored.
    pub privacy: PrivacyReport,
}
