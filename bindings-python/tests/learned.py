"""A short conversation and what a language model extracted from it, for tests."""

from __future__ import annotations

import copy
from typing import Any

import recallite

SESSION = "monday"

MESSAGES = [
    ("user_prompt", "🚀 배포는 금요일에 하지 않습니다. 주말에는 당직이 없어요."),
    ("agent_response", "Understood: the cafe\u0301 order page is blocked until OPS-12 is done."),
    ("user_prompt", "Sessions live in Redis, 세션 만료는 30분으로 하자."),
    ("agent_response", "I wrote the migration 👩‍💻 for the session table; tests are green."),
]

EXTRACTION: dict[str, Any] = {
    "schema_version": 1,
    "entries": [
        {
            "id": "e1",
            "type": "decision",
            "title": "배포는 금요일에 하지 않는다",
            "content": "주말에 당직이 없어서 금요일에는 배포하지 않는다.",
            "quotes": [{"message_index": 0, "quote": "배포는 금요일에 하지 않습니다"}],
            "confidence": 0.9,
        },
        {
            "id": "e2",
            "type": "fact",
            "title": "Sessions live in Redis",
            "content": "Sessions live in Redis and expire after 30 minutes.",
            "quotes": [
                {"message_index": 2, "quote": "세션 만료는 30분으로 하자"},
                {"message_index": 2, "quote": "sessions  live in REDIS"},
            ],
            "valid_from": "2026-03-01",
        },
        {
            "id": "e3",
            "type": "insight",
            "title": "Nobody ever said this",
            "content": "An invention of the model.",
            "quotes": [{"message_index": 3, "quote": "the moon is made of green cheese"}],
        },
    ],
    "tasks": [
        {"id": "t2", "title": "Write the session migration", "status": "in_progress"},
        {
            "id": "t1",
            "title": "Release the order page",
            "status": "blocked",
            "priority": "high",
            "blocked_by": ["OPS-12", "Write the session migration"],
            "quotes": [
                {"message_index": 1, "quote": "the cafe\u0301 order page is blocked until OPS-12"}
            ],
        },
        {"id": "t3", "title": "주문 내보내기 만들기", "description": "CSV로"},
    ],
    "relations": [
        {"from": "e2", "relation": "evidence_of", "to": "t2"},
        {"from": "e1", "relation": "mentions", "to": "t1"},
    ],
}


def extraction() -> dict[str, Any]:
    """A copy that a test may change."""
    return copy.deepcopy(EXTRACTION)


def tell(memory: recallite.Memory, session: str = SESSION) -> None:
    """Stores the conversation."""
    for kind, content in MESSAGES:
        memory.append(kind=kind, session=session, content=content)


def learn(memory: recallite.Memory, session: str = SESSION) -> recallite.IngestReport:
    """Stores the conversation and takes in what was extracted."""
    tell(memory, session)
    return memory.ingest(session, extraction())


def entry_id(report: recallite.IngestReport, local_id: str) -> str:
    return next(one.entry_id for one in report.entries if one.local_id == local_id)


def task_id(report: recallite.IngestReport, local_id: str) -> str:
    return next(one.task_id for one in report.tasks if one.local_id == local_id)
