//! Quota, limit, retention, following and upgrading.

use std::time::Duration;

use recallite::{ErrorCode, EventKind, MemberRole, Memory, NewEvent, Selector, Seq, Timestamp};

fn prompt(content: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, "s", content)
}

#[test]
fn a_store_over_its_quota_warns_and_one_at_its_limit_refuses() {
    let folder = tempfile::tempdir().unwrap();
    {
        let memory = Memory::open(folder.path()).unwrap();
        assert!(memory.append(prompt("first")).unwrap().warnings.is_empty());
        assert!(!memory.stats().unwrap().is_over_quota);
    }
    {
        let memory = Memory::builder()
            .quota_bytes(1_000)
            .open(folder.path())
            .unwrap();
        let receipt = memory.append(prompt("second")).unwrap();
        assert!(receipt.warnings[0].contains("quota"), "{receipt:?}");
        assert!(memory.append(prompt("second")).unwrap().warnings.is_empty());
        let stats = memory.stats().unwrap();
        assert!(stats.is_over_quota && stats.quota_bytes == 1_000);
    }
    let memory = Memory::builder()
        .size_limit_bytes(1_000)
        .open(folder.path())
        .unwrap();
    let error = memory.append(prompt("third")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Full);
    assert_eq!(memory.stats().unwrap().events, 2);
    memory.forget(&Selector::new().id(Seq(1))).unwrap();
    memory.erase(&Selector::new().id(Seq(2))).unwrap();
}

#[test]
fn a_store_at_its_limit_takes_nothing_in_by_any_way_and_can_be_made_smaller() {
    let source = tempfile::tempdir().unwrap();
    let source = Memory::open(source.path()).unwrap();
    source.append(prompt("of the other store")).unwrap();
    let mut export = Vec::new();
    source.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let batch = source.sharing().batch_since(0, 100).unwrap();
    assert_eq!(batch.records, 1);

    let folder = tempfile::tempdir().unwrap();
    {
        let memory = Memory::open(folder.path()).unwrap();
        memory.append(prompt("first")).unwrap();
        let identity = source.sharing().identity().unwrap();
        let sharing = memory.sharing();
        let added = sharing.add_member(&identity, "source", MemberRole::Writer);
        added.unwrap();
    }
    let memory = Memory::builder()
        .size_limit_bytes(1_000)
        .open(folder.path())
        .unwrap();
    let before = memory.stats().unwrap().last_seq;
    let imported = memory.upkeep().import_jsonl_from(&export[..]).unwrap_err();
    assert_eq!(imported.code(), ErrorCode::Full);
    let received = memory.sharing().receive(&batch.lines).unwrap_err();
    assert_eq!(received.code(), ErrorCode::Full);
    assert_eq!(memory.stats().unwrap().last_seq, before);
    assert_eq!(memory.compact().unwrap().generation, 2);
    drop(memory);

    let memory = Memory::open(folder.path()).unwrap();
    assert_eq!(memory.sharing().receive(&batch.lines).unwrap().records, 1);
    let imported = memory.upkeep().import_jsonl_from(&export[..]).unwrap();
    assert_eq!(imported.events + imported.duplicates, 1);
}

#[test]
fn retention_forgets_what_is_older_than_its_kind_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .retention_ms(EventKind::ToolObservation, 1_000)
        .retention_ms(EventKind::UserPrompt, 24 * 60 * 60 * 1_000)
        .open(folder.path())
        .unwrap();
    let old = Timestamp::from_millis(1_000_000_000_000).unwrap();
    memory
        .append(prompt("old").timestamp(old).project("other"))
        .unwrap();
    memory.append(prompt("new")).unwrap();
    memory
        .append(NewEvent::new(EventKind::AgentResponse, "s", "kept").timestamp(old))
        .unwrap();
    assert_eq!(memory.upkeep().apply_retention().unwrap().count, 1);
    assert_eq!(memory.upkeep().apply_retention().unwrap().count, 0);
    let left: Vec<String> = memory
        .events(Default::default())
        .unwrap()
        .map(|event| event.unwrap().content)
        .collect();
    assert_eq!(left, ["kept", "new"]);
}

#[test]
fn waiting_ends_with_the_change_or_with_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let none = memory.wait_for_change(Seq(0), Duration::ZERO).unwrap();
    assert_eq!(none, Seq(0));
    let short = Duration::from_millis(30);
    assert_eq!(memory.wait_for_change(Seq(0), short).unwrap(), Seq(0));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| memory.wait_for_change(Seq(0), Duration::from_secs(60)));
        memory.append(prompt("news")).unwrap();
        assert_eq!(waiting.join().unwrap().unwrap(), Seq(1));
    });
    let upgraded = memory.upkeep().upgrade().unwrap();
    assert!(!upgraded.changed && upgraded.from_format == upgraded.to_format);
    memory.close().unwrap();
    assert_eq!(
        memory.wait_for_change(Seq(1), short).unwrap_err().code(),
        ErrorCode::Closed
    );
}
