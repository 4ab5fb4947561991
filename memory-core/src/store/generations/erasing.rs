//! Decides what of each table is copied into the generation that an erasure builds.
//!
//! Nothing erased may ever be written to the new file, not even to be deleted in the same
//! transaction: pages that do not fit into memory reach the disk. So rows are left out
//! while copying.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use redb::TableHandle;

use crate::model::error::Result;
use crate::model::event::{Dedupe, EventKind};
use crate::store::database::checked::{Held, ReadableTable};
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::index_tables::vectors::vector_owner;
use crate::store::log::dedupe::dedupe_hash;
use crate::store::log::record::{self, Record, Remainder};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// The parameters of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Erasure {
    /// The positions of the erased records, sorted.
    pub(crate) erased: Vec<u64>,
    /// The remaining content of records that are erased in part.
    pub(crate) reduced: BTreeMap<u64, Remainder>,
    /// Also leaves out the vectors and their jobs: they are damaged, and can be rebuilt.
    pub(crate) without_vectors: bool,
}

impl Erasure {
    fn is_erased(&self, seq: u64) -> bool {
        self.erased.binary_search(&seq).is_ok()
    }

    /// What the new generation has of a record.
    pub(in crate::store) fn what_stays<'b>(
        &self,
        seq: u64,
        bytes: &'b [u8],
        secret: &[u8; 32],
    ) -> Result<Cow<'b, [u8]>> {
        if self.is_erased(seq) {
            let erased = record::erase(seq, bytes, &|kind, record| has_key(secret, kind, record))?;
            return Ok(Cow::Owned(erased));
        }
        match self.reduced.get(&seq) {
            Some(left) => Ok(Cow::Owned(record::reduce(seq, bytes, left)?)),
            None => Ok(Cow::Borrowed(bytes)),
        }
    }
}

/// Whether a record has a dedupe key of its caller. By its hash, the next import of an event knows
/// that it was erased. A hash of content, or of what the library records, must go: whoever has
/// the file could try short texts on it.
fn has_key(secret: &[u8; 32], kind: EventKind, record: &Record<'_>) -> bool {
    let (session, content) = (record.session.as_str(), record.content.as_str());
    let by_content = dedupe_hash(secret, session, &Dedupe::Content, content);
    kind.is_conversation() && record.dedupe != by_content
}

impl ReadTx {
    /// How many rows [`WriteTx::copy_erasing`] copies, about, and how many events there are.
    pub(crate) fn rows_to_copy(&self) -> Result<(u64, u64)> {
        let events = self.state()?.last_seq;
        let mut rows = events;
        rows += self.transaction.open_table(tables::OUTBOX_QUEUE)?.len()?;
        rows += self.transaction.open_table(tables::VECTORS)?.len()?;
        Ok((rows, events))
    }
}

impl WriteTx<'_> {
    /// Copies from another store file what an erasure keeps: the log in its erased form,
    /// and the tables that are not derived from it.
    pub(crate) fn copy_erasing(&mut self, old: &ReadTx, erasure: &Erasure) -> Result<()> {
        let with_vectors = !erasure.without_vectors;
        macro_rules! copy {
            ($name:ident, $role:ident, built) => {};
            ($name:ident, $role:ident, replayed) => {};
            ($name:ident, $role:ident, settled) => {};
            (EVENTS, $role:ident, reduced) => {
                self.copy_log_erasing(old, erasure)?;
            };
            ($name:ident, $role:ident, kept) => {
                self.copy_table(old, tables::$name)?;
            };
            ($name:ident, $role:ident, embedded) => {
                if with_vectors {
                    self.copy_table(old, tables::$name)?;
                }
            };
            // An embedder's error message may quote the text.
            (OUTBOX, $role:ident, filtered) => {
                if with_vectors {
                    self.copy_jobs_without_errors(old)?;
                }
            };
            (VECTORS, $role:ident, filtered) => {
                if with_vectors {
                    self.copy_vectors_without(old, &|seq| erasure.is_erased(seq))?;
                }
            };
        }
        tables::every_table!(copy);
        old.knows_all_tables()
    }

    /// Catches up with rows changed since [`WriteTx::copy_erasing`] in tables that are not
    /// derived from the log, whose end is replayed.
    pub(crate) fn copy_changed_erasing(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        erasure: &Erasure,
    ) -> Result<()> {
        let with_vectors = !erasure.without_vectors;
        let embedded = |table: &str| changed.of(table).filter(|_| with_vectors);
        macro_rules! copy {
            ($name:ident, $role:ident, built) => {};
            ($name:ident, $role:ident, replayed) => {};
            ($name:ident, $role:ident, reduced) => {};
            ($name:ident, $role:ident, settled) => {};
            ($name:ident, $role:ident, kept) => {
                if let Some(rows) = changed.of(tables::$name.name()) {
                    self.copy_rows(old, tables::$name, rows)?;
                }
            };
            ($name:ident, $role:ident, embedded) => {
                if let Some(rows) = embedded(tables::$name.name()) {
                    self.copy_rows(old, tables::$name, rows)?;
                }
            };
            (OUTBOX, $role:ident, filtered) => {
                if let Some(rows) = embedded(tables::OUTBOX.name()) {
                    self.copy_changed_jobs(old, rows)?;
                }
            };
            (VECTORS, $role:ident, filtered) => {
                if let Some(rows) = embedded(tables::VECTORS.name()) {
                    let is_erased = |key: &[u8]| erasure.is_erased(vector_owner(key));
                    self.copy_rows(old, tables::VECTORS, &rows.without(is_erased))?;
                }
            };
        }
        tables::every_table!(copy);
        Ok(())
    }

    /// Marks erased events as gone before anything is folded. `tombstone` is the position
    /// of the future event that will record it.
    pub(crate) fn mark_erased(&mut self, targets: &[u64], tombstone: u64) -> Result<()> {
        let mut tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
        for &seq in targets {
            tombstones.insert(seq, tombstone)?;
        }
        Ok(())
    }

    fn copy_log_erasing(&mut self, old: &ReadTx, erasure: &Erasure) -> Result<()> {
        let secret = self.meta.secret;
        let mut to = self.transaction.open_table(tables::EVENTS)?;
        let mut cursor = Held::new(to.unnoted().upper_bound_mut(Bound::<u64>::Unbounded)?);
        for entry in old.log()?.iter()? {
            let (seq, bytes) = entry?;
            let seq = seq.value();
            self.running.count_row()?;
            let stays = erasure.what_stays(seq, bytes.value(), &secret)?;
            cursor.insert_before(seq, &*stays)?;
        }
        cursor.into_inner().close()?;
        Ok(())
    }
}
