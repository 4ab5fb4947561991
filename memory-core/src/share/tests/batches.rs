//! What a batch may contain, and what a store does with one that is not as it should be.

use super::histories::{Random, act, is_refusal};
use super::*;

#[test]
fn what_nobody_signed_is_refused_and_nothing_is_stored() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    for text in ["the first", "the second", "the third"] {
        laptop.append(prompt("s", text)).unwrap();
    }
    let batch = laptop.sharing().batch_since(0, 10).unwrap().lines;
    let lines: Vec<&str> = batch.lines().collect();
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
        kept.map(|(_, line)| format!("{line}\n"))
            .collect::<String>()
    };
    let damaged = [
        batch.replace("the second", "the zecond"),
        batch.replace("\"through\":3", "\"through\":4"),
        batch.replace("\"position\":2", "\"position\":1"),
        batch.replace("\"through\":3", "\"through\":18446744073709551615"),
        batch.replace("\"session\":\"s\"", "\"session\":\"t\""),
        batch.replacen("\"user_prompt\"", "\"forgotten\"", 1),
        without(1),
        without(2),
        without(3),
        batch[..batch.len() - 20].to_owned(),
        format!("{batch}{}\n", lines[3]),
        format!("{batch}\n"),
        batch.replace(
            "\"content\":\"the first\"",
            "\"content\":\"the first\",\"more\":1",
        ),
    ];
    for (number, lines) in damaged.iter().enumerate() {
        let error = desktop.sharing().receive(lines).unwrap_err();
        assert_eq!(error.argument(), Some("batch"), "{number}: {error}");
        assert_eq!(
            error.code(),
            ErrorCode::InvalidArgument,
            "{number}: {error}"
        );
    }
    for rubbish in ["", "\n", "{}", "null", "{\"recallite_share\":1}"] {
        let error = desktop.sharing().receive(rubbish).unwrap_err();
        assert_eq!(error.argument(), Some("batch"), "{rubbish:?}");
    }
    let newer = batch.replace("\"recallite_share\":1", "\"recallite_share\":2");
    let error = desktop.sharing().receive(&newer).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NewerFormat);
    assert_eq!(desktop.stats().unwrap().last_seq, 0);

    desktop
        .sharing()
        .remove_member(&laptop.sharing().identity().unwrap())
        .unwrap();
    let error = desktop.sharing().receive(&batch).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PermissionDenied);
    assert_eq!(desktop.stats().unwrap().last_seq, 0);
}

/// Values to put in the place of valid ones.
fn nonsense() -> Vec<serde_json::Value> {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    vec![
        serde_json::json!(null),
        serde_json::json!(""),
        serde_json::json!(" \u{0}\u{1b}[2J"),
        serde_json::json!(-1),
        serde_json::json!(u64::MAX),
        serde_json::json!(i64::MIN),
        serde_json::json!(0.5),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!(deep),
        serde_json::json!("x".repeat(70_000)),
        serde_json::json!("forgotten"),
        serde_json::json!("{\"targets\":[{\"ranges\":[[1,9]],\"store\":\"zz\"}]}"),
        // An order to erase the last possible position.
        serde_json::json!(format!(
            "{{\"targets\":[{{\"ranges\":[[{0},{0}]],\"store\":\"{1}\"}}]}}",
            u64::MAX,
            "0".repeat(32)
        )),
        serde_json::json!("{\"act\":\"created\",\"entry_id\":\"e\"}"),
    ]
}

/// A member may sign anything: its records are checked like bytes from disk.
#[test]
fn a_member_that_signs_nonsense_harms_nothing() {
    let stores = stores(2, MemberRole::Owner);
    let [author, victim] = &stores[..] else {
        unreachable!()
    };
    victim.append(prompt("s", "what the victim said")).unwrap();
    let mut random = Random(7);
    for step in 0..80 {
        if let Err(error) = act(author, &mut random, step, MemberRole::Owner) {
            assert!(is_refusal(&error), "{error}");
        }
    }
    let batch = author.sharing().batch_since(0, 10_000).unwrap();
    let signer = crate::share::keys::signer(author.enter().unwrap()).unwrap();
    let records: Vec<serde_json::Value> = batch
        .lines
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: BTreeSet<&str> = records.iter().filter_map(|r| r["kind"].as_str()).collect();
    assert!(kinds.len() > 6 && kinds.contains("forgotten"), "{kinds:?}");
    let mut seen = BTreeSet::new();
    let (mut position, mut taken, mut refused) = (1_000, 0, 0);
    for record in &records {
        if !seen.insert(record["kind"].to_string()) {
            continue;
        }
        for field in record.as_object().unwrap().keys() {
            for value in nonsense() {
                let mut wrong = record.clone();
                position += 1;
                wrong["position"] = position.into();
                wrong[field] = value;
                // What is not a record is refused before it could be signed.
                let Ok(mut wrong) = serde_json::from_value::<SharedRecord>(wrong) else {
                    continue;
                };
                wrong.id = format!("01900000-0000-7000-8000-{position:012x}");
                wrong.signature = wrong.signed_by(&signer);
                let header = BatchHeader {
                    from: position - 1,
                    through: position,
                    ..BatchHeader::default()
                };
                let lines = lines::write(&signer, header, &[], &[wrong]).unwrap();
                match victim.sharing().receive(&lines) {
                    Ok(_) => taken += 1,
                    Err(error) => {
                        assert_eq!(error.argument(), Some("batch"), "{field}: {error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(
        taken > 50 && refused > 50,
        "{taken} taken, {refused} refused"
    );
    let report = victim.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let rebuilt = victim.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    victim.search("what did the victim say?").unwrap();
    victim.tasks().list(&TaskFilter::default()).unwrap();
    victim.knowledge().entries(&Default::default()).unwrap();
    victim.sharing().erase_ordered().unwrap();
    victim.compact().unwrap();
    assert!(victim.check().unwrap().ok);
}

/// Signs a record of a store after changing it.
pub(super) fn signed_anew(author: &Memory, change: impl Fn(&mut SharedRecord)) -> String {
    let signer = crate::share::keys::signer(author.enter().unwrap()).unwrap();
    let batch = author.sharing().batch_since(0, 1_000).unwrap();
    let records: Vec<SharedRecord> = batch
        .lines
        .lines()
        .skip(1)
        .map(|line| {
            let mut record = serde_json::from_str(line).unwrap();
            change(&mut record);
            record.signature = record.signed_by(&signer);
            record
        })
        .collect();
    let header = BatchHeader {
        through: batch.through,
        ..BatchHeader::default()
    };
    lines::write(&signer, header, &[], &records).unwrap()
}

#[test]
fn a_name_in_a_payload_that_would_end_a_key_is_refused() {
    let stores = stores(2, MemberRole::Owner);
    let [author, victim] = &stores[..] else {
        unreachable!()
    };
    let entry = NewEntry::new(EntryType::Fact, "s", "Gate", "the gate is green");
    author.knowledge().add_entry(&entry).unwrap();
    for name in ["project", "entry_id"] {
        let lines = signed_anew(author, |record| {
            let Some(json) = &record.metadata else { return };
            let mut payload: serde_json::Value = serde_json::from_str(json).unwrap();
            if payload.get("entry_id").is_some() {
                payload[name] = "shop\0".into();
            }
            record.metadata = Some(crate::model::json::canonical_text(&payload));
        });
        let error = victim.sharing().receive(&lines).unwrap_err();
        assert!(error.message().contains("NUL"), "{error}");
    }
    assert_eq!(victim.stats().unwrap().last_seq, 0);
    assert_eq!(send(author, victim).unwrap().forgotten, 0);
}

#[test]
fn a_tool_whose_name_is_private_holds_back_no_batch() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let tool = crate::ToolUse {
        name: "<private> </private>".to_owned(),
        output: "the gate is green".to_owned(),
        ..Default::default()
    };
    let event = NewEvent::tool("s", tool);
    let id = laptop.append(event).unwrap().id;
    laptop.append(prompt("s", "the gate is red")).unwrap();
    let named = laptop.event(id).unwrap().unwrap().tool.unwrap().name;
    assert!(!named.trim().is_empty());
    assert_eq!(send(laptop, desktop).unwrap().records, 2);
}

/// An error about a record says whose it is and where.
pub(super) fn assert_names(error: &crate::Error, identity: &str, position: u64) {
    let text = error.to_string();
    let position = format!("position {position}");
    assert!(
        text.contains(identity) && text.contains(&position),
        "{text}"
    );
}

#[test]
fn a_refused_record_is_named_by_its_store_and_position() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    for text in ["one", "two"] {
        laptop.append(prompt("s", text)).unwrap();
    }
    let identity = laptop.sharing().identity().unwrap();
    let batch = laptop.sharing().batch_since(0, 10).unwrap().lines;
    // Not what was signed, and signed but not what a record can be.
    let changed = batch.replace("\"two\"", "\"too\"");
    let mut record = trust::records_of(laptop).remove(1);
    record.origin = "nowhere".to_owned();
    let header = BatchHeader {
        from: 1,
        ..BatchHeader::default()
    };
    let nonsense = trust::signed_by(laptop, header, vec![record]);
    for lines in [changed, nonsense] {
        let error = desktop.sharing().receive(&lines).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
        assert_names(&error, &identity, 2);
    }
    assert_eq!(desktop.stats().unwrap().events, 0);
}

#[test]
fn a_header_has_one_size_however_many_have_ordered_erasures() {
    let stores = stores(5, MemberRole::Owner);
    for store in &stores {
        let said = store.append(prompt("s", "to be erased")).unwrap();
        store.erase(&Selector::new().id(said.id)).unwrap();
    }
    settle(&stores);
    let [laptop, desktop, ..] = &stores[..] else {
        unreachable!()
    };
    laptop.append(prompt("s", "a message")).unwrap();
    laptop.append(prompt("s", "a second message")).unwrap();
    let (sharing, own) = (laptop.sharing(), desktop.sharing().identity().unwrap());
    let last = laptop.stats().unwrap().last_seq;
    let progress = sharing.batch_since(last, 0).unwrap().lines;
    let (header, answers) = progress.split_once('\n').unwrap();
    assert!(header.len() < 500, "{header}");
    assert_eq!(answers.lines().count(), 4);
    // Whoever passes a batch on may leave out what is to others.
    let to_desktop = answers.lines().find(|line| line.contains(&own)).unwrap();
    desktop
        .sharing()
        .receive(&format!("{header}\n{to_desktop}\n"))
        .unwrap();
    let forged = to_desktop.replace("\"carried_out\":", "\"carried_out\":9");
    let error = desktop.sharing().receive(&format!("{header}\n{forged}\n"));
    let error = error.unwrap_err();
    assert!(error.message().contains("line 2: the answer"), "{error}");
    // Only the last of several batches says how far a store has come.
    let first = sharing.batch_since(last - 2, 1).unwrap();
    assert!(first.has_more && !first.lines.contains("answer_to"));
    let second = sharing.batch_since(first.through, 1).unwrap();
    assert!(!second.has_more && second.lines.contains(to_desktop));
    desktop.sharing().receive(&first.lines).unwrap();
    assert_eq!(desktop.sharing().receive(&second.lines).unwrap().records, 1);
}

#[test]
fn what_anyone_can_put_in_a_batch_is_limited_before_it_is_signed() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    laptop.append(prompt("s", "a note")).unwrap();
    let batch = laptop.sharing().batch_since(0, 10).unwrap().lines;
    let lines = format!("{batch}{}", "\n".repeat(20_000));
    let error = desktop.sharing().receive(&lines).unwrap_err();
    assert!(error.message().contains("at most 10000 records"), "{error}");
    let long = format!("\"offers\":{}", "0".repeat(5_000));
    let header = batch.replacen("\"offers\":", &long, 1);
    let error = desktop.sharing().receive(&header).unwrap_err();
    assert!(error.message().contains("too long for a header"), "{error}");
}

/// Of a tool call, the arguments are sent whole.
#[test]
fn a_batch_is_bounded_whatever_its_records_are_made_of() {
    let (store, _) = store_at("2026-08-01T09:00:00Z");
    let input = format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20));
    let input = crate::Json::parse("input", &input).unwrap();
    for number in 0..12 {
        let call = crate::ToolUse::new(format!("Write{number}")).input(input.clone());
        store.append(NewEvent::tool("s", call)).unwrap();
    }
    let (mut position, mut batches) = (0, 0);
    loop {
        let batch = store.sharing().batch_since(position, 1_000).unwrap();
        assert!(batch.lines.len() < 8 << 20, "{}", batch.lines.len());
        batches += 1;
        position = batch.through;
        if !batch.has_more {
            break;
        }
    }
    assert!(batches >= 3, "{batches}");
}

#[test]
fn a_batch_that_comes_late_is_folded_again_only_once() {
    let (laptop, _) = store_at("2026-01-01T10:00:00Z");
    let (desktop, _) = store_at("2026-03-01T10:00:00Z");
    trust(&desktop, &laptop, MemberRole::Owner);
    let task = NewTask {
        title: "oil the gate".to_owned(),
        ..NewTask::default()
    };
    laptop.tasks().create(&task).unwrap();
    send(&laptop, &desktop).unwrap();
    let tasks = desktop.tasks().list(&TaskFilter::default()).unwrap();
    let id = &tasks[0].id;
    desktop.tasks().rename(id, "paint the gate").unwrap();
    // The desktop's change comes after all of this.
    for number in 0..5 {
        let told = laptop.append(prompt("s", &format!("{number}"))).unwrap();
        laptop.tasks().rename(id, &format!("{number}")).unwrap();
        laptop.forget(&Selector::new().id(told.id)).unwrap();
    }
    let fact = "The zqgate is green.";
    let entry = NewEntry::new(EntryType::Fact, "s", "gate", fact);
    laptop.knowledge().add_entry(&entry).unwrap();
    // The entry is erased in the same batch.
    let mut records = trust::records_of(&laptop);
    let last = records.last().unwrap().position;
    let is_entry = |record: &&SharedRecord| record.kind == "entry_changed";
    let made = records.iter().find(is_entry).unwrap().position;
    let targets = format!("[[{made},{made}]]");
    records.push(trust::erasure_of(
        last + 1,
        &trust::key_of(&laptop),
        &targets,
    ));
    let batch = trust::signed_by(&laptop, BatchHeader::default(), records);
    let refolds = || crate::projection::REFOLDS.get();
    let before = refolds();
    let received = desktop.sharing().receive(&batch).unwrap();
    assert_eq!((received.forgotten, refolds() - before), (1, 1));
    let tasks = desktop.tasks().list(&TaskFilter::default()).unwrap();
    assert_eq!(tasks[0].title, "paint the gate");
    let found = desktop.knowledge().search("zqgate", &Default::default());
    let found = format!("{:?}", found.unwrap());
    assert!(!found.contains("zqgate"), "{found}");
    let report = desktop.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let rebuilt = desktop.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
}
