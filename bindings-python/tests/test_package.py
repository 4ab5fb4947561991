"""The installed package: what it exports, costs, and says in its README."""

from __future__ import annotations

import doctest
import gc
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recallite
from recallite import _native, rules

HERE = Path(__file__).parent
EXAMPLES = Path(os.environ.get("RECALLITE_EXAMPLES", HERE.parent.parent / "examples"))


def test_the_package_is_typed_and_complete() -> None:
    folder = Path(recallite.__file__).parent
    assert (folder / "py.typed").is_file()
    assert (folder / "_native.pyi").is_file()
    for name in recallite.__all__:
        assert getattr(recallite, name) is not None
        assert name in dir(recallite)
    with pytest.raises(AttributeError):
        recallite.nothing  # type: ignore[attr-defined]
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", recallite.__version__)


def test_the_examples_in_docstrings_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (recallite, rules):
        found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert found.attempted >= 2, module
        assert found.failed == 0, module


@pytest.mark.skipif(sys.platform != "linux", reason="reads an ELF file")
def test_only_the_entry_point_is_exported() -> None:
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", _native.__file__],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert [line.split()[-1] for line in listing.splitlines()] == ["PyInit__native"]


def test_importing_is_quiet_and_brings_nothing_optional() -> None:
    program = (
        "import sys, recallite\n"
        "wanted = {'numpy', 'pandas', 'pyarrow', 'onnxruntime', 'tqdm', 'asyncio', 'logging'}\n"
        "wanted |= {'recallite.aio'}\n"
        "wanted |= {name for name in sys.modules if name.startswith('recallite._generated.')}\n"
        # The exceptions, and what they are made of.
        "wanted -= {'recallite._generated.errors', 'recallite._generated.exceptions'}\n"
        "print(sorted(wanted & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _simple(folder: Path) -> None:
    with recallite.open(folder, cache_bytes=1 << 20) as memory:
        memory.append(kind="user_prompt", session="s", content="the gateway timeout")
        for event in memory.events():
            assert event.content
        assert memory.search("gateway").items
        with pytest.raises(recallite.InvalidArgument):
            memory.search("")


def _with_callbacks(folder: Path) -> None:
    embedder = recallite.CallbackEmbedder("one", 1, lambda texts: [[1.0]] * len(texts))
    with recallite.open(folder, cache_bytes=1 << 20, embedder=embedder) as memory:
        memory.append(kind="user_prompt", session="s", content="the gateway timeout")
        memory.process_outbox()
        assert memory.smart_search("gateway timeout", count_tokens=len).index
        with pytest.raises(ZeroDivisionError):
            memory.smart_search("gateway timeout", count_tokens=lambda text: 1 // 0)
        assert len(memory.events().to_arrow()) == 1
        assert memory.events().to_arrow().__arrow_c_stream__()
        assert memory.events().__arrow_c_schema__()
        assert memory.export_jsonl(io.BytesIO()).events


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize(("cycle", "share"), [(_simple, 1), (_with_callbacks, 4)])
def test_opening_and_closing_does_not_grow(
    tmp_path: Path, cycle: Callable[[Path], None], share: int
) -> None:
    cycles = int(os.environ.get("RECALLITE_CYCLES", "1000")) // share

    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    for _ in range(100):
        cycle(tmp_path)
    gc.collect()
    before, files = _resident_bytes(), open_files()
    for _ in range(cycles):
        cycle(tmp_path)
    gc.collect()
    grown = _resident_bytes() - before
    assert open_files() <= files
    # A leak of one record or one handle per cycle is over this by far.
    assert grown < (2 << 20) + cycles * 256, f"{grown} bytes in {cycles} cycles"


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")
def test_the_story_prints_the_golden_lines() -> None:
    golden = EXAMPLES / "story" / "golden.txt"
    if not golden.is_file():
        pytest.skip("the golden lines are not here")
    told = subprocess.run(
        [sys.executable, EXAMPLES / "python" / "story.py"], check=True, capture_output=True
    )
    assert told.stdout.decode() == golden.read_text(encoding="utf-8")


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")
def test_the_tools_walk_the_three_steps() -> None:
    told = subprocess.run(
        [sys.executable, EXAMPLES / "python" / "mcp_tools.py"],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    ).stdout.decode()
    search, timeline, details, remember, forget, missing = told.split("\n\nmemory_")[1:]
    assert "confidence: " in search and "4173" in search
    assert "> mem:" in timeline
    assert re.search(r'<(memory-\w+) source="mem:.*4173.*</\1>', details, re.DOTALL)
    assert "remembered as mem:" in remember
    assert "forgot 1 memories" in forget
    assert "citation" in missing


def test_the_readme_snippet_runs(tmp_path: Path) -> None:
    readmes = [HERE.parent / "README.md", EXAMPLES.parent / "README.md"]
    texts = [readme.read_text(encoding="utf-8") for readme in readmes if readme.is_file()]
    snippets = [found for text in texts for found in re.findall(r"```python\n(.*?)```", text, re.S)]
    assert snippets
    for snippet in snippets:
        done = subprocess.run(
            [sys.executable, "-c", snippet], cwd=tmp_path, check=True, capture_output=True
        )
        assert b"Traceback" not in done.stderr
