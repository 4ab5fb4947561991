"""The basis of the methods for asyncio: calls that run in a thread."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from ._generated.log import Event
from ._native import ArrowEvents
from ._native import Events as _Events
from ._native import _stopped_by  # pyright: ignore[reportPrivateUsage]


class _Log(Protocol):
    def event(self, event: str, /) -> Event | None: ...


_L = TypeVar("_L", bound=_Log)
_N = TypeVar("_N")
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Threaded(Generic[_N]):
    """A memory or one of its areas, whose calls run in threads."""

    def __init__(self, native: _N) -> None:
        self._native = native

    def __repr__(self) -> str:
        return f"<recallite.aio.{type(self).__name__} of {self._native!r}>"


def in_thread(
    method: Callable[Concatenate[_N, _P], _R],
) -> Callable[Concatenate[Threaded[_N], _P], Coroutine[Any, Any, _R]]:
    """The same method, awaited."""

    @functools.wraps(method)
    async def call(of: Threaded[_N], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        native = of._native  # pyright: ignore[reportPrivateUsage]
        is_cancelled = threading.Event()
        try:
            return await asyncio.to_thread(
                _stopped_by, is_cancelled.is_set, lambda: method(native, *args, **kwargs)
            )
        except asyncio.CancelledError:
            is_cancelled.set()
            raise

    return call


def at_once(
    method: Callable[Concatenate[_N, _P], _R],
) -> Callable[Concatenate[Threaded[_N], _P], _R]:
    """The same method, in the thread of the event loop."""

    @functools.wraps(method)
    def call(of: Threaded[_N], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return method(of._native, *args, **kwargs)  # pyright: ignore[reportPrivateUsage]

    return call


# The longest pause between two looks at the log, in seconds.
_MAX_PAUSE = 0.025


def waiting(
    method: Callable[[_N, int, int], int],
) -> Callable[[Threaded[_N], int, int], Coroutine[Any, Any, int]]:
    """A method that waits until a position is passed: no thread is held meanwhile, and a
    task that is cancelled ends at once."""

    @functools.wraps(method)
    async def call(of: Threaded[_N], /, after: int, timeout_ms: int) -> int:
        native = of._native  # pyright: ignore[reportPrivateUsage]
        # An invalid time is passed on, so that the library refuses it.
        is_valid = type(timeout_ms) is int and 0 <= timeout_ms < 2**64
        clock = asyncio.get_running_loop().time
        begun, pause = clock(), 0.001
        while True:
            last = await asyncio.to_thread(method, native, after, 0 if is_valid else timeout_ms)
            left = timeout_ms / 1000 - (clock() - begun)
            if last > after or left <= 0:
                return last
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, _MAX_PAUSE)

    return call


def streamed(
    method: Callable[Concatenate[_L, _P], _Events],
) -> Callable[Concatenate[Threaded[_L], _P], Events]:
    """The same method, whose events are read with `async for`."""

    @functools.wraps(method)
    def call(of: Threaded[_L], /, *args: _P.args, **kwargs: _P.kwargs) -> Events:
        log = of._native  # pyright: ignore[reportPrivateUsage]
        return Events(lambda: method(log, *args, **kwargs), log.event)

    return call


class Events:
    """An iterator over events, in order of time, that reads them in a thread.

    A step that is cancelled loses no event: the next one returns what it read.
    """

    def __init__(self, opens: Callable[[], _Events], again: Callable[[str], Event | None]) -> None:
        self._opens = opens
        self._again = again
        self._events: _Events | None = None
        self._is_closed = False
        self._step = asyncio.Lock()
        # Until its event is returned: a cancelled step continues in its thread.
        self._reading: asyncio.Task[Event | None] | None = None

    def _read(self) -> Event | None:
        # A single event: one that is read ahead may be erased before it is
        # asked for.
        if self._events is None:
            self._events = self._opens()
        return next(self._events, None)

    async def _next(self) -> Event | None:
        kept = self._reading
        # The end of an event loop cancels its tasks.
        if kept is not None and not kept.cancelled():
            event = await asyncio.shield(kept)
            if event is None:
                return None
            # It may have been forgotten or erased since it was read.
            event = await asyncio.to_thread(self._again, event.id)
            if event is not None:
                return event
        self._reading = asyncio.create_task(asyncio.to_thread(self._read))
        return await asyncio.shield(self._reading)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        async with self._step:
            if self._is_closed:
                raise StopAsyncIteration
            try:
                event = await self._next()
            except Exception:
                self._reading = None
                raise
            self._reading = None
            if event is None:
                raise StopAsyncIteration
            return event

    async def aclose(self) -> None:
        """Releases the store before the end; nothing is left to read then."""
        self._is_closed = True
        async with self._step:
            reading, self._reading = self._reading, None
            # A cancelled step continues in its thread, and may be opening the read.
            if reading is not None and not reading.cancelled():
                await asyncio.wait([reading])
                reading.exception()
            if self._events is not None:
                await asyncio.to_thread(self._events.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def to_arrow(self, *, batch_rows: int = 1024) -> ArrowEvents:
        """Like `recallite.Events.to_arrow`; must be called before an event is read."""
        if self._events is not None or self._reading is not None:
            raise RuntimeError("to_arrow must come before the first event is read")

        def opened() -> ArrowEvents:
            events = self._opens()
            if self._is_closed:
                events.close()
            return events.to_arrow(batch_rows=batch_rows)

        return await asyncio.to_thread(opened)
