"""Forgetting, erasing, checking, following and maintaining."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recallite
from recallite import ProjectScope


def fill(memory: recallite.Memory, noon: datetime, count: int = 6) -> list[recallite.Appended]:
    return [
        memory.append(
            kind="agent_response" if number % 2 else "user_prompt",
            session=f"s{number % 2}",
            content=f"번호 {number} of the ledger",
            timestamp=noon + timedelta(days=number),
        )
        for number in range(count)
    ]


def test_forget_by_every_condition(memory: recallite.Memory, noon: datetime) -> None:
    receipts = fill(memory, noon)
    assert memory.upkeep.count_selected(receipts[0]) == 1
    one = memory.forget(receipts[0])
    assert (one.count, one.sessions) == (1, 1)
    assert one.content_bytes == len("번호 0 of the ledger".encode())
    assert one.tombstone == 7
    assert memory.event(receipts[0]) is None
    again = memory.forget(receipts[0])
    assert (again.count, again.tombstone) == (0, None)
    assert memory.upkeep.count_selected(receipts[0]) == 0
    assert memory.upkeep.count_erasable(receipts[0]) == 1
    assert memory.upkeep.count_selected(before=noon + timedelta(days=2)) == 1
    assert memory.forget(before=noon + timedelta(days=2), session="s1").count == 1
    assert memory.upkeep.count_selected(kinds="agent_response") == 2
    assert memory.forget(memory.search("번호 5", limit=1)).count == 1
    assert memory.forget(kinds=["agent_response"]).count == 1
    assert memory.forget(everything=True).count == 2
    assert memory.stats().forgotten == 6
    assert list(memory.events()) == []
    back = memory.append(kind="user_prompt", session="s0", content="번호 0 of the ledger")
    assert not back.duplicate and back.warnings


def test_nothing_is_selected_by_accident(memory: recallite.Memory, noon: datetime) -> None:
    fill(memory, noon)
    counts = (memory.upkeep.count_selected, memory.upkeep.count_erasable)
    for call in (memory.forget, memory.erase, *counts):
        for selection in ({}, {"everything": False}, {"project": ProjectScope.ALL}):
            with pytest.raises(recallite.InvalidArgument) as caught:
                call(**selection)
            assert caught.value.argument == "events"
            assert "`everything`" in str(caught.value)
        # An empty list beside another condition must not mean "all of those".
        with pytest.raises(recallite.InvalidArgument) as caught:
            call([], session="s0")
        assert caught.value.argument == "events"
        with pytest.raises(recallite.InvalidArgument) as caught:
            call(memory.search("zzzz qqqq"), session="s0")
        assert caught.value.argument == "events"
        with pytest.raises(recallite.InvalidArgument) as caught:
            call(kinds=[], session="s0")
        assert caught.value.argument == "kinds"
        with pytest.raises(recallite.NotFound) as missing:
            call([1, 999])
        assert missing.value.argument == "events[1]"
        with pytest.raises(recallite.NotFound):
            call(99)
        with pytest.raises(recallite.InvalidArgument) as caught:
            call(kinds="forgotten")
        assert caught.value.argument == "kinds"
    assert memory.stats().events == 6


def test_forget_keeps_to_the_project(tmp_path: Path, noon: datetime) -> None:
    with recallite.open(tmp_path / "m", project="shop") as memory:
        memory.append(kind="user_prompt", session="a", content="in the shop")
        memory.append(kind="user_prompt", session="b", content="in the bank", project="bank")
        assert memory.upkeep.count_selected(everything=True) == 1
        assert memory.upkeep.count_selected(everything=True, project=ProjectScope.ALL) == 2
        assert memory.forget(project="bank").count == 1
        assert memory.forget(everything=True).count == 1


def test_erase_leaves_no_byte(memory: recallite.Memory, noon: datetime) -> None:
    secret = "the pelican code is 0451"
    receipt = memory.append(kind="user_prompt", session="s", content=secret)
    memory.append(kind="user_prompt", session="s", content="something else entirely")
    memory.context("pelican code", session="t", recording="now")
    erased = memory.erase(receipt)
    assert erased.count == 1
    assert erased.tombstone is not None
    assert erased.generation > 0
    assert erased.was_overwritten
    assert (erased.is_complete, erased.unclean_places, erased.completed) == (True, (), 0)
    stats, done = memory.stats(), memory.maintain()
    assert (stats.open_erasures, stats.unclean_places) == (0, ())
    assert (done.erasures_completed, done.open_erasures) == (0, 0)
    assert any("log" in place for place in erased.places)
    assert memory.event(receipt) is None
    memory.close()
    for file in memory.path.rglob("*"):
        if file.is_file():
            assert b"pelican" not in file.read_bytes()
    with recallite.open(memory.path) as again:
        assert again.check().ok
        assert again.stats().erased >= 1


def test_compact_check_and_rebuild(memory: recallite.Memory, noon: datetime) -> None:
    fill(memory, noon, 40)
    memory.forget(session="s1")
    report = memory.check()
    assert report.ok and report.first_divergence is None
    assert report.events == 41
    assert report.as_of.tzinfo is UTC
    assert memory.upkeep.state_hash(report.as_of) == report.state_hash
    assert memory.upkeep.state_hash(noon) != report.state_hash
    compacted = memory.compact()
    assert compacted.generation > 0
    assert compacted.before_bytes > 0 and compacted.after_bytes > 0
    assert memory.upkeep.state_hash(report.as_of) == report.state_hash
    rebuilt = memory.rebuild(as_of=report.as_of)
    assert rebuilt.events == 41
    assert rebuilt.hash_before == rebuilt.hash_after == report.state_hash
    now = memory.rebuild()
    assert now.hash_before == now.hash_after != report.state_hash
    assert len(list(memory.events())) == 20


def test_check_tells_where_the_damage_is(tmp_path: Path, noon: datetime) -> None:
    with recallite.open(tmp_path / "m") as memory:
        fill(memory, noon)
    store = next((tmp_path / "m").glob("*.redb"))
    whole = bytearray(store.read_bytes())
    place = whole.find("번호 3 of the ledger".encode())
    assert place > 0
    while place > 0:
        whole[place : place + 1] = b"#"
        place = whole.find("번호 3 of the ledger".encode())
    store.write_bytes(whole)
    try:
        with recallite.open(tmp_path / "m") as memory:
            report = memory.check()
    except recallite.Corrupt:
        return
    assert not report.ok
    found = report.first_divergence
    assert found is not None
    assert found.place and found.problem and found.remedy
    assert "번호" not in repr(report)


def test_waiting_for_a_change(memory: recallite.Memory) -> None:
    begun = time.monotonic()
    assert memory.wait_for_change(0, 30) == 0
    assert 0.02 < time.monotonic() - begun < 5

    def append() -> None:
        time.sleep(0.15)
        memory.append(kind="user_prompt", session="s", content="news")

    other = threading.Thread(target=append)
    other.start()
    assert memory.wait_for_change(0, timeout_ms=30_000) == 1
    other.join()
    assert memory.wait_for_change(0, 0) == 1
    assert [event.content for event in memory.changes_since(0)] == ["news"]


def test_ctrl_c_ends_a_wait(tmp_path: Path) -> None:
    import signal
    import subprocess
    import sys

    if sys.platform == "win32":
        pytest.skip("needs POSIX signals")
    program = (
        "import recallite, signal, sys\n"
        # A shell that starts the tests in the background has it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "memory = recallite.open(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    memory.wait_for_change(0, 60_000)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "m")], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=30)[0] == "interrupted\n"


def test_upgrade_has_nothing_to_do(memory: recallite.Memory) -> None:
    upgraded = memory.upkeep.upgrade()
    assert upgraded.from_format == upgraded.to_format >= 1
    assert not upgraded.changed


def test_maintain_until_it_is_done(memory: recallite.Memory, noon: datetime) -> None:
    fill(memory, noon, 100)
    done = memory.maintain()
    assert done.flushed
    assert (done.jobs_done, done.jobs_failed, done.jobs_waiting) == (0, 0, 0)
    steps = 0
    while memory.maintain(graduate_events=50, merges=1, merge_events=1000).has_more:
        steps += 1
        assert steps < 100
    assert memory.check().ok
    assert memory.maintain(graduate_events=0, merges=0, jobs=0, time_ms=0).judged == 0


def test_retention(tmp_path: Path) -> None:
    day = 24 * 60 * 60 * 1000
    now = datetime.now(UTC)
    with recallite.open(
        tmp_path / "m", retention_ms={"user_prompt": day, recallite.EventKind.AGENT_RESPONSE: 0}
    ) as memory:
        memory.append(
            kind="user_prompt", session="s", content="old", timestamp=now - timedelta(days=2)
        )
        memory.append(kind="user_prompt", session="s", content="new", timestamp=now)
        memory.append(
            kind="agent_response", session="s", content="at once", timestamp=now - timedelta(hours=1)
        )
        assert memory.upkeep.apply_retention().count == 2
        assert [event.content for event in memory.events()] == ["new"]
    with recallite.open(tmp_path / "m") as memory:
        assert memory.upkeep.apply_retention().count == 0


def test_quota_and_limit(tmp_path: Path) -> None:
    with recallite.open(tmp_path / "m", quota_bytes=1) as memory:
        receipt = memory.append(kind="user_prompt", session="s", content="a")
        assert any("quota" in warning for warning in receipt.warnings)
        stats = memory.stats()
        assert (stats.quota_bytes, stats.is_over_quota) == (1, True)
    with recallite.open(tmp_path / "m", size_limit_bytes=1) as memory:
        with pytest.raises(recallite.Full):
            memory.append(kind="user_prompt", session="s", content="b")
        assert memory.forget(everything=True).count == 1
    with recallite.open(tmp_path / "m") as memory:
        assert memory.stats().quota_bytes == 500_000_000
        assert not memory.stats().is_over_quota
