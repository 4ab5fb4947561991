"""Graduation: levels, accesses, insights."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import recallite
from recallite import InsightKind, Level, LevelCounts


def append(memory: recallite.Memory, content: str, session: str = "s") -> recallite.Appended:
    return memory.append(kind="user_prompt", session=session, content=content, dedupe=False)


def test_use_raises_a_memory(memory: recallite.Memory) -> None:
    receipt = append(memory, "배포는 금요일에 하지 않습니다")
    other = append(memory, "an event that nobody uses")
    begins = memory.levels.get(receipt)
    assert begins.level is Level.L0 and begins.usage is None
    assert memory.levels.counts() == LevelCounts(2, 0, 0, 0, 0)
    memory.levels.record_access([receipt, other.id], "t", confidence=0.4)
    memory.levels.record_access(receipt, "t")
    done = memory.levels.graduate()
    assert done.judged == 2 and done.waiting >= 0
    assert [(one.event_id, one.level) for one in done.promoted] == [(receipt.id, Level.L1)]
    assert done.demoted == ()
    level = memory.levels.get(receipt.citation)
    assert level.level is Level.L1
    assert level.usage is not None
    assert level.usage.access_count == 2 and level.usage.confidence == 1.0
    assert level.usage.cross_session_refs == 1
    assert 0 <= level.usage.days_since_last_access < 1
    counts = memory.levels.counts()
    assert counts.l0 == 1 and counts.l1 == 1
    assert memory.levels.graduate(limit=0).judged == 0


def test_insights_are_found(memory: recallite.Memory) -> None:
    receipts = [
        append(memory, "항상 한국어로 답해 주세요"),
        append(memory, "Deploy the gateway!", "a"),
        append(memory, "deploy the gateway", "b"),
    ]
    memory.levels.record_access(receipts, "later")
    done = memory.levels.graduate()
    assert done.insights
    insights = memory.levels.insights()
    assert {one.key for one in done.insights} <= {one.key for one in insights}
    kinds = {one.kind: one for one in insights}
    assert kinds[InsightKind.PATTERN].sources == (receipts[1].id, receipts[2].id)
    assert kinds[InsightKind.PREFERENCE].content == "User preference: 항상 한국어로 답해 주세요"


def test_what_is_pinned_leads_every_context(memory: recallite.Memory) -> None:
    rule = append(memory, "금요일에는 🚫 배포하지 않는다.")
    port = append(memory, "The staging database listens on port 5433.")
    assert memory.levels.pin(rule.citation)
    assert not memory.levels.pin(rule)
    context = memory.context("which port does the staging database use?")
    assert [item.seq for item in context.items] == [rule.seq, port.seq]
    question, begin = "which port does the staging database use?", datetime(1970, 1, 1, tzinfo=UTC)
    for given in (2, 0):
        new = memory.context(question, session="t", skip_known_since=begin)
        assert len(new.items) == given
    with pytest.raises(recallite.InvalidArgument) as raised:
        memory.context(question, skip_known_since=begin)
    assert raised.value.argument == "skip_known_since"
    assert memory.levels.get(rule).is_pinned
    (pinned,) = memory.levels.pinned()
    assert (pinned.id, pinned.preview) == (rule.id, "금요일에는 🚫 배포하지 않는다.")
    assert pinned.pinned_at.tzinfo is not None
    assert not memory.levels.pinned(project="other")
    assert len(memory.levels.pinned(project=recallite.ProjectScope.ALL)) == 1
    with pytest.raises(recallite.NotFound) as unknown:
        memory.levels.pin("zzzzzz")
    assert unknown.value.argument == "event"
    assert memory.levels.unpin(pinned)
    assert not memory.levels.unpin(rule.id)


def test_the_half_life(memory: recallite.Memory) -> None:
    memory.levels.set_half_life_days(30.5)
    memory.levels.set_half_life_days(7)
    memory.levels.set_half_life_days(None)
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(recallite.InvalidArgument) as raised:
            memory.levels.set_half_life_days(wrong)
        assert raised.value.argument == "half_life_days"


@pytest.mark.parametrize(
    ("call", "error", "argument"),
    [
        (lambda m: m.levels.get("nobody!"), recallite.InvalidArgument, "event"),
        (lambda m: m.levels.get(99), recallite.NotFound, "event"),
        (lambda m: m.levels.record_access([99], "s"), recallite.NotFound, "events[0]"),
        (lambda m: m.levels.record_access([], "a\0b"), recallite.InvalidArgument, "session"),
        (lambda m: m.levels.record_access([], "s", confidence=2), recallite.InvalidArgument, "confidence"),
        (lambda m: m.levels.record_access([None], "s"), recallite.InvalidArgumentType, "events[0]"),
        (lambda m: m.levels.graduate(limit=-1), recallite.InvalidArgument, "limit"),
        (lambda m: m.levels.graduate(limit=1.5), recallite.InvalidArgumentType, "limit"),
        (
            lambda m: m.levels.set_half_life_days("week"),
            recallite.InvalidArgumentType,
            "half_life_days",
        ),
    ],
)
def test_a_wrong_argument_is_named(
    memory: recallite.Memory, call: Any, error: type[recallite.Error], argument: str
) -> None:
    with pytest.raises(error) as raised:
        call(memory)
    assert raised.value.argument == argument
