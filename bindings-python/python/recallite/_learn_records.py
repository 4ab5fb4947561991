"""What the learning calls give and take: evidence, entries, tasks, edges, levels,
the endless mode and the ledgers.

The extension fills the results by position, so the order of their fields is the
order in ``src/learn_*.rs``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, overload

from ._records import Event, _Record  # pyright: ignore[reportPrivateUsage]

__all__ = [
    "AlignedClaim",
    "AlignedQuote",
    "AlignmentReport",
    "Artifact",
    "ArtifactKind",
    "BlockedTask",
    "BlockerConfidence",
    "BlockerRef",
    "BuildRun",
    "BuildStatus",
    "BuildTools",
    "Candidate",
    "ClaimsAlignment",
    "Condition",
    "Conflict",
    "ConflictResolution",
    "ConsolidatedMemory",
    "ConsolidationPolicy",
    "ConsolidationReport",
    "Continuity",
    "ContinuityEntry",
    "Decision",
    "DecisionEvidence",
    "Edge",
    "EdgesReplaced",
    "EffectiveBlocker",
    "EffectiveMemory",
    "EffectiveStatus",
    "EndlessConfig",
    "EndlessContext",
    "EndlessStatus",
    "EntityKind",
    "EntityRef",
    "EntryHit",
    "EntryStatus",
    "EntryType",
    "EventLevel",
    "EvidenceKind",
    "EvidenceQuote",
    "EvidenceReport",
    "EvidenceSpan",
    "FailedQuote",
    "FailureReason",
    "Graduated",
    "IngestReport",
    "IngestedEntry",
    "IngestedTask",
    "InjectionPolicy",
    "Insight",
    "InsightKind",
    "LearnedEntry",
    "Level",
    "LevelChange",
    "LevelCounts",
    "LineageStep",
    "MatchMethod",
    "MemoryMode",
    "MemoryResolution",
    "MissingQuote",
    "NodeType",
    "PipelineMetric",
    "PipelineStage",
    "Placeholder",
    "Priority",
    "PromotionRecord",
    "Relation",
    "ResolutionKind",
    "ResolutionType",
    "SessionMessage",
    "Stage",
    "Task",
    "TaskDetail",
    "TaskStatus",
    "TransitionType",
    "Usage",
    "WorkingItem",
    "WorkingSetPolicy",
]


# Evidence.


class MatchMethod(StrEnum):
    """Which step found a quote."""

    EXACT = "exact"
    """It stands literally in the message."""
    NORMALIZED = "normalized"
    """It does once letter case, white space and compatibility forms are equal."""
    FUZZY = "fuzzy"
    """Something similar stands there."""
    NONE = "none"
    """No step found it."""


class FailureReason(StrEnum):
    """Why a quote was not aligned."""

    INVALID_INDEX = "invalid_index"
    """There is no message with this index."""
    EMPTY_QUOTE = "empty_quote"
    """The quote is empty or only white space."""
    NOT_FOUND = "not_found"
    """Nothing in the message resembles it."""
    BELOW_THRESHOLD = "below_threshold"
    """Something resembles it, but not enough."""
    AMBIGUOUS = "ambiguous"
    """It fits several places, and ``reject_ambiguous`` is on."""


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceQuote(_Record):
    """A quote and the message that it is said to come from."""

    message_index: int
    """Which message, counted from 0."""
    quote: str
    """The words of the message; 30 to 200 characters are best."""


@dataclass(frozen=True, slots=True, repr=False)
class AlignedQuote(_Record):
    """A quote whose place is known: ``message[start:end] == matched_text``."""

    message_index: int
    quote: str
    """The quote as it was given."""
    quote_hash: str
    """BLAKE3 of the quote as it was given, 64 hexadecimal digits."""
    matched_text: str
    """The words of the message that it means."""
    start: int
    """Where they begin in the message, in code points."""
    end: int
    """Where they end in the message, in code points, exclusive."""
    start_byte: int
    """Where they begin in the message's UTF-8 form, in bytes."""
    end_byte: int
    """Where they end in the message's UTF-8 form, in bytes, exclusive."""
    start_utf16: int
    """Where they begin in UTF-16 code units, as JavaScript counts."""
    end_utf16: int
    """Where they end in UTF-16 code units, exclusive."""
    match_method: MatchMethod
    confidence: float
    """From 0 to 1: exact 1.0, normalized 0.95, fuzzy below that."""
    ambiguous: bool
    """Whether other places fit equally well; the first is taken."""
    alternative_count: int
    """How many other places fit."""


@dataclass(frozen=True, slots=True, repr=False)
class FailedQuote(_Record):
    """A quote whose place was not found."""

    message_index: int
    quote: str
    quote_hash: str
    reason: FailureReason


@dataclass(frozen=True, slots=True, repr=False)
class AlignmentReport(_Record):
    """What became of all quotes of one entry; a sequence of its results."""

    evidence_aligned: bool
    """Whether every quote was aligned; true when there are none."""
    results: tuple[AlignedQuote | FailedQuote, ...]
    """One result per quote, in the order given."""

    @property
    def aligned(self) -> tuple[AlignedQuote, ...]:
        """The quotes whose place is known."""
        return tuple(one for one in self.results if isinstance(one, AlignedQuote))

    @property
    def failed(self) -> tuple[FailedQuote, ...]:
        """The quotes whose place was not found."""
        return tuple(one for one in self.results if isinstance(one, FailedQuote))

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[AlignedQuote | FailedQuote]:
        return iter(self.results)

    @overload
    def __getitem__(self, index: int) -> AlignedQuote | FailedQuote: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AlignedQuote | FailedQuote, ...]: ...
    def __getitem__(
        self, index: int | slice
    ) -> AlignedQuote | FailedQuote | tuple[AlignedQuote | FailedQuote, ...]:
        return self.results[index]


@dataclass(frozen=True, slots=True, repr=False)
class AlignedClaim(_Record):
    """A claim that the source supports, and where: ``source[start:end]``."""

    claim_index: int
    """Which claim, by its place in the list given."""
    start: int
    """In code points of the source."""
    end: int
    start_byte: int
    """In bytes of the source's UTF-8 form."""
    end_byte: int
    match_method: MatchMethod
    confidence: float
    """1.0 for exact, otherwise how many words are common, 0 to 1."""


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsAlignment(_Record):
    """What became of a list of claims."""

    is_aligned: bool
    """Whether at most two claims are missing."""
    confidence: float
    """Aligned claims divided by claims given; 1.0 when there are none."""
    aligned: tuple[AlignedClaim, ...]
    missing: tuple[int, ...]
    """The claims without support, by their place in the list given."""


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceSpan(_Record):
    """Where a stored quote stands: ``memory.event(event_id).content[start:end]``."""

    message_index: int
    """Which message of the session, counted from 0."""
    quote_hash: str
    start: int | None
    """In code points; ``None`` when the event was forgotten since."""
    end: int | None
    start_byte: int
    """In bytes of the content's UTF-8 form."""
    end_byte: int
    confidence: float
    method: MatchMethod
    event_id: str | None
    """The event that holds the message, where it is known."""


@dataclass(frozen=True, slots=True, repr=False)
class MissingQuote(_Record):
    """A quote that was not found, without its text."""

    message_index: int
    quote_hash: str
    reason: str
    """For example ``not_found``."""


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceReport(_Record):
    """What looking up an entry's quotes gave."""

    aligned: tuple[EvidenceSpan, ...]
    failed: tuple[MissingQuote, ...]

    @property
    def is_aligned(self) -> bool:
        """Whether every quote was found; true when there was none."""
        return not self.failed


# Ingesting.


class EntryType(StrEnum):
    """What an entry tells."""

    FACT = "fact"
    DECISION = "decision"
    INSIGHT = "insight"
    TASK_NOTE = "task_note"
    REFERENCE = "reference"
    PREFERENCE = "preference"
    PATTERN = "pattern"


class Stage(StrEnum):
    """How well an entry is proved, from the least to the best."""

    RAW = "raw"
    """As it was extracted."""
    WORKING = "working"
    """Well-formed."""
    CANDIDATE = "candidate"
    """Typed, with its quotes looked up."""
    VERIFIED = "verified"
    """Every quote was found in the source."""
    CERTIFIED = "certified"
    """Somebody vouched for it."""


class EntryStatus(StrEnum):
    """Whether an entry counts."""

    ACTIVE = "active"
    CONTESTED = "contested"
    """Another entry says otherwise; it counts less."""
    DEPRECATED = "deprecated"
    """It was taken back without a successor."""
    SUPERSEDED = "superseded"
    """Another entry took its place."""


@dataclass(frozen=True, slots=True, repr=False)
class SessionMessage(_Record):
    """A message of a session under the number that quotes name it by."""

    index: int
    """Counted from 0 over the session's prompts and responses."""
    event: Event | None
    """The prompt or response; ``None`` when it was forgotten."""


@dataclass(frozen=True, slots=True, repr=False)
class IngestedEntry(_Record):
    """What became of one entry of an extraction."""

    local_id: str
    """Its name in the extraction."""
    entry_id: str
    """Its identity in the store."""
    is_new: bool
    """Whether the store learned it by this call."""
    stage: Stage
    """How far its evidence carried it."""
    evidence: EvidenceReport


@dataclass(frozen=True, slots=True, repr=False)
class IngestedTask(_Record):
    """What became of one task of an extraction."""

    local_id: str
    task_id: str
    """The task that it means."""
    is_new: bool
    """Whether the task came into being by this call."""
    acts: int
    """How many acts on the task (and on what blocks it) were recorded."""
    evidence: EvidenceReport


@dataclass(frozen=True, slots=True, repr=False)
class IngestReport(_Record):
    """What ``ingest`` did."""

    build_id: str
    """The run in the ledger, see ``build_runs``."""
    session: str
    already_ingested: bool
    """True when the same extraction was taken in before: nothing was written."""
    entries: tuple[IngestedEntry, ...]
    tasks: tuple[IngestedTask, ...]
    events: int
    """How many events were recorded."""


# Tasks.


class EntityKind(StrEnum):
    """The three kinds of things that change by events."""

    TASK = "task"
    CONDITION = "condition"
    """Something that must become true."""
    ARTIFACT = "artifact"
    """Something elsewhere: a page, a ticket, an issue."""


class ArtifactKind(StrEnum):
    """What an artifact is."""

    URL = "url"
    JIRA = "jira"
    GITHUB_ISSUE = "github_issue"
    GENERIC = "generic"


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    DONE = "done"
    CANCELLED = "cancelled"


class Priority(StrEnum):
    """How urgent a task is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class BlockerConfidence(StrEnum):
    """How sure it is that a blocker's text means its entity."""

    HIGH = "high"
    SUGGESTED = "suggested"
    NONE = "none"
    """It is no known task; a condition stands for the text."""


class ResolutionType(StrEnum):
    """How it was found what a condition is in truth."""

    EXACT_MATCH = "exact_match"
    USER_CONFIRMED = "user_confirmed"
    AUTO_RESOLVED = "auto_resolved"


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(_Record):
    """A task that a text may mean."""

    entity_id: str
    title: str
    """Its title when it was proposed."""
    score: float
    """How near it is, from 0 to 1."""


@dataclass(frozen=True, slots=True, repr=False)
class BlockerRef(_Record):
    """A reference to what holds a task up."""

    kind: EntityKind
    entity_id: str
    raw_text: str
    """The words that named it."""
    confidence: BlockerConfidence
    candidates: tuple[Candidate, ...]
    """Tasks that the words may mean, when the confidence is ``none``."""


@dataclass(frozen=True, slots=True, repr=False)
class EffectiveBlocker(_Record):
    """What really stands in the way of a task."""

    original_id: str
    """What the task names."""
    effective_id: str
    """What stands in the way: the original, or what it turned out to be."""
    effective_kind: EntityKind | None
    resolved: bool
    """Whether a condition was replaced by what it turned out to be."""


@dataclass(frozen=True, slots=True, repr=False)
class EntityRef(_Record):
    """The name of a task, condition or artifact."""

    kind: EntityKind
    id: str


@dataclass(frozen=True, slots=True, repr=False)
class Task(_Record):
    """A task as its events made it."""

    id: str
    """Its identity: it never changes, whatever happens to the title."""
    project: str
    canonical_key: str
    """``task:{project}:{title}``, of the present title."""
    title: str
    description: str | None
    priority: Priority
    status: TaskStatus
    blockers: tuple[BlockerRef, ...]
    """The confirmed blockers; none unless blocked."""
    suggested_blockers: tuple[BlockerRef, ...]
    """Blockers that nobody confirmed; none for a finished task."""
    created_at: datetime
    updated_at: datetime

    @property
    def is_blocked_by_suggestions_only(self) -> bool:
        """Whether it is blocked and every blocker is only a suggestion: worth
        asking about."""
        return self.status == TaskStatus.BLOCKED and not self.blockers


@dataclass(frozen=True, slots=True, repr=False)
class BlockedTask(_Record):
    """A task and what really blocks it."""

    task: Task
    blockers: tuple[EffectiveBlocker, ...]


@dataclass(frozen=True, slots=True, repr=False)
class TaskDetail(_Record):
    """A task with all that is known about it."""

    task: Task
    effective_blockers: tuple[EffectiveBlocker, ...]
    """What stands in the way, conditions replaced by what they turned out to be."""
    history: tuple[Event, ...]
    """The acts on it, in the order of the log."""


@dataclass(frozen=True, slots=True, repr=False)
class Condition(_Record):
    """Something that must become true before a task can go on."""

    id: str
    project: str
    canonical_key: str
    """``cond:{project}:{text}``."""
    text: str
    """What was said."""
    candidates: tuple[Candidate, ...]
    """Tasks that it may mean, best first."""
    auto_placeholder: bool
    """True when the library made it up because a blocker was not named."""
    resolved_to: EntityRef | None
    """What it turned out to be."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class Artifact(_Record):
    """Something elsewhere that a task waits for."""

    id: str
    canonical_key: str
    """``art:{kind}:{identifier}``."""
    kind: ArtifactKind
    identifier: str
    """The address, ticket or issue as it was written."""
    created_at: datetime


# Entries and the graph.


@dataclass(frozen=True, slots=True, repr=False)
class LearnedEntry(_Record):
    """Something learned: a fact, a decision, an insight."""

    id: str
    entry_type: EntryType
    title: str
    content: str
    stage: Stage
    status: EntryStatus
    evidence: EvidenceReport | None
    """What looking up its quotes gave; ``None`` before that."""
    certified_by: str | None
    """Who vouched for it."""
    contested_with: tuple[str, ...]
    """The entries that it disagrees with."""
    superseded_by: str | None
    """The entry that took its place."""
    valid_from: datetime | None
    """From when it holds; ``None`` means always before."""
    valid_to: datetime | None
    """Until when it holds, exclusive; ``None`` means that no end is known."""
    canonical_key: str
    """The canonical key of its title."""
    project: str
    session: str
    """The session it was learned from."""
    local_id: str | None
    """Its name within the extraction."""
    confidence: float | None
    """How clearly it was said, from 0 to 1, as the extractor judged."""
    build_id: str | None
    """The run that made it."""
    created_at: datetime
    """When it was learned."""
    seq: int
    """The position of the event that made it."""


@dataclass(frozen=True, slots=True, repr=False)
class EntryHit(_Record):
    """A learned entry that a search found."""

    entry: LearnedEntry
    """The entry that counts."""
    score: float
    """How much of the question it covers, from 0 to 1; a contested entry gets less."""
    resolved_from: str | None
    """The entry whose words were found, when that one was confirmed to mean this one."""


class NodeType(StrEnum):
    """What kind of thing stands at an end of an edge."""

    ENTRY = "entry"
    ENTITY = "entity"
    """A task, a condition or an artifact."""
    EVENT = "event"


class Relation(StrEnum):
    """What an edge says; read it from its source to its destination."""

    DERIVED_FROM = "derived_from"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    EVIDENCE_OF = "evidence_of"
    MENTIONS = "mentions"
    BLOCKED_BY = "blocked_by"
    BLOCKED_BY_SUGGESTED = "blocked_by_suggested"
    RESOLVES_TO = "resolves_to"
    DEPENDS_ON = "depends_on"
    PRODUCED = "produced"
    SOURCE_OF = "source_of"


@dataclass(frozen=True, slots=True, repr=False)
class Edge(_Record):
    """An edge of the graph, and when it was there."""

    id: str
    """The same ends give the same id."""
    source_type: NodeType
    source_id: str
    relation: Relation
    destination_type: NodeType
    destination_id: str
    meta: dict[str, Any] | None = field(hash=False)
    """What is known about it."""
    created_at: datetime
    ended_at: datetime | None
    """When it was removed, if it was."""


@dataclass(frozen=True, slots=True, repr=False)
class EdgesReplaced(_Record):
    """How many edges ``replace_edges`` changed."""

    removed: int
    added: int


@dataclass(frozen=True, slots=True, repr=False)
class LineageStep(_Record):
    """One entry of a lineage."""

    entry_id: str
    derived_from: str | None
    """The entry that it was derived from; ``None`` for the start."""
    depth: int
    """How many derivations lie between it and the start."""


# Graduation.


class Level(StrEnum):
    """How far a memory has risen."""

    L0 = "L0"
    """A raw event."""
    L1 = "L1"
    """Structured: extracted, with aligned evidence."""
    L2 = "L2"
    """A candidate: typed and validated."""
    L3 = "L3"
    """Verified: checked, without contradiction."""
    L4 = "L4"
    """Active: first choice for injection."""


class InsightKind(StrEnum):
    """What an insight tells."""

    PATTERN = "pattern"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True, repr=False)
class Usage(_Record):
    """How an event was used, as of one moment."""

    access_count: int
    confidence: float
    """The highest confidence seen, from 0 to 1."""
    cross_session_refs: int
    """From how many distinct other sessions."""
    days_since_last_access: float


@dataclass(frozen=True, slots=True, repr=False)
class EventLevel(_Record):
    """How an event stands in the levels of memory."""

    level: Level
    usage: Usage | None
    """``None`` when it was never used."""


@dataclass(frozen=True, slots=True, repr=False)
class LevelCounts(_Record):
    """How many conversation events lie at each level."""

    events: tuple[int, int, int, int, int]
    """At L0, L1, L2, L3 and L4."""

    def __getitem__(self, level: Level | str) -> int:
        return self.events[tuple(Level).index(Level(level))]


@dataclass(frozen=True, slots=True, repr=False)
class LevelChange(_Record):
    """An event that rose or sank."""

    event_id: str
    level: Level
    """Its new level."""


@dataclass(frozen=True, slots=True, repr=False)
class Insight(_Record):
    """Something that events, taken together, give away."""

    kind: InsightKind
    key: str
    """The same insight has the same key."""
    content: str
    """In words."""
    confidence: float
    sources: tuple[str, ...]
    """The events it comes from."""


@dataclass(frozen=True, slots=True, repr=False)
class Graduated(_Record):
    """What ``graduate`` did."""

    judged: int
    """Events that were judged."""
    promoted: tuple[LevelChange, ...]
    demoted: tuple[LevelChange, ...]
    insights: tuple[Insight, ...]
    """Insights that are new or better founded than before."""
    waiting: int
    """Events that still wait to be judged."""


# The endless mode.


class MemoryMode(StrEnum):
    """How the memory treats conversations."""

    SESSION = "session"
    """Each conversation is a session of its own (the default)."""
    ENDLESS = "endless"
    """All conversations are one."""


class TransitionType(StrEnum):
    """How the present joins what was before."""

    SEAMLESS = "seamless"
    TOPIC_SHIFT = "topic_shift"
    BREAK = "break"


@dataclass(frozen=True, slots=True, repr=False)
class WorkingSetPolicy(_Record):
    """The limits of the working set."""

    max_events: int = 100
    time_window_ms: int = 86_400_000
    """How long an event stays, in milliseconds."""
    min_relevance_score: float = 0.5
    """Events less relevant than this (0 to 1) are not taken in."""


@dataclass(frozen=True, slots=True, repr=False)
class ConsolidationPolicy(_Record):
    """When and how to consolidate."""

    trigger_interval_ms: int = 3_600_000
    """After so long since the last time, in milliseconds."""
    trigger_event_count: int = 100
    """At so many events in the working set."""
    trigger_idle_ms: int = 1_800_000
    """After so long without anything new, in milliseconds."""
    min_events: int = 10
    """A topic with fewer events than this waits for more."""
    max_summary_chars: int = 1000


@dataclass(frozen=True, slots=True, repr=False)
class InjectionPolicy(_Record):
    """How much an agent is given at its start."""

    min_relevance: float = 0.7
    """Events less relevant than this (0 to 1) are left out."""
    max_events: int = 10
    max_memories: int = 3


@dataclass(frozen=True, slots=True, repr=False)
class EndlessConfig(_Record):
    """The limits of the endless mode."""

    working_set: WorkingSetPolicy = WorkingSetPolicy()
    consolidation: ConsolidationPolicy = ConsolidationPolicy()
    injection: InjectionPolicy = InjectionPolicy()


@dataclass(frozen=True, slots=True, repr=False)
class WorkingItem(_Record):
    """An event on the table."""

    event_id: str
    added_at: datetime
    relevance: float
    """How much it matters now, from 0 to 1."""
    topics: tuple[str, ...]
    expires_at: datetime
    """When it leaves, unless it is refreshed."""


@dataclass(frozen=True, slots=True, repr=False)
class ConsolidatedMemory(_Record):
    """A memory that was made of events, or of a session's summary."""

    memory_id: str
    summary: str
    topics: tuple[str, ...]
    source_events: tuple[str, ...]
    """The ids of the events that it was made of, in order of time."""
    confidence: float
    is_continuation: bool
    """Whether it continues an earlier memory of the same topic."""
    created_at: datetime
    accessed_at: datetime | None
    """When it was last given to an agent."""
    access_count: int


@dataclass(frozen=True, slots=True, repr=False)
class Continuity(_Record):
    """How two contexts join."""

    score: float
    """How far the present goes on from what was before, from 0 to 1."""
    transition: TransitionType
    is_logged: bool
    """Whether the transition belongs in the log; the first context does not."""


@dataclass(frozen=True, slots=True, repr=False)
class ContinuityEntry(_Record):
    """A transition between two contexts."""

    from_context_id: str
    to_context_id: str
    score: float
    transition: TransitionType
    at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class EndlessStatus(_Record):
    """How the endless mode stands."""

    mode: MemoryMode
    config: EndlessConfig
    working_set: int
    """Events on the table."""
    last_activity: datetime | None
    """When an event was last put on the table."""
    active_topics: tuple[str, ...]
    """What lies on the table is about this, the most frequent first."""
    active_files: tuple[str, ...]
    active_entities: tuple[str, ...]
    continuity_score: float
    """The average continuity of the last hour, or 0.5."""
    consolidated: int
    """Consolidated memories."""
    last_consolidation: datetime | None


@dataclass(frozen=True, slots=True, repr=False)
class EndlessContext(_Record):
    """What an agent is given at its start in the endless mode."""

    working_set: tuple[Event, ...]
    """Events on the table, the most relevant first."""
    consolidated: tuple[ConsolidatedMemory, ...]
    """Consolidated memories, the surest first."""
    continuity_score: float
    """The average continuity of the last hour, or 0.5."""


@dataclass(frozen=True, slots=True, repr=False)
class ConsolidationReport(_Record):
    """What ``consolidate`` did."""

    ran: bool
    """Whether it was due (or asked for) at all."""
    memories: tuple[str, ...]
    """The ids of the memories that were made."""
    waiting: int
    """Events that wait for more of their topic."""


# The ledgers.


class BuildStatus(StrEnum):
    """How a run of the pipeline stands."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"


class PipelineStage(StrEnum):
    """The stages of the pipeline that are timed."""

    INGEST = "ingest"
    EXTRACTION = "extraction"
    ALIGN = "align"
    CHECK = "check"
    MATERIALIZE = "materialize"
    RESOLVE = "resolve"
    PROJECT = "project"
    INDEX = "index"


class EvidenceKind(StrEnum):
    """What a decision's evidence is."""

    ENTRY = "entry"
    ENTITY = "entity"
    """A task, condition or artifact."""


class ResolutionKind(StrEnum):
    """What became of an uncertain memory."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    PENDING = "pending"


class EffectiveStatus(StrEnum):
    """How a memory is to be read."""

    RESOLVED = "resolved"
    """As another memory."""
    PENDING = "pending"
    """As itself, and a question is open."""
    DIRECT = "direct"
    """As itself."""


@dataclass(frozen=True, slots=True, repr=False)
class BuildTools(_Record):
    """What a run used: enough to tell later why its results differ."""

    extractor_model: str
    extractor_prompt_hash: str
    embedder_model: str
    embedding_version: str
    idris_version: str
    schema_version: str


@dataclass(frozen=True, slots=True, repr=False)
class BuildRun(_Record):
    """One run of the pipeline."""

    build_id: str
    started_at: datetime
    tools: BuildTools
    status: BuildStatus
    finished_at: datetime | None
    """``None`` while it runs."""
    error: str | None
    """What went wrong; only a failed run has one."""


@dataclass(frozen=True, slots=True, repr=False)
class PipelineMetric(_Record):
    """How long one stage of the pipeline took."""

    stage: PipelineStage
    at: datetime
    """When it ended."""
    latency_ms: float
    error: str | None
    session: str | None


@dataclass(frozen=True, slots=True, repr=False)
class PromotionRecord(_Record):
    """An entry that rose, or was refused."""

    entry_id: str
    from_stage: Stage
    to_stage: Stage
    """Where it rose, or would have."""
    is_blocked: bool
    """Whether it was refused."""
    reason: str
    build_id: str | None
    at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class ConflictResolution(_Record):
    """How a disagreement ended."""

    resolved_at: datetime
    resolution: str
    """What was found."""
    resolved_by: str


@dataclass(frozen=True, slots=True, repr=False)
class Conflict(_Record):
    """Two entries that disagree."""

    conflict_id: str
    older_id: str
    newer_id: str
    conflict_type: str
    """In what way, for example ``contradicts``."""
    reason: str | None
    detected_at: datetime
    resolved: ConflictResolution | None
    """How it ended, once it has."""


@dataclass(frozen=True, slots=True, repr=False)
class DecisionEvidence(_Record):
    """One piece of evidence of a decision."""

    kind: EvidenceKind | str
    evidence_id: str
    stage: Stage | str
    """How well it was proved then: ``verified`` or ``certified``."""
    role: str
    """What it does for the decision, for example ``supports``."""
    known_at: datetime
    """When it was known, aware; not after the decision."""


@dataclass(frozen=True, slots=True, repr=False)
class Decision(_Record):
    """Something that was decided, and on what."""

    decision_id: str
    decided_at: datetime
    actor: str
    action: str
    """What was decided."""
    outcome: Any = field(default=None, hash=False)
    """What came of it: anything that the ``json`` module can write."""
    confidence: float | None = None
    """How sure, from 0 to 1."""
    build_id: str | None = None
    evidence: tuple[DecisionEvidence | Mapping[str, Any], ...] = field(default=(), hash=False)
    """What it rests on."""


@dataclass(frozen=True, slots=True, repr=False)
class Placeholder(_Record):
    """Context that was incomplete when an event was stored."""

    id: str
    event_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class MemoryResolution(_Record):
    """An answer to what an uncertain memory means."""

    condition_id: str
    """The uncertain memory."""
    resolved_to: str | None
    kind: ResolutionKind
    confidence: float
    resolved_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class EffectiveMemory(_Record):
    """What a memory means now."""

    effective_id: str
    """The memory to show."""
    status: EffectiveStatus


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
