"""One memory in two stores."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import recallite


@pytest.fixture
def desktop(tmp_path: Path) -> recallite.Memory:
    return recallite.open(tmp_path / "desktop")


def test_records_travel_signed(memory: recallite.Memory, desktop: recallite.Memory) -> None:
    identity = memory.sharing.identity()
    memory.append(kind="user_prompt", session="s", content="The gate opens with the copper key.")
    batch = memory.sharing.batch_since(0)
    assert (batch.records, batch.has_more) == (1, False)
    with pytest.raises(recallite.PermissionDenied) as refused:
        desktop.sharing.receive(batch.lines)
    assert refused.value.argument == "batch"
    with pytest.raises(recallite.InvalidArgument) as wrong:
        desktop.sharing.add_member("nobody", "laptop", "owner")
    assert wrong.value.argument == "identity"
    desktop.sharing.add_member(identity, "laptop", recallite.MemberRole.OWNER)
    (member,) = desktop.sharing.members()
    assert (member.identity, member.name, member.role) == (identity, "laptop", "owner")
    received = desktop.sharing.receive(batch.lines)
    assert (received.records, received.identity) == (1, identity)
    assert pickle.loads(pickle.dumps(received)) == received
    with pytest.raises(recallite.InvalidArgument):
        desktop.sharing.receive(batch.lines.replace("copper", "golden"))
    (mark,) = desktop.sharing.watermarks()
    assert (mark.identity, mark.position) == (identity, batch.through)
    found = desktop.search("which key opens the gate?")
    assert found.items[0].summary == "The gate opens with the copper key."
    source = desktop.sharing.source(found.items[0].citation)
    assert source is not None
    assert (source.identity, source.name, source.position) == (identity, "laptop", 1)
    assert memory.sharing.source(1) is None
    with pytest.raises(recallite.NotFound):
        desktop.sharing.source(99)
    assert desktop.sharing.shared_hash() == memory.sharing.shared_hash()


def test_a_folder_carries_them(
    memory: recallite.Memory, desktop: recallite.Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    memory.sharing.announce(folder, "laptop")
    (announced,) = desktop.sharing.announced(folder)
    assert announced.name == "laptop"
    desktop.sharing.add_member(announced.identity, announced.name, "writer")
    event = memory.append(kind="user_prompt", session="s", content="to be erased")
    assert memory.sharing.push_folder(folder).records == 1
    assert desktop.sharing.pull_folder(str(folder)).records == 1
    memory.erase(event)
    assert memory.sharing.push_folder(folder).rewritten == 1
    pulled = desktop.sharing.pull_folder(folder)
    assert (pulled.forgotten, pulled.to_erase) == (1, 1)
    assert desktop.sharing.erase_ordered().count == 1
    assert desktop.event(event.id) is None
    assert memory.sharing.withhold("project", "secret")
    assert memory.sharing.is_withheld("project", "secret")
    with pytest.raises(recallite.InvalidArgument) as missing:
        desktop.sharing.pull_folder(tmp_path / "nowhere")
    assert missing.value.argument == "folder"


def test_a_host_carries_what_it_chose(
    memory: recallite.Memory, desktop: recallite.Memory
) -> None:
    text = memory.sharing.announcement("laptop")
    announced = desktop.sharing.read_announcement(text)
    assert announced.name == "laptop"
    with pytest.raises(recallite.InvalidArgument) as wrong:
        desktop.sharing.read_announcement(text.replace("laptop", "desktop"))
    assert wrong.value.argument == "announcement"
    desktop.sharing.add_member(announced.identity, announced.name, "writer")
    before = memory.sharing.retraction_mark()
    events = [
        memory.append(kind="user_prompt", session="s", content=content)
        for content in ("apples", "pears")
    ]
    assert memory.sharing.retraction_mark() == before
    (header,) = memory.sharing.batch_since(2, limit=0).lines.splitlines()
    _, apples, pears = memory.sharing.batch_since(0).lines.splitlines()
    received = desktop.sharing.receive_selected(f"{header}\n{pears}\n", 0, 2)
    assert (received.records, received.through) == (1, 2)
    received = desktop.sharing.receive_selected(f"{header}\n{apples}\n{pears}\n", 0, 2)
    assert (received.records, received.duplicates) == (1, 1)
    with pytest.raises(recallite.InvalidArgument) as wrong:
        desktop.sharing.receive_selected(header, 0, 3)
    assert wrong.value.argument == "through"
    memory.forget(events[0])
    assert memory.sharing.retraction_mark() != before


def send_news(sender: recallite.Memory, receiver: recallite.Memory) -> None:
    """As in the guide about sharing."""
    identity = sender.sharing.identity()
    batch = None
    while True:
        marks = {mark.identity: mark.position for mark in receiver.sharing.watermarks()}
        if batch and not batch.has_more and marks[identity] == batch.through:
            break
        batch = sender.sharing.batch_since(marks[identity])
        received = receiver.sharing.receive(batch.lines)
    if received.to_erase > 0:
        receiver.sharing.erase_ordered()


def test_what_is_offered_again_arrives_with_the_next_news(
    memory: recallite.Memory, desktop: recallite.Memory
) -> None:
    desktop.sharing.add_member(memory.sharing.identity(), "laptop", "writer")
    memory.append(kind="user_prompt", session="s", project="shop", content="one")
    send_news(memory, desktop)
    memory.sharing.withhold("project", "shop")
    memory.append(kind="user_prompt", session="s", project="shop", content="two")
    send_news(memory, desktop)
    assert desktop.stats().events == 1
    memory.sharing.offer("project", "shop")
    send_news(memory, desktop)
    assert desktop.stats().events == 2
    assert desktop.sharing.shared_hash() == memory.sharing.shared_hash()


def test_batches_carry_an_erasure_and_its_answer(
    memory: recallite.Memory, desktop: recallite.Memory
) -> None:
    for one, other in ((memory, desktop), (desktop, memory)):
        one.sharing.add_member(other.sharing.identity(), "m", "writer")
    # A batch has at most 1,000 records.
    memory.append_batch(
        [
            {"kind": "user_prompt", "session": "s", "content": f"apple {number}"}
            for number in range(1_001)
        ]
    )
    said = memory.append(
        kind="user_prompt", session="s", project="shop", content="the secret pear"
    )
    send_news(memory, desktop)
    assert desktop.sharing.shared_hash() == memory.sharing.shared_hash()
    assert desktop.sharing.projects_of(said.id) == ["shop"]
    (mark,) = desktop.sharing.watermarks()
    assert mark.position == 1_002
    before = memory.sharing.log_checksum(1_002)
    retractions = memory.sharing.retraction_mark()
    memory.erase(said)
    assert memory.sharing.log_checksum(1_002) == before
    assert memory.sharing.retraction_mark() != retractions
    (open_erasure,) = memory.sharing.unanswered_erasures()
    assert open_erasure.waiting_for == (desktop.sharing.identity(),)
    assert open_erasure.declined_by == ()
    send_news(memory, desktop)
    assert desktop.event(said.id) is None
    send_news(desktop, memory)
    assert memory.sharing.unanswered_erasures() == []
    former = desktop.sharing.identity()
    assert desktop.sharing.renew_identity() != former
