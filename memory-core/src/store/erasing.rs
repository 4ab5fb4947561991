//! What of each table comes into the generation that an erasure makes.
//!
//! Nothing erased may ever be written into the new file, not even to be deleted
//! in the same transaction: pages that do not fit into memory reach the disk. So
//! rows are left out while they are copied.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::checked::{Held, ReadableTable};
use super::record::{self, Remainder};
use super::tables;
use super::{ReadTx, WriteTx};
use crate::model::error::Result;

/// What an erasure does with the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Erasure {
    /// The positions of the records that are erased, in order.
    pub(crate) erased: Vec<u64>,
    /// What is left of records of which a part is erased.
    pub(crate) reduced: BTreeMap<u64, Remainder>,
    /// Leaves the vectors and the jobs for them behind as well: they are damaged,
    /// and can be made again.
    pub(crate) without_vectors: bool,
}

impl Erasure {
    fn is_erased(&self, seq: u64) -> bool {
        self.erased.binary_search(&seq).is_ok()
    }
}

impl WriteTx<'_> {
    /// Copies from another store file what an erasure keeps: the log in its erased
    /// form, and the tables that are not made from it. There is an arm for every
    /// table: who adds one says here what an erasure does with it.
    pub(crate) fn copy_erasing(&mut self, old: &ReadTx, erasure: &Erasure) -> Result<()> {
        let mut known = 0usize;
        macro_rules! made_again {
            ($name:ident) => {
                // Replayed or folded again from what is left of the log.
                known += 1;
            };
        }
        macro_rules! as_it_is {
            ($name:ident) => {
                // Numbers only.
                known += 1;
                if !erasure.without_vectors {
                    self.copy_table(old, tables::$name)?;
                }
            };
        }
        macro_rules! copy {
            // Format, state and open orders are written by whoever makes the file.
            (META, truth) => {
                known += 1;
            };
            (EVENTS, truth) => {
                known += 1;
                self.copy_log_erasing(old, erasure)?;
            };
            (EVENT_IDS, $role:ident) => {
                made_again!(EVENT_IDS);
            };
            (CITATIONS, $role:ident) => {
                made_again!(CITATIONS);
            };
            (DEDUPE, $role:ident) => {
                made_again!(DEDUPE);
            };
            (BY_TIME, $role:ident) => {
                made_again!(BY_TIME);
            };
            (BY_FACET, $role:ident) => {
                made_again!(BY_FACET);
            };
            (NAMES, $role:ident) => {
                made_again!(NAMES);
            };
            (NAME_OF, $role:ident) => {
                made_again!(NAME_OF);
            };
            (SESSIONS, $role:ident) => {
                made_again!(SESSIONS);
            };
            (SESSION_EVENTS, $role:ident) => {
                made_again!(SESSION_EVENTS);
            };
            (SESSION_TURNS, $role:ident) => {
                made_again!(SESSION_TURNS);
            };
            (DEAD, $role:ident) => {
                made_again!(DEAD);
            };
            (LEXICAL_TAIL, $role:ident) => {
                made_again!(LEXICAL_TAIL);
            };
            (LEXICAL_SEGMENTS, $role:ident) => {
                made_again!(LEXICAL_SEGMENTS);
            };
            (LEXICAL_BLOCKS, $role:ident) => {
                made_again!(LEXICAL_BLOCKS);
            };
            (PROJECTED, $role:ident) => {
                made_again!(PROJECTED);
            };
            (CITATION_USAGE, $role:ident) => {
                made_again!(CITATION_USAGE);
            };
            (USAGE_BY_TIME, $role:ident) => {
                made_again!(USAGE_BY_TIME);
            };
            (SESSION_INJECTIONS, $role:ident) => {
                made_again!(SESSION_INJECTIONS);
            };
            // What an embedder said when it failed may quote the text.
            (OUTBOX, $role:ident) => {
                known += 1;
                if !erasure.without_vectors {
                    self.copy_jobs_without_errors(old)?;
                }
            };
            (OUTBOX_ITEMS, $role:ident) => {
                as_it_is!(OUTBOX_ITEMS);
            };
            (OUTBOX_QUEUE, $role:ident) => {
                as_it_is!(OUTBOX_QUEUE);
            };
            (EMBEDDINGS, $role:ident) => {
                as_it_is!(EMBEDDINGS);
            };
            (VECTOR_SUMS, $role:ident) => {
                as_it_is!(VECTOR_SUMS);
            };
            (VECTOR_ORDER, $role:ident) => {
                as_it_is!(VECTOR_ORDER);
            };
            (VECTORS, $role:ident) => {
                known += 1;
                if !erasure.without_vectors {
                    self.copy_vectors_without(old, &|seq| erasure.is_erased(seq))?;
                }
            };
        }
        tables::every_table!(copy);
        old.knows_all_tables(known)?;
        Ok(())
    }

    fn copy_log_erasing(&mut self, old: &ReadTx, erasure: &Erasure) -> Result<()> {
        let mut to = self.transaction.open_table(tables::EVENTS)?;
        let mut cursor = Held::new(to.upper_bound_mut(Bound::<u64>::Unbounded)?);
        for entry in old.log()?.iter()? {
            let (seq, bytes) = entry?;
            let seq = seq.value();
            if erasure.is_erased(seq) {
                cursor.insert_before(seq, record::erase(seq, bytes.value())?.as_slice())?;
            } else if let Some(left) = erasure.reduced.get(&seq) {
                let reduced = record::reduce(seq, bytes.value(), left)?;
                cursor.insert_before(seq, reduced.as_slice())?;
            } else {
                cursor.insert_before(seq, bytes.value())?;
            }
        }
        cursor.into_inner().close()?;
        Ok(())
    }
}
