"""What upkeep gives: receipts of forgetting, checking, moving and maintaining.

As in ``_records``, the order of the fields is the order in ``src/upkeep_record.rs``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ._records import _Record  # pyright: ignore[reportPrivateUsage]

__all__ = [
    "CheckReport",
    "Compacted",
    "Divergence",
    "Erased",
    "Exported",
    "Forgotten",
    "Imported",
    "Maintained",
    "Processed",
    "Rebuilt",
    "Upgraded",
]


@dataclass(frozen=True, slots=True, repr=False)
class Forgotten(_Record):
    """What was forgotten."""

    count: int
    """Events that were live before and are forgotten now."""
    content_bytes: int
    """Bytes of their content."""
    sessions: int
    """Sessions that they belonged to."""
    jobs: int
    """Jobs that waited for them and were dropped."""
    segments: int
    """Segments of the search index that were rewritten without their words."""
    tombstone: int | None
    """The position of the tombstone; ``None`` when nothing was selected."""


@dataclass(frozen=True, slots=True, repr=False)
class Erased(_Record):
    """The receipt of an erasure."""

    count: int
    """Events that were selected and are erased now, forgotten ones included."""
    dependents: int
    """Events that the library had recorded about them and that went with them."""
    tombstone: int | None
    """The event that records the erasure; ``None`` when nothing was selected."""
    generation: int
    """The generation that is live now; 0 when nothing was selected."""
    was_overwritten: bool
    """Whether the old files were overwritten with zeros and removed. False while
    one of them waits for a process that still has it open."""
    places: tuple[str, ...]
    """Every place that was cleared, in plain words."""
    is_complete: bool
    """Whether nothing of this erasure, nor of one before it, is left to do. When
    false, ``open_places`` says what is; opening the store, ``maintain()``,
    ``compact()`` and the next ``erase()`` go on with it."""
    open_places: tuple[str, ...]
    """Files that may still hold erased text, in plain words."""
    completed: int
    """Earlier erasures, interrupted or hindered, that this call completed."""


@dataclass(frozen=True, slots=True, repr=False)
class Compacted(_Record):
    """What a compaction did."""

    before_bytes: int
    """Bytes of all files of the store before."""
    after_bytes: int
    """Bytes after."""
    generation: int
    """The generation that is live now."""


@dataclass(frozen=True, slots=True, repr=False)
class Divergence(_Record):
    """Where a store is not what it should be, and what to do."""

    place: str
    """The table or part: ``events`` is the log, ``lexical`` the search index."""
    seq: int | None
    """The event, where one is concerned."""
    problem: str
    """What is wrong, without any stored content."""
    remedy: str
    """What to do about it."""


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport(_Record):
    """What a check found."""

    ok: bool
    """Whether everything is as it should be."""
    events: int
    """Records in the log."""
    first_divergence: Divergence | None
    """The first thing that is wrong."""
    state_hash: str
    """The state hash at ``as_of``, as ``Memory.state_hash`` gives it."""
    as_of: datetime
    """The moment of the hash: the newest live event's time."""


@dataclass(frozen=True, slots=True, repr=False)
class Rebuilt(_Record):
    """What a rebuild did."""

    events: int
    """Records of the log that were replayed."""
    hash_before: str
    """The state hash before, as 64 hexadecimal digits."""
    hash_after: str
    """The state hash after. It differs from the one before only when the tables
    had been damaged."""


@dataclass(frozen=True, slots=True, repr=False)
class Exported(_Record):
    """What an export wrote."""

    events: int
    bytes: int


@dataclass(frozen=True, slots=True, repr=False)
class Imported(_Record):
    """What an import of an export did."""

    events: int
    """Events that were stored."""
    duplicates: int
    """Events that were here already."""
    skipped: int
    """Lines that an import leaves out: forgotten and erased events, and what the
    library had recorded itself."""


@dataclass(frozen=True, slots=True, repr=False)
class Upgraded(_Record):
    """What an upgrade of the format did."""

    from_format: int
    to_format: int
    changed: bool
    """Whether anything was changed."""


@dataclass(frozen=True, slots=True, repr=False)
class Maintained(_Record):
    """What one step of maintenance did."""

    folded: bool
    """Whether waiting events were folded into an index segment."""
    merges: int
    """Merges of index segments."""
    jobs_done: int
    """Outbox jobs whose vectors were written or that needed none."""
    jobs_failed: int
    """Outbox jobs that failed; they are tried again later."""
    jobs_revived: int
    """Outbox jobs that got another attempt or were taken from dead workers."""
    jobs_cleaned: int
    """Outbox jobs that were done long ago and are gone now."""
    jobs_waiting: int
    """Outbox jobs that still wait for the embedder."""
    graph_vectors: int
    """Vectors that were put into graphs."""
    judged: int
    """Events that graduation judged."""
    moved: int
    """Events that rose or sank."""
    insights: int
    """Insights that were found."""
    consolidated: int
    """Memories that consolidation made."""
    has_more: bool
    """Whether another call would find more to do."""
    compaction_pays: bool
    """Whether ``compact()`` would pay."""
    erasures_completed: int
    """Earlier erasures, interrupted or hindered, that are complete now."""
    erasures_open: int
    """Erasures that still wait for a file which another process has open; see
    ``Stats.unclean_places``."""


@dataclass(frozen=True, slots=True, repr=False)
class Processed(_Record):
    """What a run of the embedding worker did."""

    processed: int
    """Jobs that were claimed."""
    succeeded: int
    """Jobs that are done, skipped ones included."""
    failed: int
    """Jobs that failed."""
    skipped: int
    """Of those that are done, the ones that needed no vector."""
    errors: tuple[tuple[int, str], ...]
    """What went wrong: the number of each failed job, and why."""


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
