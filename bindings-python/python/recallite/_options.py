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

__all__ = ["CallbackEmbedder", "Embedder", "FastembedOptions", "PrivacyConfig", "ToolLimits"]


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
