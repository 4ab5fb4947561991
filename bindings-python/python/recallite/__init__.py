"""Recallite, the SQLite of agent memory.

    >>> import recallite
    >>> with recallite.open("./memory") as memory:                # doctest: +SKIP
    ...     memory.append(kind="user_prompt", session="s1", content="We deploy on Fridays.")
    ...     memory.search("when do we deploy?").items[0].passage.text
    'We deploy on Fridays.'

For asyncio there is ``recallite.aio``, with the same names.
"""

from ._errors import (
    AlreadyExists,
    Busy,
    CallbackError,
    Closed,
    Corrupt,
    EmbedderError,
    Error,
    ErrorCode,
    Full,
    InternalError,
    InvalidArgument,
    InvalidArgumentType,
    InvalidTransition,
    InvariantViolation,
    IoError,
    NeedsReopen,
    NewerFormat,
    NotFound,
    PermissionDenied,
    Poisoned,
    Unsupported,
)
from ._native import Events, Memory, __version__, default_store_path, open, project_of
from ._records import (
    Appended,
    Detail,
    Event,
    EventKind,
    Hit,
    ImportCounters,
    ImportProgress,
    ImportReport,
    LexicalStats,
    MatchClass,
    NewEvent,
    Origin,
    Passage,
    PrivacyReport,
    PrivacyTotals,
    ProjectScope,
    Relations,
    SearchResult,
    Session,
    Stats,
    TimelineItem,
    ToolRecord,
    ToolUse,
)

__all__ = [
    "AlreadyExists",
    "Appended",
    "Busy",
    "CallbackError",
    "Closed",
    "Corrupt",
    "Detail",
    "EmbedderError",
    "Error",
    "ErrorCode",
    "Event",
    "EventKind",
    "Events",
    "Full",
    "Hit",
    "ImportCounters",
    "ImportProgress",
    "ImportReport",
    "InternalError",
    "InvalidArgument",
    "InvalidArgumentType",
    "InvalidTransition",
    "InvariantViolation",
    "IoError",
    "LexicalStats",
    "MatchClass",
    "Memory",
    "NeedsReopen",
    "NewEvent",
    "NewerFormat",
    "NotFound",
    "Origin",
    "Passage",
    "PermissionDenied",
    "Poisoned",
    "PrivacyReport",
    "PrivacyTotals",
    "ProjectScope",
    "Relations",
    "SearchResult",
    "Session",
    "Stats",
    "TimelineItem",
    "ToolRecord",
    "ToolUse",
    "Unsupported",
    "__version__",
    "default_store_path",
    "open",
    "project_of",
]


def _show_public_names() -> None:
    """Lets the classes show the name under which people import them."""
    for name in __all__:
        item = globals()[name]
        if isinstance(item, type) and item.__module__.startswith("recallite._"):
            item.__module__ = "recallite"


_show_public_names()
