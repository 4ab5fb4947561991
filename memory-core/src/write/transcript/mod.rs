//! Reads the transcripts that Claude Code keeps of its sessions (one JSON value
//! per line) as a stream of prompts, responses and tool calls.
//!
//! [`find_transcripts`] finds the files, [`parse_line`] reads one line, [`repair_json`] makes
//! it readable, and
//! [`TranscriptReader`] turns a file into [`TranscriptItem`]s, joining each tool
//! call with its result. Nothing here stores anything: the caller does, and
//! tells [`ImportCounters`] what became of each item.

mod files;
mod line;
mod reader;
mod repair;
#[cfg(test)]
mod tests;

pub use files::{TranscriptFile, find_transcripts, project_folder_name};
pub use line::{ContentBlock, Line, LineKind, LineProblem, is_meta_text, parse_line};
pub(crate) use reader::PARENT_SESSION;
pub use reader::{ImportCounters, ImportOptions, ImportProblem, TranscriptItem, TranscriptReader};
pub use repair::repair_json;
