"""Embedders, which turn texts into vectors: one of the program, or a model in a folder."""

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
from ._generated.told import LogRecord

__all__ = [
    "CallbackEmbedder",
    "Embedder",
    "OpenOptions",
]


@runtime_checkable
class Embedder(Protocol):
    """An embedder, which turns texts into vectors: any object with these members.

    ``embed`` gets a ``list`` of ``str`` and returns one vector for each, in the same
    order: a two-dimensional array (NumPy or anything with the buffer protocol), or a
    list of lists of numbers. It is called from several threads at once. If it raises
    or takes too long, recall continues with words alone.
    """

    @property
    def id(self) -> str:
        """The name of the model and its version, 1 to 128 bytes. Vectors of different
        names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of dimensions of each vector, from 1 to 16,384."""
        ...

    def embed(self, texts: list[str], /) -> Any:
        """Returns one vector for each text."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class CallbackEmbedder(Record):
    """An embedder made from a function.

    >>> from sentence_transformers import SentenceTransformer    # doctest: +SKIP
    >>> model = SentenceTransformer("models/all-MiniLM-L6-v2")   # doctest: +SKIP
    >>> recallite.CallbackEmbedder("all-MiniLM-L6-v2", 384, model.encode)  # doctest: +SKIP
    """

    id: str
    """The name of the model and its version; see ``Embedder``."""
    dimensions: int
    """The number of dimensions of each vector, from 1 to 16,384."""
    embed: Callable[[list[str]], Any] = field(hash=False)
    """Gets a ``list`` of ``str`` and returns one vector for each; see ``Embedder``."""
    max_batch: int = 32
    """The maximum number of texts per call, at least 1."""


class OpenOptions(generated.OpenOptions, total=False):
    """Options for opening a memory. Every option has a default."""

    embedder: Embedder | None
    """The embedder, which turns texts into vectors so that recall can search by meaning
    as well as by words (a `CallbackEmbedder` or any `Embedder`). Call ``process_outbox``
    when there is time."""
    fastembed: generated.FastembedOptions | Mapping[str, Any] | None
    """A model in a folder to use as the embedder."""
    on_log: Callable[[LogRecord], object] | None
    """A function that is called with reports of what opening, recovery, upkeep and degraded
    searches do, but never with stored text or questions. It is called by the thread that does the work, after
    the work is done, and may use the memory. Anything it raises goes to
    ``sys.unraisablehook``. Default: none, and the library logs nothing anywhere. With
    Python's own ``logging``::

        def on_log(record):
            logger = logging.getLogger(f"recallite.{record.target}")
            logger.log(getattr(logging, record.level.upper()), record.message)
    """
    retention_ms: Mapping[EventKind | str, int] | Mapping[str, int] | None
    """For each kind, how long to keep its events, in milliseconds after their timestamp;
    ``upkeep.apply_retention`` forgets older ones. Default: forever."""


_LIBRARIES = {
    "win32": ("onnxruntime.dll",),
    "darwin": ("libonnxruntime.*.dylib", "libonnxruntime.dylib"),
}


def find_onnxruntime() -> Path | None:
    """Returns the shared library in the installed package ``onnxruntime``, without
    importing it; ``None`` if there is none."""
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


# Their repr shows the public module name.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
