"""Taking in what a language model extracted."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from learned import MESSAGES, SESSION, extraction, learn, tell

import recallite
from recallite import EvidenceSpan, MatchMethod, Stage


def test_the_messages_are_numbered_as_quotes_name_them(memory: recallite.Memory) -> None:
    tell(memory)
    memory.append(
        kind="tool_observation", session=SESSION, tool={"name": "Read", "output": "not a message"}
    )
    messages = memory.knowledge.session_messages(SESSION)
    assert [message.index for message in messages] == [0, 1, 2, 3]
    assert [message.event.content for message in messages if message.event] == [
        content for _, content in MESSAGES
    ]
    assert memory.knowledge.session_messages(SESSION, offset=1, limit=2) == messages[1:3]
    assert memory.knowledge.session_messages(SESSION, limit=0) == []
    with pytest.raises(recallite.NotFound) as raised:
        memory.knowledge.session_messages("tuesday")
    assert raised.value.argument == "session"


def words(memory: recallite.Memory, span: EvidenceSpan) -> str:
    assert span.event_id is not None
    event = memory.event(span.event_id)
    assert event is not None
    text = event.content[span.start : span.end]
    assert event.content.encode()[span.start_byte : span.end_byte].decode() == text
    return text


def test_quotes_are_looked_up_and_counted_in_code_points(memory: recallite.Memory) -> None:
    report = learn(memory)
    first, second, third = report.entries
    assert first.is_new and first.local_id == "e1"
    assert first.stage is Stage.VERIFIED and first.evidence.is_aligned
    assert words(memory, first.evidence.aligned[0]) == "배포는 금요일에 하지 않습니다"
    assert [words(memory, span) for span in second.evidence.aligned] == [
        "세션 만료는 30분으로 하자",
        "Sessions live in Redis",
    ]
    assert [span.method for span in second.evidence.aligned] == [
        MatchMethod.EXACT,
        MatchMethod.NORMALIZED,
    ]
    assert third.stage is Stage.CANDIDATE and not third.evidence.is_aligned
    assert third.evidence.failed[0].reason == "not_found"
    task = report.tasks[1]
    assert task.is_new and task.acts > 0
    quote = "the cafe\u0301 order page is blocked until OPS-12"
    assert words(memory, task.evidence.aligned[0]) == quote
    # What is stored says the same.
    stored = memory.knowledge.entry(first)
    assert stored is not None and stored.evidence == first.evidence


def test_a_second_time_writes_nothing(memory: recallite.Memory) -> None:
    report = learn(memory)
    assert not report.already_ingested and report.events > 0
    assert report.session == SESSION
    seq = memory.stats().last_seq
    again = memory.ingest(SESSION, json.dumps(extraction(), ensure_ascii=False))
    assert again.already_ingested and again.events == 0
    assert again.build_id == report.build_id
    assert [one.entry_id for one in again.entries] == [one.entry_id for one in report.entries]
    assert not any(one.is_new for one in again.entries)
    assert memory.stats().last_seq == seq


def test_what_extracted_goes_to_the_ledger(memory: recallite.Memory) -> None:
    tell(memory)
    report = memory.ingest(
        SESSION,
        extraction(),
        extractor_model="model-1",
        extractor_prompt=recallite.EXTRACTION_PROMPT,
        extraction_ms=1234.5,
        project="상점",
    )
    (run,) = memory.history.build_runs()
    assert run.build_id == report.build_id
    assert run.tools.extractor_model == "model-1"
    assert run.tools.extractor_prompt_hash
    assert run.tools.schema_version == str(recallite.EXTRACTION_SCHEMA_VERSION)
    metrics = {metric.stage: metric for metric in memory.history.pipeline_metrics()}
    assert metrics[recallite.PipelineStage.EXTRACTION].latency_ms == 1234.5
    assert {entry.project for entry in memory.knowledge.entries(project="상점")} == {"상점"}


def answer_about(title: str, quote: str, **more: Any) -> dict[str, Any]:
    quotes = [{"message_index": 0, "quote": quote}]
    entry = {"id": "e1", "type": "decision", "title": title, "content": quote, "quotes": quotes}
    return {"schema_version": 1, "entries": [entry], **more}


def test_an_answer_replaces_what_is_known_by_the_id_in_the_prompt(
    memory: recallite.Memory,
) -> None:
    said = {
        "old": "The payment timeout is 15 seconds.",
        "new": "Make the payment timeout 30 seconds.",
    }
    for session, text in said.items():
        memory.append(kind="user_prompt", session=session, content=text)

    def read(session: str, answer: dict[str, Any]) -> recallite.IngestReport:
        request = memory.knowledge.extraction_request(session)
        return memory.ingest(session, answer, messages=request.messages)

    first = read("old", answer_about("Fifteen seconds", said["old"]))
    prompt = memory.knowledge.extraction_request("new").prompt
    (line,) = [line for line in prompt.splitlines() if line.startswith("> entry_")]
    known = line.removeprefix("> ").split(",")[0]
    assert first.entries[0].entry_id.startswith(known)
    relations = [{"from": "e1", "relation": "supersedes", "to": known}]
    report = read("new", answer_about("Thirty", said["new"], relations=relations))
    assert not report.left_out
    entry = memory.knowledge.entry(first.entries[0])
    assert entry is not None and entry.superseded_by == report.entries[0].entry_id
    text = memory.context("what is the payment timeout?").text
    assert "Decision, in force: Thirty" in text

    # What is gone, or was never there, is named.
    relations = [{"from": "e1", "relation": "supersedes", "to": "entry_00000000"}]
    lost = answer_about("Thirty-one", said["new"], relations=relations)
    assert memory.ingest("new", lost).left_out == ("entry_00000000",)


def test_an_answer_over_an_erased_message_is_taken_in_without_it(memory: recallite.Memory) -> None:
    gone = memory.append(
        kind="user_prompt",
        session="talk",
        content="The vault code is behind the painting, let's keep it there.",
    )
    memory.append(kind="user_prompt", session="talk", content="Let's go with lz4 for the cache. 🗜️")
    request = memory.knowledge.extraction_request("talk")
    assert len(request.messages) == 2
    memory.erase(gone.id)
    answer = answer_about("The vault code", "The vault code is behind the painting")
    words = "Let's go with lz4 for the cache"
    kept = answer_about("lz4", words)["entries"][0] | {"id": "e2"}
    kept["quotes"] = [{"message_index": 1, "quote": words}]
    answer["entries"].append(kept)
    answer["tasks"] = [
        {
            "id": "t1",
            "title": "Move the vault code",
            "quotes": [{"message_index": 0, "quote": "vault code"}],
        }
    ]
    report = memory.ingest("talk", answer, messages=request.messages)
    assert report.left_out == ("e1", "t1")
    assert [entry.local_id for entry in report.entries] == ["e2"]
    assert memory.tasks.list() == []
    assert "vault" not in repr(memory.changes_since(0))


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"entries": None}, "entries"),
        ({"entries": [{"id": "e1"}]}, "entries[0].quotes"),
        ({"tasks": [{"id": "t1", "title": "🎉"}]}, "tasks[0].title"),
        (
            {"tasks": [{"id": "t1", "title": "a", "status": "finished"}]},
            "tasks[0].status",
        ),
        ({"relations": [{"from": "e1", "relation": "mentions", "to": "t9"}]}, "relations[0].to"),
        ({"unknown": 1}, "extraction"),
    ],
)
def test_a_mistake_of_the_model_is_named(
    memory: recallite.Memory, change: dict[str, Any], argument: str
) -> None:
    tell(memory)
    seq = memory.stats().last_seq
    with pytest.raises(recallite.InvalidArgument) as raised:
        memory.ingest(SESSION, extraction() | change)
    assert raised.value.argument == argument
    assert memory.stats().last_seq == seq


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("{", recallite.InvalidArgument),
        ("[]", recallite.InvalidArgument),
        ("", recallite.InvalidArgument),
        ({"a": {1, 2}}, recallite.InvalidArgumentType),
        ({"a": float("nan")}, recallite.InvalidArgument),
        ([], recallite.InvalidArgumentType),
        (b"{}", recallite.InvalidArgumentType),
        (None, recallite.InvalidArgumentType),
    ],
)
def test_what_is_no_extraction_is_refused(
    memory: recallite.Memory, given: Any, error: type[recallite.Error]
) -> None:
    tell(memory)
    with pytest.raises(error) as raised:
        memory.ingest(SESSION, given)
    assert raised.value.argument == "extraction"


def test_other_arguments_are_checked(memory: recallite.Memory) -> None:
    with pytest.raises(recallite.NotFound) as missing:
        memory.ingest("no such session", extraction())
    assert missing.value.argument == "session"
    tell(memory)
    for name, value in [
        ("extractor_model", 1),
        ("extractor_prompt", b""),
        ("extraction_ms", "1"),
        ("project", 1),
    ]:
        options: dict[str, Any] = {name: value}
        with pytest.raises(recallite.InvalidArgumentType) as raised:
            memory.ingest(SESSION, extraction(), **options)
        assert raised.value.argument == name


def test_the_published_form_is_readable() -> None:
    schema = json.loads(recallite.EXTRACTION_SCHEMA)
    assert schema["properties"]["schema_version"]["const"] == recallite.EXTRACTION_SCHEMA_VERSION
    assert "message_index" in recallite.EXTRACTION_PROMPT


def test_other_threads_go_on_during_an_ingest(memory: recallite.Memory) -> None:
    text = "가나다라 마바사 " * 4000
    memory.append(kind="user_prompt", session=SESSION, content=text)
    entries = [
        {
            "id": f"e{number}",
            "type": "fact",
            "title": f"Fact {number}",
            "content": "x",
            "quotes": [{"message_index": 0, "quote": f"{'하파타카 차자 ' * 12}{number}"}],
        }
        for number in range(30)
    ]
    given = {"schema_version": 1, "entries": entries}
    reports: list[recallite.IngestReport] = []
    work = threading.Thread(target=lambda: reports.append(memory.ingest(SESSION, given)))
    work.start()
    turns = 0
    while work.is_alive():
        turns += 1
        time.sleep(0.001)
    work.join()
    assert len(reports[0].entries) == 30
    assert turns > 3


def test_a_model_of_the_host_is_asked_about_each_message_once(memory: recallite.Memory) -> None:
    memory.append(kind="user_prompt", session="monday", content="세션은 Redis에 두자. 🎉")
    request = memory.knowledge.extraction_request("monday")
    assert memory.knowledge.extraction_request("monday", budget_tokens=8000) == request
    assert (len(request.messages), request.has_more) == (1, False)
    assert request.schema == recallite.EXTRACTION_SCHEMA
    assert "0 (user)\n> 세션은 Redis에 두자. 🎉\n" in request.prompt
    quote = {"message_index": 0, "quote": "세션은 Redis에 두자"}
    entry = {"id": "e1", "type": "decision", "title": "Redis", "content": "x", "quotes": [quote]}
    report = memory.ingest(
        "monday", {"schema_version": 1, "entries": [entry]}, messages=request.messages
    )
    assert report.entries[0].stage == Stage.VERIFIED
    assert memory.knowledge.extraction_request("monday").messages == ()
    with pytest.raises(recallite.InvalidArgument) as wrong:
        memory.ingest("monday", {"schema_version": 1, "entries": []}, messages=["no id"])
    assert wrong.value.argument == "messages[0]"
    with pytest.raises(recallite.InvalidArgument) as small:
        memory.knowledge.extraction_request("monday", budget_tokens=10)
    assert small.value.argument == "budget_tokens"
    with pytest.raises(recallite.NotFound) as missing:
        memory.knowledge.extraction_request("nobody")
    assert missing.value.argument == "session"
