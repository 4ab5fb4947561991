"""What a memory tells a function of the program of its work."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

import recallite
import recallite.aio
from recallite import LogLevel, LogRecord

MARKER = "zqxwmarker"


def test_upkeep_and_degraded_searches_are_told_and_no_text_is(tmp_path: Path) -> None:
    told: list[LogRecord] = []
    memory = recallite.open(tmp_path, on_log=told.append, log_level="debug")
    assert told == [LogRecord(LogLevel.INFO, "open", "created a new store")]
    memory.append(kind="user_prompt", session="s", content=MARKER)
    memory.compact()
    memory.search(MARKER, deadline_ms=0)
    lines = [f"{record.level} {record.target} {record.message}" for record in told]
    assert any(line.startswith("info upkeep compacted: ") for line in lines)
    assert any(line.startswith("warn recall a search is degraded: ") for line in lines)
    assert not any(MARKER in line for line in lines)
    memory.close()


def test_less_than_was_asked_for_is_not_told(tmp_path: Path) -> None:
    told: list[LogRecord] = []
    with recallite.open(tmp_path, on_log=told.append, log_level=LogLevel.WARN) as memory:
        memory.compact()
    assert told == []


def test_the_function_may_use_the_memory_and_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: raised.append(str(it.exc_value)))
    opened: list[recallite.Memory] = []

    def on_log(record: LogRecord) -> None:
        for memory in opened:
            memory.append(kind="user_prompt", session="log", content=record.message)
            memory.compact()
        raise ValueError("on purpose")

    memory = recallite.open(tmp_path, on_log=on_log)
    opened.append(memory)
    memory.compact()
    assert raised == ["on purpose"] * 2
    assert memory.search("compacted").items
    assert memory.check().ok
    opened.clear()
    memory.close()


def test_the_asyncio_twin_tells_too(tmp_path: Path) -> None:
    told: list[LogRecord] = []

    async def run() -> None:
        async with recallite.aio.open(tmp_path, on_log=told.append) as memory:
            await memory.compact()

    asyncio.run(run())
    assert [record.target for record in told] == ["open", "upkeep"]


def test_records_go_into_the_log_of_python(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def on_log(record: LogRecord) -> None:
        logger = logging.getLogger(f"recallite.{record.target}")
        logger.log(getattr(logging, record.level.upper()), record.message)

    with caplog.at_level(logging.INFO), recallite.open(tmp_path, on_log=on_log) as memory:
        memory.append(kind="user_prompt", session="s", content="hello")
        memory.search("hello", deadline_ms=0)
    told = [(it.name, it.levelname) for it in caplog.records]
    assert told == [("recallite.open", "INFO"), ("recallite.recall", "WARNING")]


@pytest.mark.parametrize(("option", "value"), [("on_log", "print"), ("log_level", "loud")])
def test_what_is_no_function_or_level_is_refused(tmp_path: Path, option: str, value: Any) -> None:
    with pytest.raises(recallite.InvalidArgument, match=option):
        recallite.open(tmp_path, **{option: value})
