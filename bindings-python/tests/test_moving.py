"""Exports, restores, imports and backups: paths and binary files."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import recallite


@pytest.fixture
def talk(memory: recallite.Memory, noon: datetime) -> recallite.Memory:
    for number, content in enumerate(["결제는 15초", "きのうの会議", "שלום", "café 🧵", "plain"]):
        memory.append(
            kind="user_prompt", session=f"s{number % 2}", content=content, timestamp=noon
        )
    memory.forget(5)
    return memory


def contents(memory: recallite.Memory) -> list[str]:
    return [event.content for event in memory.events()]


def test_a_whole_export_is_restored_byte_for_byte(
    talk: recallite.Memory, tmp_path: Path, noon: datetime
) -> None:
    target = tmp_path / "내보내기.jsonl"
    exported = talk.export_jsonl(target)
    assert exported.events == 6
    assert exported.bytes == target.stat().st_size
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    for line in target.read_text(encoding="utf-8").splitlines():
        json.loads(line)
    with recallite.open(tmp_path / "copy") as copy:
        assert copy.restore_jsonl(target) == 6
        assert contents(copy) == contents(talk)
        assert copy.upkeep.state_hash(noon) == talk.upkeep.state_hash(noon)
        assert copy.check().ok
        with pytest.raises(recallite.AlreadyExists):
            copy.restore_jsonl(target)
    # Another export leaves it alone, unless it may replace it.
    before = target.read_bytes()
    with pytest.raises(recallite.AlreadyExists) as exists:
        talk.export_jsonl(target, session="s0")
    assert exists.value.argument == "target"
    assert str(exists.value).startswith(f"target: {target}: ")
    with pytest.raises(recallite.NotFound):
        talk.export_jsonl(target, replace=True, events=99)
    with pytest.raises(recallite.InvalidArgument) as wrong:
        talk.export_jsonl(target, replace=True, kinds="forgotten")
    assert wrong.value.argument == "kinds"
    with pytest.raises(recallite.InvalidArgument) as wrong:
        talk.export_jsonl(target, replace=True, session="")
    assert wrong.value.argument == "session"
    assert target.read_bytes() == before
    assert talk.export_jsonl(str(target), replace=True, session="s0").events == 2
    assert target.stat().st_size < len(before)
    if sys.platform != "win32":
        # One that others could read is as private afterwards; a link leads to the new one.
        target.chmod(0o644)
        link = tmp_path / "link.jsonl"
        link.symlink_to(target)
        talk.export_jsonl(link, replace=True)
        assert link.is_symlink()
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    # No export lies where erasing would not reach it.
    files = {path: path.read_bytes() for path in talk.path.iterdir() if path.is_file()}
    for inside in (talk.path / "CURRENT", talk.path / "export.jsonl"):
        with pytest.raises(recallite.InvalidArgument, match="own folder") as refused:
            talk.export_jsonl(inside, replace=True)
        assert refused.value.argument == "target"
    assert {path: path.read_bytes() for path in talk.path.iterdir() if path.is_file()} == files
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


def test_selected_events_are_imported(talk: recallite.Memory, tmp_path: Path) -> None:
    exported = talk.export_jsonl(tmp_path / "some.jsonl", session="s0")
    assert exported.events == 2
    with recallite.open(tmp_path / "copy") as copy:
        with pytest.raises(recallite.InvalidArgument) as caught:
            copy.restore_jsonl(tmp_path / "some.jsonl")
        assert caught.value.argument == "source"
        assert copy.import_jsonl(tmp_path / "some.jsonl").events == 2
        again = copy.import_jsonl(os.fsencode(tmp_path / "some.jsonl"))
        assert (again.events, again.duplicates, again.skipped) == (0, 2, 0)
        assert contents(copy) == ["결제는 15초", "שלום"]
    for selection in ({"events": talk.search("会議")}, {"everything": True}, {"kinds": "user_prompt"}):
        assert talk.export_jsonl(io.BytesIO(), **selection).events >= 1


def test_binary_files_are_written_and_read(talk: recallite.Memory, tmp_path: Path) -> None:
    memory_file = io.BytesIO()
    exported = talk.export_jsonl(memory_file)
    assert exported.bytes == len(memory_file.getvalue())
    with open(tmp_path / "raw.jsonl", "wb", buffering=0) as raw:
        talk.export_jsonl(raw)
    memory_file.seek(0)
    with recallite.open(tmp_path / "a") as copy:
        assert copy.restore_jsonl(memory_file) == 6
    with recallite.open(tmp_path / "b") as copy, open(tmp_path / "raw.jsonl", "rb") as file:
        found = copy.import_jsonl(file)
        assert (found.events, found.skipped) == (4, 2)

    class Slow:
        """Takes and gives a few bytes at a time, as a socket does."""

        def __init__(self, data: bytes = b"") -> None:
            self.data = bytearray(data)

        def write(self, data: bytes) -> int:
            self.data += data[:700]
            return len(data[:700])

        def read(self, size: int) -> bytes:
            part, self.data = self.data[: min(size, 900)], self.data[min(size, 900) :]
            return bytes(part)

    slow = Slow()
    talk.export_jsonl(slow)
    lines = bytes(slow.data).splitlines()
    assert [json.loads(line) for line in lines[1:]] == [
        json.loads(line) for line in memory_file.getvalue().splitlines()[1:]
    ]
    with recallite.open(tmp_path / "c") as copy:
        assert copy.restore_jsonl(slow) == 6


def test_what_a_file_raises_is_raised(talk: recallite.Memory, tmp_path: Path) -> None:
    class Mine(Exception):
        pass

    class Broken:
        def __init__(self) -> None:
            self.calls = 0

        def write(self, data: bytes) -> int:
            self.calls += 1
            raise Mine

        def read(self, size: int) -> bytes:
            raise Mine

    broken = Broken()
    with pytest.raises(Mine):
        talk.export_jsonl(broken)
    assert broken.calls == 1
    with recallite.open(tmp_path / "copy") as copy:
        for call in (copy.restore_jsonl, copy.import_jsonl):
            with pytest.raises(Mine):
                call(broken)
            assert copy.stats().events == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes always block")
def test_an_export_that_a_stream_does_not_take_is_no_success(talk: recallite.Memory) -> None:
    text = "We deploy on Fridays at noon. " * 1000
    for number in range(4):
        talk.append(kind="user_prompt", session="long", content=f"{number} {text}")
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with open(reader, "rb", buffering=0), open(writer, "wb", buffering=0) as stream:
        # The pipe is full before the export is complete.
        with pytest.raises(BlockingIOError):
            talk.export_jsonl(stream)


def test_text_files_and_nonsense_are_refused(talk: recallite.Memory, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        talk.export_jsonl(io.StringIO())  # type: ignore[arg-type]
    nonsense: Any
    for nonsense in (3, None, object()):
        with pytest.raises(recallite.InvalidArgumentType) as caught:
            talk.export_jsonl(nonsense)
        assert caught.value.argument == "target"
    with recallite.open(tmp_path / "copy") as copy:
        with pytest.raises(recallite.InvalidArgumentType) as caught:
            copy.restore_jsonl(io.StringIO("text"))  # type: ignore[arg-type]
        assert caught.value.argument == "source" and "binary" in str(caught.value)

        class Wrong:
            def __init__(self, given: Any) -> None:
                self.given = given

            def read(self, size: int) -> Any:
                return self.given

        for given in (None, 3, b"x" * (1 << 20)):
            with pytest.raises(recallite.InvalidArgumentType) as caught:
                copy.import_jsonl(Wrong(given))
            assert caught.value.argument == "source"
        with pytest.raises(recallite.NotFound) as missing:
            copy.import_jsonl(tmp_path / "missing.jsonl")
        assert missing.value.argument == "source" and "missing.jsonl" in str(missing.value)
        for read in (copy.import_jsonl, copy.restore_jsonl):
            with pytest.raises(recallite.InvalidArgument, match="is a folder") as folder:
                read(tmp_path)
            assert folder.value.argument == "source"
        with pytest.raises(recallite.InvalidArgument) as refused:
            copy.import_jsonl(io.BytesIO(b"{}\n"))
        assert refused.value.argument == "source"
    with pytest.raises(recallite.NotFound) as missing:
        talk.export_jsonl(tmp_path / "no" / "folder.jsonl")
    assert missing.value.argument == "target"


def test_an_export_in_place_of_its_path_is_not_shown(
    talk: recallite.Memory, tmp_path: Path
) -> None:
    whole = io.BytesIO()
    talk.export_jsonl(whole)
    data = whole.getvalue()
    header = data.splitlines()[0]
    transcript = '{"type": "user", "message": {"content": "a secret"}}'
    given: Any
    with recallite.open(tmp_path / "copy") as copy:
        for given in (data, data.decode(), header, header.decode()):
            for read in (copy.import_jsonl, copy.restore_jsonl):
                with pytest.raises(recallite.InvalidArgument, match="not its path") as caught:
                    read(given)
                assert caught.value.argument == "source"
                assert "secret" not in str(caught.value)
        # Longer than any name, so that it is not taken for one.
        text = header.decode() + "x" * 300
        calls: list[Callable[[], object]] = [
            lambda: copy.export_jsonl(text),
            lambda: copy.backup(text),
            lambda: copy.import_claude_code(transcript),
            lambda: recallite.open(text),
            lambda: recallite.project_of(text),
            lambda: recallite.open(tmp_path / "new", settings_file=text),
            lambda: copy.sharing.push_folder(text),
        ]
        for call in calls:
            with pytest.raises(recallite.Error, match="a text of .* bytes, not a path") as other:
                call()
            assert "secret" not in str(other.value)


def test_an_export_that_is_cut_changes_nothing(talk: recallite.Memory, tmp_path: Path) -> None:
    whole = io.BytesIO()
    talk.export_jsonl(whole)
    data = whole.getvalue()
    with recallite.open(tmp_path / "copy") as copy:
        for cut in (data[:-1], data[: len(data) // 2], data.splitlines()[0], b""):
            for call in (copy.restore_jsonl, copy.import_jsonl):
                try:
                    call(io.BytesIO(cut))
                except recallite.InvalidArgument as error:
                    assert error.argument == "source"
                    assert copy.stats().events == 0
                else:
                    # Only the last line's end is missing.
                    assert cut == data[:-1]
                    return


def test_backup(talk: recallite.Memory, tmp_path: Path) -> None:
    assert talk.backup(tmp_path / "백업") == 6
    with recallite.open(tmp_path / "백업", create=False) as copy:
        assert contents(copy) == contents(talk)
        assert copy.check().ok
    with pytest.raises(recallite.AlreadyExists):
        talk.backup(tmp_path / "백업")
    with pytest.raises(recallite.InvalidArgument) as caught:
        talk.backup("")
    assert caught.value.argument == "path"
