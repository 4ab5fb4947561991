"""Learning with asyncio: the same calls, awaited."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from learned import MESSAGES, SESSION, extraction

import recallite
import recallite.aio


def test_the_whole_way(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            for kind, content in MESSAGES:
                await memory.append(kind=kind, session=SESSION, content=content)
            assert len(await memory.knowledge.session_messages(SESSION)) == 4
            report = await memory.ingest(SESSION, extraction())
            first, second, third = report.entries
            assert [entry.local_id for entry in await memory.knowledge.entries(text="redis")] == ["e2"]
            hits = await memory.knowledge.search("금요일에 배포하나?")
            assert [hit.entry.local_id for hit in hits] == ["e1"]
            edge = await memory.knowledge.add_edge(second, "derived_from", first)
            assert await memory.knowledge.edges(to=first, relation="derived_from") == [edge]
            assert len(await memory.knowledge.lineage(first)) == 2
            conflict = await memory.knowledge.contradict(first, second)
            await memory.knowledge.resolve_conflict(conflict, first, "it holds", "Ada")
            (blocked,) = await memory.tasks.blocked()
            assert blocked.task.title == "Release the order page"
            task = await memory.tasks.change_status(report.tasks[0], "done")
            assert (await memory.tasks.rename(task, "끝난 일")).title == "끝난 일"
            await memory.endless.set_mode("endless")
            await memory.append(kind="user_prompt", session="e", content="fix the schema")
            assert await memory.endless.working_set()
            assert (await memory.levels.counts()).l0 >= 4
            assert (await memory.levels.graduate()).judged >= 0
            assert (await memory.history.build_runs())[0].build_id == report.build_id
            with pytest.raises(recallite.NotFound):
                await memory.knowledge.lineage("nobody")

    asyncio.run(main())


def test_a_summarizer_runs_in_the_thread_of_the_call(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            await memory.endless.set_config({"consolidation": {"min_events": 2}})
            await memory.endless.set_mode("endless")
            for content in ("fix the schema", "스키마를 다시 수정"):
                await memory.append(kind="user_prompt", session="e", content=content)
            threads: list[int] = []

            def summarize(topics: list[str], texts: list[str]) -> str:
                threads.append(threading.get_ident())
                return "스키마를 고쳤다"

            report = await memory.endless.consolidate(summarize=summarize)
            assert len(report.memories) == 1
            assert threads and threading.get_ident() not in threads
            assert (await memory.endless.memories())[0].summary == "스키마를 고쳤다"

    asyncio.run(main())


def test_several_sessions_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with recallite.aio.open(tmp_path) as memory:
            sessions = [f"세션 {number}" for number in range(6)]
            for session in sessions:
                for kind, content in MESSAGES:
                    await memory.append(kind=kind, session=session, content=content)
            reports = await asyncio.gather(
                *(memory.ingest(session, extraction()) for session in sessions)
            )
            assert len({report.build_id for report in reports}) == len(sessions)
            assert not any(report.already_ingested for report in reports)
            runs = await memory.history.build_runs()
            assert {run.status for run in runs} == {recallite.BuildStatus.SUCCESS}
            # The tasks of all sessions are the same three.
            assert len(await memory.tasks.list()) == 3

    asyncio.run(main())
