"""The small story: open, remember six sentences, ask twice, cite, close.

Every language tells it and prints the same lines; see ../story/README.md.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime

import recallite
from recallite.rules import harmless_line

SENTENCES = [
    (
        "user_prompt",
        "monday",
        datetime(2026, 3, 9, 9, 0, 0, tzinfo=UTC),
        "We never deploy on Friday, because nobody is on call at the weekend.",
    ),
    (
        "agent_response",
        "monday",
        datetime(2026, 3, 9, 9, 0, 20, tzinfo=UTC),
        "Noted. The deploy script now refuses to run on Friday.",
    ),
    (
        "user_prompt",
        "tuesday",
        datetime(2026, 3, 10, 5, 30, 0, tzinfo=UTC),
        "결제 게이트웨이 타임아웃은 15초로 하고 재시도는 한 번만 해 주세요.",
    ),
    (
        "agent_response",
        "tuesday",
        datetime(2026, 3, 10, 5, 30, 20, tzinfo=UTC),
        "결제 설정을 바꿨습니다. 멱등 키는 이제 주문 번호입니다.",
    ),
    (
        "user_prompt",
        "wednesday",
        datetime(2026, 3, 11, 1, 15, 0, tzinfo=UTC),
        "Please print the invoice in the font Inter at 11 points.",
    ),
    (
        "agent_response",
        "wednesday",
        datetime(2026, 3, 11, 1, 15, 20, tzinfo=UTC),
        "송장 글꼴을 인터 11포인트로 맞췄습니다.",
    ),
]

QUESTIONS = ["Who is on call when we deploy on Friday?", "결제 타임아웃을 몇 초로 정했지?"]


def masked(citation: str) -> str:
    """Citation ids differ from run to run, so the story hides their letters."""
    return f"[mem:{'.' * len(citation)}]"


def line(event: recallite.Hit | recallite.Event) -> str:
    return f"{event.kind} {event.session} {event.timestamp:%Y-%m-%dT%H:%M:%SZ}"


def story(folder: str) -> Iterator[str]:
    """The lines of the story, told with a memory in `folder`."""
    with recallite.open(folder) as memory:
        receipts = [
            memory.append(kind=kind, session=session, timestamp=timestamp, content=content)
            for kind, session, timestamp, content in SENTENCES
        ]
        yield f"remembered {sum(not receipt.duplicate for receipt in receipts)} events"

        cited = ""
        for question in QUESTIONS:
            yield ""
            yield f"? {question}"
            found = memory.search(question, limit=2)
            for rank, hit in enumerate(found, 1):
                yield f"{rank}. {masked(hit.citation)} {line(hit)}"
                yield f"   {harmless_line(hit.passage.text)}"
            cited = found[0].citation

        source = memory.citation(f"mem:{cited}")
        yield ""
        yield f"source of {masked(source.citation)}"
        yield f"   {line(source)}"
        yield f"   {source.content}"
    yield ""
    yield "closed"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for told in story(folder):
            # Bytes, so that they are the same on every system.
            sys.stdout.buffer.write(f"{told}\n".encode())
