"""Learns from a conversation: stores it, takes in what a language model extracted,
and shows tasks, blockers, the words that prove each entry, and lineage.

Run it with `python learn.py`. In a host the extraction is the answer of a language
model that was given `recallite.EXTRACTION_PROMPT` and the numbered messages.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import recallite
from recallite.rules import harmless_line

SESSION = "monday"
NINE = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)

CONVERSATION = [
    (
        "user_prompt",
        "Since this morning the checkout takes three seconds. Can you find out why?",
    ),
    (
        "agent_response",
        "Migration 0042 dropped the index on stock_reservations, so every checkout scans "
        "1.2 million rows. 인덱스를 다시 만들면 20ms로 돌아옵니다.",
    ),
    (
        "user_prompt",
        "좋아요. 인덱스는 오늘 밤에 만들고, 결제 타임아웃은 15초로 하자 ⏱️. "
        "And from now on: no migration without a query plan.",
    ),
    (
        "agent_response",
        "Agreed. The release of the new checkout waits for the index, and for the answer of "
        "the payment provider to PAY-311. 인덱스 작업은 제가 맡겠습니다.",
    ),
]

# What a language model hands back: quotes, never offsets.
EXTRACTION: dict[str, Any] = {
    "schema_version": recallite.EXTRACTION_SCHEMA_VERSION,
    "entries": [
        {
            "id": "e1",
            "type": "fact",
            "title": "Migration 0042 dropped an index",
            "content": "Without the index on stock_reservations each checkout scans the table.",
            "quotes": [
                {
                    "message_index": 1,
                    "quote": "migration 0042 dropped the index on  stock_reservations",
                },
                {"message_index": 1, "quote": "인덱스를 다시 만들면 20ms로 돌아옵니다"},
            ],
        },
        {
            "id": "e2",
            "type": "decision",
            "title": "결제 타임아웃은 15초",
            "content": "결제 타임아웃을 15초로 정했다.",
            "quotes": [{"message_index": 2, "quote": "결제 타임아웃은 15초로 하자 ⏱️"}],
        },
        {
            "id": "e3",
            "type": "preference",
            "title": "No migration without a query plan",
            "content": "Every migration comes with the plan of the queries that it touches.",
            "quotes": [{"message_index": 2, "quote": "no migration without a qery plan"}],
        },
        {
            "id": "e4",
            "type": "decision",
            "title": "Redis is introduced next week",
            "content": "The model made this up.",
            "quotes": [{"message_index": 3, "quote": "we will introduce Redis next week"}],
        },
    ],
    "tasks": [
        {
            "id": "t1",
            "title": "인덱스 다시 만들기",
            "status": "in_progress",
            "priority": "high",
            "quotes": [{"message_index": 3, "quote": "인덱스 작업은 제가 맡겠습니다"}],
        },
        {
            "id": "t2",
            "title": "Release the new checkout",
            "status": "blocked",
            "blocked_by": ["인덱스 다시 만들기", "PAY-311"],
            "quotes": [
                {"message_index": 3, "quote": "The release of the new checkout waits for the index"}
            ],
        },
    ],
    "relations": [
        {"from": "e3", "relation": "derived_from", "to": "e1"},
        {"from": "e1", "relation": "evidence_of", "to": "t1"},
    ],
}


def show_evidence(memory: recallite.Memory, evidence: recallite.EvidenceReport) -> Iterator[str]:
    """Where each quote stands in the conversation, in its own words."""
    for span in evidence.aligned:
        event = memory.event(span.event_id) if span.event_id else None
        words = event.content[span.start : span.end] if event else "(forgotten)"
        yield f"    message {span.message_index}, {span.start}-{span.end}, {span.method}: {words}"
    for quote in evidence.failed:
        yield f"    message {quote.message_index}: {quote.reason}"


def what(memory: recallite.Memory, blocker: recallite.EffectiveBlocker) -> str:
    """What stands in the way, in words."""
    match memory.tasks.entity(blocker):
        case recallite.Task(title=title, status=status):
            return f"{title} ({status})"
        case recallite.Condition(text=text):
            return text
        case recallite.Artifact(identifier=identifier):
            return identifier
        case None:
            return blocker.effective_id


def learn(folder: str) -> Iterator[str]:
    """What is learned, line by line, with a memory in `folder`."""
    with recallite.open(folder) as memory:
        for minute, (kind, content) in enumerate(CONVERSATION):
            at = NINE + timedelta(minutes=minute)
            memory.append(kind=kind, session=SESSION, timestamp=at, content=content)

        report = memory.ingest(SESSION, EXTRACTION, extractor_model="an example")
        yield f"learned {len(report.entries)} entries and {len(report.tasks)} tasks"
        again = memory.ingest(SESSION, EXTRACTION, extractor_model="an example")
        yield f"a second time: {again.events} events"

        yield ""
        yield "Entries and the words that prove them"
        for ingested in report.entries:
            entry = memory.knowledge.entry(ingested)
            assert entry is not None
            yield f"  {entry.entry_type}, {entry.stage}: {entry.title}"
            yield from show_evidence(memory, ingested.evidence)

        yield ""
        yield "Tasks"
        for task in memory.tasks.list():
            yield f"  {task.status}, {task.priority}: {task.title}"
        for blocked in memory.tasks.blocked():
            for blocker in blocked.blockers:
                yield f"  {blocked.task.title} <- {what(memory, blocker)}"

        # The index is there.
        task = memory.tasks.change_status(report.tasks[0], "done")
        yield f"  {task.title} is {task.status}"
        detail = memory.tasks.get(task)
        assert detail is not None
        yield f"    history: {', '.join(event.kind for event in detail.history)}"

        yield ""
        yield "Lineage"
        for step in memory.knowledge.lineage(report.entries[0]):
            entry = memory.knowledge.entry(step)
            assert entry is not None
            yield f"  {'  ' * step.depth}{entry.title}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for line in learn(folder):
            # What was said may have been meant for the terminal. Bytes, so that they are the
            # same on every system.
            sys.stdout.buffer.write(f"{harmless_line(line)}\n".encode())
