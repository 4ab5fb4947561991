"""The basis of the methods for asyncio: calls that run in a thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from ._generated.log import Event
from ._native import ArrowEvents
from ._native import Events as _Events

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
        return await asyncio.to_thread(method, of._native, *args, **kwargs)  # pyright: ignore[reportPrivateUsage]

    return call


def streamed(
    method: Callable[Concatenate[_N, _P], _Events],
) -> Callable[Concatenate[Threaded[_N], _P], Events]:
    """The same method, whose events are read with `async for`."""

    @functools.wraps(method)
    def call(of: Threaded[_N], /, *args: _P.args, **kwargs: _P.kwargs) -> Events:
        return Events(lambda: method(of._native, *args, **kwargs))  # pyright: ignore[reportPrivateUsage]

    return call


class Events:
    """An iterator over events, in order of time, that reads them in a thread."""

    def __init__(self, opens: Callable[[], _Events]) -> None:
        self._opens = opens
        self._events: _Events | None = None
        self._step = asyncio.Lock()

    def _read(self) -> Event | None:
        # A single event: one that is read ahead may be erased before it is
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
        """Like `recallite.Events.to_arrow`; must be called before an event is read."""
        if self._events is not None:
            raise RuntimeError("to_arrow must come before the first event is read")
        return await asyncio.to_thread(lambda: self._opens().to_arrow(batch_rows=batch_rows))
