"""What goes in and comes out: frozen dataclasses, equal by value, picklable.

The extension fills the results by position, so the order of their fields is the
order in ``src/record.rs``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import Enum, StrEnum
from html import escape
from typing import Any, TypeVar, cast, overload

__all__ = [
    "Appended",
    "Detail",
    "EmbeddingStats",
    "Event",
    "EventKind",
    "Hit",
    "ImportCounters",
    "ImportProgress",
    "ImportReport",
    "InjectionStats",
    "LayerStats",
    "LexicalStats",
    "MatchClass",
    "NewEvent",
    "Origin",
    "Passage",
    "PrivacyReport",
    "PrivacyTotals",
    "ProjectScope",
    "Relations",
    "Rows",
    "SearchResult",
    "Session",
    "Stats",
    "TimelineItem",
    "ToolRecord",
    "ToolUse",
]


class EventKind(StrEnum):
    """What an event records. Wherever a kind is asked for, its ``str`` will do."""

    USER_PROMPT = "user_prompt"
    AGENT_RESPONSE = "agent_response"
    SESSION_SUMMARY = "session_summary"
    TOOL_OBSERVATION = "tool_observation"
    SESSION_INGESTED = "session_ingested"
    MEMORY_EXTRACTED = "memory_extracted"
    EVIDENCE_ALIGNED = "evidence_aligned"
    IDRIS_CHECKED = "idris_checked"
    ENTRY_CHANGED = "entry_changed"
    BUILD_RUN = "build_run"
    DECISION_MADE = "decision_made"
    CONFLICT_CHANGED = "conflict_changed"
    PIPELINE_METRIC = "pipeline_metric"
    EDGE_CHANGED = "edge_changed"
    TASK_CREATED = "task_created"
    TASK_STATUS_CHANGED = "task_status_changed"
    TASK_PRIORITY_CHANGED = "task_priority_changed"
    TASK_BLOCKERS_SET = "task_blockers_set"
    TASK_TRANSITION_REJECTED = "task_transition_rejected"
    CONDITION_DECLARED = "condition_declared"
    ARTIFACT_DECLARED = "artifact_declared"
    CONDITION_RESOLVED_TO = "condition_resolved_to"
    TASK_TITLE_CHANGED = "task_title_changed"
    SESSION_CHANGED = "session_changed"
    ACCESSED = "accessed"
    INJECTED = "injected"
    FORGOTTEN = "forgotten"
    ERASED = "erased"
    LEVEL_CHANGED = "level_changed"
    CONSOLIDATED = "consolidated"
    CONTINUITY_SCORED = "continuity_scored"
    SETTING_CHANGED = "setting_changed"
    MEMORY_RESOLVED = "memory_resolved"


class Origin(StrEnum):
    """Where an event's text came from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    RECALLED = "recalled"
    SYSTEM = "system"


class MatchClass(StrEnum):
    """How sure a search is of its best hit."""

    HIGH = "high"
    """Use it without asking."""
    SUGGESTED = "suggested"
    """Offer it and ask."""
    NONE = "none"
    """There is no match. That is an answer."""


class ProjectScope(Enum):
    """Which projects a read looks at, when it is not one by name."""

    OWN = "own"
    """The project that the memory was opened for (the default); every project
    when it was opened for none."""
    ALL = "all"
    """Every project of the store."""


def _plain(value: object) -> Any:
    """Plain Python values all the way down."""
    if isinstance(value, _Record):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {key: _plain(item) for key, item in items}
    return str(value) if isinstance(value, StrEnum) else value


# A longer text is cut when a record is shown; its fields hold it whole.
_SHOWN_CHARACTERS = 72


def _shown(value: object) -> str:
    if isinstance(value, str):
        if len(value) > _SHOWN_CHARACTERS:
            value = value[: _SHOWN_CHARACTERS - 1] + "…"
        return repr(str(value))
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.6g}"
    return repr(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, _Record):
        return value._repr_html_()  # pyright: ignore[reportPrivateUsage]
    if isinstance(value, datetime):
        return escape(value.isoformat(sep=" ", timespec="seconds"))
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        if not items or not isinstance(items[0], _Record):
            return escape(str(items))
        if len({type(item) for item in items}) == 1:
            return _rows(cast("tuple[_Record, ...]", items))
        return "".join(_cell(item) for item in items)
    return escape(str(value))


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    columns = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def _rows(records: tuple[_Record, ...]) -> str:
    """Records of one class as a table, a row for each."""
    names = tuple(item.name for item in fields(records[0]))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    if "citation" in names:
        # People name an event by its citation; the other names only take place.
        names = tuple(name for name in names if name not in {"id", "seq"})
    return _table(names, [tuple(getattr(record, name) for name in names) for record in records])


class _Record:
    """What all records can do."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, like ``dataclasses.asdict``: records become
        dicts, tuples become lists, kinds become ``str``; times stay ``datetime``."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

    def __repr__(self) -> str:
        shown = ", ".join(f"{item.name}={_shown(getattr(self, item.name))}" for item in fields(self))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (item.name, getattr(self, item.name))
            for item in fields(self)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        ]
        return _table((type(self).__name__, ""), rows)


_R = TypeVar("_R", bound=_Record)


class Rows(list[_R]):
    """A list of results that notebooks show as a table; else a plain list."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _rows(tuple(self)) if self else "<p>none</p>"


@dataclass(frozen=True, slots=True, repr=False)
class ToolUse(_Record):
    """One call of a tool, as the host saw it."""

    name: str
    input: Any = field(default=None, hash=False)
    """The arguments: anything that the ``json`` module can write."""
    output: str = ""
    duration_ms: int | None = None
    success: bool | None = None
    """Whether it succeeded; by default true when ``error`` is ``None``."""
    error: str | None = None
    prompt_index: int | None = None
    """Which prompt of the session caused the call, counted from 0."""
    tool_index: int | None = None
    """Which call within that prompt this is, counted from 0."""


@dataclass(frozen=True, slots=True, repr=False)
class NewEvent(_Record):
    """An event to be remembered, for ``append_batch``."""

    kind: EventKind | str
    session: str
    """The conversation it belongs to; 1 to 1,024 bytes of UTF-8."""
    content: str = ""
    actor: str | None = None
    """Who; by default derived from the kind."""
    origin: Origin | str | None = None
    project: str | None = None
    """By default the project that the memory was opened for."""
    timestamp: datetime | None = None
    """When it happened, aware; by default now."""
    metadata: dict[str, Any] | None = field(default=None, hash=False)
    dedupe: bool | str = True
    """True: the same content in the same session is one event. A ``str``: the
    same key is one event. False: every call stores an event."""
    tool: ToolUse | dict[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyReport(_Record):
    """What the privacy filter did to one event."""

    private_count: int
    """Private sections that were taken out."""
    secret_count: int
    """Secrets that were masked."""
    anonymized_count: int
    """Personal data that was anonymised."""
    original_bytes: int
    filtered_bytes: int

    @property
    def changed(self) -> bool:
        """Whether anything was taken out or masked."""
        return self.private_count + self.secret_count + self.anonymized_count > 0


@dataclass(frozen=True, slots=True, repr=False)
class Appended(_Record):
    """The receipt of an append."""

    id: str
    """The event's id: the stored one's when this was a duplicate."""
    seq: int
    """The event's position in the log."""
    citation: str
    """The event's citation id, for example ``a7Bc3x``."""
    duplicate: bool
    """True when the same event was there already and nothing was written."""
    privacy: PrivacyReport
    truncated_bytes: int
    """How many bytes of tool output were cut away; 0 when nothing was."""
    warnings: tuple[str, ...]
    """Things the caller should know, for example an unclosed private tag."""


@dataclass(frozen=True, slots=True, repr=False)
class ToolRecord(_Record):
    """The stored form of a tool call: masked and cut, with its metadata."""

    name: str
    input: Any = field(hash=False)
    output: str
    duration_ms: int | None
    success: bool
    error: str | None
    prompt_index: int | None
    tool_index: int | None
    metadata: dict[str, Any] = field(hash=False)
    """What was derived from the call (file path, exit code, …)."""


@dataclass(frozen=True, slots=True, repr=False)
class Event(_Record):
    """A remembered event."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    project: str
    """Empty when it has none."""
    actor: str
    origin: Origin
    timestamp: datetime
    """When it happened, in UTC."""
    content: str
    """The filtered text, whole."""
    canonical_key: str
    metadata: dict[str, Any] | None = field(hash=False)
    tool: ToolRecord | None
    privacy: PrivacyReport


@dataclass(frozen=True, slots=True, repr=False)
class Passage(_Record):
    """A part of an event's content: ``content[start:end] == text``."""

    text: str
    start: int
    """Where it begins in the content, in code points."""
    end: int
    """Where it ends in the content, in code points, exclusive."""
    start_byte: int
    """Where it begins in the content's UTF-8 form, in bytes."""
    end_byte: int
    """Where it ends in the content's UTF-8 form, in bytes, exclusive."""


@dataclass(frozen=True, slots=True, repr=False)
class Hit(_Record):
    """One event that was found."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    project: str
    actor: str
    origin: Origin
    timestamp: datetime
    summary: str
    """One line of at most 100 characters."""
    passage: Passage
    """The passage that matched best."""
    rank_score: float
    """Orders the hits of one search; comparable only within it."""
    match_score: float
    """The match score, 0 to 1."""
    relevance: float
    """How likely the hit answers the query, 0 to 1, calibrated."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(_Record):
    """What a search found; a sequence of its hits."""

    items: tuple[Hit, ...]
    """The hits, best first."""
    confidence: MatchClass
    """How sure the best hit is."""
    degraded: bool
    """True when the search ended early: there may be better hits."""
    total_matches: int
    """How many events matched at all, before ``limit``."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.items)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.items[index]

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (rank, hit.citation, hit.kind, hit.timestamp, hit.relevance, hit.passage.text)
            for rank, hit in enumerate(self.items, 1)
        ]
        state = ", degraded" if self.degraded else ""
        note = (
            f"<p>{len(self.items)} of {self.total_matches} matches, "
            f"confidence {escape(self.confidence)}{state}</p>"
        )
        return _table(("", "citation", "kind", "time", "relevance", "passage"), rows) + note


@dataclass(frozen=True, slots=True, repr=False)
class TimelineItem(_Record):
    """One event of a timeline."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    actor: str
    timestamp: datetime
    preview: str
    """One line of at most 200 characters."""
    is_target: bool
    """Whether it is one of the events that were asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Relations(_Record):
    """How an event stands to others of its session, as event ids."""

    parent: str | None
    """The prompt that a response or tool observation answers."""
    children: tuple[str, ...]
    """The responses and tool observations that a prompt led to."""
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True, repr=False)
class Detail(_Record):
    """One event in full, with what stands beside it."""

    event: Event
    token_count: int
    """Estimated tokens of its content."""
    has_code: bool
    """Whether the content holds a fenced block of code."""
    files: tuple[str, ...]
    """Paths of files that the content names."""
    tools: tuple[str, ...]
    """Tools that the content names."""
    relations: Relations


@dataclass(frozen=True, slots=True, repr=False)
class Session(_Record):
    """One conversation."""

    id: str
    project: str
    started: datetime
    ended: datetime | None
    last_event: datetime
    """The time of its newest conversation event."""
    summary: str | None
    tags: tuple[str, ...]
    events: int
    """Conversation events that it holds."""
    prompts: int
    responses: int
    tools: int


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyTotals(_Record):
    """What the privacy filter took out of the whole store."""

    private_sections: int
    secrets_masked: int
    bytes_filtered: int


@dataclass(frozen=True, slots=True, repr=False)
class LexicalStats(_Record):
    """How the lexical index stands."""

    segments: int
    folded_events: int
    tail_events: int
    """Events that wait in the tail; they are found as well."""
    last_fold: datetime | None
    damaged_segments: int
    """Segments that a search of this process found damaged: searches leave them
    out and are marked degraded until the index is rebuilt."""
    damaged_events: int
    """Events in the tail whose index entry is damaged; as above."""


@dataclass(frozen=True, slots=True, repr=False)
class EmbeddingStats(_Record):
    """How the embedding of events stands, for the active embedder."""

    version: str
    """The embedding version: the embedder's id and fingerprint."""
    dimensions: int
    vectors: int
    """Vectors that are stored."""
    pending: int
    """Jobs that wait."""
    processing: int
    """Jobs that a worker has."""
    done: int
    """Jobs that are done and not yet cleaned up."""
    failed: int
    """Jobs whose last attempt failed; ten or more mean that the embedder is
    probably broken."""
    to_enqueue: int
    """Positions of the log that were there before this embedder and are still to
    be looked through."""
    average_processing_ms: int | None
    """How long successful jobs took on average."""
    last_processed: datetime | None
    oldest_pending: datetime | None
    """When the oldest waiting job was enqueued; an hour ago means that nothing
    calls ``process_outbox``."""
    graph_vectors: int
    """Vectors in graphs of this process, which its searches use; see
    ``vector_graph_from`` of ``open``."""
    graph_waiting: int
    """Vectors in files that are large enough for a graph and whose graph this
    process has not finished; what ``maintain`` put into it is not counted."""


@dataclass(frozen=True, slots=True, repr=False)
class LayerStats(_Record):
    """How one derived layer stands."""

    name: str
    """The layer, for example ``tasks`` or ``working_set``."""
    size: int
    """How much it holds."""
    backlog: int
    """How much waits to be moved into it by ``maintain``."""
    last_moved: datetime | None
    """When it last moved; ``None`` when it never did."""


@dataclass(frozen=True, slots=True, repr=False)
class InjectionStats(_Record):
    """What was given to agents as context, and whether later responses took it
    up. Reuse is an estimate from the words of the responses."""

    injections: int
    """How often context was given."""
    memories: int
    """How many memories were given, all times together."""
    tokens: int
    """How many tokens were given, all times together."""
    judged: int
    """Injections that a response followed."""
    reused: int
    """Injections of which at least one memory was reused."""
    judged_memories: int
    """Memories of the judged injections."""
    reused_memories: int
    """Memories that were reused."""
    last: datetime | None
    """When context was last given."""


@dataclass(frozen=True, slots=True, repr=False)
class Stats(_Record):
    """Figures about a store."""

    events: int
    """Live events of every kind."""
    prompts: int
    responses: int
    summaries: int
    tools: int
    sessions: int
    projects: int
    forgotten: int
    erased: int
    last_seq: int
    """The last position of the log; 0 in an empty store."""
    oldest: datetime | None
    newest: datetime | None
    payload_bytes: int
    """Bytes of text in live events."""
    log_bytes: int
    """Bytes of records in the log."""
    size_bytes: int
    """Bytes of all files of the store."""
    quota_bytes: int
    """The size above which receipts warn, in bytes."""
    is_over_quota: bool
    """Whether the store is larger than that."""
    last_append: datetime | None
    privacy: PrivacyTotals
    lexical: LexicalStats
    embedding: EmbeddingStats | None
    """The active embedder's vectors and jobs; ``None`` until there is one."""
    layers: tuple[LayerStats, ...]
    """What was learned, layer by layer."""
    injections: InjectionStats
    """What was given to agents, and whether they took it up."""
    open_erasures: int
    """Erasures that are not complete; 0 as a rule. ``unclean_places`` says what
    they wait for; ``maintain()`` goes on with them."""
    unclean_places: tuple[str, ...]
    """Files that may still hold erased text, in plain words."""


@dataclass(frozen=True, slots=True, repr=False)
class ImportProgress(_Record):
    """How far an import has come."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    events_stored: int


@dataclass(frozen=True, slots=True, repr=False)
class ImportCounters(_Record):
    """What an import found, and what became of it."""

    total_messages: int
    """Lines that are JSON, of any kind."""
    imported_prompts: int
    imported_responses: int
    imported_tools: int
    skipped_duplicates: int
    """Items that the store already had."""
    errors: int
    """Lines that could not be read."""
    error_lines: tuple[tuple[int, str], ...]
    """The first such lines, counted from 1, and why."""


@dataclass(frozen=True, slots=True, repr=False)
class ImportReport(_Record):
    """What an import did."""

    files: int
    """Files that were read."""
    counters: ImportCounters
    failed_files: tuple[tuple[str, str], ...]
    """Files that could not be read, and why; the others were imported."""
    refused: tuple[str, ...]
    """Why events were refused: at most the first ten reasons."""


def memory_html(title: str, stats: Stats | None) -> str:
    """What a notebook shows of a memory."""
    head = f"<p><code>{escape(title)}</code></p>"
    return head if stats is None else head + _cell(stats)
