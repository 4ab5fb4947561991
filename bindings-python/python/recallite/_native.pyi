"""Types of the extension module. Compared with it by stubtest."""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeAlias, Unpack, final, type_check_only

from ._base import ProjectScope, Rows
from ._generated.learning import (
    Artifact,
    ArtifactKind,
    BlockedTask,
    BlockerRef,
    BuildRun,
    TaskCandidate,
    ClaimsAlignment,
    Condition,
    Conflict,
    ConsolidatedMemory,
    ConsolidationPolicy,
    ConsolidationReport,
    Continuity,
    ContinuityEntry,
    Decision,
    Edge,
    EffectiveBlocker,
    EffectiveMemory,
    EndlessConfig,
    EndlessContext,
    EndlessStatus,
    EntityKind,
    EntityRef,
    EntryHit,
    EntryStatus,
    EntryType,
    EventLevel,
    ExtractionRequest,
    EvidenceQuote,
    Graduated,
    IngestReport,
    IngestedEntry,
    IngestedTask,
    Insight,
    LearnedEntry,
    LearnedKind,
    Level,
    LevelCounts,
    LineageStep,
    MemoryMode,
    MemoryResolution,
    NodeType,
    PinnedEvent,
    PipelineMetric,
    Placeholder,
    Priority,
    PromotionRecord,
    Relation,
    ResolutionKind,
    ResolutionType,
    SessionMessage,
    Stage,
    Task,
    TaskDetail,
    TaskStatus,
    Usage,
    WorkingItem,
)
from ._generated.log import (
    Appended,
    EffectiveSetting,
    Event,
    EventKind,
    ImportProgress,
    ImportReport,
    Origin,
    Pause,
    PauseScope,
    Session,
    Stats,
    ToolOutcome,
)
from ._generated.recall import (
    CitationDetail,
    CitationFormat,
    CitationNeighbour,
    Context,
    ContextItem,
    Detail,
    Hit,
    IndexItem,
    MatchClass,
    PopularCitation,
    Recording,
    SearchResult,
    SmartSearchResult,
    TimelineItem,
)
from ._generated.upkeep import (
    CheckReport,
    Compacted,
    Erased,
    Exported,
    Forgotten,
    Imported,
    Maintained,
    Processed,
    Rebuilt,
    Upgraded,
)
from ._learning import AlignmentReport, EdgesReplaced
from ._options import OpenOptions
from ._records import NewEvent, Query, ToolUse
from .rules import (
    CitedMemory,
    ContextMemory,
    ContextSnapshot,
    EntityKey,
    Evaluation,
    ExpansionDecision,
    ExpansionPlan,
    Filtered,
    InsightEvent,
    Masked,
    MaskedInput,
    MatchList,
    PrivateRemoved,
    TaskTransition,
)

__version__: Final[str]
_ERROR_CODES: Final[tuple[str, ...]]
EXTRACTION_SCHEMA: Final[str]
EXTRACTION_PROMPT: Final[str]
EXTRACTION_SCHEMA_VERSION: Final[int]
INDEX_ITEM_TOKENS: Final[int]
TIMELINE_ITEM_TOKENS: Final[int]

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_EventRef: TypeAlias = (
    str
    | int
    | Appended
    | Event
    | Hit
    | TimelineItem
    | Detail
    | IndexItem
    | ContextItem
    | CitationDetail
    | CitationNeighbour
    | PopularCitation
    | PinnedEvent
)
_EventRefs: TypeAlias = _EventRef | Iterable[_EventRef]
_Kinds: TypeAlias = EventKind | str | Iterable[EventKind | str]
_EntryRef: TypeAlias = str | LearnedEntry | EntryHit | IngestedEntry | LineageStep
_EntityRecord: TypeAlias = (
    Task
    | Condition
    | Artifact
    | TaskDetail
    | BlockedTask
    | IngestedTask
    | EntityRef
    | BlockerRef
    | EffectiveBlocker
    | TaskCandidate
)
_EntityRef: TypeAlias = str | _EntityRecord
_Named: TypeAlias = (
    LearnedEntry
    | EntryHit
    | IngestedEntry
    | LineageStep
    | _EntityRecord
    | Appended
    | Event
    | Hit
    | TimelineItem
    | Detail
)
_AnyRef: TypeAlias = str | _Named
_Node: TypeAlias = _Named | tuple[NodeType | str, _AnyRef]
_Quote: TypeAlias = EvidenceQuote | Mapping[str, Any] | tuple[int, str]

@type_check_only
class _Writer(Protocol):
    def write(self, data: bytes, /) -> object: ...

@type_check_only
class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...

def open(path: _Path, **options: Unpack[OpenOptions]) -> Memory: ...
def default_store_path() -> Path: ...
def project_of(folder: _Path) -> str: ...
def align(
    messages: Iterable[str],
    quotes: Iterable[_Quote],
    *,
    fuzzy_threshold: float = 0.85,
    max_fuzzy_quote_chars: int = 500,
    reject_ambiguous: bool = False,
) -> AlignmentReport: ...
def align_claims(claims: Iterable[str], source: str) -> ClaimsAlignment: ...
def check_grounding(response: str, contexts: Iterable[str]) -> ClaimsAlignment: ...
def extract_claims(response: str, /) -> list[str]: ...
def levenshtein(a: str, b: str, /) -> int: ...
def similarity(a: str, b: str, /) -> float: ...
def canonical_key(title: str, *, project: str | None = None) -> str: ...
def is_same_title(a: str, b: str, /) -> bool: ...
def entity_key(kind: EntityKind | str, identifier: str, *, project: str | None = None) -> str: ...
def task_key(title: str, *, project: str | None = None) -> str: ...
def condition_key(text: str, *, project: str | None = None) -> str: ...
def artifact_key(identifier: str, /) -> str: ...
def artifact_kind(identifier: str, /) -> ArtifactKind: ...
def parse_entity_key(key: str, /) -> EntityKey | None: ...
def content_hash(content: str, /) -> str: ...
def dedupe_key(session: str, content: str, /) -> str: ...
def citation_id(event_id: str, *, length: int = 6) -> str: ...
def unique_citation_id(event_id: str, taken: Iterable[str], *, length: int = 6) -> str | None: ...
def parse_citation(text: str, /) -> str | None: ...
def citation_block(
    memories: Iterable[Event | CitedMemory | Mapping[str, Any]], *, format: str = "inline"
) -> str: ...
def summary(content: str, /) -> str: ...
def harmless(content: str, /) -> str: ...
def harmless_line(content: str, /) -> str: ...
def preview(content: str, /) -> str: ...
def session_summary_text(events: Iterable[Event | tuple[EventKind | str, str]], /) -> str: ...
def estimate_tokens(text: str, /) -> int: ...
def utf16_len(text: str, /) -> int: ...
def truncate_output(output: str, *, max_chars: int = 10000, max_lines: int = 100) -> str: ...
def tool_metadata(
    tool_name: str, input: Any, output: str, *, success: bool = True
) -> dict[str, Any]: ...
def tool_embedding_text(
    tool_name: str, metadata: dict[str, Any], *, success: bool = True
) -> str: ...
def tool_summary(
    tool_name: str, metadata: dict[str, Any], output: str, *, success: bool = True
) -> str: ...
def match_score(
    *, semantic: float, lexical: float, age_days: float, is_active: bool = True
) -> float: ...
def classify(top: float, second: float | None = None, /) -> MatchClass: ...
def match_list(scores: Iterable[float], /) -> MatchList: ...
def expansion_decision(scores: Iterable[float], /) -> ExpansionDecision: ...
def plan_expansion(
    scores: Iterable[float],
    *,
    budget_tokens: int,
    index_tokens: int,
    timeline_tokens: Iterable[int],
    detail_tokens: Iterable[int],
) -> ExpansionPlan: ...
def format_context(
    memories: Iterable[ContextMemory | Mapping[str, Any]], *, max_tokens: int = 2000
) -> str: ...
def decide_transition(from_: TaskStatus | str, to: TaskStatus | str, /) -> TaskTransition: ...
def initial_task_status(requested: TaskStatus | str | None = None, /) -> TaskStatus: ...
def allows_blockers(
    status: TaskStatus | str, confirmed: int, suggested: int = 0, /
) -> bool: ...
def is_edge_allowed(
    source_type: NodeType | str, relation: Relation | str, destination_type: NodeType | str, /
) -> bool: ...
def effective_blockers(
    task_id: str,
    *,
    entities: Mapping[str, EntityKind | str],
    edges: Iterable[tuple[str, Relation | str, str]],
) -> Rows[EffectiveBlocker]: ...
def evaluate_graduation(
    level: Level | str,
    usage: Usage | Mapping[str, Any] | None,
    *,
    evidence_aligned: bool | None = None,
) -> Evaluation: ...
def extract_insights(
    events: Iterable[InsightEvent | Mapping[str, Any]], *, cues: str = "english_and_korean"
) -> Rows[Insight]: ...
def snapshot(id: str, text: str, at: datetime) -> ContextSnapshot: ...
def continuity(
    current: ContextSnapshot | Mapping[str, Any],
    previous: ContextSnapshot | Mapping[str, Any] | None,
    *,
    min_seamless: float = 0.7,
) -> Continuity: ...
def outside_session_name(session: str, /) -> str: ...
def is_consolidation_due(
    *,
    since_last_ms: int,
    working_set_size: int,
    idle_ms: int,
    policy: ConsolidationPolicy | Mapping[str, Any] | None = None,
) -> bool: ...
def remove_private_sections(
    text: str,
    *,
    formats: str | Iterable[str] = "xml",
    marker: str = "[PRIVATE]",
    preserve_line_count: bool = False,
) -> PrivateRemoved: ...
def mask_secrets(text: str, *, code_aware: bool = True, key_formats: bool = True) -> Masked: ...
def mask_tool_input(input: Any, *, keys: str = "words") -> MaskedInput: ...
def filter_text(
    text: str,
    *,
    private_tags: bool = True,
    formats: str | Iterable[str] = "xml",
    marker: str = "[PRIVATE]",
    preserve_line_count: bool = False,
    exclude_patterns: Iterable[str] = ("password", "secret", "api_key", "token", "bearer"),
    auto_detect: bool = True,
    auto_detect_patterns: Iterable[str] = (),
    code_aware: bool = True,
    anonymize: bool = False,
) -> Filtered: ...
def _raise_for_test(code: str, argument: str | None = None) -> None: ...
def _panic_for_test() -> None: ...

@final
class Events:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Event: ...
    def to_arrow(self, *, batch_rows: int = 1024) -> ArrowEvents: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class EventView:
    @property
    def id(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def citation(self) -> str: ...
    @property
    def kind(self) -> EventKind: ...
    @property
    def session(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def timestamp(self) -> datetime: ...
    @property
    def content(self) -> memoryview: ...
    @property
    def metadata(self) -> memoryview | None: ...
    @property
    def tool_name(self) -> str | None: ...
    @property
    def tool_input(self) -> memoryview | None: ...
    @property
    def tool_output(self) -> memoryview | None: ...

@final
class ArrowEvents:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Tasks:
    def entity(self, id: _EntityRef, /) -> Task | Condition | Artifact | None: ...
    def resolve_condition(
        self,
        condition: _EntityRef,
        target: _EntityRef,
        *,
        kind: EntityKind | str | None = None,
        resolution: ResolutionType | str = "user_confirmed",
        confidence: float = 1.0,
    ) -> None: ...
    # Generated by `cargo xtask interface`; do not edit.
    def list(
        self,
        *,
        project: str | ProjectScope | None = None,
        status: TaskStatus | str | None = None,
        text: str | None = None,
        limit: int = 1000,
    ) -> Rows[Task]: ...
    def create(
        self,
        title: str,
        *,
        project: str | None = None,
        priority: Priority | str = "medium",
        description: str | None = None,
        blocked_by: Iterable[str] = (),
    ) -> Task: ...
    def get(self, id: _EntityRef, /) -> TaskDetail | None: ...
    def get_as_of(self, id: _EntityRef, at: datetime) -> Task | None: ...
    def blocked(
        self, *, project: str | ProjectScope | None = None, limit: int = 1000
    ) -> Rows[BlockedTask]: ...
    def with_only_suggested_blockers(
        self, *, project: str | ProjectScope | None = None, limit: int = 1000
    ) -> Rows[Task]: ...
    def with_placeholder_blockers(
        self, *, project: str | ProjectScope | None = None, limit: int = 1000
    ) -> Rows[Task]: ...
    def conditions(
        self, *, project: str | ProjectScope | None = None, limit: int = 1000
    ) -> Rows[Condition]: ...
    def artifacts(self, *, limit: int = 1000) -> Rows[Artifact]: ...
    def resolved_conditions(
        self, *, project: str | ProjectScope | None = None, limit: int = 1000
    ) -> Rows[Condition]: ...
    def change_status(
        self, task: _EntityRef, to: TaskStatus | str, *, blocked_by: Iterable[str] = ()
    ) -> Task: ...
    def set_priority(self, task: _EntityRef, priority: Priority | str) -> Task: ...
    def rename(self, task: _EntityRef, title: str) -> Task: ...

@final
class Knowledge:
    def add_entry(
        self,
        title: str,
        content: str,
        *,
        session: str,
        entry_type: EntryType | str = "fact",
        project: str | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        event: _EventRef | None = None,
    ) -> LearnedEntry: ...
    def resolve_conflict(
        self,
        conflict: str | Conflict,
        in_favour_of: _EntryRef,
        resolution: str,
        resolved_by: str,
    ) -> Conflict: ...
    def edges(
        self,
        *,
        from_: _AnyRef | None = None,
        to: _AnyRef | None = None,
        relation: Relation | str | None = None,
        as_of: datetime | None = None,
        limit: int = 1000,
    ) -> Rows[Edge]: ...
    def add_edge(
        self,
        source: _Node,
        relation: Relation | str,
        destination: _Node,
        *,
        meta: dict[str, Any] | None = None,
    ) -> Edge: ...
    def remove_edge(
        self, source: _Node, relation: Relation | str, destination: _Node
    ) -> bool: ...
    def replace_edges(
        self, source: _Node, relation: Relation | str, targets: Iterable[_Node]
    ) -> EdgesReplaced: ...
    def related_entries(self, entry: _EntryRef, /) -> dict[str, list[str]]: ...
    def resolve_memory(
        self,
        memory: _AnyRef,
        kind: ResolutionKind | str,
        *,
        resolved_to: _AnyRef | None = None,
        confidence: float = 1.0,
    ) -> None: ...
    def effective_memory(self, memory: _AnyRef, /) -> EffectiveMemory: ...
    # Generated by `cargo xtask interface`; do not edit.
    def lineage(self, entry: _EntryRef, /) -> Rows[LineageStep]: ...
    def search(
        self,
        query: str,
        *,
        project: str | ProjectScope | None = None,
        entry_type: EntryType | str | None = None,
        min_stage: Stage | str | None = None,
        status: EntryStatus | str | None = None,
        session: str | None = None,
        as_of: datetime | None = None,
        text: str | None = None,
        limit: int = 10,
    ) -> Rows[EntryHit]: ...
    def conflicts(self, *, limit: int = 1000) -> Rows[Conflict]: ...
    def mark_unknown_context(self, event: _EventRef, /) -> None: ...
    def placeholders(self) -> Rows[Placeholder]: ...
    def memory_resolutions(self) -> Rows[MemoryResolution]: ...
    def entries(
        self,
        *,
        project: str | ProjectScope | None = None,
        entry_type: EntryType | str | None = None,
        min_stage: Stage | str | None = None,
        status: EntryStatus | str | None = None,
        session: str | None = None,
        as_of: datetime | None = None,
        text: str | None = None,
        limit: int = 1000,
    ) -> Rows[LearnedEntry]: ...
    def entry(self, id: _EntryRef, /) -> LearnedEntry | None: ...
    def extraction_request(
        self, session: str, *, budget_tokens: int = 8000
    ) -> ExtractionRequest: ...
    def supersede(self, older: _EntryRef, newer: _EntryRef) -> None: ...
    def contradict(
        self, older: _EntryRef, newer: _EntryRef, *, reason: str | None = None
    ) -> Conflict: ...
    def certify(self, id: _EntryRef, certified_by: str) -> None: ...
    def deprecate(self, id: _EntryRef, /) -> None: ...

@final
class Levels:
    def graduate(self, *, budget: int = 500) -> Graduated: ...
    # Generated by `cargo xtask interface`; do not edit.
    def get(self, event: _EventRef, /) -> EventLevel: ...
    def counts(self) -> LevelCounts: ...
    def record_access(
        self, events: _EventRefs, session: str, *, confidence: float = 1.0
    ) -> None: ...
    def set_half_life_days(self, half_life_days: float | None, /) -> None: ...
    def insights(self) -> Rows[Insight]: ...
    def pin(self, event: _EventRef, /) -> bool: ...
    def unpin(self, event: _EventRef, /) -> bool: ...
    def pinned(self, *, project: str | ProjectScope | None = None) -> Rows[PinnedEvent]: ...

@final
class Endless:
    def memories(self, text: str | None = None, /) -> Rows[ConsolidatedMemory]: ...
    def consolidate(
        self, *, summarize: Callable[[list[str], list[str]], str | None] | None = None
    ) -> ConsolidationReport: ...
    # Generated by `cargo xtask interface`; do not edit.
    def mode(self) -> MemoryMode: ...
    def session_now(self, session: str, /) -> str: ...
    def set_mode(self, mode: MemoryMode | str, /) -> None: ...
    def config(self) -> EndlessConfig: ...
    def set_config(self, config: EndlessConfig | Mapping[str, Any], /) -> None: ...
    def working_set(self) -> Rows[WorkingItem]: ...
    def continuity_log(self, *, limit: int = 1000) -> Rows[ContinuityEntry]: ...
    def score_continuity(self, context_id: str, text: str) -> Continuity: ...
    def status(self) -> EndlessStatus: ...
    def context(self) -> EndlessContext: ...

@final
class Citations:
    def detail(self, event: _EventRef, /) -> CitationDetail: ...
    def popular(
        self, *, limit: int = 10, window_days: int | None = None
    ) -> Rows[PopularCitation]: ...
    def citing_sessions(self, event: _EventRef, /, *, limit: int | None = None) -> list[str]: ...

@final
class History:
    # Generated by `cargo xtask interface`; do not edit.
    def build_runs(self, *, limit: int = 1000) -> Rows[BuildRun]: ...
    def pipeline_metrics(self, *, limit: int = 1000) -> Rows[PipelineMetric]: ...
    def promotions(self, *, limit: int = 1000) -> Rows[PromotionRecord]: ...
    def decisions(self, *, limit: int = 1000) -> Rows[Decision]: ...
    def record_decision(self, decision: Decision | Mapping[str, Any], /) -> None: ...

@final
class Pauses:
    # Generated by `cargo xtask interface`; do not edit.
    def pause(self, scope: PauseScope | str, name: str) -> bool: ...
    def resume(self, scope: PauseScope | str, name: str) -> bool: ...
    def list(self) -> Rows[Pause]: ...

@final
class Upkeep:
    def count_selected(
        self,
        events: _EventRefs | None = None,
        *,
        session: str | None = None,
        before: datetime | None = None,
        project: str | ProjectScope | None = None,
        kinds: _Kinds | None = None,
        everything: bool = False,
    ) -> int: ...
    def retry_outbox(self, *, max_retries: int = 3) -> int: ...
    # Generated by `cargo xtask interface`; do not edit.
    def apply_retention(self) -> Forgotten: ...
    def state_hash(self, as_of: datetime, /) -> str: ...
    def upgrade(self) -> Upgraded: ...

@final
class Memory:
    @property
    def path(self) -> Path: ...
    @property
    def project(self) -> str: ...
    @property
    def is_open(self) -> bool: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def knowledge(self) -> Knowledge: ...
    @property
    def levels(self) -> Levels: ...
    @property
    def endless(self) -> Endless: ...
    @property
    def citations(self) -> Citations: ...
    @property
    def history(self) -> History: ...
    @property
    def pauses(self) -> Pauses: ...
    @property
    def upkeep(self) -> Upkeep: ...
    def append(
        self,
        *,
        kind: EventKind | str,
        session: str,
        content: str = "",
        actor: str | None = None,
        origin: Origin | str | None = None,
        project: str | None = None,
        timestamp: datetime | None = None,
        metadata: dict[str, Any] | None = None,
        dedupe: bool | str = True,
        tool: ToolUse | Mapping[str, Any] | None = None,
    ) -> Appended: ...
    def append_batch(self, events: Iterable[NewEvent | Mapping[str, Any]], /) -> Rows[Appended]: ...
    def event(self, event: _EventRef, /) -> Event | None: ...
    def event_view(self, event: _EventRef, /) -> EventView | None: ...
    def citation(self, text: str, /) -> Event: ...
    def events(
        self,
        *,
        session: str | None = None,
        project: str | ProjectScope | None = None,
        kinds: EventKind | str | Iterable[EventKind | str] | None = None,
        from_: datetime | None = None,
        until: datetime | None = None,
        tools: str | Iterable[str] | None = None,
        tool: str | None = None,
        file_contains: str | None = None,
        tool_outcome: ToolOutcome | str | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Events: ...
    def changes_since(self, after: int, *, limit: int = 1000) -> Rows[Event]: ...
    def update_session(
        self,
        id: str,
        /,
        *,
        project: str | None = None,
        started: datetime | None = None,
        ended: datetime | None = None,
        summary: str | None = None,
        tags: Iterable[str] | None = None,
    ) -> Session: ...
    def search(
        self,
        query: str | Query = "",
        *,
        limit: int = 10,
        session: str | None = None,
        project: str | ProjectScope | None = None,
        kinds: EventKind | str | Iterable[EventKind | str] | None = None,
        from_: datetime | None = None,
        until: datetime | None = None,
        min_relevance: float | None = None,
        deadline_ms: int | None = None,
        include_recalled: bool = False,
        vector: Iterable[float] | None = None,
        learned: bool = True,
        learned_kinds: LearnedKind | str | Iterable[LearnedKind | str] | None = None,
        entry_types: EntryType | str | Iterable[EntryType | str] | None = None,
        as_of: datetime | None = None,
        tools: str | Iterable[str] | None = None,
        file_contains: str | None = None,
        tool_outcome: ToolOutcome | str | None = None,
        min_level: Level | str | None = None,
    ) -> SearchResult: ...
    def context(
        self,
        query: str | Query,
        *,
        session: str | None = None,
        budget_tokens: int = 2000,
        format: CitationFormat | str = "inline",
        limit: int | None = None,
        min_relevance: float | None = None,
        pinned: _EventRefs | None = None,
        skip_known_since: datetime | None = None,
        count_tokens: Callable[[str], int] | None = None,
        recording: Recording | str = "later",
        reason: str | None = None,
    ) -> Context: ...
    def smart_search(
        self,
        query: str | Query,
        *,
        limit: int | None = None,
        min_score: float = 0.0,
        auto_expand_timeline: bool = True,
        auto_expand_details: bool = True,
        max_auto_expand_count: int = 3,
        max_total_tokens: int = 2000,
        window: int = 3,
        count_tokens: Callable[[str], int] | None = None,
    ) -> SmartSearchResult: ...
    def timeline(self, events: _EventRefs, *, window: int = 3) -> Rows[TimelineItem]: ...
    def details(self, events: _EventRefs, /) -> Rows[Detail]: ...
    def import_claude_code(
        self,
        path: _Path,
        *,
        has_tool_observations: bool = True,
        keeps_blank_text: bool = False,
        response_limit_utf16: int | None = None,
        limit: int | None = None,
        max_line_bytes: int = 67108864,
        progress: Callable[[ImportProgress], object] | bool | None = None,
    ) -> ImportReport: ...
    def forget(
        self,
        events: _EventRefs | None = None,
        *,
        session: str | None = None,
        before: datetime | None = None,
        project: str | ProjectScope | None = None,
        kinds: _Kinds | None = None,
        everything: bool = False,
    ) -> Forgotten: ...
    def erase(
        self,
        events: _EventRefs | None = None,
        *,
        session: str | None = None,
        before: datetime | None = None,
        project: str | ProjectScope | None = None,
        kinds: _Kinds | None = None,
        everything: bool = False,
    ) -> Erased: ...
    def rebuild(self, *, as_of: datetime | None = None) -> Rebuilt: ...
    def wait_for_change(self, after: int, timeout_ms: int) -> int: ...
    def maintain(
        self,
        *,
        graduate_events: int = 500,
        merges: int = 4,
        merge_events: int = 100000,
        jobs: int = 64,
        graph_vectors: int = 500,
        learn_messages: int = 200,
        time_ms: int | None = None,
    ) -> Maintained: ...
    def process_outbox(self, *, limit: int = 100) -> Processed: ...
    def export_jsonl(
        self,
        target: _Path | _Writer,
        *,
        events: _EventRefs | None = None,
        session: str | None = None,
        before: datetime | None = None,
        project: str | ProjectScope | None = None,
        kinds: _Kinds | None = None,
        everything: bool = False,
    ) -> Exported: ...
    def restore_jsonl(self, source: _Path | _Reader, /) -> int: ...
    def import_jsonl(self, source: _Path | _Reader, /) -> Imported: ...
    def backup(self, path: _Path, /) -> int: ...
    def session_messages(self, session: str, /) -> Rows[SessionMessage]: ...
    def ingest(
        self,
        session: str,
        extraction: dict[str, Any] | str,
        *,
        extractor_model: str = "",
        extractor_prompt: str = "",
        extraction_ms: float | None = None,
        project: str | None = None,
        messages: Iterable[str] = (),
    ) -> IngestReport: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def _repr_html_(self) -> str: ...
    def _panic_for_test(self) -> None: ...
    # Generated by `cargo xtask interface`; do not edit.
    def sessions(self, *, project: str | ProjectScope | None = None) -> Rows[Session]: ...
    def session(self, id: str, /) -> Session | None: ...
    def check(self) -> CheckReport: ...
    def compact(self) -> Compacted: ...
    def stats(self) -> Stats: ...
    def effective_settings(self) -> Rows[EffectiveSetting]: ...
