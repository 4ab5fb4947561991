"""Results of the learning calls: frozen, equal by value, picklable, readable."""

from __future__ import annotations

import copy
import dataclasses
import enum
import json
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from learned import MESSAGES, SESSION, learn

import recallite
from recallite import rules
from recallite._generated import learning


@pytest.fixture
def results(memory: recallite.Memory) -> list[Any]:
    """At least one result of every class that a memory gives."""
    now = datetime.now(UTC)
    report = learn(memory)
    first, second, _ = report.entries
    memory.knowledge.add_edge(second, "derived_from", first, meta={"k": [1]})
    conflict = memory.knowledge.contradict(first, second)
    conflict = memory.knowledge.resolve_conflict(conflict, first, "it holds", "Ada")
    waits = memory.tasks.change_status(
        report.tasks[2], "blocked", blocked_by=["Release the order", "PROJ-1"]
    )
    condition = memory.tasks.entity(waits.blockers[0])
    memory.tasks.resolve_condition(waits.blockers[0], report.tasks[0])
    evidence = recallite.DecisionEvidence("entry", first.entry_id, "verified", "supports", now)
    decision = recallite.Decision("d", datetime.now(UTC), "Ada", "go", {"a": 1}, evidence=(evidence,))
    memory.history.record_decision(decision)
    event = memory.knowledge.session_messages(SESSION)[0].event
    assert event is not None
    memory.knowledge.mark_unknown_context(event)
    memory.levels.record_access(event, "t")
    memory.levels.pin(event)
    graduated = memory.levels.graduate()
    memory.knowledge.resolve_memory(event, "rejected")
    memory.endless.set_config({"consolidation": {"min_events": 1}})
    memory.endless.set_mode("endless")
    memory.append(kind="user_prompt", session="e", content="fix the database schema")
    working_set = memory.endless.working_set()
    memory.endless.score_continuity("c1", "database")
    found: list[Any] = [
        recallite.align([content for _, content in MESSAGES], [(0, "배포는 금요일"), (9, "x")]),
        rules.check_grounding("주말에는 당직이 없어요", [MESSAGES[0][1]]),
        recallite.EvidenceQuote(0, "x"),
        memory.knowledge.session_messages(SESSION)[0],
        report,
        memory.knowledge.entry(first),
        memory.knowledge.search("배포는 금요일")[0],
        memory.knowledge.extraction_request(SESSION),
        memory.tasks.get(waits),
        memory.tasks.blocked()[0],
        condition,
        memory.tasks.resolved_conditions()[0],
        memory.tasks.entity(waits.blockers[1]),
        memory.knowledge.edges(from_=second, relation="derived_from")[0],
        recallite.ReplacedEdges(1, 2),
        recallite.RelatedEntry("e1", ("t1",)),
        memory.knowledge.lineage(first)[0],
        memory.levels.get(event),
        memory.levels.pinned()[0],
        memory.levels.counts(),
        graduated,
        *working_set[:1],
        memory.endless.status(),
        memory.endless.consolidate(),
        memory.endless.memories()[0],
        memory.endless.context(),
        memory.endless.score_continuity("c2", "database"),
        memory.endless.continuity_log()[0],
        memory.history.build_runs()[0],
        memory.history.pipeline_metrics()[0],
        memory.history.promotions()[0],
        conflict,
        memory.history.decisions()[0],
        memory.knowledge.memory_resolutions()[0],
        memory.knowledge.effective_memory(event),
    ]
    return found


def parts(value: object) -> set[type]:
    """The classes of a result and of everything in it."""
    if isinstance(value, (tuple, list)):
        return set().union(*map(parts, value)) if value else set()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = [parts(getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {type(value)}.union(*inner)
    return {type(value)}


def test_every_class_is_covered(results: list[Any]) -> None:
    covered = parts(results)
    classes = [getattr(recallite, name) for name in learning.__all__]
    records = {one for one in classes if dataclasses.is_dataclass(one)}
    # Insights need repeated use over several sessions; their own test has them.
    left_out = {recallite.Insight, recallite.Placeholder, recallite.LevelChange}
    # Searches give these; their test is in test_learned_recall.py.
    left_out |= {recallite.LearnedHit, recallite.Proof}
    assert records - covered <= left_out, records - covered


def test_results_are_frozen(results: list[Any]) -> None:
    for result in results:
        name = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, None)
        assert not hasattr(result, "__dict__")


def test_results_survive_pickle_and_copy(results: list[Any]) -> None:
    for result in results:
        for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert twin == result
            assert hash(twin) == hash(result)
            assert repr(twin) == repr(result)
        assert type(result).__module__ == "recallite"


def test_a_pickle_is_read_by_another_process(results: list[Any]) -> None:
    program = "import pickle, sys; print(len(pickle.load(sys.stdin.buffer)))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(results), capture_output=True, check=True
    )
    assert int(done.stdout) == len(results)


def test_results_become_plain_values(results: list[Any]) -> None:
    for result in results:
        fields = result.to_dict()
        assert list(fields) == [field.name for field in dataclasses.fields(result)]
        # Nothing but what JSON knows, and times.
        json.dumps(fields, default=lambda value: value.isoformat())
        assert not any(issubclass(one, enum.Enum) for one in parts(list(fields.values())))


def test_results_read_well(results: list[Any]) -> None:
    for result in results:
        name = type(result).__name__
        assert repr(result).startswith(f"{name}(")
        assert result._repr_html_().startswith("<table>")
    entry = next(one for one in results if isinstance(one, recallite.LearnedEntry))
    assert "title='배포는 금요일에 하지 않는다'" in repr(entry)
    assert "stage='verified'" in repr(entry)


def test_the_records_are_loaded_when_they_are_asked_for() -> None:
    program = (
        "import sys, recallite\n"
        "assert 'recallite._generated.learning' not in sys.modules\n"
        "assert 'Task' in dir(recallite)\n"
        "from recallite import Task\n"
        "assert Task is recallite.Task and Task.__module__ == 'recallite'\n"
        "from recallite import *\n"
        "assert EntryType.FACT == 'fact'\n"
        "try:\n"
        "    recallite.Tusk\n"
        "except AttributeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "module 'recallite' has no attribute 'Tusk'\n"
