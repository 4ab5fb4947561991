//! Recall: searching, showing results in layers, and building context for an agent.

use crate::memory::Memory;
use crate::model::context::Context;
use crate::model::disclosed::{Detail, TimelineItem};
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::model::query::{Query, SearchResult};
use crate::recall::ranking::retrieve;
use crate::recall::shown::context::{self, ContextOptions};
use crate::recall::shown::layers;
use crate::recall::shown::smart::{self, SmartSearchOptions, SmartSearchResult};

impl Memory {
    /// Returns the memories that help with a query, as text for an agent's prompt.
    ///
    /// The text is wrapped in a fence that nothing inside it can close (see
    /// [`crate::text::fence`]): it is data, not instructions. Each memory names its source
    /// and its citation. The whole text stays within the token budget. A memory that does
    /// not fit is cut at the end of a sentence or word, and the memories after it are left
    /// out.
    ///
    /// The text begins with what is [`pinned`](crate::ContextOptions::pinned) or named by its
    /// citation in the query. Then come relevant decisions and preferences that are in force, open
    /// and blocked tasks, and anything else that was learned, one line each with its state and the
    /// citation of its proof ([`Context::learned`]); together they get at most a third of the
    /// budget if there are events as well. Then come events, except those that only serve as
    /// evidence of one of these lines.
    ///
    /// Whether anything is returned depends on the class of the best match, not on a fixed
    /// relevance: none returns nothing, suggested returns memories below a line that says
    /// they may be relevant, and high returns them below a line that announces a
    /// high-confidence match. A fixed threshold of .5 would hide most of the right answers
    /// in agent transcripts, where relevance is honestly low (see `docs/recall.md`).
    ///
    /// Small talk is neither searched for nor returned: for "ok, thanks" or "the second one", only
    /// what is pinned is returned. For an everyday order such as "run the tests", what was learned
    /// about it and highly relevant messages are returned.
    ///
    /// A prompt that was appended to the session just before is not found. The injection is
    /// recorded (see [`Recording`](crate::Recording)) for
    /// [`Citations::detail`](crate::Citations::detail),
    /// [`Citations::popular`](crate::Citations::popular) and [`Memory::stats`].
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{ContextOptions, EventKind, NewEvent};
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "The test server uses port 8443."))?;
    /// let context = memory.context(ContextOptions::new("port of the test server?").session("s2"))?;
    /// assert!(context.text.contains("> The test server uses port 8443."));
    /// assert!(context.tokens <= 2_000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Logarithmic; with `skip_known_since`, also by what the session was given since then.
    ///
    /// # Errors
    /// As [`Memory::search`]; `invalid_argument` for a `limit` outside 1 to 64, a `min_relevance`
    /// or `min_best_relevance` outside 0 to 1, or a session name that is too long; as
    /// [`Memory::append`] when recording at once fails.
    pub fn context(&self, options: impl Into<ContextOptions>) -> Result<Context> {
        context::context(self.enter()?, options.into())
    }

    /// Puts a text of this memory between the marks of a fence, as [`Memory::context`] does with
    /// its own: the text cannot close the fence, and if an agent repeats it, the memory recognises
    /// it and does not learn it again. Use this for anything else from the memory that you give to
    /// a model, such as search results or lists of tasks. The text is not changed; show it with
    /// [`harmless`](crate::text::show::harmless) first. Fence only text that is in the memory:
    /// anything else in a fence would not be learned when it is said.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// let fenced = memory.fence("> decided: sessions are kept in Redis")?;
    /// assert!(fenced.starts_with("<recalled-memory fence="));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By the length of the text.
    ///
    /// # Errors
    /// `closed`; `corrupt` or `io` when the store cannot be read.
    pub fn fence(&self, text: &str) -> Result<String> {
        context::fence(self.enter()?, text)
    }

    /// Returns what happened around some events: each event with up to `window` events
    /// before and after it in its session, without duplicates and in order of time. Events
    /// that do not exist are left out.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `invalid_argument` when `window` is above
    /// [`MAX_TIMELINE_WINDOW`](crate::MAX_TIMELINE_WINDOW); `corrupt` or `io`.
    pub fn timeline(&self, events: &[EventRef], window: usize) -> Result<Vec<TimelineItem>> {
        layers::timeline(self.enter()?, events, window, &layers::Shown::default())
    }

    /// Returns events in full, in the order requested, with the events they are related to.
    ///
    /// # Growth
    /// By result: by the events and the lengths of their turns.
    ///
    /// # Errors
    /// `not_found` naming the first event that does not exist; `corrupt` or `io`.
    pub fn details(&self, events: &[EventRef]) -> Result<Vec<Detail>> {
        layers::details(self.enter()?, events)
    }

    /// Finds the events that answer a question or contain some words, best first.
    ///
    /// The words need not be the same: related words and other word forms count, and so
    /// does what was said just before and after. An event can be found by the very next
    /// call after it was appended, from any process.
    ///
    /// Results are never dropped for being uncertain unless `min_relevance` is set; look at
    /// [`SearchResult::confidence`] and [`Hit::relevance`](crate::Hit::relevance).
    ///
    /// A search does not write to the store. Hits that are not doubtful are noted in memory
    /// as accesses, which graduation depends on. They are written to the log in batches by
    /// an append, [`Memory::maintain`] or [`Memory::close`].
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent, Query};
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "결제 시간 초과는 30초로 정했어"))?;
    /// let found = memory.search(Query::new("결제 시간 초과가 몇 초였지?").limit(3))?;
    /// assert_eq!(found.items[0].passage.text, "결제 시간 초과는 30초로 정했어");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`SearchResult::learned`] contains what was learned and helps with the question:
    /// entries, tasks, insights and consolidated memories, each with its state and the
    /// events that prove it.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, LearnedState, NewEvent};
    /// let said = memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "We go with SQLite for the archive."))?;
    /// memory.ingest("s1", r#"{"schema_version": 1, "entries": [{"id": "e1", "type": "decision",
    ///     "title": "SQLite for the archive", "content": "The archive is kept in SQLite.",
    ///     "quotes": [{"message_index": 0, "quote": "We go with SQLite for the archive"}]}]}"#)?;
    /// let found = memory.search("what did we decide about the archive?")?;
    /// assert_eq!(found.learned[0].title, "SQLite for the archive");
    /// assert_eq!(found.learned[0].state, LearnedState::InForce);
    /// assert_eq!(found.learned[0].proofs[0].id, said.id);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An event that the query names by its citation ("show mem:a7Bc3x", or the citation
    /// alone) and that its filters admit comes first, with relevance 1.
    ///
    /// Filters apply before ranking, not after it. Calls of a rarely used tool are found no matter
    /// how many other events match better, and what one session taught is found no matter how much
    /// was learned elsewhere.
    ///
    /// # Growth
    /// Logarithmic from about 20,000 events on; a smaller store has fewer events, learned items and
    /// words than the most that a search looks at. With [`Query::tool_outcome`] or a filter that
    /// more than 4,096 events pass, also by the matches examined until enough pass. Within a
    /// session, or if few events pass, what was learned elsewhere costs nothing. With an embedder,
    /// also by the entries, tasks and consolidated memories: the question is compared with the
    /// vector of each.
    ///
    /// # Errors
    /// `invalid_argument` for an empty query, a limit outside 1 to 1,000, a kind that is not a
    /// conversation kind, more tools than [`MAX_FILTER_TOOLS`](crate::MAX_FILTER_TOOLS), a name of
    /// a tool or part of a path that is empty or too long, or a vector that is not one of the
    /// embedder's; `unsupported` for a vector without an embedder; `corrupt` or `io`.
    pub fn search(&self, query: impl Into<Query>) -> Result<SearchResult> {
        retrieve::search(self.enter()?, query.into())
    }

    /// Searches, and adds a timeline or the details of the results if they are clear
    /// enough, within a token budget.
    ///
    /// The rules depend on relevance. If there is a single result with at least .92, or the
    /// first result has at least .85 and is .1 ahead of the second, it is shown with its
    /// timeline and details. If the third result has at least .8, the timelines of the
    /// first three are added to help choose. Otherwise only the index is returned, and the
    /// caller can ask for [`Memory::details`].
    ///
    /// An event that the query names by its citation ("show mem:a7Bc3x") comes first and is
    /// shown with its timeline and details.
    ///
    /// The filters of the query apply, and so does its limit if the options have none.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent, SmartSearchOptions};
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "The test server uses port 8443."))?;
    /// let found = memory.smart_search("port of the test server", SmartSearchOptions::default())?;
    /// assert_eq!(found.index[0].summary, "The test server uses port 8443.");
    /// println!("{}", found.markdown());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Logarithmic.
    ///
    /// # Errors
    /// As [`Memory::search`]; `invalid_argument` for a `min_relevance` outside 0 to 1
    /// or a `window` that is too large.
    pub fn smart_search(
        &self,
        query: impl Into<Query>,
        options: SmartSearchOptions,
    ) -> Result<SmartSearchResult> {
        smart::smart_search(self.enter()?, query.into(), options)
    }
}
