"""Embedders of the caller: what they get, what they may give, and what happens
when they fail."""

from __future__ import annotations

import array
import functools
import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import CallbackEmbedder

TOPICS = [("결제", "payment", "invoice"), ("배포", "deploy", "release"), ("고양이", "cat", "kitten")]


def topics(texts: list[str]) -> list[list[float]]:
    """Knows three topics in two languages: enough to find without a shared word."""
    return [[0.01 + sum(word in text for word in words) for words in TOPICS] for text in texts]


def filled(path: Path, embed: Callable[[list[str]], Any], **options: Any) -> recallite.Memory:
    memory = recallite.open(path, embedder=CallbackEmbedder("topics-1", 3, embed), **options)
    for content in ("The kitten sleeps.", "Release on Friday.", "송장은 결제 후에 보냅니다."):
        memory.append(kind="user_prompt", session="s", content=content)
    return memory


def test_an_embedder_finds_by_meaning(tmp_path: Path) -> None:
    calls: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        assert type(texts) is list and all(type(text) is str for text in texts)
        calls.append(texts)
        return topics(texts)

    with filled(tmp_path / "m", embed) as memory:
        waiting = memory.stats().embedding
        assert waiting is not None and (waiting.pending, waiting.vectors) == (3, 0)
        done = memory.process_outbox()
        assert (done.processed, done.succeeded, done.failed, done.skipped) == (3, 3, 0, 0)
        assert done.errors == ()
        assert memory.process_outbox(limit=5).processed == 0
        stats = memory.stats().embedding
        assert stats is not None
        assert stats.version.startswith("topics-1@")
        assert (stats.dimensions, stats.vectors, stats.pending) == (3, 3, 0)
        assert stats.last_processed is not None
        found = memory.search("payment", limit=1)
        assert [hit.seq for hit in found] == [3]
        assert not found.degraded
        assert calls[-1] == ["payment"]
    with recallite.open(tmp_path / "m") as memory:
        with pytest.raises(recallite.Unsupported):
            memory.process_outbox()
        with pytest.raises(recallite.Unsupported):
            memory.upkeep.retry_outbox()
        assert memory.search("kitten").items


def test_a_vector_takes_the_place_of_the_question(tmp_path: Path) -> None:
    with filled(tmp_path / "m", topics) as memory:
        memory.process_outbox()
        wanted = topics(["결제"])[0]
        assert memory.search(vector=wanted).items[0].seq == 3
        assert memory.search("", vector=tuple(wanted), limit=1).items[0].seq == 3
        assert memory.search(recallite.Query("", vector=wanted)).items[0].seq == 3
        with_text = [hit.seq for hit in memory.search("Friday", vector=wanted)]
        assert {2, 3} <= set(with_text)
        for wrong in ([], [0.0] * 3, [float("nan")] * 3, [1.0] * 4):
            with pytest.raises(recallite.InvalidArgument) as refused:
                memory.search("Friday", vector=wrong)
            assert refused.value.argument == "vector"
        bytes_of_it = bytes(len(wanted))
        for text in ("abc", bytes_of_it, bytearray(bytes_of_it), memoryview(bytes_of_it)):
            with pytest.raises(TypeError):
                memory.search("Friday", vector=text)  # type: ignore[arg-type]
        with pytest.raises(recallite.InvalidArgument):
            memory.search()
        numpy = pytest.importorskip("numpy")
        assert memory.search(vector=numpy.array(wanted, dtype="float32")).items[0].seq == 3
    with recallite.open(tmp_path / "m") as memory, pytest.raises(recallite.Unsupported):
        memory.search(vector=wanted)


def answers() -> Iterator[Any]:
    yield pytest.param(topics, id="lists")
    yield pytest.param(lambda texts: tuple(map(tuple, topics(texts))), id="tuples")
    yield pytest.param(lambda texts: iter(topics(texts)), id="an iterator")
    yield pytest.param(
        lambda texts: [array.array("f", row) for row in topics(texts)], id="buffers of floats"
    )
    yield pytest.param(
        lambda texts: [array.array("d", row) for row in topics(texts)], id="buffers of doubles"
    )
    yield pytest.param(
        lambda texts: [[int(number) for number in row] for row in topics(texts)], id="integers"
    )

    try:
        import numpy
    except ImportError:
        yield pytest.param(None, id="numpy", marks=pytest.mark.skip("NumPy is not installed"))
        return

    def matrix(texts: list[str], kind: str = "float32") -> Any:
        return numpy.array(topics(texts), dtype=kind)

    for kind in ("float32", "float64", "float16", "int64", ">f4"):
        yield pytest.param(functools.partial(matrix, kind=kind), id=f"numpy {kind}")
    yield pytest.param(lambda texts: matrix(texts).T.copy().T, id="numpy, column by column")
    yield pytest.param(lambda texts: list(matrix(texts)), id="numpy rows")

    class Tensor:
        def __init__(self, values: Any) -> None:
            self.values = values

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return self.values

    yield pytest.param(lambda texts: Tensor(matrix(texts)), id="a tensor")


@pytest.mark.parametrize("embed", list(answers()))
def test_every_form_of_vectors_is_taken(tmp_path: Path, embed: Callable[..., Any]) -> None:
    with filled(tmp_path / "m", embed) as memory:
        done = memory.process_outbox()
        assert done.errors == ()
        assert done.succeeded == 3
        assert [hit.seq for hit in memory.search("payment", limit=1)] == [3]


class Mine(Exception):
    pass


def raises(texts: list[str]) -> Any:
    raise Mine("the service is down")


BAD: list[tuple[str, Callable[[list[str]], Any]]] = [
    ("the service is down", raises),
    ("not NoneType", lambda texts: None),
    ("not str", lambda texts: "vectors"),
    ("not float", lambda texts: [1.0] * len(texts)),
    ("must be real number", lambda texts: [["a", "b", "c"]] * len(texts)),
    ("vectors", lambda texts: topics(texts)[:-1]),
    ("3", lambda texts: [[1.0, 2.0]] * len(texts)),
    ("finite", lambda texts: [[1.0, float("nan"), 2.0]] * len(texts)),
    ("2-dimensional", lambda texts: array.array("f", [1.0, 2.0, 3.0])),
]


@pytest.mark.parametrize(("problem", "embed"), BAD)
def test_a_failing_embedder_leaves_recall_by_words(
    tmp_path: Path, problem: str, embed: Callable[[list[str]], Any]
) -> None:
    with filled(tmp_path / "m", embed) as memory:
        done = memory.process_outbox()
        assert (done.succeeded, done.failed) == (0, 3)
        assert len(done.errors) == 3
        assert all(problem in one.message for one in done.errors), done.errors
        assert memory.search("kitten sleeps").items[0].seq == 1
        stats = memory.stats().embedding
        assert stats is not None and stats.failed == 3


def test_a_repaired_embedder_catches_up(tmp_path: Path) -> None:
    works = False

    def embed(texts: list[str]) -> Any:
        return topics(texts) if works else raises(texts)

    with filled(tmp_path / "m", embed) as memory:
        assert memory.process_outbox().failed == 3
        assert memory.process_outbox().processed == 0
        works = True
        assert memory.upkeep.retry_outbox(max_retries=0) == 0
        assert memory.upkeep.retry_outbox() == 3
        assert memory.process_outbox().succeeded == 3


def test_maintenance_embeds_too(tmp_path: Path) -> None:
    works = False

    def embed(texts: list[str]) -> Any:
        return topics(texts) if works else raises(texts)

    with filled(tmp_path / "m", embed) as memory:
        done = memory.maintain()
        assert (done.jobs_done, done.jobs_failed) == (0, 3)
        works = True
        assert memory.upkeep.retry_outbox() == 3
        assert memory.maintain(jobs=1, time_ms=60_000).jobs_done == 1
        none = memory.maintain(jobs=0)
        assert (none.jobs_done, none.jobs_waiting) == (0, 2)
        rest = memory.maintain()
        assert (rest.jobs_done, rest.jobs_waiting, rest.has_more) == (2, 0, False)
        stats = memory.stats().embedding
        assert stats is not None and stats.vectors == 3


def test_a_slow_embedder_does_not_hold_a_search(tmp_path: Path) -> None:
    release = threading.Event()
    release.set()

    def embed(texts: list[str]) -> Any:
        release.wait(20)
        return topics(texts)

    with filled(tmp_path / "m", embed, embedding_timeout_ms=50) as memory:
        assert memory.process_outbox().succeeded == 3
        release.clear()
        begun = time.monotonic()
        found = memory.search("kitten sleeps")
        assert time.monotonic() - begun < 10
        assert found.degraded
        assert found.items[0].seq == 1
        release.set()


def test_embedders_run_beside_python_threads(tmp_path: Path) -> None:
    """The interpreter is taken back for each call: no thread may wait for ever."""
    with filled(tmp_path / "m", topics) as memory:
        failed: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for step in range(15):
                    memory.append(kind="user_prompt", session="s", content=f"cat {number} {step}")
                    memory.process_outbox(limit=3)
                    assert memory.search("kitten").items
            except BaseException as error:  # noqa: BLE001
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
        assert failed == []
        while memory.process_outbox().processed:
            pass
        stats = memory.stats().embedding
        assert stats is not None and stats.vectors == 63


def test_any_object_with_the_members_is_an_embedder(tmp_path: Path) -> None:
    class Model:
        id = "모델-1"
        dimensions = 3
        max_batch = 1
        sizes: list[int] = []

        def embed(self, texts: list[str], /) -> Any:
            self.sizes.append(len(texts))
            return topics(texts)

    model = Model()
    assert isinstance(model, recallite.Embedder)
    with recallite.open(tmp_path / "m", embedder=model) as memory:
        for number in range(5):
            memory.append(kind="user_prompt", session="s", content=f"cat number {number}")
        assert memory.process_outbox().succeeded == 5
        assert set(Model.sizes) == {1}


def test_an_embedder_is_let_go_with_the_memory(tmp_path: Path) -> None:
    class Model:
        id = "m"
        dimensions = 3

        def embed(self, texts: list[str], /) -> Any:
            return topics(texts)

    model = Model()
    gone = weakref.ref(model)
    memory = recallite.open(tmp_path / "m", embedder=model)
    memory.append(kind="user_prompt", session="s", content="cat")
    memory.process_outbox()
    memory.close()
    del model, memory
    gc.collect()
    assert gone() is None


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("embedder", {"id": "a"}),
    ("embedder.embed", {"id": "a", "dimensions": 3, "embed": 5}),
    ("embedder.id", {"id": 1, "dimensions": 3, "embed": topics}),
    ("embedder.id", {"id": "", "dimensions": 3, "embed": topics}),
    ("embedder.id", {"id": "x" * 129, "dimensions": 3, "embed": topics}),
    ("embedder.dimensions", {"id": "a", "dimensions": 0, "embed": topics}),
    ("embedder.dimensions", {"id": "a", "dimensions": "3", "embed": topics}),
    ("embedder.max_batch", {"id": "a", "dimensions": 3, "embed": topics, "max_batch": -1}),
    ("embedder.max_batch", {"id": "a", "dimensions": 3, "embed": topics, "max_batch": 0}),
]


@pytest.mark.parametrize(("argument", "members"), WRONG)
def test_wrong_embedders_are_refused(
    tmp_path: Path, argument: str, members: dict[str, Any]
) -> None:
    embedder = type("Model", (), {"__slots__": (), **members})()
    with pytest.raises(recallite.InvalidArgument) as caught:
        recallite.open(tmp_path / "m", embedder=embedder)
    assert caught.value.argument == argument
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("outcome", ["return [[1.0]] * len(texts)", "raise ValueError(texts)"])
@pytest.mark.parametrize("is_slow_to_end", [False, True])
def test_the_interpreter_may_end_while_an_embedder_works(
    tmp_path: Path, is_slow_to_end: bool, outcome: str
) -> None:
    program = (
        "import recallite, sys, time\n"
        # Is cleared when nothing may run in Python any more, and lets other threads try.
        "class Slow:\n"
        "    def __del__(self, sleep=time.sleep):\n"
        f"        sleep({1.5 if is_slow_to_end else 0})\n"
        "slow = Slow()\n"
        "is_slow = False\n"
        "def embed(texts):\n"
        "    time.sleep(0.5 if is_slow else 0)\n"
        "    if is_slow:\n"
        f"        {outcome}\n"
        "    return [[1.0]] * len(texts)\n"
        "memory = recallite.open(sys.argv[1], embedding_timeout_ms=50,\n"
        "                        embedder=recallite.CallbackEmbedder('slow', 1, embed))\n"
        "memory.append(kind='user_prompt', session='s', content='cat')\n"
        "assert memory.process_outbox().succeeded == 1\n"
        "is_slow = True\n"
        "assert memory.search('cat').degraded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
