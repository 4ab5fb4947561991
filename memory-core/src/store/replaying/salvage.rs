//! Reads what the log holds where a part of it, or of the tables that are made from it, is damaged.

use std::cell::OnceCell;

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::ReadTx;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::{catch_panic, missing_record};
use crate::store::log::record::RecordView;
use crate::store::log::tombstone::Selection;
use crate::store::replaying::hidden::{Hidden, is_tombstone};

/// Which records are deleted: the table says it, or, where that is damaged, the log.
struct DeletedRecords<'r> {
    read: &'r ReadTx,
    /// What the log says, once the table turned out to be damaged.
    of_log: OnceCell<Hidden>,
}

impl DeletedRecords<'_> {
    /// # Errors
    /// `corrupt` if a part of the log is damaged as well as the table: it may have been a tombstone,
    /// and deleted records must not come back.
    fn contains(&self, seq: u64) -> Result<bool> {
        if let Some(hidden) = self.of_log.get() {
            return Ok(hidden.contains(seq));
        }
        match catch_panic(|| self.read.is_hidden(seq)) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                let hidden = catch_panic(|| Hidden::of(&self.read.log()?, &self.read.running));
                let hidden = hidden.map_err(both_damaged)?;
                Ok(self.of_log.get_or_init(|| hidden).contains(seq))
            }
            answer => answer,
        }
    }
}

impl ReadTx {
    fn deleted_records(&self) -> DeletedRecords<'_> {
        DeletedRecords {
            read: self,
            of_log: OnceCell::new(),
        }
    }

    /// The positions of the selected events, in order, found by reading the whole log: for indexes
    /// that are damaged. Those of records that cannot be read are among them. A selection by ids
    /// cannot be found this way.
    pub(crate) fn select_from_log(&self, wanted: &Selection) -> Result<Vec<u64>> {
        let deleted = self.deleted_records();
        let log = self.log()?;
        let mut found = Vec::new();
        for seq in 1..=self.state()?.last_seq {
            if deleted.contains(seq)? {
                continue;
            }
            let is_wanted = catch_panic(|| {
                let bytes = log.get(seq)?.ok_or_else(|| missing_record(seq))?;
                let view = RecordView::new(seq, bytes.value())?;
                if view.is_erased() || is_tombstone(&view) {
                    return Ok(false);
                }
                let record = view.archive()?;
                Ok(wanted.has_project_of(&record) && wanted.fits(view.kind(), &record))
            });
            match is_wanted {
                Ok(true) => found.push(seq),
                Ok(false) => {}
                Err(error) if error.code() == ErrorCode::Corrupt => found.push(seq),
                Err(error) => return Err(error),
            }
            self.running.tick()?;
        }
        Ok(found)
    }

    /// Like [`ReadTx::each_record`] from a position on, one by one, skipping unreadable
    /// records. Returns how many were skipped.
    pub(crate) fn each_readable_record(
        &self,
        from: u64,
        visit: impl FnMut(u64, &RecordView<'_>, bool) -> Result<()>,
    ) -> Result<u64> {
        let last = self.state()?.last_seq;
        self.each_readable_of(from..=last, visit)
    }

    /// Like [`ReadTx::each_readable_record`], for the records at these positions.
    pub(crate) fn each_readable_selected(
        &self,
        seqs: &[u64],
        visit: impl FnMut(u64, &RecordView<'_>, bool) -> Result<()>,
    ) -> Result<u64> {
        self.each_readable_of(seqs.iter().copied(), visit)
    }

    fn each_readable_of(
        &self,
        seqs: impl Iterator<Item = u64>,
        mut visit: impl FnMut(u64, &RecordView<'_>, bool) -> Result<()>,
    ) -> Result<u64> {
        let deleted = self.deleted_records();
        let log = self.log()?;
        let mut lost = 0;
        for seq in seqs {
            let is_deleted = deleted.contains(seq)?;
            let step = catch_panic(|| {
                let bytes = log.get(seq)?.ok_or_else(|| missing_record(seq))?;
                let view = RecordView::new(seq, bytes.value())?;
                visit(seq, &view, is_deleted)
            });
            match step {
                Err(error) if error.code() == ErrorCode::Corrupt => lost += 1,
                step => step?,
            }
            self.running.tick()?;
        }
        Ok(lost)
    }
}

/// The error for records of which nothing says any more whether they were deleted.
fn both_damaged(error: Error) -> Error {
    match error.code() {
        ErrorCode::Corrupt => Error::new(
            ErrorCode::Corrupt,
            "both the log and the table of deleted events are damaged, so nothing says which events \
             were forgotten; restore a backup",
        ),
        _ => error,
    }
}
