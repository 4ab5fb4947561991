"""Arguments whose shape is Python's own: what an event is made of, and a query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._base import ProjectScope, Record
from ._generated.log import EventKind, Origin

if TYPE_CHECKING:
    from ._generated.learning import EntryType, LearnedKind, Level
    from ._generated.log import ToolOutcome

__all__ = [
    "NewEvent",
    "Query",
    "ToolUse",
]


@dataclass(frozen=True, slots=True, repr=False)
class ToolUse(Record):
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
class NewEvent(Record):
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
class Query(Record):
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
    learned: bool = True
    """Whether what was learned is found beside the events."""
    learned_kinds: LearnedKind | str | Iterable[LearnedKind | str] | None = None
    """Only these kinds of learned things; by default all four."""
    entry_types: EntryType | str | Iterable[EntryType | str] | None = None
    """Only entries of these types; by default all."""
    as_of: datetime | None = None
    """As it was known at this moment, aware: events until then, entries that held
    then, tasks as they stood then; by default now."""
    tools: str | Iterable[str] | None = None
    """Only calls of these tools, at most 64, and what was learned from them."""
    file_contains: str | None = None
    """Only calls of tools on a file whose path contains this, 1 to 1,024 bytes, and
    what was learned from them."""
    tool_outcome: ToolOutcome | str | None = None
    """Only calls of tools that ended so, and what was learned from them."""
    min_level: Level | str | None = None
    """Only events that have risen to this level or higher, and what was learned from
    one of them; by the levels of today, also with ``as_of``."""


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
