"""Results: frozen, equal by value, picklable, readable."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recallite
from recallite import NewEvent, ToolUse


@pytest.fixture
def results(memory: recallite.Memory, noon: datetime) -> list[object]:
    memory.append(kind="user_prompt", session="s", content="q <b>굵게</b>", timestamp=noon)
    tool = ToolUse(name="Read", input={"a": 1}, output="text")
    receipt = memory.append(
        kind="tool_observation", session="s", tool=tool, metadata={"k": [1]}, timestamp=noon
    )
    found = memory.search("굵게")
    detail = memory.details(receipt)[0]
    return [
        receipt,
        detail,
        detail.event,
        memory.timeline(receipt)[0],
        found,
        found.items[0],
        found.items[0].passage,
        memory.session("s"),
        memory.stats(),
        NewEvent("tool_observation", "s", tool=tool),
        tool,
    ]


def test_results_are_frozen(results: list[object]) -> None:
    for result in results:
        assert dataclasses.is_dataclass(result)
        name = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, None)
        assert not hasattr(result, "__dict__")


def test_results_survive_pickle_and_copy(results: list[object]) -> None:
    for result in results:
        for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert twin == result
            assert hash(twin) == hash(result)
            assert repr(twin) == repr(result)
        assert type(result).__module__ == "recallite"


def test_results_become_plain_values(results: list[object], noon: datetime) -> None:
    for result in results:
        fields = result.to_dict()  # type: ignore[attr-defined]
        assert list(fields) == [field.name for field in dataclasses.fields(result)]  # type: ignore[arg-type]
    event = results[2].to_dict()  # type: ignore[attr-defined]
    assert type(event["kind"]) is str
    assert event["timestamp"] == noon
    assert event["tool"]["input"] == {"a": 1}
    assert event["metadata"] == {"k": [1]}
    assert isinstance(results[4].to_dict()["items"], list)  # type: ignore[attr-defined]


def test_results_read_well(results: list[object]) -> None:
    event = repr(results[2])
    assert event.startswith("Event(id='")
    assert "kind='tool_observation'" in event
    assert "timestamp=2026-03-09T12:00:00+00:00" in event
    long = NewEvent("user_prompt", "s", "가" * 1000)
    assert len(repr(long)) < 400
    for result in results:
        html = result._repr_html_()  # type: ignore[attr-defined]
        assert html.startswith("<table>")
        assert "<b>" not in html
    assert "&lt;b&gt;굵게&lt;/b&gt;" in results[4]._repr_html_()  # type: ignore[attr-defined]


def test_lists_of_results_are_tables_in_a_notebook(memory: recallite.Memory) -> None:
    receipts = memory.append_batch(
        NewEvent("user_prompt", "s", f"<b>{number}</b>") for number in range(3)
    )
    for rows in (
        receipts,
        memory.timeline(receipts),
        memory.details(receipts),
        memory.changes_since(0),
        memory.sessions(),
    ):
        assert isinstance(rows, list) and rows == list(rows)
        html = rows._repr_html_()
        assert html.count("<tr>") >= len(rows) + 1
        assert "<b>" not in html
        assert pickle.loads(pickle.dumps(rows)) == rows
        assert type(rows) is recallite.Rows
    assert receipts[0].citation in receipts._repr_html_()
    assert receipts[0].id not in receipts._repr_html_()
    assert memory.timeline([])._repr_html_() == "<p>none</p>"


def test_a_memory_reads_well_in_a_notebook(tmp_path: Path) -> None:
    memory = recallite.open(tmp_path / "<m>")
    assert "&lt;m&gt;" in memory._repr_html_()
    assert "events" in memory._repr_html_()
    memory.close()
    assert "closed" in memory._repr_html_()


def test_a_memory_cannot_be_pickled(memory: recallite.Memory) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(memory)
    with pytest.raises(TypeError):
        type(memory)()


def test_equal_results_are_equal(memory: recallite.Memory) -> None:
    memory.append(kind="user_prompt", session="s", content="a")
    assert memory.event(1) == memory.event(1)
    assert memory.event(1) is not memory.event(1)
    stats: object = memory.stats()
    assert memory.event(1) != stats
    assert len({memory.event(1), memory.event(1)}) == 1


def test_new_events_come_back(memory: recallite.Memory) -> None:
    new = NewEvent(
        "user_prompt",
        "s",
        "content",
        actor="Ada",
        origin="web",
        project="p",
        timestamp=datetime(2026, 1, 1, tzinfo=UTC),
        metadata={"a": 1},
        dedupe=False,
    )
    (first,) = memory.append_batch([new])
    (second,) = memory.append_batch([new.to_dict()])
    one, two = memory.event(first), memory.event(second)
    assert one is not None and two is not None
    assert dataclasses.replace(one, id="", seq=0, citation="") == dataclasses.replace(
        two, id="", seq=0, citation=""
    )
