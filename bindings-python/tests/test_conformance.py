"""The conformance vectors of the core, those that can be seen through a memory:
what goes in by `append` and comes out by a read. Where a memory differs from the
specification (see docs/specification.md), the check says how."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from conformance import OWN, VECTORS, here, is_usable, vectors

import recallite
from recallite import PrivacyConfig, ToolLimits, rules

pytestmark = here

# The vectors fix the specification's own patterns: what the library adds to them
# is switched off. With `preserve_line_count`, runs of line ends stay as well.
PLAIN = PrivacyConfig(
    private_tags=False,
    preserve_line_count=True,
    exclude_patterns=(),
    auto_detect=False,
    code_aware=False,
)


class Memories:
    """One memory per configuration; opening one for each vector would be slow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open: dict[str, recallite.Memory] = {}

    def of(self, **options: Any) -> recallite.Memory:
        key = repr(sorted(options.items()))
        if key not in self.open:
            folder = tempfile.mkdtemp(dir=self.folder)
            self.open[key] = recallite.open(folder, **options)
        return self.open[key]

    def stored(self, text: str, **options: Any) -> recallite.Event:
        memory = self.of(**options)
        receipt = memory.append(kind="user_prompt", session="s", content=text, dedupe=False)
        event = memory.event(receipt)
        assert event is not None
        return event


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    memories = Memories(tmp_path)
    yield memories
    for memory in memories.open.values():
        memory.close()


def run(
    name: str, check: Callable[[Any, Any], None], *, skip: Callable[[Any, Any], bool], least: int
) -> None:
    """Runs every vector that a memory can express; of our own, at least so many must be left."""
    ran = 0
    for case in vectors(name):
        given, expected = case["input"], case["expected"]
        if skip(given, expected):
            continue
        try:
            check(given, expected)
        except Exception as error:
            raise AssertionError(f"{name}: {case['name']}: {error}") from error
        ran += 1
    assert ran >= (least if VECTORS == OWN else 0), f"{name}: only {ran} vectors ran"


def blank(text: str) -> bool:
    """An event must say something: more than whitespace, as Unicode defines it. Python also
    counts the four separators of ASCII."""
    return all(char.isspace() and not "\x1c" <= char <= "\x1f" for char in text)


def has_secret(text: str) -> bool:
    """A memory masks secrets before it counts, cuts or derives anything."""
    return rules.mask_secrets(text).secret_count > 0


def has_odd_tags(text: str, config: PrivacyConfig) -> bool:
    """A memory also hides what is nearly a tag, which the rule of the vectors keeps."""
    options = asdict(config)
    exact = rules.filter_text(text, exact_tags=True, **options)
    return exact != rules.filter_text(text, **options)


def tag_config(given: Any) -> PrivacyConfig:
    return PrivacyConfig(
        marker=given.get("marker", "[PRIVATE]"),
        formats=tuple(given["formats"]),
        preserve_line_count=given.get("preserve_line_count", False),
        exclude_patterns=(),
        auto_detect=False,
        code_aware=False,
    )


def test_private_tags(memories: Memories) -> None:
    def check(given: Any, expected: Any) -> None:
        config = tag_config(given)
        event = memories.stored(given["text"], privacy=config)
        # A memory goes on where this rule ends: it masks secrets, and shortens runs of line
        # ends unless lines are to be counted.
        content = rules.mask_secrets(expected["content"]).text
        if not config.preserve_line_count:
            content = re.sub("\n{3,}", "\n\n", content)
        assert event.content == content
        assert event.privacy.private_count == expected["private_count"]

    run(
        "private_tags",
        check,
        skip=lambda given, expected: (
            blank(given["text"])
            or blank(expected["content"])
            or has_odd_tags(given["text"], tag_config(given))
        ),
        least=60,
    )


def filter_config(given: Any) -> PrivacyConfig:
    config = given["config"]
    tags = config.get("privateTags", {})
    patterns = config.get("excludePatterns", PrivacyConfig().exclude_patterns)
    return PrivacyConfig(
        private_tags=tags.get("enabled", True),
        marker=tags.get("marker", "[PRIVATE]"),
        formats=tuple(tags.get("supportedFormats", ["xml"])),
        preserve_line_count=tags.get("preserveLineCount", False),
        exclude_patterns=tuple(filter(is_usable, patterns)),
        auto_detect=False,
        code_aware=False,
    )


def test_privacy_filter(memories: Memories) -> None:
    def check(given: Any, expected: Any) -> None:
        event = memories.stored(given["text"], privacy=filter_config(given))
        assert event.content == expected["content"]
        assert event.privacy.private_count == expected["privacy"]["privateCount"]
        assert event.privacy.secret_count == expected["pattern_match_count"]
        lengths = expected["privacy"]
        assert event.privacy.original_bytes == lengths["originalLength"]["bytes"]
        assert event.privacy.filtered_bytes == lengths["filteredLength"]["bytes"]
        assert len(event.content) == lengths["filteredLength"]["chars"]

    run(
        "privacy_filter",
        check,
        skip=lambda given, expected: (
            blank(given["text"])
            or blank(expected["content"])
            or has_odd_tags(given["text"], filter_config(given))
        ),
        least=25,
    )


def test_secret_masking(memories: Memories) -> None:
    def check(given: Any, expected: Any) -> None:
        event = memories.stored(given["text"], privacy=PLAIN)
        assert event.content == expected["text"]
        assert event.privacy.secret_count == expected["match_count"]

    run(
        "secret_masking",
        check,
        skip=lambda given, expected: blank(given["text"]) or blank(expected["text"]),
        least=45,
    )


def test_tool_output_truncate(memories: Memories) -> None:
    def check(given: Any, expected: Any) -> None:
        limits = ToolLimits(
            max_output_chars=given["max_length"], max_output_lines=given["max_lines"]
        )
        memory = memories.of(privacy=PLAIN, tool_limits=limits)
        receipt = memory.append(
            kind="tool_observation",
            session="s",
            tool={"name": "Bash", "output": given["output"]},
            dedupe=False,
        )
        event = memory.event(receipt)
        assert event is not None and event.tool is not None
        assert event.tool.output == expected

    run(
        "tool_output_truncate",
        check,
        skip=lambda given, expected: has_secret(given["output"]),
        least=30,
    )


def test_tool_metadata(memories: Memories) -> None:
    memory = memories.of(privacy=PLAIN, tool_limits=ToolLimits(keep_whole_output=True))

    def check(given: Any, expected: Any) -> None:
        receipt = memory.append(
            kind="tool_observation",
            session="s",
            tool={
                "name": given["tool_name"],
                "input": given["tool_input"],
                "output": given["tool_output"],
                "success": given["success"],
            },
            dedupe=False,
        )
        event = memory.event(receipt)
        assert event is not None and event.tool is not None
        assert event.tool.metadata == expected

    run(
        "tool_metadata",
        check,
        # A call must name its tool.
        skip=lambda given, expected: (
            blank(given["tool_name"])
            or has_secret(given["tool_output"])
            or rules.mask_tool_input(given["tool_input"]).secret_count > 0
        ),
        least=40,
    )


def test_canonical_key(memories: Memories) -> None:
    run(
        "canonical_key",
        lambda given, expected: _equal(
            memories.stored(given["title"], privacy=PLAIN).canonical_key, expected
        ),
        # The key of an event is that of its text alone.
        skip=lambda given, expected: (
            set(given) != {"title"} or blank(given["title"]) or has_secret(given["title"])
        ),
        least=60,
    )


def test_token_estimate(memories: Memories) -> None:
    memory = memories.of(privacy=PLAIN)

    def check(given: Any, expected: Any) -> None:
        receipt = memory.append(
            kind="user_prompt", session="s", content=given["text"], dedupe=False
        )
        assert memory.details(receipt)[0].token_count == expected

    run(
        "token_estimate",
        check,
        skip=lambda given, expected: (
            set(given) != {"text"} or blank(given["text"]) or has_secret(given["text"])
        ),
        least=20,
    )


def test_citation_parse(memories: Memories) -> None:
    memory = memories.of()

    def check(given: Any, expected: Any) -> None:
        # The citation is read, but no such event is here; or it is no citation.
        error = recallite.InvalidArgument if expected is None else recallite.NotFound
        with pytest.raises(error):
            memory.citation(given["text"])

    run("citation_parse", check, skip=lambda given, expected: False, least=15)


def test_import_jsonl(memories: Memories, tmp_path: Path) -> None:
    def check(given: Any, expected: Any) -> None:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        file = folder / given["session_file"]
        file.write_bytes(given["jsonl"].encode())
        with recallite.open(folder / "memory", privacy=PLAIN) as memory:
            report = memory.import_claude_code(
                file,
                has_tool_observations=False,
                keeps_blank_text=True,
                response_limit_utf16=5000,
                limit=given.get("limit"),
            )
            events = list(memory.events())
        # An event must say something: a blank text is refused each time.
        refused = Counter(
            "duplicate" if text["duplicate"] else text["kind"]
            for text in expected["stored"]
            if blank(text["content"])
        )
        assert report.refused_count == refused.total()
        for name, counted in (
            ("total_messages", ""),
            ("imported_prompts", "prompt"),
            ("imported_responses", "response"),
            ("skipped_duplicates", "duplicate"),
            ("errors", ""),
        ):
            assert getattr(report.counters, name) + refused[counted] == expected[name], name
        # The vectors list the texts line by line, as they stand in the log; a memory lists
        # them in order of time.
        in_log = sorted(events, key=lambda event: event.seq)
        assert [event.content for event in in_log] == [
            text["content"]
            for text in expected["stored"]
            if not text["duplicate"] and not blank(text["content"])
        ]
        assert events == sorted(in_log, key=lambda event: event.timestamp)

    run(
        "import_jsonl",
        check,
        # A memory knows a message again by its uuid, if it has one; the vectors go by its text.
        skip=lambda given, expected: (
            ('"uuid"' in given["jsonl"] and expected["skipped_duplicates"] > 0)
            or any(has_secret(text["content"]) for text in expected["stored"])
        ),
        least=20,
    )


def _equal(found: object, expected: object) -> None:
    assert found == expected
