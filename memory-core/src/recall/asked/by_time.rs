//! Answers a question that asks only about a time ("what did we do yesterday?") with the
//! events of that time.
//!
//! Sessions are taken in turn, the newest first. Within a session the summaries come first,
//! then prompts, responses and tool calls, each in chronological order.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::engine::recall_cache::UndatedResult;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, Origin};
use crate::model::query::{Hit, Query, SearchResult};
use crate::model::time::Timestamp;
use crate::recall::asked::narrowing::{Narrowing, before};
use crate::recall::learned;
use crate::recall::ranking::candidate::first_of;
use crate::recall::ranking::searching::{Lack, Search};
use crate::recall::shown::hits::hit;
use crate::recall::shown::read::is_question;
use crate::rules::matching::{MatchClass, MatchParts};
use crate::rules::relevance::Features;
use crate::rules::times::{NamedTimes, TimeSpan};
use crate::store::log::scan::Wanted;

/// How many events of a time are considered, newest first, of those that pass the filters; a year
/// may have a million.
const MAX_LOOKED_AT: usize = 1_024;

/// How many times as many are looked at next, while filters leave too few.
const WIDER: usize = 4;

/// The relevance of an event that matches only by time: one of many. Chosen by hand; it falls
/// in the class "suggested".
const RELEVANCE: f32 = 0.5;

/// What is known about an event before it is selected.
struct Glance {
    at: Timestamp,
    seq: u64,
    session: String,
    kind: EventKind,
}

impl Search<'_> {
    /// The events of the times that the question names; `None` if there are none, and then
    /// its words are searched.
    pub(in crate::recall) fn by_time(&self, times: &NamedTimes) -> Result<Option<UndatedResult>> {
        let mut events = Vec::new();
        for span in &times.spans {
            self.glance_at(*span, &mut events)?;
        }
        let has_damage = self.narrowing.as_ref().is_some_and(Narrowing::has_damage);
        self.note(!has_damage, Lack::Record);
        if events.is_empty() {
            return Ok(None);
        }
        // The times stand in the order of the question, and may overlap.
        events.sort_by_key(|event: &Glance| Reverse((event.at, event.seq)));
        events.dedup_by_key(|event| event.seq);
        let total_matches = events.len();
        let least = self.query.min_relevance.unwrap_or(0.0);
        let items = match RELEVANCE >= least {
            true => self.hits_at(in_turn(events), total_matches)?,
            false => Vec::new(),
        };
        let mut result = SearchResult {
            items,
            total_matches,
            ..SearchResult::default()
        };
        if !result.items.is_empty() {
            result.confidence = MatchClass::Suggested;
        }
        self.add_learned(times, &mut result)?;
        let parts = vec![
            MatchParts {
                semantic: 0.0,
                lexical: 0.0,
                age_days: 0.0,
                is_active: true,
            };
            result.items.len()
        ];
        Ok(Some(UndatedResult {
            features: vec![Features::default(); result.items.len()],
            parts,
            result,
            stale_at: None,
            keeps_class: true,
        }))
    }

    /// The hits for these events, up to the limit of the query.
    fn hits_at(&self, chosen: Vec<u64>, total_matches: usize) -> Result<Vec<Hit>> {
        let secret = self.read.secret();
        let mut hits = Vec::new();
        for (place, seq) in chosen.into_iter().enumerate() {
            if hits.len() == self.limit {
                break;
            }
            match self.read.event_at(seq) {
                Ok(Some(event)) => {
                    let shown = first_of(secret, &event);
                    let rank = 1.0 - place as f32 / total_matches as f32;
                    hits.push(hit(secret, event, shown, rank, RELEVANCE));
                }
                Ok(None) => {}
                Err(error) if error.code() == ErrorCode::Corrupt => self.note(false, Lack::Record),
                Err(error) => return Err(error),
            }
        }
        Ok(hits)
    }

    /// Adds the newest events of a span that match the query.
    fn glance_at(&self, span: TimeSpan, events: &mut Vec<Glance>) -> Result<()> {
        let wanted = self.wanted_in(span);
        if let Some(listed) = &self.resolved.seqs {
            let newest = listed.iter().rev();
            events.extend(self.glances(newest.copied(), &wanted, usize::MAX)?);
            return Ok(());
        }
        let (mut found, mut seen, mut most) = (0, 0, MAX_LOOKED_AT);
        // No index knows all of the filters, so those that pass may lie further back.
        loop {
            let candidates = self.read.newest_candidates(&wanted, most)?;
            let further = candidates.iter().skip(seen).copied();
            let glances = self.glances(further, &wanted, MAX_LOOKED_AT - found)?;
            (found, seen) = (found + glances.len(), candidates.len());
            events.extend(glances);
            if found == MAX_LOOKED_AT || seen < most {
                return Ok(());
            }
            if !self.has_time() {
                self.note(false, Lack::Time);
                return Ok(());
            }
            most *= WIDER;
        }
    }

    /// The first `most` of these events that match, as far as there is time.
    fn glances(
        &self,
        seqs: impl Iterator<Item = u64>,
        wanted: &Wanted,
        most: usize,
    ) -> Result<Vec<Glance>> {
        let mut found = Vec::new();
        for seq in seqs {
            if found.len() == most {
                break;
            }
            if !self.has_time() {
                self.note(false, Lack::Time);
                break;
            }
            match self.glance(seq, wanted) {
                Ok(glance) => found.extend(glance),
                Err(error) if error.code() == ErrorCode::Corrupt => self.note(false, Lack::Record),
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// An event if it matches the query and these filters.
    fn glance(&self, seq: u64, wanted: &Wanted) -> Result<Option<Glance>> {
        let skipped = &self.query.skipped;
        let is_skipped = skipped.seqs.contains(&seq) || skipped.known.contains(&seq);
        if is_skipped || !self.admits_record(seq)? {
            return Ok(None);
        }
        let glance = self.read.with_record(seq, |view| {
            let record = view.archive()?;
            let is_recalled = record.origin == Origin::Recalled as u8;
            let at = Timestamp::from_millis_clamped(record.timestamp_ms);
            let repeats = || {
                let question = skipped.question.as_ref();
                view.kind() == EventKind::UserPrompt
                    && question
                        .is_some_and(|question| is_question(record.content.as_str(), question))
            };
            let is_left_out = || {
                (is_recalled && !self.query.include_recalled)
                    || skipped.has_said(record.session.as_str(), at)
                    || repeats()
            };
            Ok((view.fits(wanted)? && !is_left_out()).then(|| Glance {
                at,
                seq,
                session: record.session.to_string(),
                kind: view.kind(),
            }))
        })?;
        Ok(glance.flatten())
    }

    /// The query's filters, within a span.
    fn wanted_in(&self, span: TimeSpan) -> Wanted {
        let query = self.query;
        let narrowing = self.narrowing.as_ref();
        let until = before(query).map(Timestamp::from_millis_clamped);
        Wanted {
            session: query.session.clone(),
            project: query.project.resolve(&self.engine.project),
            kinds: query.kinds.clone(),
            from: Some(query.from.map_or(span.from, |from| from.max(span.from))),
            until: Some(until.map_or(span.until, |until| until.min(span.until))),
            call: narrowing.map(Narrowing::call).cloned().unwrap_or_default(),
            newest_first: true,
            ..Wanted::default()
        }
    }

    /// Adds what was said in that time of the kind that the question asks for.
    fn add_learned(&self, times: &NamedTimes, result: &mut SearchResult) -> Result<()> {
        let query = Query {
            text: times.rest.clone(),
            ..self.query.clone()
        };
        let most = self.query.learned_limit.unwrap_or(self.limit);
        match learned::find_of_times(self, &query, most, &times.spans) {
            Err(error) if error.code() == ErrorCode::Corrupt => self.note(false, Lack::Learned),
            learned => {
                let learned = learned?;
                result.learned = learned.hits;
                self.note(learned.is_whole, Lack::Learned);
            }
        }
        Ok(())
    }
}

/// Interleaves the sessions, newest first, one event from each per round. Expects the newest
/// event first.
fn in_turn(events: Vec<Glance>) -> Vec<u64> {
    let mut sessions: Vec<Vec<(usize, u64)>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let count = events.len();
    for event in events.into_iter().rev() {
        let place = *places.entry(event.session).or_insert(sessions.len());
        if place == sessions.len() {
            sessions.push(Vec::new());
        }
        let weight = match event.kind {
            EventKind::SessionSummary => 0,
            EventKind::UserPrompt => 1,
            EventKind::AgentResponse => 2,
            _ => 3,
        };
        sessions[place].push((weight, event.seq));
    }
    for session in &mut sessions {
        // The sort is stable, so equal weights stay in chronological order.
        session.sort_by_key(|(weight, _)| *weight);
    }
    let mut chosen = Vec::with_capacity(count);
    for place in 0..count {
        let round = sessions
            .iter()
            .rev()
            .filter_map(|session| session.get(place));
        chosen.extend(round.map(|(_, seq)| *seq));
        if chosen.len() == count {
            break;
        }
    }
    chosen
}
