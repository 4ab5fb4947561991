"""The same memory for asyncio: every call runs in a thread.

    async with recallite.aio.open("./memory") as memory:
        await memory.append(kind="user_prompt", session="s1", content="…")
        async for event in memory.events(session="s1"):
            ...

Names, arguments and results are those of `recallite.Memory`. A call that is
cancelled goes on in its thread; an append may then be stored although its
receipt is lost, and `dedupe` makes it safe to repeat. Callbacks such as
`progress` and `summarize` run in the thread of the call, not in the event loop.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from ._native import ArrowEvents
from ._native import Events as _Events
from ._native import Memory as _Memory
from ._native import open as _open
from ._generated.log import Event

__all__ = ["Events", "Memory", "open"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

def _in_thread(
    method: Callable[Concatenate[_Memory, _P], _R],
) -> Callable[Concatenate[Memory, _P], Coroutine[Any, Any, _R]]:
    @functools.wraps(method)
    async def call(memory: Memory, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, memory.memory, *args, **kwargs)

    return call


def _streamed(
    method: Callable[Concatenate[_Memory, _P], _Events],
) -> Callable[Concatenate[Memory, _P], Events]:
    @functools.wraps(method)
    def call(memory: Memory, /, *args: _P.args, **kwargs: _P.kwargs) -> Events:
        return Events(lambda: method(memory.memory, *args, **kwargs))

    return call


class Events:
    """Events in the order of time, read in a thread as they are asked for."""

    def __init__(self, opens: Callable[[], _Events]) -> None:
        self._opens = opens
        self._events: _Events | None = None
        self._step = asyncio.Lock()

    def _read(self) -> Event | None:
        # One event and no more: what is read ahead may be erased before it is
        # asked for.
        if self._events is None:
            self._events = self._opens()
        return next(self._events, None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        async with self._step:
            event = await asyncio.to_thread(self._read)
            if event is None:
                raise StopAsyncIteration
            return event

    async def to_arrow(self, *, batch_rows: int = 1024) -> ArrowEvents:
        """As `recallite.Events.to_arrow`; before any event was read one by one."""
        if self._events is not None:
            raise RuntimeError("to_arrow must come before the first event is read")
        return await asyncio.to_thread(lambda: self._opens().to_arrow(batch_rows=batch_rows))


class Memory:
    """A memory whose calls are awaited. Made by `recallite.aio.open`."""

    def __init__(self, memory: _Memory) -> None:
        self.memory = memory
        """The memory for calls without `await`."""

    @property
    def path(self) -> Path:
        """The folder of the memory."""
        return self.memory.path

    @property
    def project(self) -> str:
        """The project that the memory was opened for; empty for none."""
        return self.memory.project

    @property
    def is_open(self) -> bool:
        """Whether the handle is open."""
        return self.memory.is_open

    append = _in_thread(_Memory.append)
    append_batch = _in_thread(_Memory.append_batch)
    event = _in_thread(_Memory.event)
    citation = _in_thread(_Memory.citation)
    events = _streamed(_Memory.events)
    changes_since = _in_thread(_Memory.changes_since)
    sessions = _in_thread(_Memory.sessions)
    session = _in_thread(_Memory.session)
    update_session = _in_thread(_Memory.update_session)
    search = _in_thread(_Memory.search)
    context = _in_thread(_Memory.context)
    smart_search = _in_thread(_Memory.smart_search)
    timeline = _in_thread(_Memory.timeline)
    details = _in_thread(_Memory.details)
    citation_detail = _in_thread(_Memory.citation_detail)
    popular_citations = _in_thread(_Memory.popular_citations)
    citing_sessions = _in_thread(_Memory.citing_sessions)
    forget = _in_thread(_Memory.forget)
    erase = _in_thread(_Memory.erase)
    count_selected = _in_thread(_Memory.count_selected)
    apply_retention = _in_thread(_Memory.apply_retention)
    compact = _in_thread(_Memory.compact)
    check = _in_thread(_Memory.check)
    rebuild = _in_thread(_Memory.rebuild)
    state_hash = _in_thread(_Memory.state_hash)
    wait_for_change = _in_thread(_Memory.wait_for_change)
    upgrade = _in_thread(_Memory.upgrade)
    maintain = _in_thread(_Memory.maintain)
    process_outbox = _in_thread(_Memory.process_outbox)
    retry_outbox = _in_thread(_Memory.retry_outbox)
    export_jsonl = _in_thread(_Memory.export_jsonl)
    restore_jsonl = _in_thread(_Memory.restore_jsonl)
    import_jsonl = _in_thread(_Memory.import_jsonl)
    backup = _in_thread(_Memory.backup)
    import_claude_code = _in_thread(_Memory.import_claude_code)
    session_messages = _in_thread(_Memory.session_messages)
    ingest = _in_thread(_Memory.ingest)
    tasks = _in_thread(_Memory.tasks)
    task = _in_thread(_Memory.task)
    task_as_of = _in_thread(_Memory.task_as_of)
    entity = _in_thread(_Memory.entity)
    blocked_tasks = _in_thread(_Memory.blocked_tasks)
    tasks_with_only_suggested_blockers = _in_thread(_Memory.tasks_with_only_suggested_blockers)
    tasks_with_placeholder_blockers = _in_thread(_Memory.tasks_with_placeholder_blockers)
    resolved_conditions = _in_thread(_Memory.resolved_conditions)
    resolve_condition = _in_thread(_Memory.resolve_condition)
    change_task_status = _in_thread(_Memory.change_task_status)
    rename_task = _in_thread(_Memory.rename_task)
    entries = _in_thread(_Memory.entries)
    search_entries = _in_thread(_Memory.search_entries)
    entry = _in_thread(_Memory.entry)
    supersede = _in_thread(_Memory.supersede)
    contradict = _in_thread(_Memory.contradict)
    resolve_conflict = _in_thread(_Memory.resolve_conflict)
    certify = _in_thread(_Memory.certify)
    deprecate = _in_thread(_Memory.deprecate)
    edges = _in_thread(_Memory.edges)
    add_edge = _in_thread(_Memory.add_edge)
    remove_edge = _in_thread(_Memory.remove_edge)
    replace_edges = _in_thread(_Memory.replace_edges)
    lineage = _in_thread(_Memory.lineage)
    related_entries = _in_thread(_Memory.related_entries)
    level = _in_thread(_Memory.level)
    level_counts = _in_thread(_Memory.level_counts)
    record_access = _in_thread(_Memory.record_access)
    set_half_life_days = _in_thread(_Memory.set_half_life_days)
    graduate = _in_thread(_Memory.graduate)
    insights = _in_thread(_Memory.insights)
    mode = _in_thread(_Memory.mode)
    session_now = _in_thread(_Memory.session_now)
    set_mode = _in_thread(_Memory.set_mode)
    endless_config = _in_thread(_Memory.endless_config)
    set_endless_config = _in_thread(_Memory.set_endless_config)
    working_set = _in_thread(_Memory.working_set)
    consolidated_memories = _in_thread(_Memory.consolidated_memories)
    continuity_log = _in_thread(_Memory.continuity_log)
    score_continuity = _in_thread(_Memory.score_continuity)
    endless_status = _in_thread(_Memory.endless_status)
    endless_context = _in_thread(_Memory.endless_context)
    consolidate = _in_thread(_Memory.consolidate)
    build_runs = _in_thread(_Memory.build_runs)
    pipeline_metrics = _in_thread(_Memory.pipeline_metrics)
    promotions = _in_thread(_Memory.promotions)
    conflicts = _in_thread(_Memory.conflicts)
    decisions = _in_thread(_Memory.decisions)
    record_decision = _in_thread(_Memory.record_decision)
    resolve_memory = _in_thread(_Memory.resolve_memory)
    mark_unknown_context = _in_thread(_Memory.mark_unknown_context)
    placeholders = _in_thread(_Memory.placeholders)
    memory_resolutions = _in_thread(_Memory.memory_resolutions)
    effective_memory = _in_thread(_Memory.effective_memory)
    stats = _in_thread(_Memory.stats)
    close = _in_thread(_Memory.close)

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<recallite.aio.Memory of {self.memory!r}>"


class _Opening:
    """What `open` gives: await it, or enter it with `async with`."""

    def __init__(self, opens: Callable[[], _Memory]) -> None:
        self._opens = opens
        self._memory: Memory | None = None

    async def _opened(self) -> Memory:
        return Memory(await asyncio.to_thread(self._opens))

    def __await__(self) -> Generator[Any, Any, Memory]:
        return self._opened().__await__()

    async def __aenter__(self) -> Memory:
        self._memory = await self._opened()
        return self._memory

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._memory is not None:
            await self._memory.close()


def _opener(function: Callable[_P, _Memory]) -> Callable[_P, _Opening]:
    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _Opening:
        return _Opening(lambda: function(*args, **kwargs))

    return call


open = _opener(_open)
