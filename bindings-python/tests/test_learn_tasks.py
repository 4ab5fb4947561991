"""Tasks, conditions and artifacts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learned import SESSION, learn, task_id

import recallite
from recallite import (
    Artifact,
    ArtifactKind,
    Condition,
    EntityKind,
    EntityRef,
    Priority,
    ProjectScope,
    Task,
    TaskStatus,
)


@pytest.fixture
def report(memory: recallite.Memory) -> recallite.IngestReport:
    return learn(memory)


def test_tasks_are_listed_by_status(
    memory: recallite.Memory, report: recallite.IngestReport
) -> None:
    tasks = memory.tasks.list()
    assert [task.status for task in tasks] == ["blocked", "in_progress", "pending"]
    assert [task.title for task in memory.tasks.list(status="pending")] == ["주문 내보내기 만들기"]
    assert memory.tasks.list(status=TaskStatus.DONE) == []
    assert len(memory.tasks.list(limit=2)) == 2
    assert memory.tasks.list(project="another") == []
    assert memory.tasks.list(project=ProjectScope.ALL) == tasks
    first = tasks[0]
    assert first.priority is Priority.HIGH
    assert first.canonical_key == "task:default:release-the-order-page"
    assert first.updated_at.tzinfo is UTC
    assert tasks[2].description == "CSV로"


def test_a_task_in_detail(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    detail = memory.tasks.get(task_id(report, "t1"))
    assert detail is not None
    kinds = {blocker.raw_text: blocker.kind for blocker in detail.task.blockers}
    assert kinds == {"OPS-12": EntityKind.ARTIFACT, "Write the session migration": EntityKind.TASK}
    assert [event.kind for event in detail.history][0] == "task_created"
    assert {blocker.effective_kind for blocker in detail.effective_blockers} == {
        "artifact",
        "task",
    }
    # Every result that names a task names it here.
    for name in (report.tasks[1], detail, detail.task, EntityRef(EntityKind.TASK, detail.task.id)):
        assert memory.tasks.get(name) == detail
    blocker = next(one for one in detail.task.blockers if one.kind == "artifact")
    artifact = memory.tasks.entity(blocker)
    assert isinstance(artifact, Artifact)
    assert (artifact.kind, artifact.identifier) == (ArtifactKind.JIRA, "OPS-12")
    assert memory.tasks.get("no such task") is None
    assert memory.tasks.entity("no such entity") is None
    assert memory.tasks.entity(detail.task.id) == detail.task


def test_blocked_tasks(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    (blocked,) = memory.tasks.blocked()
    assert blocked.task.title == "Release the order page"
    titles = [found.task.title for one in blocked.blockers if (found := memory.tasks.get(one))]
    assert titles == ["Write the session migration"]
    assert memory.tasks.blocked(project="another") == []
    assert memory.tasks.with_only_suggested_blockers() == []
    assert memory.tasks.with_placeholder_blockers() == []
    suggested = {
        "schema_version": 1,
        "entries": [],
        "tasks": [
            {"id": "t1", "title": "Ship", "status": "blocked", "blocked_by": ["the tide"]},
        ],
    }
    memory.ingest(SESSION, suggested)
    (task,) = memory.tasks.with_only_suggested_blockers(project=ProjectScope.ALL)
    assert task.title == "Ship" and task.is_blocked_by_suggestions_only
    assert task.suggested_blockers[0].raw_text == "the tide"


def test_moving_a_task(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    task = memory.tasks.change_status(report.tasks[2], "in_progress")
    assert isinstance(task, Task) and task.status is TaskStatus.IN_PROGRESS
    task = memory.tasks.change_status(task, TaskStatus.BLOCKED, blocked_by=["법무 승인 👩‍⚖️", "PROJ-1"])
    assert [blocker.raw_text for blocker in task.blockers] == ["법무 승인 👩‍⚖️", "PROJ-1"]
    task = memory.tasks.change_status(task, "done")
    assert task.blockers == ()
    with pytest.raises(recallite.InvalidTransition):
        memory.tasks.change_status(task, "blocked")
    with pytest.raises(recallite.NotFound):
        memory.tasks.change_status("no such task", "done")
    first, second = report.tasks[1], report.tasks[0]
    with pytest.raises(recallite.InvariantViolation) as raised:
        memory.tasks.change_status(second, "blocked", blocked_by=["Release the order page"])
    assert raised.value.argument == "blocked_by"
    placeholder = memory.tasks.change_status(second, "blocked")
    assert placeholder.blockers[0].kind is EntityKind.CONDITION
    assert [task.id for task in memory.tasks.with_placeholder_blockers()] == [second.task_id]
    assert first.task_id != second.task_id


def test_renaming_a_task(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    before = memory.tasks.get(report.tasks[0])
    assert before is not None
    task = memory.tasks.rename(before, "세션 표 옮기기")
    assert task.title == "세션 표 옮기기" and task.id == before.task.id
    with pytest.raises(recallite.InvalidArgument) as blank:
        memory.tasks.rename(task, "  ")
    assert blank.value.argument == "title"
    with pytest.raises(recallite.AlreadyExists):
        memory.tasks.rename(task, "Release the order page")
    with pytest.raises(recallite.NotFound):
        memory.tasks.rename("no such task", "a title")


def test_a_task_as_it_stood(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    task = memory.tasks.change_status(report.tasks[2], "cancelled")
    moved = memory.tasks.get_as_of(task, datetime.now(UTC) + timedelta(seconds=1))
    assert moved is not None and moved.status == "cancelled"
    assert memory.tasks.get_as_of(task, task.created_at - timedelta(days=1)) is None


def test_resolving_a_condition(memory: recallite.Memory, report: recallite.IngestReport) -> None:
    task = memory.tasks.change_status(report.tasks[0], "blocked", blocked_by=["the vendor answers"])
    (blocker,) = task.blockers
    condition = memory.tasks.entity(blocker)
    assert isinstance(condition, Condition)
    assert condition.text == "the vendor answers" and condition.resolved_to is None
    assert memory.tasks.resolved_conditions() == []
    target = task_id(report, "t3")
    for _ in range(2):
        memory.tasks.resolve_condition(condition, target, resolution="auto_resolved", confidence=0.8)
    (resolved,) = memory.tasks.resolved_conditions()
    assert resolved.resolved_to == EntityRef(EntityKind.TASK, target)
    (blocked, *_) = [one for one in memory.tasks.blocked() if one.task.id == task.id]
    (effective,) = blocked.blockers
    assert effective.resolved and effective.effective_id == target
    assert effective.original_id == condition.id
    with pytest.raises(recallite.InvalidArgument) as itself:
        memory.tasks.resolve_condition(condition, condition)
    assert itself.value.argument == "target"
    with pytest.raises(recallite.InvalidArgument) as unsure:
        memory.tasks.resolve_condition(condition, target, confidence=1.5)
    assert unsure.value.argument == "confidence"
    with pytest.raises(recallite.NotFound):
        memory.tasks.resolve_condition(condition, recallite.EntityRef("artifact", target))


def test_no_task_waits_for_itself_by_way_of_others(memory: recallite.Memory) -> None:
    tasks = memory.tasks
    alpha, beta, gamma = (tasks.create(title) for title in ("Alpha", "Beta", "감마 🌀"))
    tasks.change_status(alpha, "blocked", blocked_by=["Beta"])
    tasks.change_status(beta, "blocked", blocked_by=["감마 🌀"])
    with pytest.raises(recallite.InvariantViolation) as circle:
        tasks.change_status(gamma, "blocked", blocked_by=["Alpha"])
    assert circle.value.argument == "blocked_by"
    tasks.change_status(gamma, "blocked", blocked_by=["the weather"])
    (weather,) = tasks.conditions()
    with pytest.raises(recallite.InvariantViolation) as condition:
        tasks.resolve_condition(weather, alpha)
    assert condition.value.argument == "target"
    # Nothing is lost by the refusals.
    detail = tasks.get(gamma)
    assert detail is not None
    assert [blocker.raw_text for blocker in detail.task.blockers] == ["the weather"]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda m: m.tasks.list(status="finished"), "status"),
        (lambda m: m.tasks.list(status=1), "status"),
        (lambda m: m.tasks.list(limit=-1), "limit"),
        (lambda m: m.tasks.list(project=1), "project"),
        (lambda m: m.tasks.get(1), "id"),
        (lambda m: m.tasks.get(None), "id"),
        (lambda m: m.tasks.entity(b"x"), "id"),
        (lambda m: m.tasks.get_as_of("t", datetime(2026, 1, 1)), "at"),
        (lambda m: m.tasks.blocked(project=1), "project"),
        (lambda m: m.tasks.change_status("t", "finished"), "to"),
        (lambda m: m.tasks.change_status("t", "blocked", blocked_by="text"), "blocked_by"),
        (lambda m: m.tasks.change_status("t", "blocked", blocked_by=[1]), "blocked_by[0]"),
        (lambda m: m.tasks.rename("t", 1), "title"),
        (lambda m: m.tasks.resolve_condition(1, "t"), "condition"),
        (lambda m: m.tasks.resolve_condition("c", 1), "target"),
        (lambda m: m.tasks.resolve_condition("c", recallite.EntityRef("thing", "t")), "target"),
        (lambda m: m.tasks.resolve_condition("c", "t", resolution="guess"), "resolution"),
        (lambda m: m.tasks.resolve_condition("c", "t", confidence="sure"), "confidence"),
    ],
)
def test_a_wrong_argument_is_named(memory: recallite.Memory, call: Any, argument: str) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        call(memory)
    assert raised.value.argument == argument


def test_tasks_are_made_by_hand(memory: recallite.Memory) -> None:
    made = memory.tasks.create(
        "인증서 갱신 🔑",
        priority="high",
        description="It ends in March.",
        blocked_by=["OPS-12", "예산 승인"],
    )
    assert (made.status, made.priority) == (TaskStatus.BLOCKED, Priority.HIGH)
    plain = memory.tasks.create("Write the report", project="shop")
    assert (plain.status, plain.priority, plain.project) == ("pending", "medium", "shop")
    assert memory.tasks.set_priority(plain, Priority.LOW).priority == "low"
    assert [task.id for task in memory.tasks.list(text="인증서")] == [made.id]
    assert [found.text for found in memory.tasks.conditions()] == ["예산 승인"]
    assert memory.tasks.conditions(project="shop", limit=5) == []
    assert [found.identifier for found in memory.tasks.artifacts()] == ["OPS-12"]
    assert memory.tasks.artifacts(limit=0) == []


def test_a_task_by_hand_that_is_wrong_is_refused(memory: recallite.Memory) -> None:
    memory.tasks.create("Write the report")
    with pytest.raises(recallite.AlreadyExists) as exists:
        memory.tasks.create(" WRITE the report")
    assert exists.value.argument == "title"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"title": " "}, "title"),
        ({"title": "x", "blocked_by": ["X"]}, "blocked_by[0]"),
        ({"title": "x", "priority": "huge"}, "priority"),
        ({"title": "x", "description": "x" * 20_001}, "description"),
    ]
    for arguments, argument in wrong:
        with pytest.raises(recallite.InvalidArgument) as raised:
            memory.tasks.create(**arguments)
        assert raised.value.argument == argument
    with pytest.raises(recallite.NotFound) as missing:
        memory.tasks.set_priority("nobody", "low")
    assert missing.value.argument in ("task", None)
    assert len(memory.tasks.list()) == 1
