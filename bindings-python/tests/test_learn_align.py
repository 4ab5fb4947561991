"""Alignment: where quotes stand, counted as Python counts."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recallite
from recallite import (
    Alignment,
    EvidenceQuote,
    FailureReason,
    MatchMethod,
    align,
    rules,
)

MESSAGES = [
    "🎉 JSONB를   JSON으로\n변경하세요. 그리고 테스트를 돌려 주세요.",
    "The cafe\u0301 👩‍💻 opens at nine; the café closes at five.",
    "שלום, 世界 — a message in several scripts.",
]


def only(quote: Any, **options: Any) -> Alignment:
    (result,) = align(MESSAGES, [quote], **options)
    return result


@pytest.mark.parametrize(
    ("index", "quote", "method", "words"),
    [
        (0, "그리고 테스트를 돌려", MatchMethod.EXACT, "그리고 테스트를 돌려"),
        (0, "jsonb를 JSON으로 변경", MatchMethod.NORMALIZED, "JSONB를   JSON으로\n변경"),
        (1, "The cafe\u0301 👩‍💻 opens", MatchMethod.EXACT, "The cafe\u0301 👩‍💻 opens"),
        (1, "the CAFÉ closes", MatchMethod.NORMALIZED, "the café closes"),
        (1, "the cafe closes at fife", MatchMethod.FUZZY, None),
        (2, "שלום, 世界", MatchMethod.EXACT, "שלום, 世界"),
    ],
)
def test_the_span_holds_the_words(
    index: int, quote: str, method: MatchMethod, words: str | None
) -> None:
    result = only((index, quote))
    assert result.is_aligned and result.match_method is method
    message = MESSAGES[index]
    assert message[result.start : result.end] == result.matched_text
    assert words is None or result.matched_text == words
    encoded = message.encode()
    assert encoded[result.start_byte : result.end_byte].decode() == result.matched_text
    assert result.quote == quote
    assert result.quote_hash == rules.content_hash(quote)
    assert 0 < result.confidence <= 1


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=1, max_size=60), st.data())
def test_every_piece_of_a_message_is_found(message: str, data: st.DataObject) -> None:
    message = message.encode("utf-8", "replace").decode()
    start = data.draw(st.integers(0, len(message) - 1))
    end = data.draw(st.integers(start + 1, len(message)))
    (result,) = align([message], [(0, message[start:end])])
    if not result.is_aligned:
        assert result.reason is FailureReason.EMPTY_QUOTE
        assert not message[start:end].replace("\ufeff", " ").strip()
        return
    assert message[result.start : result.end] == result.matched_text == message[start:end]


def test_quotes_may_be_given_in_three_ways() -> None:
    text = "그리고 테스트를"
    first = only((0, text))
    assert only(EvidenceQuote(0, text)) == first
    assert only({"message_index": 0, "quote": text}) == first


def test_a_failed_quote_says_why() -> None:
    reasons = {
        (7, "nine"): "invalid_index",
        (-1, "nine"): "invalid_index",
        (2**62, "nine"): "invalid_index",
        (1, " \n"): "empty_quote",
        (1, "completely different words without any likeness"): "not_found",
    }
    report = align(MESSAGES, list(reasons))
    assert not report.evidence_aligned
    assert report.aligned == ()
    for (index, quote), result in zip(reasons, report, strict=True):
        assert not result.is_aligned and result.start is None and result.matched_text is None
        assert (result.message_index, result.quote) == (index, quote)
        assert result.reason == reasons[index, quote]
    assert align([], []).evidence_aligned
    assert len(report[1:]) == 4


def test_an_index_that_a_model_made_up_fails_alone() -> None:
    class Index:
        def __index__(self) -> int:
            return 0

    text = "one two three"
    made_up: list[Any] = [1.5, float("nan"), 1e20, 2**80, -(2**80)]
    quotes: list[Any] = [(index, text) for index in (*made_up, Index())]
    quotes += [{"message_index": index, "quote": text} for index in made_up]
    report = align([text], quotes)
    assert [result.reason for result in report if not result.is_aligned] == ["invalid_index"] * 10
    assert [result.message_index for result in report.aligned] == [0]


def test_what_an_index_raises_is_not_a_made_up_index() -> None:
    class Index:
        def __index__(self) -> int:
            raise ValueError("it is not known")

    quotes: list[Any] = [(Index(), "a"), {"message_index": Index(), "quote": "a"}]
    for quote in quotes:
        with pytest.raises(ValueError, match="it is not known"):
            align(["a"], [quote])


def test_options() -> None:
    twice = ["again and again, again and again"]
    (result,) = align(twice, [(0, "again and again")])
    assert result.is_aligned and result.ambiguous and result.alternative_count == 1
    (result,) = align(twice, [(0, "again and again")], reject_ambiguous=True)
    assert result.reason is FailureReason.AMBIGUOUS
    near = (1, "the cafe closes at fife")
    assert not only(near, fuzzy_threshold=1.0).is_aligned
    assert not only(near, max_fuzzy_quote_chars=5).is_aligned


@pytest.mark.parametrize(
    ("messages", "quotes", "options", "argument"),
    [
        ("one message", [], {}, "messages"),
        ([1], [], {}, "messages[0]"),
        (["a"], "quote", {}, "quotes"),
        (["a"], {"message_index": 0, "quote": "a"}, {}, "quotes"),
        (["a"], 3, {}, "quotes"),
        (["a"], [3], {}, "quotes[0]"),
        (["a"], [(0, 1)], {}, "quotes[0][1]"),
        (["a"], [(True, "a")], {}, "quotes[0][0]"),
        (["a"], [("0", "a")], {}, "quotes[0][0]"),
        (["a"], [{"quote": "a"}], {}, "quotes[0].message_index"),
        (["a"], [{"message_index": 0, "quote": "a", "span": 1}], {}, "quotes[0].span"),
        (["a"], [], {"fuzzy_threshold": 0.4}, "fuzzy_threshold"),
        (["a"], [], {"fuzzy_threshold": float("nan")}, "fuzzy_threshold"),
        (["a"], [], {"fuzzy_threshold": "high"}, "fuzzy_threshold"),
        (["a"], [], {"max_fuzzy_quote_chars": 10_001}, "max_fuzzy_quote_chars"),
        (["a"], [], {"max_fuzzy_quote_chars": -1}, "max_fuzzy_quote_chars"),
        (["a"], [], {"reject_ambiguous": 1}, "reject_ambiguous"),
    ],
)
def test_a_wrong_argument_is_named(
    messages: Any, quotes: Any, options: dict[str, Any], argument: str
) -> None:
    with pytest.raises(recallite.InvalidArgument) as raised:
        align(messages, quotes, **options)
    assert raised.value.argument == argument
    assert argument in str(raised.value)


def test_other_threads_go_on_during_an_alignment() -> None:
    message = "가나다라마바사 " * 40_000
    quotes = [(0, f"{'하파타카차자 ' * 20}{n}") for n in range(3)]
    seen: list[bool] = []
    work = threading.Thread(target=lambda: seen.append(align([message], quotes).evidence_aligned))
    work.start()
    turns = 0
    while work.is_alive():
        turns += 1
        time.sleep(0.001)
    work.join()
    assert seen == [False]
    assert turns > 3


def test_claims() -> None:
    source = "우리는 We set the retry limit (per job) to 3."
    found = rules.align_claims(["the retry limit, per job", "the sky is green today"], source)
    (claim,) = found.aligned
    assert source[claim.start : claim.end] == "the retry limit (per job"
    assert found.missing == (1,)
    assert found.is_aligned and found.confidence == 0.5
    response = "We set the retry limit. Shall we go on with it? 결제 타임아웃은 15초입니다."
    assert rules.extract_claims(response) == [
        "We set the retry limit",
        "결제 타임아웃은 15초입니다",
    ]
    grounded = rules.check_grounding(response, [source, "결제 타임아웃은 15초입니다."])
    assert [claim.claim_index for claim in grounded.aligned] == [0, 1]


def test_similarity() -> None:
    assert rules.levenshtein("고양이", "고양잇과") == 2
    assert rules.similarity("👩‍💻", "👩‍💻") == 1.0
    assert rules.similarity("", "") == 1.0
    with pytest.raises(recallite.InvalidArgument) as raised:
        rules.levenshtein("a", "\ud800")
    assert raised.value.argument == "b"
