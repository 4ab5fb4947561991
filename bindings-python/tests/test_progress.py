"""Progress of long operations, and stopping them."""

from __future__ import annotations

import _thread
import asyncio
import gc
import json
import signal
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recallite
import recallite.aio
from recallite import CallbackEmbedder, Operation, Progress

EVENTS = 200


def filled(path: Path, **options: Any) -> recallite.Memory:
    memory = recallite.open(path, **options)
    memory.append_batch(
        [
            {"kind": "user_prompt", "session": "s", "content": f"Lamp {number} is lit."}
            for number in range(EVENTS)
        ]
    )
    return memory


def operations(memory: recallite.Memory, path: Path) -> dict[Operation, Callable[[], object]]:
    return {
        Operation.CHECK: memory.check,
        Operation.COMPACT: memory.compact,
        Operation.EXPORT: lambda: memory.export_jsonl(path, replace=True),
        Operation.MAINTAIN: memory.maintain,
        Operation.REBUILD: memory.rebuild,
        Operation.FORGET: lambda: memory.forget(1),
        Operation.ERASE: lambda: memory.erase(2),
    }


def test_the_beginning_and_the_end_of_operations_are_told(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store")
    told: list[Progress] = []
    memory.set_progress_handler(told.append)
    for operation, run in operations(memory, tmp_path / "export.jsonl").items():
        told.clear()
        run()
        assert {progress.operation for progress in told} == {operation}
        assert told[0].done == 0
        assert told[-1].done == told[-1].total
        assert [progress.done for progress in told] == sorted(p.done for p in told)
    told.clear()
    memory.set_progress_handler(None)
    memory.check()
    assert told == []


def test_an_operation_that_is_stopped_leaves_the_store_sound(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store")
    for run in operations(memory, tmp_path / "export.jsonl").values():
        memory.set_progress_handler(lambda _: False)
        with pytest.raises(recallite.Interrupted) as caught:
            run()
        assert caught.value.code == "interrupted"
        assert not caught.value.retryable
        memory.set_progress_handler(lambda _: memory.interrupt())
        with pytest.raises(recallite.Interrupted):
            run()
        memory.set_progress_handler(None)
        assert memory.check().ok
        # One that begins later is not affected.
        memory.interrupt()
        run()
    assert (tmp_path / "export.jsonl").exists()
    assert memory.stats().prompts == EVENTS - 2


def test_an_exception_of_the_handler_is_the_one_that_is_raised(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store")

    def fail(_: Progress) -> None:
        raise LookupError("from the handler")

    memory.set_progress_handler(fail)
    for run in operations(memory, tmp_path / "export.jsonl").values():
        with pytest.raises(LookupError, match="from the handler"):
            run()
    with (tmp_path / "file").open("wb") as file, pytest.raises(LookupError):
        memory.export_jsonl(file)
    memory.set_progress_handler(None)
    assert memory.check().ok
    with pytest.raises(TypeError, match="callable or None"):
        memory.set_progress_handler(5)  # type: ignore[arg-type]
    memory.close()
    with pytest.raises(recallite.Closed):
        memory.interrupt()


def test_an_exception_of_both_handlers_of_an_import_is_raised_once(tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    line = {"type": "user", "sessionId": "s", "uuid": "u", "timestamp": "2026-05-01T10:00:00Z"}
    message = {"message": {"role": "user", "content": "Lamp 1 is lit."}}
    transcript.write_text(json.dumps(line | message) + "\n")
    memory = recallite.open(tmp_path / "store")

    def stop(_: object) -> bool:
        raise LookupError("from a handler")

    memory.set_progress_handler(lambda progress: progress.done == 0 or stop(progress))
    with pytest.raises(LookupError):
        memory.import_claude_code(transcript, progress=stop)
    assert memory.stats().prompts == 1


class Bound:
    """A handler that can be watched, and that refers to its memory."""

    def __init__(self, memory: object) -> None:
        self.memory = memory

    def __call__(self, _: Progress) -> None: ...


def test_a_handler_that_mentions_its_memory_is_collected_with_it(tmp_path: Path) -> None:
    def used() -> list[weakref.ref[Bound]]:
        memory = recallite.open(tmp_path / "one")
        handlers = [Bound(memory)]
        memory.set_progress_handler(handlers[0])
        other = recallite.open(tmp_path / "two")
        handlers.append(Bound(other.tasks))
        other.set_progress_handler(handlers[1])
        return [weakref.ref(handler) for handler in handlers]

    left = used()
    gc.collect()
    assert [handler() for handler in left] == [None, None]


@pytest.mark.parametrize("option", ["on_log", "embedder"])
def test_a_function_that_mentions_its_memory_is_collected_with_it(
    tmp_path: Path, option: str
) -> None:
    class Owner:
        def __init__(self) -> None:
            given: Any = self.called
            if option == "embedder":
                given = CallbackEmbedder("owner", 2, self.called)
            self.memory = recallite.open(tmp_path, **{option: given})

        def called(self, given: Any) -> Any:
            return [[1.0, 2.0] for _ in given] if option == "embedder" else None

    owner = Owner()
    owner.memory.append(kind="user_prompt", session="s", content="a lamp is lit")
    if option == "embedder":
        assert owner.memory.process_outbox().succeeded == 1
    left = weakref.ref(owner)
    del owner
    gc.collect()
    assert left() is None
    # The store is closed: nobody else may have it open now.
    with recallite.open(tmp_path, exclusive=True):
        pass


class Slow:
    """The function of an embedder, that says when it is called."""

    def __init__(self, called: Callable[[], None]) -> None:
        self.calls = 0
        self.called = called

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.calls += 1
        self.called()
        # Longer than two calls of a handler are apart.
        time.sleep(0.1)
        return [[1.0, 2.0] for _ in texts]


def slow(embed: Slow) -> CallbackEmbedder:
    return CallbackEmbedder("slow-1", 2, embed)


def test_ctrl_c_stops_an_operation_without_a_handler(tmp_path: Path) -> None:
    embedder = Slow(_thread.interrupt_main)
    memory = filled(tmp_path / "store", embedder=slow(embedder))
    # Those who run tests in several processes let them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            memory.process_outbox(limit=EVENTS)
    finally:
        signal.signal(signal.SIGINT, before)
    assert embedder.calls * 32 < EVENTS
    embedder.called = lambda: None
    memory.process_outbox(limit=EVENTS)
    embedding = memory.stats().embedding
    assert embedding is not None
    assert embedding.vectors == EVENTS


def test_a_cancelled_task_stops_its_operation(tmp_path: Path) -> None:
    async def main() -> None:
        is_called, goes_on = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def called() -> None:
            loop.call_soon_threadsafe(is_called.set)
            goes_on.wait()

        embedder = Slow(called)
        filled(tmp_path / "store", embedder=slow(embedder)).close()
        memory = await recallite.aio.open(tmp_path / "store", embedder=slow(embedder))
        task = asyncio.create_task(memory.process_outbox(limit=EVENTS))
        await is_called.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        goes_on.set()
        await loop.shutdown_default_executor()
        assert embedder.calls * 32 < EVENTS
        told: list[Progress] = []
        memory.set_progress_handler(told.append)
        memory.interrupt()
        assert memory.memory.check().ok
        assert told[-1].operation is Operation.CHECK
        memory.memory.close()

    asyncio.run(main())
