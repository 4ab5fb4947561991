"""Events read in place: memoryviews of the store's page."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

import recallite
from recallite import EventKind


def test_a_view_shows_what_the_event_holds(memory: recallite.Memory) -> None:
    stored = memory.append(
        kind="user_prompt",
        session="s",
        content="포트는 8080입니다. " * 2_000,
        metadata={"ticket": [1, None]},
    )
    called = memory.append(
        kind="tool_observation",
        session="s",
        tool={"name": "Bash", "input": {"command": "ls"}, "output": "src"},
    )
    event, view = memory.event(stored.id), memory.event_view(stored.citation)
    assert event is not None and view is not None
    assert str(view.content, "utf-8") == event.content
    assert view.content.readonly and view.content.format == "B"
    assert view.content.nbytes == len(event.content.encode())
    assert view.metadata is not None and json.loads(bytes(view.metadata)) == event.metadata
    assert (view.id, view.seq, view.citation) == (event.id, event.seq, event.citation)
    assert (view.session, view.project) == (event.session, event.project)
    assert view.kind is EventKind.USER_PROMPT and view.timestamp == event.timestamp
    assert (view.tool_name, view.tool_input, view.tool_output) == (None, None, None)

    tool = memory.event_view(called.seq)
    assert tool is not None and tool.tool_input is not None and tool.tool_output is not None
    assert tool.tool_name == "Bash" and bytes(tool.tool_output) == b"src"
    assert json.loads(bytes(tool.tool_input)) == {"command": "ls"}
    assert tool.metadata is None


def test_texts_are_not_copied(memory: recallite.Memory) -> None:
    stored = memory.append(kind="user_prompt", session="s", content="x" * 100_000)
    view = memory.event_view(stored.id)
    assert view is not None
    first, second = view.content, view.content
    # Two views of one page: numpy and ctypes would say the same address.
    assert first.obj is not second.obj and first == second
    with pytest.raises(TypeError):
        first[0] = 0


def test_a_view_outlives_erasure_and_memory(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "memory") as memory:
        stored = memory.append(kind="user_prompt", session="s", content="gone")
        view = memory.event_view(stored.id)
        assert view is not None
        content = view.content
        receipt = memory.erase(stored.id)
        assert receipt.is_complete
        assert memory.event_view(stored.id) is None
    del view
    gc.collect()
    assert bytes(content) == b"gone"


def test_there_is_no_view_of_what_is_not_there(memory: recallite.Memory) -> None:
    assert memory.event_view("mem:zzzzzz") is None
    with pytest.raises(recallite.InvalidArgument) as error:
        memory.event_view("not an event")
    assert error.value.argument == "event"
    memory.close()
    with pytest.raises(recallite.Closed):
        memory.event_view(1)
