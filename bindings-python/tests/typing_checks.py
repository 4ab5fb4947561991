"""Checked by mypy and pyright, never run: what a typed caller relies on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type

import recallite
import recallite.aio
import recallite.rules


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
        assert_type(memory.append_batch([new, {"kind": "user_prompt"}]), recallite.Rows[recallite.Appended])
        found = memory.search("text", limit=1, project=recallite.ProjectScope.ALL)
        assert_type(found.items[0].passage.start, int)
        assert_type(memory.event(receipt), recallite.Event | None)
        assert_type(memory.timeline(found), recallite.Rows[recallite.TimelineItem])
        assert_type(memory.details([hit.id for hit in found]), recallite.Rows[recallite.Detail])
        for event in memory.events(kinds=["user_prompt"]):
            assert_type(event, recallite.Event)
        assert_type(memory.stats().newest, datetime | None)
        context = memory.context(recallite.Query("text", session="s1"), limit=3, pinned=found)
        assert_type(context, recallite.Context)
        smart = memory.smart_search("text", count_tokens=len)
        assert_type(smart, recallite.SmartSearchResult)
        assert_type(memory.citations.citing_sessions(context.items[0]), list[str])
        assert_type(memory.citations.popular(limit=3), recallite.Rows[recallite.PopularCitation])
        assert_type(memory.citations.detail(smart.index[0]), recallite.CitationDetail)
        assert_type(memory.forget(found, before=datetime.now(UTC)), recallite.Forgotten)
        assert_type(memory.check().first_divergence, recallite.Divergence | None)
        assert_type(memory.wait_for_change(receipt.seq, 10), int)
        with path.open("wb") as file:
            assert_type(memory.export_jsonl(file), recallite.Exported)
        with path.open("rb") as file:
            assert_type(memory.import_jsonl(file), recallite.Imported)
        assert_type(memory.events().to_arrow(), recallite.ArrowEvents)


class _Model:
    id = "model-1"
    dimensions = 2

    def embed(self, texts: list[str], /) -> list[list[float]]:
        return [[1.0, 2.0] for _ in texts]


def with_options(path: Path) -> recallite.Memory:
    recallite.open(path, embedder=_Model()).close()
    embedder = recallite.CallbackEmbedder("model-1", 2, _Model().embed)
    return recallite.open(
        path,
        embedder=embedder,
        privacy=recallite.PrivacyConfig(anonymize=True),
        tool_limits={"keep_whole_output": True},
        recall_weights=recallite.RecallWeights(named_actor=0),
        retention_ms={"user_prompt": 1000, recallite.EventKind.AGENT_RESPONSE: 1000},
    )


async def asynchronous(path: Path) -> None:
    async with recallite.aio.open(path, create=False) as memory:
        assert_type(memory, recallite.aio.Memory)
        assert_type(await memory.search("text", limit=2), recallite.SearchResult)
        async for event in memory.events(session="s1"):
            assert_type(event, recallite.Event)
        assert_type(await memory.context("text"), recallite.Context)
        assert_type(await memory.events().to_arrow(), recallite.ArrowEvents)
    opened = await recallite.aio.open(path)
    await opened.close()


def learning(path: Path) -> None:
    with recallite.open(path) as memory:
        report = memory.ingest("s1", {"schema_version": 1, "entries": []}, extraction_ms=3)
        assert_type(report.entries, tuple[recallite.IngestedEntry, ...])
        assert_type(report.entries[0].stage, recallite.Stage)
        entry = memory.knowledge.entry(report.entries[0])
        assert_type(entry, recallite.LearnedEntry | None)
        if entry is not None and entry.evidence is not None:
            assert_type(entry.evidence.aligned[0].start, int | None)
            memory.knowledge.add_edge(entry, recallite.Relation.MENTIONS, ("entity", "x"), meta={"a": 1})
            assert_type(memory.knowledge.related_entries(entry), recallite.Rows[recallite.RelatedEntry])
        for hit in memory.knowledge.search("text", status=recallite.EntryStatus.ACTIVE, limit=3):
            assert_type(hit.entry, recallite.LearnedEntry)
            assert_type(hit.resolved_from, str | None)
            memory.knowledge.deprecate(hit)
        for blocked in memory.tasks.blocked(project=recallite.ProjectScope.ALL):
            found = memory.tasks.entity(blocked.blockers[0])
            assert_type(found, recallite.Task | recallite.Condition | recallite.Artifact | None)
            memory.tasks.change_status(blocked, "done")
        detail = memory.tasks.get(report.tasks[0])
        if detail is not None:
            assert_type(detail.task.status, recallite.TaskStatus)
        memory.endless.consolidate(summarize=lambda topics, texts: f"{topics[0]}: {len(texts)}")
        memory.history.record_decision({"decision_id": "d"})
        memory.endless.set_config(recallite.EndlessConfig())
    for result in recallite.align(["text"], [(0, "text"), recallite.EvidenceQuote(0, "x")]):
        assert_type(result, recallite.Alignment)
        assert_type(result.start, int | None)
    assert_type(recallite.rules.parse_citation("x"), str | None)


async def learning_asynchronously(path: Path) -> None:
    async with recallite.aio.open(path) as memory:
        assert_type(await memory.ingest("s1", "{}"), recallite.IngestReport)
        assert_type(await memory.tasks.list(status="blocked"), recallite.Rows[recallite.Task])
