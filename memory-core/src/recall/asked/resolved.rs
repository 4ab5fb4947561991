//! A query's names, resolved to the numbers by which the indexes filter.

use crate::engine::embedding::Scope;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::EventFacts;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::Origin;
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::recall::asked::narrowing::{Narrowing, before, only_calls};
use crate::store::ReadTx;
use crate::store::log::session::SessionRow;
use crate::store::tables::Facet;

/// The query's names resolved to the numbers that the index uses.
pub(in crate::recall) struct Resolved {
    sessions: Option<[u32; 1]>,
    /// The first and the last event of the session.
    positions: Option<(u64, u64)>,
    projects: Option<[u32; 1]>,
    kinds: Option<u64>,
    /// The matching events, ascending, if they were listed.
    pub(in crate::recall) seqs: Option<Vec<u64>>,
    from: Option<i64>,
    before: Option<i64>,
    /// One bit per excluded origin.
    without_origins: u32,
    /// A session that is known from a moment on.
    pub(in crate::recall) known_session: Option<(u32, i64)>,
}

impl Resolved {
    /// `None` if a name is unknown, so that nothing can match.
    pub(in crate::recall) fn new(
        read: &ReadTx,
        query: &Query,
        own_project: &str,
        narrowing: Option<&Narrowing<'_>>,
    ) -> Result<Option<Self>> {
        let mut resolved = Resolved {
            sessions: None,
            positions: None,
            projects: None,
            kinds: None,
            seqs: None,
            from: query.from.map(Timestamp::millis),
            before: before(query),
            without_origins: if query.include_recalled {
                0
            } else {
                1 << Origin::Recalled as u8
            },
            known_session: None,
        };
        if let Some((name, since)) = &query.skipped.session {
            let number = read.number(Facet::Session, name)?;
            resolved.known_session = number.map(|number| (number, since.millis()));
        }
        if let Some(session) = &query.session {
            let Some(number) = read.number(Facet::Session, session)? else {
                return Ok(None);
            };
            resolved.sessions = Some([number]);
            resolved.positions = positions_of(read, number)?;
        }
        if let Some(project) = query.project.resolve(own_project) {
            let Some(number) = read.number(Facet::Project, &project)? else {
                return Ok(None);
            };
            resolved.projects = Some([number]);
        }
        if !query.kinds.is_empty() {
            let bits = query
                .kinds
                .iter()
                .fold(0, |bits, kind| bits | 1u64 << kind.number());
            resolved.kinds = Some(bits);
        }
        if let Some(narrowing) = narrowing {
            if narrowing.wants_calls() {
                resolved.kinds = Some(only_calls(resolved.kinds));
            }
            resolved.seqs = narrowing.listed()?;
        }
        Ok(Some(resolved))
    }

    /// The query's filter of the index. It admits what is known.
    pub(in crate::recall) fn filter<'a>(
        &'a self,
        is_deleted: &'a (dyn Fn(u64) -> bool + Sync),
    ) -> Filter<'a> {
        Filter {
            sessions: self.sessions.as_ref().map(<[u32; 1]>::as_slice),
            projects: self.projects.as_ref().map(<[u32; 1]>::as_slice),
            kinds: self.kinds,
            seqs: self.seqs.as_deref(),
            from_seq: self.positions.map(|(first, _)| first),
            until_seq: self.positions.map(|(_, last)| last),
            from: self.from,
            before: self.before,
            without_origins: self.without_origins,
            counts_exactly: true,
            is_deleted: Some(is_deleted),
            ..Filter::default()
        }
    }

    /// The same for the vector retriever.
    pub(in crate::recall) fn scope<'a>(
        &'a self,
        admits: &'a dyn Fn(&EventFacts) -> Result<bool>,
        has_time: &'a dyn Fn() -> bool,
    ) -> Scope<'a> {
        let (session, project) = (
            self.sessions.map(|sessions| sessions[0]),
            self.projects.map(|projects| projects[0]),
        );
        let filters_more = self.kinds.is_some() || self.from.is_some() || self.before.is_some();
        Scope {
            session,
            project,
            is_filtered: filters_more || session.is_some() || project.is_some(),
            filters_facts: filters_more || (session.is_some() && project.is_some()),
            admits,
            has_time,
            seqs: self.seqs.as_deref(),
        }
    }

    /// Whether an event found through its neighbours matches the query.
    pub(in crate::recall) fn admits(&self, facts: &EventFacts) -> bool {
        self.sessions
            .is_none_or(|sessions| sessions[0] == facts.session)
            && self
                .projects
                .is_none_or(|projects| projects[0] == facts.project)
            && self
                .kinds
                .is_none_or(|kinds| kinds >> facts.kind.min(63) & 1 == 1)
            && self.from.is_none_or(|from| facts.timestamp >= from)
            && self.before.is_none_or(|before| facts.timestamp < before)
            && self.without_origins >> facts.origin.min(31) & 1 == 0
    }

    /// Whether an event is one of the session that is known.
    pub(in crate::recall) fn is_known(&self, facts: &EventFacts) -> bool {
        let known = self.known_session;
        known.is_some_and(|(session, since)| facts.session == session && facts.timestamp >= since)
    }
}

/// The first and last event of a session, unless its row is damaged.
fn positions_of(read: &ReadTx, session: u32) -> Result<Option<(u64, u64)>> {
    match read.session_row(session) {
        // The index finds the session's events without it.
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
        row => Ok(row?
            .filter(SessionRow::is_live)
            .map(|row| (row.first_seq, row.last_seq))),
    }
}
