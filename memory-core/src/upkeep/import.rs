//! Imports the events of an export into a store that is in use.
//!
//! The export is read to its end before anything is stored, so that one that is truncated
//! or contains events that would be refused changes nothing. Then its events are stored in
//! batches: others can write in between, and only one batch is in memory.

use std::io::BufRead;
use std::time::Instant;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::NewEvent;
use crate::model::ids::EventId;
use crate::projection;
use crate::projection::usage::fold_appended;
use crate::rules::batch_size::BatchSize;
use crate::store::log::append::Draft;
use crate::store::log::spool::SpooledLines;
use crate::store::running::Running;
use crate::upkeep::export::read_export;
use crate::upkeep::jsonl::{EventLine, wrong};
use crate::write::prepare;
use crate::write::skip::{paused_now, skipped};

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The number of events that were stored.
    pub events: u64,
    /// The number of events that were already here, or were here and have been forgotten.
    pub duplicates: u64,
    /// The number of lines that an import leaves out: events that the export lists as forgotten
    /// or erased, what the library had recorded itself, and what this memory does not store
    /// because it is paused or excluded.
    pub skipped: u64,
    /// How many of the skipped lines are events that this memory does not store because it is
    /// paused or excluded.
    pub unwanted: u64,
    /// Warnings about the store, for example that it is almost full.
    pub warnings: Vec<String>,
}

/// Events that are prepared together, in several threads.
const PREPARED_EVENTS: usize = 512;
const PREPARED_BYTES: usize = 4 << 20;

/// A batch ends after so much text, however few events that is.
const BATCH_BYTES: usize = 512 << 10;

/// [`Upkeep::import_jsonl_from`](crate::Upkeep::import_jsonl_from).
pub(crate) fn import_jsonl(
    engine: &Engine,
    reader: impl BufRead,
    running: &Running,
) -> Result<Imported> {
    let mut import = Import::begin(engine, reader, running)?;
    while import.step()? {}
    engine.logger.info(Target::Upkeep, || {
        format!("imported {}", counted(import.imported.events, "event"))
    });
    Ok(import.imported)
}

/// The event of a line and its original id; `None` for what an import leaves out.
fn to_import(number: u64, line: &EventLine) -> Result<Option<(EventId, NewEvent)>> {
    let Some(event) = line.to_new_event(number)? else {
        return Ok(None);
    };
    let id = line.id.parse();
    let id = id.map_err(|_| wrong(number, "id is not an event id"))?;
    Ok(Some((id, event)))
}

/// The error shown for a refused event.
fn at_line(number: u64, error: Error) -> Error {
    match error.code() {
        ErrorCode::InvalidArgument => wrong(number, error.message()),
        _ => error,
    }
}

/// How many drafts fit in a batch: at most so many, and none after [`BATCH_BYTES`] is
/// reached.
fn slice_of(drafts: &[Draft], most: usize) -> usize {
    let mut bytes = 0;
    let is_within = |draft: &&Draft| {
        let is_within = bytes < BATCH_BYTES;
        bytes += draft.event.text_len();
        is_within
    };
    drafts.iter().take(most).take_while(is_within).count()
}

/// An import whose export has been read completely.
struct Import<'a> {
    engine: &'a Engine,
    running: &'a Running,
    lines: SpooledLines,
    batch_size: BatchSize,
    imported: Imported,
}

impl<'a> Import<'a> {
    /// Reads and validates an export.
    fn begin(
        engine: &'a Engine,
        mut reader: impl BufRead,
        running: &'a Running,
    ) -> Result<Import<'a>> {
        let mut spool = engine.store.spool()?;
        let (mut skipped, mut lines) = (0, 0);
        read_export(
            &mut reader,
            |_| Ok(()),
            |number, text, line| {
                match to_import(number, &line)? {
                    None => skipped += 1,
                    Some((_, event)) => {
                        lines += 1;
                        prepare::check(engine, event).map_err(|error| at_line(number, error))?;
                        spool.put(number, text)?;
                    }
                }
                running.count_units(1)
            },
        )?;
        running.set_total(lines);
        Ok(Import {
            engine,
            running,
            lines: spool.into_lines()?,
            batch_size: BatchSize::up_to(PREPARED_EVENTS),
            imported: Imported {
                skipped,
                ..Imported::default()
            },
        })
    }

    /// Prepares and stores the next events. False if none were left.
    fn step(&mut self) -> Result<bool> {
        let (events, is_end) = self.next_events()?;
        // The store grows as it is read, so only the last warning is true.
        self.imported.warnings = self.engine.check_space()?.into_iter().collect();
        let reasons = skipped(self.engine, &events)?;
        let wanted = events.into_iter().zip(&reasons);
        let wanted = wanted.filter(|(_, reason)| reason.is_none());
        let events: Vec<NewEvent> = wanted.map(|(event, _)| event).collect();
        self.leave_out(reasons.iter().flatten().count() as u64);
        let mut rest = prepare::prepare(self.engine, events)?.into_iter();
        while !rest.as_slice().is_empty() {
            let events = slice_of(rest.as_slice(), self.batch_size.events());
            self.store(rest.by_ref().take(events).collect())?;
            self.running.count_units(events as u64)?;
        }
        Ok(!is_end)
    }

    /// The next events that did not originate in this store, and whether the lines ended.
    fn next_events(&mut self) -> Result<(Vec<NewEvent>, bool)> {
        let read = self.engine.store.read()?;
        let (mut events, mut bytes) = (Vec::new(), 0);
        while events.len() < PREPARED_EVENTS && bytes < PREPARED_BYTES {
            let Some((number, text)) = self.lines.next()? else {
                return Ok((events, true));
            };
            bytes += text.len();
            let line: EventLine =
                serde_json::from_str(&text).map_err(|_| wrong(number, "is not an event"))?;
            if let Some((id, event)) = to_import(number, &line)? {
                match read.seq_of(&id.into())? {
                    Some(_) => {
                        self.imported.duplicates += 1;
                        self.running.count_row()?;
                    }
                    None => events.push(event),
                }
            }
        }
        Ok((events, false))
    }

    /// Counts events that this memory does not want.
    fn leave_out(&mut self, events: u64) {
        self.imported.skipped += events;
        self.imported.unwanted += events;
    }

    fn store(&mut self, mut drafts: Vec<Draft>) -> Result<()> {
        let before = drafts.len() as u64;
        let lexical = &self.engine.lexical;
        let (receipts, is_flushed, took) = self.engine.store.write(|tx| {
            let begun = Instant::now();
            tx.citation_length = self.engine.tuning.citation_length;
            let paused = paused_now(tx, &drafts)?;
            let mut is_kept = paused.iter().map(Option::is_none);
            drafts.retain(|_| is_kept.next().unwrap_or(true));
            let receipts = projection::append(tx, &drafts)?;
            fold_appended(tx, &drafts, &receipts)?;
            let is_flushed = lexical.flush_if_long(tx)?;
            self.engine.learned_index.flush_if_long(tx)?;
            Ok((receipts, is_flushed, begun.elapsed()))
        })?;
        self.batch_size.took(took);
        let stored = receipts.iter().filter(|r| !r.duplicate).count() as u64;
        self.imported.events += stored;
        self.imported.duplicates += receipts.len() as u64 - stored;
        self.leave_out(before - receipts.len() as u64);
        if is_flushed {
            lexical.merge_after_import(&self.engine.store);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::model::event::EventKind;

    const EVENTS: u64 = 1_300;

    fn open() -> (tempfile::TempDir, Memory) {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        (folder, memory)
    }

    fn prompt(content: impl Into<String>) -> NewEvent {
        NewEvent::new(EventKind::UserPrompt, "s", content)
    }

    fn export() -> Vec<u8> {
        let (_folder, memory) = open();
        let prompts = (0..EVENTS).map(|number| prompt(format!("the number is {number}")));
        memory.append_batch(prompts.collect()).unwrap();
        let mut lines = Vec::new();
        memory.upkeep().export_jsonl_to(&mut lines, None).unwrap();
        lines
    }

    #[test]
    fn a_slice_ends_with_the_event_that_fills_it() {
        let (_folder, memory) = open();
        let engine = memory.enter().unwrap();
        let batch_size = |lengths: &[usize], most| {
            let prompts = lengths.iter().map(|length| prompt("a ".repeat(length / 2)));
            slice_of(&prepare::prepare(engine, prompts.collect()).unwrap(), most)
        };
        assert_eq!(batch_size(&[10; 5], 3), 3);
        assert_eq!(batch_size(&[10; 5], 9), 5);
        assert_eq!(batch_size(&[2 * BATCH_BYTES, 10], 9), 1);
        assert_eq!(batch_size(&[BATCH_BYTES / 2 + 2; 5], 9), 2);
    }

    #[test]
    fn a_store_that_is_almost_full_warns_as_an_append_does() {
        let lines = export();
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder()
            .quota_bytes(1)
            .open(folder.path())
            .unwrap();
        let imported = memory.upkeep().import_jsonl_from(&lines[..]).unwrap();
        assert_eq!(imported.events, EVENTS);
        assert_eq!(imported.warnings.len(), 1, "{:?}", imported.warnings);
        assert!(
            imported.warnings[0].contains("quota"),
            "{:?}",
            imported.warnings
        );
        let (_folder, roomy) = open();
        assert!(
            roomy
                .upkeep()
                .import_jsonl_from(&lines[..])
                .unwrap()
                .warnings
                .is_empty()
        );
    }

    #[test]
    fn a_pause_stops_what_was_prepared_before_it() {
        let lines = export();
        let (_folder, memory) = open();
        let (engine, running) = (memory.enter().unwrap(), Running::default());
        let mut import = Import::begin(engine, &lines[..], &running).unwrap();
        let drafts = prepare::prepare(engine, vec![prompt("one"), prompt("two")]).unwrap();
        let session = crate::ScopeKind::Session;
        assert!(memory.pauses().pause(session, "s").unwrap());
        import.store(drafts).unwrap();
        assert_eq!((import.imported.events, import.imported.skipped), (0, 2));
        assert_eq!(import.imported.unwanted, 2);
        assert_eq!(memory.stats().unwrap().prompts, 0);
    }

    #[test]
    fn others_write_between_two_slices_and_what_was_stored_is_not_stored_again() {
        let lines = export();
        let (_folder, memory) = open();
        let running = Running::default();
        let mut import = Import::begin(memory.enter().unwrap(), &lines[..], &running).unwrap();
        assert_eq!(memory.stats().unwrap().last_seq, 0);
        assert!(import.step().unwrap());
        let stored = import.imported.events;
        assert!(0 < stored && stored < EVENTS, "{stored}");
        let between = memory.append(prompt("by somebody else")).unwrap();
        assert_eq!(between.seq.0, stored + 1);
        // As if the process had ended here.
        drop(import);

        let imported = memory.upkeep().import_jsonl_from(&lines[..]).unwrap();
        let expected = (EVENTS - stored, stored);
        assert_eq!((imported.events, imported.duplicates), expected);
        assert_eq!(memory.stats().unwrap().prompts, EVENTS + 1);
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
    }
}
