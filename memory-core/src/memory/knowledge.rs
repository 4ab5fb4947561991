//! What was learned: entries, the edges between them, conflicts and uncertain memories.

use crate::learn::edges::{self, EdgeFilter};
use crate::learn::entries::{self, EntryFilter};
use crate::learn::entry_search::{self, EntryHit};
use crate::learn::extraction_request::{self, ExtractionRequest};
use crate::learn::history;
use crate::learn::new_entry::{self, NewEntry};
use crate::learn::pipeline::{self, SessionMessage};
use crate::memory::Memory;
use crate::model::error::{Error, Result};
use crate::model::ids::EventRef;
use crate::model::json::Json;
use crate::rules::entries::{
    EffectiveMemory, EntryId, LearnedEntry, MemoryAnswer, MemoryResolution, Placeholder,
};
use crate::rules::graph::{
    Edge, EdgeEnds, GraphNode, LineageStep, RelatedEntry, Relation, ReplacedEdges,
};
use crate::rules::history::{Conflict, ConflictVerdict};
use crate::upkeep::maintain::after_append;

/// What a memory has learned; see [`Memory::knowledge`].
#[derive(Clone, Copy, Debug)]
pub struct Knowledge<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Learned entries, the edges of their graph, conflicts and uncertain memories.
    pub fn knowledge(&self) -> Knowledge<'_> {
        Knowledge { memory: self }
    }
}

impl Knowledge<'_> {
    /// Returns the edges from a node or to a node, newest first. A node is an entry, an
    /// entity, or an event, given by its id; an event also by its citation.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `invalid_argument` unless exactly one of `from` and `to` is given; `not_found` naming it
    /// when it is a citation of nothing.
    pub fn edges(&self, filter: &EdgeFilter) -> Result<Vec<Edge>> {
        edges::edges(self.memory.enter()?, filter)
    }

    /// Adds an edge between two existing nodes. If the edge already exists, only its meta is
    /// replaced: an empty object removes it, and without `meta` it stays as it is.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `relation` when the relation does not lead between such nodes, or
    /// naming `meta` when that is not a JSON object; `not_found` naming `source_id` or
    /// `destination_id`; `invariant_violation` when a node would lead to itself, or for
    /// `"blocked_by"`, `"blocked_by_suggested"` and `"resolves_to"` edges, which only calls about
    /// tasks make, and `"supersedes"` and `"contradicts"` edges, which
    /// [`supersede`](Self::supersede) and [`contradict`](Self::contradict) make.
    pub fn add_edge(&self, ends: &EdgeEnds, meta: Option<&Json>) -> Result<Edge> {
        edges::add_edge(self.memory.enter()?, ends, meta)
    }

    /// Removes an edge. It can still be read with `as_of`. Returns false if there is no
    /// such edge.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invariant_violation` for the edges that [`add_edge`](Self::add_edge) refuses; `not_found`
    /// naming `source_id` or `destination_id` when it is a citation of
    /// nothing.
    pub fn remove_edge(&self, ends: &EdgeEnds) -> Result<bool> {
        edges::remove_edge(self.memory.enter()?, ends)
    }

    /// Replaces all edges of one relation from a node in one step. `targets` are the new
    /// destinations.
    ///
    /// # Growth
    /// By the edges that are replaced.
    ///
    /// # Errors
    /// As [`Knowledge::add_edge`](crate::Knowledge::add_edge), naming `source` or the target, for
    /// example `targets[3]`; `invalid_argument` naming `targets` above
    /// [`MAX_EDGES_PER_CALL`](crate::MAX_EDGES_PER_CALL). Nothing is changed then.
    pub fn replace_edges(
        &self,
        source: &GraphNode,
        relation: Relation,
        targets: &[GraphNode],
    ) -> Result<ReplacedEdges> {
        edges::replace_edges(self.memory.enter()?, source, relation, targets)
    }

    /// Returns an entry and everything that was derived from it, nearest first, to a depth
    /// of at most ten derivations. Each entry appears once. At most `limit` are returned,
    /// 1,000 by default.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `not_found`.
    pub fn lineage(&self, entry: &EntryId, limit: Option<usize>) -> Result<Vec<LineageStep>> {
        edges::lineage(self.memory.enter()?, entry, limit)
    }

    /// Returns the entries that prove something about an entity that this entry also proves
    /// something about, each with those entities, by ascending id. At most `limit` are
    /// returned, 1,000 by default.
    ///
    /// # Growth
    /// By the edges of the entities that the entry proves something about.
    ///
    /// # Errors
    /// `not_found`.
    pub fn related_entries(
        &self,
        entry: &EntryId,
        limit: Option<usize>,
    ) -> Result<Vec<RelatedEntry>> {
        edges::related_entries(self.memory.enter()?, entry, limit)
    }

    /// Returns the learned entries that answer a question or contain some words, best
    /// first. Related words and other word forms count, as in [`Memory::search`].
    ///
    /// Entries that were superseded or deprecated, have expired or are not valid yet are left out
    /// unless the filter asks for a status or for a moment (`as_of`). Contested entries rank lower.
    /// An entry that was confirmed to mean another one is replaced by it. An entry that quotes a
    /// forgotten event is left out. At most 10 are returned unless the filter says otherwise.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// let found = memory.knowledge().search("which database did we choose?", &Default::default())?;
    /// assert!(found.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Logarithmic; the first call of a process also reads what was learned since it was
    /// last indexed, a hundred entries or so.
    ///
    /// # Errors
    /// `invalid_argument` naming `query` when it is blank, or `status`;
    /// `corrupt` or `io`.
    pub fn search(&self, query: &str, filter: &EntryFilter) -> Result<Vec<EntryHit>> {
        entry_search::search(self.memory.enter()?, query, filter)
    }

    /// Returns the conflicts between entries that were found or resolved last, at most
    /// `limit` of them, 1,000 by default, in the order in which they were found.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn conflicts(&self, limit: Option<usize>) -> Result<Vec<Conflict>> {
        history::conflicts(self.memory.enter()?, limit)
    }

    /// Records what an uncertain memory (an event, entry, task, condition or artifact, given by its
    /// id; an event also by its citation) means. The last answer counts.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `memory`, `resolved_to` (needed when
    /// confirmed, and not the memory itself) or `confidence`; `not_found` naming `memory` or
    /// `resolved_to` when the store has no such memory.
    pub fn resolve_memory(&self, memory: &str, answer: &MemoryAnswer) -> Result<()> {
        history::resolve_memory(self.memory.enter()?, memory, answer)
    }

    /// Marks an event whose context is missing, to be resolved later.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn mark_unknown_context(&self, event: impl Into<EventRef>) -> Result<()> {
        history::mark_unknown_context(self.memory.enter()?, event.into())
    }

    /// Returns the events whose context is missing and not yet resolved, by id. At most
    /// `limit` are returned, 1,000 by default.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn placeholders(&self, limit: Option<usize>) -> Result<Vec<Placeholder>> {
        history::placeholders(self.memory.enter()?, limit)
    }

    /// Returns the last answer about each uncertain memory, by the memory's id. At most
    /// `limit` are returned, 1,000 by default.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn memory_resolutions(&self, limit: Option<usize>) -> Result<Vec<MemoryResolution>> {
        history::memory_resolutions(self.memory.enter()?, limit)
    }

    /// Returns what a memory means now: itself, or what it was confirmed to be, with its
    /// text. A memory is an event, an entry, a task, a condition or an artifact, given by
    /// its id; an event also by its citation.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` naming `memory` when it is a citation of nothing; `corrupt` or `io`.
    pub fn effective_memory(&self, memory: &str) -> Result<EffectiveMemory> {
        history::effective_memory(self.memory.enter()?, memory)
    }

    /// Returns the learned entries that match a filter, most recently learned first. An
    /// entry that quotes a forgotten event is still listed, although no search returns it;
    /// [`Memory::erase`](crate::Memory::erase) removes it.
    ///
    /// # Growth
    /// By result; with a text, by the entries of all projects that contain its rarest word. A text
    /// without three letters in a row, and `as_of`, are checked in one entry after another, newest
    /// first, until the limit is reached. With records of other stores, also by the entries of the
    /// session or project, or by all, because the place of each is looked up.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown status; `corrupt` or `io`.
    pub fn entries(&self, filter: &EntryFilter) -> Result<Vec<LearnedEntry>> {
        entries::entries(self.memory.enter()?, filter)
    }

    /// Returns one learned entry; `None` if there is none with this id.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn entry(&self, id: &EntryId) -> Result<Option<LearnedEntry>> {
        entries::entry(self.memory.enter()?, id)
    }

    /// Adds an entry without an extraction, such as a fact that a user states or a decision that
    /// was made elsewhere. If an event of the session is given, it proves the entry and its words
    /// count as the quote; otherwise the content is stored as said by the user. Adding the same
    /// entry again returns the existing one, unless it was withdrawn: then a new one is added. An
    /// entry that says the same about another time is superseded. If an entry of the same project
    /// and type says something else under the same title, both are contested until
    /// [`resolve_conflict`](Knowledge::resolve_conflict) decides.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::rules::entries::EntryType;
    /// use recallite::{Memory, NewEntry};
    /// let memory = Memory::open(folder.path())?;
    /// let entry = memory.knowledge().add_entry(&NewEntry::new(
    ///     EntryType::Constraint,
    ///     "notes",
    ///     "No deploys on Fridays",
    ///     "We never deploy on Fridays.",
    /// ))?;
    /// assert_eq!(entry.entry.lifecycle.stage().as_str(), "verified");
    /// assert_eq!(memory.search("when may we deploy?")?.learned[0].title, entry.entry.title);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Logarithmic.
    ///
    /// # Errors
    /// `invalid_argument` naming what is blank, private or too long; `not_found` naming `event`
    /// when there is no such event, `invalid_argument` when it belongs to another session, or
    /// naming `session` or `project` while recording of it is paused: nothing is stored then;
    /// `already_exists` naming `title` when the entry was withdrawn and the given event proved it
    /// before; `busy`, `full` or `io`.
    pub fn add_entry(&self, entry: &NewEntry) -> Result<LearnedEntry> {
        let engine = self.memory.enter()?;
        new_entry::add_entry(engine, entry, &|tx| after_append(engine, tx))
    }

    /// Returns the messages of a session as an extraction numbers them: its prompts and
    /// responses, in the order in which they were stored. Give these to the language model.
    /// A session is read whole, whatever the project of each message.
    /// The first `offset` of them are left out, by default none. At most `limit` are returned,
    /// 1,000 by default.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `not_found` when there is no such session; `corrupt` or `io`.
    pub fn session_messages(
        &self,
        session: &str,
        offset: Option<usize>,
        limit: Option<usize>,
    ) -> Result<Vec<SessionMessage>> {
        pipeline::session_messages(self.memory.enter()?, session, offset, limit)
    }

    /// Returns what to give to a language model of your own so that it extracts what a
    /// session taught: the task, what is already known, and the messages that no model has
    /// read yet, within a budget of estimated tokens (8,000 by default). Take in its answer
    /// with [`Memory::ingest_with`](crate::Memory::ingest_with) and the request's
    /// `messages`; the next request continues after them. If the first message alone
    /// exceeds the budget, it is cut. What another store recorded is left to that store, and
    /// nothing is given from the first message on for which recording is paused.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::{EventKind, IngestOptions, Memory, NewEvent};
    /// let memory = Memory::open(folder.path())?;
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "monday", "Let's keep sessions in Redis."))?;
    /// let request = memory.knowledge().extraction_request("monday", None)?;
    /// # let my_model = |_: &str| r#"{"schema_version": 1, "entries": []}"#;
    /// let answer = my_model(&request.prompt);
    /// let options = IngestOptions::default().messages(request.messages);
    /// memory.ingest_with("monday", answer, &options)?;
    /// assert!(memory.knowledge().extraction_request("monday", None)?.messages.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By result: the messages and what is known, within the budget.
    ///
    /// # Errors
    /// `not_found` naming `session`; `invalid_argument` naming `budget_tokens` below 2,000.
    pub fn extraction_request(
        &self,
        session: &str,
        budget_tokens: Option<usize>,
    ) -> Result<ExtractionRequest> {
        extraction_request::extraction_request(self.memory.enter()?, session, budget_tokens)
    }

    /// Replaces an entry by a newer one: `older` stops holding when `newer` began to hold. Its
    /// conflicts are over. Repeating the call changes nothing.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` naming the entry; `invalid_argument` when both are the same;
    /// `invariant_violation` when another entry has already replaced the older one, or when the two
    /// would replace each other in a circle.
    pub fn supersede(&self, older: &EntryId, newer: &EntryId) -> Result<()> {
        entries::supersede(self.memory.enter()?, older, newer)
    }

    /// Records that two entries contradict each other. Both rank lower until the conflict
    /// is resolved. Repeating the call returns the existing conflict.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` naming the entry; `invalid_argument` when both are the same;
    /// `invariant_violation` when one of them is no longer in force or they hold at different
    /// times.
    pub fn contradict(
        &self,
        older: &EntryId,
        newer: &EntryId,
        reason: Option<&str>,
    ) -> Result<Conflict> {
        let conflict = entries::contradict(self.memory.enter()?, older, newer, reason);
        conflict.map_err(|error| match error.argument() {
            Some("newer_id") => Error::invalid("newer", "must not be the older entry itself"),
            _ => error,
        })
    }

    /// Resolves a conflict in favour of one entry. The other is deprecated, and its other
    /// conflicts are over too.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such conflict; `invalid_argument` naming `in_favour_of` when it
    /// is not part of the conflict, or `resolution` when it is blank; `invalid_transition` when the
    /// conflict has already ended.
    pub fn resolve_conflict(
        &self,
        conflict_id: &str,
        verdict: &ConflictVerdict,
    ) -> Result<Conflict> {
        entries::resolve_conflict(self.memory.enter()?, conflict_id, verdict)
    }

    /// Promotes a verified entry to certified: somebody confirms it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found`; `invariant_violation` with the reason when the entry is not verified or not in
    /// force.
    pub fn certify(&self, id: &EntryId, certified_by: &str) -> Result<()> {
        entries::certify(self.memory.enter()?, id, certified_by)
    }

    /// Deprecates an entry without a successor: it stops holding now, and its conflicts are
    /// over. Nothing changes if it was replaced or deprecated before.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found`.
    pub fn deprecate(&self, id: &EntryId) -> Result<()> {
        entries::deprecate(self.memory.enter()?, id)
    }
}
