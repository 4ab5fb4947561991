//! Imports Claude Code transcripts into a memory, idempotently: one file, a project's
//! folder, or everything.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, EventKind, NewEvent};
use crate::scope;
use crate::store::running::Running;
use crate::write::append::{Along, append_batch};
use crate::write::prepare::kept_name;
use crate::write::transcript::{
    ImportCounters, ImportOptions, LineProblem, TranscriptFile, TranscriptReader, find_transcripts,
};

/// How many events are stored per transaction.
const BATCH_EVENTS: usize = 512;
const BATCH_BYTES: usize = 4 << 20;

/// How many refused events are named.
const MAX_REFUSED: usize = 10;
/// How many lines that cannot be read are named.
const MAX_BROKEN: usize = 10;

/// The progress of an import, passed to its progress callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportProgress {
    /// The number of files that are done.
    pub files_done: usize,
    /// The total number of files.
    pub files_total: usize,
    /// The size of the files that are done, in bytes.
    pub bytes_done: u64,
    /// The total size of the files, in bytes.
    pub bytes_total: u64,
    /// The number of events stored so far, not counting duplicates.
    pub events_stored: u64,
}

/// A file that could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportFailure {
    /// Its path.
    pub path: String,
    /// Why it could not be imported.
    pub reason: String,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The number of files that were read.
    pub files: usize,
    /// What was found in them and what happened to it.
    pub counters: ImportCounters,
    /// The files that could not be read, and why. The others were imported.
    pub failed_files: Vec<ImportFailure>,
    /// The events that were refused, and why: at most the first ten.
    pub refused: Vec<String>,
    /// How many events were refused.
    pub refused_count: u64,
    /// What the privacy filter found that its user should know, each once, and the first ten
    /// lines that could not be read, with their file.
    pub warnings: Vec<String>,
}

/// The input of an import.
pub(crate) struct Request<'a> {
    /// The file or folder.
    pub(crate) path: &'a Path,
    pub(crate) options: &'a ImportOptions,
    /// Additional work for each transaction.
    pub(crate) along: Along<'a>,
    pub(crate) running: &'a Running,
}

/// [`Memory::import_claude_code_with`](crate::Memory::import_claude_code_with).
pub(crate) fn import_claude_code(
    engine: &Engine,
    request: &Request<'_>,
    progress: &mut dyn FnMut(ImportProgress) -> bool,
) -> Result<ImportReport> {
    let files = find_transcripts(request.path)?;
    let size = |file: &TranscriptFile| std::fs::metadata(&file.path).map_or(0, |m| m.len());
    let mut import = Import {
        engine,
        request,
        progress,
        now: ImportProgress {
            files_done: 0,
            files_total: files.len(),
            bytes_done: 0,
            bytes_total: files.iter().map(size).sum(),
            events_stored: 0,
        },
        projects: HashMap::new(),
        broken_lines: 0,
        report: ImportReport::default(),
    };
    // Oldest first, so that log positions roughly follow time.
    for file in files.iter().rev() {
        request.running.checkpoint()?;
        let begun = import.now.bytes_done;
        match import.file(file) {
            Ok(true) => import.report.files += 1,
            Ok(false) => return Ok(import.report),
            // The transcript is at fault: report it and continue with the others.
            Err(Failed::Reading(error)) => {
                import.report.failed_files.push(ImportFailure {
                    path: file.path.display().to_string(),
                    reason: error.to_string(),
                });
            }
            Err(Failed::Storing(error)) => return Err(error),
        }
        import.now.files_done += 1;
        import.now.bytes_done = begun + size(file);
        if !(import.progress)(import.now) {
            break;
        }
    }
    Ok(import.report)
}

/// The state of a running import.
struct Import<'a> {
    engine: &'a Engine,
    request: &'a Request<'a>,
    progress: &'a mut dyn FnMut(ImportProgress) -> bool,
    now: ImportProgress,
    /// The projects of working folders seen so far.
    projects: HashMap<String, String>,
    /// How many lines that cannot be read are named.
    broken_lines: usize,
    report: ImportReport,
}

impl Import<'_> {
    /// Imports one file; false if the caller wants to stop.
    fn file(&mut self, file: &TranscriptFile) -> Result<bool, Failed> {
        let input = File::open(&file.path).map_err(|error| Failed::Reading(error.into()))?;
        self.lines(BufReader::new(input), file)
    }

    /// Takes over what a reader counted, and names the lines that it could not read.
    fn add(&mut self, name: &str, counters: &ImportCounters) {
        self.report.counters.add(counters);
        for broken in &counters.error_lines {
            if broken.problem != LineProblem::Blank && self.broken_lines < MAX_BROKEN {
                self.broken_lines += 1;
                let warning = format!("{name}, line {}: {}", broken.line, broken.problem);
                self.report.warnings.push(warning);
            }
        }
    }

    /// Notes the warnings of receipts, each once.
    fn warn(&mut self, receipts: &[Appended]) {
        for warning in receipts.iter().flat_map(|receipt| &receipt.warnings) {
            if !self.report.warnings.contains(warning) {
                self.report.warnings.push(warning.clone());
            }
        }
    }

    /// Imports the lines of a file. If they cannot be read to the end, those before are imported.
    fn lines(&mut self, input: impl BufRead, file: &TranscriptFile) -> Result<bool, Failed> {
        let mut reader =
            TranscriptReader::new(input, file.session_id.clone(), self.request.options.clone())
                .filter(self.engine.filter.clone());
        let name = file.path.display().to_string();
        let mut batch = Batch::default();
        loop {
            let (item, failed) = match reader.next().transpose() {
                Ok(item) => (item, None),
                Err(error) => (None, Some(error)),
            };
            let is_end = item.is_none();
            if let Some(mut item) = item {
                item.parent_session_id = item.parent_session_id.or(file.parent_session_id.clone());
                let cwd = item.cwd.clone();
                let mut event = item.into_event(&name);
                if self.engine.project.is_empty() {
                    let engine = self.engine;
                    let found = cwd.map(|cwd| project(engine, &mut self.projects, cwd));
                    event.project = found.transpose().map_err(Failed::Storing)?;
                }
                batch.push(event);
            }
            if batch.is_full() || (is_end && !batch.events.is_empty()) {
                let events = batch.events.len() as u64;
                let stored = self.store(std::mem::take(&mut batch.events))?;
                batch = Batch::default();
                for (kind, outcome) in stored {
                    if outcome == Outcome::Skipped {
                        reader.counters_mut().skipped += 1;
                        continue;
                    }
                    let is_duplicate = outcome == Outcome::Duplicate;
                    reader.counters_mut().count(kind, is_duplicate);
                    self.now.events_stored += u64::from(!is_duplicate);
                }
                let counted = self.request.running.count_units(events);
                counted.map_err(Failed::Storing)?;
                if !(self.progress)(self.now) {
                    self.add(&name, reader.counters());
                    return Ok(false);
                }
            }
            if is_end {
                self.add(&name, reader.counters());
                return match failed {
                    Some(error) => Err(Failed::Reading(error)),
                    None => Ok(true),
                };
            }
        }
    }

    /// Stores a batch. If one event is refused, the others are stored one by one, so that
    /// an odd message does not take its neighbours with it.
    fn store(&mut self, events: Vec<NewEvent>) -> Result<Vec<(EventKind, Outcome)>, Failed> {
        let append = |events: Vec<NewEvent>| append_batch(self.engine, events, self.request.along);
        let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
        let error = match append(events.clone()) {
            Ok(receipts) => {
                self.warn(&receipts);
                let outcomes = receipts.iter().map(Outcome::of);
                return Ok(kinds.into_iter().zip(outcomes).collect());
            }
            Err(error) => error,
        };
        if error.code() != ErrorCode::InvalidArgument {
            return Err(Failed::Storing(error));
        }
        let mut stored = Vec::new();
        for event in events {
            let kind = event.kind;
            match append(vec![event]) {
                Ok(receipts) => {
                    self.warn(&receipts);
                    stored.extend(receipts.iter().map(|receipt| (kind, Outcome::of(receipt))));
                }
                Err(error) if error.code() == ErrorCode::InvalidArgument => {
                    self.report.refused_count += 1;
                    if self.report.refused.len() < MAX_REFUSED {
                        self.report.refused.push(error.to_string());
                    }
                }
                Err(error) => return Err(Failed::Storing(error)),
            }
        }
        Ok(stored)
    }
}

/// The outcome of one event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Stored,
    Duplicate,
    Skipped,
}

impl Outcome {
    fn of(receipt: &Appended) -> Self {
        match (receipt.skipped, receipt.duplicate) {
            (Some(_), _) => Outcome::Skipped,
            (None, true) => Outcome::Duplicate,
            (None, false) => Outcome::Stored,
        }
    }
}

/// Whether the error is the transcript's or the store's.
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
        self.bytes += event.content.len();
        if let Some(tool) = &event.tool {
            self.bytes += tool.output.len() + tool.error.as_ref().map_or(0, String::len);
            self.bytes += tool.input.as_ref().map_or(0, |input| input.as_str().len());
        }
        self.events.push(event);
    }

    fn is_full(&self) -> bool {
        self.events.len() >= BATCH_EVENTS || self.bytes >= BATCH_BYTES
    }
}

/// The project of a working folder; the folder's own name if it does not exist on this
/// machine, with the signs of Windows turned, unless it hides something that only they show.
fn project(engine: &Engine, known: &mut HashMap<String, String>, cwd: String) -> Result<String> {
    if let Some(project) = known.get(&cwd) {
        return Ok(project.clone());
    }
    let project = match scope::project_of(Path::new(&cwd)) {
        Ok(project) => project,
        Err(_) if kept_name(engine, &cwd)? == cwd => cwd.replace('\\', "/"),
        Err(_) => cwd.clone(),
    };
    known.insert(cwd, project.clone());
    Ok(project)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::Memory;

    /// A file whose disk fails after its first lines.
    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk failed"))
        }
    }

    #[test]
    fn what_was_read_before_a_failure_is_stored_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let (options, running) = (ImportOptions::default(), Running::default());
        let request = Request {
            path: folder.path(),
            options: &options,
            along: &|_| Ok(()),
            running: &running,
        };
        let mut import = Import {
            engine: memory.enter().unwrap(),
            request: &request,
            progress: &mut |_| true,
            now: ImportProgress {
                files_done: 0,
                files_total: 1,
                bytes_done: 0,
                bytes_total: 0,
                events_stored: 0,
            },
            projects: HashMap::new(),
            broken_lines: 0,
            report: ImportReport::default(),
        };
        let file = TranscriptFile {
            path: folder.path().join("monday.jsonl"),
            session_id: "s".into(),
            parent_session_id: None,
            modified: std::time::SystemTime::UNIX_EPOCH,
        };
        let lines: String = (0..3)
            .map(|number| {
                format!(
                    r#"{{"type":"user","uuid":"u{number}","sessionId":"s","timestamp":"2026-01-05T09:00:0{number}Z","message":{{"role":"user","content":"Number {number}."}}}}"#
                ) + "\n"
            })
            .collect();
        let input = BufReader::new(lines.as_bytes().chain(Failing));
        let failed = import.lines(input, &file);
        assert!(matches!(failed, Err(Failed::Reading(_))));
        assert_eq!(import.now.events_stored, 3);
        assert_eq!(import.report.counters.imported_prompts, 3);
        assert_eq!(memory.stats().unwrap().prompts, 3);
    }
}
