"""A state machine against a plain dict: whatever is done, reads agree."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
)

import recallite

WORDS = ["배포", "타임아웃", "deploy", "Friday", "会議", "きのう", "🧵", "שלום", "café", "x1"]
SESSIONS = ["monday", "화요일", "s/3"]
KINDS = ["user_prompt", "agent_response", "session_summary"]

contents = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
metadata = st.none() | st.dictionaries(
    st.sampled_from(["a", "키", ""]), st.integers(-9, 9) | st.none() | st.booleans(), max_size=2
)


class MemoryMachine(RuleBasedStateMachine):
    names = Bundle("names")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.memory = recallite.open(self.folder.name)
        self.events: dict[int, dict[str, Any]] = {}
        self.by_content: dict[tuple[str, str], int] = {}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    @rule(
        target=names,
        kind=st.sampled_from(KINDS),
        session=st.sampled_from(SESSIONS),
        content=contents,
        metadata=metadata,
        dedupe=st.booleans(),
    )
    def append(self, **fields: Any) -> Any:
        self.now += timedelta(milliseconds=1)
        receipt = self.memory.append(timestamp=self.now, **fields)
        key = (fields["session"], fields["content"])
        is_deduped = fields.pop("dedupe")
        known = self.by_content.get(key) if is_deduped else None
        assert receipt.duplicate == (known is not None)
        if known is not None:
            assert receipt.seq == known
            return multiple()
        assert receipt.seq == len(self.events) + 1
        self.events[receipt.seq] = {**fields, "timestamp": self.now, "id": receipt.id}
        if is_deduped:
            self.by_content[key] = receipt.seq
        return receipt

    @rule(batch=st.lists(st.tuples(st.sampled_from(SESSIONS), contents), max_size=3))
    def append_batch(self, batch: list[tuple[str, str]]) -> None:
        self.now += timedelta(milliseconds=1)
        receipts = self.memory.append_batch(
            {
                "kind": "user_prompt",
                "session": session,
                "content": content,
                "timestamp": self.now,
                "dedupe": False,
            }
            for session, content in batch
        )
        assert [r.seq for r in receipts] == [len(self.events) + n + 1 for n in range(len(batch))]
        for receipt, (session, content) in zip(receipts, batch, strict=True):
            self.events[receipt.seq] = {
                "kind": "user_prompt",
                "session": session,
                "content": content,
                "metadata": None,
                "timestamp": self.now,
                "id": receipt.id,
            }

    @rule(name=names)
    def read(self, name: recallite.Appended) -> None:
        for reference in (name.id, name.seq, name.citation):
            event = self.memory.event(reference)
            assert event is not None
            expected = self.events[name.seq]
            assert {field: getattr(event, field) for field in expected} == expected

    @rule(name=names)
    def find(self, name: recallite.Appended) -> None:
        content = self.events[name.seq]["content"]
        found = self.memory.search(content, limit=1000)
        for hit in found:
            passage = hit.passage
            whole = self.events[hit.seq]["content"]
            assert whole[passage.start : passage.end] == passage.text

    @rule(session=st.sampled_from(SESSIONS))
    def list_session(self, session: str) -> None:
        expected = [seq for seq, e in self.events.items() if e["session"] == session]
        assert [event.seq for event in self.memory.events(session=session)] == expected
        newest = [e.seq for e in self.memory.events(session=session, newest_first=True, limit=2)]
        assert newest == expected[::-1][:2]

    @rule(after=st.integers(0, 20))
    def follow(self, after: int) -> None:
        seqs = [event.seq for event in self.memory.changes_since(after)]
        assert seqs == [seq for seq in self.events if seq > after]

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = recallite.open(self.folder.name)

    @invariant()
    def figures_agree(self) -> None:
        if not hasattr(self, "memory"):
            return
        stats = self.memory.stats()
        assert stats.events == stats.last_seq == len(self.events)
        assert stats.sessions == len({event["session"] for event in self.events.values()})

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()


TestMemoryMachine = MemoryMachine.TestCase
TestMemoryMachine.settings = settings(
    max_examples=40,
    stateful_step_count=20,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
