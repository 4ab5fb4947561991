"""Options of opening that are more than one value.

Each is a frozen dataclass whose defaults are the library's; wherever one is asked
for, a ``dict`` of the same fields will do.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ._records import _Record  # pyright: ignore[reportPrivateUsage]

__all__ = [
    "CallbackEmbedder",
    "Embedder",
    "FastembedOptions",
    "PrivacyConfig",
    "RecallWeights",
    "ToolLimits",
]


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyConfig(_Record):
    """What the privacy filter takes out of every text before it is stored."""

    private_tags: bool = True
    """Whether private tags are honoured."""
    marker: str = "[PRIVATE]"
    """What stands in the place of a private section: ``[PRIVATE]``,
    ``[REDACTED]`` or nothing."""
    formats: str | Sequence[str] = ("xml",)
    """How private sections may be written: ``xml``, ``bracket``, ``comment``; one
    or several."""
    preserve_line_count: bool = False
    """Whether the lines after a section keep their numbers."""
    exclude_patterns: Sequence[str] = ("password", "secret", "api_key", "token", "bearer")
    """Words (regular expressions, letter case ignored) that make a value behind
    them and ``:`` or ``=`` a secret."""
    auto_detect: bool = True
    """Whether secrets are also recognised by their shape."""
    auto_detect_patterns: Sequence[str] = ()
    """Regular expressions whose matches are masked as a whole."""
    code_aware: bool = True
    """Whether, in source code, words fire only on quoted or random-looking
    values, so that ``token = parser.next_token()`` stays."""
    anonymize: bool = False
    """Whether e-mail addresses, telephone numbers and the user names of home
    folders are replaced by placeholders."""


@dataclass(frozen=True, slots=True, repr=False)
class ToolLimits(_Record):
    """How much of a tool's output is stored."""

    max_output_chars: int = 10_000
    """At most this many characters."""
    max_output_lines: int = 100
    """At most this many lines."""
    keep_whole_output: bool = False
    """Keeps everything, whatever the other two say."""


@dataclass(frozen=True, slots=True, repr=False)
class RecallWeights(_Record):
    """How much each part of the recipe of recall counts.

    0 switches a part off, in every field. Scores are parts of the best passage's
    own score, shares are parts of the value that they are taken of.

    ``relevance`` is calibrated for the defaults: with other weights a relevance of
    0.75 no longer means that three of four hits are right.
    """

    soft_words: float = 1.0
    """How far words count that are only like a word of the question, as a share of
    their likeness by the static table. At 0 a question finds its own words and their
    other forms alone. 0 to 1."""
    word_pairs: float = 0.5
    """What two neighbouring words of the question add when they are neighbours in a
    passage too, as a part of their mean rarity. 0 to 10."""
    nearness_by_words: float = 0.15
    """What the passage gains that is nearest to the question as a whole by the
    directions of their words, others in proportion. Where there are vectors of an
    embedder they take its place. 0 to 10."""
    nearness_by_vectors: float = 0.5
    """What the event gains that is nearest to the question by the embedder's vectors,
    others in proportion. At 0 the embedder is not asked, and nothing is found by its
    vector alone. Measured with all-MiniLM-L6-v2: 0.4 to 0.6 are alike. 0 to 10."""
    passage_union: float = 0.1
    """How much of what several passages of an event cover together counts beyond its
    best passage. 0 to 1."""
    context_scores: float = 0.5
    """How much the scores of the turns around a turn count for it, all together. 0 to
    10."""
    score_previous: float = 0.4
    """The share of the previous turn's score in ``context_scores``. 0 to 1."""
    score_next: float = 0.3
    """The share of the next turn's score in ``context_scores``. 0 to 1."""
    score_second_previous: float = 0.3
    """The share of the score of the turn before the previous one. 0 to 1."""
    score_second_next: float = 0.1
    """The share of the score of the turn after the next one. 0 to 1."""
    after_question: float = 0.1
    """What a turn gains of the score of the turn before it when that one is a question:
    it is likely the answer. 0 to 10."""
    context_words: float = 0.5
    """How much it counts that the turns around a turn hold words of the question that
    it lacks: "thirty seconds" answers a question that only the turn before it names. 0
    to 10."""
    words_previous: float = 0.6
    """How far a word of the previous turn counts as one of this turn. 0 to 1."""
    words_next: float = 0.6
    """How far a word of the next turn counts as one of this turn. 0 to 1."""
    words_second_previous: float = 0.5
    """How far a word of the turn before the previous one counts. 0 to 1."""
    words_second_next: float = 0.4
    """How far a word of the turn after the next one counts. 0 to 1."""
    long_turn_damping: float = 0.2
    """How fast context counts less for long turns, which explain themselves: it is
    divided by 1 + this for every 25 words beyond the first 25. 0 to 10."""
    question_penalty: float = 0.1
    """What a turn loses that is itself a question. 0 to 10."""
    named_actor: float = 0.25
    """What the turns of a speaker gain whom the question names, when it is one. 0 to
    10."""
    date: float = 0.3
    """What an event gains that happened when the question says, less the farther from
    it. 0 to 10."""
    temporal: float = 0.2
    """What an event gains that holds a word of time when the question asks when. 0 to
    10."""
    duplicate_demotion: float = 0.3
    """The share of its score that a near copy of a better hit loses, so that ten hits
    are not ten copies of one tool output. 0 to 1."""
    contested_demotion: float = 0.3
    """The share of its score and of its relevance that an event loses while what was
    learned from it is contested. The default is the specification's factor of 0.7. 0 to
    1."""


@runtime_checkable
class Embedder(Protocol):
    """What turns texts into vectors: any object with these members.

    ``embed`` gets a ``list`` of ``str`` and gives one vector for each, in their
    order: an array of two dimensions (NumPy or anything with the buffer
    protocol), or a list of lists of numbers. It is called from several threads at
    once. When it raises or takes too long, recall goes on by words.
    """

    @property
    def id(self) -> str:
        """The name of the model and its version: vectors of different names are
        never compared. 1 to 128 bytes."""
        ...

    @property
    def dimensions(self) -> int:
        """Numbers per vector, 1 to 16,384."""
        ...

    def embed(self, texts: list[str], /) -> Any:
        """One vector for each text."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class CallbackEmbedder(_Record):
    """An embedder made of a function.

    >>> from sentence_transformers import SentenceTransformer    # doctest: +SKIP
    >>> model = SentenceTransformer("models/all-MiniLM-L6-v2")   # doctest: +SKIP
    >>> recallite.CallbackEmbedder("all-MiniLM-L6-v2", 384, model.encode)  # doctest: +SKIP
    """

    id: str
    """The name of the model and its version; see ``Embedder``."""
    dimensions: int
    """Numbers per vector, 1 to 16,384."""
    embed: Callable[[list[str]], Any] = field(hash=False)
    """Gets a ``list`` of ``str`` and gives one vector for each; see ``Embedder``."""
    max_batch: int = 32
    """The most texts that one call gets."""


@dataclass(frozen=True, slots=True, repr=False)
class FastembedOptions(_Record):
    """A sentence-transformer model in a folder, run by ONNX Runtime.

    Nothing is downloaded. ``pip install 'recallite[fastembed]'`` brings the
    runtime; the folder is yours: ``model.onnx`` (or ``onnx/model.onnx``),
    ``tokenizer.json``, ``config.json``, ``tokenizer_config.json``,
    ``special_tokens_map.json`` and optionally ``1_Pooling/config.json``, or a
    model of the Hugging Face cache (``models--owner--name``).
    """

    model_dir: str | os.PathLike[str]
    """The model's folder."""
    onnxruntime_library: str | os.PathLike[str] | None = None
    """The runtime's shared library; by default that of the installed package
    ``onnxruntime``, or the one that ``ORT_DYLIB_PATH`` names."""
    max_tokens: int = 256
    """Longer texts are cut after so many tokens; at least 3."""
    threads: int | None = None
    """Threads that one embedding uses; by default one per processor."""
    id: str | None = None
    """The embedder's id; by default the folder's name."""


_LIBRARIES = {
    "win32": ("onnxruntime.dll",),
    "darwin": ("libonnxruntime.*.dylib", "libonnxruntime.dylib"),
}


def find_onnxruntime() -> Path | None:
    """The shared library in the installed package ``onnxruntime``, which is not
    imported for this; ``None`` when there is none."""
    try:
        spec = importlib.util.find_spec("onnxruntime")
    except (ImportError, ValueError):
        return None
    patterns = _LIBRARIES.get(sys.platform, ("libonnxruntime.so.*", "libonnxruntime.so"))
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in patterns:
            if found := sorted(Path(folder, "capi").glob(pattern)):
                return found[-1]
    return None


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
