"""What all errors and all records have in common, and what some records offer beyond their
fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from enum import Enum, StrEnum
from html import escape
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, overload

from ._generated.errors import ErrorCode


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
    """Which projects a read covers, if it is not a single one given by name."""

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


def memory_html(title: str, stats: Record | None) -> str:
    """What a notebook shows of a memory."""
    head = f"<p><code>{escape(title)}</code></p>"
    return head if stats is None else head + cell(stats)


def columns(records: tuple[Any, ...], shown: dict[str, str]) -> str:
    """Records as a table: the heads of its columns, and the field that each shows."""
    fields_of = attrgetter(*shown.values())
    return table(tuple(shown), [fields_of(record) for record in records])


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


_Item = TypeVar("_Item")


class Listed(Record, Generic[_Item]):
    """A result that is a sequence of what one of its fields lists."""

    __slots__ = ()
    _listed: ClassVar[str]

    def _all(self) -> tuple[_Item, ...]:
        return cast("tuple[_Item, ...]", getattr(self, self._listed))

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[_Item]:
        return iter(self._all())


class Indexed(Listed[_Item]):
    """A sequence whose items have positions."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        return self._all()[index]


def _confidence(found: Any, matches: str) -> str:
    """How sure a recall is, behind the number of its matches."""
    return f"{matches}, confidence {escape(found.confidence)}"


def _state(found: Any) -> str:
    return ", degraded" if found.degraded else ""


class SearchResult(Indexed[_Item]):
    """What `recallite.SearchResult` adds: it is a sequence of its hits."""

    __slots__ = ()
    _listed = "items"

    def _repr_html_(self) -> str:
        found: Any = self
        head = ("", "citation", "kind", "time", "relevance", "passage")
        rows: list[tuple[object, ...]] = [
            (rank, hit.citation, hit.kind, hit.timestamp, hit.relevance, hit.passage.text)
            for rank, hit in enumerate(found.items, 1)
        ]
        matches = f"{len(rows)} of {found.total_matches} matches"
        return table(head, rows) + f"<p>{_confidence(found, matches)}{_state(found)}</p>"


class Context(Record):
    """What `recallite.Context` adds: it is false if there is nothing to inject, and
    its ``str()`` is the text."""

    __slots__ = ()
    if TYPE_CHECKING:
        text: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to inject."""
        return not self.text

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        found: Any = self
        shown = {
            "citation": "citation",
            "kind": "kind",
            "time": "timestamp",
            "relevance": "relevance",
            "text": "text",
        }
        note = _confidence(found, f"{found.tokens} tokens") + _state(found)
        return columns(found.items, shown) + f"<p>{note}</p><pre>{escape(self.text)}</pre>"


class SmartSearchResult(Listed[_Item]):
    """What `recallite.SmartSearchResult` adds: it is a sequence of its index."""

    __slots__ = ()
    _listed = "index"

    def _repr_html_(self) -> str:
        found: Any = self
        shown = {
            "citation": "citation",
            "kind": "kind",
            "time": "timestamp",
            "score": "score",
            "summary": "summary",
        }
        html = columns(found.index, shown)
        if found.timeline:
            head = ("", "citation", "time", "actor", "preview")
            steps: list[tuple[object, ...]] = [
                ("▶" if one.is_target else "", one.citation, one.timestamp, one.actor, one.preview)
                for one in found.timeline
            ]
            html += table(head, steps)
        if found.details:
            of_event = {
                "citation": "event.citation",
                "time": "event.timestamp",
                "actor": "event.actor",
                "content": "event.content",
            }
            html += columns(found.details, of_event)
        matches = f"{len(self)} of {found.meta.total_matches} matches"
        reason = escape(found.meta.expansion_reason)
        return html + f"<p>{_confidence(found, matches)}, {reason}{_state(found)}</p>"


class AlignmentReport(Indexed[_Item]):
    """What `recallite.AlignmentReport` adds: it is a sequence of its results."""

    __slots__ = ()
    _listed = "results"

    @property
    def aligned(self) -> tuple[_Item, ...]:
        """The quotes that were found."""
        return self._those(True)

    @property
    def failed(self) -> tuple[_Item, ...]:
        """The quotes that were not found."""
        return self._those(False)

    def _those(self, is_aligned: bool) -> tuple[_Item, ...]:
        results = cast("tuple[Any, ...]", self._all())
        return tuple(one for one in results if one.is_aligned == is_aligned)


class Task(Record):
    """What `recallite.Task` adds."""

    __slots__ = ()

    @property
    def is_blocked_by_suggestions_only(self) -> bool:
        """Whether the task is blocked and every blocker is only a suggestion, which is
        worth asking about."""
        task: Any = self
        return task.status == "blocked" and not task.blockers
