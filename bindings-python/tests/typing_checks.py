"""Checked by mypy and pyright, never run: what a typed caller relies on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type

import recallite
import recallite.aio


def synchronous(path: Path) -> None:
    with recallite.open(path, project="shop", busy_timeout_ms=10) as memory:
        assert_type(memory, recallite.Memory)
        receipt = memory.append(
            kind=recallite.EventKind.USER_PROMPT,
            session="s1",
            content="text",
            timestamp=datetime.now(UTC),
            metadata={"a": [1, None]},
        )
        assert_type(receipt, recallite.Appended)
        new = recallite.NewEvent("user_prompt", "s1", "text")
        assert_type(memory.append_batch([new, {"kind": "user_prompt"}]), list[recallite.Appended])
        found = memory.search("text", limit=1, project=recallite.ProjectScope.ALL)
        assert_type(found.items[0].passage.start, int)
        assert_type(memory.event(receipt), recallite.Event | None)
        assert_type(memory.timeline(found), list[recallite.TimelineItem])
        assert_type(memory.details([hit.id for hit in found]), list[recallite.Detail])
        for event in memory.events(kinds=["user_prompt"]):
            assert_type(event, recallite.Event)
        assert_type(memory.stats().newest, datetime | None)


async def asynchronous(path: Path) -> None:
    async with recallite.aio.open(path, create=False) as memory:
        assert_type(memory, recallite.aio.Memory)
        assert_type(await memory.search("text", limit=2), recallite.SearchResult)
        async for event in memory.events(session="s1"):
            assert_type(event, recallite.Event)
    opened = await recallite.aio.open(path)
    await opened.close()
