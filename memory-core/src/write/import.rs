//! Importing Claude Code transcripts into a memory: one file, a project's
//! folder, or everything, as often as wanted.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::scope;
use crate::write::transcript::{
    ImportCounters, ImportOptions, TranscriptFile, TranscriptReader, find_transcripts,
};

/// How much is stored in one transaction.
const BATCH_EVENTS: usize = 512;
const BATCH_BYTES: usize = 4 << 20;

/// How far an import has come; given to its progress callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportProgress {
    /// Files that are done.
    pub files_done: usize,
    /// Files in all.
    pub files_total: usize,
    /// Bytes of the files that are done.
    pub bytes_done: u64,
    /// Bytes in all.
    pub bytes_total: u64,
    /// Events stored so far, duplicates not counted.
    pub events_stored: u64,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// Files that were read.
    pub files: usize,
    /// What was found in them and what became of it.
    pub counters: ImportCounters,
    /// Files that could not be read, and why; the others were imported.
    pub failed_files: Vec<(String, String)>,
    /// Events that were refused, and why: at most the first ten.
    pub refused: Vec<String>,
}

impl Memory {
    /// Imports Claude Code transcripts: a `.jsonl` file, a project's folder
    /// with its subagents' files, or the root of such folders.
    ///
    /// Events carry the time, session and message uuid of the transcript, so
    /// that importing again changes nothing and a session that goes on is
    /// completed by the next import. Lines that are half-written, not JSON or
    /// longer than 64 MB are counted and passed over.
    ///
    /// ```no_run
    /// # fn main() -> recallite::Result<()> {
    /// let memory = recallite::Memory::open("./memory")?;
    /// let report = memory.import_claude_code("/home/ada/.claude/projects")?;
    /// println!("{} prompts", report.counters.imported_prompts);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `not_found` when there is no transcript at `path`; `io`, `busy` or
    /// `full` when the store cannot be written (what was stored before stays).
    pub fn import_claude_code(&self, path: impl AsRef<Path>) -> Result<ImportReport> {
        self.import_claude_code_with(path, &ImportOptions::default(), &mut |_| true)
    }

    /// As [`Memory::import_claude_code`], with options and a progress callback
    /// that is called after each transaction; the import ends when it gives
    /// false.
    ///
    /// # Errors
    /// As [`Memory::import_claude_code`].
    pub fn import_claude_code_with(
        &self,
        path: impl AsRef<Path>,
        options: &ImportOptions,
        progress: &mut dyn FnMut(ImportProgress) -> bool,
    ) -> Result<ImportReport> {
        self.enter()?;
        let files = find_transcripts(path.as_ref())?;
        let size = |file: &TranscriptFile| std::fs::metadata(&file.path).map_or(0, |m| m.len());
        let mut now = ImportProgress {
            files_done: 0,
            files_total: files.len(),
            bytes_done: 0,
            bytes_total: files.iter().map(size).sum(),
            events_stored: 0,
        };
        let mut report = ImportReport::default();
        let mut projects = HashMap::new();
        // The oldest first, so that positions in the log follow time roughly.
        for file in files.iter().rev() {
            let begun = now.bytes_done;
            match self.import_file(
                file,
                options,
                &mut projects,
                &mut report,
                &mut now,
                progress,
            ) {
                Ok(true) => report.files += 1,
                Ok(false) => return Ok(report),
                // The source is at fault: say so and take the others.
                Err(Failed::Reading(error)) => {
                    report
                        .failed_files
                        .push((file.path.display().to_string(), error.to_string()));
                }
                Err(Failed::Storing(error)) => return Err(error),
            }
            now.files_done += 1;
            now.bytes_done = begun + size(file);
            if !progress(now) {
                break;
            }
        }
        Ok(report)
    }

    fn import_file(
        &self,
        file: &TranscriptFile,
        options: &ImportOptions,
        projects: &mut HashMap<String, String>,
        report: &mut ImportReport,
        now: &mut ImportProgress,
        progress: &mut dyn FnMut(ImportProgress) -> bool,
    ) -> Result<bool, Failed> {
        let reading = |error| Failed::Reading(error);
        let input = File::open(&file.path).map_err(|e| reading(e.into()))?;
        let mut reader = TranscriptReader::new(
            BufReader::new(input),
            file.session_id.clone(),
            options.clone(),
        )
        .filter(self.inner.filter.clone());
        let name = file.path.display().to_string();
        let mut batch = Batch::default();
        loop {
            let item = reader.next().transpose().map_err(reading)?;
            let is_end = item.is_none();
            if let Some(mut item) = item {
                item.parent_session_id = item.parent_session_id.or(file.parent_session_id.clone());
                let cwd = item.cwd.clone();
                let mut event = item.into_event(&name);
                if self.project().is_empty() {
                    event.project = cwd.map(|cwd| project(projects, cwd));
                }
                batch.push(event);
            }
            if batch.is_full() || (is_end && !batch.events.is_empty()) {
                let stored = self.store_batch(std::mem::take(&mut batch.events), report)?;
                batch = Batch::default();
                for (kind, is_duplicate) in stored {
                    reader.counters_mut().count(kind, is_duplicate);
                    now.events_stored += u64::from(!is_duplicate);
                }
                if !progress(*now) {
                    report.counters.add(reader.counters());
                    return Ok(false);
                }
            }
            if is_end {
                report.counters.add(reader.counters());
                return Ok(true);
            }
        }
    }

    /// Stores a batch. When an event of it is refused, the others are stored
    /// one by one, so that one odd message does not cost its neighbours.
    fn store_batch(
        &self,
        events: Vec<NewEvent>,
        report: &mut ImportReport,
    ) -> Result<Vec<(EventKind, bool)>, Failed> {
        let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
        let error = match self.append_batch(events.clone()) {
            Ok(receipts) => {
                return Ok(kinds
                    .into_iter()
                    .zip(receipts.iter().map(|r| r.duplicate))
                    .collect());
            }
            Err(error) => error,
        };
        if error.code() != ErrorCode::InvalidArgument {
            return Err(Failed::Storing(error));
        }
        let mut stored = Vec::new();
        for event in events {
            let kind = event.kind;
            match self.append(event) {
                Ok(receipt) => stored.push((kind, receipt.duplicate)),
                Err(error) if error.code() == ErrorCode::InvalidArgument => {
                    if report.refused.len() < 10 {
                        report.refused.push(error.to_string());
                    }
                }
                Err(error) => return Err(Failed::Storing(error)),
            }
        }
        Ok(stored)
    }
}

/// Whether the transcript or the store is at fault.
enum Failed {
    Reading(Error),
    Storing(Error),
}

#[derive(Default)]
struct Batch {
    events: Vec<NewEvent>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, event: NewEvent) {
        self.bytes += event.content.len() + event.tool.as_ref().map_or(0, |tool| tool.output.len());
        self.events.push(event);
    }

    fn is_full(&self) -> bool {
        self.events.len() >= BATCH_EVENTS || self.bytes >= BATCH_BYTES
    }
}

/// The project of a working folder; the folder's own name when it is not on
/// this machine.
fn project(known: &mut HashMap<String, String>, cwd: String) -> String {
    known
        .entry(cwd)
        .or_insert_with_key(|cwd| {
            scope::project_of(Path::new(cwd)).unwrap_or_else(|_| cwd.replace('\\', "/"))
        })
        .clone()
}
