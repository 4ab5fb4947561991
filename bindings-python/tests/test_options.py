"""Options of opening: privacy, tool limits, caches, and how they are refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import PrivacyConfig, RecallWeights, ToolLimits


def stored(path: Path, content: str, **options: Any) -> recallite.Event:
    with recallite.open(path, **options) as memory:
        event = memory.event(memory.append(kind="user_prompt", session="s", content=content))
        assert event is not None
        return event


def test_privacy(tmp_path: Path) -> None:
    text = "메일 ada@example.com, [private]비밀[/private], codename=heron, key abc-12345678"
    plain = stored(tmp_path / "a", text)
    assert plain.content == text
    config = PrivacyConfig(
        marker="[REDACTED]",
        formats=["xml", "bracket"],
        exclude_patterns=["codename"],
        auto_detect_patterns=[r"abc-\d{8}"],
        anonymize=True,
    )
    event = stored(tmp_path / "b", text, privacy=config)
    for gone in ("ada@example.com", "비밀", "heron", "abc-12345678"):
        assert gone not in event.content
    assert event.privacy.private_count == 1
    assert event.privacy.secret_count == 2
    assert event.privacy.anonymized_count == 1
    assert stored(tmp_path / "c", text, privacy=config.to_dict()).content == event.content
    one = stored(tmp_path / "e", text, privacy=PrivacyConfig(formats="bracket"))
    assert "비밀" not in one.content
    raw = stored(
        tmp_path / "d",
        "<private>shown</private> password=hunter2",
        privacy={"private_tags": False, "exclude_patterns": (), "auto_detect": False},
    )
    assert "<private>shown</private>" in raw.content


def test_tool_limits(tmp_path: Path) -> None:
    output = "".join(f"줄 {number}\n" for number in range(1000))

    def kept(name: str, tool: str = "Bash", **options: Any) -> recallite.ToolRecord:
        with recallite.open(tmp_path / name, **options) as memory:
            receipt = memory.append(
                kind="tool_observation", session="s", tool={"name": tool, "output": output}
            )
            event = memory.event(receipt)
            assert event is not None and event.tool is not None
            return event.tool

    assert len(kept("a").output) < len(output)
    assert kept("b", tool_limits=ToolLimits(keep_whole_output=True)).output == output
    short = kept("c", tool_limits={"max_output_lines": 4, "max_output_chars": 100})
    assert short.output.startswith("줄 0\n줄 1\n") and "TRUNCATED" in short.output
    assert len(kept("d", tool_limits=ToolLimits(max_output_chars=10)).output) < 40
    by_tool = ToolLimits(by_tool=True, max_output_lines=10_000)
    assert kept("e", tool_limits=by_tool).output == output
    assert len(kept("f", "WebFetch", tool_limits=by_tool).output) < 600


def test_the_defaults_are_the_librarys(tmp_path: Path) -> None:
    text = "<private>a</private> password: hunter2 token = parser.next_token()"
    one = stored(tmp_path / "a", text)
    two = stored(
        tmp_path / "b",
        text,
        privacy=PrivacyConfig(),
        tool_limits=ToolLimits(),
        recall_cache=True,
        embedding_timeout_ms=5000,
        vector_graph_from=0,
        vector_graph_bytes=1 << 30,
    )
    assert one.content == two.content != text


def test_recall_without_a_cache_gives_the_same(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m", recall_cache=False) as memory:
        memory.append(kind="user_prompt", session="s", content="We deploy on Fridays at noon.")
        first = memory.search("when do we deploy?")
        assert memory.search("when do we deploy?") == first
    with recallite.open(tmp_path / "m") as memory:
        assert memory.search("when do we deploy?") == first
        assert memory.search("when do we deploy?") == first


def test_recall_counts_what_the_weights_say(tmp_path: Path) -> None:
    def found(question: str, weights: Any) -> recallite.SearchResult:
        with recallite.open(tmp_path / "m", recall_weights=weights) as memory:
            return memory.search(question)

    with recallite.open(tmp_path / "m") as memory:
        memory.append(
            kind="user_prompt", session="s", content="Our invoices are paid by the automobile fund."
        )
        memory.append(kind="user_prompt", session="s", content="Thirty seconds.")
        plain = memory.search("automobile")
        assert len(plain.items) == 2 and memory.search("car").items
    assert found("automobile", RecallWeights()) == plain
    assert found("automobile", {}) == plain
    off = dict.fromkeys(RecallWeights().to_dict(), 0)
    assert len(found("automobile", off).items) == 1
    assert not found("car", RecallWeights(query_expansion=0)).items


def test_the_parts_of_recall_that_are_no_options_can_be_measured(tmp_path: Path) -> None:
    def open_with(fixed: dict[str, float]) -> recallite.Memory:
        options: dict[str, Any] = {"_fixed_weights": fixed, "recall_weights": {"date": 0}}
        return recallite.open(tmp_path / "m", **options)

    def penalty(question_penalty: float) -> float:
        with open_with({"question_penalty": question_penalty}) as memory:
            ranks = {hit.passage.text: hit.rank_score for hit in memory.search("blue boat")}
        return ranks["The blue boat is sold."] - ranks["Is the blue boat sold?"]

    with recallite.open(tmp_path / "m") as memory:
        for text in ["The blue boat is sold.", "Is the blue boat sold?"]:
            memory.append(kind="user_prompt", session=text, content=text)
    assert penalty(0.5) > penalty(0) + 0.2
    for wrong in [{"date": 0.5}, {"question_penalty": -1.0}]:
        with pytest.raises(recallite.InvalidArgument) as caught:
            open_with(wrong)
        assert caught.value.argument == f"_fixed_weights.{next(iter(wrong))}"
    assert "_fixed_weights" not in recallite.OpenOptions.__annotations__


def test_settings_open_a_memory_and_show_where_they_come_from(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"retrieval": {"topK": 3, "maxTokens": 400}}')
    with recallite.open(
        tmp_path / "m",
        settings_file=file,
        settings={"retrieval": {"topK": 2}},
        tool_policy={"excluded_tools": ["Bash"]},
    ) as memory:
        for number in range(4):
            memory.append(
                kind="user_prompt", session="s", content=f"The payment port is {number}."
            )
        assert len(memory.search("payment port").items) == 2
        shown = {row.key: (row.value, str(row.source)) for row in memory.upkeep.settings()}
        assert shown["retrieval.topK"] == (2, "call")
        assert shown["retrieval.maxTokens"] == (400, "file")
        assert shown["retrieval.minScore"] == (None, "default")
        assert shown["toolObservation.excludedTools"] == (["Bash"], "call")
        skipped = memory.append(
            kind="tool_observation",
            session="s",
            tool=recallite.ToolUse(name="Bash", output="fine"),
        )
        assert skipped.skipped == "tool_excluded" and skipped.seq == 0


def test_what_is_paused_is_not_stored(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m") as memory:
        assert memory.pauses.pause("session", "s") is True
        assert memory.pauses.pause(recallite.ScopeKind.SESSION, "s") is False
        said = memory.append(kind="user_prompt", session="s", content="between us")
        assert said.skipped == "paused"
        [pause] = memory.pauses.list()
        assert (str(pause.scope), pause.name) == ("session", "s")
        assert memory.pauses.resume("session", "s") is True
        assert memory.append(kind="user_prompt", session="s", content="x").skipped is None
        for scope, name, argument in [("planet", "x", "scope"), ("session", " ", "name")]:
            with pytest.raises(recallite.InvalidArgument) as caught:
                memory.pauses.pause(scope, name)
            assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"retrieval": {"topk": 3}},
            "retrieval.topk: unknown setting; did you mean retrieval.topK?",
        ),
        ({"retreival": {"topK": 3}}, "retreival: unknown setting; did you mean retrieval?"),
        ({"zzzzqqqq": 3}, "zzzzqqqq: unknown setting; see docs/guides/settings.md"),
    ],
)
def test_an_unknown_setting_is_told_with_the_nearest_one(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings))
    with pytest.raises(recallite.InvalidArgument) as given:
        recallite.open(tmp_path / "m", settings=settings)
    assert str(given.value) == message
    with pytest.raises(recallite.InvalidArgument) as read:
        recallite.open(tmp_path / "m", settings_file=file)
    assert str(read.value) == f"{file}: {message}"


def test_what_is_said_of_a_paused_project_is_not_stored(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m", project="가게") as memory:
        assert memory.pauses.pause(recallite.ScopeKind.PROJECT, "가게") is True
        said = memory.append(kind="user_prompt", session="s", content="between us")
        assert said.skipped == "paused"
        other = memory.append(kind="user_prompt", session="t", content="x", project="blog")
        assert other.skipped is None
        [pause] = memory.pauses.list()
        assert (str(pause.scope), pause.name) == ("project", "가게")
        assert memory.pauses.resume("project", "가게") is True
        again = memory.append(kind="user_prompt", session="s", content="between us")
        assert again.skipped is None


def test_graphs_of_near_vectors_are_part_of_the_wheel(tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [
        {},
        {"vector_graph_from": 0},
        {"vector_graph_from": 1, "vector_graph_bytes": 1 << 20},
    ]
    for index, given in enumerate(options):
        with recallite.open(tmp_path / str(index), **given) as memory:
            assert memory.maintain(graph_vectors=10).graph_vectors == 0


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("recall_cache", {"recall_cache": 1}),
    ("privacy", {"privacy": 3}),
    ("privacy.colour", {"privacy": {"colour": 1}}),
    ("privacy.private_tags", {"privacy": {"private_tags": "yes"}}),
    ("privacy.marker", {"privacy": PrivacyConfig(marker="[X]")}),
    ("privacy.formats", {"privacy": PrivacyConfig(formats="yaml")}),
    ("privacy.formats", {"privacy": {"formats": 3}}),
    ("privacy.formats[1]", {"privacy": PrivacyConfig(formats=["xml", "yaml"])}),
    ("privacy.exclude_patterns[0]", {"privacy": {"exclude_patterns": [1]}}),
    ("privacy.exclude_patterns[0]", {"privacy": PrivacyConfig(exclude_patterns=["("])}),
    ("privacy.auto_detect_patterns[0]", {"privacy": PrivacyConfig(auto_detect_patterns=["("])}),
    ("tool_limits", {"tool_limits": 10}),
    ("tool_limits.max_output_lines", {"tool_limits": {"max_output_lines": -1}}),
    ("embedder", {"embedder": object()}),
    ("fastembed", {"fastembed": 3}),
    ("embedding_timeout_ms", {"embedding_timeout_ms": -1}),
    ("vector_graph_from", {"vector_graph_from": -1}),
    ("quota_bytes", {"quota_bytes": 1.5}),
    ("size_limit_bytes", {"size_limit_bytes": "1"}),
    ("settings", {"settings": []}),
    ("retrieval.topk", {"settings": {"retrieval": {"topk": 3}}}),
    ("retrieval.topK", {"settings": {"retrieval": {"topK": "3"}}}),
    ("embedding.provider", {"settings": {"embedding": {"provider": "openai"}}}),
    ("tool_policy", {"tool_policy": 3}),
    ("recall_weights", {"recall_weights": 0.5}),
    ("recall_weights.speaker", {"recall_weights": {"speaker": 0.5}}),
    ("recall_weights.named_actor", {"recall_weights": {"named_actor": "0.5"}}),
    ("recall_weights.named_actor", {"recall_weights": {"named_actor": True}}),
    ("recall_weights.named_actor", {"recall_weights": RecallWeights(named_actor=math.nan)}),
    ("recall_weights.named_actor", {"recall_weights": RecallWeights(named_actor=-0.5)}),
    ("recall_weights.named_actor", {"recall_weights": {"named_actor": 1e300}}),
    ("recall_weights.query_expansion", {"recall_weights": RecallWeights(query_expansion=1.5)}),
    ("retention_ms", {"retention_ms": 5}),
    ("retention_ms", {"retention_ms": {"moon": 5}}),
    ("retention_ms[user_prompt]", {"retention_ms": {"user_prompt": -5}}),
]


@pytest.mark.parametrize(("argument", "options"), WRONG)
def test_wrong_options_name_the_argument(
    tmp_path: Path, argument: str, options: dict[str, Any]
) -> None:
    with pytest.raises(recallite.InvalidArgument) as caught:
        recallite.open(tmp_path / "m", **options)
    assert caught.value.argument == argument
    assert not (tmp_path / "m").exists()
