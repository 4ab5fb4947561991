"""What turns texts into vectors: an embedder of the program, or a model in a folder."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ._base import Record
from ._generated import options as generated
from ._generated.log import EventKind

__all__ = [
    "CallbackEmbedder",
    "Embedder",
    "OpenOptions",
]


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
class CallbackEmbedder(Record):
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


class OpenOptions(generated.OpenOptions, total=False):
    """How a memory is opened. Every option has a default."""

    embedder: Embedder | None
    """What turns texts into vectors, for recall by meaning beside recall by words (a
    `CallbackEmbedder` or any `Embedder`); call ``process_outbox`` when there is time."""
    fastembed: generated.FastembedOptions | Mapping[str, Any] | None
    """The same with a model in a folder."""
    on_log: Callable[[generated.LogRecord], object] | None
    """Is told what opening, recovery, upkeep and degraded searches do; never what is
    stored or asked. It is called by the thread that works, after the work, and may use the
    memory; what it raises goes to ``sys.unraisablehook``. Default: none, the library
    writes nothing anywhere. With Python's own ``logging``::

        def on_log(record):
            logger = logging.getLogger(f"recallite.{record.target}")
            logger.log(getattr(logging, record.level.upper()), record.message)
    """
    retention_ms: Mapping[EventKind | str, int] | Mapping[str, int] | None
    """For each kind, how long its events are kept, in milliseconds;
    ``upkeep.apply_retention`` forgets older ones. Default: for ever."""


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
