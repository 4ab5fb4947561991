"""The example of learning prints what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = Path(os.environ.get("RECALLITE_EXAMPLES", HERE.parent.parent / "examples"))


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")
def test_the_example_learns() -> None:
    told = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / "python" / "learn.py"],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    ).stdout.decode()
    lines = told.splitlines()
    assert lines[:2] == ["learned 4 entries and 2 tasks", "a second time: 0 events"]
    assert "  decision, verified: 결제 타임아웃은 15초" in lines
    assert "    message 2, 21-40, exact: 결제 타임아웃은 15초로 하자 ⏱️" in lines
    assert "  decision, candidate: Redis is introduced next week" in lines
    assert "    message 3: not_found" in lines
    blockers = sorted(line for line in lines if " <- " in line)
    assert blockers == [
        "  Release the new checkout <- PAY-311",
        "  Release the new checkout <- 인덱스 다시 만들기 (in_progress)",
    ]
    assert lines[-2:] == [
        "  Migration 0042 dropped an index",
        "    No migration without a query plan",
    ]
