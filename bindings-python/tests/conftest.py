"""Fixtures: a fresh memory in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

import recallite

# The same sources give the same verdict. To look for new examples:
# pytest --hypothesis-profile=default
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[recallite.Memory]:
    with recallite.open(tmp_path / "memory") as memory:
        yield memory


@pytest.fixture
def noon() -> datetime:
    return datetime(2026, 3, 9, 12, 0, tzinfo=UTC)
