"""An argument whose shape is Python's own: what an event is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._base import Record
from ._generated.log import EventKind, Origin

if TYPE_CHECKING:
    from ._generated.said import ToolUse

__all__ = [
    "NewEvent",
]


@dataclass(frozen=True, slots=True, repr=False)
class NewEvent(Record):
    """An event to be remembered, for ``append_batch``."""

    kind: EventKind | str
    session: str
    """The conversation it belongs to; 1 to 1,024 bytes of UTF-8."""
    content: str = ""
    actor: str | None = None
    """Who; by default derived from the kind."""
    origin: Origin | str | None = None
    project: str | None = None
    """By default the project that the memory was opened for."""
    timestamp: datetime | None = None
    """When it happened, aware; by default now."""
    metadata: dict[str, Any] | None = field(default=None, hash=False)
    dedupe: bool | str = True
    """True: the same content in the same session is one event. A ``str``: the
    same key is one event. False: every call stores an event."""
    tool: ToolUse | dict[str, Any] | None = field(default=None, hash=False)


# They show the name under which people import them.
for _name in __all__:
    globals()[_name].__module__ = "recallite"
