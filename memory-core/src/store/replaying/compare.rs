//! Verifies a store: the log against its own chain, and every derived table against the
//! same table rebuilt from the log.

use crate::model::error::{Error, Result};
use crate::store::ReadTx;
use crate::store::database::checked::{ReadOnlyTable, ReadableTable};
use crate::store::database::panics::{WAY_OUT, catch_panic};
use crate::store::generations::fail_points::fail_point;
use crate::store::log::record::{CHAIN_START, RecordView};
use crate::store::projected_rows::row_digest;
use crate::store::replaying::difference::{Difference, TableRow, differing};
use crate::store::running::Running;
use crate::store::tables;

impl ReadTx {
    /// The first record that is missing, damaged or not in the chain.
    pub(crate) fn check_log(&self) -> Result<Option<Difference>> {
        fail_point("check the log")?;
        let state = self.state()?;
        let (mut next, mut checksum) = (1, CHAIN_START);
        for entry in self.log()?.iter()? {
            let (seq, bytes) = entry?;
            let seq = seq.value();
            let at = |problem: String| Ok(Some(Difference::new("events", Some(next), problem)));
            if seq != next {
                return at(format!("record {next} is missing; the next one is {seq}"));
            }
            let view = match RecordView::new(seq, bytes.value()) {
                Ok(view) => view,
                Err(error) => return at(problem(&error).to_owned()),
            };
            if !view.continues(&checksum) {
                return at("its checksum does not continue the chain".to_owned());
            }
            if let Err(error) = view.to_event() {
                return at(problem(&error).to_owned());
            }
            (next, checksum) = (next + 1, view.checksum());
            self.running.count_units(1)?;
        }
        if state.last_seq + 1 != next {
            return Ok(Some(Difference::new(
                "events",
                Some(next),
                format!(
                    "the log ends at {} but {} records were acknowledged",
                    next - 1,
                    state.last_seq
                ),
            )));
        }
        if state.last_checksum != checksum {
            return Ok(Some(Difference::new(
                "events",
                Some(state.last_seq),
                "the last record is not the one that was acknowledged",
            )));
        }
        Ok(None)
    }

    /// The first row of a derived table or of a fold that differs from `expected`, which
    /// was rebuilt from the same log.
    pub(crate) fn compare(&self, expected: &ReadTx) -> Result<Option<Difference>> {
        catch_panic(|| {
            macro_rules! compare {
                ($name:ident, projection, $erasure:ident) => {
                    let found = self.transaction.open_table(tables::$name)?;
                    let right = expected.transaction.open_table(tables::$name)?;
                    let name = stringify!($name).to_lowercase();
                    if let Some(difference) = compare_tables(&name, &found, &right, &self.running)?
                    {
                        return Ok(Some(difference));
                    }
                };
                ($name:ident, $role:ident, $erasure:ident) => {};
            }
            tables::every_table!(compare);
            if let Some(difference) = row_digest::compare(self, expected)? {
                return Ok(Some(difference));
            }
            let (found, right) = (self.state()?.of_the_log(), expected.state()?.of_the_log());
            if found != right {
                let figures = [
                    ("last_seq", found.last_seq, right.last_seq),
                    ("live_events", found.live_events, right.live_events),
                    (
                        "forgotten_events",
                        found.forgotten_events,
                        right.forgotten_events,
                    ),
                    ("erased_events", found.erased_events, right.erased_events),
                    ("payload_bytes", found.payload_bytes, right.payload_bytes),
                    ("log_bytes", found.log_bytes, right.log_bytes),
                ];
                let problem = figures
                    .iter()
                    .find(|(_, found, right)| found != right)
                    .map_or_else(
                        || "a counter differs from the log".to_owned(),
                        |(name, found, right)| format!("{name} is {found}; the log gives {right}"),
                    );
                return Ok(Some(Difference::new("state", None, problem)));
            }
            Ok(None)
        })
    }

    /// Reads what is known of other stores, which can be neither compared nor derived.
    ///
    /// # Errors
    /// `corrupt` if it cannot be read completely.
    pub(crate) fn check_sharing(&self) -> Result<()> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            table.iter()?.try_for_each(|row| row.map(drop))
        })
    }

    /// Reads the tables that cannot be compared with anything, and returns the first that
    /// cannot be read completely.
    pub(crate) fn check_work(&self) -> Result<Option<Difference>> {
        macro_rules! read {
            ($name:ident, work, $erasure:ident) => {
                let rows = catch_panic(|| {
                    let table = self.transaction.open_table(tables::$name)?;
                    table.iter()?.try_for_each(|row| {
                        row.map(drop)
                            .map_err(Error::from)
                            .and_then(|()| self.running.tick())
                    })
                });
                if let Err(error) = rows {
                    return finding(&stringify!($name).to_lowercase(), error).map(Some);
                }
            };
            ($name:ident, $role:ident, $erasure:ident) => {};
        }
        tables::every_table!(read);
        Ok(None)
    }

    /// The positions of live conversation events, in order: what search can find.
    pub(crate) fn searchable_seqs(&self) -> Result<Vec<u64>> {
        catch_panic(|| {
            let mut seqs = Vec::new();
            for kind in 1..=4u32 {
                let first = tables::facet_key(tables::Facet::Kind, kind, &[0; 16]);
                let last = tables::facet_key(tables::Facet::Kind, kind, &[0xff; 16]);
                let table = self.transaction.open_table(tables::BY_FACET)?;
                for entry in table.range(first.as_slice()..=last.as_slice())? {
                    seqs.push(tables::seq_of(entry?.0.value()));
                }
            }
            seqs.sort_unstable();
            Ok(seqs)
        })
    }
}

fn compare_tables<K, V>(
    name: &str,
    found: &ReadOnlyTable<K, V>,
    right: &ReadOnlyTable<K, V>,
    running: &Running,
) -> Result<Option<Difference>>
where
    K: redb::Key + 'static,
    V: redb::Value + 'static,
{
    let (mut found, mut right) = (found.iter()?, right.iter()?);
    loop {
        let (mine, wanted) = (found.next().transpose()?, right.next().transpose()?);
        match (&mine, &wanted) {
            (None, None) => return Ok(None),
            (Some((key, value)), Some((wanted_key, wanted_value)))
                if K::as_bytes(&key.value()).as_ref()
                    == K::as_bytes(&wanted_key.value()).as_ref()
                    && V::as_bytes(&value.value()).as_ref()
                        == V::as_bytes(&wanted_value.value()).as_ref() =>
            {
                running.tick()?;
                continue;
            }
            _ => {}
        }
        let bytes = |entry: &(redb::AccessGuard<'_, K>, redb::AccessGuard<'_, V>)| {
            let key = K::as_bytes(&entry.0.value()).as_ref().to_vec();
            let value = V::as_bytes(&entry.1.value()).as_ref().to_vec();
            (key, value)
        };
        let (mine, wanted) = (mine.as_ref().map(bytes), wanted.as_ref().map(bytes));
        let (row, problem) = differing(mine, wanted);
        return Ok(Some(Difference::new(name, row_seq(name, &row), problem)));
    }
}

/// The event that a row is about, if the row says so.
fn row_seq(table: &str, (key, value): &TableRow) -> Option<u64> {
    let little = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
    match table {
        "by_time" | "by_facet" | "session_events" | "forgotten" => Some(tables::seq_of(key)),
        "event_ids" | "citations" | "dedupe" | "session_turns" => little(value),
        "tombstones" => little(key),
        _ => None,
    }
}

/// What an error found by a check says, without the advice to run a check.
fn problem(error: &Error) -> &str {
    let message = error.message();
    let found = message.strip_suffix(WAY_OUT);
    found.map_or(message, |found| found.trim_end_matches("; "))
}

/// Turns an error about damaged bytes into a finding.
pub(crate) fn finding(place: &str, error: Error) -> Result<Difference> {
    use crate::model::error::ErrorCode;
    match error.code() {
        ErrorCode::Corrupt | ErrorCode::NewerFormat | ErrorCode::InvalidArgument => {
            Ok(Difference::new(place, None, problem(&error)))
        }
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Memory;
    use crate::model::error::ErrorCode;
    use crate::model::event::{EventKind, NewEvent};
    use crate::model::time::Timestamp;
    use crate::store::WriteTx;
    use crate::store::database::checked::ReadableTable;
    use crate::store::index_tables::usage::EventUse;
    use crate::store::replaying::compare::tables;
    use crate::upkeep::select::Selector;

    fn filled(folder: &std::path::Path) -> Memory {
        let memory = Memory::open(folder).expect("a sound store");
        for part in 0..3 {
            let mut events: Vec<NewEvent> = (0..150)
                .map(|number| {
                    let text = format!("event {part} {number} 결제 timeout");
                    NewEvent::new(EventKind::UserPrompt, format!("s{}", number % 3), text)
                        .project("shop")
                })
                .collect();
            // The last event stays in the memtable.
            let last = events.split_off(149);
            for events in [events, last] {
                memory.append_batch(events).expect("a sound store");
            }
        }
        let gone = Selector::new().ids((1..9).map(crate::model::ids::Seq));
        memory.forget(&gone).expect("a sound store");
        memory
    }

    /// Damages a store and says where check must find it, for which event.
    fn breaks(place: &str, seq: Option<u64>, harm: impl FnOnce(&mut WriteTx<'_>)) {
        let folder = tempfile::tempdir().expect("a sound store");
        let memory = filled(folder.path());
        assert!(memory.check().expect("a sound store").ok);
        memory
            .engine
            .store
            .write(|tx| {
                harm(tx);
                Ok(())
            })
            .expect("a sound store");
        let report = memory.check().expect("a sound store");
        let found = report.first_divergence.expect("the damage is found");
        assert_eq!(
            (report.ok, found.place.as_str()),
            (false, place),
            "{found:?}"
        );
        assert_eq!(found.seq.map(|seq| seq.0), seq, "{found:?}");
        let as_of = Timestamp::from_millis_clamped(0);
        if place == "events" {
            // The log cannot be rebuilt, so rebuilding must not claim success.
            let gone = Selector::everything();
            for error in [
                memory.rebuild(as_of).expect_err("a damaged log"),
                memory.compact().expect_err("a damaged log"),
                memory.erase(&gone).expect_err("a damaged log"),
            ] {
                assert_eq!(error.code(), ErrorCode::Corrupt, "{error}");
            }
            assert!(!memory.check().expect("a sound store").ok);
        } else {
            memory.rebuild(as_of).expect("a sound store");
            let report = memory.check().expect("a sound store");
            assert!(report.ok, "{:?}", report.first_divergence);
        }
    }

    #[test]
    fn damage_to_each_derived_table_is_named_and_a_rebuild_heals_it() {
        breaks("event_ids", Some(20), |tx| {
            let mut table = tx.transaction.open_table(tables::EVENT_IDS).unwrap();
            table.retain(|_, seq| seq != 20).unwrap();
        });
        breaks("citations", Some(20), |tx| {
            let mut table = tx.transaction.open_table(tables::CITATIONS).unwrap();
            table.retain(|_, seq| seq != 20).unwrap();
        });
        breaks("dedupe", Some(20), |tx| {
            let mut table = tx.transaction.open_table(tables::DEDUPE).unwrap();
            table.retain(|_, seq| seq != 20).unwrap();
        });
        breaks("by_time", Some(30), |tx| {
            let mut table = tx.transaction.open_table(tables::BY_TIME).unwrap();
            table.retain(|key, ()| tables::seq_of(key) != 30).unwrap();
        });
        breaks("by_facet", Some(30), |tx| {
            let mut table = tx.transaction.open_table(tables::BY_FACET).unwrap();
            table.retain(|key, ()| tables::seq_of(key) != 30).unwrap();
        });
        breaks("session_events", Some(31), |tx| {
            let mut table = tx.transaction.open_table(tables::SESSION_EVENTS).unwrap();
            table.retain(|key, ()| tables::seq_of(key) != 31).unwrap();
        });
        breaks("forgotten", Some(5), |tx| {
            let mut table = tx.transaction.open_table(tables::FORGOTTEN).unwrap();
            table.retain(|key, ()| tables::seq_of(key) != 5).unwrap();
        });
        breaks("session_turns", Some(31), |tx| {
            let mut table = tx.transaction.open_table(tables::SESSION_TURNS).unwrap();
            table.retain(|_, seq| seq != 31).unwrap();
        });
        breaks("sessions", None, |tx| {
            let mut table = tx.transaction.open_table(tables::SESSIONS).unwrap();
            table.retain(|number, _| number != 2).unwrap();
        });
        breaks("project_sessions", None, |tx| {
            let mut table = tx.transaction.open_table(tables::PROJECT_SESSIONS).unwrap();
            table.retain(|key, ()| key.last() != Some(&2)).unwrap();
        });
        breaks("file_trigrams", None, |tx| {
            let mut table = tx.transaction.open_table(tables::FILE_TRIGRAMS).unwrap();
            let key = tables::file_trigram_key(*b"abc", 1);
            table.insert(key.as_slice(), ()).unwrap();
        });
        breaks("names", None, |tx| {
            let mut table = tx.transaction.open_table(tables::NAMES).unwrap();
            table.insert(b"\x02shop".as_slice(), 9).unwrap();
        });
        breaks("citation_totals", Some(20), |tx| {
            for injection in [30, 31] {
                let usage = EventUse {
                    injection,
                    at_ms: 5,
                    session: 1,
                };
                tx.put_usage(20, &usage).unwrap();
            }
            let mut table = tx.transaction.open_table(tables::CITATION_RANKS).unwrap();
            let key = tables::citation_rank_key(2, 5, 20);
            assert!(table.remove(key.as_slice()).unwrap().is_some());
        });
        breaks("citation_totals", None, |tx| {
            let mut table = tx.transaction.open_table(tables::CITATION_TOTALS).unwrap();
            table.insert(21, [0; 16].as_slice()).unwrap();
        });
        breaks("state", None, |tx| tx.state.live_events += 1);
        breaks("lexical", Some(450), |tx| {
            let mut table = tx.transaction.open_table(tables::LEXICAL_MEMTABLE).unwrap();
            table.remove(450).unwrap();
        });
        breaks("lexical", None, |tx| {
            let mut table = tx.transaction.open_table(tables::LEXICAL_BLOCKS).unwrap();
            let (key, mut block) = {
                let last = table.last().unwrap().unwrap();
                (last.0.value().to_vec(), last.1.value().to_vec())
            };
            block[9] ^= 1;
            table.insert(key.as_slice(), block.as_slice()).unwrap();
        });
    }

    #[test]
    fn damage_to_the_log_is_named_with_its_record() {
        breaks("events", Some(40), |tx| {
            let mut table = tx.transaction.open_table(tables::EVENTS).unwrap();
            let mut bytes = table.get(40).unwrap().unwrap().value().to_vec();
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            table.insert(40, bytes.as_slice()).unwrap();
        });
        breaks("events", Some(50), |tx| {
            let mut table = tx.transaction.open_table(tables::EVENTS).unwrap();
            table.remove(50).unwrap();
        });
        breaks("events", Some(451), |tx| {
            let mut table = tx.transaction.open_table(tables::EVENTS).unwrap();
            table.remove(451).unwrap();
        });
        breaks("events", Some(60), |tx| {
            // Two records swap places: each is intact, the chain is not.
            let mut table = tx.transaction.open_table(tables::EVENTS).unwrap();
            let one = table.get(60).unwrap().unwrap().value().to_vec();
            let other = table.get(61).unwrap().unwrap().value().to_vec();
            table.insert(60, other.as_slice()).unwrap();
            table.insert(61, one.as_slice()).unwrap();
        });
    }
}
