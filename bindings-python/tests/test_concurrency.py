"""Threads, processes, forks, sub-interpreters, and the interpreter lock."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import recallite


def test_eight_threads_share_one_handle(memory: recallite.Memory) -> None:
    def work(thread: int) -> None:
        for number in range(25):
            memory.append(
                kind="user_prompt", session=f"s{thread}", content=f"스레드 {thread} 번호 {number}"
            )
            assert memory.search(f"번호 {number}", limit=3).items
            list(memory.events(session=f"s{thread}", limit=5))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    stats = memory.stats()
    assert stats.prompts == 200
    # The library notes what was recalled among them.
    assert [event.seq for event in memory.changes_since(0)] == list(range(1, stats.events + 1))


def test_threads_may_share_one_iterator(memory: recallite.Memory) -> None:
    memory.append_batch(
        recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(500)
    )
    events = memory.events()
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: [event.seq for event in events], range(8)))
    assert sorted(seq for part in parts for seq in part) == list(range(1, 501))


def test_closing_while_others_work_breaks_nothing(tmp_path: Path) -> None:
    memory = recallite.open(tmp_path)
    started = threading.Barrier(5)
    stored: list[str] = []

    def work(thread: int) -> None:
        started.wait()
        try:
            for number in range(1000):
                stored.append(
                    memory.append(
                        kind="user_prompt", session=f"{thread}", content=f"{number}"
                    ).id
                )
        except recallite.Closed:
            pass

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    time.sleep(0.05)
    memory.close()
    for thread in threads:
        thread.join()
    with recallite.open(tmp_path) as again:
        assert {event.id for event in again.events()} == set(stored)


def test_other_threads_run_during_a_call(memory: recallite.Memory) -> None:
    """The interpreter is released: a thread that waits for its lock gets it
    while a long call runs."""
    events = [
        recallite.NewEvent("user_prompt", "s", f"sentence {n} about the gateway " * 20)
        for n in range(1500)
    ]
    began = threading.Event()
    ended = threading.Event()
    seen = 0

    def watch() -> None:
        nonlocal seen
        began.set()
        while not ended.is_set():
            seen += 1
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    interval = sys.getswitchinterval()
    watcher.start()
    began.wait()
    try:
        # The converter holds the interpreter; without a release in the call the
        # watcher would stand still for all of it.
        start = time.perf_counter()
        before = seen
        memory.append_batch(events)
        took = time.perf_counter() - start
        after = seen
    finally:
        ended.set()
        watcher.join()
    assert interval == sys.getswitchinterval()
    assert after - before >= min(5, took * 1000 / 20)


def _write(path: str, writer: int, count: int) -> None:
    with recallite.open(path, busy_timeout_ms=60_000) as memory:
        for number in range(count):
            memory.append(
                kind="user_prompt", session=f"writer {writer}", content=f"line {number}"
            )


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_several_processes_write(tmp_path: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{method} is not available here")
    context: Any = multiprocessing.get_context(method)
    with recallite.open(tmp_path) as memory:
        processes = [
            context.Process(target=_write, args=(str(tmp_path), writer, 25)) for writer in range(3)
        ]
        for process in processes:
            process.start()
        for number in range(25):
            memory.append(kind="user_prompt", session="parent", content=f"line {number}")
        for process in processes:
            process.join(120)
            assert process.exitcode == 0
        assert memory.stats().events == 100
        for session in memory.sessions():
            assert session.events == 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_must_open_again(tmp_path: Path) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float(len(text))] for text in texts]

    embedder = recallite.CallbackEmbedder("length", 1, embed)
    memory = recallite.open(tmp_path, embedder=embedder)
    memory.append(kind="user_prompt", session="s", content="of the parent")
    assert memory.process_outbox().succeeded == 1
    assert memory.search("parent").items
    events = memory.events()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            for use in (
                memory.stats,
                lambda: next(events),
                events.to_arrow,
                lambda: memory.context("parent"),
                lambda: memory.process_outbox(),
            ):
                try:
                    use()
                    os._exit(2)
                except recallite.NeedsReopen as error:
                    assert error.needs_reopen and "fork" in str(error)
            # Dropping what the parent owns must not touch the parent's store.
            memory.close()
            del events
            with recallite.open(tmp_path, embedder=embedder) as own:
                own.append(kind="user_prompt", session="s", content="of the child")
                assert own.process_outbox().succeeded == 1
                assert own.search("child").items
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    memory.append(kind="user_prompt", session="s", content="of the parent again")
    assert [event.content for event in events] == [
        "of the parent",
        "of the child",
        "of the parent again",
    ]
    memory.close()


@pytest.mark.parametrize("first", ["", "import recallite"])
def test_sub_interpreters_are_refused(first: str) -> None:
    script = f"""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
{first}
interpreter = interpreters.create()
told = interpreters.run_string(interpreter, '''
try:
    import recallite
except ImportError as error:
    assert "main interpreter" in str(error), error
else:
    raise AssertionError("recallite was imported")
''')
# Newer versions give what was raised, older ones raise it.
assert told is None, told
import recallite
interpreters.destroy(interpreter)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr


# The beginning of a script whose threads use a memory while it forks.
FORKING = """
import os, sys, threading, time, warnings, recallite
warnings.simplefilter("ignore")

def forked(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    for _ in range(6_000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    return 3
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_that_is_forked_while_threads_append_can_append(tmp_path: Path) -> None:
    script = """
def work(number):
    memory = recallite.open(f"{sys.argv[1]}/of-thread-{number}")
    while True:
        memory.append(kind="user_prompt", session="s", content="we decided to use the blue pier")

def of_child():
    with recallite.open(f"{sys.argv[1]}/of-child-{number}") as own:
        own.append(kind="user_prompt", session="c", content="of the child")

for number in range(6):
    threading.Thread(target=work, args=(number,), daemon=True).start()
time.sleep(0.3)
for number in range(60):
    code = forked(of_child)
    if code != 0:
        os._exit(code)
os._exit(0)
"""
    ran = subprocess.run([sys.executable, "-c", FORKING + script, str(tmp_path)], timeout=600)
    assert ran.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_that_is_forked_while_a_thread_uses_a_memory_for_the_first_time_can_open_one(
    tmp_path: Path,
) -> None:
    script = """
memory = recallite.open(sys.argv[1])
memory.append(kind="user_prompt", session="s", content="we decided to use the blue pier")

def use():
    for text in ("what did we decide yesterday?", "지난주에 뭐 했어?", "what is open?"):
        memory.search(text)
        memory.context(text)

def of_child():
    with recallite.open(sys.argv[1]) as own:
        own.append(kind="user_prompt", session="c", content="of the child")
        own.search("what did we decide yesterday?")
        own.context("what is open?")

threading.Thread(target=use, daemon=True).start()
time.sleep(float(sys.argv[2]))
os._exit(forked(of_child))
"""
    for number in range(8):
        place = tmp_path / str(number)
        wait = str(number * 0.003)
        forking = [sys.executable, "-c", FORKING + script, str(place), wait]
        ran = subprocess.run(forking, timeout=120)
        assert ran.returncode == 0, f"after {wait} s"
