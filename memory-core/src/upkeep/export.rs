//! Moving a store: exporting it as JSON Lines and restoring it, and backing up a store that
//! is in use.

use std::io::{BufRead, Read as _, Write};
use std::path::{Component, Path};
use std::time::Duration;

use serde::Serialize;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::engine::options::Settings;
use crate::model::error::{Error, ErrorCode, Result, about_file, unless_damaged};
use crate::model::hex::hex;
use crate::model::setters::setters;
use crate::model::shorten::place;
use crate::projection;
use crate::projection::usage::refold_usage;
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::folder::{Folder, PartialFolder, create_private};
use crate::store::generations::generation::Fill;
use crate::store::index_tables::word_files::FilesLock;
use crate::store::log::record::{CHAIN_START, RecordView};
use crate::store::replaying::replay::{Log, Source};
use crate::store::running::Running;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::{ReadTx, State, WriteTx};
use crate::upkeep::TURN_WAIT;
use crate::upkeep::check;
use crate::upkeep::jsonl::{End, EventLine, Header, VERSION, unhex, wrong};
use crate::upkeep::replay::WithSearch;
use crate::upkeep::select;
use crate::upkeep::select::Selector;
use crate::upkeep::words;
use crate::write::prepare::CONTENT_LIMIT;

/// What an export to a file holds, and whether it takes the place of an older one.
///
/// ```
/// # use recallite::{ExportOptions, Memory};
/// # let folder = tempfile::tempdir()?;
/// # let memory = Memory::open(folder.path().join("store"))?;
/// # let path = folder.path().join("export.jsonl");
/// let nightly = ExportOptions::new().replace(true);
/// memory.export_jsonl(&path, &nightly)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportOptions {
    /// The live events to export; of what the library itself recorded (tasks, edges, sessions)
    /// only what the selector names by id or kind. Such a file can be imported but not restored.
    /// Default: the whole log, which can be restored byte for byte.
    pub selector: Option<Selector>,
    /// Whether to replace an existing file once the export is complete. Default: false.
    pub replace: bool,
}

impl ExportOptions {
    /// The whole log, in a new file.
    pub fn new() -> Self {
        ExportOptions::default()
    }

    setters! {
        /// Exports only the events that a selector matches.
        selector: some Selector;
        /// Sets whether an existing file is replaced.
        replace: bool;
    }
}

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The number of events.
    pub events: u64,
    /// The size of the export, in bytes.
    pub bytes: u64,
}

/// The error for an export that is truncated or contradicts itself.
fn cut(problem: &str) -> Error {
    Error::invalid(
        "reader",
        format_args!("{problem}; the export is truncated or damaged, and nothing was stored"),
    )
}

/// The error for an export without what cannot be read; `is_kept` says whether the rest was written.
pub(super) fn incomplete(missing: &Missing, events: u64, is_kept: bool) -> Error {
    let lost = missing.records;
    if lost == 0 {
        let problem = match is_kept {
            true => {
                "every record was written, but what is withheld from other stores cannot be read: \
                 withhold it again in the restored store, before it joins others"
            }
            false => {
                "what is withheld from other stores cannot be read, so the older export was not \
                 replaced; export to a new file to save every record"
            }
        };
        return Error::new(ErrorCode::Corrupt, problem);
    }
    let problem = match (events, is_kept) {
        (0, _) => format!("none of the {lost} records can be read; restore a backup"),
        (_, true) => format!(
            "{lost} records cannot be read; the other {events} were written, and import_jsonl() \
             adds them to a new store. If there is a backup, restore it instead"
        ),
        (_, false) => format!(
            "{lost} records cannot be read, so the older export was not replaced; export to a \
             new file to save the other {events}"
        ),
    };
    Error::new(ErrorCode::Corrupt, problem)
}

/// The longest line of any event: each byte of its content may take six (`\u001b`).
const LINE_LIMIT: u64 = 7 * CONTENT_LIMIT as u64;

fn read_line(reader: &mut impl BufRead, limit: u64, number: &mut u64) -> Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(limit).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    *number += 1;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == limit {
        return Err(wrong(*number, "is longer than the largest possible event"));
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| wrong(*number, "is not UTF-8"))
}

/// Reads an export: the header, then each event, then the end, which must match what came before.
/// Each event is passed to the visitor with its line number, its text and its parsed line.
pub(super) fn read_export(
    reader: &mut impl BufRead,
    mut begin: impl FnMut(&Header) -> Result<()>,
    mut visit: impl FnMut(u64, &str, EventLine) -> Result<()>,
) -> Result<End> {
    let mut number = 0;
    let header: Header = read_line(reader, LINE_LIMIT, &mut number)?
        .and_then(|line| serde_json::from_str(&line).ok())
        .ok_or_else(|| Error::invalid("reader", "does not begin with the header of an export"))?;
    if header.recallite > VERSION {
        return Err(Error::new(
            ErrorCode::NewerFormat,
            format!(
                "the export has version {}, this library reads up to {VERSION}; update the library",
                header.recallite
            ),
        ));
    }
    if header.recallite < VERSION {
        return Err(Error::new(
            ErrorCode::Unsupported,
            format!(
                "the export has version {}, of a build from before the first release, which no \
                 release reads; read it with the build that wrote it",
                header.recallite
            ),
        )
        .with_argument("reader"));
    }
    begin(&header)?;
    let mut events = 0;
    while let Some(line) = read_line(reader, LINE_LIMIT, &mut number)? {
        if line.starts_with("{\"end\"") {
            let end: End =
                serde_json::from_str(&line).map_err(|_| cut("its last line is incomplete"))?;
            if end.events != events {
                return Err(cut("its last line states another number of events"));
            }
            // Of two exports in one file, the second one would be lost without a word.
            while let Some(line) = read_line(reader, LINE_LIMIT, &mut number)? {
                if !line.trim().is_empty() {
                    return Err(Error::invalid(
                        "reader",
                        format_args!(
                            "line {number} follows the last line of the export; put each export \
                             into a file of its own. Nothing was stored"
                        ),
                    ));
                }
            }
            return Ok(end);
        }
        let event: EventLine = serde_json::from_str(&line)
            .map_err(|_| cut(&format!("line {number} is not an event")))?;
        events += 1;
        visit(number, &line, event)?;
    }
    Err(cut("its last line is missing"))
}

fn check_empty(store: &ReadTx) -> Result<()> {
    match store.state()?.last_seq {
        0 => Ok(()),
        _ => Err(Error::new(
            ErrorCode::AlreadyExists,
            "the store contains events; restore into an empty folder, or use import_jsonl() to merge",
        )),
    }
}

/// The store that a whole export describes.
struct FromExport<'a, R> {
    engine: &'a Engine,
    /// `None` once it has been read.
    reader: Option<R>,
    /// The lock for writing segment files.
    turn: FilesLock,
}

impl<R: BufRead> Fill for FromExport<'_, R> {
    /// The last position of the log.
    type Made = u64;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        check_empty(old)?;
        let mut reader = self.reader.take().ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "the store was written to while it was restored; try again",
            )
        })?;
        // Others may know its identity already, and it them.
        new.copy_sharing(old)?;
        let last = put_records(&mut reader, new)?;
        // They are replayed, folded and read back.
        new.running.set_total(3 * last.last_seq);
        new.state.last_append_ms = self.engine.store.clock().now().millis();
        new.use_files(&self.turn);
        new.replay(
            &Log::Own,
            &last,
            &WithSearch(&self.engine.lexical),
            Source::Log,
        )?;
        projection::refold(new)?;
        self.engine.learned_index.flush_all(new)?;
        refold_usage(new)?;
        new.reopen_orders()
    }

    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool> {
        check_empty(old)?;
        new.copy_changed_sharing(old, changed)?;
        Ok(true)
    }

    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<u64> {
        let before = old.state()?;
        new.state.next_segment = new.state.next_segment.max(before.next_segment) + 1;
        new.state.commits = before.commits + 1;
        Ok(new.state.last_seq)
    }

    /// An export says only at its end how many events it holds.
    fn total(&self, _: &ReadTx) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// Writes the records of a whole export to an empty log, and gives the store the identity of the
/// exported one. Returns the resulting state.
fn put_records(reader: &mut impl BufRead, new: &mut WriteTx<'_>) -> Result<State> {
    let (mut checksum, mut last) = (CHAIN_START, 0);
    let mut identity = None;
    let mut withheld = Vec::new();
    let end = read_export(
        reader,
        |header| {
            let (true, Some(store), Some(secret)) = (header.whole, &header.store, &header.secret)
            else {
                return Err(Error::invalid(
                    "reader",
                    "is an export of selected events; use import_jsonl()",
                ));
            };
            identity = Some((
                unhex(1, "store", store)?,
                unhex(1, "secret", secret)?,
                header.created_ms,
            ));
            withheld.clone_from(&header.withheld);
            Ok(())
        },
        |number, _, line| {
            if line.seq != last + 1 {
                return Err(wrong(number, "is out of order"));
            }
            let (bytes, next) = line.to_record(number, &checksum)?;
            new.put_record(line.seq, &bytes)?;
            (checksum, last) = (next, line.seq);
            new.running.count_units(1)
        },
    )?;
    if end.checksum != Some(hex(&checksum)) {
        return Err(cut("the checksum in its last line does not match"));
    }
    if let Some((store_id, secret, created_ms)) = identity {
        new.become_store(store_id, secret, created_ms);
    }
    for hash in &withheld {
        new.set_withheld(hash, true)?;
    }
    Ok(State {
        last_seq: last,
        last_checksum: checksum,
        ..State::default()
    })
}

/// [`Upkeep::export_jsonl_to`](crate::Upkeep::export_jsonl_to).
pub(crate) fn export_jsonl(
    engine: &Engine,
    writer: impl Write,
    selector: Option<&Selector>,
    running: &Running,
) -> Result<Exported> {
    let (exported, missing) = write(engine, writer, selector, running)?;
    match missing.is_empty() {
        true => Ok(exported),
        false => Err(incomplete(&missing, exported.events, true)),
    }
}

/// What an export lacks because it cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// The number of records.
    records: u64,
    /// Whether it lacks what is withheld from other stores.
    withheld: bool,
}

impl Missing {
    pub(super) fn is_empty(&self) -> bool {
        *self == Missing::default()
    }
}

/// What is withheld from other stores; `None` if that cannot be read.
fn withheld(read: &ReadTx) -> Result<Option<Vec<String>>> {
    unless_damaged(read.withheld().map(Some))
}

/// The selected positions, in order. If the indexes are damaged, every record of the log is looked
/// at.
fn selected(engine: &Engine, read: &ReadTx, selector: &Selector) -> Result<Vec<u64>> {
    let selection = select::selection(engine, selector)?;
    if !selection.ids.is_empty() {
        return read.select_with_damaged(&selection);
    }
    match unless_damaged(read.select_with_damaged(&selection).map(Some))? {
        Some(seqs) => Ok(seqs),
        None => read.select_from_log(&selection),
    }
}

/// Writes an export, and returns what it lacks because it cannot be read.
pub(super) fn write(
    engine: &Engine,
    writer: impl Write,
    selector: Option<&Selector>,
    running: &Running,
) -> Result<(Exported, Missing)> {
    let read = engine.store.read()?.run_by(running);
    let meta = read.meta();
    let whole = selector.is_none();
    let selected = match selector {
        None => None,
        Some(selector) => Some(selected(engine, &read, selector)?),
    };
    let withheld = match whole {
        true => withheld(&read)?,
        false => Some(Vec::new()),
    };
    let mut missing = Missing {
        withheld: withheld.is_none(),
        ..Missing::default()
    };
    running.set_total(match &selected {
        Some(seqs) => seqs.len() as u64,
        None => read.state().map_or(0, |state| state.last_seq),
    });
    let mut export = ExportWriter {
        writer,
        selector,
        whole,
        secret: &meta.secret,
        running,
        exported: Exported::default(),
        next: 1,
    };
    export.line(&Header {
        recallite: VERSION,
        whole,
        exported: engine.store.clock().now().to_string(),
        store: whole.then(|| hex(&meta.store_id)),
        secret: whole.then(|| hex(&meta.secret)),
        created_ms: if whole { meta.created_ms } else { 0 },
        withheld: withheld.unwrap_or_default(),
    })?;
    missing.records = match &selected {
        Some(seqs) => read.each_readable_selected(seqs, |seq, view, is_deleted| {
            export.record(seq, view, is_deleted)
        })?,
        None => {
            match read.each_record(|seq, view, is_deleted| export.record(seq, view, is_deleted)) {
                Err(error) if error.code() == ErrorCode::Corrupt => read
                    .each_readable_record(export.next, |seq, view, is_deleted| {
                        export.record(seq, view, is_deleted)
                    })?,
                result => result.map(|()| 0)?,
            }
        }
    };
    export.line(&End {
        end: true,
        events: export.exported.events,
        checksum: (whole && missing.records == 0)
            .then(|| read.state().map(|state| hex(&state.last_checksum)))
            .transpose()?,
    })?;
    let exported = export.exported;
    export.writer.flush()?;
    engine.logger.info(Target::Upkeep, || {
        let events = counted(exported.events, "event");
        format!("exported {events}, {} bytes", exported.bytes)
    });
    Ok((exported, missing))
}

/// Writes the lines of an export, and counts them.
struct ExportWriter<'a, W> {
    writer: W,
    selector: Option<&'a Selector>,
    whole: bool,
    secret: &'a [u8; 32],
    running: &'a Running,
    exported: Exported,
    /// The position after the last record.
    next: u64,
}

impl<W: Write> ExportWriter<'_, W> {
    fn line(&mut self, value: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(value)
            .map_err(|e| Error::new(ErrorCode::Internal, format!("export: {e}")))?;
        self.writer.write_all(line.as_bytes())?;
        self.writer.write_all(b"\n")?;
        self.exported.bytes += line.len() as u64 + 1;
        Ok(())
    }

    /// Writes a record if it is wanted.
    fn record(&mut self, seq: u64, view: &RecordView<'_>, is_deleted: bool) -> Result<()> {
        let is_wanted = match self.selector {
            None => true,
            // What was learned from a forgotten event is in such records.
            Some(selector) => selector.names_records() || view.kind().is_appendable(),
        };
        if is_wanted {
            let line = EventLine::of_record(seq, view, is_deleted, self.secret, self.whole)?;
            self.line(&line)?;
            self.exported.events += 1;
            self.next = seq + 1;
        }
        self.running.count_units(1)
    }
}

/// [`Upkeep::restore_jsonl_from`](crate::Upkeep::restore_jsonl_from).
pub(crate) fn restore_jsonl(
    engine: &Engine,
    reader: impl BufRead,
    running: &Running,
) -> Result<u64> {
    check_empty(&engine.store.read()?)?;
    let mut filling = FromExport {
        engine,
        reader: Some(reader),
        turn: engine.store.lock_files(TURN_WAIT),
    };
    let swapped = engine.store.next_generation(false, &mut filling, running);
    if filling.turn.is_held() {
        // Segment files that were merged again while building, or that an abandoned copy left
        // behind.
        let _ = engine.store.clean_files(&filling.turn, Duration::ZERO);
    }
    Ok(swapped?.result)
}

/// Refuses a path in the store's own folder: an erasure would not find the copy there.
pub(crate) fn refuse_inside(engine: &Engine, path: &Path) -> Result<()> {
    // Folders that do not exist are created, or reported when the path is used.
    let mut parents = path.ancestors().skip(1).map(|parent| match parent {
        parent if parent.as_os_str().is_empty() => Path::new("."),
        parent => parent,
    });
    let there = parents.find_map(|parent| Some((parent, parent.canonicalize().ok()?)));
    let (Some((named, parent)), Ok(store)) = (there, engine.store.path().canonicalize()) else {
        return Ok(());
    };
    let missing = path.strip_prefix(named).unwrap_or(path);
    if missing
        .components()
        .any(|part| part == Component::ParentDir)
    {
        // Once the folder is created, the rest of the path may lead into the store.
        return Err(Error::invalid(
            "path",
            "goes back with `..` out of a folder that does not exist",
        ));
    }
    match parent.starts_with(store) {
        true => Err(Error::invalid(
            "path",
            "is inside the store's own folder, where erasing would not reach the copy",
        )),
        false => Ok(()),
    }
}

/// Creates a folder for an unfinished backup, which nobody else uses.
fn new_folder_beside(path: &Path) -> Result<PartialFolder> {
    let told = |error| about_file(path)(error).about("path");
    if let Some(parent) = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        create_private(parent).map_err(told)?;
    }
    PartialFolder::beside(path).map_err(told)
}

/// Says which disk is full or fails: it need not be that of the store, which all other errors are
/// about.
fn about_copy(path: &Path, error: Error) -> Error {
    let code = error.code();
    let message = match code {
        ErrorCode::Full => format!("there is no room for a copy at {}: {error}", place(path)),
        ErrorCode::Io if error.argument().is_none() => {
            format!("the copy at {}: {error}", place(path))
        }
        _ => return error,
    };
    Error::new(code, message)
        .with_argument("path")
        .with_source(error)
}

/// [`Memory::backup`](crate::Memory::backup).
pub(crate) fn backup(engine: &Engine, path: &Path, running: &Running) -> Result<u64> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::new(
            ErrorCode::AlreadyExists,
            format!(
                "{} already exists; a backup needs a new folder",
                path.display()
            ),
        )
        .with_argument("path"));
    }
    if path.file_name().is_none() {
        return Err(Error::invalid("path", "does not name a folder"));
    }
    refuse_inside(engine, path)?;
    let is_missing = |folder: &&Path| folder.symlink_metadata().is_err();
    let missing: Vec<&Path> = path.ancestors().skip(1).take_while(is_missing).collect();
    let made = new_folder_beside(path).and_then(|partial| {
        let made = copy_checked(engine, &partial, running).and_then(|events| {
            partial.rename(path)?;
            Ok(events)
        });
        if made.is_err() {
            partial.remove();
        }
        made.map_err(|error| about_copy(path, error))
    });
    if made.is_err() {
        // Only those that are empty: somebody else may be using them by now.
        for created in missing {
            let _ = std::fs::remove_dir(created);
        }
    }
    made
}

/// Copies the store to an empty folder and checks the copy. Returns the number of its events.
fn copy_checked(engine: &Engine, partial: &PartialFolder, running: &Running) -> Result<u64> {
    let folder = Folder::open(partial.path(), false)?;
    let read = engine.store.read()?.run_by(running);
    let events = read.state()?.last_seq;
    // They are read back, and the copy is checked.
    running.set_total(read.all_rows()? + (1 + check::PASSES) * events);
    engine.store.copy_to(&read, &folder)?;
    let mut settings = Settings::default();
    settings.store.create = false;
    settings.store.allow_network_folder = true;
    partial.check_place()?;
    let copy = Engine::open(partial.path(), settings)?;
    // Rebuild the segments whose files this store lacked.
    words::make_again(&copy, &|| true, running)?;
    // Two stores that sign with the same key would contradict each other.
    if copy.store.read()?.identity()?.is_some() {
        copy.store.write(|tx| tx.leave_identity())?;
    }
    let report = check::check(&copy, running)?;
    match report.first_divergence {
        None => Ok(report.events),
        // Nothing is damaged: the copy has the order too, and carries it out.
        Some(found) if found.place == check::ERASURES => Ok(report.events),
        Some(found) => Err(Error::new(
            ErrorCode::Corrupt,
            format!(
                "the store is damaged in {} ({}), so no backup was made; {}",
                found.place, found.problem, found.remedy
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_up_to_its_limit() {
        let mut reader = &b"123456\n12345678"[..];
        let mut number = 0;
        let first = read_line(&mut reader, 7, &mut number).unwrap();
        assert_eq!(first.as_deref(), Some("123456"));
        let error = read_line(&mut reader, 7, &mut number).unwrap_err();
        assert_eq!(error.argument(), Some("reader"));
        assert!(
            error.message().contains("line 2: is longer than"),
            "{error}"
        );
        let mut last = &b"12345"[..];
        let whole = read_line(&mut last, 7, &mut number).unwrap();
        assert_eq!(whole.as_deref(), Some("12345"));
        assert_eq!(read_line(&mut last, 7, &mut number).unwrap(), None);
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
        assert!(read_line(&mut endless, 1 << 20, &mut 0).is_err());
    }
}
