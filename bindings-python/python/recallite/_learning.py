"""Records whose shape is Python's own: what aligning quotes gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

from ._base import Record
from ._generated.learning import FailedQuote, MatchMethod

__all__ = [
    "AlignedQuote",
    "AlignmentReport",
]


@dataclass(frozen=True, slots=True, repr=False)
class AlignedQuote(Record):
    """A quote whose place is known: ``message[start:end] == matched_text``."""

    message_index: int
    quote: str
    """The quote as it was given."""
    quote_hash: str
    """BLAKE3 of the quote as it was given, 64 hexadecimal digits."""
    matched_text: str
    """The words of the message that it means."""
    start: int
    """Where they begin in the message, in code points."""
    end: int
    """Where they end in the message, in code points, exclusive."""
    start_byte: int
    """Where they begin in the message's UTF-8 form, in bytes."""
    end_byte: int
    """Where they end in the message's UTF-8 form, in bytes, exclusive."""
    start_utf16: int
    """Where they begin in UTF-16 code units, as JavaScript counts."""
    end_utf16: int
    """Where they end in UTF-16 code units, exclusive."""
    match_method: MatchMethod
    confidence: float
    """From 0 to 1: exact 1.0, normalized 0.95, fuzzy below that."""
    ambiguous: bool
    """Whether other places fit equally well; the first is taken."""
    alternative_count: int
    """How many other places fit."""


@dataclass(frozen=True, slots=True, repr=False)
class AlignmentReport(Record):
    """What became of all quotes of one entry; a sequence of its results."""

    evidence_aligned: bool
    """Whether every quote was aligned; true when there are none."""
    results: tuple[AlignedQuote | FailedQuote, ...]
    """One result per quote, in the order given."""

    @property
    def aligned(self) -> tuple[AlignedQuote, ...]:
        """The quotes whose place is known."""
        return tuple(one for one in self.results if isinstance(one, AlignedQuote))

    @property
    def failed(self) -> tuple[FailedQuote, ...]:
        """The quotes whose place was not found."""
        return tuple(one for one in self.results if isinstance(one, FailedQuote))

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[AlignedQuote | FailedQuote]:
        return iter(self.results)

    @overload
    def __getitem__(self, index: int) -> AlignedQuote | FailedQuote: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AlignedQuote | FailedQuote, ...]: ...
    def __getitem__(
        self, index: int | slice
    ) -> AlignedQuote | FailedQuote | tuple[AlignedQuote | FailedQuote, ...]:
        return self.results[index]


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
