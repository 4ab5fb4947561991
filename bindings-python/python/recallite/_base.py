"""What all errors and all records have in common, and what some records offer beyond their
fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from enum import Enum, StrEnum
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, overload

from ._generated.errors import ErrorCode

if TYPE_CHECKING:
    from ._generated.learning import Alignment, BlockerRef, TaskStatus
    from ._generated.log import Stats
    from ._generated.recall import (
        ContextItem,
        Detail,
        Hit,
        IndexItem,
        MatchClass,
        SmartSearchMeta,
        TimelineItem,
    )


class Error(Exception):
    """An error of the library.

    A message says what happened and what to do next. It never contains stored
    content or secrets.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL
    """The stable code of the class."""

    argument: str | None
    """The argument that was wrong, when the caller was wrong."""

    retryable: bool
    """Whether the same call may succeed later without any other change."""

    needs_reopen: bool
    """Whether the memory must be opened again before anything else. After
    ``NeedsReopen`` that heals the other handles of the process too."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.argument = None
        self.retryable = False
        self.needs_reopen = False


class ProjectScope(Enum):
    """Which projects a read looks at, if it is not a single one given by name."""

    OWN = "own"
    """The project that the memory was opened for (the default); every project
    if it was opened for none."""
    ALL = "all"
    """Every project of the store."""


ProjectScope.__module__ = "recallite"


def plain(value: object) -> Any:
    """Plain Python values all the way down."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {key: plain(item) for key, item in items}
    return str(value) if isinstance(value, StrEnum) else value


# Texts are cut to this length in a repr; the fields hold them whole.
_SHOWN_CHARACTERS = 72


def show(value: object) -> str:
    if isinstance(value, str):
        if len(value) > _SHOWN_CHARACTERS:
            value = value[: _SHOWN_CHARACTERS - 1] + "…"
        return repr(str(value))
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.6g}"
    return repr(value)


def cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Record):
        return value._repr_html_()  # pyright: ignore[reportPrivateUsage]
    if isinstance(value, datetime):
        return escape(value.isoformat(sep=" ", timespec="seconds"))
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        if not items or not isinstance(items[0], Record):
            return escape(str(items))
        if len({type(item) for item in items}) == 1:
            return rows_table(cast("tuple[Record, ...]", items))
        return "".join(cell(item) for item in items)
    return escape(str(value))


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    columns = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def rows_table(records: tuple[Record, ...]) -> str:
    """Records of one class as a table, a row for each."""
    names = tuple(item.name for item in fields(records[0]))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    if "citation" in names:
        # People refer to an event by its citation; other names only take up space.
        names = tuple(name for name in names if name not in {"id", "seq"})
    return table(names, [tuple(getattr(record, name) for name in names) for record in records])


class Record:
    """What all records can do."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, like ``dataclasses.asdict``: records become
        dicts, tuples become lists, kinds become ``str``; times stay ``datetime``."""
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

    def __repr__(self) -> str:
        shown = ", ".join(f"{item.name}={show(getattr(self, item.name))}" for item in fields(self))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (item.name, getattr(self, item.name))
            for item in fields(self)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        ]
        return table((type(self).__name__, ""), rows)


_R = TypeVar("_R", bound=Record)


class Rows(list[_R]):
    """A list of results that notebooks show as a table; otherwise a plain list."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return rows_table(tuple(self)) if self else "<p>none</p>"


Rows.__module__ = "recallite"


def memory_html(title: str, stats: Stats | None) -> str:
    """What a notebook shows of a memory."""
    head = f"<p><code>{escape(title)}</code></p>"
    return head if stats is None else head + cell(stats)


def _state(degraded: bool) -> str:
    return ", degraded" if degraded else ""


class PrivacyReport(Record):
    """What `recallite.PrivacyReport` adds."""

    __slots__ = ()
    if TYPE_CHECKING:
        private_count: int
        secret_count: int
        anonymized_count: int

    @property
    def changed(self) -> bool:
        """Whether anything was removed or masked."""
        return self.private_count + self.secret_count + self.anonymized_count > 0


class SearchResult(Record):
    """What `recallite.SearchResult` adds: it is a sequence of its hits."""

    __slots__ = ()
    if TYPE_CHECKING:
        items: tuple[Hit, ...]
        confidence: MatchClass
        degraded: bool
        total_matches: int

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
        note = (
            f"<p>{len(self.items)} of {self.total_matches} matches, "
            f"confidence {escape(self.confidence)}{_state(self.degraded)}</p>"
        )
        return table(("", "citation", "kind", "time", "relevance", "passage"), rows) + note


class Context(Record):
    """What `recallite.Context` adds: it is false if there is nothing to inject, and
    its ``str()`` is the text."""

    __slots__ = ()
    if TYPE_CHECKING:
        text: str
        tokens: int
        confidence: MatchClass
        items: tuple[ContextItem, ...]
        degraded: bool

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
        return (
            table(("citation", "kind", "time", "relevance", "text"), rows)
            + f"<p>{self.tokens} tokens, confidence {escape(self.confidence)}"
            + f"{_state(self.degraded)}</p><pre>{escape(self.text)}</pre>"
        )


class SmartSearchResult(Record):
    """What `recallite.SmartSearchResult` adds: it is a sequence of its index."""

    __slots__ = ()
    if TYPE_CHECKING:
        index: tuple[IndexItem, ...]
        timeline: tuple[TimelineItem, ...]
        details: tuple[Detail, ...]
        meta: SmartSearchMeta
        confidence: MatchClass
        degraded: bool

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

        parts = [table(("citation", "kind", "time", "score", "summary"), [line(i) for i in self.index])]
        if self.timeline:
            head = ("", "citation", "time", "actor", "preview")
            parts.append(table(head, [step(item) for item in self.timeline]))
        if self.details:
            shown = [whole(detail) for detail in self.details]
            parts.append(table(("citation", "time", "actor", "content"), shown))
        parts.append(
            f"<p>{len(self.index)} of {self.meta.total_matches} matches, "
            f"confidence {escape(self.confidence)}, "
            f"{escape(self.meta.expansion_reason)}{_state(self.degraded)}</p>"
        )
        return "".join(parts)


class AlignmentReport(Record):
    """What `recallite.AlignmentReport` adds: it is a sequence of its results."""

    __slots__ = ()
    if TYPE_CHECKING:
        results: tuple[Alignment, ...]

    @property
    def aligned(self) -> tuple[Alignment, ...]:
        """The quotes that were found."""
        return tuple(one for one in self.results if one.is_aligned)

    @property
    def failed(self) -> tuple[Alignment, ...]:
        """The quotes that were not found."""
        return tuple(one for one in self.results if not one.is_aligned)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Alignment]:
        return iter(self.results)

    @overload
    def __getitem__(self, index: int) -> Alignment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Alignment, ...]: ...
    def __getitem__(self, index: int | slice) -> Alignment | tuple[Alignment, ...]:
        return self.results[index]


class Task(Record):
    """What `recallite.Task` adds."""

    __slots__ = ()
    if TYPE_CHECKING:
        status: TaskStatus
        blockers: tuple[BlockerRef, ...]

    @property
    def is_blocked_by_suggestions_only(self) -> bool:
        """Whether the task is blocked and every blocker is only a suggestion, which is
        worth asking about."""
        return self.status == "blocked" and not self.blockers
