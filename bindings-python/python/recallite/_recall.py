"""What recall takes and gives beside a plain search: queries, context for a
prompt, smart search and citations.

As in ``_records``, the order of the fields is the order in ``src/recall_record.rs``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from html import escape

from ._records import (
    Detail,
    Event,
    EventKind,
    MatchClass,
    Origin,
    ProjectScope,
    TimelineItem,
    _Record,  # pyright: ignore[reportPrivateUsage]
    _table,  # pyright: ignore[reportPrivateUsage]
)

__all__ = [
    "CitationDetail",
    "CitationFormat",
    "CitationNeighbour",
    "Context",
    "ContextItem",
    "ExpansionReason",
    "IndexItem",
    "PopularCitation",
    "Query",
    "Recording",
    "SmartSearchMeta",
    "SmartSearchResult",
]


class CitationFormat(StrEnum):
    """How a block of cited memories is laid out."""

    INLINE = "inline"
    """Each memory quoted, with its citation below it."""
    FOOTNOTE = "footnote"
    """Each memory followed by ``[n]``, the citations listed at the end."""
    REFERENCE = "reference"
    """The memories under ``## Content``, the citations under ``## References``."""


class Recording(StrEnum):
    """When the record is written that a context was given."""

    LATER = "later"
    """With the next append or at ``close()``: it costs no write of its own."""
    NOW = "now"
    """Before the call returns: for short-lived processes that append nothing."""
    NEVER = "never"
    """Never: usage figures do not count it."""


class ExpansionReason(StrEnum):
    """Why a smart search expanded its results, or did not."""

    HIGH_CONFIDENCE = "high_confidence"
    """There is one result, and it is surely meant."""
    CLEAR_WINNER = "clear_winner"
    """The first result is clearly better than the second."""
    AMBIGUOUS_RESULTS = "ambiguous_results"
    """Several results are good: their surroundings help to choose."""
    LOW_CONFIDENCE = "low_confidence"
    """Nothing is good enough, or there is nothing."""


@dataclass(frozen=True, slots=True, repr=False)
class Query(_Record):
    """A search as a value: a text and what narrows it. Wherever a query is asked
    for, its text as a ``str`` will do."""

    text: str
    """The question or the words to look for, in any language."""
    limit: int | None = None
    """At most this many hits, 1 to 1,000; by default 10."""
    session: str | None = None
    """Only events of this session."""
    project: str | ProjectScope | None = None
    """Only events of this project; by default of the memory's own."""
    kinds: EventKind | str | Iterable[EventKind | str] | None = None
    """Only these conversation kinds; by default all four."""
    from_: datetime | None = None
    """Only events at this time or later, aware."""
    until: datetime | None = None
    """Only events before this time, aware."""
    min_relevance: float | None = None
    """Only hits whose relevance is at least this, 0 to 1."""
    deadline_ms: int | None = None
    """When it is over, the result so far is given, marked ``degraded``."""
    include_recalled: bool = False
    """Whether recalled text that came back is found too."""
    vector: Iterable[float] | None = None
    """What the memory's embedder would say of the text, a NumPy array or a list;
    it is not asked then, and the text may be blank."""


@dataclass(frozen=True, slots=True, repr=False)
class ContextItem(_Record):
    """One memory of a context: ``content[start:end] == text``."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    actor: str
    origin: Origin
    timestamp: datetime
    text: str
    """The part of its content that is shown."""
    start: int
    """Where that part begins in the content, in code points."""
    end: int
    """Where it ends in the content, in code points, exclusive."""
    start_byte: int
    """Where it begins in the content's UTF-8 form, in bytes."""
    end_byte: int
    """Where it ends in the content's UTF-8 form, in bytes, exclusive."""
    relevance: float | None
    """How likely it answers the query, 0 to 1; ``None`` for a pinned event."""


@dataclass(frozen=True, slots=True, repr=False)
class Context(_Record):
    """Text for an agent's prompt; false when there is nothing to inject, and its
    ``str()`` is the text."""

    text: str
    """The fenced text; empty when nothing is good enough or fits."""
    citations: tuple[str, ...]
    """The citations in the text, in its order."""
    tokens: int
    """The tokens of the text."""
    confidence: MatchClass
    """How sure the best match is: none, suggested (the text says so) or high."""
    items: tuple[ContextItem, ...]
    """The memories in the text, in its order."""
    degraded: bool
    """True when a deadline or damage kept something from being searched."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to inject."""
        return not self.text

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (item.citation, item.kind, item.timestamp, item.relevance, item.text)
            for item in self.items
        ]
        state = ", degraded" if self.degraded else ""
        return (
            _table(("citation", "kind", "time", "relevance", "text"), rows)
            + f"<p>{self.tokens} tokens, confidence {escape(self.confidence)}{state}</p>"
            + f"<pre>{escape(self.text)}</pre>"
        )


@dataclass(frozen=True, slots=True, repr=False)
class IndexItem(_Record):
    """One line of a smart search's index."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    timestamp: datetime
    summary: str
    """One line of at most 100 characters."""
    score: float
    """How likely it answers the query, 0 to 1: the hit's relevance."""


@dataclass(frozen=True, slots=True, repr=False)
class SmartSearchMeta(_Record):
    """Figures about a smart search."""

    total_matches: int
    """How many events matched at all."""
    expanded_count: int
    """How many results a timeline or details are shown for."""
    estimated_tokens: int
    """The tokens of index, timeline and details in their Markdown form."""
    expansion_reason: ExpansionReason


@dataclass(frozen=True, slots=True, repr=False)
class SmartSearchResult(_Record):
    """Three layers, each only as far as it helps; a sequence of its index."""

    index: tuple[IndexItem, ...]
    """Layer 1: the results, best first."""
    timeline: tuple[TimelineItem, ...]
    """Layer 2: what happened around some of them; may be empty."""
    details: tuple[Detail, ...]
    """Layer 3: some of them in full; may be empty."""
    meta: SmartSearchMeta
    hint: str
    """What to tell the reader about seeing more; empty when enough was shown."""
    confidence: MatchClass
    """How sure the best result is."""
    degraded: bool
    """True when a deadline or damage kept something from being searched."""
    index_markdown: str = field(compare=False)
    """Layer 1 as Markdown."""
    timeline_markdown: str = field(compare=False)
    """Layer 2 as Markdown; empty without a timeline."""
    details_markdown: str = field(compare=False)
    """Layer 3 as Markdown; empty without details."""
    markdown: str = field(compare=False)
    """The layers that are there, one below the other, and the hint."""

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[IndexItem]:
        return iter(self.index)

    def _repr_html_(self) -> str:
        def line(item: IndexItem) -> tuple[object, ...]:
            return item.citation, item.kind, item.timestamp, item.score, item.summary

        def step(item: TimelineItem) -> tuple[object, ...]:
            mark = "▶" if item.is_target else ""
            return mark, item.citation, item.timestamp, item.actor, item.preview

        def whole(detail: Detail) -> tuple[object, ...]:
            event = detail.event
            return event.citation, event.timestamp, event.actor, event.content

        parts = [
            _table(("citation", "kind", "time", "score", "summary"), [line(i) for i in self.index])
        ]
        if self.timeline:
            parts.append(_table(("", "citation", "time", "actor", "preview"), [step(item) for item in self.timeline]))
        if self.details:
            parts.append(_table(("citation", "time", "actor", "content"), [whole(detail) for detail in self.details]))
        state = ", degraded" if self.degraded else ""
        parts.append(
            f"<p>{len(self.index)} of {self.meta.total_matches} matches, "
            f"confidence {escape(self.confidence)}, "
            f"{escape(self.meta.expansion_reason)}{state}</p>"
        )
        return "".join(parts)


@dataclass(frozen=True, slots=True, repr=False)
class CitationNeighbour(_Record):
    """An event that stands beside a cited one."""

    id: str
    citation: str
    kind: EventKind
    timestamp: datetime
    preview: str
    """One line of at most 200 characters."""


@dataclass(frozen=True, slots=True, repr=False)
class CitationDetail(_Record):
    """A cited event with what stands beside it and how it was used."""

    event: Event
    previous: CitationNeighbour | None
    """The event before it in its session."""
    next: CitationNeighbour | None
    """The event after it in its session."""
    usage_count: int
    """How often it was given to an agent."""
    last_used: datetime | None
    """When it was last given to an agent."""


@dataclass(frozen=True, slots=True, repr=False)
class PopularCitation(_Record):
    """A citation that was given to agents."""

    id: str
    seq: int
    citation: str
    kind: EventKind
    session: str
    preview: str
    """One line of at most 100 characters."""
    usage_count: int
    """How often it was used in the window."""
    last_used: datetime


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
