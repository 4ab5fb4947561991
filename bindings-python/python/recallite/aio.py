"""The same memory for asyncio: every call runs in a thread.

    async with recallite.aio.open("./memory") as memory:
        await memory.append(kind="user_prompt", session="s1", content="…")
        async for event in memory.events(session="s1"):
            ...

Names, arguments and results are those of `recallite.Memory`. A cancelled call that
still waits for a thread never runs; one that has begun continues in its thread,
except for long operations (those of `recallite.Operation`), which end at their next
checkpoint. An append may be stored although its receipt is
lost; `dedupe` makes it safe to repeat. Callbacks such as `progress`, `summarize` and
the progress handler run in the thread of the call, not in the event loop.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Generator
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec

from ._generated.calls import *
from ._generated.calls import Calls
from ._native import Memory as _Memory
from ._native import open as _open
from ._threads import Events, at_once

__all__ = [
    "Events",
    "Memory",
    "open",
    # By `cargo xtask interface`, up to the end of the list:
    "Citations",
    "Endless",
    "History",
    "Knowledge",
    "Levels",
    "Pauses",
    "Sharing",
    "Tasks",
    "Upkeep",
]

_P = ParamSpec("_P")


class Memory(Calls):
    """A memory whose calls are awaited. Created by `recallite.aio.open`."""

    def __init__(self, memory: _Memory) -> None:
        super().__init__(memory)
        self.memory = memory
        """The memory for calls without `await`."""

    @property
    def path(self) -> Path:
        """The folder of the memory."""
        return self.memory.path

    @property
    def project(self) -> str:
        """The project that the memory was opened for; empty if there is none."""
        return self.memory.project

    @property
    def is_open(self) -> bool:
        """Whether the handle is open."""
        return self.memory.is_open

    # These return at once, and are not awaited.
    set_progress_handler = at_once(_Memory.set_progress_handler)
    interrupt = at_once(_Memory.interrupt)

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


class _Opening:
    """The result of `open`: await it, or enter it with `async with`."""

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

# Their repr shows the public module name.
for _name in __all__:
    globals()[_name].__module__ = __name__
