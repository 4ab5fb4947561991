//! Lists, from indexes, what was learned in the session or from the few events that a query
//! is limited to, so that better matches elsewhere cannot crowd it out and the size of the
//! rest does not matter.

use crate::model::error::{ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::learned::LearnedKind;
use crate::projection::edges::{self, Way};
use crate::projection::{entries, rows};
use crate::recall::learned::finder::Finder;
use crate::rules::entries::MemoryResolution;
use crate::rules::graph::{NodeType, Relation};
use crate::rules::tasks::TaskEvent;
use crate::store::index_tables::learned::LearnedRow;
use crate::store::log::scan::Wanted;
use crate::store::projected_rows::projected::{RowKind, Rows};

/// How many items may be looked up for such a list, a millisecond or two. Beyond that,
/// everything is searched.
const MAX_LISTED: usize = 512;

impl Finder<'_> {
    /// The items of these kinds that may match the query; `None` if it is limited to neither
    /// a session nor certain events, or if too many would have to be looked up.
    pub(super) fn listed(&self, kinds: u64) -> Result<Option<Vec<LearnedRow>>> {
        let mut listed = Listed::default();
        let is_listed = self
            .list_by_events(kinds, &mut listed)
            .and_then(|is_listed| {
                if is_listed {
                    return Ok(true);
                }
                listed = Listed::default();
                self.list_by_session(kinds, &mut listed)
            });
        match is_listed {
            // The search of everything leaves out what cannot be read.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
            is_listed => Ok(is_listed?.then_some(listed.found)),
        }
    }

    /// Lists what was learned from the events to which the query limits proofs. False if they
    /// are not known.
    fn list_by_events(&self, kinds: u64, listed: &mut Listed) -> Result<bool> {
        let proofs = match self.narrowing {
            Some(narrowing) => narrowing.proofs(listed.left())?,
            None => None,
        };
        let Some(proofs) = proofs else {
            return Ok(false);
        };
        for id in self.ids(&proofs)? {
            let made = edges::at_node(
                self.rows,
                Way::Out,
                &id,
                Some(Relation::SourceOf),
                None,
                listed.left(),
            )?;
            for edge in made {
                let row_kind = match edge.ends.destination_type {
                    NodeType::Entry => RowKind::Entry,
                    _ => RowKind::Task,
                };
                listed.add(row_kind, &edge.ends.destination_id);
            }
            self.list_memory_of(&id, listed)?;
            if !listed.look() {
                return Ok(false);
            }
        }
        self.list_meant(listed)?;
        if kinds & LearnedKind::Insight.bit() != 0 {
            self.list_insights(listed)?;
        }
        Ok(!listed.is_too_much())
    }

    /// Lists what was learned in the session. False if the query has none, or if it is too
    /// much.
    fn list_by_session(&self, kinds: u64, listed: &mut Listed) -> Result<bool> {
        let Some(session) = &self.query.session else {
            return Ok(false);
        };
        let wants = |kind: LearnedKind| kinds & kind.bit() != 0;
        if wants(LearnedKind::Entry) {
            self.list_entries(session, listed)?;
        }
        if wants(LearnedKind::Task) {
            self.list_tasks(session, listed)?;
        }
        if wants(LearnedKind::Insight) {
            self.list_insights(listed)?;
        }
        if wants(LearnedKind::Memory) {
            let seqs = self.events(session, Vec::new(), listed)?;
            for id in self.ids(&seqs)? {
                self.list_memory_of(&id, listed)?;
            }
        }
        Ok(!listed.is_too_much())
    }

    fn list_entries(&self, session: &str, listed: &mut Listed) -> Result<()> {
        let of_session = entries::Group::OfSession(session);
        entries::each_id(self.rows, of_session, &mut |id| {
            Ok(listed.add(RowKind::Entry, id))
        })?;
        self.list_meant(listed)
    }

    /// Adds the entries that were resolved to one listed so far, because a question in their
    /// words means that one.
    fn list_meant(&self, listed: &mut Listed) -> Result<()> {
        let own = listed.found.clone();
        rows::scan::<MemoryResolution>(self.rows, &[], &mut |_, resolution| {
            let target = resolution.resolved_to.as_ref();
            Ok(
                match target.is_some_and(|to| own.iter().any(|row| row.id == *to)) {
                    true => listed.add(RowKind::Entry, &resolution.condition_id),
                    false => listed.look(),
                },
            )
        })
    }

    /// Lists the tasks that were changed in the session.
    fn list_tasks(&self, session: &str, listed: &mut Listed) -> Result<()> {
        let all = EventKind::ALL.iter().copied();
        let kinds = all.filter(|kind| TaskEvent::is_kind(*kind)).collect();
        for seq in self.events(session, kinds, listed)? {
            if let Some(event) = self.read.event_at(seq)?
                && let Ok(act) = TaskEvent::from_json(event.kind, session, &rows::payload(&event))
            {
                listed.add(RowKind::Task, act.subject().as_str());
            }
        }
        Ok(())
    }

    /// Lists all insights: they are few, and only their rows name their events.
    fn list_insights(&self, listed: &mut Listed) -> Result<()> {
        self.rows.scan(RowKind::Insight, &[], None, &mut |key, _| {
            Ok(listed.add(RowKind::Insight, &String::from_utf8_lossy(key)))
        })
    }

    /// Lists the consolidated memory that contains an event.
    fn list_memory_of(&self, id: &str, listed: &mut Listed) -> Result<()> {
        if let Some(memory) = self.rows.get(RowKind::ConsolidatedEvent, id.as_bytes())? {
            listed.add(RowKind::Consolidated, &String::from_utf8_lossy(&memory));
        }
        Ok(())
    }

    /// The ids of events.
    fn ids(&self, seqs: &[u64]) -> Result<Vec<String>> {
        let mut ids = Vec::with_capacity(seqs.len());
        for seq in seqs {
            let id = self.read.with_record(*seq, |view| Ok(view.archive()?.id))?;
            ids.extend(id.map(|id| EventId::from_bytes(id).to_string()));
        }
        Ok(ids)
    }

    /// The session's events of some kinds; empty if there are too many.
    fn events(
        &self,
        session: &str,
        kinds: Vec<EventKind>,
        listed: &mut Listed,
    ) -> Result<Vec<u64>> {
        let wanted = Wanted {
            session: Some(session.to_owned()),
            kinds,
            ..Wanted::default()
        };
        let seqs = self.read.few_candidates(&wanted, listed.left())?;
        if seqs.is_none() {
            listed.looked_at = MAX_LISTED + 1;
        }
        Ok(seqs.unwrap_or_default())
    }
}

/// What is listed so far.
#[derive(Default)]
struct Listed {
    found: Vec<LearnedRow>,
    looked_at: usize,
}

impl Listed {
    /// Adds an item once. False when that exceeds the limit.
    fn add(&mut self, row_kind: RowKind, id: &str) -> bool {
        let id = id.to_owned();
        let row = LearnedRow { row_kind, id };
        if !self.found.contains(&row) {
            self.found.push(row);
        }
        self.look()
    }

    /// Counts one lookup. False when that exceeds the limit.
    fn look(&mut self) -> bool {
        self.looked_at += 1;
        !self.is_too_much()
    }

    fn left(&self) -> usize {
        MAX_LISTED.saturating_sub(self.looked_at)
    }

    fn is_too_much(&self) -> bool {
        self.looked_at > MAX_LISTED
    }
}
