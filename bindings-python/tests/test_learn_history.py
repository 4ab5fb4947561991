"""The ledgers, and the questions about uncertain memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learned import SESSION, entry_id, extraction, learn

import recallite
from recallite import (
    BuildStatus,
    Decision,
    DecisionEvidence,
    EffectiveStatus,
    EvidenceKind,
    PipelineStage,
    ProvenStage,
    ProvenStage,
    ResolutionKind,
    Stage,
)


@pytest.fixture
def report(memory: recallite.Memory) -> recallite.IngestReport:
    return learn(memory)


def test_runs_and_metrics(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    (run,) = memory.history.build_runs()
    assert run.build_id == report.build_id and run.status is BuildStatus.SUCCESS
    assert run.error is None
    assert run.finished_at is not None and run.finished_at >= run.started_at
    assert run.started_at.tzinfo is UTC
    metrics = memory.history.pipeline_metrics()
    assert {metric.stage for metric in metrics} >= {PipelineStage.INGEST, PipelineStage.ALIGN}
    assert all(metric.latency_ms >= 0 and metric.session == SESSION for metric in metrics)


def test_promotions(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    records = memory.history.promotions()
    rose = [one for one in records if one.to_stage is Stage.VERIFIED and not one.is_blocked]
    assert {one.entry_id for one in rose} == {entry_id(report, "e1"), entry_id(report, "e2")}
    (refused,) = [one for one in records if one.is_blocked]
    assert refused.entry_id == entry_id(report, "e3")
    assert refused.reason.startswith("Evidence alignment failed")
    assert refused.from_stage is Stage.CANDIDATE and refused.build_id == report.build_id


def decide(memory: recallite.Memory, report: recallite.IngestReport) -> Decision:
    now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=2)
    decision = Decision(
        "d1",
        now,
        "Ada",
        "배포를 월요일로 미룬다",
        outcome={"미룸": True, "days": [1, 2.5, None]},
        confidence=0.8,
        build_id=report.build_id,
        evidence=(
            DecisionEvidence("entry", entry_id(report, "e1"), "verified", "supports", now),
        ),
    )
    memory.history.record_decision(decision)
    return decision


def test_decisions_come_back(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    decision = decide(memory, report)
    assert memory.history.decisions() == [decision]
    (evidence,) = memory.history.decisions()[0].evidence
    assert isinstance(evidence, DecisionEvidence)
    assert evidence.kind is EvidenceKind.ENTRY and evidence.stage is ProvenStage.VERIFIED
    memory.history.record_decision(decision.to_dict() | {"decision_id": "d2", "outcome": None})
    assert [one.decision_id for one in memory.history.decisions()] == ["d1", "d2"]
    assert memory.history.decisions()[1].outcome is None
    with pytest.raises(recallite.AlreadyExists) as twice:
        memory.history.record_decision(decision)
    assert twice.value.argument == "decision_id"


def test_a_decision_rests_on_what_was_proved_before(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    good = decide(memory, report).to_dict() | {"decision_id": "d3"}
    proof = good["evidence"][0]
    later = good["decided_at"] + timedelta(days=1)
    cases: list[tuple[dict[str, Any], type[recallite.Error], str]] = [
        ({"actor": " "}, recallite.InvalidArgument, "actor"),
        ({"actor": 1}, recallite.InvalidArgumentType, "actor"),
        ({"confidence": 1.5}, recallite.InvalidArgument, "confidence"),
        ({"decided_at": datetime(2026, 1, 1)}, recallite.InvalidArgument, "decided_at"),
        ({"outcome": {1, 2}}, recallite.InvalidArgumentType, "outcome"),
        ({"why": "x"}, recallite.InvalidArgumentType, "why"),
        ({"evidence": 3}, recallite.InvalidArgumentType, "evidence"),
        ({"evidence": [3]}, recallite.InvalidArgumentType, "evidence[0]"),
        (
            {"evidence": [{**proof, "kind": "rumour"}]},
            recallite.InvalidArgument,
            "evidence[0].kind",
        ),
        (
            {"evidence": [{**proof, "stage": "candidate"}]},
            recallite.InvalidArgument,
            "evidence[0].stage",
        ),
        (
            {"evidence": [proof, {**proof, "known_at": later}]},
            recallite.InvalidArgument,
            "evidence[1].known_at",
        ),
        (
            {"evidence": [{**proof, "evidence_id": "nobody"}]},
            recallite.NotFound,
            "evidence[0].evidence_id",
        ),
        (
            {"evidence": [{**proof, "stage": "certified"}]},
            recallite.InvariantViolation,
            "evidence[0].evidence_id",
        ),
    ]
    for change, error, argument in cases:
        with pytest.raises(error) as raised:
            memory.history.record_decision(good | change)
        assert raised.value.argument == argument
    del good["action"]
    with pytest.raises(recallite.InvalidArgumentType) as missing:
        memory.history.record_decision(good)
    assert missing.value.argument == "action"
    with pytest.raises(recallite.InvalidArgumentType) as nothing:
        memory.history.record_decision("d1")  # type: ignore[arg-type]
    assert nothing.value.argument == "decision"
    assert len(memory.history.decisions()) == 1


def test_uncertain_memories(memory: recallite.Memory) -> None:
    first = memory.append(kind="user_prompt", session="s", content="그거 다시 해 주세요")
    second = memory.append(kind="user_prompt", session="s", content="배포해 주세요")
    memory.knowledge.mark_unknown_context(first)
    (open_question,) = memory.knowledge.placeholders()
    assert open_question.event_id == first.id and open_question.created_at.tzinfo is UTC
    assert memory.knowledge.effective_memory(first).status is EffectiveStatus.DIRECT
    memory.knowledge.resolve_memory(first, "pending", resolved_to=second, confidence=0.5)
    assert memory.knowledge.effective_memory(first.id).status is EffectiveStatus.PENDING
    memory.knowledge.resolve_memory(first, ResolutionKind.CONFIRMED, resolved_to=second.id)
    found = memory.knowledge.effective_memory(first)
    assert found.status is EffectiveStatus.RESOLVED and found.effective_id == second.id
    assert (found.title, found.content) == (None, "배포해 주세요")
    again = memory.append(kind="user_prompt", session="t", content="배포해  주세요!")
    assert [event.seq for event in memory.events(repeats="배포해 주세요")] == [second.seq, again.seq]
    (answer,) = memory.knowledge.memory_resolutions()
    assert (answer.condition_id, answer.resolved_to) == (first.id, second.id)
    assert answer.kind is ResolutionKind.CONFIRMED and answer.confidence == 1.0
    assert memory.knowledge.placeholders() == []


@pytest.mark.parametrize(
    ("call", "error", "argument"),
    [
        (lambda m: m.knowledge.resolve_memory(" ", "pending"), recallite.InvalidArgument, "memory"),
        (lambda m: m.knowledge.resolve_memory("a", "perhaps"), recallite.InvalidArgument, "kind"),
        (lambda m: m.knowledge.resolve_memory("a", "confirmed"), recallite.InvalidArgument, "resolved_to"),
        (
            lambda m: m.knowledge.resolve_memory("a", "rejected", resolved_to="a"),
            recallite.InvalidArgument,
            "resolved_to",
        ),
        (
            lambda m: m.knowledge.resolve_memory("a", "pending", confidence=-1),
            recallite.InvalidArgument,
            "confidence",
        ),
        (lambda m: m.knowledge.resolve_memory(1, "pending"), recallite.InvalidArgumentType, "memory"),
        (lambda m: m.knowledge.mark_unknown_context(99), recallite.NotFound, "event"),
        (lambda m: m.knowledge.effective_memory(1), recallite.InvalidArgumentType, "memory"),
    ],
)
def test_a_wrong_argument_is_named(
    memory: recallite.Memory, call: Any, error: type[recallite.Error], argument: str
) -> None:
    with pytest.raises(error) as raised:
        call(memory)
    assert raised.value.argument == argument


def test_a_second_run_is_a_run_of_its_own(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    other = extraction()
    other["entries"] = other["entries"][:1]
    other["tasks"] = other["relations"] = []
    again = memory.ingest(SESSION, other)
    assert not again.already_ingested
    assert [run.build_id for run in memory.history.build_runs()] == [report.build_id, again.build_id]
    assert not again.entries[0].is_new
