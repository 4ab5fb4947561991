//! Sessions that several stores changed: the last change by rank counts, in whatever
//! order the changes arrived.

use std::collections::BTreeSet;

use super::WriteTx;
use super::checked::ReadableTable;
use super::origin::Ranks;
use super::record::RecordView;
use super::replay::Log;
use super::session::{SessionRow, move_session};
use super::tables::{self, Facet};
use super::tombstone::session_update;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::session::SessionUpdate;

/// A change that lies in the log.
struct Change {
    seq: u64,
    update: SessionUpdate,
    /// The number of the project that the session moved to.
    project: Option<u32>,
}

impl WriteTx<'_> {
    /// Applies the changes of sessions in the order of their ranks, where one of them
    /// came from another store. When a session began is not settled: its earliest event
    /// says so.
    pub(crate) fn settle_sessions(&self, names: &BTreeSet<String>) -> Result<()> {
        let events = self.transaction.open_table(tables::EVENTS)?;
        self.settle_of(&events, names)
    }

    fn settle_of(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        names: &BTreeSet<String>,
    ) -> Result<()> {
        for name in names {
            let key = tables::name_key(Facet::Session, name);
            let number = {
                let numbers = self.transaction.open_table(tables::NAMES)?;
                numbers.get(key.as_slice())?.map(|number| number.value())
            };
            if let Some(session) = number {
                self.settle_session(events, session)?;
            }
        }
        Ok(())
    }

    /// The sessions that some records belong to.
    pub(crate) fn sessions_of(&self, seqs: &[u64]) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for &seq in seqs {
            names.extend(self.with_record(seq, |view| Ok(view.archive()?.session.to_string()))?);
        }
        Ok(names)
    }

    /// As [`WriteTx::settle_sessions`], of every session that another store changed, by
    /// the log from which the tables were made.
    pub(super) fn settle_all_sessions(&self, log: &Log<'_>) -> Result<()> {
        match log {
            Log::Own => self.settle_all_of(&self.transaction.open_table(tables::EVENTS)?),
            Log::Other(events) => self.settle_all_of(*events),
        }
    }

    fn settle_all_of(&self, events: &impl ReadableTable<u64, &'static [u8]>) -> Result<()> {
        let mut names = BTreeSet::new();
        for entry in self.transaction.open_table(tables::ORIGINS)?.iter()? {
            let seq = entry?.1.value();
            let bytes = events
                .get(seq)?
                .ok_or_else(|| super::read::missing_record(seq))?;
            let view = RecordView::new(seq, bytes.value())?;
            if view.kind() == EventKind::SessionChanged && !view.is_erased() {
                names.insert(view.archive()?.session.to_string());
            }
        }
        self.settle_of(events, &names)
    }

    fn settle_session(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        session: u32,
    ) -> Result<()> {
        let Some(changes) = self.foreign_changes(events, session)? else {
            return Ok(());
        };
        let seqs: Vec<u64> = changes.iter().map(|change| change.seq).collect();
        let ranks = Ranks {
            own: self.store_key()?,
            stamps: self.transaction.open_table(tables::STAMPS)?,
        };
        let mut ranked: Vec<_> = ranks.all(events, &seqs)?.into_iter().zip(changes).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut sessions = self.transaction.open_table(tables::SESSIONS)?;
        let Some(row) = sessions.get(session)?.map(|row| row.value().to_vec()) else {
            return Ok(());
        };
        let mut row = SessionRow::decode(&row)?;
        let before = row.project_key(session);
        for (_, change) in ranked {
            row.change(&change.update, change.project);
        }
        sessions.insert(session, row.encode().as_slice())?;
        let mut by_project = self.transaction.open_table(tables::PROJECT_SESSIONS)?;
        move_session(&mut by_project, before, row.project_key(session))
    }

    /// The live changes of a session; `None` when none came from another store.
    fn foreign_changes(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        session: u32,
    ) -> Result<Option<Vec<Change>>> {
        let open = &self.transaction;
        let names = open.open_table(tables::NAMES)?;
        let first = tables::facet_key(Facet::Session, session, &[0; 16]);
        let last = tables::facet_key(Facet::Session, session, &[0xff; 16]);
        let by_facet = open.open_table(tables::BY_FACET)?;
        let (mut changes, mut is_foreign) = (Vec::new(), false);
        for entry in by_facet.range(first.as_slice()..=last.as_slice())? {
            let seq = tables::seq_of(entry?.0.value());
            let bytes = events
                .get(seq)?
                .ok_or_else(|| super::read::missing_record(seq))?;
            let view = RecordView::new(seq, bytes.value())?;
            let Some((update, moves)) = session_update(&view)? else {
                continue;
            };
            let record = view.archive()?;
            is_foreign |= record.foreign.is_some();
            let key = tables::name_key(Facet::Project, record.project.as_str());
            let project = names.get(key.as_slice())?.map(|number| number.value());
            changes.push(Change {
                seq,
                update: SessionUpdate {
                    started: None,
                    ..update
                },
                project: project.filter(|_| moves),
            });
        }
        Ok(is_foreign.then_some(changes))
    }
}
