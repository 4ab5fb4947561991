"""The same memory for asyncio: every call runs in a thread.

    async with recallite.aio.open("./memory") as memory:
        await memory.append(kind="user_prompt", session="s1", content="…")
        async for event in memory.events(session="s1"):
            ...

Names, arguments and results are those of `recallite.Memory`. A call that is
cancelled goes on in its thread; an append may then be stored although its
receipt is lost, and `dedupe` makes it safe to repeat. Callbacks such as
`progress` run in the thread of the call, not in the event loop.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from ._native import Memory as _Memory
from ._native import open as _open
from ._records import Event

__all__ = ["Memory", "open"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

# How many events one trip to a thread brings: small enough to stay lazy.
_EVENTS_PER_STEP = 32


def _in_thread(
    method: Callable[Concatenate[_Memory, _P], _R],
) -> Callable[Concatenate[Memory, _P], Coroutine[Any, Any, _R]]:
    @functools.wraps(method)
    async def call(memory: Memory, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, memory.memory, *args, **kwargs)

    return call


def _streamed(
    method: Callable[Concatenate[_Memory, _P], Iterator[Event]],
) -> Callable[Concatenate[Memory, _P], AsyncIterator[Event]]:
    @functools.wraps(method)
    async def call(memory: Memory, /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncIterator[Event]:
        events = await asyncio.to_thread(method, memory.memory, *args, **kwargs)
        while step := await asyncio.to_thread(lambda: list(islice(events, _EVENTS_PER_STEP))):
            for event in step:
                yield event

    return call


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
    timeline = _in_thread(_Memory.timeline)
    details = _in_thread(_Memory.details)
    import_claude_code = _in_thread(_Memory.import_claude_code)
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
