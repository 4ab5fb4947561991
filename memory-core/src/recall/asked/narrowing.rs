//! Narrows a search by what its index does not hold: tool calls and levels.
//!
//! If few events can match, they are listed up front from the log's indexes or by level, and
//! the search looks only at them. Otherwise each one is looked up when it is found, until the
//! search has enough.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::{EventId, EventRef};
use crate::model::learned::Level;
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::projection::levels;
use crate::recall::shown::read::wanted_call;
use crate::store::ReadTx;
use crate::store::index_tables::calls::WantedCall;
use crate::store::log::scan::Wanted;
use crate::store::projected_rows::projected::{Projected, RowKind, Rows as _};

/// The maximum number of events listed, a few milliseconds of work; beyond that, looking up
/// the matches is faster.
const MAX_LISTED: usize = 4_096;

/// So few events are listed whatever else could be.
const FEW_LISTED: usize = 256;

/// The part of a query that only records and levels can decide.
pub(in crate::recall) struct Narrowing<'a> {
    read: &'a ReadTx,
    rows: Projected,
    /// Every condition but the level.
    wanted: Wanted,
    min_level: Option<Level>,
    /// The results of earlier lookups.
    known: RefCell<HashMap<u64, bool>>,
    has_damage: Cell<bool>,
}

impl<'a> Narrowing<'a> {
    /// `None` if the search index can decide the whole query.
    ///
    /// # Errors
    /// `invalid_argument` for names that no call can have.
    pub(in crate::recall) fn of(
        engine: &Engine,
        read: &'a ReadTx,
        query: &Query,
    ) -> Result<Option<Self>> {
        let call = wanted_call(
            engine,
            &query.tools,
            query.file_contains.as_deref(),
            query.tool_outcome,
        )?;
        let min_level = query.min_level.filter(|level| *level > Level::L0);
        if call.is_anything() && min_level.is_none() {
            return Ok(None);
        }
        Ok(Some(Narrowing {
            read,
            rows: read.projected()?,
            wanted: Wanted {
                repeats: None,
                session: query.session.clone(),
                project: query.project.resolve(&engine.project),
                kinds: query.kinds.clone(),
                from: query.from,
                until: before(query).map(Timestamp::from_millis_clamped),
                call,
                newest_first: false,
            },
            min_level,
            known: RefCell::default(),
            has_damage: Cell::new(false),
        }))
    }

    /// Which tool calls match.
    pub(in crate::recall) fn call(&self) -> &WantedCall {
        &self.wanted.call
    }

    /// Whether only tool calls match.
    pub(in crate::recall) fn wants_calls(&self) -> bool {
        !self.wanted.call.is_anything()
    }

    /// Whether a record could not be read, so that an event may be missing.
    pub(in crate::recall) fn has_damage(&self) -> bool {
        self.has_damage.get()
    }

    /// The matching events, ascending, if they can be found without examining many.
    pub(in crate::recall) fn listed(&self) -> Result<Option<Vec<u64>>> {
        // A session of a few events is read sooner than everything that has risen.
        let few = match self.min_level {
            Some(_) => self.read.few_candidates(&self.wanted, FEW_LISTED)?,
            None => None,
        };
        let candidates = match few {
            Some(few) => Some(few),
            None => self.risen()?,
        };
        let candidates = match candidates {
            Some(few) => Some(few),
            None => self.read.few_candidates(&self.wanted, MAX_LISTED)?,
        };
        let Some(candidates) = candidates else {
            return Ok(None);
        };
        let mut fitting = Vec::with_capacity(candidates.len());
        for seq in candidates {
            if self.admits(seq)? {
                fitting.push(seq);
            }
        }
        Ok(Some(fitting))
    }

    /// The events at or above the minimum level, ascending, if there is one and they are few.
    fn risen(&self) -> Result<Option<Vec<u64>>> {
        let Some(least) = self.min_level else {
            return Ok(None);
        };
        let mut ids = Vec::new();
        for level in Level::ALL.iter().filter(|level| **level >= least) {
            let prefix = levels::level_key(*level, "");
            self.rows
                .scan(RowKind::LevelOf, &prefix, None, &mut |key, _| {
                    ids.push(String::from_utf8_lossy(&key[prefix.len()..]).into_owned());
                    Ok(ids.len() <= MAX_LISTED)
                })?;
        }
        if ids.len() > MAX_LISTED {
            return Ok(None);
        }
        let mut seqs = Vec::with_capacity(ids.len());
        for id in ids {
            if let Ok(id) = id.parse::<EventId>() {
                seqs.extend(self.read.seq_of(&EventRef::Id(id))?);
            }
        }
        seqs.sort_unstable();
        Ok(Some(seqs))
    }

    /// Whether an event matches; one with a damaged record does not.
    pub(in crate::recall) fn admits(&self, seq: u64) -> Result<bool> {
        if let Some(known) = self.known.borrow().get(&seq) {
            return Ok(*known);
        }
        let fits = match self.look_up(seq) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.has_damage.set(true);
                false
            }
            fits => fits?,
        };
        self.known.borrow_mut().insert(seq, fits);
        Ok(fits)
    }

    fn look_up(&self, seq: u64) -> Result<bool> {
        let id = self.read.with_record(seq, |view| {
            let fits = view.fits(&self.wanted)?;
            Ok(match fits {
                true => Some(EventId::from_bytes(view.archive()?.id)),
                false => None,
            })
        })?;
        let Some(id) = id.flatten() else {
            return Ok(false);
        };
        match self.min_level {
            Some(least) => Ok(levels::level(&self.rows, &id.to_string())? >= least),
            None => Ok(true),
        }
    }

    /// The events that may prove learned items, ascending, if there are at most `most`.
    pub(in crate::recall) fn proofs(&self, most: usize) -> Result<Option<Vec<u64>>> {
        if !self.wants_calls() {
            return Ok(self.risen()?.filter(|risen| risen.len() <= most));
        }
        let wanted = Wanted {
            kinds: vec![EventKind::ToolObservation],
            call: self.wanted.call.clone(),
            ..Wanted::default()
        };
        self.read.few_candidates(&wanted, most)
    }

    /// Whether an event that proves something is a wanted call; true if the query has no
    /// condition on calls.
    pub(in crate::recall) fn is_wanted_proof(&self, seq: u64) -> Result<bool> {
        if !self.wants_calls() {
            return Ok(true);
        }
        let call = &self.wanted.call;
        let fits = self
            .read
            .with_record(seq, |view| Ok(call.fits(view.archive()?.tool.as_ref())))?;
        Ok(fits.unwrap_or(false))
    }

    /// Whether a learned item has a high enough level.
    pub(in crate::recall) fn is_high_enough(&self, level: Level) -> bool {
        self.min_level.is_none_or(|least| level >= least)
    }
}

/// The tool call kinds among the kinds of a query, one bit each.
pub(in crate::recall) fn only_calls(kinds: Option<u64>) -> u64 {
    let call = 1 << EventKind::ToolObservation.number();
    kinds.map_or(call, |kinds| kinds & call)
}

/// The first moment that is too late, in milliseconds.
pub(in crate::recall) fn before(query: &Query) -> Option<i64> {
    let until = query.until.map(Timestamp::millis);
    let known = query.as_of.map(|at| at.millis().saturating_add(1));
    until.into_iter().chain(known).min()
}
