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

/// Segments up to this many events are rewritten in the transaction that forgets;
/// larger ones wait for [`Memory::maintain`], so that forgetting costs what it
/// forgets. Searches leave out what is forgotten wherever its words are.
const REWRITE_AT_ONCE: u32 = 256;

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
    /// Larger segments that still hold their words, which no search finds, until
    /// [`Memory::maintain`], [`Memory::compact`] or a merge writes them again.
    pub segments_waiting: u64,
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
    /// a rebuild keeps them forgotten. Waiting jobs are dropped before this returns,
    /// and their words leave the search index, or wait in its larger segments for
    /// [`Memory::maintain`] where no search finds them (`segments_waiting`).
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
    /// forgotten then. An error after the tombstone was stored (while vectors were
    /// taken out of side files) leaves the events forgotten; the next call of `forget`
    /// or `maintain` completes the work.
    pub fn forget(&self, selector: &Selector) -> Result<Forgotten> {
        self.enter()?;
        let inner = &self.inner;
        let selection = self.selection(selector)?;
        let forgotten = inner.store.write(|tx| {
            let targets = tx.select(&selection)?;
            if targets.is_empty() {
                return Ok(Forgotten::default());
            }
            forget_in(inner, tx, &targets)
        })?;
        self.take_out_vectors(TURN_WAIT)?;
        Ok(forgotten)
    }

    /// Rewrites every segment that still holds words of forgotten events. Returns how
    /// many there were.
    pub(crate) fn rewrite_unclean(&self) -> Result<u64> {
        let mut rewritten = 0;
        while let Some(is_changed) = self.rewrite_one()? {
            rewritten += u64::from(is_changed);
        }
        Ok(rewritten)
    }

    /// Rewrites one segment that still holds words of forgotten events; `None` when
    /// there is none. It is written apart from the store, and others wait only while
    /// it is put in place.
    pub(crate) fn rewrite_one(&self) -> Result<Option<bool>> {
        let inner = &self.inner;
        if inner.store.read()?.unclean_segments()?.is_empty() {
            return Ok(None);
        }
        // Numbers of segments are never given twice.
        let id = inner.store.write(|tx| {
            tx.state.next_segment += 1;
            Ok(tx.state.next_segment)
        })?;
        let read = inner.store.read()?;
        let Some(segment) = read.unclean_segments()?.pop() else {
            return Ok(None);
        };
        let made = inner.lexical.rewrite_apart(&read, segment, id)?;
        let generation = read.generation();
        drop(read);
        inner.store.write(|tx| {
            // The new generation knows for itself what is unclean.
            if tx.generation() != generation {
                return Ok(Some(false));
            }
            let mut unclean = tx.unclean_segments()?;
            unclean.retain(|id| *id != segment);
            let mut is_changed = false;
            if let Some(made) = made {
                let (left, was_there) = inner.lexical.put_rewritten(tx, made)?;
                unclean.extend(left);
                is_changed = was_there;
            }
            tx.set_unclean_segments(&unclean)?;
            Ok(Some(is_changed))
        })
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
    take_out(inner, tx, targets, tx.state.last_seq)
}

/// Takes events, which are in order, out of every index: the record at `tombstone`
/// says that they are forgotten.
pub(crate) fn take_out(
    inner: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    tombstone: u64,
) -> Result<Forgotten> {
    let buried = tx.bury(targets, tombstone)?;
    let (mut unclean, mut segments, mut segments_waiting) = (tx.unclean_segments()?, 0, 0);
    for segment in tx.segments_with(targets)? {
        if segment.events <= REWRITE_AT_ONCE {
            segments += u64::from(inner.lexical.rewrite(tx, &segment)?);
            continue;
        }
        segments_waiting += 1;
        if !unclean.contains(&segment.id) {
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
        segments_waiting,
        tombstone: Some(Seq(tombstone)),
    })
}
