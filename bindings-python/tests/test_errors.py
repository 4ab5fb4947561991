"""Every way to be wrong, and what the exception says."""

from __future__ import annotations

import array
import errno
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import ErrorCode, _native

# Only in the wheel under test (the feature `test-hooks`), so the stubs do not have them.
HOOKS: Any = _native

CLASSES: dict[str, tuple[type[recallite.Error], tuple[type[Exception], ...]]] = {
    "invalid_argument": (recallite.InvalidArgument, (ValueError,)),
    "not_found": (recallite.NotFound, (LookupError,)),
    "already_exists": (recallite.AlreadyExists, ()),
    "busy": (recallite.Busy, (TimeoutError, OSError)),
    "corrupt": (recallite.Corrupt, ()),
    "io": (recallite.IoError, (OSError,)),
    "full": (recallite.Full, (OSError,)),
    "needs_reopen": (recallite.NeedsReopen, ()),
    "newer_format": (recallite.NewerFormat, ()),
    "permission_denied": (recallite.PermissionDenied, (PermissionError,)),
    "closed": (recallite.Closed, (ValueError,)),
    "unsupported": (recallite.Unsupported, (NotImplementedError,)),
    "poisoned": (recallite.Poisoned, (RuntimeError,)),
    "embedder": (recallite.EmbedderError, ()),
    "invalid_transition": (recallite.InvalidTransition, ()),
    "invariant_violation": (recallite.InvariantViolation, ()),
    "callback": (recallite.CallbackError, ()),
    "internal": (recallite.InternalError, (RuntimeError,)),
    "interrupted": (recallite.Interrupted, ()),
}


def test_the_core_has_no_code_without_a_class() -> None:
    assert set(_native._ERROR_CODES) == set(CLASSES) == {str(code) for code in ErrorCode}


@pytest.mark.parametrize("code", list(CLASSES))
def test_each_code_raises_its_class(code: str) -> None:
    expected, bases = CLASSES[code]
    with pytest.raises(recallite.Error) as caught:
        HOOKS._raise_for_test(code, "thing")
    error = caught.value
    assert type(error) is expected
    assert all(isinstance(error, base) for base in bases)
    assert error.code is ErrorCode(code)
    assert error.code == code
    assert error.argument == "thing"
    assert error.retryable == (code in {"busy", "embedder", "full"})
    assert error.needs_reopen == (code in {"needs_reopen", "poisoned", "closed"})
    assert str(error) == f"a test raised {code}"
    assert type(error).__module__ == "recallite"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is expected
    assert (str(copy), copy.argument, copy.retryable, copy.needs_reopen) == (
        str(error),
        error.argument,
        error.retryable,
        error.needs_reopen,
    )


def test_a_panic_is_an_exception_and_the_handle_refuses_further_calls(
    memory: recallite.Memory,
) -> None:
    with pytest.raises(recallite.InternalError) as caught:
        HOOKS._panic_for_test()
    assert not caught.value.needs_reopen
    assert memory.stats().events == 0
    with pytest.raises(recallite.InternalError) as caught:
        HOOKS.Memory._panic_for_test(memory)
    assert caught.value.needs_reopen
    assert "a test asked" not in str(caught.value)
    with pytest.raises(recallite.Poisoned) as poisoned:
        memory.stats()
    assert poisoned.value.needs_reopen
    memory.close()
    with recallite.open(memory.path) as again:
        assert again.stats().events == 0


def test_a_fraction_beyond_single_precision_is_shown_as_it_was_given(
    memory: recallite.Memory,
) -> None:
    with pytest.raises(recallite.InvalidArgument) as caught:
        memory.search("q", min_relevance=1e300)
    assert str(caught.value) == "min_relevance: 1e300 is too large"


Call = Callable[[recallite.Memory], object]

WRONG_VALUES: list[tuple[str, Call]] = [
    ("kind", lambda m: m.append(kind="prompts", session="s", content="c")),
    ("session", lambda m: m.append(kind="user_prompt", session="", content="c")),
    ("session", lambda m: m.append(kind="user_prompt", session="s" * 5000, content="c")),
    ("session", lambda m: m.append(kind="user_prompt", session="\udc80", content="c")),
    ("content", lambda m: m.append(kind="user_prompt", session="s", content="  \n")),
    ("content", lambda m: m.append(kind="user_prompt", session="s", content="a\ud800b")),
    ("path", lambda m: recallite.open("a\0b")),
    ("target", lambda m: m.export_jsonl("a\0b")),
    ("extraction", lambda m: m.ingest("s", {"entries": [{"title": "\ud800"}]})),
    ("actor", lambda m: m.append(kind="user_prompt", session="s", content="c", actor="\ud800")),
    ("origin", lambda m: m.append(kind="user_prompt", session="s", content="c", origin="moon")),
    (
        "timestamp",
        lambda m: m.append(
            kind="user_prompt", session="s", content="c", timestamp=datetime(2026, 1, 1)
        ),
    ),
    (
        "metadata",
        lambda m: m.append(kind="user_prompt", session="s", content="c", metadata={"a": "\ud800"}),
    ),
    (
        "metadata",
        lambda m: m.append(
            kind="user_prompt", session="s", content="c", metadata={"a": float("nan")}
        ),
    ),
    ("dedupe", lambda m: m.append(kind="user_prompt", session="s", content="c", dedupe="")),
    (
        "tool",
        lambda m: m.append(kind="user_prompt", session="s", content="c", tool={"name": "Read"}),
    ),
    ("tool.name", lambda m: m.append(kind="tool_observation", session="s", tool={"name": ""})),
    (
        "tool.duration_ms",
        lambda m: m.append(
            kind="tool_observation", session="s", tool={"name": "R", "duration_ms": -1}
        ),
    ),
    (
        "tool.prompt_index",
        lambda m: m.append(
            kind="tool_observation", session="s", tool={"name": "R", "prompt_index": 1 << 32}
        ),
    ),
    ("event", lambda m: m.event("not an id")),
    ("event", lambda m: m.event(-1)),
    ("event", lambda m: m.event(1 << 64)),
    ("text", lambda m: m.citation("!")),
    ("offset", lambda m: m.count_events(offset=-1)),
    ("kinds", lambda m: m.count_events(kinds="crashed")),
    ("query", lambda m: m.search(" ")),
    ("query", lambda m: m.search("\ud800")),
    ("limit", lambda m: m.search("q", limit=0)),
    ("limit", lambda m: m.search("q", limit=1001)),
    ("limit", lambda m: m.search("q", limit=-1)),
    ("min_relevance", lambda m: m.search("q", min_relevance=float("nan"))),
    ("min_relevance", lambda m: m.search("q", min_relevance=2)),
    ("tools[1]", lambda m: m.search("q", tools=["Read", ""])),
    ("tools", lambda m: m.search("q", tools=["Read"] * 65)),
    ("file_contains", lambda m: m.search("q", file_contains="")),
    ("file_contains", lambda m: m.search("q", file_contains="x" * 1_025)),
    ("tool_outcome", lambda m: m.search("q", tool_outcome="crashed")),
    ("min_level", lambda m: m.search("q", min_level="L5")),
    ("query.min_level", lambda m: m.context(recallite.Query("q", min_level="L5"))),
    ("tools[0]", lambda m: m.smart_search(recallite.Query("q", tools=[""]))),
    ("tool_outcome", lambda m: m.events(tool_outcome="crashed")),
    ("kinds", lambda m: m.search("q", kinds="moon")),
    ("kinds[1]", lambda m: m.search("q", kinds=["user_prompt", "moon"])),
    ("from_", lambda m: m.search("q", from_=datetime(2026, 1, 1))),
    ("until", lambda m: m.events(until=datetime(2026, 1, 1))),
    ("events[1]", lambda m: m.timeline([1, "?"])),
    ("window", lambda m: m.timeline(1, window=101)),
    ("after", lambda m: m.changes_since(-1)),
    ("tags[1]", lambda m: m.update_session("s", tags=["a", "\ud800"])),
    ("path", lambda m: m.import_claude_code("")),
    ("query", lambda m: m.context(" ")),
    ("limit", lambda m: m.context("q", limit=0)),
    ("limit", lambda m: m.context("q", limit=65)),
    ("session", lambda m: m.context("q", session=" ")),
    ("min_relevance", lambda m: m.context("q", min_relevance=2)),
    ("min_best_relevance", lambda m: m.context("q", min_best_relevance=2)),
    ("format", lambda m: m.context("q", format="marginal")),
    ("recording", lambda m: m.context("q", recording="soon")),
    ("reason", lambda m: m.context("q", reason="\ud800")),
    ("pinned[1]", lambda m: m.context("q", pinned=[1, "?"])),
    ("query", lambda m: m.smart_search("")),
    ("limit", lambda m: m.smart_search("q", limit=0)),
    ("limit", lambda m: m.smart_search("q", limit=1001)),
    ("min_relevance", lambda m: m.smart_search("q", min_relevance=-0.1)),
    ("window", lambda m: m.smart_search("q", window=101)),
    ("query.limit", lambda m: m.search(recallite.Query("q", limit=-1))),
    ("query.until", lambda m: m.search(recallite.Query("q", until=datetime(2026, 1, 1)))),
    ("event", lambda m: m.citations.detail("?")),
    ("event", lambda m: m.citations.citing_sessions("")),
    ("limit", lambda m: m.citations.popular(limit=0)),
    ("limit", lambda m: m.citations.popular(limit=1001)),
    ("window_days", lambda m: m.citations.popular(window_days=1 << 32)),
    ("events", lambda m: m.forget("?")),
    ("events[1]", lambda m: m.erase([1, -1])),
    ("session", lambda m: m.forget(session="")),
    ("before", lambda m: m.upkeep.count_selected(before=datetime(2026, 1, 1))),
    ("kinds[0]", lambda m: m.forget(kinds=["moon"])),
    ("as_of", lambda m: m.rebuild(as_of=datetime(2026, 1, 1))),
    ("as_of", lambda m: m.upkeep.state_hash(datetime(2026, 1, 1))),
    ("after", lambda m: m.wait_for_change(-1, 0)),
    ("timeout_ms", lambda m: m.wait_for_change(0, -1)),
    ("merges", lambda m: m.maintain(merges=-1)),
    ("jobs", lambda m: m.maintain(jobs=-1)),
    ("graph_vectors", lambda m: m.maintain(graph_vectors=-1)),
    ("learn_messages", lambda m: m.maintain(learn_messages=-1)),
    ("time_ms", lambda m: m.maintain(time_ms=-1)),
    ("query", lambda m: m.knowledge.search(" \u3000")),
    ("query", lambda m: m.knowledge.search("\ud800")),
    ("status", lambda m: m.knowledge.search("q", status="gone")),
    ("limit", lambda m: m.knowledge.search("q", limit=-1)),
    ("limit", lambda m: m.process_outbox(limit=-1)),
    ("max_retries", lambda m: m.upkeep.retry_outbox(max_retries=1 << 32)),
    ("target", lambda m: m.export_jsonl("")),
    ("events", lambda m: m.export_jsonl(io.BytesIO(), events=[])),
    ("source", lambda m: m.restore_jsonl("")),
    ("source", lambda m: m.import_jsonl(io.BytesIO())),
    ("path", lambda m: m.backup("")),
    ("batch_rows", lambda m: m.events().to_arrow(batch_rows=0)),
    ("path", lambda m: recallite.open("")),
]


@pytest.mark.parametrize(("argument", "call"), WRONG_VALUES)
def test_wrong_values_name_the_argument(
    memory: recallite.Memory, argument: str, call: Call
) -> None:
    memory.append(kind="user_prompt", session="s", content="there already")
    with pytest.raises(recallite.InvalidArgument) as caught:
        call(memory)
    assert caught.value.argument == argument
    assert argument.partition("[")[0].rpartition(".")[2] in str(caught.value)
    assert not caught.value.retryable
    assert memory.stats().events == 1


ANY: Any = object()
NO_TEXT: Any = {1: 1}


def prompt(content: str) -> Any:
    return {"kind": "user_prompt", "session": "s", "content": content}


WRONG_TYPES: list[tuple[str, Call]] = [
    ("path", lambda m: recallite.open(ANY)),
    ("path", lambda m: recallite.open(3)),  # type: ignore[arg-type]
    ("project", lambda m: recallite.open("x", project=ANY)),
    ("create", lambda m: recallite.open("x", create=1)),  # type: ignore[arg-type]
    ("busy_timeout_ms", lambda m: recallite.open("x", busy_timeout_ms="1")),  # type: ignore[arg-type]
    ("cache_bytes", lambda m: recallite.open("x", cache_bytes=1.5)),  # type: ignore[arg-type]
    ("folder", lambda m: recallite.project_of(ANY)),
    ("kind", lambda m: m.append(kind=1, session="s")),  # type: ignore[arg-type]
    ("kind", lambda m: m.append(session="s", content="c")),  # type: ignore[call-arg]
    ("session", lambda m: m.append(kind="user_prompt", content="c")),  # type: ignore[call-arg]
    ("content", lambda m: m.append(kind="user_prompt", session="s", content=b"c")),  # type: ignore[arg-type]
    ("colour", lambda m: m.append(kind="user_prompt", session="s", colour=1)),  # type: ignore[call-arg]
    ("timestamp", lambda m: m.append(kind="user_prompt", session="s", timestamp=1)),  # type: ignore[arg-type]
    ("metadata", lambda m: m.append(kind="user_prompt", session="s", metadata=[1])),  # type: ignore[arg-type]
    ("metadata", lambda m: m.append(kind="user_prompt", session="s", metadata={"a": ANY})),
    ("dedupe", lambda m: m.append(kind="user_prompt", session="s", dedupe=1)),  # type: ignore[arg-type]
    ("tool", lambda m: m.append(kind="tool_observation", session="s", tool="Read")),  # type: ignore[arg-type]
    ("tool.name", lambda m: m.append(kind="tool_observation", session="s", tool={})),
    ("tool.nam", lambda m: m.append(kind="tool_observation", session="s", tool={"nam": "R"})),
    (
        "tool.input",
        lambda m: m.append(
            kind="tool_observation", session="s", tool={"name": "R", "input": {"a": ANY}}
        ),
    ),
    ("events", lambda m: m.append_batch(3)),  # type: ignore[arg-type]
    ("events", lambda m: m.append_batch({"kind": "user_prompt"})),  # type: ignore[dict-item]
    ("events[0]", lambda m: m.append_batch(["text"])),  # type: ignore[list-item]
    ("events[0].session", lambda m: m.append_batch([{"kind": "user_prompt", "session": 1}])),
    ("events[0].when", lambda m: m.append_batch([{"kind": "user_prompt", "when": 1}])),
    ("event", lambda m: m.event(True)),
    ("event", lambda m: m.event(ANY)),
    ("event", lambda m: m.event(1.0)),  # type: ignore[arg-type]
    ("text", lambda m: m.citation(1)),  # type: ignore[arg-type]
    ("query", lambda m: m.search(b"q")),  # type: ignore[arg-type]
    ("limit", lambda m: m.search("q", limit="1")),  # type: ignore[arg-type]
    ("limit", lambda m: m.search("q", limit=True)),
    ("session", lambda m: m.search("q", session=1)),  # type: ignore[arg-type]
    ("project", lambda m: m.search("q", project=1)),  # type: ignore[arg-type]
    ("kinds", lambda m: m.search("q", kinds=1)),  # type: ignore[arg-type]
    ("kinds[0]", lambda m: m.search("q", kinds=[1])),  # type: ignore[list-item]
    ("min_relevance", lambda m: m.search("q", min_relevance="0.5")),  # type: ignore[arg-type]
    ("deadline_ms", lambda m: m.search("q", deadline_ms=1.5)),  # type: ignore[arg-type]
    ("from_", lambda m: m.search("q", from_="2026-01-01")),  # type: ignore[arg-type]
    ("newest_first", lambda m: m.events(newest_first=1)),  # type: ignore[arg-type]
    ("events", lambda m: m.details(None)),  # type: ignore[arg-type]
    ("events[0]", lambda m: m.timeline([None])),  # type: ignore[list-item]
    ("id", lambda m: m.session(1)),  # type: ignore[arg-type]
    ("tags", lambda m: m.update_session("s", tags="one")),
    ("query", lambda m: m.context(b"q")),  # type: ignore[arg-type]
    ("budget_tokens", lambda m: m.context("q", budget_tokens=1.5)),  # type: ignore[arg-type]
    ("format", lambda m: m.context("q", format=1)),  # type: ignore[arg-type]
    ("count_tokens", lambda m: m.context("q", count_tokens=1)),  # type: ignore[arg-type]
    ("pinned", lambda m: m.context("q", pinned=ANY)),
    ("query.text", lambda m: m.smart_search(recallite.Query(1))),  # type: ignore[arg-type]
    ("min_relevance", lambda m: m.smart_search("q", min_relevance="1")),  # type: ignore[arg-type]
    ("expand_details", lambda m: m.smart_search("q", expand_details=1)),  # type: ignore[arg-type]
    ("event", lambda m: m.citations.detail(None)),  # type: ignore[arg-type]
    ("event", lambda m: m.citations.citing_sessions(1.5)),  # type: ignore[arg-type]
    ("limit", lambda m: m.citations.popular(limit="1")),  # type: ignore[arg-type]
    ("events", lambda m: m.forget(1.5)),  # type: ignore[arg-type]
    ("everything", lambda m: m.erase(everything="yes")),  # type: ignore[arg-type]
    ("before", lambda m: m.upkeep.count_selected(before="now")),  # type: ignore[arg-type]
    ("as_of", lambda m: m.upkeep.state_hash("now")),  # type: ignore[arg-type]
    ("timeout_ms", lambda m: m.wait_for_change(0, 1.5)),  # type: ignore[arg-type]
    ("graduate_events", lambda m: m.maintain(graduate_events="1")),  # type: ignore[arg-type]
    ("jobs", lambda m: m.maintain(jobs=1.5)),  # type: ignore[arg-type]
    ("time_ms", lambda m: m.maintain(time_ms="1")),  # type: ignore[arg-type]
    ("query", lambda m: m.knowledge.search(1)),  # type: ignore[arg-type]
    ("target", lambda m: m.export_jsonl(3)),  # type: ignore[arg-type]
    ("replace", lambda m: m.export_jsonl("x", replace=1)),  # type: ignore[arg-type]
    ("source", lambda m: m.restore_jsonl(3)),  # type: ignore[arg-type]
    ("path", lambda m: m.backup(3)),  # type: ignore[arg-type]
    ("batch_rows", lambda m: m.events().to_arrow(batch_rows="1")),  # type: ignore[arg-type]
    ("progress", lambda m: m.import_claude_code("x", progress="yes")),  # type: ignore[arg-type]
    # A key that is no text is the fault of what has it.
    ("config", lambda m: m.endless.set_config(NO_TEXT)),
    ("decision", lambda m: m.history.record_decision({"\ud800": 1})),
    ("events[0]", lambda m: m.append_batch([{**prompt("x"), **NO_TEXT}])),
    ("tool", lambda m: m.append(**prompt("x"), tool=NO_TEXT)),
    ("privacy", lambda m: recallite.open("never", privacy=NO_TEXT)),
    ("keywords", lambda m: m.search("x", **{"\ud800": ANY})),
]


@pytest.mark.parametrize(("argument", "call"), WRONG_TYPES)
def test_wrong_types_name_the_argument(memory: recallite.Memory, argument: str, call: Call) -> None:
    with pytest.raises(recallite.InvalidArgumentType) as caught:
        call(memory)
    assert isinstance(caught.value, TypeError)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert caught.value.argument == argument
    assert memory.stats().events == 0


@pytest.mark.parametrize(
    "given",
    [
        b"\1\2",
        b"",
        bytearray(b"\1\2"),
        memoryview(b"\1\2"),
        array.array("B", [1, 2]),
        array.array("b", [1, 2]),
    ],
    ids=["bytes", "no bytes", "bytearray", "memoryview", "unsigned", "signed"],
)
def test_bytes_are_no_list(memory: recallite.Memory, given: Any) -> None:
    for content in "abc":
        memory.append(kind="user_prompt", session="s", content=content)
    calls: list[tuple[str, Call]] = [
        ("events", lambda m: m.forget(given)),
        ("events", lambda m: m.erase(given)),
        ("events", lambda m: m.timeline(given)),
        ("events", lambda m: m.details(given)),
        ("events", lambda m: m.upkeep.count_selected(given)),
        ("events", lambda m: m.export_jsonl(io.BytesIO(), events=given)),
        ("kinds", lambda m: list(m.events(kinds=given))),
        ("blocked_by", lambda m: m.tasks.create("t", blocked_by=given)),
        ("tags", lambda m: m.update_session("s", tags=given)),
        ("events", lambda m: m.append_batch(given)),
    ]
    for argument, call in calls:
        with pytest.raises(recallite.InvalidArgumentType) as caught:
            call(memory)
        assert caught.value.argument == argument
    assert memory.count_events() == 3
    # Positions in items that are no bytes.
    assert memory.upkeep.count_selected(array.array("q", [1, 2])) == 2


def test_the_text_of_an_event_is_no_selection(memory: recallite.Memory) -> None:
    for content in ("a", "b", "\1\2"):
        memory.append(kind="user_prompt", session="s", content=content)
    view = memory.event_view(3)
    assert view is not None
    with pytest.raises(recallite.InvalidArgumentType):
        memory.forget(view.content)
    assert memory.count_events() == 3


def test_a_value_that_json_would_lose_is_refused(memory: recallite.Memory) -> None:
    twice: Any = {1: "lost", "1": "kept"}
    calls: list[Call] = [
        lambda m: m.append(**prompt("x"), metadata=twice),
        lambda m: m.append(**prompt("x"), metadata={"deep": [twice]}),
        lambda m: m.append_batch([{**prompt("x"), "metadata": twice}]),
    ]
    for call in calls:
        with pytest.raises(recallite.InvalidArgument, match='the key "1" occurs twice') as caught:
            call(memory)
        assert caught.value.argument is not None and caught.value.argument.endswith("metadata")
    with pytest.raises(recallite.InvalidArgument, match="occurs twice"):
        recallite.open("never", settings={"retrieval": twice})
    assert memory.stats().events == 0


def test_a_long_argument_is_not_quoted_whole(memory: recallite.Memory) -> None:
    long = "my private diary, " + "which is long, " * 50 + "and ends here"
    unknown: Any = {long: 1}
    calls: list[Call] = [
        lambda m: m.event(long),
        lambda m: m.forget(long),
        lambda m: m.append(kind=long, session="s", content="x"),
        lambda m: m.knowledge.certify(long, "ada"),
        lambda m: m.tasks.rename(long, "x"),
        lambda m: m.events(from_=long),  # type: ignore[arg-type]
        lambda m: recallite.open("never", time_zone=long),
        lambda m: recallite.open("never", settings={"retrieval": unknown}),
        lambda m: m.append(**prompt("x"), **unknown),
    ]
    for call in calls:
        with pytest.raises(recallite.Error) as caught:
            call(memory)
        assert str(caught.value).count("which is long") < 10


def test_errors_of_the_caller_are_raised_as_they_are(memory: recallite.Memory) -> None:
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError

    def events() -> Any:
        yield recallite.NewEvent("user_prompt", "s", "a")
        raise KeyError("mine")

    with pytest.raises(ZeroDivisionError):
        memory.search("q", limit=Broken())  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        memory.append_batch(events())
    assert memory.stats().events == 0


def test_a_self_containing_value_is_refused(memory: recallite.Memory) -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"d": deep}
    for metadata in (circle, deep):
        with pytest.raises(recallite.InvalidArgument) as caught:
            memory.append(kind="user_prompt", session="s", content="c", metadata=metadata)
        assert caught.value.argument == "metadata"


USES: list[Call] = [
    lambda m: m.append(kind="user_prompt", session="s", content="c"),
    lambda m: m.append_batch([]),
    lambda m: m.event(1),
    lambda m: m.citation("a7Bc3x"),
    lambda m: m.events(),
    lambda m: m.changes_since(0),
    lambda m: m.sessions(),
    lambda m: m.session("s"),
    lambda m: m.update_session("s"),
    lambda m: m.search("q"),
    lambda m: m.timeline([1]),
    lambda m: m.details([1]),
    lambda m: m.import_claude_code("x"),
    lambda m: m.stats(),
    lambda m: m.context("q"),
    lambda m: m.smart_search("q"),
    lambda m: m.citations.detail(1),
    lambda m: m.citations.popular(),
    lambda m: m.citations.citing_sessions(1),
    lambda m: m.forget(1),
    lambda m: m.erase(1),
    lambda m: m.upkeep.count_selected(1),
    lambda m: m.upkeep.count_erasable(1),
    lambda m: m.upkeep.apply_retention(),
    lambda m: m.compact(),
    lambda m: m.check(),
    lambda m: m.rebuild(),
    lambda m: m.upkeep.state_hash(datetime.now(UTC)),
    lambda m: m.wait_for_change(0, 1000),
    lambda m: m.upkeep.upgrade(),
    lambda m: m.maintain(),
    lambda m: m.knowledge.search("q"),
    lambda m: m.process_outbox(),
    lambda m: m.upkeep.retry_outbox(),
    lambda m: m.export_jsonl(io.BytesIO()),
    lambda m: m.restore_jsonl(io.BytesIO()),
    lambda m: m.import_jsonl(io.BytesIO()),
    lambda m: m.backup("x"),
    lambda m: m.__enter__(),
]


@pytest.mark.parametrize("use", USES)
def test_use_after_close_is_refused(memory: recallite.Memory, use: Call) -> None:
    memory.close()
    with pytest.raises(recallite.Closed) as caught:
        use(memory)
    assert caught.value.needs_reopen


def test_not_found(tmp_path: Path, memory: recallite.Memory) -> None:
    with pytest.raises(recallite.NotFound):
        recallite.open(tmp_path / "missing", create=False)
    assert not (tmp_path / "missing").exists()
    with pytest.raises(recallite.NotFound):
        memory.import_claude_code(tmp_path / "missing.jsonl")


def test_a_file_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(recallite.InvalidArgument) as caught:
        recallite.open(tmp_path / "file")
    assert caught.value.argument == "path"


def test_a_damaged_store_is_told_from_an_empty_one(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m") as memory:
        memory.append(kind="user_prompt", session="s", content="c")
    for store in (tmp_path / "m").glob("*.redb"):
        store.write_bytes(b"\x07" * 4096)
    with pytest.raises(recallite.Corrupt):
        recallite.open(tmp_path / "m")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_permission_denied(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    user = os.geteuid()
    if user == 0:
        # Permissions do not bind the superuser: be nobody for a moment.
        os.seteuid(65534)
    try:
        with pytest.raises(recallite.PermissionDenied) as caught:
            recallite.open(closed / "m")
    finally:
        os.seteuid(user)
    assert caught.value.errno == errno.EACCES


def test_busy_when_another_process_writes(tmp_path: Path) -> None:
    """An exclusive owner keeps others out for as long as it lives."""
    program = (
        "import recallite, sys\n"
        "memory = recallite.open(sys.argv[1], exclusive=True)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "m")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        with pytest.raises(recallite.Busy) as caught:
            recallite.open(tmp_path / "m", exclusive=True, busy_timeout_ms=50)
        assert caught.value.retryable
    finally:
        child.communicate()
    recallite.open(tmp_path / "m", exclusive=True).close()
