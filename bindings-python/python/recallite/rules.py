"""The rules of the library as functions. Nothing here reads or writes a store.

The rules are the same in every language. A host that prepares data for a memory,
validates the answer of a language model, or lays out what it recalled gets the same
results as the library.

    >>> from recallite import rules
    >>> rules.canonical_key("Hello,  World!")
    'hello world'
    >>> rules.estimate_tokens("abcde")
    2
"""

from __future__ import annotations

from ._generated.recall import ExpansionReason
from ._generated.rule_names import *
from ._generated.rules import *
from ._native import INDEX_ITEM_TOKENS, TIMELINE_ITEM_TOKENS

__all__ = [
    "ExpansionReason",
    "INDEX_ITEM_TOKENS",
    "TIMELINE_ITEM_TOKENS",
    # By `cargo xtask interface`, up to the end of the list:
    "CitedMemory",
    "ContextMemory",
    "ContextSnapshot",
    "Criterion",
    "CueLanguages",
    "EntityKeyParts",
    "Evaluation",
    "EvidenceGate",
    "ExpansionDecision",
    "ExpansionPlan",
    "Filtered",
    "GraphEdge",
    "InsightEvent",
    "ItemKind",
    "JobStatus",
    "Masked",
    "MaskedInput",
    "MatchList",
    "MoveOutcome",
    "PrivateRemoved",
    "SecretKeys",
    "Shown",
    "SpokenEvent",
    "TaskTransition",
    "align",
    "align_claims",
    "allows_blockers",
    "allows_job_transition",
    "artifact_key",
    "artifact_kind",
    "canonical_key",
    "check_grounding",
    "citation_block",
    "citation_id",
    "classify",
    "condition_key",
    "content_hash",
    "continuity",
    "decide_transition",
    "dedupe_key",
    "effective_blockers",
    "entity_key",
    "estimate_tokens",
    "evaluate_graduation",
    "expansion_decision",
    "extract_claims",
    "extract_insights",
    "filter_text",
    "format_context",
    "harmless",
    "harmless_line",
    "initial_task_status",
    "is_consolidation_due",
    "is_edge_allowed",
    "is_same_title",
    "is_small_talk",
    "levenshtein",
    "mask_secrets",
    "mask_tool_input",
    "match_list",
    "match_score",
    "outside_session_name",
    "parse_citation",
    "parse_entity_key",
    "plan_expansion",
    "preview",
    "remove_private_sections",
    "session_summary_text",
    "similarity",
    "snapshot",
    "summary",
    "task_event_dedupe_key",
    "task_key",
    "tool_embedding_text",
    "tool_metadata",
    "tool_summary",
    "truncate_output",
    "unique_citation_id",
    "utf16_len",
    "vector_table_name",
]
