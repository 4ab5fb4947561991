"""Events as Arrow record batches, through the PyCapsule interface."""

from __future__ import annotations

import gc
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import recallite

pa: Any = pytest.importorskip("pyarrow")


@pytest.fixture
def talk(memory: recallite.Memory, noon: datetime) -> recallite.Memory:
    memory.append_batch(
        recallite.NewEvent(
            "user_prompt",
            f"s{number % 3}",
            f"번호 {number} — שלום 🧵",
            project="가게" if number % 2 else None,
            timestamp=noon + timedelta(minutes=number),
            metadata={"키": number} if number % 5 == 0 else None,
        )
        for number in range(50)
    )
    memory.append(
        kind="tool_observation",
        session="t",
        timestamp=noon + timedelta(hours=2),
        tool={
            "name": "Read",
            "input": {"file_path": "/src/주문.rs"},
            "output": "fn main() {}",
            "duration_ms": 12,
            "prompt_index": 0,
        },
    )
    return memory


def test_a_table_has_the_fields_of_events(talk: recallite.Memory) -> None:
    events = list(talk.events())
    arrow = talk.events().to_arrow()
    table = pa.table(arrow)
    assert len(arrow) == table.num_rows == 51
    assert arrow.nbytes > 0
    assert repr(arrow) == "<recallite.ArrowEvents of 51 rows and 14 columns>"
    assert arrow.column_names == table.column_names == list(events[0].to_dict())
    table.validate(full=True)
    assert str(table.schema.field("timestamp").type) == "timestamp[ms, tz=UTC]"
    for row, event in zip(table.to_pylist(), events, strict=True):
        for name in ("id", "seq", "citation", "session", "project", "actor", "content"):
            assert row[name] == getattr(event, name)
        assert row["kind"] == str(event.kind) and row["origin"] == str(event.origin)
        assert row["canonical_key"] == event.canonical_key
        assert row["timestamp"] == event.timestamp
        assert row["privacy"] == event.privacy.to_dict()
        metadata = None if event.metadata is None else __import__("json").dumps(event.metadata)
        assert (row["metadata"] is None) == (metadata is None)
    assert [row["metadata"] for row in table.to_pylist()][5] == '{"키":5}'
    tool = table.to_pylist()[-1]["tool"]
    assert tool["name"] == "Read" and tool["input"] == '{"file_path":"/src/주문.rs"}'
    assert (tool["duration_ms"], tool["success"], tool["error"]) == (12, True, None)
    assert (tool["prompt_index"], tool["tool_index"]) == (0, None)
    assert '"fileType"' in tool["metadata"] or tool["metadata"].startswith("{")
    assert table.column("tool").null_count == 50


def test_a_table_may_be_taken_as_often_as_one_likes(talk: recallite.Memory) -> None:
    arrow = talk.events(session="s1").to_arrow(batch_rows=5)
    first, second = pa.table(arrow), pa.table(arrow)
    assert first == second
    assert first.column("content").num_chunks == 4
    talk.close()
    del arrow
    gc.collect()
    assert first.num_rows == 17
    assert pa.schema(talk_schema(second)) == second.schema


def talk_schema(table: Any) -> Any:
    return table.schema


def test_events_are_a_stream_that_is_read_as_it_is_asked_for(talk: recallite.Memory) -> None:
    events = talk.events()
    first = next(events)
    reader = pa.RecordBatchReader.from_stream(events)
    assert reader.schema == pa.schema(events)
    table = reader.read_all()
    assert table.num_rows == 50
    assert first.id not in table.column("id").to_pylist()
    assert list(events) == []
    assert len(events.to_arrow()) == 0
    assert pa.table(events.to_arrow()).schema == table.schema


def test_an_unused_capsule_is_let_go(talk: recallite.Memory) -> None:
    for _ in range(100):
        talk.events().__arrow_c_stream__()
        talk.events().__arrow_c_schema__()
        talk.events().to_arrow().__arrow_c_stream__(None)


def test_errors_come_through_the_stream(talk: recallite.Memory) -> None:
    events = talk.events()
    reader = pa.RecordBatchReader.from_stream(events)
    talk.close()
    with pytest.raises(Exception, match="closed"):
        reader.read_all()
    with pytest.raises(recallite.InvalidArgument) as caught:
        events.to_arrow(batch_rows=0)
    assert caught.value.argument == "batch_rows"


def test_a_stream_may_be_read_in_another_thread(talk: recallite.Memory) -> None:
    reader = pa.RecordBatchReader.from_stream(talk.events())
    tables: list[Any] = []
    thread = threading.Thread(target=lambda: tables.append(reader.read_all()))
    thread.start()
    thread.join()
    assert tables[0].num_rows == 51


def test_asyncio(tmp_path: Path) -> None:
    import asyncio

    import recallite.aio

    async def main() -> None:
        async with recallite.aio.open(tmp_path / "m") as memory:
            await memory.append(kind="user_prompt", session="s", content="하나")
            arrow = await memory.events().to_arrow()
            assert pa.table(arrow).column("content").to_pylist() == ["하나"]
            events = memory.events()
            assert (await anext(events)).content == "하나"
            with pytest.raises(RuntimeError):
                await events.to_arrow()

    asyncio.run(main())
