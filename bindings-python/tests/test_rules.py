"""The rules as functions: what the vectors do not say."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

import recallite
from recallite import ArtifactKind, EntityKind, MatchClass, TaskStatus, rules

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def test_every_name_is_there() -> None:
    for name in rules.__all__:
        item = getattr(rules, name)
        assert item is not None
        if callable(item) and not isinstance(item, type):
            assert item.__doc__, name


def test_keys() -> None:
    assert rules.canonical_key("벡터  검색!", project="app") == "app::벡터 검색"
    assert rules.is_same_title("Cafe\u0301", "CAFÉ!")
    assert not rules.is_same_title("Deploy v1", "Deploy v2")
    key = rules.entity_key(EntityKind.TASK, "결제 타임아웃 🎉", project="상점")
    assert key == "task:상점:결제-타임아웃"
    assert rules.task_key("결제 타임아웃 🎉", project="상점") == key
    assert rules.condition_key("API key configured") == "cond:default:api-key-configured"
    parts = rules.parse_entity_key(key)
    assert parts == rules.EntityKeyParts(EntityKind.TASK, "상점", "결제-타임아웃")
    assert rules.parse_entity_key("nothing") is None
    assert rules.artifact_kind("owner/repo#12") is ArtifactKind.GITHUB_ISSUE
    assert rules.artifact_kind("https://example.com") is ArtifactKind.URL


def test_citations(memory: recallite.Memory) -> None:
    receipt = memory.append(kind="user_prompt", session="s", content="결제는 15초", timestamp=NOON)
    assert receipt.citation == rules.citation_id(receipt.id)
    assert rules.parse_citation(f"see [mem:{receipt.citation}], please") == receipt.citation
    assert rules.unique_citation_id(receipt.id, [receipt.citation]) not in (None, receipt.citation)
    event = memory.event(receipt)
    assert event is not None
    block = rules.citation_block([event])
    assert f"[mem:{receipt.citation}] - 2026-03-09" in block and "결제는 15초" in block
    same = rules.CitedMemory(event.content, event.citation, event.timestamp, event.session)
    assert rules.citation_block([same]) == block
    assert "[1]" in rules.citation_block([same], format="footnote")
    assert "## References" in rules.citation_block([same], format="reference")


def test_summaries_and_tokens(memory: recallite.Memory) -> None:
    assert rules.summary("첫 문장입니다. 둘째 문장입니다.") == "첫 문장입니다."
    assert rules.preview("한\n줄") == "한 줄"
    assert rules.harmless("a\r\x1b[2J한\r\n") == "a\n\ufffd[2J한\n"
    assert rules.is_small_talk("고마워, 오늘은 여기까지")
    assert not rules.is_small_talk("which port did we take?")
    assert rules.harmless_line("a\r\n한\u202e") == "a 한\ufffd"
    assert rules.estimate_tokens("🎉🎉🎉") == 2 and rules.utf16_len("🎉") == 2
    memory.append(kind="user_prompt", session="s", content="배포해 주세요")
    assert "배포해 주세요" in rules.session_summary_text(memory.events())
    hidden = rules.CitedMemory("a\u200b\r\nb", "a7Bc3x", datetime(2026, 1, 30, tzinfo=UTC), "s")
    assert "> a\u200b\r\n> b\n" in rules.citation_block([hidden])
    assert "> a\n> b\n" in rules.citation_block([hidden], shown="harmless")
    metadata = rules.tool_metadata("Bash", {"command": "ls 주문"}, "x", success=False)
    said = rules.tool_summary("Bash", metadata, "x", success=False)
    assert said == "Ran `ls 주문`: failed"
    assert rules.truncate_output("가" * 100, max_chars=60) != "가" * 100


def test_matches() -> None:
    assert rules.classify(0.95) is MatchClass.HIGH
    assert rules.classify(0.95, second=0.94) is MatchClass.SUGGESTED
    assert rules.match_list([0.2, 0.99]).matched == 1
    decision = rules.expansion_decision([0.95])
    assert decision.is_expansion and decision.reason is rules.ExpansionReason.HIGH_CONFIDENCE


def test_tasks_and_edges() -> None:
    moved = rules.decide_transition("pending", TaskStatus.DONE)
    assert moved.outcome == "rejected" and moved.status is TaskStatus.IN_PROGRESS
    assert moved.reason == "Direct transition from pending to done is not allowed"
    assert rules.initial_task_status() is TaskStatus.PENDING
    assert rules.allows_blockers("blocked", 0, suggested=1) and not rules.allows_blockers("blocked", 0)
    assert rules.is_edge_allowed("entry", "evidence_of", "entity")
    (blocker,) = rules.effective_blockers(
        "t",
        ["t", recallite.EntityRef("condition", "승인"), recallite.EntityRef(EntityKind.TASK, "u")],
        [
            rules.GraphEdge("t", "blocked_by", "승인"),
            {"source_id": "승인", "relation": "resolves_to", "destination_id": "u"},
        ],
    )
    assert blocker.effective_id == "u" and blocker.resolved


def test_levels_and_continuity() -> None:
    usage = recallite.Usage(5, 0.9, 2, 0.0)
    assert rules.evaluate_graduation("L2", usage).passed
    refused = rules.evaluate_graduation("L2", usage, evidence="failed")
    assert refused.failed_on is rules.Criterion.EVIDENCE
    assert rules.evaluate_graduation("L0", None).reason == "No metrics available for event"
    event = rules.InsightEvent("event-1", True, "항상 존댓말로 답해 주세요", "x")
    assert len(rules.extract_insights([event], cues="english_and_korean")) == 1
    assert rules.extract_insights([dataclasses.asdict(event)]) == []
    taken = rules.snapshot("c", "src/주문.py 의 스키마를 고쳤다", NOON)
    assert taken.files == ("src/주문.py",) and "database" in taken.topics
    assert rules.continuity(taken, taken).score == 1.0
    assert rules.continuity(taken.to_dict(), None).score == 0.5
    assert rules.outside_session_name("endless_2026-01-30") == "endless"
    assert rules.outside_session_name("월요일") == "월요일"
    policy = recallite.ConsolidationPolicy(trigger_event_count=3)
    due = rules.is_consolidation_due
    assert due(since_last_ms=0, working_set_size=3, idle_ms=0, policy=policy)
    assert not due(since_last_ms=0, working_set_size=3, idle_ms=0)


def test_privacy() -> None:
    removed = rules.remove_private_sections("전 <private>호랑이</private> 후")
    assert removed.text == "전 [PRIVATE] 후" and removed.private_count == 1
    open_tag = rules.remove_private_sections("[private]x", formats=["bracket"])
    assert open_tag.unclosed and open_tag.text == "[private]x"
    assert rules.mask_secrets("DB_PASSWORD=hunter2").text == "DB_[REDACTED]"
    key = "AIzaSy" + "B" * 33
    assert rules.mask_secrets(key).secret_count == 0
    assert rules.mask_secrets(key, code_aware=True, key_formats=True).text == "[REDACTED]"
    masked = rules.mask_tool_input({"apiKey": "x", "author": "Ada", "n": [1, None]}, keys="words")
    assert masked.input == {"apiKey": "[REDACTED]", "author": "Ada", "n": [1, None]}
    assert masked.secret_count == 1
    loose = rules.mask_tool_input({"author": "Ada"})
    assert loose.input == {"author": "[REDACTED]"}
    filtered = rules.filter_text("메일 ada@example.com, 암호=호랑이", anonymize=True)
    assert "[EMAIL]" in filtered.text and filtered.privacy.anonymized_count == 1
    own = rules.filter_text("암호=호랑이", exclude_patterns=["암호"])
    assert "호랑이" not in own.text and own.privacy.secret_count == 1
    assert rules.filter_text("<private>x").warnings
    near = "a <private >b</private> c"
    assert rules.filter_text(near).privacy.private_count == 1
    assert rules.filter_text(near, exact_tags=True).text == near


def test_results_are_records() -> None:
    found = rules.match_list([0.9, 0.8])
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_dict()["match_class"] == "suggested"
    assert repr(found).startswith("MatchList(matched=0, match_class='suggested'")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.gap = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: rules.canonical_key(1), "title"),  # type: ignore[arg-type]
        (lambda: rules.canonical_key("\ud800"), "title"),
        (lambda: rules.canonical_key("a", project=1), "project"),  # type: ignore[arg-type]
        (lambda: rules.entity_key("thing", "a"), "kind"),
        (lambda: rules.citation_id("a", length=-1), "length"),
        (lambda: rules.unique_citation_id("a", [], length=9), "length"),
        (lambda: rules.unique_citation_id("a", "taken"), "taken"),
        (lambda: rules.citation_block([], format="html"), "format"),
        (lambda: rules.citation_block([{"content": "a"}]), "memories[0].citation"),
        (lambda: rules.citation_block([1]), "memories[0]"),  # type: ignore[list-item]
        (lambda: rules.session_summary_text([{"kind": "rumour", "content": "a"}]), "events[0].kind"),
        (lambda: rules.session_summary_text([1]), "events[0]"),  # type: ignore[list-item]
        (lambda: rules.match_list(["a"]), "scores[0]"),  # type: ignore[list-item]
        (lambda: rules.classify(None), "top"),  # type: ignore[arg-type]
        (
            lambda: rules.plan_expansion(
                [0.9], budget_tokens=1, index_tokens=1, timeline_tokens=[], detail_tokens=[1]
            ),
            "timeline_tokens",
        ),
        (lambda: rules.format_context([{"kind": "user_prompt"}]), "memories[0].content"),
        (lambda: rules.decide_transition("pending", "finished"), "to"),
        (lambda: rules.is_edge_allowed("entry", "likes", "entity"), "relation"),
        (lambda: rules.effective_blockers("t", [recallite.EntityRef("x", "t")], []), "entities[0]"),
        (
            lambda: rules.effective_blockers("t", [], [rules.GraphEdge("a", "likes", "b")]),
            "edges[0].relation",
        ),
        (lambda: rules.evaluate_graduation("L5", None), "level"),
        (lambda: rules.evaluate_graduation("L1", {"confidence": 1.0}), "usage.access_count"),
        (lambda: rules.extract_insights([], cues="latin"), "cues"),
        (lambda: rules.snapshot("c", "x", datetime(2026, 1, 1)), "at"),
        (lambda: rules.continuity({"id": "c"}, None), "current.timestamp"),
        (lambda: rules.remove_private_sections("a", formats=["html"]), "formats[0]"),
        (lambda: rules.remove_private_sections("a", marker="***"), "marker"),
        (lambda: rules.mask_tool_input({}, keys="all"), "keys"),
        (lambda: rules.filter_text("a", exclude_patterns=["("]), "exclude_patterns[0]"),
        (lambda: rules.filter_text("a", auto_detect_patterns="x"), "auto_detect_patterns"),
    ],
)
def test_a_wrong_argument_is_named(call: Any, argument: str) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        call()
    assert raised.value.argument == argument
