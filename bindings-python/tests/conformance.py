"""The conformance vectors: those of the repository, or of the folder that
`MEMORY_CONFORMANCE_DIR` names. Each file is an array of `{name, input, expected}`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import recallite
from recallite import rules

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("RECALLITE_EXAMPLES", HERE.parent.parent / "examples")).parent
OWN = ROOT / "memory-core" / "tests" / "conformance"
VECTORS = Path(os.environ.get("MEMORY_CONFORMANCE_DIR", OWN))

# A folder that somebody names must be there: tests of other vectors must not pass unread.
here = pytest.mark.skipif(
    not VECTORS.is_dir() and "MEMORY_CONFORMANCE_DIR" not in os.environ,
    reason="the vectors are not here",
)

# Rules that have vectors only elsewhere.
ELSEWHERE = {"task_event_dedupe_key"}

Case = dict[str, Any]


def vectors(name: str) -> list[Case]:
    """The cases of a file, which a folder of others may lack."""
    file = VECTORS / f"{name}.json"
    may_lack = VECTORS != OWN or name in ELSEWHERE
    if may_lack and not file.is_file():
        pytest.skip(f"{file.name} is not in {VECTORS}")
    cases: list[Case] = json.loads(file.read_text(encoding="utf-8"))
    return cases


def is_usable(pattern: str) -> bool:
    """The specification skips a pattern that is no regular expression; the library refuses it."""
    try:
        rules.filter_text("", exclude_patterns=(pattern,))
    except recallite.InvalidArgument:
        return False
    return True
