"""The endless mode: working set, consolidation, continuity."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import (
    ConsolidationPolicy,
    ContinuityPolicy,
    EndlessConfig,
    InjectionPolicy,
    MemoryMode,
    TransitionType,
    WorkingSetPolicy,
)


def tell(memory: recallite.Memory, count: int = 6) -> list[str]:
    """Events of one topic, in the endless mode."""
    memory.endless.set_mode("endless")
    memory.endless.set_config(
        EndlessConfig(consolidation=ConsolidationPolicy(min_events=3, trigger_event_count=1000))
    )
    session = memory.endless.session_now("s")
    return [
        memory.append(
            kind="user_prompt", session=session, content=f"데이터베이스 스키마 수정 {n} 🗄️"
        ).id
        for n in range(count)
    ]


def test_the_mode(memory: recallite.Memory) -> None:
    assert memory.endless.mode() is MemoryMode.SESSION
    assert memory.endless.session_now("월요일") == "월요일"
    memory.endless.set_mode(MemoryMode.ENDLESS)
    assert memory.endless.mode() == "endless"
    assert memory.endless.session_now("월요일").startswith("endless_20")
    memory.endless.set_mode("session")
    assert memory.endless.mode() is MemoryMode.SESSION


def test_the_limits(memory: recallite.Memory) -> None:
    # The defaults of the dataclasses are those of the library.
    assert memory.endless.config() == EndlessConfig()
    config = EndlessConfig(
        WorkingSetPolicy(50, 3_600_000, 0.25),
        ConsolidationPolicy(1, 2, 3, 4, 5, True),
        InjectionPolicy(0.125, 0, 1),
        ContinuityPolicy(0.0, 0.125, 1.0, 0.5, 6, 0.0, 0.25),
    )
    memory.endless.set_config(config)
    assert memory.endless.config() == config
    memory.endless.set_config({"working_set": {"max_events": 7}, "injection": InjectionPolicy()})
    found = memory.endless.config()
    assert found == EndlessConfig(WorkingSetPolicy(max_events=7))
    memory.endless.set_config(config.to_dict())
    assert memory.endless.config() == config


@pytest.mark.parametrize(
    ("config", "argument"),
    [
        (3, "config"),
        ({"limits": {}}, "limits"),
        ({"working_set": 3}, "working_set"),
        ({"working_set": {"events": 3}}, "working_set.events"),
        ({"working_set": {"max_events": 0}}, "working_set.max_events"),
        ({"working_set": {"max_events": 10_001}}, "working_set.max_events"),
        ({"working_set": {"max_events": -1}}, "working_set.max_events"),
        ({"working_set": {"time_window_ms": -5}}, "working_set.time_window_ms"),
        ({"working_set": {"time_window_ms": 2**64}}, "working_set.time_window_ms"),
        ({"working_set": {"min_relevance_score": 1.5}}, "working_set.min_relevance_score"),
        ({"consolidation": {"min_events": "3"}}, "consolidation.min_events"),
        ({"consolidation": {"trigger_idle_ms": 0}}, "consolidation.trigger_idle_ms"),
        ({"injection": {"min_relevance": True}}, "injection.min_relevance"),
        ({"continuity": {"file_weight": -0.1}}, "continuity.file_weight"),
        ({"continuity": {"time_decay_ms": 0}}, "continuity.time_decay_ms"),
    ],
)
def test_a_wrong_limit_is_named(memory: recallite.Memory, config: Any, argument: str) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        memory.endless.set_config(config)
    assert raised.value.argument == argument
    assert memory.endless.config() == EndlessConfig()


def test_what_lies_on_the_table(memory: recallite.Memory) -> None:
    ids = tell(memory)
    items = memory.endless.working_set()
    assert {item.event_id for item in items} == set(ids)
    assert items[0].topics and 0 < items[0].relevance <= 1
    assert items[0].expires_at > items[0].added_at
    status = memory.endless.status()
    assert status.mode is MemoryMode.ENDLESS
    assert status.working_set == 6 and status.last_activity is not None
    event = memory.event(ids[0])
    assert event is not None and event.metadata == {"workingSetId": status.working_set_id}
    assert "database" in status.active_topics
    assert status.config == memory.endless.config()
    context = memory.endless.context(query="데이터베이스")
    assert len(context.working_set) == 6
    context = memory.endless.context()
    assert {event.id for event in context.working_set} <= set(ids)
    assert memory.endless.prune_working_set(items[:2]) == 2
    assert memory.event(items[0]) is not None
    assert context.continuity_score == 0.5


def test_the_working_set_by_hand(memory: recallite.Memory) -> None:
    ids = tell(memory, 2)
    endless = memory.endless
    assert endless.prune_working_set(ids) == 2
    assert endless.working_set() == []
    assert endless.add_to_working_set(ids, relevance=0.25) == 0
    assert endless.add_to_working_set(ids[:1]) == 1
    assert endless.refresh_working_set(ids) == 1
    (item,) = endless.working_set()
    assert item.event_id == ids[0] and item.used_at >= item.added_at
    with pytest.raises(recallite.InvalidArgument) as wrong:
        endless.add_to_working_set(ids, relevance=1.5)
    assert wrong.value.argument == "relevance"
    with pytest.raises(recallite.NotFound) as missing:
        endless.prune_working_set([99])
    assert missing.value.argument == "events[0]"


def test_consolidation_by_rules(memory: recallite.Memory) -> None:
    ids = tell(memory)
    report = memory.endless.consolidate()
    assert report.ran and len(report.memories) == 1
    (made,) = memory.endless.memories()
    assert made.memory_id == report.memories[0]
    assert made.source_events == tuple(ids)
    assert made.summary and not made.is_continuation
    assert memory.endless.memories(text="없는 말") == []
    assert memory.endless.consolidate().memories == ()
    assert memory.endless.status().consolidated == 1


def test_consolidation_in_the_words_of_the_host(memory: recallite.Memory) -> None:
    tell(memory)
    asked: list[tuple[list[str], list[str]]] = []

    def summarize(topics: list[str], texts: list[str]) -> str:
        asked.append((topics, texts))
        # The memory may be used meanwhile, from this thread too.
        assert memory.stats().events > 0
        return "스키마를 여섯 번 고쳤다 🗄️ password=hunter2"

    memory.endless.consolidate(summarize=summarize)
    ((topics, texts),) = asked
    assert "database" in topics and len(texts) == 6
    assert texts[0] == "데이터베이스 스키마 수정 0 🗄️"
    (made,) = memory.endless.memories(text="여섯 번")
    assert made.summary.startswith("스키마를 여섯 번 고쳤다 🗄️")
    assert "hunter2" not in made.summary


def test_no_rule_consolidates_before_a_host_that_makes_the_summaries(
    memory: recallite.Memory,
) -> None:
    tell(memory, count=1)
    policy = ConsolidationPolicy(min_events=3, trigger_event_count=4, is_left_to_host=True)
    memory.endless.set_config(EndlessConfig(consolidation=policy))
    assert memory.endless.config().consolidation.is_left_to_host
    tell_more = [
        memory.append(kind="user_prompt", session="s", content=f"데이터베이스 스키마 수정, 그다음 {n}")
        for n in range(8)
    ]
    assert len(tell_more) == 8 and memory.maintain().consolidated == 0
    assert memory.endless.memories() == []
    memory.endless.consolidate(summarize=lambda _topics, _texts: "In the host's words.")
    assert [one.summary for one in memory.endless.memories()] == ["In the host's words."]


def test_none_takes_the_summary_made_by_rules(tmp_path: Path) -> None:
    made: list[str] = []
    for number, summarize in enumerate((None, lambda _topics, _texts: None)):
        with recallite.open(tmp_path / str(number)) as memory:
            tell(memory)
            memory.endless.consolidate(summarize=summarize)
            made += [one.summary for one in memory.endless.memories()]
    assert len(made) == 2 and made[0] == made[1]


def test_a_summarizer_that_fails_leaves_nothing(memory: recallite.Memory) -> None:
    tell(memory)
    seq = memory.stats().last_seq

    def broken(topics: list[str], texts: list[str]) -> str:
        raise RuntimeError("the model is away")

    with pytest.raises(RuntimeError, match="the model is away"):
        memory.endless.consolidate(summarize=broken)
    with pytest.raises(KeyboardInterrupt):
        memory.endless.consolidate(summarize=_interrupted)
    for answer in (3, b"text", ["text"]):
        with pytest.raises(recallite.InvalidArgumentType) as raised:
            memory.endless.consolidate(summarize=lambda topics, texts, answer=answer: answer)  # type: ignore[misc]
        assert raised.value.argument == "summarize"
    with pytest.raises(recallite.InvalidArgumentType):
        memory.endless.consolidate(summarize="not callable")  # type: ignore[arg-type]
    assert memory.stats().last_seq == seq
    assert memory.endless.memories() == []
    # The memory is well.
    assert len(memory.endless.consolidate().memories) == 1


def _interrupted(topics: list[str], texts: list[str]) -> str:
    raise KeyboardInterrupt


def test_a_summarizer_runs_without_a_lock(memory: recallite.Memory) -> None:
    tell(memory)
    written: list[recallite.Appended] = []

    def summarize(topics: list[str], texts: list[str]) -> str:
        def append() -> None:
            written.append(memory.append(kind="user_prompt", session="other", content="meanwhile"))

        thread = threading.Thread(target=append)
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
        return "written meanwhile"

    assert len(memory.endless.consolidate(summarize=summarize).memories) == 1
    assert len(written) == 1


def test_continuity_goes_on_in_the_next_process(tmp_path: Path) -> None:
    text = "fn main() in src/주문.rs: the database schema of OrderStore"
    with recallite.open(tmp_path) as memory:
        first = memory.endless.score_continuity("c1", text)
        assert first.transition is TransitionType.BREAK and first.score == 0.5
    with recallite.open(tmp_path) as memory:
        second = memory.endless.score_continuity("c2", text)
        assert second.transition is TransitionType.SEAMLESS and second.score > 0.7
        (*_, last) = memory.endless.continuity_log()
        assert (last.from_context_id, last.to_context_id) == ("c1", "c2")
        assert last.score == pytest.approx(second.score)
        status = memory.endless.status()
        assert status.active_files == ("src/주문.rs",)
        assert "OrderStore" in status.active_entities
        for arguments, argument in ((("", "x"), "context_id"), (("c", " "), "text")):
            with pytest.raises(recallite.InvalidArgument) as raised:
                memory.endless.score_continuity(*arguments)
            assert raised.value.argument == argument


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda m: m.endless.set_mode("forever"), "mode"),
        (lambda m: m.endless.set_mode(1), "mode"),
        (lambda m: m.endless.session_now(1), "session"),
        (lambda m: m.endless.memories(text=1), "text"),
    ],
)
def test_a_wrong_argument_is_named(memory: recallite.Memory, call: Any, argument: str) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        call(memory)
    assert raised.value.argument == argument


def test_limits_are_changed_by_replacing(memory: recallite.Memory) -> None:
    config = memory.endless.config()
    fewer = dataclasses.replace(config.working_set, max_events=3)
    memory.endless.set_config(dataclasses.replace(config, working_set=fewer))
    assert memory.endless.config().working_set.max_events == 3
