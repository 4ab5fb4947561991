"""Importing transcripts, with progress."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import recallite


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    folder = tmp_path / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True)
    for file in range(3):
        lines: list[str] = []
        for turn in range(4):
            role = "assistant" if turn % 2 else "user"
            lines.append(
                json.dumps(
                    {
                        "type": role,
                        "sessionId": f"session-{file}",
                        "uuid": f"{file}-{turn}",
                        "timestamp": f"2026-03-09T09:0{turn}:00.000Z",
                        "cwd": "/nowhere/shop",
                        "message": {"role": role, "content": f"{role} {turn} 안녕"},
                    },
                    ensure_ascii=False,
                )
            )
        lines.append('{"type": "user", "half')
        (folder / f"session-{file}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder.parent


def test_importing_twice_changes_nothing(memory: recallite.Memory, transcripts: Path) -> None:
    report = memory.import_claude_code(transcripts)
    assert report.files == 3
    assert report.failed_files == ()
    assert report.refused == ()
    assert (report.counters.imported_prompts, report.counters.imported_responses) == (6, 6)
    assert report.counters.total_messages == 12
    assert report.counters.errors == 3
    again = memory.import_claude_code(str(transcripts))
    assert again.counters.skipped_duplicates == 12
    assert memory.stats().events == 12
    event = next(memory.events(session="session-0", project=recallite.ProjectScope.ALL))
    assert event.content == "user 0 안녕"
    assert event.timestamp.isoformat() == "2026-03-09T09:00:00+00:00"


def test_options(memory: recallite.Memory, transcripts: Path) -> None:
    report = memory.import_claude_code(
        transcripts / "-home-ada-shop" / "session-1.jsonl",
        has_tool_observations=False,
        keeps_blank_text=True,
        response_limit_utf16=4,
        limit=2,
        max_line_bytes=10_000,
    )
    assert (report.counters.imported_prompts, report.counters.imported_responses) == (1, 1)
    answers = [event.content for event in memory.events(kinds="agent_response")]
    assert answers and all(answer.startswith("assi") for answer in answers)
    assert all("안녕" not in answer for answer in answers)


def test_progress_is_reported_and_may_end_the_import(
    memory: recallite.Memory, transcripts: Path
) -> None:
    seen: list[recallite.ImportProgress] = []

    def stop_after_one_file(now: recallite.ImportProgress) -> bool:
        seen.append(now)
        return now.files_done < 1

    report = memory.import_claude_code(transcripts, progress=stop_after_one_file)
    assert report.files == 1
    assert seen[-1].files_done == 1
    assert seen[-1].files_total == 3
    assert 0 < seen[-1].bytes_done < seen[-1].bytes_total
    assert seen[-1].events_stored == 4
    # `None` is no answer: the import goes on.
    assert memory.import_claude_code(transcripts, progress=lambda now: None).files == 3


def test_what_the_callback_raises_comes_out(memory: recallite.Memory, transcripts: Path) -> None:
    def fail(now: recallite.ImportProgress) -> None:
        # The handle may be used inside of the callback.
        raise KeyError(memory.stats().events)

    with pytest.raises(KeyError) as caught:
        memory.import_claude_code(transcripts, progress=fail)
    assert caught.value.args == (4,)
    assert memory.stats().events == 4


def test_a_bar_when_tqdm_is_there(
    memory: recallite.Memory,
    transcripts: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("tqdm")
    assert memory.import_claude_code(transcripts, progress=True).files == 3
    assert "import" in capsys.readouterr().err
    assert memory.import_claude_code(transcripts, progress=False).files == 3
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert memory.import_claude_code(transcripts, progress=True).files == 3
    assert capsys.readouterr().err == ""
