"""Entries and the graph between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learned import SESSION, entry_id, learn, task_id

import recallite
from recallite import EntryStatus, EntryType, NodeType, Relation, ReplacedEdges, Stage


@pytest.fixture
def report(memory: recallite.Memory) -> recallite.IngestReport:
    return learn(memory)


def test_entries_by_filter(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    entries = memory.knowledge.entries()
    assert [entry.local_id for entry in entries] == ["e3", "e2", "e1"]
    newest = entries[0]
    assert newest.entry_type is EntryType.INSIGHT and newest.stage is Stage.CANDIDATE
    assert newest.session == SESSION and newest.build_id == report.build_id

    def found(**options: Any) -> list[str | None]:
        return [entry.local_id for entry in memory.knowledge.entries(**options)]

    assert found(entry_type="decision") == ["e1"]
    assert found(min_stage=Stage.VERIFIED) == ["e2", "e1"]
    assert found(status="active") == ["e3", "e2", "e1"]
    assert found(status=EntryStatus.CONTESTED) == []
    assert found(session="tuesday") == []
    assert found(text="당직") == ["e1"]
    assert found(text="REDIS") == ["e2"]
    assert found(limit=1) == ["e3"]
    assert found(project="another") == []
    assert found(as_of=datetime(2026, 2, 1, tzinfo=UTC)) == ["e3", "e1"]
    redis = memory.knowledge.entry(entry_id(report, "e2"))
    assert redis is not None
    assert redis.valid_from == datetime(2026, 3, 1, tzinfo=UTC) and redis.valid_to is None
    assert redis.canonical_key == "sessions live in redis"
    assert memory.knowledge.entry(redis) == redis
    assert memory.knowledge.entry("no such entry") is None


def test_entries_are_found_by_what_they_say(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    hits = memory.knowledge.search("금요일에 배포해도 되나?")
    assert [hit.entry.local_id for hit in hits] == ["e1"]
    hit = hits[0]
    assert hit.entry == memory.knowledge.entry(hit) == memory.knowledge.entry(report.entries[0])
    assert 0 < hit.score <= 1 and hit.resolved_from is None

    def found(query: str, **options: Any) -> list[str | None]:
        return [hit.entry.local_id for hit in memory.knowledge.search(query, **options)]

    question = "where do sessions live?"
    assert found(question)[0] == "e2"
    assert found(question, limit=1) == ["e2"]
    assert found(question, entry_type="decision") == []
    assert found(question, min_stage=Stage.VERIFIED, text="REDIS") == ["e2"]
    assert found(question, project="another") == []
    # What was taken back counts only for those who ask for it.
    memory.knowledge.deprecate(report.entries[1])
    assert "e2" not in found(question)
    assert found(question, status=EntryStatus.DEPRECATED) == ["e2"]
    for blank in ("", " \u3000\n"):
        with pytest.raises(recallite.InvalidArgument) as raised:
            memory.knowledge.search(blank)
        assert raised.value.argument == "query"


def test_supersede(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    older, newer = report.entries[0], report.entries[1]
    memory.knowledge.supersede(older, newer)
    memory.knowledge.supersede(older, newer)
    entry = memory.knowledge.entry(older)
    assert entry is not None
    assert entry.status is EntryStatus.SUPERSEDED and entry.superseded_by == newer.entry_id
    with pytest.raises(recallite.InvariantViolation):
        memory.knowledge.supersede(newer, older)
    with pytest.raises(recallite.NotFound) as missing:
        memory.knowledge.supersede("nobody", newer)
    assert missing.value.argument == "older"
    with pytest.raises(recallite.InvalidArgument) as itself:
        memory.knowledge.supersede(newer, newer)
    assert itself.value.argument == "newer"


def test_contradict_and_resolve(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    older, newer = report.entries[0].entry_id, report.entries[1].entry_id
    conflict = memory.knowledge.contradict(older, newer, reason="둘 다 맞을 수 없다")
    assert conflict.reason == "둘 다 맞을 수 없다" and conflict.resolved is None
    assert memory.knowledge.contradict(older, newer) == conflict
    contested = memory.knowledge.entry(newer)
    assert contested is not None
    assert contested.status is EntryStatus.CONTESTED and contested.contested_with == (older,)
    with pytest.raises(recallite.InvalidArgument) as stranger:
        memory.knowledge.resolve_conflict(conflict, report.entries[2], "neither", "Ada")
    assert stranger.value.argument == "in_favour_of"
    with pytest.raises(recallite.InvalidArgument) as blank:
        memory.knowledge.resolve_conflict(conflict, newer, " ", "Ada")
    assert blank.value.argument == "resolution"
    ended = memory.knowledge.resolve_conflict(conflict, newer, "the newer one holds", "Ada")
    assert ended.resolved is not None and ended.resolved.resolved_by == "Ada"
    assert memory.knowledge.conflicts() == [ended]
    loser = memory.knowledge.entry(older)
    assert loser is not None and loser.status is EntryStatus.DEPRECATED
    with pytest.raises(recallite.InvalidTransition):
        memory.knowledge.resolve_conflict(conflict.conflict_id, newer, "again", "Ada")
    with pytest.raises(recallite.NotFound) as missing:
        memory.knowledge.resolve_conflict("nothing", newer, "x", "Ada")
    assert missing.value.argument == "conflict_id"


def test_certify_and_deprecate(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    proved, unproved = report.entries[0], report.entries[2]
    memory.knowledge.certify(proved, "Ada")
    entry = memory.knowledge.entry(proved)
    assert entry is not None
    assert entry.stage is Stage.CERTIFIED and entry.certified_by == "Ada"
    with pytest.raises(recallite.InvariantViolation):
        memory.knowledge.certify(unproved, "Ada")
    memory.knowledge.deprecate(unproved)
    entry = memory.knowledge.entry(unproved)
    assert entry is not None
    assert entry.status is EntryStatus.DEPRECATED and entry.valid_to is not None
    with pytest.raises(recallite.NotFound) as missing:
        memory.knowledge.deprecate("nobody")
    assert missing.value.argument == "id"
    records = [record for record in memory.history.promotions() if record.to_stage == "certified"]
    assert [record.entry_id for record in records] == [proved.entry_id]
    assert any(record.is_blocked for record in memory.history.promotions())


def test_edges_come_and_go(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    first, second, third = report.entries
    edge = memory.knowledge.add_edge(second, "derived_from", first, meta={"왜": [1, None]})
    assert (edge.source_id, edge.destination_id) == (second.entry_id, first.entry_id)
    assert edge.relation is Relation.DERIVED_FROM and edge.source_type is NodeType.ENTRY
    assert edge.meta == {"왜": [1, None]} and edge.ended_at is None
    same = memory.knowledge.add_edge(("entry", second.entry_id), Relation.DERIVED_FROM, ("entry", first))
    assert same == edge
    assert memory.knowledge.edges(from_=second, relation="derived_from") == [edge]
    assert memory.knowledge.edges(to=first, relation="derived_from") == [edge]
    assert memory.knowledge.edges(from_=second, limit=0) == []
    before = datetime.now(UTC)
    assert memory.knowledge.remove_edge(second, "derived_from", first)
    assert not memory.knowledge.remove_edge(second, "derived_from", first)
    assert memory.knowledge.edges(from_=second, relation="derived_from") == []
    (old,) = memory.knowledge.edges(from_=second, relation="derived_from", as_of=edge.created_at)
    assert old.ended_at is not None and old.ended_at >= before - timedelta(seconds=1)
    changed = memory.knowledge.replace_edges(first, "derived_from", [second, ("entry", third.entry_id)])
    assert changed == ReplacedEdges(removed=0, added=2)
    changed = memory.knowledge.replace_edges(first, "derived_from", [third])
    assert changed == ReplacedEdges(removed=1, added=0)


def test_events_tasks_and_entries_are_nodes(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    event = memory.knowledge.session_messages(SESSION)[0].event
    assert event is not None
    edge = memory.knowledge.add_edge(event, "source_of", report.entries[0])
    assert edge.source_type is NodeType.EVENT and edge.source_id == event.id
    assert edge in memory.knowledge.edges(from_=event)
    proves = memory.knowledge.edges(to=report.tasks[0], relation="evidence_of")
    assert [one.source_id for one in proves] == [entry_id(report, "e2")]
    mentions = memory.knowledge.edges(from_=entry_id(report, "e1"), relation=Relation.MENTIONS)
    assert [one.destination_id for one in mentions] == [task_id(report, "t1")]


def test_lineage_and_related_entries(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    first, second, third = report.entries
    memory.knowledge.add_edge(second, "derived_from", first)
    memory.knowledge.add_edge(third, "derived_from", second)
    memory.knowledge.add_edge(first, "derived_from", third)
    steps = memory.knowledge.lineage(first)
    assert [(step.entry_id, step.derived_from, step.depth) for step in steps] == [
        (first.entry_id, None, 0),
        (second.entry_id, first.entry_id, 1),
        (third.entry_id, second.entry_id, 2),
    ]
    assert [memory.knowledge.entry(step) is not None for step in steps] == [True] * 3
    task = report.tasks[0].task_id
    memory.knowledge.add_edge(first, "evidence_of", report.tasks[0])
    (related,) = memory.knowledge.related_entries(second)
    assert related == recallite.RelatedEntry(first.entry_id, (task,))
    assert memory.knowledge.entry(related) == memory.knowledge.entry(first)
    assert memory.knowledge.related_entries(third) == []
    for call in (memory.knowledge.lineage, memory.knowledge.related_entries):
        with pytest.raises(recallite.NotFound) as missing:
            call("nobody")
        assert missing.value.argument == "entry"


def test_edges_that_must_not_be(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    entry, task = report.entries[0], report.tasks[1]
    cases: list[tuple[Any, Any, Any, type[recallite.Error], str]] = [
        (task, "evidence_of", entry, recallite.InvalidArgument, "relation"),
        (entry, "derived_from", entry, recallite.InvariantViolation, "destination"),
        (("entry", "x"), "derived_from", entry, recallite.NotFound, "source"),
        (entry, "derived_from", ("entry", "x"), recallite.NotFound, "destination"),
        (task, "blocked_by", report.tasks[0], recallite.InvariantViolation, "relation"),
        ("id", "mentions", task, recallite.InvalidArgumentType, "source"),
        (entry, "likes", task, recallite.InvalidArgument, "relation"),
        (("thing", "x"), "mentions", task, recallite.InvalidArgument, "source[0]"),
        (("entry", 1), "mentions", task, recallite.InvalidArgumentType, "source[1]"),
    ]
    for source, relation, destination, error, argument in cases:
        with pytest.raises(error) as raised:
            memory.knowledge.add_edge(source, relation, destination)
        assert raised.value.argument == argument
    with pytest.raises(recallite.InvalidArgumentType) as meta:
        memory.knowledge.add_edge(entry, "mentions", task, meta=[1])  # type: ignore[arg-type]
    assert meta.value.argument == "meta"
    for options in ({}, {"from_": entry, "to": task}):
        with pytest.raises(recallite.InvalidArgument) as ends:
            memory.knowledge.edges(**options)  # type: ignore[arg-type]
        assert ends.value.argument == "from_"
    with pytest.raises(recallite.NotFound) as target:
        memory.knowledge.replace_edges(entry, "mentions", [task, ("entity", "nobody")])
    assert target.value.argument == "targets[1]"


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda m: m.knowledge.entries(entry_type="rumour"), "entry_type"),
        (lambda m: m.knowledge.entries(min_stage="best"), "min_stage"),
        (lambda m: m.knowledge.entries(status="gone"), "status"),
        (lambda m: m.knowledge.entries(as_of="today"), "as_of"),
        (lambda m: m.knowledge.entries(text=1), "text"),
        (lambda m: m.knowledge.entry(1), "id"),
        (lambda m: m.knowledge.supersede(1, "b"), "older"),
        (lambda m: m.knowledge.contradict("a", 1), "newer"),
        (lambda m: m.knowledge.contradict("a", "b", reason=1), "reason"),
        (lambda m: m.knowledge.certify("a", 1), "certified_by"),
        (lambda m: m.knowledge.resolve_conflict(1, "a", "b", "c"), "conflict_id"),
        (lambda m: m.knowledge.edges(from_=1), "from_"),
        (lambda m: m.knowledge.replace_edges(("entry", "a"), "mentions", "b"), "targets"),
        (lambda m: m.knowledge.lineage(1), "entry"),
    ],
)
def test_a_wrong_argument_is_named(memory: recallite.Memory, call: Any, argument: str) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        call(memory)
    assert raised.value.argument == argument


def test_an_entry_is_written_by_hand(memory: recallite.Memory) -> None:
    entry = memory.knowledge.add_entry(
        "The office is in Lisbon", "Our office is in Lisbon.", session="notes"
    )
    assert (entry.entry_type, entry.stage) == ("fact", "verified")
    hit = memory.search("where is our office?").learned[0]
    assert hit.title == "The office is in Lisbon"
    said = memory.append(kind="user_prompt", session="notes", content="We moved to Porto.")
    moved = memory.knowledge.add_entry(
        "The office is in Porto",
        "The office moved to Porto.",
        session="notes",
        entry_type="decision",
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        event=said,
    )
    assert (moved.entry_type, moved.valid_from) == ("decision", datetime(2026, 1, 1, tzinfo=UTC))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"title": " ", "content": "x"}, "title"),
        ({"title": "x", "content": "<private>x</private>"}, "content"),
        ({"title": "x", "content": "x", "entry_type": "whim"}, "entry_type"),
        ({"title": "x", "content": "x", "session": "other", "event": said}, "event"),
    ]
    for arguments, argument in cases:
        with pytest.raises(recallite.InvalidArgument) as raised:
            memory.knowledge.add_entry(**{"session": "notes", **arguments})
        assert raised.value.argument == argument


def test_entries_by_hand_that_disagree_under_one_title_are_contested(
    memory: recallite.Memory,
) -> None:
    def fact(title: str, content: str) -> recallite.LearnedEntry:
        return memory.knowledge.add_entry(title, content, session="s1")

    older = fact("Port of staging", "Staging listens on 5432.")
    assert fact("Port of staging", "Staging listens on 5432.").id == older.id
    assert fact("Port of production", "It listens on 5432.").status is EntryStatus.ACTIVE
    newer = fact("port of Staging!", "Staging listens on 5433.")
    assert newer.status is EntryStatus.CONTESTED and newer.contested_with == (older.id,)
    now = memory.knowledge.entry(older)
    assert now is not None and now.status is EntryStatus.CONTESTED
    (conflict,) = memory.knowledge.conflicts()
    assert conflict.resolved is None
