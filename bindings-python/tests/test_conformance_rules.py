"""The conformance vectors of the library, through the functions of Python."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conformance import Case, here, is_usable, vectors

import recallite
from recallite import rules

pytestmark = here


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def from_millis(millis: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)


def same(got: Any, expected: Any) -> bool:
    """Equal, numbers to within 1e-9."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return got.keys() == expected.keys() and all(same(got[k], expected[k]) for k in expected)
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return abs(got - expected) <= 1e-9
    return bool(got == expected)


def covers(got: Any, expected: Any) -> bool:
    """Every field that is expected is there and the same."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return all(k in got and covers(got[k], v) for k, v in expected.items())
    if isinstance(expected, list) and isinstance(got, (list, tuple)):
        return len(got) == len(expected) and all(map(covers, got, expected))
    return same(got, expected)


# Evidence.


def quotes(given: list[Case]) -> list[tuple[int, str]]:
    # What is no index at all names no message either.
    return [
        (q["message_index"] if isinstance(q["message_index"], int) else -1, q["quote"])
        for q in given
    ]


def described(
    result: recallite.Alignment, given: Case, messages: list[str]
) -> Case:
    if not result.is_aligned:
        return {
            "aligned": False,
            "message_index": given["message_index"],
            "quote_hash": result.quote_hash,
            "failure_reason": result.reason,
        }
    # Offsets in code points are what Python slices with.
    message = messages[result.message_index]
    assert message[result.start : result.end] == result.matched_text
    wide = [len(message[:place].encode("utf-16-le")) // 2 for place in (result.start, result.end)]
    in_bytes = message.encode()[result.start_byte : result.end_byte].decode()
    assert in_bytes == result.matched_text
    return {
        "aligned": True,
        "message_index": result.message_index,
        "quote_hash": result.quote_hash,
        "match_method": result.match_method,
        "confidence": result.confidence,
        "span": {
            "utf16": wide,
            "bytes": [result.start_byte, result.end_byte],
            "chars": [result.start, result.end],
        },
        "matched_text": result.matched_text,
        "ambiguous": result.ambiguous,
        "alternative_count": result.alternative_count,
    }


def one_quote(given: Case) -> Case:
    report = recallite.align(given["messages"], quotes([given]))
    return described(report[0], given, given["messages"])


def evidence(given: Case, expected: Any) -> bool:
    return covers(one_quote(given), expected)


def evidence_fuzzy(given: Case, expected: Any) -> bool:
    got = one_quote(given)
    if got["aligned"] != expected["aligned"]:
        return False
    reasons = expected.get("failure_reason_any_of")
    methods = expected.get("match_method_any_of")
    if reasons is not None and got.get("failure_reason") not in reasons:
        return False
    if methods is not None and got.get("match_method") not in methods:
        return False
    if expected.get("match_method") is not None and got["match_method"] != expected["match_method"]:
        return False
    confidence = got.get("confidence", 0.0)
    if confidence < expected.get("confidence_min", 0.0):
        return False
    if confidence >= expected.get("confidence_max_exclusive", 2.0):
        return False
    for unit in ("utf16", "bytes", "chars"):
        if unit not in expected.get("target", {}):
            continue
        first, last = expected["target"][unit]
        start, end = got["span"][unit]
        overlap = max(0, min(last, end) - max(first, start)) / (last - first)
        if overlap < expected.get("min_target_overlap", 0.0):
            return False
        ratio = expected.get("max_span_to_target_ratio")
        if ratio is not None and end - start > ratio * (last - first):
            return False
    return True


def evidence_aggregate(given: Case, expected: Any) -> bool:
    report = recallite.align(given["messages"], quotes(given["evidence"]))
    got = {
        "evidence_aligned": report.evidence_aligned,
        "aligned_count": len(report.aligned),
        "failed_count": len(report.failed),
        "failed_quotes": [quote.quote for quote in report.failed],
        "results": [
            described(result, quote, given["messages"])
            for result, quote in zip(report, given["evidence"], strict=True)
        ],
    }
    return covers(got, expected)


def levenshtein(given: Case, expected: Any) -> bool:
    a, b = given["a"], given["b"]
    got = {"similarity": rules.similarity(a, b), "distance": rules.levenshtein(a, b)}
    return covers(got, expected)


# Keys, citations, summaries, tokens, tools.


def parse_entity_key(given: Case, expected: Any) -> bool:
    parts = rules.parse_entity_key(given["key"])
    if parts is None:
        return expected is None
    got = {"entity_type": str(parts.kind), "identifier": parts.identifier}
    if parts.project is not None:
        got["project"] = parts.project
    return same(got, expected)


def citation_unique(given: Case, expected: Any) -> bool:
    found = rules.unique_citation_id(given["event_id"], given["taken"])
    return same({"id": found} if found is not None else {"error": "exhausted"}, expected)


def citation_context(given: Case, expected: Any) -> bool:
    memories = [
        rules.CitedMemory(
            one["content"], one["citation_id"], at(one["timestamp"]), one["session_id"]
        )
        for one in given["memories"]
    ]
    return same(rules.citation_block(memories), expected)


def summary_preview(given: Case, expected: Any) -> bool:
    short = getattr(rules, given["kind"])(given["content"])
    return bool(
        expected.get("equals", short) == short
        and rules.utf16_len(short) <= expected.get("max_utf16", 1 << 30)
        and (bool(short) or not expected.get("non_empty"))
        and not (expected.get("single_line") and ("\n" in short or "\r" in short))
    )


def session_summary(given: Case, expected: Any) -> bool:
    events = [
        {"kind": event["event_type"], "content": event["content"]} for event in given["events"]
    ]
    return same(rules.session_summary_text(events), expected)


def token_estimate(given: Case, expected: Any) -> bool:
    match given.get("layer"):
        case "layer1":
            return same(given["items"] * rules.INDEX_ITEM_TOKENS, expected)
        case "layer2":
            return same(given["items"] * rules.TIMELINE_ITEM_TOKENS, expected)
        case layer:
            assert layer is None
            return same(rules.estimate_tokens(given["text"]), expected)


def truncate(given: Case, expected: Any) -> bool:
    names = (("max_chars", "max_length"), ("max_lines", "max_lines"))
    limits = {name: given[key] for name, key in names if given.get(key) is not None}
    return same(rules.truncate_output(given["output"], **limits), expected)


def tool_metadata(given: Case, expected: Any) -> bool:
    output = given.get("tool_output", "")
    success = given.get("success", True)
    found = rules.tool_metadata(given["tool_name"], given["tool_input"], output, success=success)
    return same(found, expected)


def tool_embedding_text(given: Case, expected: Any) -> bool:
    success = given.get("success", True)
    found = rules.tool_embedding_text(given["tool_name"], given["metadata"], success=success)
    return same(found, expected)


# Recall.


def match_score(given: Case, expected: Any) -> bool:
    score = rules.match_score(
        semantic=given["semantic"],
        lexical=given["fts"],
        age_days=given["recency_days"],
        is_active=given.get("is_active", True),
    )
    return same(score, expected)


def classify(given: Case, expected: Any) -> bool:
    if given.get("top") is None:
        return same(rules.match_list([]).match_class, expected)
    return same(rules.classify(given["top"], second=given.get("second")), expected)


def match_list(given: Case, expected: Any) -> bool:
    ids = [one["id"] for one in given["candidates"]]
    found = rules.match_list([one["score"] for one in given["candidates"]])
    got = {
        "match": None if found.matched is None else ids[found.matched],
        "confidence": str(found.match_class),
        "gap": found.gap,
        "alternatives": [ids[place] for place in found.alternatives],
    }
    return same(got, expected)


def expansion_decision(given: Case, expected: Any) -> bool:
    ids = [one["id"] for one in given["results"]]
    found = rules.expansion_decision([one["score"] for one in given["results"]])
    got = {
        "expand": found.is_expansion,
        "reason": str(found.reason),
        "ids": [ids[place] for place in found.targets],
        "expand_timeline": found.expands_timeline,
        "expand_details": found.expands_details,
    }
    return covers(got, expected)


def expansion_budget(given: Case, expected: Any) -> bool:
    ids = [one["id"] for one in given["items"]]
    plan = rules.plan_expansion(
        [one["score"] for one in given["items"]],
        budget_tokens=given["budget"],
        index_tokens=given["index_tokens"],
        timeline_tokens=[given["timeline_tokens"].get(name, 0) for name in ids],
        detail_tokens=[given["detail_tokens"].get(name, 0) for name in ids],
    )
    got = {
        "timeline_for": None if plan.timeline_for is None else ids[plan.timeline_for],
        "details_for": [ids[place] for place in plan.details_for],
        "used_tokens": plan.used_tokens,
    }
    return same(got, expected)


def retriever_context(given: Case, expected: Any) -> bool:
    memories = [
        rules.ContextMemory(
            one["event_type"],
            one["content"],
            at(one["timestamp"]),
            one["score"],
            one.get("session_context"),
        )
        for one in given["memories"]
    ]
    limit = given.get("max_tokens")
    limits = {} if limit is None else {"max_tokens": limit}
    return same(rules.format_context(memories, **limits), expected)


# Privacy.


def private_tags(given: Case, expected: Any) -> bool:
    removed = rules.remove_private_sections(
        given["text"],
        formats=given.get("formats", []),
        marker=given.get("marker", "[PRIVATE]"),
        preserve_line_count=given.get("preserve_line_count", False),
    )
    got = {
        "content": removed.text,
        "private_count": removed.private_count,
        "has_private_sections": removed.private_count > 0,
    }
    return same(got, expected)


def lengths(text: str) -> Case:
    return {"utf16": rules.utf16_len(text), "chars": len(text), "bytes": len(text.encode())}


def privacy_filter(given: Case, expected: Any) -> bool:
    config = given["config"]
    tags = config.get("privateTags", {})
    options: dict[str, Any] = {}
    if "excludePatterns" in config:
        options["exclude_patterns"] = list(filter(is_usable, config["excludePatterns"]))
    if isinstance(tags.get("supportedFormats"), list):
        options["formats"] = tags["supportedFormats"]
    # The vectors fix the specification's own patterns and tags.
    filtered = rules.filter_text(
        given["text"],
        exact_tags=True,
        auto_detect=False,
        code_aware=False,
        private_tags=tags.get("enabled", True),
        marker=tags.get("marker", "[PRIVATE]"),
        preserve_line_count=tags.get("preserveLineCount", False),
        **options,
    )
    got = {
        "content": filtered.text,
        "privacy": {
            "hasPrivateSections": filtered.privacy.private_count > 0,
            "privateCount": filtered.privacy.private_count,
            "originalLength": lengths(given["text"]),
            "filteredLength": lengths(filtered.text),
        },
        "pattern_match_count": filtered.privacy.secret_count,
    }
    return same(got, expected)


def secret_masking(given: Case, expected: Any) -> bool:
    masked = rules.mask_secrets(given["text"])
    return same({"text": masked.text, "match_count": masked.secret_count}, expected)


# Tasks and the graph.


def task_transitions(given: Case, expected: Any) -> bool:
    if "from" in given:
        moved = rules.decide_transition(given["from"], given["to"])
        got: Case = {"outcome": moved.outcome, "effective_status": moved.status}
        if moved.reason is not None:
            got["rejected_reason"] = moved.reason
    elif "blocker_count" in given:
        got = {"valid": rules.allows_blockers(given["status"], given["blocker_count"])}
    else:
        got = {"initial_status": rules.initial_task_status(requested=given["initial"])}
    return covers(got, expected)


def edge_validity(given: Case, expected: Any) -> bool:
    try:
        valid = rules.is_edge_allowed(given["src_type"], given["rel_type"], given["dst_type"])
    except recallite.InvalidArgument:
        valid = False
    return same({"valid": valid}, expected)


def effective_blockers(given: Case, expected: Any) -> bool:
    found = rules.effective_blockers(
        given["task_id"],
        [recallite.EntityRef(one["type"], one["id"]) for one in given["entities"]],
        [rules.GraphEdge(one["src"], one["rel"], one["dst"]) for one in given["edges"]],
    )
    got = [
        {
            "original_id": one.original_id,
            "effective_id": one.effective_id,
            "effective_type": one.effective_kind,
            "resolved": one.resolved,
        }
        for one in found
    ]
    return same(got, sorted(expected, key=lambda one: str(one["original_id"])))


# Graduation and the endless mode.


def graduation_criteria(given: Case, expected: Any) -> bool:
    found = rules.evaluate_graduation(given["level"], given["metrics"]).to_dict()
    # A vector that names no criterion says that none failed.
    silent = "failed_on" in expected or found["failed_on"] is None
    if found["failed_on"] is not None:
        found["failed_on"] = str(found["failed_on"])
    return silent and covers(found, expected)


def insight_extraction(given: Case, expected: Any) -> bool:
    events = [
        rules.InsightEvent(
            one["id"], one["event_type"] == "user_prompt", one["content"], one["canonical_key"]
        )
        for one in given["events"]
    ]
    got = [
        {
            "type": str(one.kind),
            "key": one.key,
            "content": one.content,
            "confidence": one.confidence,
            "sources": one.sources,
        }
        for one in rules.extract_insights(events)
    ]
    return same(got, expected)


def continuity_score(given: Case, expected: Any) -> bool:
    def context(value: Case | None) -> rules.ContextSnapshot | None:
        if value is None:
            return None
        return rules.ContextSnapshot(
            timestamp=from_millis(value["timestamp"]),
            id=value["id"],
            topics=tuple(value["topics"]),
            files=tuple(value["files"]),
            entities=tuple(value["entities"]),
        )

    current = context(given["current"])
    assert current is not None
    seamless_from = given.get("min_score_for_seamless", 0.7)
    policy = recallite.ContinuityPolicy(min_score_for_seamless=seamless_from)
    found = rules.continuity(current, context(given["previous"]), policy=policy)
    return same({"score": found.score, "transition_type": str(found.transition)}, expected)


def consolidation_trigger(given: Case, expected: Any) -> bool:
    due = rules.is_consolidation_due(
        since_last_ms=given["ms_since_last_consolidation"],
        working_set_size=given["working_set_size"],
        idle_ms=given["idle_ms"],
    )
    return due is expected


def vector_outbox(given: Case, expected: Any) -> bool:
    match given["kind"]:
        case "transition":
            got: Any = {"valid": rules.allows_job_transition(given["from"], given["to"])}
        case "table_name":
            got = rules.vector_table_name(given["item_kind"], given["embedding_version"])
        case _:
            # What happens to a table of jobs is checked in Rust, which alone has it.
            return True
    return same(got, expected)


def task_event_dedupe_key(given: Case, expected: Any) -> bool:
    names = ("kind", "task_id", "session_id", "source_entry_id", "payload")
    return same(rules.task_event_dedupe_key(*(given[name] for name in names)), expected)


RUNNERS: dict[str, Callable[[Case, Any], bool]] = {
    "artifact_key": lambda i, e: rules.artifact_key(i["identifier"]) == e,
    "canonical_key": lambda i, e: rules.canonical_key(i["title"], project=i.get("project")) == e,
    "citation_context_inline": citation_context,
    "citation_id": lambda i, e: (
        rules.citation_id(i["event_id"], **({"length": i["length"]} if "length" in i else {})) == e
    ),
    "citation_parse": lambda i, e: rules.parse_citation(i["text"]) == e,
    "citation_unique": citation_unique,
    "consolidation_trigger": consolidation_trigger,
    "content_hash": lambda i, e: rules.content_hash(i["content"]) == e,
    "continuity_score": continuity_score,
    "dedupe_key": lambda i, e: rules.dedupe_key(i["session_id"], i["content"]) == e,
    "edge_validity": edge_validity,
    "effective_blockers": effective_blockers,
    "entity_key": lambda i, e: (
        rules.entity_key(i["entity_type"], i["identifier"], project=i.get("project")) == e
    ),
    "evidence_aggregate": evidence_aggregate,
    "evidence_exact": evidence,
    "evidence_fuzzy": evidence_fuzzy,
    "evidence_normalized": evidence,
    "expansion_budget": expansion_budget,
    "expansion_decision": expansion_decision,
    "graduation_criteria": graduation_criteria,
    "insight_extraction": insight_extraction,
    "levenshtein_similarity": levenshtein,
    "mask_tool_input": lambda i, e: same(rules.mask_tool_input(i).input, e),
    "matcher_classify": classify,
    "matcher_list": match_list,
    "matcher_score": match_score,
    "parse_entity_key": parse_entity_key,
    "privacy_filter": privacy_filter,
    "private_tags": private_tags,
    "retriever_context": retriever_context,
    "secret_masking": secret_masking,
    "session_summary_text": session_summary,
    "summary_preview": summary_preview,
    "task_event_dedupe_key": task_event_dedupe_key,
    "task_status_transitions": task_transitions,
    "token_estimate": token_estimate,
    "tool_embedding_text": tool_embedding_text,
    "tool_metadata": tool_metadata,
    "tool_output_truncate": truncate,
    "vector_outbox": vector_outbox,
}


@pytest.mark.parametrize("name", sorted(RUNNERS))
def test_the_vectors_pass(name: str) -> None:
    cases = vectors(name)
    assert cases
    failed: list[str] = []
    for case in cases:
        try:
            passed = RUNNERS[name](case["input"], case["expected"])
        except recallite.Error as error:
            passed = False
            case["name"] += f" ({error!r})"
        if not passed:
            failed.append(case["name"])
    assert not failed, f"{len(failed)} of {len(cases)}: {failed}"


# The flows of tasks, told to a store.


class Teller:
    """Tells a store about tasks, one extraction after the other."""

    MESSAGE = "Here is what stands where: everything is as I say."
    BEFORE = "something from before"

    def __init__(self, memory: recallite.Memory, project: str) -> None:
        self.memory = memory
        self.project = project
        self.session = f"session of {project}"
        self.told = 0
        memory.append(kind="user_prompt", session=self.session, content=self.MESSAGE)

    def tell(
        self,
        title: str,
        status: str | None = None,
        blocked_by: list[str] | None = None,
        aligned: bool = True,
    ) -> recallite.IngestedTask:
        self.told += 1
        quote = "everything is as I say" if aligned else "nobody ever said these words here"
        task: Case = {
            "id": f"t{self.told}",
            "title": title,
            "blocked_by": blocked_by or [],
            "quotes": [{"message_index": 0, "quote": quote}],
        }
        if status is not None:
            task["status"] = status
        extraction = {"schema_version": 1, "entries": [], "tasks": [task]}
        report = self.memory.ingest(self.session, extraction, project=self.project)
        return report.tasks[0]

    def set_up(self, title: str, status: str) -> None:
        """A task that stands at a status, by allowed moves only."""
        first = "in_progress" if status == "done" else status
        self.tell(title, first, [self.BEFORE] if status == "blocked" else [], aligned=False)
        if first != status:
            self.tell(title, status)


def shown(event: recallite.Event) -> Case | None:
    said = event.metadata or {}
    kind = str(event.kind)
    match kind:
        case "task_created":
            return {"type": kind, "initial_status": said["initial_status"]}
        case "task_status_changed":
            return {"type": kind, "from": said["from_status"], "to": said["to_status"]}
        case "task_priority_changed":
            return {"type": kind, "from": said["from"], "to": said["to"]}
        case "task_transition_rejected":
            ends = {"from": said["from_status"], "to": said["to_status"]}
            reason = {"reason": said["reason"], "rejected_reason": said["reason"]}
            return {"type": kind, **ends, **reason}
        case "task_blockers_set":
            kinds = [blocker["kind"] for blocker in said["blockers"]]
            return {"type": kind, "mode": said["mode"], "blockers": kinds}
        case _:
            return None


def test_task_flows_pass(memory: recallite.Memory) -> None:
    failed: list[str] = []
    for number, case in enumerate(vectors("task_flow")):
        given, expected = case["input"], case["expected"]
        teller = Teller(memory, f"p{number}")
        title = given["entry"]["title"]
        if given["existing_status"] is not None:
            teller.set_up(title, given["existing_status"])
        before = memory.stats().last_seq
        entry = given["entry"]
        told = teller.tell(
            title, entry.get("status"), entry.get("blocked_by"), given["evidence_aligned"]
        )
        detail = memory.tasks.get(told)
        assert detail is not None
        task = detail.task
        acts = [act for event in detail.history if event.seq > before and (act := shown(event))]
        edges = [("blocked_by", one) for one in task.blockers]
        edges += [("blocked_by_suggested", one) for one in task.suggested_blockers]
        got = {
            "is_new": told.is_new,
            "events": acts,
            "final_status": task.status,
            "blocker_edges": [
                {"rel_type": relation, "target_type": one.kind}
                for relation, one in edges
                if one.raw_text != teller.BEFORE
            ],
        }
        if not covers(got, expected):
            failed.append(f"{case['name']}: {got}")
    assert not failed, failed


def test_blocker_texts_are_understood(tmp_path: Path) -> None:
    failed: list[str] = []
    for number, case in enumerate(vectors("blocker_classification")):
        given, expected = case["input"], case["expected"]
        with recallite.open(tmp_path / str(number)) as memory:
            teller = Teller(memory, given["project"])
            for known in given["existing_tasks"]:
                teller.set_up(known["title"], known["status"])
            count = len(memory.tasks.list(project=recallite.ProjectScope.ALL))
            told = teller.tell("A task that waits", "blocked", [given["text"]])
            detail = memory.tasks.get(told)
            assert detail is not None
            (blocker,) = detail.task.blockers
            now = len(memory.tasks.list(project=recallite.ProjectScope.ALL))
            got = {
                "kind": blocker.kind,
                "confidence": blocker.confidence,
                "creates_task": now != count + 1,
            }
            if not covers(got, expected):
                failed.append(f"{case['name']}: {got}")
    assert not failed, failed
