//! Tests of stores that share: what each step promises, and that random histories converge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

mod about;
mod batches;
mod conflicts;
mod dependents;
mod folder;
mod hash;
mod histories;
mod late;
mod members;
mod merging;
mod orders;
mod renewed;
mod selected;
mod stamps;
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
use crate::projection::pauses::ScopeKind;
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
        let batch = other.sharing().batch_since(0, 1_000).unwrap();
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
    let batch = from.sharing().batch_since(position, 1_000)?;
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
        let whole = store.upkeep().export_jsonl_to(std::io::sink(), None);
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
    let again = laptop.sharing().batch_since(0, 10).unwrap();
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
    let back = desktop.sharing().batch_since(0, 10).unwrap();
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

/// Whether a search finds a text literally.
fn finds(memory: &Memory, text: &str) -> bool {
    let found = memory.search(text).unwrap().items;
    found.iter().any(|hit| hit.passage.text.contains(text))
}
