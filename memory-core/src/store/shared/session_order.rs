//! Recomputes sessions whose events are in another order than that of the log: several stores
//! contributed to them, or a clock was wrong by more than a century. Their rows follow from the
//! events in record order, whatever the order of arrival.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::store::WriteTx;
use crate::store::database::checked::ReadableTable;
use crate::store::log::record::RecordView;
use crate::store::log::session::{SessionRow, move_session};
use crate::store::log::tombstone::session_update;
use crate::store::replaying::replay::Log;
use crate::store::shared::record_order::{RecordOrder, RecordOrders};
use crate::store::shared::sharing_rows::SharingRows as _;
use crate::store::tables::{self, Facet};

impl WriteTx<'_> {
    /// Recomputes the rows of sessions from their events.
    pub(crate) fn recompute_sessions(&self, names: &BTreeSet<String>) -> Result<()> {
        let events = self.transaction.open_table(tables::EVENTS)?;
        self.recompute_sessions_in(&events, names)
    }

    /// Corrects sessions after records at the end of the log were accounted for in order of
    /// arrival, if those change a session, or come before the event that gave it its
    /// project.
    pub(crate) fn recompute_sessions_after(&self, seqs: &[u64]) -> Result<()> {
        let mut changed = BTreeSet::new();
        let mut firsts: BTreeMap<String, RecordOrder> = BTreeMap::new();
        for (&seq, order) in seqs.iter().zip(self.record_orders_of(seqs)?) {
            let of = self.with_record(seq, |view| {
                Ok((view.kind(), view.archive()?.session.to_string()))
            })?;
            let Some((kind, session)) = of.filter(|(_, session)| !session.is_empty()) else {
                continue;
            };
            if kind == EventKind::SessionChanged {
                changed.insert(session);
            } else {
                let first = firsts.entry(session).or_insert(order);
                *first = (*first).min(order);
            }
        }
        for (session, order) in firsts {
            if let Some(first) = self.first_of_session(&session)?
                && order < self.record_orders_of(&[first])?[0]
            {
                changed.insert(session);
            }
        }
        self.recompute_sessions(&changed)
    }

    /// The event that gave a session its project.
    fn first_of_session(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.live_session(name)?.map(|row| row.first_seq))
    }

    /// The number of a session's project; `None` if there is no such session.
    pub(in crate::store) fn session_project(&self, name: &str) -> Result<Option<u32>> {
        Ok(self.live_session(name)?.map(|row| row.project))
    }

    /// The name of a session's project; `None` if there is no such session.
    pub(crate) fn name_of_session_project(&self, name: &str) -> Result<Option<String>> {
        let Some(project) = self.session_project(name)? else {
            return Ok(None);
        };
        let table = self.transaction.open_table(tables::NAME_OF)?;
        let name = table.get(tables::number_key(Facet::Project, project).as_slice())?;
        Ok(name.map(|name| String::from_utf8_lossy(name.value()).into_owned()))
    }

    fn live_session(&self, name: &str) -> Result<Option<SessionRow>> {
        let names = self.transaction.open_table(tables::NAMES)?;
        let key = tables::name_key(Facet::Session, name);
        let Some(session) = names.get(key.as_slice())?.map(|number| number.value()) else {
            return Ok(None);
        };
        let sessions = self.transaction.open_table(tables::SESSIONS)?;
        let row = sessions.get(session)?;
        let row = row.map(|row| SessionRow::decode(row.value())).transpose()?;
        Ok(row.filter(SessionRow::is_live))
    }

    /// Like [`WriteTx::recompute_sessions`], for every session whose events may be in another order
    /// than that of the log from which the tables were built.
    pub(in crate::store) fn recompute_reordered_sessions(&self, log: &Log<'_>) -> Result<()> {
        if !self.state.may_be_reordered() {
            return Ok(());
        }
        match log {
            Log::Own => self.recompute_reordered_in(&self.transaction.open_table(tables::EVENTS)?),
            Log::Other(events) => self.recompute_reordered_in(*events),
        }
    }

    fn recompute_reordered_in(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
    ) -> Result<()> {
        self.recompute_sessions_in(events, &self.reordered_sessions(events)?)
    }

    /// The sessions to which another store contributed, and those with events from after this
    /// store's clock was set right.
    fn reordered_sessions(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
    ) -> Result<BTreeSet<String>> {
        let stamps = self.transaction.open_table(tables::STAMPS)?;
        let orders = RecordOrders::new(self.store_key()?, self.aliases()?, stamps);
        let mut names = BTreeSet::new();
        let mut last_own = RecordOrder::default();
        for entry in events.iter()? {
            let (seq, bytes) = entry?;
            let view = RecordView::new(seq.value(), bytes.value())?;
            if view.is_erased() {
                continue;
            }
            let record = view.archive()?;
            let order = orders.of(seq.value(), &record)?;
            let is_late = record.foreign.is_some() || order < last_own;
            if is_late && !names.contains(record.session.as_str()) {
                names.insert(record.session.to_string());
            }
            if record.foreign.is_none() {
                last_own = last_own.max(order);
            }
        }
        Ok(names)
    }

    fn recompute_sessions_in(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        sessions: &BTreeSet<String>,
    ) -> Result<()> {
        let open = &self.transaction;
        let names = open.open_table(tables::NAMES)?;
        let mut rows = open.open_table(tables::SESSIONS)?;
        let mut by_project = open.open_table(tables::PROJECT_SESSIONS)?;
        for name in sessions {
            let key = tables::name_key(Facet::Session, name);
            let Some(session) = names.get(key.as_slice())?.map(|number| number.value()) else {
                continue;
            };
            let Some(row) = rows.get(session)?.map(|row| row.value().to_vec()) else {
                continue;
            };
            let row = SessionRow::decode(&row)?;
            let before = row.project_key(session);
            let row = self.session_row_again(events, &names, session, row.emptied(name))?;
            rows.insert(session, row.encode().as_slice())?;
            move_session(&mut by_project, before, row.project_key(session))?;
        }
        Ok(())
    }

    /// The row of a session, recomputed from its live events in record order.
    pub(in crate::store) fn session_row_again(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        names: &impl ReadableTable<&'static [u8], u32>,
        session: u32,
        mut row: SessionRow,
    ) -> Result<SessionRow> {
        for seq in self.ordered_events(events, session)? {
            let bytes = events
                .get(seq)?
                .ok_or_else(|| crate::store::database::panics::missing_record(seq))?;
            let view = RecordView::new(seq, bytes.value())?;
            let record = view.archive()?;
            let key = tables::name_key(Facet::Project, record.project.as_str());
            let project = names
                .get(key.as_slice())?
                .map_or(0, |number| number.value());
            row.take(view.kind(), seq, record.timestamp_ms, project);
            if let Some((update, moves)) = session_update(&view)? {
                row.change(&update, moves.then_some(project));
            }
        }
        Ok(row)
    }

    /// The live events of a session, and the library's records in it.
    fn ordered_events(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        session: u32,
    ) -> Result<Vec<u64>> {
        let open = &self.transaction;
        let first = tables::session_event_key(session, &[0; 16]);
        let last = tables::session_event_key(session, &[0xff; 16]);
        let mut live: Vec<u64> = open
            .open_table(tables::SESSION_EVENTS)?
            .range(first.as_slice()..=last.as_slice())?
            .map(|entry| Ok(tables::seq_of(entry?.0.value())))
            .collect::<Result<_>>()?;
        let first = tables::facet_key(Facet::Session, session, &[0; 16]);
        let last = tables::facet_key(Facet::Session, session, &[0xff; 16]);
        let by_facet = open.open_table(tables::BY_FACET)?;
        for entry in by_facet.range(first.as_slice()..=last.as_slice())? {
            live.push(tables::seq_of(entry?.0.value()));
        }
        live.sort_unstable();
        if !self.state.may_be_reordered() {
            return Ok(live);
        }
        let mut ordered: Vec<(RecordOrder, u64)> = self
            .all_record_orders(events, &live)?
            .into_iter()
            .zip(live)
            .collect();
        ordered.sort_unstable();
        Ok(ordered.into_iter().map(|(_, seq)| seq).collect())
    }
}
