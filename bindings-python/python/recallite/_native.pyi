"""Types of the extension module. Compared with it by stubtest."""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, final

from ._records import (
    Appended,
    Detail,
    Event,
    EventKind,
    Hit,
    ImportProgress,
    ImportReport,
    NewEvent,
    Origin,
    ProjectScope,
    SearchResult,
    Session,
    Stats,
    TimelineItem,
    ToolUse,
)

__version__: Final[str]
_ERROR_CODES: Final[tuple[str, ...]]
_EVENT_KINDS: Final[tuple[str, ...]]
_ORIGINS: Final[tuple[str, ...]]

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_EventRef: TypeAlias = str | int | Appended | Event | Hit | TimelineItem | Detail

def open(
    path: _Path,
    *,
    project: str = "",
    create: bool = True,
    exclusive: bool = False,
    busy_timeout_ms: int = 5000,
    cache_bytes: int | None = None,
    index_cache_bytes: int | None = None,
    allow_network_folder: bool = False,
) -> Memory: ...
def default_store_path() -> Path: ...
def project_of(folder: _Path) -> str: ...
def _raise_for_test(code: str, argument: str | None = None) -> None: ...
def _panic_for_test() -> None: ...

@final
class Events:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Event: ...

@final
class Memory:
    @property
    def path(self) -> Path: ...
    @property
    def project(self) -> str: ...
    @property
    def is_open(self) -> bool: ...
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
    def append_batch(self, events: Iterable[NewEvent | Mapping[str, Any]], /) -> list[Appended]: ...
    def event(self, event: _EventRef, /) -> Event | None: ...
    def citation(self, text: str, /) -> Event: ...
    def events(
        self,
        *,
        session: str | None = None,
        project: str | ProjectScope | None = None,
        kinds: EventKind | str | Iterable[EventKind | str] | None = None,
        from_: datetime | None = None,
        until: datetime | None = None,
        tool: str | None = None,
        file_contains: str | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Events: ...
    def changes_since(self, after: int, *, limit: int = 1000) -> list[Event]: ...
    def sessions(self, *, project: str | ProjectScope | None = None) -> list[Session]: ...
    def session(self, id: str, /) -> Session | None: ...
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
        query: str,
        *,
        limit: int = 10,
        session: str | None = None,
        project: str | ProjectScope | None = None,
        kinds: EventKind | str | Iterable[EventKind | str] | None = None,
        from_: datetime | None = None,
        until: datetime | None = None,
        min_relevance: float | None = None,
        deadline_ms: int | None = None,
    ) -> SearchResult: ...
    def timeline(
        self, events: _EventRef | Iterable[_EventRef], *, window: int = 3
    ) -> list[TimelineItem]: ...
    def details(self, events: _EventRef | Iterable[_EventRef], /) -> list[Detail]: ...
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
    def stats(self) -> Stats: ...
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
