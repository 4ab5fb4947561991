//! Learning: taking in what the host's language model found in a session.

use crate::learn::pipeline::{self, IngestOptions, IngestReport};
use crate::memory::Memory;
use crate::model::error::Result;

impl Memory {
    /// Takes in what a language model extracted from a session, as JSON that follows
    /// [`crate::rules::model_answer::EXTRACTION_SCHEMA`]. Quotes are located in the session,
    /// entries and tasks become records, and every step is recorded as an event. Taking in
    /// the same extraction again writes nothing.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::{EventKind, Memory, NewEvent};
    /// let memory = Memory::open(folder.path())?;
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "monday", "세션은 Redis에 두자."))?;
    /// let report = memory.ingest("monday", r#"{"schema_version": 1, "entries": [{
    ///     "id": "e1", "type": "decision", "title": "Sessions live in Redis",
    ///     "content": "Sessions live in Redis.",
    ///     "quotes": [{"message_index": 0, "quote": "세션은 Redis에 두자"}]}]}"#)?;
    /// assert_eq!(report.entries[0].stage.as_str(), "verified");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By what is ingested.
    ///
    /// # Errors
    /// `invalid_argument` naming the element as the schema spells it, for example
    /// `entries[3].quotes[0].message_index`, when the extraction is wrong: show the message to your
    /// model; `invalid_argument` naming `session` or `project` while its recording is paused, or
    /// that of a project to which a message belongs on which the extraction rests; `not_found` when
    /// there is no such session: nothing is written then. If something fails later, only a failed
    /// run in the ledger remains, and the extraction can be ingested again.
    pub fn ingest(&self, session: &str, extraction: &str) -> Result<IngestReport> {
        pipeline::ingest(self.enter()?, session, extraction)
    }

    /// Like [`Memory::ingest`], but also records which model made the extraction.
    ///
    /// # Growth
    /// By what is ingested.
    ///
    /// # Errors
    /// As [`Memory::ingest`].
    pub fn ingest_with(
        &self,
        session: &str,
        extraction: &str,
        options: &IngestOptions,
    ) -> Result<IngestReport> {
        pipeline::ingest_with(self.enter()?, session, extraction, options)
    }
}
