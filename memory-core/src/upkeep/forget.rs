//! Forgetting: a tombstone in the log, and the event gone from everything it
//! was found through, the words of the search index included.

use std::time::Duration;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::event::{Dedupe, EventKind, Origin, PrivacyReport};
use crate::model::ids::Seq;
use crate::privacy::{Clean, CleanEvent};
use crate::projection;
use crate::store::WriteTx;
use crate::store::append::{Draft, Words};
use crate::store::tombstone::ranges;
use crate::upkeep::select::Selector;

/// Segments up to this many events are rewritten in the transaction that
/// forgets; larger ones each in a transaction of their own right after it, so
/// that other processes need not wait for all of them.
const REWRITE_AT_ONCE: u32 = 8_192;

/// How long forgetting waits for another process that writes side files of vectors.
const TURN_WAIT: Duration = Duration::from_secs(1);

/// What [`Memory::forget`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// Events that were live before and are forgotten now.
    pub count: u64,
    /// Bytes of their content.
    pub content_bytes: u64,
    /// Sessions that they belonged to.
    pub sessions: u64,
    /// Jobs that waited for them and were dropped.
    pub jobs: u64,
    /// Segments of the search index that were rewritten without their words.
    pub segments: u64,
    /// The position of the tombstone; `None` when nothing was selected.
    pub tombstone: Option<Seq>,
}

/// The event that records which events were forgotten or erased. It belongs to
/// no session and no project.
pub(crate) fn tombstone(inner: &Engine, kind: EventKind, targets: &[u64]) -> Draft {
    let word = if kind == EventKind::Erased {
        "erased"
    } else {
        "forgot"
    };
    let mut seqs = String::from("{\"seqs\":[");
    for (index, (from, to)) in ranges(targets).into_iter().enumerate() {
        use std::fmt::Write as _;
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(seqs, "{comma}[{from},{to}]");
    }
    seqs.push_str("]}");
    // Numbers and fixed words only: there is nothing here for a filter, and a
    // host's own patterns must not be able to change what a tombstone names.
    let content = Clean::from_log(format!("{word} {} events", targets.len()));
    Draft {
        event: CleanEvent {
            kind,
            session: String::new(),
            project: None,
            actor: None,
            origin: Some(Origin::System),
            timestamp: None,
            content,
            metadata: Some(Clean::from_log(seqs)),
            dedupe: Dedupe::None,
            tool: None,
            privacy: PrivacyReport::default(),
            truncated_bytes: 0,
            warnings: Vec::new(),
        },
        project: String::new(),
        actor: "system".to_owned(),
        origin: Origin::System,
        timestamp: inner.store.clock().now(),
        words: Words::None,
        file: None,
    }
}

impl Memory {
    /// Forgets events: no read, search, history or count shows them again, and
    /// a rebuild keeps them forgotten. Their words leave the search index and
    /// waiting jobs are dropped before this returns.
    ///
    /// The records stay in the log, marked by a tombstone, until they are
    /// erased. The same content appended again is a new memory, and the
    /// receipt's warnings say so. Forgetting what is forgotten already counts
    /// nothing.
    ///
    /// The cost is that of what is forgotten and of what was learned from it,
    /// not of the store. A forgotten change of the mode, or very much at once,
    /// folds the whole log again.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent, Selector};
    ///
    /// let receipt = memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "my door code is 4711"))?;
    /// let forgotten = memory.forget(&Selector::new().id(receipt.id))?;
    /// assert_eq!(forgotten.count, 1);
    /// assert!(memory.event(receipt.id)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `invalid_argument` for a selector without a condition, an id of another
    /// project or of a tombstone; `not_found` for an id that never was; `busy`,
    /// `full`, `io`, `needs_reopen` or `corrupt` as for an append: nothing is
    /// forgotten then. An error after the tombstone was stored (while a large
    /// segment was rewritten) leaves the events forgotten; the next call of
    /// `forget`, `rebuild` or `compact` completes the work.
    pub fn forget(&self, selector: &Selector) -> Result<Forgotten> {
        self.enter()?;
        let inner = &self.inner;
        let selection = self.selection(selector)?;
        let mut forgotten = inner.store.write(|tx| {
            let targets = tx.select(&selection)?;
            if targets.is_empty() {
                return Ok(Forgotten::default());
            }
            forget_in(inner, tx, &targets)
        })?;
        forgotten.segments += self.rewrite_unclean()?;
        self.take_out_vectors(TURN_WAIT)?;
        Ok(forgotten)
    }

    /// Rewrites the segments that still hold words of forgotten events, one
    /// transaction each. Returns how many there were.
    pub(crate) fn rewrite_unclean(&self) -> Result<u64> {
        let inner = &self.inner;
        let mut rewritten = 0;
        while !inner.store.read()?.unclean_segments()?.is_empty() {
            rewritten += inner.store.write(|tx| {
                let mut left = tx.unclean_segments()?;
                let Some(id) = left.pop() else {
                    return Ok(0);
                };
                // A merge on the way may have done the work already.
                let segment = tx.segments()?.into_iter().find(|segment| segment.id == id);
                let done = match segment {
                    Some(segment) => inner.lexical.rewrite(tx, &segment)?,
                    None => false,
                };
                tx.set_unclean_segments(&left)?;
                Ok(u64::from(done))
            })?;
        }
        Ok(rewritten)
    }
}

/// Writes the tombstone and takes the targets out of every index; segments that
/// are large are noted for later.
pub(crate) fn forget_in(
    inner: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
) -> Result<Forgotten> {
    let draft = tombstone(inner, EventKind::Forgotten, targets);
    tx.append(std::slice::from_ref(&draft))?;
    let seq = tx.state.last_seq;
    let buried = tx.bury(targets, seq)?;
    let (mut unclean, mut segments) = (tx.unclean_segments()?, 0);
    for segment in tx.segments_with(targets)? {
        if segment.events <= REWRITE_AT_ONCE {
            segments += u64::from(inner.lexical.rewrite(tx, &segment)?);
        } else if !unclean.contains(&segment.id) {
            unclean.push(segment.id);
        }
    }
    tx.set_unclean_segments(&unclean)?;
    for seq in targets {
        tx.remove_usage(*seq)?;
    }
    projection::take_back::take_back(tx, targets)?;
    Ok(Forgotten {
        count: buried.events,
        content_bytes: buried.content_bytes,
        sessions: buried.sessions,
        jobs: buried.jobs,
        segments,
        tombstone: Some(Seq(seq)),
    })
}
