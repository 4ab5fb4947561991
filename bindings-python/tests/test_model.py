"""A state machine against a plain dict: whatever is done, reads agree."""

from __future__ import annotations

import io
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
NOTED_KINDS = {"accessed", "level_changed"}
"""What the library records of its own accord, once something was recalled."""
READ_KINDS = {"session_ingested"}
"""How far rules have read a session that fell silent, once there was upkeep."""

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
        self.seqs = 0
        self.marks: set[int] = set()
        """Positions of what records that something was forgotten or erased."""
        self.own: set[int] = set()
        """Positions of what the library recorded of its own accord."""
        self.erased: set[int] = set()
        self.was_searched = False
        self.was_maintained = False
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
        new = self.new_positions()
        key = (fields["session"], fields["content"])
        is_deduped = fields.pop("dedupe")
        known = self.by_content.get(key) if is_deduped else None
        assert receipt.duplicate == (known is not None)
        if known is not None:
            assert receipt.seq == known
            assert not new
            return multiple()
        assert new == [receipt.seq]
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
        assert [r.seq for r in receipts] == self.new_positions()
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
            if name.seq not in self.events:
                assert event is None
                continue
            assert event is not None
            expected = self.events[name.seq]
            assert {field: getattr(event, field) for field in expected} == expected

    @rule(name=names)
    def find(self, name: recallite.Appended) -> None:
        content = self.events.get(name.seq, {"content": WORDS[0]})["content"]
        found = self.memory.search(content, limit=1000)
        index = self.memory.smart_search(content, limit=1000).index
        assert [item.seq for item in index] == [hit.seq for hit in found]
        for hit in found:
            passage = hit.passage
            whole = self.events[hit.seq]["content"]
            assert whole[passage.start : passage.end] == passage.text
        self.was_searched = True

    def new_positions(self) -> list[int]:
        """What was written since the last call, without the library's own records.

        Searches are noted, and the notes and what follows from them are
        written along with something else, at a time of the library's choice.
        """
        new = self.memory.changes_since(self.seqs)
        noted = {event.seq for event in new if event.kind in NOTED_KINDS}
        assert self.was_searched or not noted
        read = {event.seq for event in new if event.kind in READ_KINDS}
        assert self.was_maintained or not read
        own = noted | read
        last = self.memory.stats().last_seq
        assert [event.seq for event in new] == list(range(self.seqs + 1, last + 1))
        self.own |= own
        self.seqs = last
        return [event.seq for event in new if event.seq not in own]

    @rule(session=st.sampled_from(SESSIONS))
    def list_session(self, session: str) -> None:
        expected = [seq for seq, e in self.events.items() if e["session"] == session]
        assert [event.seq for event in self.memory.events(session=session)] == expected
        newest = [e.seq for e in self.memory.events(session=session, newest_first=True, limit=2)]
        assert newest == expected[::-1][:2]

    @rule(after=st.integers(0, 20))
    def follow(self, after: int) -> None:
        seqs = [event.seq for event in self.memory.changes_since(after)]
        assert seqs == sorted(
            seq for seq in {*self.events, *self.marks, *self.own} if seq > after
        )
        assert self.memory.wait_for_change(after, 0) == self.seqs

    def lose(self, lost: set[int], marks: list[int]) -> None:
        """Forgotten and erased events are gone; what was said may be said again."""
        for seq in lost:
            event = self.events.pop(seq)
            key = (event["session"], event["content"])
            if self.by_content.get(key) == seq:
                del self.by_content[key]
        assert self.new_positions() == marks
        self.marks |= set(marks)

    @rule(name=names)
    def forget(self, name: recallite.Appended) -> None:
        lost = {name.seq} & set(self.events)
        assert self.memory.upkeep.count_selected(name) == len(lost)
        done = self.memory.forget(name)
        assert done.count == len(lost)
        assert (done.tombstone is not None) == bool(lost)
        self.lose(lost, [] if done.tombstone is None else [done.tombstone])

    @rule(session=st.sampled_from(SESSIONS))
    def forget_a_session(self, session: str) -> None:
        lost = {seq for seq, event in self.events.items() if event["session"] == session}
        done = self.memory.forget(session=session)
        assert done.count == len(lost)
        self.lose(lost, [] if done.tombstone is None else [done.tombstone])

    @rule(name=names)
    def erase(self, name: recallite.Appended) -> None:
        if name.seq in self.erased:
            return
        lost = {name.seq} & set(self.events)
        # Accesses that are only noted would be written by the erasure, and go with it.
        self.maintain()
        done = self.memory.erase(name)
        assert done.count == 1
        # What was forgotten before is recorded as erased all the same.
        assert done.tombstone is not None
        # The library's records of the event go with it.
        dependents = {seq for seq in self.own if self.memory.event(seq) is None}
        assert done.dependents == len(dependents)
        self.own -= dependents
        self.erased |= {name.seq, *dependents}
        # What is live is forgotten first.
        marks = [done.tombstone - 1, done.tombstone] if lost else [done.tombstone]
        self.lose(lost, marks)

    @rule()
    def move(self) -> None:
        """An export is restored into another folder, and both are the same."""
        file = io.BytesIO()
        self.memory.export_jsonl(file)
        file.seek(0)
        with tempfile.TemporaryDirectory() as folder, recallite.open(folder) as copy:
            assert copy.restore_jsonl(file) == self.seqs
            assert copy.upkeep.state_hash(self.now) == self.memory.upkeep.state_hash(self.now)

    def maintain(self) -> None:
        self.memory.maintain()
        self.was_maintained = True
        assert not self.new_positions()

    @rule()
    def tidy(self) -> None:
        self.maintain()
        before = self.memory.upkeep.state_hash(self.now)
        self.memory.compact()
        self.memory.maintain()
        rebuilt = self.memory.rebuild(as_of=self.now)
        assert rebuilt.hash_before == rebuilt.hash_after
        assert self.memory.upkeep.state_hash(self.now) == before

    @rule()
    def prove(self) -> None:
        report = self.memory.check()
        assert report.ok, report

    @rule()
    def as_a_table(self) -> None:
        assert len(self.memory.events().to_arrow(batch_rows=3)) == len(self.events)

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = recallite.open(self.folder.name)
        assert not self.new_positions()

    @invariant()
    def figures_agree(self) -> None:
        if not hasattr(self, "memory"):
            return
        stats = self.memory.stats()
        assert stats.last_seq == self.seqs
        assert stats.events == len(self.events) + len(self.marks) + len(self.own)
        assert stats.erased == len(self.erased)
        sessions = self.memory.sessions()
        assert {session.id for session in sessions if session.events} == {
            event["session"] for event in self.events.values()
        }
        # One that is empty again is known by the note how far it was read.
        assert self.was_maintained or all(session.events for session in sessions)

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
