"""Recall beyond a plain search: queries, context, smart search, citations."""

from __future__ import annotations

import gc
import math
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import (
    CitationFormat,
    EventKind,
    ExpansionReason,
    Origin,
    Query,
    Recording,
)

FACTS = [
    ("s1", "user_prompt", "Which port does the test server use?"),
    ("s1", "agent_response", "The test server listens on port 4173; production stays on 8080."),
    ("s2", "user_prompt", "결제 게이트웨이 타임아웃은 15초로 정했습니다."),
    ("s2", "agent_response", "タイムアウトは十五秒に設定しました。 🎉"),
    ("s3", "user_prompt", "Invoices are printed in the font Inter at 11 points."),
]


@pytest.fixture
def talk(memory: recallite.Memory, noon: datetime) -> recallite.Memory:
    for minute, (session, kind, content) in enumerate(FACTS):
        memory.append(
            kind=kind,
            session=session,
            content=content,
            timestamp=noon + timedelta(minutes=minute),
        )
    return memory


def test_a_query_is_a_search_as_a_value(talk: recallite.Memory, noon: datetime) -> None:
    text = "port of the test server"
    assert talk.search(Query(text)) == talk.search(text)
    query = Query(text, limit=1, session="s1", kinds=["agent_response"], from_=noon)
    assert [hit.seq for hit in talk.search(query)] == [2]
    # An argument replaces the query's own field, and only that.
    assert [hit.seq for hit in talk.search(query, kinds="user_prompt")] == [1]
    assert talk.search(Query(text, until=noon)).total_matches == 0
    assert talk.search(Query(text, deadline_ms=60_000)).items
    assert not talk.search(Query(text, min_relevance=1.0)).items
    assert not talk.search(Query(text, project="elsewhere")).items
    assert [hit.origin for hit in talk.search(query)] == [Origin.ASSISTANT]
    with pytest.raises(recallite.InvalidArgument) as caught:
        talk.search(Query(text, kinds=["moon"]))
    assert caught.value.argument == "query.kinds[0]"
    with pytest.raises(recallite.InvalidArgumentType) as caught:
        talk.search({"text": text})  # type: ignore[arg-type]
    assert caught.value.argument == "query"


def test_recalled_text_is_found_only_when_asked_for(memory: recallite.Memory) -> None:
    memory.append(kind="user_prompt", session="s", content="The launch code word is heron.")
    context = memory.context("what is the launch code word?", session="t")
    assert context
    memory.append(kind="agent_response", session="t", content=f"I was told:\n\n{context.text}")
    plain = memory.search("launch code word heron")
    with_recalled = memory.search("launch code word heron", include_recalled=True)
    assert len(with_recalled) > len(plain) == 1
    assert len(memory.search(Query("launch code word heron", include_recalled=True))) == len(
        with_recalled
    )


def test_a_fenced_text_is_recalled_text(memory: recallite.Memory) -> None:
    fenced = memory.fence("> decided: the heron lands in Busan")
    assert fenced.startswith("<recalled-memory fence=")
    memory.append(kind="agent_response", session="t", content=f"I was told:\n\n{fenced}")
    assert not memory.search("where does the heron land?")
    assert memory.search("where does the heron land?", include_recalled=True)


def test_context_is_fenced_cited_and_within_its_budget(talk: recallite.Memory) -> None:
    context = talk.context("which port does the test server use?", session="s9")
    assert "port 4173" in context.text
    assert str(context) == context.text
    assert context and not context.is_empty
    assert 0 < context.tokens <= 2000
    assert context.citations == tuple(item.citation for item in context.items)
    assert all(f"mem:{citation}" in context.text for citation in context.citations)
    assert context.text.startswith("<recalled-memory fence=")
    assert not context.degraded
    assert context.confidence in recallite.MatchClass
    best = context.items[0]
    assert best.kind in {EventKind.USER_PROMPT, EventKind.AGENT_RESPONSE}
    assert best.relevance is not None and 0 <= best.relevance <= 1
    for item in context.items:
        event = talk.event(item)
        assert event is not None
        assert event.content[item.start : item.end] == item.text
        assert event.content.encode()[item.start_byte : item.end_byte].decode() == item.text
    assert talk.context("which port does the test server use?", limit=1).citations
    small = talk.context("which port does the test server use?", budget_tokens=10)
    assert small.is_empty and not small and small.items == ()
    nothing = talk.context("which port does the test server use?", min_relevance=1.0)
    assert nothing.is_empty and nothing.citations == ()


def test_context_in_other_scripts_and_formats(talk: recallite.Memory) -> None:
    question = "결제 게이트웨이 타임아웃"
    for form in CitationFormat:
        context = talk.context(question, format=form)
        assert "15초" in context.text
        assert talk.context(question, format=str(form)).text == context.text
    footnote = talk.context(question, format="footnote").text
    assert "[1]" in footnote
    assert "## References" in talk.context(question, format="reference").text


def test_pinned_events_come_first(talk: recallite.Memory) -> None:
    hit = talk.search("invoices font").items[0]
    context = talk.context("결제 게이트웨이 타임아웃", pinned=[hit, "zzzzzz"])
    assert context.items[0].id == hit.id
    assert context.items[0].relevance is None
    assert "15초" in context.text
    assert talk.context("zzzz", pinned=hit.citation).items[0].id == hit.id


def test_tokens_are_counted_by_the_callers_function(talk: recallite.Memory) -> None:
    seen: list[str] = []

    def words(text: str) -> int:
        seen.append(text)
        return len(text.split())

    context = talk.context("which port does the test server use?", count_tokens=words)
    assert seen
    assert context.tokens == len(context.text.split())
    smart = talk.smart_search("port of the test server", count_tokens=lambda text: 7)
    assert smart.meta.estimated_tokens % 7 == 0
    dear = talk.smart_search("port of the test server", count_tokens=lambda text: 2**63)
    assert dear.meta.estimated_tokens == 2**28 - 1

    class Mine(Exception):
        pass

    def broken(text: str) -> int:
        raise Mine(text)

    for call in (talk.context, talk.smart_search):
        with pytest.raises(Mine):
            call("which port does the test server use?", count_tokens=broken)
        for wrong in ("7", math.inf, math.nan, -1, -(10**30), 10**30, None, True, [1]):
            with pytest.raises(recallite.CallbackError, match="^count_tokens: ") as refused:
                call("which port does the test server use?", count_tokens=lambda text, w=wrong: w)  # type: ignore[misc]
            assert refused.value.argument == "count_tokens"
            assert isinstance(refused.value.__cause__, recallite.InvalidArgument)

        async def later(text: str) -> int:
            return 1

        with warnings.catch_warnings(), pytest.raises(recallite.CallbackError):
            # Python itself says that the coroutine was never awaited.
            warnings.simplefilter("ignore", RuntimeWarning)
            call("which port does the test server use?", count_tokens=later)  # type: ignore[arg-type]
            gc.collect()
    assert talk.stats().injections.injections == 0 or context


def test_usage_is_recorded_when_it_is_wanted(talk: recallite.Memory) -> None:
    question = "which port does the test server use?"
    talk.context(question, session="a", recording="never")
    assert talk.citations.popular() == []
    context = talk.context(question, session="a", recording=Recording.NOW, reason="왜")
    talk.context(question, session="b", recording="now")
    event = context.items[0]
    assert talk.citations.citing_sessions(event) == ["b", "a"]
    assert talk.citations.citing_sessions(f"mem:{event.citation}") == ["b", "a"]
    assert talk.citations.citing_sessions(event.seq) == ["b", "a"]
    popular = talk.citations.popular(limit=1)
    assert len(popular) == 1
    assert popular[0].usage_count == 2
    assert popular[0].last_used.tzinfo is not None
    assert popular[0].preview
    assert talk.citations.popular(window_days=0) == []
    assert talk.citations.popular(window_days=1)
    figures = talk.stats().injections
    assert figures.injections == 2
    assert figures.memories >= 2 and figures.tokens > 0
    assert figures.last is not None

    detail = talk.citations.detail(event)
    assert detail.usage_count == 2
    assert detail.last_used is not None and detail.last_used >= popular[0].last_used
    assert detail.event.id == event.id
    for name in (event.id, event.seq, event.citation, detail, popular[0]):
        assert talk.citations.detail(name).usage_count == 2
    neighbour = detail.previous or detail.next
    assert neighbour is not None
    assert talk.citations.detail(neighbour).event.id == neighbour.id

    later = talk.context(question, session="c", recording="later")
    assert later and talk.stats().injections.injections == 2
    talk.append(kind="user_prompt", session="c", content="thanks")
    assert talk.stats().injections.injections == 3


def test_an_unknown_citation_is_not_found(talk: recallite.Memory) -> None:
    for call in (talk.citations.detail, talk.citations.citing_sessions):
        for name in ("zzzzzz", 99, "00000000-0000-7000-8000-000000000000"):
            with pytest.raises(recallite.NotFound):
                call(name)


def test_smart_search_shows_as_much_as_helps(talk: recallite.Memory) -> None:
    found = talk.smart_search("port of the test server")
    assert found.index[0].seq in (1, 2)
    assert len(found) == len(found.index) and list(found) == list(found.index)
    assert all(0 <= item.score <= 1 for item in found)
    assert found.meta.total_matches > 0
    assert found.meta.expansion_reason in ExpansionReason
    assert found.meta.estimated_tokens > 0
    assert found.index_markdown in found.markdown
    assert f"{found.index[0].citation}" in found.index_markdown
    assert found.timeline_markdown in found.markdown
    assert bool(found.timeline) == bool(found.timeline_markdown)
    assert bool(found.details) == bool(found.details_markdown)
    bare = talk.smart_search(
        Query("port of the test server", session="s1"),
        limit=1,
        expand_timeline=False,
        expand_details=False,
    )
    assert len(bare) == 1 and bare.timeline == () and bare.details == ()
    assert not talk.smart_search("port of the test server", min_relevance=1.0).index
    # Everything that names an event will do.
    assert talk.timeline(found)
    assert talk.details(found.index[0])[0].event.id == found.index[0].id


def test_a_clear_winner_is_expanded(memory: recallite.Memory) -> None:
    memory.append(kind="user_prompt", session="s", content="Hello there.")
    memory.append(
        kind="user_prompt", session="s", content="The zanzibar gateway timeout is 15 seconds."
    )
    memory.append(kind="agent_response", session="s", content="Fine, that is noted now.")
    found = memory.smart_search("zanzibar gateway timeout seconds", max_expanded=1)
    if found.meta.expanded_count:
        assert found.meta.expansion_reason in {
            ExpansionReason.HIGH_CONFIDENCE,
            ExpansionReason.CLEAR_WINNER,
        }
        assert "15 seconds" in found.details_markdown
        assert any(item.is_target for item in found.timeline)
    else:
        assert found.meta.expansion_reason is ExpansionReason.LOW_CONFIDENCE
        assert found.hint


def test_results_of_recall_read_well(talk: recallite.Memory) -> None:
    talk.append(kind="user_prompt", session="s4", content="<b>굵게</b> is bold in Korean")
    context = talk.context("굵게 bold in Korean", recording="now")
    smart = talk.smart_search("굵게 bold in Korean")
    detail = talk.citations.detail(smart.index[0])
    for result in (context, smart, detail, talk.citations.popular()[0], talk.stats()):
        html = result._repr_html_()
        assert "<table>" in html
        assert "<b>" not in html
        assert repr(result).startswith(type(result).__name__ + "(")
    assert "&lt;b&gt;굵게&lt;/b&gt;" in smart._repr_html_()
    assert "<pre>" in context._repr_html_()


def test_every_kind_is_read_with_the_enum(talk: recallite.Memory) -> None:
    talk.update_session("s1", summary="about ports")
    everything = list(talk.events(kinds=EventKind))
    assert len(everything) == len(FACTS) + 1
    assert {event.kind for event in everything} > {EventKind.SESSION_CHANGED}
    assert len(list(talk.events())) == len(FACTS)


def test_a_search_is_narrowed_by_tools_files_outcomes_and_levels(
    memory: recallite.Memory,
) -> None:
    def call(**tool: Any) -> dict[str, Any]:
        return {"kind": "tool_observation", "session": "s", "tool": tool}

    memory.append(kind="user_prompt", session="s", content="where is the invoice table?")
    path = "/srv/청구/invoice.sql"
    memory.append(**call(name="Read", input={"file_path": path}, output="the invoice table"))
    memory.append(**call(name="Bash", output="no invoice table", error="exit 1"))

    def found(**options: Any) -> list[int]:
        seqs = sorted(hit.seq for hit in memory.search("invoice table", **options))
        same = memory.search(Query("invoice table", **options))
        assert sorted(hit.seq for hit in same) == seqs
        return seqs

    assert found() == [1, 2, 3]
    assert found(tools="Bash") == [3]
    assert found(tools=["Bash", "Unknown"]) == [3]
    assert found(file_contains="청구") == [2]
    assert found(tool_outcome=recallite.ToolOutcome.FAILED) == [3]
    assert found(tool_outcome="succeeded", tools="Bash") == []
    assert found(min_level=recallite.Level.L1) == []
    assert found(min_level="L0") == [1, 2, 3]
    query = Query("invoice table", tools=("Read",))
    assert [item.seq for item in memory.smart_search(query).index] == [2]
    assert all(item.seq == 2 for item in memory.context(query, recording="never").items)


@pytest.mark.parametrize(
    "question", ["what did we do yesterday?", "어제 뭐 했지?", "昨日は何をした?", "昨天我们做了什么?"]
)
def test_words_of_time_choose_the_events_of_that_time(
    memory: recallite.Memory, question: str
) -> None:
    now = datetime.now(UTC)
    for days, text in [(1, "The invoices were printed."), (5, "The server was moved.")]:
        memory.append(
            kind="user_prompt", session="s", content=text, timestamp=now - timedelta(days=days)
        )
    assert [hit.passage.text for hit in memory.search(question)] == ["The invoices were printed."]


def test_days_are_those_of_the_time_zone(tmp_path: Path) -> None:
    asked_at = datetime(2026, 3, 18, 12, tzinfo=UTC)

    def found(time_zone: str, question: str) -> list[int]:
        folder = tmp_path / f"{time_zone.replace('/', ' ')} {question}"
        with recallite.open(folder, time_zone=time_zone) as memory:
            for hour, text in [(14, "Rename the shipping module."), (16, "Done.")]:
                at = datetime(2026, 3, 17, hour, tzinfo=UTC)
                memory.append(kind="user_prompt", session="s", content=text, timestamp=at)
            return [hit.seq for hit in memory.search(question, as_of=asked_at)]

    assert found("UTC", "what did we do yesterday") == [1, 2]
    for time_zone in ["Asia/Seoul", "+09:00"]:
        assert found(time_zone, "what did we do yesterday") == [1]
        assert found(time_zone, "what did we do today") == [2]


def test_an_unknown_time_zone_is_refused_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(recallite.InvalidArgument, match="Asia/Nowhere") as caught:
        recallite.open(tmp_path / "memory", time_zone="Asia/Nowhere")
    assert caught.value.argument == "time_zone"
    assert not (tmp_path / "memory").exists()
