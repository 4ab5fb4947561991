"""Events read in place: memoryviews of the store's page."""

from __future__ import annotations

import ctypes
import gc
import json
from pathlib import Path

import pytest

import recallite
from recallite import EventKind


class Buffer(ctypes.Structure):
    """`Py_buffer`, as the stable interface of Python defines it."""

    _fields_ = [  # noqa: RUF012
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


def address(text: memoryview) -> int:
    """Where the bytes of a view lie."""
    buffer = Buffer()
    asked, given = ctypes.byref(buffer), ctypes.py_object(text)
    assert ctypes.pythonapi.PyObject_GetBuffer(given, asked, 0) == 0
    found = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(asked)
    assert found is not None
    return int(found)


def test_two_copies_lie_at_two_places() -> None:
    text = b"x" * 1_000
    assert address(memoryview(text)) == address(memoryview(text))
    assert address(memoryview(text)) != address(memoryview(bytearray(text)))


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
    assert first.obj is not second.obj and first == second
    with pytest.raises(TypeError):
        first[0] = 0
    # Of one page, whichever way it was reached: a copy would lie elsewhere.
    other = memory.event_view(stored.citation)
    assert other is not None
    where = {address(text) for text in (first, second, other.content)}
    assert len(where) == 1


def test_no_text_of_a_tool_is_copied(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m", tool_limits={"keep_whole_output": True}) as memory:
        stored = memory.append(
            kind="tool_observation",
            session="s",
            content="ran",
            metadata={"ticket": "x" * 2_000},
            tool={"name": "Bash", "input": {"command": "y" * 3_000}, "output": "z" * 9_000},
        )
        views = [memory.event_view(stored.id), memory.event_view(stored.id)]
        for name in ("content", "metadata", "tool_input", "tool_output"):
            texts = [getattr(view, name) for view in views]
            assert bytes(texts[0]) == bytes(texts[1])
            assert address(texts[0]) == address(texts[1]), name


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
