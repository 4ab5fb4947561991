"""Every method of `Memory`, and what it gives."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import recallite
from recallite import EventKind, NewEvent, Origin, ProjectScope, ToolUse


def test_open_takes_str_bytes_and_path(tmp_path: Path) -> None:
    folder = tmp_path / "메모리 🧠"
    for path in (folder, str(folder), str(folder).encode()):
        with recallite.open(path) as memory:
            assert memory.path.samefile(folder)
            assert isinstance(memory.path, Path)
            memory.append(kind="user_prompt", session="s", content="kept")
    with recallite.open(folder) as memory:
        assert [event.content for event in memory.events()] == ["kept"]


def test_open_options(tmp_path: Path) -> None:
    with recallite.open(
        tmp_path / "m",
        project="shop",
        create=True,
        exclusive=True,
        busy_timeout_ms=10,
        cache_bytes=1 << 20,
        index_cache_bytes=1 << 20,
        allow_network_folder=True,
    ) as memory:
        assert memory.project == "shop"
        assert "project='shop'" in repr(memory)


def test_closing_twice_is_fine_and_is_shown(memory: recallite.Memory) -> None:
    assert memory.is_open
    memory.close()
    memory.close()
    assert not memory.is_open
    assert "closed" in repr(memory)


def test_append_keeps_every_field(memory: recallite.Memory, noon: datetime) -> None:
    receipt = memory.append(
        kind=EventKind.AGENT_RESPONSE,
        session="s1",
        content="שלום, 世界 — é 🧠",
        actor="Ada",
        origin=Origin.WEB,
        project="shop",
        timestamp=noon,
        metadata={"키": [1, 2.5, None, True, {"깊이": "값"}]},
        dedupe="message-1",
    )
    assert not receipt.duplicate
    assert receipt.seq == 1
    assert receipt.truncated_bytes == 0
    assert receipt.warnings == ()
    assert not receipt.privacy.changed
    event = memory.event(receipt.id)
    assert event is not None
    assert (event.id, event.seq, event.citation) == (receipt.id, receipt.seq, receipt.citation)
    assert event.kind == "agent_response"
    assert event.kind is EventKind.AGENT_RESPONSE
    assert event.session == "s1"
    assert event.project == "shop"
    assert event.actor == "Ada"
    assert event.origin is Origin.WEB
    assert event.timestamp == noon
    assert event.content == "שלום, 世界 — é 🧠"
    assert event.metadata == {"키": [1, 2.5, None, True, {"깊이": "값"}]}
    assert event.tool is None
    assert event.canonical_key
    assert event.privacy == receipt.privacy


def test_dedupe(memory: recallite.Memory) -> None:
    def append(content: str, dedupe: bool | str) -> recallite.Appended:
        return memory.append(kind="user_prompt", session="s", content=content, dedupe=dedupe)

    first = append("same", True)
    again = append("same", True)
    assert again.duplicate and again.id == first.id
    assert not append("same", False).duplicate
    keyed = append("one", "key")
    assert append("two", "key").id == keyed.id


def test_append_masks_what_is_private(memory: recallite.Memory) -> None:
    receipt = memory.append(
        kind="user_prompt", session="s", content="the code is <private>0451</private>, remember"
    )
    assert receipt.privacy.private_count == 1
    assert receipt.privacy.changed
    event = memory.event(receipt)
    assert event is not None and "0451" not in event.content
    assert memory.stats().privacy.private_sections == 1


def test_sessions_with_private_sections_are_counted(memory: recallite.Memory) -> None:
    for session, content in (
        ("s1", "Nothing to hide."),
        ("s1", "One <private>walrus</private> and <private>more</private>."),
        ("s1", "또 <private>바다코끼리</private>."),
        ("s2", "Also <private>here</private>."),
    ):
        memory.append(kind="user_prompt", session=session, content=content)
    privacy = memory.stats().privacy
    assert (privacy.private_sections, privacy.sessions) == (4, 2)


def test_tool_observation(memory: recallite.Memory) -> None:
    use = ToolUse(
        name="Read",
        input={"file_path": "/src/주문.rs"},
        output="fn main() {}",
        duration_ms=12,
        success=True,
        prompt_index=0,
        tool_index=1,
    )
    receipt = memory.append(kind="tool_observation", session="s", tool=use)
    event = memory.event(receipt)
    assert event is not None and event.tool is not None
    tool = event.tool
    assert (tool.name, tool.input, tool.output) == ("Read", use.input, use.output)
    assert (tool.duration_ms, tool.success, tool.error) == (12, True, None)
    assert (tool.prompt_index, tool.tool_index) == (0, 1)
    assert isinstance(tool.metadata, dict)
    assert event.actor == "Read"

    failed = memory.append(
        kind="tool_observation",
        session="s",
        tool={"name": "Bash", "output": "", "error": "exit 1", "success": False},
    )
    event = memory.event(failed)
    assert event is not None and event.tool is not None
    assert (event.tool.success, event.tool.error) == (False, "exit 1")
    assert [e.tool.name for e in memory.events(tools="Read") if e.tool] == ["Read"]
    assert [e.tool.name for e in memory.events(tool="Read") if e.tool] == ["Read"]
    assert len(list(memory.events(file_contains="주문"))) == 1
    assert [e.seq for e in memory.events(tools=["Read", "Bash"], tool_outcome="failed")] == [2]


def test_append_batch_is_atomic(memory: recallite.Memory) -> None:
    receipts = memory.append_batch(
        [
            NewEvent("user_prompt", "s", "first"),
            {"kind": "agent_response", "session": "s", "content": "second"},
        ]
    )
    assert [receipt.seq for receipt in receipts] == [1, 2]
    assert memory.append_batch([]) == []
    assert memory.append_batch(NewEvent("user_prompt", "s", f"{n}") for n in range(3))
    with pytest.raises(recallite.InvalidArgument) as caught:
        memory.append_batch(
            [NewEvent("user_prompt", "s", "third"), NewEvent("user_prompt", "", "fourth")]
        )
    assert caught.value.argument == "events[1].session"
    assert memory.stats().events == 5


def test_event_takes_every_name(memory: recallite.Memory) -> None:
    receipt = memory.append(kind="user_prompt", session="s", content="우리는 금요일에 배포한다")
    event = memory.event(receipt.id)
    assert event is not None
    hit = memory.search("배포").items[0]
    detail = memory.details(receipt.id)[0]
    item = memory.timeline(receipt.id)[0]
    names = (receipt.seq, receipt.citation, f"mem:{receipt.citation}", f"[mem:{receipt.citation}]")
    for name in (*names, receipt, event, hit, detail, item):
        assert memory.event(name) == event
    assert memory.event(receipt.seq + 1) is None
    assert memory.event("00000000-0000-7000-8000-000000000000") is None


def test_citation(memory: recallite.Memory) -> None:
    receipt = memory.append(kind="user_prompt", session="s", content="cite me")
    assert memory.citation(f"mem:{receipt.citation}").id == receipt.id
    with pytest.raises(recallite.NotFound):
        memory.citation("mem:zzzzzz")
    with pytest.raises(recallite.InvalidArgument):
        memory.citation("mem:?")


def test_events_are_read_as_they_are_asked_for(memory: recallite.Memory, noon: datetime) -> None:
    for number in range(300):
        memory.append(
            kind="user_prompt" if number % 2 else "agent_response",
            session=f"s{number % 3}",
            content=f"event {number}",
            project="odd" if number % 2 else "even",
            timestamp=noon + timedelta(seconds=number),
        )
    events = memory.events()
    assert isinstance(events, Iterator)
    assert next(events).content == "event 0"
    memory.append(
        kind="user_prompt", session="late", content="late", timestamp=noon + timedelta(days=1)
    )
    assert [event.content for event in events][-1] == "late"
    assert list(events) == []

    def contents(**filters: object) -> list[str]:
        found = [event.content for event in memory.events(**filters)]  # type: ignore[arg-type]
        assert memory.count_events(**filters) == len(found)  # type: ignore[arg-type]
        return found

    assert len(contents(session="s0")) == 100
    assert len(contents(project="odd")) == 150
    assert len(contents(project=ProjectScope.ALL)) == 301
    assert len(contents(kinds="agent_response")) == 150
    assert len(contents(kinds=[EventKind.USER_PROMPT, "agent_response"])) == 301
    assert contents(newest_first=True, limit=2) == ["late", "event 299"]
    assert contents(newest_first=True, offset=1, limit=1) == ["event 299"]
    span = {"from_": noon + timedelta(seconds=5), "until": noon + timedelta(seconds=8)}
    assert contents(**span) == ["event 5", "event 6", "event 7"]


def test_an_iterator_ends_with_an_error_when_the_memory_is_closed(
    memory: recallite.Memory,
) -> None:
    memory.append(kind="user_prompt", session="s", content="a")
    events = memory.events()
    memory.close()
    with pytest.raises(recallite.Closed):
        next(events)
    assert list(events) == []


def test_an_iterator_that_is_closed_has_nothing_left(memory: recallite.Memory) -> None:
    for content in "abc":
        memory.append(kind="user_prompt", session="s", content=content)
    events = memory.events()
    assert next(events).content == "a"
    events.close()
    events.close()
    assert list(events) == []
    with memory.events() as entered:
        assert next(entered).content == "a"
    assert list(entered) == []
    with pytest.raises(ZeroDivisionError), memory.events():
        raise ZeroDivisionError


def test_projects_are_scopes(tmp_path: Path) -> None:
    with recallite.open(tmp_path, project="shop") as memory:
        memory.append(kind="user_prompt", session="a", content="in the shop")
        memory.append(kind="user_prompt", session="b", content="in the bank", project="bank")
        memory.append(kind="user_prompt", session="c", content="nowhere", project="")
        assert [e.content for e in memory.events()] == ["in the shop"]
        assert [e.content for e in memory.events(project="bank")] == ["in the bank"]
        assert [e.content for e in memory.events(project="")] == ["nowhere"]
        assert len(list(memory.events(project=ProjectScope.ALL))) == 3
        assert [s.id for s in memory.sessions()] == ["a"]
        assert [s.id for s in memory.sessions(project="bank")] == ["b"]
        assert len(memory.sessions(project=ProjectScope.ALL)) == 3
        newest = memory.sessions(project=ProjectScope.ALL, limit=2)
        assert [s.id for s in newest] == [s.id for s in memory.sessions(project=ProjectScope.ALL)][:2]


def test_changes_since(memory: recallite.Memory) -> None:
    for number in range(5):
        memory.append(kind="user_prompt", session="s", content=f"{number}")
    assert [event.seq for event in memory.changes_since(2)] == [3, 4, 5]
    assert [event.seq for event in memory.changes_since(0, limit=2)] == [1, 2]
    assert memory.changes_since(5) == []


def test_sessions(memory: recallite.Memory, noon: datetime) -> None:
    assert memory.session("s") is None
    memory.append(kind="user_prompt", session="s", content="q", timestamp=noon)
    session = memory.update_session(
        "s",
        summary="요약",
        tags=["배포", "deploy"],
        started=noon - timedelta(hours=1),
        ended=noon + timedelta(hours=1),
        project="shop",
    )
    assert session.summary == "요약"
    assert session.tags == ("배포", "deploy")
    assert session.started == noon - timedelta(hours=1)
    assert session.ended == noon + timedelta(hours=1)
    assert session.project == "shop"
    assert (session.events, session.prompts, session.responses, session.tools) == (1, 1, 0, 0)
    assert session.last_event == noon
    assert memory.session("s") == session
    assert memory.update_session("s", tags=[]).tags == ()
    assert [s.id for s in memory.sessions(project=ProjectScope.ALL)] == ["s"]


def test_search_filters_and_shape(memory: recallite.Memory, noon: datetime) -> None:
    for day in range(4):
        memory.append(
            kind="user_prompt" if day % 2 else "agent_response",
            session=f"s{day}",
            content=f"The gateway timeout was changed on day {day}",
            timestamp=noon + timedelta(days=day),
        )
    found = memory.search("gateway timeout")
    assert len(found) == 4 == found.total_matches
    assert list(found) == list(found.items)
    assert found[0] is found.items[0]
    assert found[:2] == found.items[:2]
    assert found.confidence in recallite.MatchClass
    assert not found.degraded
    scores = [hit.rank_score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= hit.relevance <= 1 and 0 <= hit.match_score <= 1 for hit in found)
    assert len(memory.search("gateway", limit=1)) == 1
    assert [hit.session for hit in memory.search("gateway", session="s2")] == ["s2"]
    assert len(memory.search("gateway", kinds=["user_prompt"])) == 2
    late = memory.search("gateway", from_=noon + timedelta(days=3))
    assert [hit.session for hit in late] == ["s3"]
    early = memory.search("gateway", until=noon + timedelta(days=1))
    assert [hit.session for hit in early] == ["s0"]
    assert len(memory.search("gateway", project="elsewhere")) == 0
    assert not memory.search("zzzz qqqq")
    # A relevance that a search gave is accepted back without rounding.
    best = found[0]
    assert best in tuple(memory.search("gateway timeout", min_relevance=best.relevance))
    assert len(memory.search("gateway", deadline_ms=60_000)) == 4


def test_passages_count_in_code_points(memory: recallite.Memory) -> None:
    filler = "그 밖의 이야기 🧵👩‍👩‍👧‍👦 그리고 café. " * 60
    content = filler + "결제 게이트웨이 타임아웃은 15초로 정했습니다 🎉. " + filler
    memory.append(kind="user_prompt", session="s", content=content)
    hit = memory.search("결제 게이트웨이 타임아웃").items[0]
    event = memory.event(hit)
    assert event is not None
    passage = hit.passage
    assert "15초" in passage.text
    assert event.content[passage.start : passage.end] == passage.text
    assert event.content.encode()[passage.start_byte : passage.end_byte].decode() == passage.text
    assert 0 < passage.start < passage.start_byte


def test_timeline_and_details(memory: recallite.Memory, noon: datetime) -> None:
    receipts = [
        memory.append(
            kind="agent_response" if number % 2 else "user_prompt",
            session="s",
            content=f"turn {number} about /src/main.rs here",
            timestamp=noon + timedelta(minutes=number),
        )
        for number in range(9)
    ]
    items = memory.timeline(receipts[4], window=1)
    assert [item.seq for item in items] == [4, 5, 6]
    assert [item.is_target for item in items] == [False, True, False]
    assert items[1].preview.startswith("turn 4")
    assert len(memory.timeline([receipts[0], receipts[8].seq], window=0)) == 2
    assert len(memory.timeline([receipts[4].citation])) == 7
    assert memory.timeline([]) == []
    details = memory.details([receipts[4].id, receipts[1]])
    assert [detail.event.seq for detail in details] == [5, 2]
    first = details[0]
    assert first.token_count > 0
    assert not first.has_code
    assert first.files == ("/src/main.rs",)
    assert first.relations.children == (receipts[5].id,)
    assert first.relations.previous == receipts[3].id
    assert first.relations.next == receipts[5].id
    assert details[1].relations.parent == receipts[0].id
    with pytest.raises(recallite.NotFound) as caught:
        memory.details([receipts[0], 99])
    assert caught.value.argument == "events[1]"


def test_stats(memory: recallite.Memory, noon: datetime) -> None:
    empty = memory.stats()
    assert (empty.events, empty.last_seq, empty.oldest) == (0, 0, None)
    memory.append(kind="user_prompt", session="a", content="hello", timestamp=noon, project="p")
    memory.append(kind="agent_response", session="b", content="hi", timestamp=noon)
    stats = memory.stats()
    assert (stats.events, stats.prompts, stats.responses, stats.sessions) == (2, 1, 1, 2)
    assert (stats.summaries, stats.tools, stats.forgotten, stats.erased) == (0, 0, 0, 0)
    assert stats.projects == 1
    assert stats.oldest == stats.newest == noon
    assert stats.payload_bytes == 7
    assert stats.size_bytes >= stats.log_bytes > 0
    assert stats.last_append is not None and stats.last_append > noon
    assert stats.lexical.flushed_events + stats.lexical.memtable_events == 2


@pytest.mark.parametrize(
    "given",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
        datetime(2026, 2, 28, 23, 30, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
        datetime(9999, 12, 29, 21, 59, 59, 999000, tzinfo=UTC),
    ],
)
def test_times_come_back_in_utc(memory: recallite.Memory, given: datetime) -> None:
    receipt = memory.append(kind="user_prompt", session="s", content="then", timestamp=given)
    event = memory.event(receipt)
    assert event is not None
    assert event.timestamp == given
    assert event.timestamp.tzinfo is UTC


def test_microseconds_are_dropped(memory: recallite.Memory) -> None:
    given = datetime(1960, 1, 1, microsecond=123456, tzinfo=UTC)
    receipt = memory.append(kind="user_prompt", session="s", content="then", timestamp=given)
    event = memory.event(receipt)
    assert event is not None
    assert event.timestamp == given.replace(microsecond=123000)


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(recallite.default_store_path(), Path)
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    assert recallite.project_of(tmp_path / "repo" / "src") == recallite.project_of(
        tmp_path / "repo"
    )
    with pytest.raises(recallite.NotFound):
        recallite.project_of(tmp_path / "missing")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", "/data")
        assert recallite.default_store_path() == Path("/data/recallite")


@pytest.mark.parametrize("take", ["forget", "erase"])
def test_a_step_gives_nothing_that_was_forgotten_or_erased_before_it(
    memory: recallite.Memory, take: str
) -> None:
    memory.append_batch(recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(1000))
    memory.append(kind="user_prompt", session="kept", content="kept")
    events = memory.events()
    assert next(events).seq == 1
    getattr(memory, take)(session="s")
    assert [event.content for event in events] == ["kept"]


def test_a_closed_memory_ends_its_iterators_with_an_error(tmp_path: Path) -> None:
    memory = recallite.open(tmp_path)
    memory.append_batch(recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(20))
    events = memory.events()
    next(events)
    memory.close()
    with pytest.raises(recallite.Closed):
        next(events)


def test_a_closed_memory_leaves_its_file_to_others(tmp_path: Path) -> None:
    memory = recallite.open(tmp_path, exclusive=True)
    memory.append_batch(recallite.NewEvent("user_prompt", "s", f"number {n}") for n in range(20))
    events = memory.events()
    next(events)
    memory.close()
    again = "import sys, recallite; recallite.open(sys.argv[1], exclusive=True).close()"
    subprocess.run([sys.executable, "-c", again, tmp_path], check=True)
    with pytest.raises(recallite.Closed):
        next(events)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file keeps its folder")
def test_a_folder_that_was_removed_and_made_anew_is_another_store(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    old = recallite.open(path)
    old.append(kind="user_prompt", session="s", content="remember the old one")
    assert old.search("remember")
    shutil.rmtree(path)
    with recallite.open(path) as new:
        assert new.stats().events == 0
        for call in (old.stats, old.compact, lambda: old.search("remember")):
            with pytest.raises(recallite.NeedsReopen, match="moved, removed or replaced") as lost:
                call()
            assert lost.value.needs_reopen
        new.append(kind="user_prompt", session="s", content="remember the new one")
    old.close()
    with recallite.open(path) as again:
        assert [event.content for event in again.events()] == ["remember the new one"]


def test_a_memory_cannot_be_copied_or_sent(memory: recallite.Memory) -> None:
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps, json.dumps):
        with pytest.raises(TypeError):
            attempt(memory)


def test_a_session_name_may_have_as_many_bytes_as_the_documentation_says(
    memory: recallite.Memory,
) -> None:
    memory.append(kind="user_prompt", session="s" * 1024, content="fits")
    with pytest.raises(recallite.InvalidArgument, match=r"1024|1,024") as caught:
        memory.append(kind="user_prompt", session="s" * 1025, content="does not")
    assert caught.value.argument == "session"
