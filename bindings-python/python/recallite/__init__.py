"""Recallite, an embeddable memory for agents: the SQLite of agent memory.

    >>> import recallite
    >>> with recallite.open("./memory") as memory:
    ...     receipt = memory.append(kind="user_prompt", session="s1", content="We deploy on Fridays.")
    ...     memory.search("when do we deploy?").items[0].passage.text
    'We deploy on Fridays.'

For asyncio, use ``recallite.aio``, which has the same names.
"""

import os as _os
from typing import TYPE_CHECKING

from ._errors import Error, InvalidArgumentType
from ._native import (
    EXTRACTION_PROMPT,
    EXTRACTION_SCHEMA,
    EXTRACTION_SCHEMA_VERSION,
    ArrowEvents,
    Citations,
    Endless,
    Events,
    EventView,
    History,
    Knowledge,
    Levels,
    Memory,
    Pauses,
    Sharing,
    Tasks,
    Upkeep,
    __version__,
    align,
    default_store_path,
    open,
    project_of,
)
from . import _generated
from ._base import ProjectScope, Rows

if TYPE_CHECKING:
    from ._generated.errors import *
    from ._generated.exceptions import *
    from ._generated.learning import *
    from ._generated.log import *
    from ._generated.options import *
    from ._generated.recall import *
    from ._generated.rules import *
    from ._generated.said import *
    from ._generated.sharing import *
    from ._generated.told import *
    from ._generated.upkeep import *
    from ._options import CallbackEmbedder, Embedder, OpenOptions

__all__ = [
    "ArrowEvents",
    "CallbackEmbedder",
    "EXTRACTION_PROMPT",
    "EXTRACTION_SCHEMA",
    "EXTRACTION_SCHEMA_VERSION",
    "Embedder",
    "Error",
    "EventView",
    "Events",
    "InvalidArgumentType",
    "Memory",
    "OpenOptions",
    "ProjectScope",
    "Rows",
    "__version__",
    "align",
    "default_store_path",
    "open",
    "project_of",
    # By `cargo xtask interface`, up to the end of the list:
    "AlignedClaim",
    "Alignment",
    "AlignmentReport",
    "AlreadyExists",
    "Announced",
    "Appended",
    "Artifact",
    "ArtifactKind",
    "BlockedTask",
    "BlockerConfidence",
    "BlockerRef",
    "BuildRun",
    "BuildStatus",
    "BuildTools",
    "Busy",
    "CallbackError",
    "CheckReport",
    "CitationDetail",
    "CitationFormat",
    "CitationNeighbour",
    "Citations",
    "CitedMemory",
    "ClaimsAlignment",
    "Closed",
    "Compacted",
    "Condition",
    "Conflict",
    "ConflictResolution",
    "ConsolidatedMemory",
    "ConsolidationPolicy",
    "ConsolidationReport",
    "Context",
    "ContextItem",
    "ContextMemory",
    "ContextSnapshot",
    "Continuity",
    "ContinuityEntry",
    "ContinuityPolicy",
    "Corrupt",
    "Criterion",
    "CueLanguages",
    "Decision",
    "DecisionEvidence",
    "Detail",
    "Divergence",
    "Edge",
    "EffectiveBlocker",
    "EffectiveMemory",
    "EffectiveSetting",
    "EffectiveStatus",
    "EmbedderError",
    "EmbeddingStats",
    "Endless",
    "EndlessConfig",
    "EndlessContext",
    "EndlessStatus",
    "EntityKeyParts",
    "EntityKind",
    "EntityRef",
    "EntryHit",
    "EntryStatus",
    "EntryType",
    "Erased",
    "ErrorCode",
    "Evaluation",
    "Event",
    "EventKind",
    "EventLevel",
    "EvidenceGate",
    "EvidenceKind",
    "EvidenceQuote",
    "EvidenceReport",
    "EvidenceSpan",
    "ExpansionDecision",
    "ExpansionPlan",
    "ExpansionReason",
    "Exported",
    "ExtractionRequest",
    "FailureReason",
    "FastembedOptions",
    "Filtered",
    "Forgotten",
    "Full",
    "Graduated",
    "GraphEdge",
    "History",
    "Hit",
    "IgnoredRecord",
    "ImportCounters",
    "ImportFailure",
    "ImportProblem",
    "ImportProgress",
    "ImportReport",
    "Imported",
    "IndexItem",
    "IngestReport",
    "IngestedEntry",
    "IngestedTask",
    "InjectionPolicy",
    "InjectionStats",
    "Insight",
    "InsightEvent",
    "InsightKind",
    "InternalError",
    "Interrupted",
    "InvalidArgument",
    "InvalidTransition",
    "InvariantViolation",
    "IoError",
    "ItemKind",
    "JobFailure",
    "JobStatus",
    "Knowledge",
    "LayerStats",
    "LearnedEntry",
    "LearnedHit",
    "LearnedKind",
    "LearnedState",
    "Level",
    "LevelChange",
    "LevelCounts",
    "Levels",
    "LexicalStats",
    "LineageStep",
    "LogLevel",
    "LogRecord",
    "Maintained",
    "Marker",
    "Masked",
    "MaskedInput",
    "MatchClass",
    "MatchList",
    "MatchMethod",
    "Member",
    "MemberRole",
    "MemoryMode",
    "MemoryResolution",
    "MissingQuote",
    "MoveOutcome",
    "NeedsReopen",
    "NewEvent",
    "NewerFormat",
    "NodeType",
    "NotFound",
    "Operation",
    "Origin",
    "Passage",
    "Pause",
    "Pauses",
    "PermissionDenied",
    "PinnedEvent",
    "PipelineMetric",
    "PipelineStage",
    "Placeholder",
    "Poisoned",
    "PopularCitation",
    "Priority",
    "PrivacyConfig",
    "PrivacyReport",
    "PrivacyTotals",
    "PrivateRemoved",
    "Processed",
    "Progress",
    "PromotionRecord",
    "Proof",
    "ProvenStage",
    "Pulled",
    "Pushed",
    "Query",
    "Rebuilt",
    "RecallWeights",
    "Received",
    "RecordSource",
    "Recording",
    "RelatedEntry",
    "Relation",
    "Relations",
    "ReplacedEdges",
    "ResolutionKind",
    "ResolutionType",
    "ScopeKind",
    "SearchResult",
    "SecretKeys",
    "Session",
    "SessionMessage",
    "SettingSource",
    "SharedBatch",
    "Sharing",
    "Shown",
    "SkipReason",
    "SmartSearchMeta",
    "SmartSearchResult",
    "SpokenEvent",
    "Stage",
    "Stats",
    "TagFormat",
    "Task",
    "TaskCandidate",
    "TaskDetail",
    "TaskStatus",
    "TaskTransition",
    "Tasks",
    "TimelineItem",
    "ToolLimits",
    "ToolOutcome",
    "ToolPolicy",
    "ToolRecord",
    "ToolUse",
    "TransitionType",
    "UnansweredErasure",
    "Unsupported",
    "Upgraded",
    "Upkeep",
    "Usage",
    "Watermark",
    "WorkingItem",
    "WorkingSetPolicy",
]


def _show_public_names() -> None:
    """Makes the classes show the public module name."""
    for name in __all__:
        item = globals().get(name)
        if isinstance(item, type) and item.__module__.startswith("recallite._"):
            item.__module__ = "recallite"


_show_public_names()

if not TYPE_CHECKING:
    _MODULES = {
        **{name: f"_generated.{module}" for name, module in _generated.MODULES.items()},
        **dict.fromkeys(("CallbackEmbedder", "Embedder", "OpenOptions"), "_options"),
    }

    def __getattr__(name: str) -> object:
        """Loads a class on first use: creating so many classes takes longer than
        the rest of the import."""
        from importlib import import_module

        if module := _MODULES.get(name):
            globals()[name] = item = getattr(import_module(f".{module}", __name__), name)
            return item
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

    def _load_everything() -> None:
        """Ends every import that a thread has begun: a child process would wait for it for
        ever, because it does not have that thread."""
        from importlib import import_module

        # What is not ours is what the native module imports on first use.
        for module in ("json", "pathlib", *{f"{__name__}.{own}" for own in _MODULES.values()}):
            import_module(module)

    if hasattr(_os, "register_at_fork"):
        _os.register_at_fork(before=_load_everything)
