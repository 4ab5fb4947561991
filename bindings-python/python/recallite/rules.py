"""The rules of the library as functions: nothing here reads or writes a store.

The same rules in every language. A host that prepares data for a memory, checks
what a language model made, or lays out what it recalled, gets the same answers as
the library.

    >>> from recallite import rules
    >>> rules.canonical_key("Hello,  World!")
    'hello world'
    >>> rules.estimate_tokens("abcde")
    2
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ._base import Record
from ._generated.learning import EntityKind, Level, TaskStatus
from ._generated.log import EventKind, PrivacyReport
from ._generated.recall import ExpansionReason, MatchClass
from ._native import (
    INDEX_ITEM_TOKENS,
    TIMELINE_ITEM_TOKENS,
    align,
    align_claims,
    allows_blockers,
    artifact_key,
    artifact_kind,
    canonical_key,
    check_grounding,
    citation_block,
    citation_id,
    classify,
    condition_key,
    content_hash,
    continuity,
    decide_transition,
    dedupe_key,
    effective_blockers,
    entity_key,
    estimate_tokens,
    evaluate_graduation,
    expansion_decision,
    extract_claims,
    extract_insights,
    filter_text,
    format_context,
    initial_task_status,
    is_consolidation_due,
    is_edge_allowed,
    harmless,
    harmless_line,
    is_same_title,
    levenshtein,
    mask_secrets,
    mask_tool_input,
    match_list,
    match_score,
    outside_session_name,
    parse_citation,
    parse_entity_key,
    plan_expansion,
    preview,
    remove_private_sections,
    session_summary_text,
    similarity,
    snapshot,
    summary,
    task_key,
    tool_embedding_text,
    tool_metadata,
    tool_summary,
    truncate_output,
    unique_citation_id,
    utf16_len,
)

__all__ = [
    "CitedMemory",
    "ContextMemory",
    "ContextSnapshot",
    "Criterion",
    "EntityKey",
    "Evaluation",
    "ExpansionDecision",
    "ExpansionPlan",
    "ExpansionReason",
    "Filtered",
    "INDEX_ITEM_TOKENS",
    "InsightEvent",
    "Masked",
    "MaskedInput",
    "MatchList",
    "PrivateRemoved",
    "TIMELINE_ITEM_TOKENS",
    "TaskTransition",
    "align",
    "align_claims",
    "allows_blockers",
    "artifact_key",
    "artifact_kind",
    "canonical_key",
    "check_grounding",
    "citation_block",
    "citation_id",
    "classify",
    "condition_key",
    "content_hash",
    "continuity",
    "decide_transition",
    "dedupe_key",
    "effective_blockers",
    "entity_key",
    "estimate_tokens",
    "evaluate_graduation",
    "expansion_decision",
    "extract_claims",
    "extract_insights",
    "filter_text",
    "format_context",
    "initial_task_status",
    "is_consolidation_due",
    "is_edge_allowed",
    "harmless",
    "harmless_line",
    "is_same_title",
    "levenshtein",
    "mask_secrets",
    "mask_tool_input",
    "match_list",
    "match_score",
    "outside_session_name",
    "parse_citation",
    "parse_entity_key",
    "plan_expansion",
    "preview",
    "remove_private_sections",
    "session_summary_text",
    "similarity",
    "snapshot",
    "summary",
    "task_key",
    "tool_embedding_text",
    "tool_metadata",
    "tool_summary",
    "truncate_output",
    "unique_citation_id",
    "utf16_len",
]


class Criterion(StrEnum):
    """What a memory was found wanting in."""

    ACCESS_COUNT = "access_count"
    CONFIDENCE = "confidence"
    CROSS_SESSION_REFS = "cross_session_refs"
    AGE = "age"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True, repr=False)
class EntityKey(Record):
    """The parts of an entity key."""

    kind: EntityKind
    project: str | None
    """The project of a task or condition; artifacts have none."""
    identifier: str


@dataclass(frozen=True, slots=True, repr=False)
class CitedMemory(Record):
    """One memory of a citation block."""

    content: str
    citation_id: str
    """Without ``mem:``."""
    timestamp: datetime
    """Aware; its date is shown in UTC."""
    session_id: str
    """Its first 6 characters are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class ContextMemory(Record):
    """One memory of the context for a prompt."""

    kind: EventKind | str
    content: str
    timestamp: datetime
    score: float
    """From 0 to 1."""
    session_context: str | None = None
    """Its neighbours, in words."""


@dataclass(frozen=True, slots=True, repr=False)
class MatchList(Record):
    """The outcome of matching candidates, named by their place in the list."""

    matched: int | None
    """The best candidate, unless there is no match."""
    match_class: MatchClass
    gap: float | None
    """How far the second is behind; ``None`` with fewer than two."""
    alternatives: tuple[int, ...]
    """The next best, only when the match is a suggestion."""


@dataclass(frozen=True, slots=True, repr=False)
class ExpansionDecision(Record):
    """Which results to expand, named by their place in the list."""

    targets: tuple[int, ...]
    """Best first; empty for no expansion."""
    expands_timeline: bool
    expands_details: bool
    reason: ExpansionReason

    @property
    def is_expansion(self) -> bool:
        """Whether anything is expanded."""
        return bool(self.targets)


@dataclass(frozen=True, slots=True, repr=False)
class ExpansionPlan(Record):
    """What a token budget pays for, named by place in the list."""

    timeline_for: int | None
    """The result whose timeline is shown."""
    details_for: tuple[int, ...]
    """The results whose details are shown, best first."""
    used_tokens: int


@dataclass(frozen=True, slots=True, repr=False)
class TaskTransition(Record):
    """What becomes of a requested move of a task."""

    outcome: str
    """``no_change``, ``accepted`` or ``rejected``."""
    status: TaskStatus
    """The status afterwards: a refused move may lead elsewhere."""
    reason: str | None
    """Why the move was refused."""


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Record):
    """Whether a memory rises one level."""

    next: Level | None
    """The level above; ``None`` at the top."""
    passed: bool
    failed_on: Criterion | None
    """The first criterion that failed."""
    reason: str
    """Why not, in words; empty when it rises."""


@dataclass(frozen=True, slots=True, repr=False)
class InsightEvent(Record):
    """An event as the search for insights sees it."""

    id: str
    is_user_prompt: bool
    """Only prompts tell preferences."""
    content: str
    canonical_key: str


@dataclass(frozen=True, slots=True, repr=False)
class ContextSnapshot(Record):
    """What a stretch of conversation was about."""

    id: str
    timestamp: datetime
    topics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PrivateRemoved(Record):
    """A text without its private sections."""

    text: str
    private_count: int
    unclosed: bool
    """Whether an opening tag had no closing tag; it hides nothing."""


@dataclass(frozen=True, slots=True, repr=False)
class Masked(Record):
    """A text without its secrets."""

    text: str
    secret_count: int


@dataclass(frozen=True, slots=True, repr=False)
class MaskedInput(Record):
    """A tool's arguments without secrets."""

    input: Any = field(hash=False)
    secret_count: int


@dataclass(frozen=True, slots=True, repr=False)
class Filtered(Record):
    """What the privacy filter made of a text."""

    text: str
    privacy: PrivacyReport
    warnings: tuple[str, ...]
    """What the writer should know, for example an unclosed private tag."""
