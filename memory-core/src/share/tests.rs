//! Tests of stores that share: what each step promises, and that random histories converge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

mod about;
mod dependents;
mod hash;
mod late;
mod merging;
mod renewed;
mod trust;

use crate::clock::{Clock, IdSource, RandomIds};
use crate::learn::new_entry::NewEntry;
use crate::learn::tasks::{NewTask, TaskFilter};
use crate::memory::Memory;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::{EventId, EventRef};
use crate::model::session::SessionUpdate;
use crate::model::sharing::{MemberRole, Received};
use crate::model::time::Timestamp;
use crate::projection::pauses::PauseScope;
use crate::rules::entries::{EntryType, MemoryAnswer, ResolutionKind};
use crate::rules::graph::{EdgeEnds, NodeType, Relation};
use crate::rules::history::{Conflict, ConflictVerdict};
use crate::rules::tasks::{Priority, TaskStatus};
use crate::scope::ProjectScope;
use crate::share::is_shared;
use crate::share::lines::{self, BatchHeader, SharedRecord};
use crate::store::generations::fail_points;
use crate::store::log::record::RecordView;
use crate::store::log::tombstone::is_tombstone;
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::testing::FixedClock;
use crate::upkeep::select::Selector;

/// A store and its folder.
struct Store {
    memory: Memory,
    _folder: tempfile::TempDir,
}

impl std::ops::Deref for Store {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

/// Draws ids, and with them stamps, from the clock of a store.
#[derive(Debug)]
struct IdsOf(Arc<FixedClock>);

impl IdSource for IdsOf {
    fn event_id(&self, _: Timestamp) -> EventId {
        let millis = self.0.now().millis().max(0).unsigned_abs();
        let random: [u8; 10] = RandomIds.salt()[..10].try_into().unwrap();
        let id = uuid::Builder::from_unix_timestamp_millis(millis, &random);
        EventId::from_bytes(id.into_uuid().into_bytes())
    }

    fn salt(&self) -> [u8; 16] {
        RandomIds.salt()
    }
}

/// A store with a settable clock.
fn store_at(time: &str) -> (Store, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::at(time.parse().unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .clock(clock.clone())
        .ids(Arc::new(IdsOf(clock.clone())))
        .open(folder.path())
        .unwrap();
    let store = Store {
        memory,
        _folder: folder,
    };
    (store, clock)
}

/// Adds another store as a member.
fn trust(store: &Memory, other: &Memory, role: MemberRole) {
    let identity = other.sharing().identity().unwrap();
    store.sharing().add_member(&identity, "m", role).unwrap();
}

/// A store that knows the others and has received everything they still have.
fn newcomer(others: &[Store]) -> Store {
    let mut made = stores(1, MemberRole::Owner);
    let new = made.remove(0);
    for other in others {
        trust(&new, other, MemberRole::Owner);
        let batch = other.sharing().changes_since(0, 1_000).unwrap();
        new.sharing().receive(&batch.lines).unwrap();
    }
    new.sharing().erase_ordered().unwrap();
    new
}

/// Stores that all have each other as members.
fn stores(count: usize, role: MemberRole) -> Vec<Store> {
    let stores: Vec<Store> = (0..count)
        .map(|_| {
            let folder = tempfile::tempdir().unwrap();
            let memory = Memory::open(folder.path()).unwrap();
            Store {
                memory,
                _folder: folder,
            }
        })
        .collect();
    for store in &stores {
        for other in &stores {
            let identity = other.sharing().identity().unwrap();
            if identity != store.sharing().identity().unwrap() {
                store.sharing().add_member(&identity, "m", role).unwrap();
            }
        }
    }
    stores
}

fn send(from: &Memory, to: &Memory) -> Result<Received> {
    let identity = from.sharing().identity()?;
    let known = to.sharing().watermarks()?;
    let position = known
        .iter()
        .find(|mark| mark.identity == identity)
        .map_or(0, |mark| mark.position);
    let batch = from.sharing().changes_since(position, 1_000)?;
    to.sharing().receive(&batch.lines)
}

/// Exchanges everything until nothing is new.
fn settle(stores: &[Store]) {
    let mut quiet = 0;
    for round in 0.. {
        let mut new = 0;
        for from in stores {
            for to in stores {
                if !std::ptr::eq(from, to) {
                    let received = send(from, to).unwrap();
                    new += received.records + received.refused;
                }
            }
        }
        // What an order removes may itself be an order.
        for store in stores {
            new += store.sharing().erase_ordered().unwrap().count;
        }
        // A known record that arrived under another name triggers an order in the next
        // round.
        quiet = if new == 0 { quiet + 1 } else { 0 };
        if quiet == 2 {
            return;
        }
        assert!(round < 12, "stores go on answering each other");
    }
}

fn prompt(session: &str, text: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, text)
}

/// Everything that goes into the hash, as text.
fn shared_by(store: &Memory) -> BTreeSet<String> {
    let read = store.enter().unwrap().store.read().unwrap();
    let mut all = BTreeSet::new();
    let add = |_: u64, view: &RecordView<'_>, is_hidden: bool| {
        if !is_hidden && is_shared(view.kind()) && !is_tombstone(view.kind()) {
            let event = view.to_event()?;
            all.insert(format!("{} {} {}", event.kind, event.id, event.content));
        }
        Ok(())
    };
    read.each_record(add).unwrap();
    let projected = read.projected().unwrap();
    for (row_kind, own) in crate::share::hash::LEARNED {
        let add = &mut |key: &[u8], row: &[u8]| {
            let row: serde_json::Value = serde_json::from_slice(row).unwrap_or_default();
            let row = crate::share::hash::agreed(row, own);
            let key = match row_kind {
                RowKind::Edge => Default::default(),
                _ => String::from_utf8_lossy(key),
            };
            all.insert(format!("{row_kind:?} {key} {row}"));
            Ok(true)
        };
        projected.scan(row_kind, &[], None, add).unwrap();
    }
    all
}

fn assert_alike(stores: &[Store], what: &str) {
    let hash = stores[0].sharing().shared_hash().unwrap();
    let all = shared_by(&stores[0]);
    for store in stores {
        let others = shared_by(store);
        let differing: Vec<&String> = all.symmetric_difference(&others).collect();
        assert!(differing.is_empty(), "{what}: {differing:#?}");
        assert_eq!(store.sharing().shared_hash().unwrap(), hash, "{what}");
        let report = store.check().unwrap();
        assert!(report.ok, "{what}: {:?}", report.first_divergence);
        let whole = store.export_jsonl(std::io::sink(), &crate::ExportFilter::Whole);
        assert!(whole.is_ok(), "{what}: {whole:?}");
    }
}

#[test]
fn what_was_said_before_the_endless_mode_arrives_after_it() {
    use crate::rules::endless::MemoryMode;

    // What comes before the message of the laptop and after it; and how many events of the laptop
    // are in the working set then.
    let on = MemoryMode::Endless;
    for (before, after, count) in [
        (None, Some(on), 0),
        (Some(on), Some(MemoryMode::Session), 1),
        (Some(on), None, 1),
    ] {
        let (laptop, _) = store_at("2026-03-01T12:00:00Z");
        let (desktop, clock) = store_at("2026-03-01T10:00:00Z");
        trust(&laptop, &desktop, MemberRole::Owner);
        trust(&desktop, &laptop, MemberRole::Owner);
        laptop
            .append(prompt("s", "The gate opens at nine."))
            .unwrap();
        if let Some(mode) = before {
            desktop.endless().set_mode(mode).unwrap();
        }
        clock.advance_ms(4 * 60 * 60 * 1_000);
        if let Some(mode) = after {
            desktop.endless().set_mode(mode).unwrap();
        }
        send(&laptop, &desktop).unwrap();
        let report = desktop.check().unwrap();
        assert!(report.ok, "{before:?}: {:?}", report.first_divergence);
        let working = desktop.endless().working_set().unwrap();
        assert_eq!(working.len(), count, "{before:?}, {after:?}");
        desktop.rebuild(report.as_of).unwrap();
        let rebuilt = desktop.endless().working_set().unwrap();
        assert_eq!(rebuilt.len(), count, "{before:?}, {after:?}");
    }
}

#[test]
fn a_record_arrives_once_and_is_found() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let told = laptop
        .append(prompt("s", "The garden gate opens with the copper key.").project("house"))
        .unwrap();
    let received = send(laptop, desktop).unwrap();
    assert_eq!((received.records, received.duplicates), (1, 0));
    assert_eq!(received.through, laptop.stats().unwrap().last_seq);
    let again = laptop.sharing().changes_since(0, 10).unwrap();
    let received = desktop.sharing().receive(&again.lines).unwrap();
    assert_eq!((received.records, received.duplicates), (0, 1));

    let event = desktop.event(told.id).unwrap().unwrap();
    assert_eq!(event.content, "The garden gate opens with the copper key.");
    assert_eq!(
        (event.project.as_str(), event.session.as_str()),
        ("house", "s")
    );
    assert_eq!(event.citation, told.citation);
    let source = desktop.sharing().source(told.id).unwrap().unwrap();
    assert_eq!(source.identity, laptop.sharing().identity().ok());
    assert_eq!(source.name.as_deref(), Some("m"));
    assert_eq!(
        (source.position, source.citation),
        (told.seq, told.citation)
    );
    assert_eq!(laptop.sharing().source(told.id).unwrap(), None);
    let missing = desktop.sharing().source(crate::Seq(99)).unwrap_err();
    assert_eq!(missing.code(), ErrorCode::NotFound);
    let found = desktop.search("which key opens the gate?").unwrap();
    assert_eq!(found.items.len(), 1);
    // What came from elsewhere is not passed on.
    let back = desktop.sharing().changes_since(0, 10).unwrap();
    assert_eq!(back.records, 0);
    assert_alike(&stores, "one record");
    // A removed member is no longer known by its name.
    let identity = laptop.sharing().identity().unwrap();
    assert!(desktop.sharing().remove_member(&identity).unwrap());
    let source = desktop.sharing().source(told.id).unwrap().unwrap();
    assert_eq!((source.identity, source.name), (None, None));
    assert_eq!(source.position, told.seq);
    // Added again, it is read from the beginning.
    trust(desktop, laptop, MemberRole::Writer);
    assert_eq!(desktop.sharing().watermarks().unwrap()[0].position, 0);
    let received = send(laptop, desktop).unwrap();
    assert_eq!((received.records, received.duplicates), (0, 1));
    // Equal words are recorded here as well: they belong to this store.
    let own = desktop.append(prompt("s", "The garden gate opens with the copper key."));
    assert!(!own.unwrap().duplicate);
}

#[test]
fn what_nobody_signed_is_refused_and_nothing_is_stored() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    for text in ["the first", "the second", "the third"] {
        laptop.append(prompt("s", text)).unwrap();
    }
    let batch = laptop.sharing().changes_since(0, 10).unwrap().lines;
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

#[test]
fn an_order_reaches_what_its_author_recorded_and_an_owner_everything() {
    for (role, reaches) in [(MemberRole::Writer, false), (MemberRole::Owner, true)] {
        let stores = stores(2, role);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let own = laptop.append(prompt("s", "said on the laptop")).unwrap();
        let other = desktop.append(prompt("s", "said on the desktop")).unwrap();
        settle(&stores);
        for id in [own.id, other.id] {
            laptop.forget(&Selector::new().id(id)).unwrap();
        }
        settle(&stores);
        assert!(desktop.event(own.id).unwrap().is_none());
        assert_eq!(desktop.event(other.id).unwrap().is_none(), reaches);
        for store in &stores {
            assert!(store.check().unwrap().ok);
        }
    }
}

/// The third store hears of an erasure by the second before what it erases, which the first said:
/// its id, and the lines that are still to come.
fn erased_before_it_came([first, second, third]: [&Store; 3]) -> (EventId, String) {
    let told = first.append(prompt("s", "zqsecretly spoken")).unwrap();
    let early = first.sharing().changes_since(0, 10).unwrap();
    send(first, second).unwrap();
    second.erase(&Selector::new().id(told.id)).unwrap();
    send(second, third).unwrap();
    (told.id, early.lines)
}

#[test]
fn an_order_that_comes_before_what_it_hides_holds_and_nothing_of_it_is_stored() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    let (told, early) = erased_before_it_came([laptop, desktop, phone]);
    let received = phone.sharing().receive(&early).unwrap();
    assert_eq!((received.records, received.refused), (0, 1));
    assert!(phone.event(told).unwrap().is_none());
    settle(&stores);
    assert_alike(&stores, "erased");
    for store in &stores {
        assert!(store.event(told).unwrap().is_none());
        store.compact().unwrap();
        assert!(!trust::is_in_files(store, "zqsecretly"));
    }
}

#[test]
fn what_an_order_refuses_while_a_store_is_rebuilt_is_counted_once() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    let (_, early) = erased_before_it_came([laptop, desktop, phone]);
    phone.append(prompt("s", "something else")).unwrap();
    let other = phone.memory.clone();
    fail_points::on_reaching("a copy of a snapshot is made", move || {
        let received = other.sharing().receive(&early).unwrap();
        assert_eq!((received.records, received.refused), (0, 1));
    });
    phone.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert!(fail_points::not_reached().is_empty());
    let report = phone.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let look = || {
        let read = phone.engine.store.read().unwrap();
        (read.state_hash().unwrap(), phone.stats().unwrap().events)
    };
    let before = look();
    phone.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(look(), before);
}

#[test]
fn a_store_that_is_restored_into_keeps_its_identity_and_its_members() {
    let old = stores(1, MemberRole::Owner).remove(0);
    old.append(prompt("s", "zebras graze")).unwrap();
    let mut export = Vec::new();
    let whole = crate::ExportFilter::Whole;
    old.export_jsonl(&mut export, &whole).unwrap();
    let stores = stores(3, MemberRole::Writer);
    let [new, other, late] = &stores[..] else {
        unreachable!()
    };
    let identity = new.sharing().identity().unwrap();
    let late = late.sharing().identity().unwrap();
    new.sharing().remove_member(&late).unwrap();
    let meanwhile = (new.memory.clone(), late.clone());
    fail_points::on_reaching("a copy of a snapshot is made", move || {
        let (new, late) = meanwhile;
        new.sharing()
            .add_member(&late, "late", MemberRole::Writer)
            .unwrap();
    });
    new.restore_jsonl(&mut export.as_slice()).unwrap();
    assert!(fail_points::not_reached().is_empty());
    assert_eq!(new.sharing().identity().unwrap(), identity);
    let members = new.sharing().members().unwrap();
    let mut members: Vec<&String> = members.iter().map(|member| &member.identity).collect();
    members.sort();
    let mut expected = [other.sharing().identity().unwrap(), late];
    expected.sort();
    assert_eq!(members, expected.iter().collect::<Vec<_>>());
    assert_eq!(send(new, other).unwrap().records, 1);
    assert!(new.check().unwrap().ok);
}

#[test]
fn what_is_withheld_is_not_sent() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let sharing = laptop.sharing();
    assert!(sharing.withhold(PauseScope::Session, "diary").unwrap());
    assert!(sharing.withhold(PauseScope::Project, "secret").unwrap());
    assert!(!sharing.withhold(PauseScope::Project, "secret").unwrap());
    laptop.append(prompt("diary", "dear diary")).unwrap();
    laptop
        .append(prompt("s", "of the secret project").project("secret"))
        .unwrap();
    laptop.append(prompt("s", "of all")).unwrap();
    assert_eq!(send(laptop, desktop).unwrap().records, 1);
    assert!(sharing.is_withheld(PauseScope::Session, "diary").unwrap());
    assert!(sharing.offer(PauseScope::Session, "diary").unwrap());
    let all = sharing.changes_since(0, 10).unwrap();
    assert_eq!(desktop.sharing().receive(&all.lines).unwrap().records, 1);
}

#[test]
fn what_a_store_forgets_by_its_own_limits_stays_with_the_others() {
    let stores = stores(1, MemberRole::Owner);
    let folder = tempfile::tempdir().unwrap();
    let small = Memory::builder()
        .retention_ms(EventKind::UserPrompt, 1_000)
        .open(folder.path())
        .unwrap();
    let identity = small.sharing().identity().unwrap();
    let large = &stores[0];
    large
        .sharing()
        .add_member(&identity, "small", MemberRole::Owner)
        .unwrap();
    let old = prompt("s", "from long ago").timestamp("2020-01-01T00:00:00Z".parse().unwrap());
    let id = small.append(old).unwrap().id;
    send(&small, large).unwrap();
    assert_eq!(small.upkeep().apply_retention().unwrap().count, 1);
    let received = send(&small, large).unwrap();
    assert_eq!((received.records, received.forgotten), (0, 0));
    assert!(small.event(id).unwrap().is_none());
    assert!(large.event(id).unwrap().is_some());
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
    let batch = author.sharing().changes_since(0, 10_000).unwrap();
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
fn signed_anew(author: &Memory, change: impl Fn(&mut SharedRecord)) -> String {
    let signer = crate::share::keys::signer(author.enter().unwrap()).unwrap();
    let batch = author.sharing().changes_since(0, 1_000).unwrap();
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
fn a_stamp_that_nobody_could_follow_is_refused() {
    let stores = stores(2, MemberRole::Writer);
    let [author, victim] = &stores[..] else {
        unreachable!()
    };
    author.append(prompt("s", "one")).unwrap();
    let lines = signed_anew(author, |record| record.stamp = 253_402_300_799_999);
    let error = victim.sharing().receive(&lines).unwrap_err();
    assert!(error.message().contains("a century ahead"), "{error}");
    assert_eq!(send(author, victim).unwrap().records, 1);
}

#[test]
fn a_store_whose_clock_was_centuries_ahead_goes_on_sharing() {
    let (fast, clock) = store_at("2276-01-01T00:00:00Z");
    let (other, _) = store_at("2026-01-01T00:00:00Z");
    trust(&fast, &other, MemberRole::Owner);
    trust(&other, &fast, MemberRole::Owner);
    let new = NewTask {
        title: "paint the gate".to_owned(),
        ..NewTask::default()
    };
    let task = fast.tasks().create(&new).unwrap().id;
    let wrong = fast.stats().unwrap().last_seq;
    let years = -250 * 365 * 24 * 60 * 60 * 1_000;
    clock.advance_ms(years);
    // On its own, it folds what follows as if that had been recorded before.
    let started = TaskStatus::InProgress;
    fast.tasks().change_status(&task, started, &[]).unwrap();
    fast.append(prompt("s", "the port is 7")).unwrap();
    fast.update_session("s", SessionUpdate::default()).unwrap();
    let is_sound = |store: &Store| {
        let report = store.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    };
    is_sound(&fast);
    let refused = send(&fast, &other).unwrap_err();
    assert!(refused.message().contains("forget it where"), "{refused}");
    let later = fast.sharing().changes_since(wrong, 100).unwrap();
    assert!(other.sharing().receive(&later.lines).unwrap().records > 0);
    assert!(finds(&other, "the port is 7"));
    // An answer, and what is recorded after it.
    other.append(prompt("s", "no, it is 9")).unwrap();
    send(&other, &fast).unwrap();
    fast.append(prompt("s", "so it is 9")).unwrap();
    is_sound(&fast);
    let stores = [fast, other];
    stores[0].forget(&Selector::everything()).unwrap();
    stores[0].append(prompt("s", "it is 5 now")).unwrap();
    settle(&stores);
    assert_alike(&stores, "a clock that was centuries ahead");
    stores.iter().for_each(is_sound);
}

#[test]
fn what_follows_a_record_of_a_fast_clock_takes_effect() {
    let (fast, clock) = store_at("2036-01-01T00:00:00Z");
    let (slow, _) = store_at("2026-01-01T00:00:00Z");
    trust(&fast, &slow, MemberRole::Writer);
    trust(&slow, &fast, MemberRole::Writer);
    let new = NewTask {
        title: "paint the gate".to_owned(),
        ..NewTask::default()
    };
    let id = fast.tasks().create(&new).unwrap().id;
    let stores = [fast, slow];
    settle(&stores);
    let started = TaskStatus::InProgress;
    stores[1].tasks().change_status(&id, started, &[]).unwrap();
    // The clock is corrected.
    clock.advance_ms(-10 * 365 * 24 * 60 * 60 * 1_000);
    settle(&stores);
    for store in &stores {
        let task = store.tasks().get(&id).unwrap().unwrap().task;
        assert_eq!(task.status(), started);
    }
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

#[test]
fn files_that_a_stranger_names_like_a_batch_stop_neither_push_nor_pull() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "apples")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    let store_folder = folder.path().join("recallite-share").join(identity);
    let last = laptop.stats().unwrap().last_seq;
    let forged = format!("{last:016x}-{:016x}-{}.jsonl", u64::MAX, "0".repeat(32));
    std::fs::write(store_folder.join(&forged), "").unwrap();
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);
    laptop.append(prompt("s", "pears")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert!(!store_folder.join(forged).exists());
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);

    // A name that fits the log and its own content, which this store did not sign.
    let forged = "{}\n{\"position\":1,\"id\":\"x\"}\n";
    let hash = &blake3::hash(forged.as_bytes()).to_hex()[..32];
    let forged_file = store_folder.join(format!("{:016x}-{last:016x}-{hash}.jsonl", 0));
    std::fs::write(&forged_file, forged).unwrap();
    laptop.append(prompt("s", "grapes")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert!(!forged_file.exists());
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);

    let checked = store_folder.join("checked.json");
    let text = std::fs::read_to_string(&checked).unwrap();
    let mut fields: serde_json::Value = serde_json::from_str(&text).unwrap();
    fields["seq"] = 999_999_999.into();
    std::fs::write(&checked, fields.to_string()).unwrap();
    laptop.append(prompt("s", "plums")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);
}

/// An error about a record says whose it is and where.
fn assert_names(error: &crate::Error, identity: &str, position: u64) {
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
    let batch = laptop.sharing().changes_since(0, 10).unwrap().lines;
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
fn a_restored_backup_meets_the_orders_that_it_gave_before() {
    for erases in [false, true] {
        let stores = stores(2, MemberRole::Owner);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let old = laptop.append(prompt("s", "zqold")).unwrap().id;
        laptop.append(prompt("s", "kept")).unwrap();
        send(laptop, desktop).unwrap();
        let selector = Selector::new().id(old);
        match erases {
            true => laptop.erase(&selector).map(drop).unwrap(),
            false => laptop.forget(&selector).map(drop).unwrap(),
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("saved");
        laptop.backup(&place).unwrap();
        let after = laptop.append(prompt("s", "after the backup")).unwrap().id;
        send(laptop, desktop).unwrap();

        // The machine is lost; the others still have what it sent.
        let memory = Memory::open(&place).unwrap();
        let restored = Store {
            memory,
            _folder: folder,
        };
        for other in [laptop, desktop] {
            trust(&restored, other, MemberRole::Owner);
            trust(other, &restored, MemberRole::Owner);
        }
        let received = send(laptop, &restored).unwrap();
        assert_eq!((received.records, received.refused), (1, 0), "{erases}");
        assert!(restored.event(after).unwrap().is_some());
        assert!(restored.event(old).unwrap().is_none());
        let again = restored.append(prompt("s", "it goes on")).unwrap().id;
        let both = [restored, stores.into_iter().nth(1).unwrap()];
        settle(&both);
        assert!(both[1].event(again).unwrap().is_some());
        assert_alike(&both, "a restored backup");
    }
}

#[test]
fn a_copied_folder_is_noticed_and_a_backup_has_no_identity() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    laptop.append(prompt("s", "before")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let (copied, saved) = (place.path().join("copied"), place.path().join("saved"));
    laptop.backup(&saved).unwrap();
    std::fs::create_dir(&copied).unwrap();
    for entry in std::fs::read_dir(laptop.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), copied.join(entry.file_name())).unwrap();
        }
    }
    let twin = Memory::open(&copied).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    assert_eq!(twin.sharing().identity().unwrap(), identity);
    let restored = Memory::open(&saved).unwrap();
    assert_ne!(restored.sharing().identity().unwrap(), identity);

    laptop.append(prompt("s", "on the laptop")).unwrap();
    twin.append(prompt("s", "on its twin")).unwrap();
    send(laptop, desktop).unwrap();
    let batch = twin.sharing().changes_since(0, 10).unwrap();
    for store in [desktop, laptop] {
        let error = store.sharing().receive(&batch.lines).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
        assert_names(&error, &identity, 2);
    }
    // With a new identity, common records are recognised and the rest is accepted.
    let identity = twin.sharing().renew_identity().unwrap();
    desktop
        .sharing()
        .add_member(&identity, "twin", MemberRole::Writer)
        .unwrap();
    let batch = twin.sharing().changes_since(0, 10).unwrap();
    let received = desktop.sharing().receive(&batch.lines).unwrap();
    assert_eq!((received.records, received.duplicates), (1, 1));
}

/// The files of all stores in a shared folder, with their contents.
fn files_of(folder: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for store_folder in std::fs::read_dir(folder.join("recallite-share")).unwrap() {
        for file in std::fs::read_dir(store_folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn a_folder_carries_everything_and_loses_what_is_erased() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (laptop.sharing(), desktop.sharing());
    let error = b.pull_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"));
    a.announce(folder.path(), "the laptop").unwrap();
    let announced = b.announced(folder.path()).unwrap();
    assert_eq!(announced[0].identity, a.identity().unwrap());
    assert_eq!(announced[0].name, "the laptop");

    let told = laptop.append(prompt("s", "zqerasing soon")).unwrap();
    laptop.append(prompt("s", "to be kept")).unwrap();
    let pushed = a.push_folder(folder.path()).unwrap();
    assert_eq!((pushed.files, pushed.records, pushed.rewritten), (1, 2, 0));
    let before = files_of(folder.path());
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 0);
    assert_eq!(files_of(folder.path()), before);
    let pulled = b.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.files, pulled.records), (1, 2));
    assert_eq!(b.pull_folder(folder.path()).unwrap().files, 0);

    // The other owner erases it; its author's files lose it once the author receives the
    // order.
    desktop.erase(&Selector::new().id(told.id)).unwrap();
    b.push_folder(folder.path()).unwrap();
    let pulled = a.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.forgotten, pulled.to_erase), (1, 1));
    let pushed = a.push_folder(folder.path()).unwrap();
    assert_eq!((pushed.files, pushed.rewritten), (0, 1));
    for (name, bytes) in files_of(folder.path()) {
        assert!(!bytes.windows(9).any(|part| part == b"zqerasing"), "{name}");
    }
    // The desktop waits for the laptop's answer, which comes once it has erased it.
    let waiting = |memory: &Memory| -> usize {
        let open = memory.sharing().unanswered_erasures(None).unwrap();
        open.iter().map(|erasure| erasure.waiting_for.len()).sum()
    };
    b.pull_folder(folder.path()).unwrap();
    assert_eq!(waiting(desktop), 1);
    let erased = a.erase_ordered().unwrap();
    assert!(erased.count == 1 && erased.is_complete, "{erased:?}");
    let again = a.erase_ordered().unwrap();
    assert!(again.count == 0 && again.is_complete, "{again:?}");
    a.push_folder(folder.path()).unwrap();
    b.pull_folder(folder.path()).unwrap();
    assert_eq!(waiting(desktop), 0);
    assert_alike(&stores, "over a folder");
}

/// Everything in a folder, with when each file was written.
fn written_in(folder: &std::path::Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let with_time = |(name, bytes): (String, Vec<u8>)| {
        let written = std::fs::metadata(&name).unwrap().modified().unwrap();
        (name, (bytes, written))
    };
    files_of(folder).into_iter().map(with_time).collect()
}

#[test]
fn a_store_that_only_receives_writes_nothing_and_answers_only_who_ordered() {
    let stores = stores(3, MemberRole::Owner);
    let folder = tempfile::tempdir().unwrap();
    let exchange = |store: &Store| {
        store.sharing().push_folder(folder.path()).unwrap();
        store.sharing().pull_folder(folder.path()).unwrap();
        store.sharing().erase_ordered().unwrap();
        store.sharing().push_folder(folder.path()).unwrap();
    };
    let [laptop, desktop, tablet] = &stores[..] else {
        unreachable!()
    };
    for store in &stores {
        let said = store.append(prompt("s", "to be erased")).unwrap();
        store.erase(&Selector::new().id(said.id)).unwrap();
    }
    for _ in 0..3 {
        stores.iter().for_each(exchange);
    }
    laptop.append(prompt("s", "a message")).unwrap();
    exchange(laptop);
    let before = written_in(folder.path());
    exchange(desktop);
    exchange(tablet);
    assert_eq!(desktop.stats().unwrap().prompts, 1);
    assert_eq!(written_in(folder.path()), before);
    // An erasure changes the answers to whoever ordered it.
    let said = desktop.append(prompt("s", "another message")).unwrap();
    exchange(desktop);
    exchange(laptop);
    exchange(tablet);
    let before = written_in(folder.path());
    desktop.erase(&Selector::new().id(said.id)).unwrap();
    exchange(desktop);
    let own = desktop.sharing().identity().unwrap();
    for store in [laptop, tablet] {
        exchange(store);
        let identity = store.sharing().identity().unwrap();
        let answers = |files: &BTreeMap<String, (Vec<u8>, std::time::SystemTime)>| {
            let of = files.iter().filter(|(name, _)| name.contains(&identity));
            let of = of.filter(|(name, _)| name.contains("answer-"));
            let of = of.filter(|(name, _)| !name.contains(&format!("{identity}/answer-{own}")));
            of.map(|(name, file)| (name.clone(), file.clone()))
                .collect::<Vec<_>>()
        };
        let after = written_in(folder.path());
        assert_eq!(answers(&after), answers(&before));
        assert_ne!(after, before);
    }
    exchange(desktop);
    assert!(
        desktop
            .sharing()
            .unanswered_erasures(None)
            .unwrap()
            .is_empty()
    );
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
    let progress = sharing.changes_since(last, 0).unwrap().lines;
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
    let first = sharing.changes_since(last - 2, 1).unwrap();
    assert!(first.has_more && !first.lines.contains("answer_to"));
    let second = sharing.changes_since(first.through, 1).unwrap();
    assert!(!second.has_more && second.lines.contains(to_desktop));
    desktop.sharing().receive(&first.lines).unwrap();
    assert_eq!(desktop.sharing().receive(&second.lines).unwrap().records, 1);
}

#[test]
fn several_pushers_of_one_store_write_each_record_once() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (memory, folder) = (&laptop.memory, folder.path());
            scope.spawn(move || {
                for step in 0..10 {
                    let text = format!("note {step} of {thread}");
                    memory.append(prompt("s", &text)).unwrap();
                    // On a busy machine the others may take longer than it waits.
                    while let Err(error) = memory.sharing().push_folder(folder) {
                        assert_eq!(error.code(), ErrorCode::Busy, "{error}");
                    }
                }
            });
        }
    });
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.records, pulled.duplicates), (40, 0));
    assert_alike(&stores, "several pushers");
}

#[test]
fn what_is_not_shared_leaves_no_gap_between_the_files() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    for step in 0..6 {
        laptop.append(prompt("s", &format!("note {step}"))).unwrap();
        laptop.sharing().push_folder(folder.path()).unwrap();
        // A local setting of the laptop, and a push without news.
        laptop
            .pauses()
            .pause(PauseScope::Session, &format!("other {step}"))
            .unwrap();
        let pushed = laptop.sharing().push_folder(folder.path()).unwrap();
        assert_eq!(pushed.files, 0);
        let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!((pulled.files, pulled.records, pulled.duplicates), (1, 1, 0));
    }
    let marks = desktop.sharing().watermarks().unwrap();
    assert_eq!(marks[0].position, laptop.stats().unwrap().last_seq - 1);
    // Read in one go, from the first file on, it is the same.
    let late = tempfile::tempdir().unwrap();
    let late = Memory::open(late.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    late.sharing()
        .add_member(&identity, "laptop", MemberRole::Writer)
        .unwrap();
    let pulled = late.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.files, pulled.records), (6, 6));
    assert_eq!(late.sharing().pull_folder(folder.path()).unwrap().files, 0);
}

#[test]
fn a_folder_with_wrong_files_gives_nothing_wrong() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let sharing = desktop.sharing();
    laptop.append(prompt("s", "the only one")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let (name, bytes) = files_of(folder.path())
        .into_iter()
        .find(|(name, _)| name.ends_with(".jsonl"))
        .unwrap();
    let path = std::path::PathBuf::from(&name);
    // Half of a file, as a synchronised folder may expose it.
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = sharing.pull_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    // The files of one store in the folder of another.
    std::fs::write(&path, &bytes).unwrap();
    let store_folder = path.parent().unwrap();
    let third = tempfile::tempdir().unwrap();
    let third = Memory::open(third.path()).unwrap();
    let stranger = third.sharing().identity().unwrap();
    let other = store_folder.parent().unwrap().join(&stranger);
    std::fs::create_dir(&other).unwrap();
    std::fs::copy(&path, other.join(path.file_name().unwrap())).unwrap();
    std::fs::write(other.join("member.json"), "{}").unwrap();
    let pulled = sharing.pull_folder(folder.path()).unwrap();
    assert_eq!(
        (pulled.records, pulled.strangers.as_slice()),
        (1, &[stranger.clone()][..])
    );
    assert_eq!(sharing.announced(folder.path()).unwrap(), []);
    sharing
        .add_member(&stranger, "third", MemberRole::Writer)
        .unwrap();
    let error = sharing.pull_folder(folder.path()).unwrap_err();
    assert!(error.message().contains("another store"), "{error}");
    assert_eq!(desktop.stats().unwrap().prompts, 1);
}

#[test]
fn an_answer_with_a_wrong_signature_holds_back_no_file() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "apples")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let names = files_of(folder.path()).into_keys();
    let answer = names
        .into_iter()
        .find(|name| name.ends_with("offers.jsonl"));
    let answer = answer.unwrap();
    let text = std::fs::read_to_string(&answer).unwrap();
    let mut header: serde_json::Value = serde_json::from_str(&text).unwrap();
    header["signature"] = "00".repeat(64).into();
    std::fs::write(&answer, format!("{header}\n")).unwrap();
    let error = desktop.sharing().pull_folder(folder.path()).unwrap_err();
    assert!(error.message().contains("offers.jsonl"), "{error}");
    assert_eq!(desktop.stats().unwrap().prompts, 1);
}

/// A program that synchronises the folder keeps copies under names of its own.
#[test]
fn copies_of_its_files_are_removed_from_its_folder() {
    let stores = stores(2, MemberRole::Writer);
    let folder = tempfile::tempdir().unwrap();
    let laptop = &stores[0];
    let told = laptop.append(prompt("s", "zqerasing soon")).unwrap();
    laptop.append(prompt("s", "to be kept")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let (name, bytes) = files_of(folder.path())
        .into_iter()
        .find(|(name, bytes)| name.ends_with(".jsonl") && !bytes.is_empty())
        .unwrap();
    let path = std::path::PathBuf::from(&name);
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let copies = [
        format!("{stem} (conflicted copy 2026-11-25).jsonl"),
        format!("{stem}.sync-conflict-20261125-101112-ABCDEFG.jsonl"),
        format!("{stem} (1).jsonl"),
        format!(".{stem}.jsonl.Ab12Cd"),
    ];
    for copy in &copies {
        std::fs::write(path.with_file_name(copy), &bytes).unwrap();
    }
    let others = [
        "offers (conflicted copy).jsonl",
        "offers.sync-conflict-20261125-101112-ABCDEFG.jsonl",
        "answer-0f3c (conflicted copy).jsonl",
        "member (1).json",
        "checked-desktop.json",
    ];
    for copy in others {
        std::fs::write(path.with_file_name(copy), "{}").unwrap();
    }
    std::fs::write(path.with_file_name("notes.txt"), "of the user").unwrap();
    // Some programs copy a whole folder.
    let own = path.parent().unwrap();
    let beside = |name: &str| {
        let identity = own.file_name().unwrap().to_str().unwrap();
        let copy = own.with_file_name(format!("{identity}{name}"));
        std::fs::create_dir(&copy).unwrap();
        for file in std::fs::read_dir(own).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
        copy
    };
    let (whole, with_notes) = (beside(" (1)"), beside(" - Copy"));
    std::fs::remove_file(whole.join("notes.txt")).unwrap();
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let files = files_of(folder.path());
    for (name, bytes) in &files {
        assert!(!bytes.windows(9).any(|part| part == b"zqerasing"), "{name}");
    }
    for copy in copies.iter().map(String::as_str).chain(others) {
        assert!(!files.keys().any(|name| name.contains(copy)), "{copy}");
    }
    for (name, bytes) in files {
        assert!(!name.ends_with("notes.txt") || bytes == b"of the user");
    }
    assert!(!whole.exists());
    for folder in [own, &with_notes] {
        assert!(folder.join("notes.txt").exists());
    }
    assert_eq!(std::fs::read_dir(&with_notes).unwrap().count(), 1);
    stores[1].sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(stores[1].stats().unwrap().prompts, 1);
}

/// Whether a push ends by itself.
#[cfg(unix)]
fn pushes_in_time(store: &Store, folder: &std::path::Path) -> bool {
    let (memory, folder) = (store.memory.clone(), folder.to_owned());
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(memory.sharing().push_folder(&folder).map(drop)));
    let pushed = told.recv_timeout(std::time::Duration::from_secs(60));
    pushed.is_ok_and(|pushed| pushed.is_ok())
}

/// Whoever may write into the shared folder must not reach files outside it.
#[cfg(unix)]
#[test]
fn links_in_a_shared_folder_are_not_followed() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    let stores = stores(1, MemberRole::Writer);
    let folder = tempfile::tempdir().unwrap();
    let laptop = &stores[0];
    laptop.append(prompt("s", "a note")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    let store_folder = folder.path().join("recallite-share").join(&identity);
    // A link that is followed, or a pipe that is read, blocks for ever.
    let pipe = outside.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for name in ["offers.jsonl", "checked.json"] {
        std::fs::remove_file(store_folder.join(name)).unwrap();
        symlink(&pipe, store_folder.join(name)).unwrap();
    }
    assert!(pushes_in_time(laptop, folder.path()));
    for name in ["offers.jsonl", "checked.json"] {
        let there = store_folder.join(name);
        assert!(std::fs::symlink_metadata(&there).unwrap().is_file());
        std::fs::remove_file(&there).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&there).status();
        assert!(made.unwrap().success());
    }
    assert!(pushes_in_time(laptop, folder.path()));
    for name in [
        "x.partial-1",
        "0000000000000009-000000000000000a-0123456789abcdef0123456789abcdef (1).jsonl",
    ] {
        symlink(&victim, store_folder.join(name)).unwrap();
    }
    // Another name of the same file.
    std::fs::hard_link(&victim, store_folder.join("y.partial-1")).unwrap();
    laptop.sharing().announce(folder.path(), "laptop").unwrap();
    laptop.append(prompt("s", "another note")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    let names = files_of(folder.path()).into_keys();
    let left: Vec<_> = names
        .filter(|name| name.contains("partial") || name.contains("(1)"))
        .collect();
    assert!(left.is_empty(), "{left:?}");

    // The folder itself.
    let elsewhere = outside.path().join("elsewhere");
    std::fs::rename(&store_folder, &elsewhere).unwrap();
    symlink(&elsewhere, &store_folder).unwrap();
    let before = files_of(folder.path());
    laptop.append(prompt("s", "a third note")).unwrap();
    let error = laptop.sharing().push_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    assert_eq!(files_of(folder.path()), before);

    // The folder of all stores.
    let (other, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(outside.path(), other.path().join("recallite-share")).unwrap();
    for done in [
        laptop.sharing().push_folder(other.path()).map(drop),
        laptop.sharing().announce(other.path(), "laptop"),
    ] {
        let error = done.unwrap_err();
        assert_eq!(error.argument(), Some("folder"), "{error}");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_store_is_announced_while_it_pushes() {
    let stores = stores(1, MemberRole::Writer);
    let laptop = &stores[0];
    let folder = tempfile::tempdir().unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                // On a busy machine it may wait for too long.
                if let Err(error) = laptop.sharing().push_folder(folder.path()) {
                    assert_eq!(error.code(), ErrorCode::Busy, "{error}");
                }
            }
        });
        let mut problem = None;
        for number in 0..100 {
            let announced = laptop
                .sharing()
                .announce(folder.path(), &format!("{number}"));
            let failed = announced
                .err()
                .filter(|error| error.code() != ErrorCode::Busy);
            problem = problem.or(failed);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(problem.map(|error| error.to_string()), None);
    });
    assert_eq!(laptop.sharing().announced(folder.path()).unwrap().len(), 1);
}

#[test]
fn what_anyone_can_put_in_a_batch_is_limited_before_it_is_signed() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    laptop.append(prompt("s", "a note")).unwrap();
    let batch = laptop.sharing().changes_since(0, 10).unwrap().lines;
    let lines = format!("{batch}{}", "\n".repeat(20_000));
    let error = desktop.sharing().receive(&lines).unwrap_err();
    assert!(error.message().contains("at most 10000 records"), "{error}");
    let long = format!("\"offers\":{}", "0".repeat(5_000));
    let header = batch.replacen("\"offers\":", &long, 1);
    let error = desktop.sharing().receive(&header).unwrap_err();
    assert!(error.message().contains("too long for a header"), "{error}");
}

#[test]
fn what_is_offered_again_is_read_even_if_it_no_longer_fits_into_one_file() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (laptop.sharing(), desktop.sharing());
    a.withhold(PauseScope::Session, "diary").unwrap();
    let days = (0..10_000).map(|day| prompt("diary", &format!("day {day}")));
    laptop.append_batch(days.collect()).unwrap();
    laptop.append(prompt("s", "of all")).unwrap();
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 1);
    assert_eq!(b.pull_folder(folder.path()).unwrap().records, 1);
    a.offer(PauseScope::Session, "diary").unwrap();
    assert_eq!(a.push_folder(folder.path()).unwrap().records, 10_001);
    let pulled = b.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.records, pulled.duplicates), (10_000, 1));
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 0);
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
        let batch = store.sharing().changes_since(position, 1_000).unwrap();
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

/// Pseudo-random numbers that are the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % end as u64) as usize
    }
}

/// A random act in a store, whose orders reach its own records or everything.
fn act(store: &Memory, random: &mut Random, step: usize, role: MemberRole) -> Result<()> {
    let session = format!("s{}", random.below(3));
    let events: Vec<EventRef> = store
        .changes_since(crate::model::ids::Seq(0), 1_000)?
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .map(|event| EventRef::Id(event.id))
        .filter(|event| {
            let is_own = || store.sharing().source(event.clone()).unwrap().is_none();
            role == MemberRole::Owner || is_own()
        })
        .collect();
    let entries = store.knowledge().entries(&Default::default())?;
    let tasks = store.tasks().list(&TaskFilter {
        project: ProjectScope::All,
        ..TaskFilter::default()
    })?;
    let some = |random: &mut Random, len: usize| (len > 0).then(|| random.below(len));
    match random.below(20) {
        0 | 1 => {
            let text = format!("text {step} of {session}");
            let project = ["", "shop", "bank"][random.below(3)];
            let kind = [EventKind::UserPrompt, EventKind::AgentResponse][random.below(2)];
            let said = NewEvent::new(kind, &session, &text);
            store.append(said.project(project)).map(drop)
        }
        16 => match some(random, events.len()) {
            // What is learned of an event, and what it replaces, depend on whether that is live.
            Some(at) => learn_of(store, random, step, &events[at]),
            None => Ok(()),
        },
        17 => match some(random, events.len()) {
            Some(at) => store.knowledge().mark_unknown_context(events[at].clone()),
            None => Ok(()),
        },
        18 => match some(random, entries.len()) {
            Some(at) => {
                let answer = MemoryAnswer {
                    kind: ResolutionKind::Confirmed,
                    resolved_to: Some(format!("meaning {}", random.below(3))),
                    confidence: 0.5,
                };
                let memory = entries[at].entry.id.as_str();
                store.knowledge().resolve_memory(memory, &answer)
            }
            None => Ok(()),
        },
        19 => {
            let conflicts = store.knowledge().conflicts(None)?;
            match some(random, conflicts.len()) {
                Some(at) => uphold(store, random, &conflicts[at]),
                None => Ok(()),
            }
        }
        2 => store
            .tasks()
            .create(&NewTask {
                title: format!("task {}", random.below(5)),
                blocked_by: match random.below(3) {
                    0 => vec!["waiting for the review".to_owned()],
                    1 => some(random, tasks.len())
                        .map(|at| tasks[at].title.clone())
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                },
                ..NewTask::default()
            })
            .map(drop),
        3 => match some(random, tasks.len()) {
            Some(at) => {
                let to = TaskStatus::ALL[random.below(TaskStatus::ALL.len())];
                store
                    .tasks()
                    .change_status(&tasks[at].id, to, &[])
                    .map(drop)
            }
            None => Ok(()),
        },
        4 => match some(random, tasks.len()) {
            Some(at) => {
                let to = Priority::ALL[random.below(Priority::ALL.len())];
                store.tasks().set_priority(&tasks[at].id, to).map(drop)
            }
            None => Ok(()),
        },
        5 => match some(random, tasks.len()) {
            Some(at) => {
                let title = format!("renamed {}", random.below(4));
                store.tasks().rename(&tasks[at].id, &title).map(drop)
            }
            None => Ok(()),
        },
        6 => {
            let title = format!("fact {step}");
            let entry = NewEntry::new(EntryType::Fact, &session, &title, &title);
            store.knowledge().add_entry(&entry).map(drop)
        }
        7 => match some(random, entries.len()).zip(some(random, entries.len())) {
            Some((a, b)) if a != b => {
                let (a, b) = (&entries[a].entry.id, &entries[b].entry.id);
                match random.below(3) {
                    0 => store.knowledge().supersede(a, b),
                    1 => store.knowledge().contradict(a, b, None).map(drop),
                    _ => store.knowledge().deprecate(a),
                }
            }
            _ => Ok(()),
        },
        8 | 9 => match some(random, events.len()) {
            Some(at) => store
                .forget(&Selector::new().id(events[at].clone()))
                .map(drop),
            None => Ok(()),
        },
        10 if random.below(4) == 0 => match some(random, events.len()) {
            Some(at) => store
                .erase(&Selector::new().id(events[at].clone()))
                .map(drop),
            None => Ok(()),
        },
        11 => {
            let mut half = || random.below(2) == 0;
            let update = SessionUpdate {
                summary: half().then(|| format!("summary {step}")),
                tags: half().then(|| vec![format!("tag {step}")]),
                started: half().then(|| day(step)),
                ended: half().then(|| day(step)),
                project: half().then(|| "moved".to_owned()),
            };
            store.update_session(&session, update).map(drop)
        }
        12 if random.below(4) == 0 => store.compact().map(drop),
        13 => match random.below(2) {
            0 => store
                .sharing()
                .withhold(PauseScope::Session, "s2")
                .map(drop),
            _ => store.sharing().offer(PauseScope::Session, "s2").map(drop),
        },
        _ => {
            let ends = EdgeEnds {
                source_type: NodeType::Entry,
                source_id: format!("e{}", random.below(3)),
                relation: Relation::DerivedFrom,
                destination_type: NodeType::Entry,
                destination_id: format!("e{}", 3 + random.below(3)),
            };
            match random.below(3) {
                0 => store.knowledge().remove_edge(&ends).map(drop),
                _ => store.knowledge().add_edge(&ends, None).map(drop),
            }
        }
    }
}

/// Learns an entry that quotes an event, and perhaps replaces another one by it.
fn learn_of(store: &Memory, random: &mut Random, step: usize, event: &EventRef) -> Result<()> {
    let Some(told) = store.event(event.clone())? else {
        return Ok(());
    };
    let title = format!("quote {step}");
    let entry = NewEntry {
        event: Some(event.clone()),
        ..NewEntry::new(EntryType::Fact, &told.session, &title, &told.content)
    };
    let entry = store.knowledge().add_entry(&entry)?.entry.id;
    let others = store.knowledge().entries(&Default::default())?;
    match others.get(random.below(others.len().max(1))) {
        Some(other) if other.entry.id != entry => {
            store.knowledge().supersede(&other.entry.id, &entry)
        }
        _ => Ok(()),
    }
}

/// Resolves a conflict in favour of one of the two entries.
fn uphold(store: &Memory, random: &mut Random, conflict: &Conflict) -> Result<()> {
    let sides = [&conflict.older_id, &conflict.newer_id];
    let verdict = ConflictVerdict::new(sides[random.below(2)].clone(), "looked it up", "ada");
    store
        .knowledge()
        .resolve_conflict(&conflict.conflict_id, &verdict)
        .map(drop)
}

/// A day of this century.
fn day(number: usize) -> Timestamp {
    let days = 20_000 + i64::try_from(number).unwrap();
    Timestamp::from_millis_clamped(days * 24 * 60 * 60 * 1_000)
}

/// Errors that an act may meet because another store's record is in its way.
fn is_refusal(error: &crate::Error) -> bool {
    // Never because another store used the same position.
    let is_title_taken = error.message().contains("already has this title");
    let is_taken = error.code() == ErrorCode::AlreadyExists && is_title_taken;
    is_taken
        || matches!(
            error.code(),
            ErrorCode::InvalidArgument
                | ErrorCode::NotFound
                | ErrorCode::InvalidTransition
                | ErrorCode::InvariantViolation
        )
}

/// Stores whose clocks are wrong: by hours, and now and then by years.
fn stores_in_time(random: &mut Random, role: MemberRole) -> (Vec<Store>, Vec<Arc<FixedClock>>) {
    let (mut stores, mut clocks) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let (store, clock) = store_at("2026-01-01T00:00:00Z");
        let hours = random.below(72) as i64 - 36;
        let years = if random.below(6) == 0 { 3 } else { 0 };
        clock.advance_ms((hours + years * 365 * 24) * 60 * 60 * 1_000);
        stores.push(store);
        clocks.push(clock);
    }
    for store in &stores {
        for other in stores.iter().filter(|other| !std::ptr::eq(store, *other)) {
            trust(store, other, role);
        }
    }
    (stores, clocks)
}

/// A store takes a new identity, and the others trust it. Returns the former one.
fn renew(stores: &[Store], at: usize) -> String {
    let former = stores[at].sharing().identity().unwrap();
    stores[at].sharing().renew_identity().unwrap();
    for (_, other) in stores
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != at)
    {
        trust(other, &stores[at], MemberRole::Owner);
    }
    former
}

/// What was said and is live.
fn said_in(store: &Memory) -> Vec<EventId> {
    let events = store.changes_since(crate::model::ids::Seq(0), 1_000);
    let said = events.unwrap().into_iter();
    said.filter(|event| event.kind.is_conversation())
        .map(|event| event.id)
        .collect()
}

/// A store forgets one of its own events and takes a new identity, and another one that knows the
/// event under the former identity alone erases it. Returns the former identity.
fn renew_after_forgetting(stores: &[Store], at: usize, random: &mut Random) -> String {
    let store = &stores[at];
    let mut said = said_in(store);
    said.retain(|event| store.sharing().source(*event).unwrap().is_none());
    let event = (!said.is_empty()).then(|| said.swap_remove(random.below(said.len())));
    if let Some(event) = event {
        store.forget(&Selector::new().id(event)).unwrap();
    }
    let former = renew(stores, at);
    let mut others = stores.iter().filter(|other| !std::ptr::eq(*other, store));
    if let Some(event) = event
        && let Some(other) = others.find(|other| said_in(other).contains(&event))
    {
        other.erase(&Selector::new().id(event)).unwrap();
    }
    former
}

/// Checks that no store keeps a text, even a hidden one, that another store has erased.
fn assert_nothing_erased_is_kept(stores: &[Store], what: &str) {
    let (mut erased, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for store in stores {
        let read = store.enter().unwrap().store.read().unwrap();
        let (mut erased_here, mut kept_here) = (BTreeSet::new(), BTreeSet::new());
        let visit = |seq: u64, view: &RecordView<'_>, _: bool| {
            let id = EventId::from_bytes(view.archive()?.id);
            match view.is_erased() {
                false if view.kind().is_conversation() => drop(kept_here.insert(id)),
                true => drop(erased_here.insert((seq, id))),
                false => {}
            }
            Ok(())
        };
        read.each_record(visit).unwrap();
        for (seq, id) in erased_here {
            let tombstone = read.tombstone_of(seq).unwrap().unwrap();
            let kind = read.with_record(tombstone, |view| Ok(view.kind())).unwrap();
            // What came after the order to forget it is bare, too. And two members may have signed
            // one record, and one of them erased it.
            if kind == Some(EventKind::Erased) && !kept_here.contains(&id) {
                erased.insert(id);
            }
        }
        kept.extend(kept_here);
    }
    let both: Vec<&EventId> = erased.intersection(&kept).collect();
    assert!(both.is_empty(), "{what}: {both:?}");
}

/// A member that signs what it reads of others: their records, their orders, and those with other
/// targets.
struct Thief {
    store: Store,
    taken: BTreeSet<u64>,
    lines: Vec<String>,
}

impl Thief {
    fn among(stores: &[Store]) -> Thief {
        let (store, _) = store_at("2026-01-01T00:00:00Z");
        for other in stores {
            trust(other, &store, MemberRole::Writer);
        }
        Thief {
            store,
            taken: BTreeSet::new(),
            lines: Vec::new(),
        }
    }

    /// Signs what a batch has at positions that it has not used yet.
    fn steal(&mut self, batch: &str, victims: &[String]) -> Option<String> {
        let is_record = |line: &&str| !line.starts_with("{\"answer_to\"");
        let records = batch.lines().skip(1).filter(is_record);
        let mut records: Vec<SharedRecord> = records
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        records.retain(|record| self.taken.insert(record.position));
        for record in &mut records {
            if record.kind != "erased" && record.kind != "forgotten" || record.position % 2 == 0 {
                continue;
            }
            let named = record.metadata.clone().unwrap();
            let is_single = named.matches("\"store\"").count() == 1;
            for keys in victims.windows(2).filter(|_| is_single) {
                record.metadata = Some(named.replace(&keys[0], &keys[1]));
            }
        }
        if records.is_empty() {
            return None;
        }
        let lines = trust::signed_by(&self.store, BatchHeader::default(), records);
        self.lines.push(lines.clone());
        Some(lines)
    }

    fn tell_all(&self, store: &Store) {
        for lines in &self.lines {
            take_stolen(store, lines);
        }
        store.sharing().erase_ordered().unwrap();
    }
}

/// A copy of what has been erased in part meanwhile is another record.
fn take_stolen(store: &Store, lines: &str) {
    if let Err(error) = store.sharing().receive(lines) {
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
    }
}

/// One history: stores act, batches arrive late, twice, in any order or not at all, and in
/// the end all agree, unless a store declined an erasure, which is returned.
fn history(seed: u64, steps: usize, role: MemberRole) -> bool {
    let mut random = Random(seed);
    let (mut stores, clocks) = stores_in_time(&mut random, role);
    let mut under_way: Vec<(usize, String)> = Vec::new();
    // What a writer copied, it keeps from being removed by another writer.
    let mut thief = (role == MemberRole::Owner).then(|| Thief::among(&stores));
    let mut formers = BTreeSet::new();
    for step in 0..steps {
        let at = random.below(stores.len());
        let most = [1, 60_000, 36_000_000][random.below(3)];
        clocks[at].advance_ms(random.below(most) as i64 - most as i64 / 8);
        // Orders of a writer do not reach what it recorded under its former identity.
        if role == MemberRole::Owner && random.below(60) == 0 {
            formers.insert(renew_after_forgetting(&stores, at, &mut random));
            // A store does not accept what it sent as another one.
            under_way.retain(|(to, lines)| {
                *to != at || !formers.iter().any(|former| lines.contains(former))
            });
            continue;
        }
        match random.below(4) {
            0 => {
                let to = random.below(stores.len());
                let last = stores[at].stats().unwrap().last_seq as usize;
                let from = random.below(last + 1) as u64;
                let batch = stores[at].sharing().changes_since(from, 20).unwrap();
                if let Some(thief) = &mut thief
                    && random.below(3) == 0
                {
                    let victims: Vec<String> =
                        stores.iter().map(|store| trust::key_of(store)).collect();
                    let stolen = thief.steal(&batch.lines, &victims);
                    let to = random.below(stores.len());
                    stolen
                        .into_iter()
                        .for_each(|lines| take_stolen(&stores[to], &lines));
                }
                under_way.push((to, batch.lines));
            }
            1 if !under_way.is_empty() => {
                let chosen = random.below(under_way.len());
                let (to, lines) = match random.below(3) {
                    0 => under_way[chosen].clone(),
                    _ => under_way.swap_remove(chosen),
                };
                stores[to].sharing().receive(&lines).unwrap();
            }
            _ => {
                if let Err(error) = act(&stores[at], &mut random, step, role) {
                    assert!(is_refusal(&error), "seed {seed}, step {step}: {error}");
                }
            }
        }
    }
    if role == MemberRole::Owner {
        let at = random.below(stores.len());
        formers.insert(renew_after_forgetting(&stores, at, &mut random));
    }
    for store in &stores {
        store.sharing().offer(PauseScope::Session, "s2").unwrap();
    }
    settle(&stores);
    if let Some(thief) = &thief {
        stores.iter().for_each(|store| thief.tell_all(store));
        settle(&stores);
        for store in &stores {
            let identity = thief.store.sharing().identity().unwrap();
            store.sharing().remove_member(&identity).unwrap();
        }
    }
    let mut is_declined = false;
    for store in &stores {
        // Nobody answers under a former identity.
        for former in &formers {
            store.sharing().remove_member(former).unwrap();
        }
        let open = store.sharing().unanswered_erasures(None).unwrap();
        assert!(
            open.iter().all(|it| it.waiting_for.is_empty()),
            "seed {seed}: {open:?}"
        );
        is_declined |= !open.is_empty();
    }
    let last = newcomer(&stores);
    if let Some(thief) = &thief {
        trust(&last, &thief.store, MemberRole::Writer);
        thief.tell_all(&last);
    }
    stores.push(last);
    // What another store derived from erased text stays with those who decline, and they
    // say so.
    if !is_declined {
        assert_nothing_erased_is_kept(&stores, &format!("seed {seed}"));
        assert_same_for_callers(&stores, &format!("seed {seed}"));
        assert_alike(&stores, &format!("seed {seed}"));
    }
    for store in &stores {
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after, "seed {seed}");
    }
    if !is_declined {
        assert_alike(&stores, &format!("rebuilt, seed {seed}"));
    }
    is_declined
}

/// Checks that tasks and sessions are equal, and each store finds what was said.
fn assert_same_for_callers(stores: &[Store], what: &str) {
    let tasks = |store: &Store| -> BTreeSet<String> {
        let tasks = store.tasks().list(&TaskFilter {
            project: ProjectScope::All,
            ..TaskFilter::default()
        });
        let shown = tasks.unwrap().into_iter().map(|task| {
            let tasks = store.tasks();
            let then = tasks.get_as_of(&task.id, Timestamp::MAX).unwrap();
            assert_eq!(then.as_ref(), Some(&task), "{what}");
            let detail = tasks.get(&task.id).unwrap().unwrap();
            let acts: Vec<EventId> = detail.history.iter().map(|act| act.id).collect();
            format!("{task:?} {acts:?} {:?}", detail.effective_blockers)
        });
        shown.collect()
    };
    let sessions = |store: &Store| {
        let read = store.enter().unwrap().store.read().unwrap();
        let mut all = crate::share::hash::shared_sessions(&read).unwrap();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    };
    let entries = |store: &Store| -> Vec<String> {
        let entries = store.knowledge().entries(&Default::default()).unwrap();
        let ids = entries.iter().map(|row| row.entry.id.as_str().to_owned());
        ids.collect()
    };
    let said: Vec<String> = stores[0]
        .changes_since(crate::model::ids::Seq(0), 1_000)
        .unwrap()
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .map(|event| event.content)
        .collect();
    for store in stores {
        assert_eq!(tasks(store), tasks(&stores[0]), "{what}");
        assert_eq!(sessions(store), sessions(&stores[0]), "{what}");
        assert_eq!(entries(store), entries(&stores[0]), "{what}");
        for text in &said {
            assert!(finds(store, text), "{what}: {text}");
        }
    }
}

/// An entry learned before a conflict about it that arrives after the conflict.
#[test]
fn what_a_conflict_left_goes_with_it_whatever_came_first() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, late] = &stores[..] else {
        unreachable!()
    };
    let learn = |session: &str, fact: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, fact, fact);
        laptop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let seven = learn("s", "the port is 7");
    let first = laptop.sharing().changes_since(0, 1_000).unwrap();
    let one = learn("t", "the port is 1");
    let learned = laptop.stats().unwrap().last_seq;
    laptop.knowledge().contradict(&seven, &one, None).unwrap();
    // The conflict, then one of the entries, and not yet the other.
    let conflict = laptop.sharing().changes_since(learned, 1_000).unwrap();
    for batch in [conflict, first] {
        late.sharing().receive(&batch.lines).unwrap();
    }
    // As stored: what contests it is not there.
    let status = || {
        let rows = late.engine.store.read().unwrap().projected().unwrap();
        let entry = crate::projection::entries::entry(&rows, &seven).unwrap();
        entry.unwrap().entry.status.as_str().to_owned()
    };
    assert_eq!(status(), "contested");
    // Only the order to erase what the conflict depends on.
    laptop.erase(&Selector::new().session("t")).unwrap();
    let last = laptop.stats().unwrap().last_seq;
    let order = laptop.sharing().changes_since(last - 1, 1).unwrap();
    late.sharing().receive(&order.lines).unwrap();
    assert_eq!(status(), "active");
    let report = late.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
}

/// What was learned of a message stays where the message is forgotten; so it does where the order
/// to forget it came first, and goes when the message is erased.
#[test]
fn what_was_learned_of_a_message_stays_whether_it_or_the_order_came_first() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, late] = &stores[..] else {
        unreachable!()
    };
    let said = laptop
        .append(prompt("s", "The zqgate is green."))
        .unwrap()
        .id;
    let entry = NewEntry {
        event: Some(said.into()),
        ..NewEntry::new(EntryType::Fact, "s", "zqgate", "The zqgate is green.")
    };
    let entry = laptop.knowledge().add_entry(&entry).unwrap().entry.id;
    let before = laptop.sharing().changes_since(0, 1_000).unwrap();
    send(laptop, desktop).unwrap();
    let forgotten = desktop.forget(&Selector::new().ids([said])).unwrap();
    assert_eq!(forgotten.count, 1);
    send(desktop, late).unwrap();
    let received = late.sharing().receive(&before.lines).unwrap();
    assert_eq!(received.refused, 1);
    settle(&stores);
    let is_known = |store: &Store| store.knowledge().entry(&entry).unwrap().is_some();
    assert!(stores.iter().all(is_known));
    assert_same_for_callers(&stores, "forgotten");
    assert_alike(&stores, "forgotten");
    let mut export = Vec::new();
    late.export_jsonl(&mut export, &crate::ExportFilter::Whole)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = Memory::open(folder.path()).unwrap();
    restored.restore_jsonl(&export[..]).unwrap();
    let report = restored.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let deleted = |store: &Memory| {
        let stats = store.stats().unwrap();
        (stats.last_seq, stats.forgotten, stats.erased)
    };
    assert_eq!(deleted(&restored), deleted(late));
    assert_eq!(
        desktop.erase(&Selector::new().ids([said])).unwrap().count,
        1
    );
    settle(&stores);
    assert!(!stores.iter().any(is_known));
    assert_same_for_callers(&stores, "erased");
    assert_alike(&stores, "erased");
    for store in &stores {
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        assert!(!is_known(store));
    }
}

#[test]
fn random_histories_end_alike() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let first = number("RECALLITE_TEST_SEED").unwrap_or(1);
    let count = number("RECALLITE_TEST_HISTORIES").unwrap_or(12);
    let mut declined = 0;
    for seed in first..first + count {
        let role = [MemberRole::Owner, MemberRole::Writer][(seed % 2) as usize];
        let is_declined = history(seed, 60, role);
        assert!(!is_declined || role == MemberRole::Writer, "seed {seed}");
        declined += u64::from(is_declined);
    }
    println!("{count} histories of 3 stores from seed {first} end alike but for {declined}");
    println!("in which a store declined an erasure");
    assert!(declined <= count / 4, "{declined} of {count}");
}

/// Whether a search finds a text literally.
fn finds(memory: &Memory, text: &str) -> bool {
    let found = memory.search(text).unwrap().items;
    found.iter().any(|hit| hit.passage.text.contains(text))
}

/// What a server that hides some projects returns: how far a store has come, and selected
/// lines of records.
fn selected(from: &Memory, is_given: impl Fn(&SharedRecord) -> bool) -> (String, u64) {
    let last = from.stats().unwrap().last_seq;
    let answer = from.sharing().changes_since(last, 0).unwrap();
    let mut batch = answer.lines;
    for line in from
        .sharing()
        .changes_since(0, 1_000)
        .unwrap()
        .lines
        .lines()
        .skip(1)
    {
        if is_given(&serde_json::from_str(line).unwrap()) {
            batch.push_str(line);
            batch.push('\n');
        }
    }
    (batch, last)
}

#[test]
fn selected_records_are_taken_without_the_others() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    for (project, text) in [("shop", "apples"), ("bank", "money"), ("shop", "pears")] {
        let event = prompt("s", text).project(project);
        sender.append(event).unwrap();
    }
    let (batch, last) = selected(sender, |record| record.project == "shop");
    let received = receiver
        .sharing()
        .receive_selected(&batch, 0, last)
        .unwrap();
    assert_eq!((received.records, received.through), (2, last));
    assert!(finds(receiver, "apples"));
    assert!(!finds(receiver, "money"));
    let again = receiver
        .sharing()
        .receive_selected(&batch, 0, last)
        .unwrap();
    assert_eq!((again.records, again.duplicates), (0, 2));
    // What is granted later, because rights changed, is requested from the beginning.
    let (all, last) = selected(sender, |_| true);
    receiver.sharing().receive_selected(&all, 0, last).unwrap();
    assert_eq!(
        receiver.sharing().shared_hash().unwrap(),
        sender.sharing().shared_hash().unwrap()
    );
}

#[test]
fn a_selection_says_no_more_than_its_store_signed() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    for text in ["one", "two", "three"] {
        sender.append(prompt("s", text)).unwrap();
    }
    let (batch, last) = selected(sender, |_| true);
    let refused = |batch: &str, since: u64, through: u64, argument: &str| {
        let error = receiver
            .sharing()
            .receive_selected(batch, since, through)
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
        assert_eq!(error.argument(), Some(argument), "{error}");
    };
    refused(&batch, 0, last + 1, "through");
    refused(&batch, last, 0, "through");
    refused(&batch, 0, last - 1, "batch");
    refused(&batch, 1, last, "batch");
    refused(&batch.replace("two", "tow"), 0, last, "batch");
    let whole = sender.sharing().changes_since(0, 1_000).unwrap().lines;
    refused(&whole, 0, last, "batch");
    // How far the store has come is signed too.
    let far = batch.replacen(&format!("\"through\":{last}"), "\"through\":900", 1);
    let far = far.replacen(&format!("\"from\":{last}"), "\"from\":900", 1);
    refused(&far, 0, 900, "batch");
    assert_eq!(receiver.stats().unwrap().events, 0);
    // A gap remains to be filled.
    let (rest, _) = selected(sender, |record| record.position > 1);
    let received = receiver.sharing().receive_selected(&rest, 1, last).unwrap();
    assert_eq!((received.records, received.through), (2, 0));
}

#[test]
fn the_retraction_mark_changes_with_whatever_must_leave() {
    let stores = stores(2, MemberRole::Owner);
    let (store, other) = (&stores[0], &stores[1]);
    let first = store.append(prompt("s", "one")).unwrap();
    let second = store.append(prompt("s", "two")).unwrap();
    let third = store.append(prompt("s", "three")).unwrap();
    send(store, other).unwrap();
    let mut seen = BTreeSet::new();
    let mut is_new = |what: &str| {
        let mark = store.sharing().retraction_mark().unwrap();
        assert!(seen.insert(mark), "{what}");
    };
    is_new("at the beginning");
    store.forget(&Selector::new().id(first.id)).unwrap();
    is_new("forgotten");
    store.erase(&Selector::new().id(first.id)).unwrap();
    is_new("what was forgotten is erased");
    store.erase(&Selector::new().id(second.id)).unwrap();
    is_new("erased");
    other.erase(&Selector::new().id(third.id)).unwrap();
    send(other, store).unwrap();
    is_new("hidden by another store's order");
    store.sharing().erase_ordered().unwrap();
    is_new("erased by another store's order");
    store.sharing().withhold(PauseScope::Session, "s").unwrap();
    is_new("withheld");
    let before = store.sharing().retraction_mark().unwrap();
    store.append(prompt("t", "four")).unwrap();
    assert_eq!(store.sharing().retraction_mark().unwrap(), before);
    let moved = |project: &str| SessionUpdate {
        project: Some(project.to_owned()),
        ..SessionUpdate::default()
    };
    store.update_session("t", moved("shop")).unwrap();
    is_new("a session was moved");
    send(store, other).unwrap();
    other.update_session("t", moved("bank")).unwrap();
    send(other, store).unwrap();
    is_new("another store moved it");
    let before = store.sharing().retraction_mark().unwrap();
    store.update_session("t", moved("bank")).unwrap();
    assert_eq!(store.sharing().retraction_mark().unwrap(), before);
}

#[test]
fn an_announcement_is_believed_when_its_store_signed_it() {
    let stores = stores(1, MemberRole::Owner);
    let sharing = stores[0].sharing();
    let text = sharing.announcement("laptop").unwrap();
    let read = sharing.read_announcement(&text).unwrap();
    assert_eq!(read.identity, sharing.identity().unwrap());
    assert_eq!(read.name, "laptop");
    for wrong in [
        text.replace("laptop", "server"),
        text.replace('{', "["),
        String::new(),
        "x".repeat(100_000),
    ] {
        let error = sharing.read_announcement(&wrong).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("announcement"), "{error}");
    }
}

#[test]
fn a_key_that_no_store_can_have_is_no_member() {
    let stores = stores(1, MemberRole::Owner);
    let one = format!("01{}", "00".repeat(31));
    for identity in ["00".repeat(32), one, "x".repeat(64), String::new()] {
        let added = stores[0]
            .sharing()
            .add_member(&identity, "m", MemberRole::Writer);
        let error = added.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{identity}");
        assert_eq!(error.argument(), Some("identity"), "{identity}");
    }
    assert!(stores[0].sharing().members().unwrap().is_empty());
}

#[test]
fn what_is_offered_again_reaches_those_who_were_already_further() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    sender
        .sharing()
        .withhold(PauseScope::Session, "diary")
        .unwrap();
    sender.append(prompt("diary", "apples")).unwrap();
    sender.append(prompt("work", "pears")).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    assert!(!finds(receiver, "apples"));
    sender
        .sharing()
        .offer(PauseScope::Session, "diary")
        .unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    assert!(finds(receiver, "apples"));
    // Once: a second pull reads no file again.
    let pulled = receiver.sharing().pull_folder(&folder).unwrap();
    assert_eq!((pulled.files, pulled.records), (0, 0));
    // Through batches: the next one says so, and asking from the watermark returns
    // everything.
    sender
        .sharing()
        .withhold(PauseScope::Session, "notes")
        .unwrap();
    sender.append(prompt("notes", "plums")).unwrap();
    send(sender, receiver).unwrap();
    sender
        .sharing()
        .offer(PauseScope::Session, "notes")
        .unwrap();
    assert_eq!(send(sender, receiver).unwrap().through, 0);
    send(sender, receiver).unwrap();
    assert!(finds(receiver, "plums"));
    assert_eq!(
        receiver.sharing().shared_hash().unwrap(),
        sender.sharing().shared_hash().unwrap()
    );
}

#[test]
fn what_a_moved_session_no_longer_withholds_reaches_those_who_were_already_further() {
    let stores = stores(3, MemberRole::Owner);
    let [sender, receiver, late] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let sharing = sender.sharing();
    sharing.withhold(PauseScope::Project, "secret").unwrap();
    sender
        .append(prompt("s", "apples").project("secret"))
        .unwrap();
    let entry = NewEntry {
        project: Some("shop".to_owned()),
        ..NewEntry::new(EntryType::Fact, "s", "zqgate", "The zqgate is green.")
    };
    sender.knowledge().add_entry(&entry).unwrap();
    sharing.push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    let known = |store: &Store| {
        let entries = store.knowledge().entries(&Default::default());
        entries.unwrap().len()
    };
    assert_eq!(known(receiver), 0);
    let moved = SessionUpdate {
        project: Some("shop".to_owned()),
        ..SessionUpdate::default()
    };
    sender.update_session("s", moved).unwrap();
    sharing.push_folder(&folder).unwrap();
    for store in [receiver, late] {
        store.sharing().pull_folder(&folder).unwrap();
        assert_eq!(known(store), 1);
    }
    let hash = |store: &Store| store.sharing().shared_hash().unwrap();
    assert_eq!(hash(receiver), hash(late));
}

#[test]
fn a_long_order_that_reaches_nothing_is_read_once_for_a_batch() {
    let stores = stores(3, MemberRole::Writer);
    let [author, thief, reader] = &stores[..] else {
        unreachable!()
    };
    let said: Vec<SharedRecord> = (1..=400)
        .map(|number| SharedRecord {
            position: number,
            stamp: 1,
            kind: "user_prompt".to_owned(),
            id: format!("01800000-0000-7000-8000-{number:012x}"),
            citation: "aaaaaa".to_owned(),
            origin: "user".to_owned(),
            session: "s".to_owned(),
            content: "word".to_owned(),
            ..SharedRecord::default()
        })
        .collect();
    let ranges: Vec<String> = (1..=20_000)
        .map(|at| format!("[{0},{0}]", 2 * at))
        .collect();
    let ranges = format!("[{}]", ranges.join(","));
    let orders = (900..904)
        .map(|position| trust::erasure_of(position, &trust::key_of(author), &ranges))
        .collect();
    let orders = trust::signed_by(thief, BatchHeader::default(), orders);
    let said = trust::signed_by(author, BatchHeader::default(), said);
    reader.sharing().receive(&orders).unwrap();
    let before = crate::store::shared::reach::orders_read();
    assert_eq!(reader.sharing().receive(&said).unwrap().records, 400);
    assert_eq!(crate::store::shared::reach::orders_read() - before, 4);
}

#[test]
fn a_file_that_is_being_written_again_stops_no_pull() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    sender.append(prompt("s", "apples")).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    let store_folder = folder
        .path()
        .join("recallite-share")
        .join(sender.sharing().identity().unwrap());
    let files = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(&store_folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.to_string_lossy().matches('-').count() > 2)
            .collect()
    };
    let whole = files();
    // The state between writing the new file and removing the old one.
    let name = whole[0].file_name().unwrap().to_str().unwrap();
    let (range, _) = name.rsplit_once('-').unwrap();
    let old = store_folder.join(format!("{range}-{}.jsonl", "0".repeat(32)));
    std::fs::write(&old, [0; 300]).unwrap();
    assert_eq!(receiver.sharing().pull_folder(&folder).unwrap().records, 1);
    assert!(finds(receiver, "apples"));
    // On its own it is damage, and reported.
    let third = self::stores(1, MemberRole::Owner);
    let identity = sender.sharing().identity().unwrap();
    let sharing = third[0].sharing();
    sharing
        .add_member(&identity, "m", MemberRole::Owner)
        .unwrap();
    std::fs::remove_file(&whole[0]).unwrap();
    let error = sharing.pull_folder(&folder).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    // The next push writes what is missing.
    sender.sharing().push_folder(&folder).unwrap();
    assert_eq!(files(), whole);
    assert_eq!(sharing.pull_folder(&folder).unwrap().records, 1);
}

#[test]
fn files_that_somebody_took_away_are_written_again() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    let mut listed = Vec::new();
    for text in ["apples", "pears", "plums"] {
        sender.append(prompt("s", text)).unwrap();
        sender.sharing().push_folder(&folder).unwrap();
        let store_folder = folder.path().join("recallite-share");
        let store_folder = store_folder.join(sender.sharing().identity().unwrap());
        listed = std::fs::read_dir(store_folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().matches('-').count() > 2)
            .collect::<Vec<_>>();
        listed.sort();
    }
    assert_eq!(listed.len(), 3);
    std::fs::remove_file(&listed[1]).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    assert_eq!(receiver.sharing().pull_folder(&folder).unwrap().records, 3);
    for text in ["apples", "pears", "plums"] {
        assert!(finds(receiver, text));
    }
}
