"""The same memory for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import recallite
import recallite.aio


AREAS = ("Tasks", "Knowledge", "Levels", "Endless", "Citations", "History", "Upkeep")


def test_areas_are_reached_from_the_memory_and_are_no_root_methods(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            for area in AREAS:
                plain, awaited = (getattr(one, area.lower()) for one in (memory.memory, memory))
                assert isinstance(plain, getattr(recallite, area))
                assert isinstance(awaited, getattr(recallite.aio, area))
                assert repr(plain) == f"<recallite.{area} of {memory.memory!r}>"
                assert repr(awaited) == f"<recallite.aio.{area} of {plain!r}>"
                assert not callable(plain)
            tasks = memory.memory.tasks
            assert await memory.tasks.list() == tasks.list() == []
        # An area that was kept is of the memory that was closed.
        with pytest.raises(recallite.Closed):
            tasks.list()

    asyncio.run(main())


def test_names_and_signatures_are_those_of_the_memory() -> None:
    def public(cls: type) -> set[str]:
        return {name for name in dir(cls) if not name.startswith("_")}

    for area in ("Memory", *AREAS):
        awaited, plain = getattr(recallite.aio, area), getattr(recallite, area)
        assert public(awaited) == public(plain)
        for name in public(plain):
            method = getattr(plain, name)
            if callable(method):
                assert inspect.signature(getattr(awaited, name)) == inspect.signature(method)
                assert getattr(awaited, name).__doc__ == method.__doc__
    assert inspect.signature(recallite.aio.open) == inspect.signature(recallite.open)


def test_the_whole_way(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path, project="shop") as memory:
            assert memory.is_open and memory.project == "shop" and memory.path == tmp_path
            receipts = await asyncio.gather(
                *(
                    memory.append(kind="user_prompt", session="s", content=f"번호 {number}")
                    for number in range(100)
                )
            )
            assert len({receipt.id for receipt in receipts}) == 100
            assert (await memory.search("번호 7", limit=1)).items
            contents = [event.content async for event in memory.events(session="s")]
            assert sorted(contents) == sorted(f"번호 {number}" for number in range(100))
            assert (await memory.stats()).events == 100
            event = await memory.event(receipts[0])
            assert event is not None
            assert (await memory.citation(event.citation)) == event
            assert (await memory.details(event))[0].event == event
            assert len(await memory.timeline(event, window=0)) == 1
            assert len(await memory.changes_since(90)) == 10
            assert len(await memory.sessions()) == 1
            assert (await memory.update_session("s", summary="x")).summary == "x"
            session = await memory.session("s")
            assert session is not None and session.summary == "x"
            with pytest.raises(recallite.InvalidArgument):
                await memory.search("")
        assert not memory.is_open
        with pytest.raises(recallite.Closed):
            await memory.stats()
        again = await recallite.aio.open(tmp_path, create=False)
        await again.close()
        with pytest.raises(recallite.NotFound):
            async with recallite.aio.open(tmp_path / "missing", create=False):
                pass

    asyncio.run(main())


def test_the_event_loop_goes_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            batch = [recallite.NewEvent("user_prompt", "s", f"{n} " * 200) for n in range(1000)]
            work = asyncio.create_task(memory.append_batch(batch))
            turns = 0
            while not work.done():
                turns += 1
                await asyncio.sleep(0.001)
            assert len(await work) == 1000
            assert turns > 3

    asyncio.run(main())


def test_a_step_gives_nothing_that_was_erased_before_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            await memory.append_batch(
                recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(100)
            )
            await memory.append(kind="user_prompt", session="kept", content="kept")
            events = memory.events()
            assert (await anext(events)).seq == 1
            await memory.erase(session="s")
            assert [event.content async for event in events] == ["kept"]
            stepped = memory.events()
            await anext(stepped)
        with pytest.raises(recallite.Closed):
            await anext(stepped)

    asyncio.run(main())


def test_an_iterator_that_is_closed_has_nothing_left(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            for content in "abc":
                await memory.append(kind="user_prompt", session="s", content=content)
            async with memory.events() as events:
                assert (await anext(events)).content == "a"
            assert [event async for event in events] == []
            unread = memory.events()
            await unread.aclose()
            await unread.aclose()
            assert [event async for event in unread] == []
            assert len(await unread.to_arrow()) == 0

    asyncio.run(main())


class Gate:
    """Holds up the steps of an iterator while it is closed."""

    def __init__(self, events: Any) -> None:
        self.is_open = threading.Event()
        self.is_open.set()
        self.events = events
        opens = events._opens

        def slow() -> Iterator[recallite.Event]:
            read = opens()
            while self.is_open.wait() and (event := next(read, None)) is not None:
                yield event

        events._opens = slow

    @contextmanager
    def closed(self) -> Iterator[None]:
        self.is_open.clear()
        try:
            yield
        finally:
            self.is_open.set()

    async def cancel_steps(self) -> None:
        """Cancels steps that wait at the gate, and then lets them go on."""
        with self.closed():
            for _ in range(3):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(anext(self.events), 0.01)


def test_a_cancelled_step_loses_no_event_and_repeats_none(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            await memory.append_batch(
                recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(20)
            )
            events = memory.events()
            gate = Gate(events)
            seqs: list[int] = []
            for _ in range(5):
                await gate.cancel_steps()
                seqs.append((await anext(events)).seq)
                seqs.append((await anext(events)).seq)
            await gate.cancel_steps()
            seqs.extend([event.seq async for event in events])
            assert seqs == list(range(1, 21))

    asyncio.run(main())


def test_the_event_of_a_cancelled_step_may_be_erased_before_the_next(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            await memory.append(kind="user_prompt", session="s", content="erased")
            await memory.append(kind="user_prompt", session="kept", content="kept")
            events: Any = memory.events()
            gate = Gate(events)
            await gate.cancel_steps()
            # The cancelled step has read its event when this returns.
            await asyncio.wait({events._reading})
            await memory.erase(session="s")
            assert [event.content async for event in events] == ["kept"]

    asyncio.run(main())


def test_a_memory_closes_while_a_cancelled_step_runs(tmp_path: Path) -> None:
    async def main() -> None:
        memory = await recallite.aio.open(tmp_path)
        await memory.append(kind="user_prompt", session="s", content="c")
        waiting, finished = memory.events(), memory.events()
        await Gate(finished).cancel_steps()
        with Gate(waiting).closed():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(waiting), 0.01)
            await memory.close()
        for events in (waiting, finished):
            with pytest.raises(recallite.Closed):
                await anext(events)

    asyncio.run(main())


def test_who_waits_for_a_change_holds_no_thread_and_can_be_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            # As many as threads of the default executor, and more.
            waiting = [asyncio.create_task(memory.wait_for_change(0, 3_600_000)) for _ in range(64)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            receipt = await memory.append(kind="user_prompt", session="s", content="hello")
            assert await asyncio.gather(*waiting[1:]) == [receipt.seq] * 63
            assert waiting[0].cancelled()
            assert await memory.wait_for_change(receipt.seq, 1) == receipt.seq
            with pytest.raises(recallite.InvalidArgument) as caught:
                await memory.wait_for_change(0, -1)
            assert caught.value.argument == "timeout_ms"

    asyncio.run(main())
