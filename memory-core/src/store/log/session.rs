//! The row of a session, kept next to its events so that a session's figures never need a
//! scan.

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::session::SessionUpdate;
use crate::store::database::checked::{ReadableTable, Table};
use crate::store::meta::{Reader, put_text, seal};
use crate::store::tables::{self, ProjectSessionKey};

/// What the store knows about a session without reading its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionRow {
    pub(crate) name: String,
    pub(crate) project: u32,
    pub(crate) started_ms: i64,
    pub(crate) last_ms: i64,
    pub(crate) ended_ms: Option<i64>,
    pub(crate) summary: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Whether its start and project were set explicitly, so that no event changes them.
    pub(crate) is_start_set: bool,
    pub(crate) is_project_set: bool,
    /// The event that determines the session's project: in record order the first message, or the
    /// first library record while there are no messages.
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    /// The ordinal of the next prompt or response.
    pub(crate) next_turn: u32,
    /// The number of private sections removed from its events, including forgotten ones.
    pub(crate) private_sections: u64,
    pub(crate) events: u64,
    pub(crate) prompts: u64,
    pub(crate) responses: u64,
    pub(crate) tools: u64,
}

impl SessionRow {
    /// The part of a session's row that does not depend on which of its events are live.
    pub(crate) fn emptied(&self, name: &str) -> Self {
        SessionRow {
            name: name.to_owned(),
            next_turn: self.next_turn,
            private_sections: self.private_sections,
            ..SessionRow::default()
        }
    }

    /// Whether the session has any live events. A row without one is kept for its next
    /// turn, so that ordinals are never reused, and for what the filter removed.
    pub(crate) fn is_live(&self) -> bool {
        self.first_seq != 0
    }

    /// Whether all that was said in it was forgotten, and nobody gave it a summary or tags: what the
    /// library recorded when it read the session is no session.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.events == 0 && self.next_turn > 0 && self.summary.is_none() && self.tags.is_empty()
    }

    /// Accounts for a live event. Events come in log order; messages take precedence over
    /// library records, whichever came first.
    pub(crate) fn take(&mut self, kind: EventKind, seq: u64, at: i64, project: u32) {
        let is_first = match kind.is_conversation() {
            true => self.events == 0,
            false => !self.is_live(),
        };
        if is_first {
            (self.first_seq, self.last_ms) = (seq, at);
            if !self.is_project_set {
                self.project = project;
            }
            if !self.is_start_set {
                self.started_ms = at;
            }
        }
        self.last_seq = self.last_seq.max(seq);
        if kind.is_conversation() {
            if !self.is_start_set {
                self.started_ms = self.started_ms.min(at);
            }
            self.last_ms = self.last_ms.max(at);
            self.events += 1;
        }
        match kind {
            EventKind::UserPrompt => self.prompts += 1,
            EventKind::AgentResponse => self.responses += 1,
            EventKind::ToolObservation => self.tools += 1,
            _ => {}
        }
    }

    /// Applies an explicit change; `project` is the number of the new project, if any.
    pub(crate) fn change(&mut self, update: &SessionUpdate, project: Option<u32>) {
        if let Some(project) = project {
            self.project = project;
            self.is_project_set = true;
        }
        if let Some(started) = update.started {
            self.started_ms = started.millis();
            self.is_start_set = true;
        }
        if let Some(ended) = update.ended {
            self.ended_ms = Some(ended.millis());
        }
        if let Some(summary) = &update.summary {
            self.summary = Some(summary.clone());
        }
        if let Some(tags) = &update.tags {
            self.tags.clone_from(tags);
        }
    }

    /// The key under which the session is found by its project, if it is.
    pub(in crate::store) fn project_key(&self, session: u32) -> Option<ProjectSessionKey> {
        self.is_live()
            .then(|| tables::project_session_key(self.project, self.last_ms, session))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        out.push(1);
        put_text(&mut out, &self.name);
        out.extend_from_slice(&self.project.to_le_bytes());
        out.extend_from_slice(&self.started_ms.to_le_bytes());
        out.extend_from_slice(&self.last_ms.to_le_bytes());
        out.push(u8::from(self.ended_ms.is_some()));
        out.extend_from_slice(&self.ended_ms.unwrap_or(0).to_le_bytes());
        out.push(u8::from(self.summary.is_some()));
        put_text(&mut out, self.summary.as_deref().unwrap_or(""));
        out.extend_from_slice(&(self.tags.len() as u32).to_le_bytes());
        for tag in &self.tags {
            put_text(&mut out, tag);
        }
        out.extend_from_slice(&self.next_turn.to_le_bytes());
        for number in [
            self.first_seq,
            self.last_seq,
            self.events,
            self.prompts,
            self.responses,
            self.tools,
            self.private_sections,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(u8::from(self.is_start_set) | u8::from(self.is_project_set) << 1);
        seal(out)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::unseal("session row", bytes)?;
        from.version(1)?;
        let mut row = SessionRow {
            name: from.text()?,
            project: from.u32()?,
            started_ms: from.i64()?,
            last_ms: from.i64()?,
            ..SessionRow::default()
        };
        let (has_end, ended) = (from.u8()? != 0, from.i64()?);
        row.ended_ms = has_end.then_some(ended);
        let (has_summary, summary) = (from.u8()? != 0, from.text()?);
        row.summary = has_summary.then_some(summary);
        for _ in 0..from.u32()? {
            row.tags.push(from.text()?);
        }
        row.next_turn = from.u32()?;
        row.first_seq = from.u64()?;
        row.last_seq = from.u64()?;
        row.events = from.u64()?;
        row.prompts = from.u64()?;
        row.responses = from.u64()?;
        row.tools = from.u64()?;
        row.private_sections = from.u64()?;
        let flags = from.u8()?;
        (row.is_start_set, row.is_project_set) = (flags & 1 != 0, flags & 2 != 0);
        Ok(row)
    }
}

/// Updates the sessions of each project after a change of a session's row.
pub(in crate::store) fn move_session(
    project_sessions: &mut Table<'_, &'static [u8], ()>,
    before: Option<ProjectSessionKey>,
    now: Option<ProjectSessionKey>,
) -> Result<()> {
    if before == now {
        return Ok(());
    }
    if let Some(key) = before {
        project_sessions.remove(key.as_slice())?;
    }
    if let Some(key) = now {
        project_sessions.insert(key.as_slice(), ())?;
    }
    Ok(())
}

/// The turn number of an event in its session.
pub(in crate::store) fn turn_of(
    turns: &impl ReadableTable<&'static [u8], u64>,
    session: u32,
    seq: u64,
) -> Result<Option<u32>> {
    // What was forgotten leaves gaps.
    let first = tables::session_turn_key(session, first_turn_from(turns, session, seq)?);
    let end = tables::session_turn_key(session, u32::MAX);
    let next = turns.range(first.as_slice()..=end.as_slice())?.next();
    let (key, at) = match next {
        Some(entry) => entry?,
        None => return Ok(None),
    };
    Ok((at.value() == seq).then(|| tables::last_number(key.value())))
}

/// The positions of the last turns of a session before a log position, at most `most`, the last one
/// first.
pub(in crate::store) fn turns_before(
    turns: &impl ReadableTable<&'static [u8], u64>,
    session: u32,
    seq: u64,
    most: usize,
) -> Result<Vec<u64>> {
    let first = tables::session_turn_key(session, 0);
    let end = tables::session_turn_key(session, first_turn_from(turns, session, seq)?);
    let turns = turns.range(first.as_slice()..end.as_slice())?;
    let turns = turns.rev().take(most);
    turns.map(|turn| Ok(turn?.1.value())).collect()
}

/// The number from which on the turns of a session are not before a log position. Turns are in log
/// order.
pub(in crate::store) fn first_turn_from(
    turns: &impl ReadableTable<&'static [u8], u64>,
    session: u32,
    seq: u64,
) -> Result<u32> {
    let end = tables::session_turn_key(session, u32::MAX);
    let (mut low, mut high) = (0u32, u32::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        let from = tables::session_turn_key(session, middle);
        match turns.range(from.as_slice()..=end.as_slice())?.next() {
            Some(entry) => {
                let (key, at) = entry?;
                match at.value() < seq {
                    true => {
                        low = tables::last_number(key.value())
                            .max(middle)
                            .saturating_add(1)
                    }
                    false => high = middle,
                }
            }
            None => high = middle,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use crate::memory::Memory;
    use crate::model::event::NewEvent;
    use crate::model::ids::Seq;
    use crate::model::time::Timestamp;
    use crate::scope::ProjectScope;
    use crate::store::log::session::*;
    use crate::upkeep::select::Selector;

    #[test]
    fn the_sessions_of_a_project_are_those_of_all_sessions_that_are_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let look = || {
            let mut all = memory.sessions(&ProjectScope::All, None).unwrap();
            assert_eq!(memory.stats().unwrap().sessions, all.len() as u64);
            for name in ["", "shop", "bank", "unknown"] {
                let scope = ProjectScope::Named(name.to_owned());
                let (of_name, others) = all.into_iter().partition(|s| s.project == name);
                assert_eq!(memory.sessions(&scope, None).unwrap(), of_name, "{name:?}");
                all = others;
            }
            assert_eq!(all, []);
        };
        look();
        let event = |session: usize, number: usize| {
            let (session, text) = (format!("s{session}"), format!("text {number}"));
            NewEvent::new(EventKind::UserPrompt, session, text)
                .project(["", "shop", "bank"][number % 3])
        };
        let events = (0..90).map(|number| event(number % 10, number));
        memory.append_batch(events.collect()).unwrap();
        look();
        let moved = |project: &str| SessionUpdate {
            project: Some(project.to_owned()),
            ..SessionUpdate::default()
        };
        memory.update_session("s1", moved("shop")).unwrap();
        memory.update_session("s2", moved("")).unwrap();
        memory.update_session("new", moved("bank")).unwrap();
        look();
        // A session without events, one that loses the event that gave it its project, and
        // one that comes back.
        for session in ["s3", "s4"] {
            let gone = Selector::new().session(session).project(ProjectScope::All);
            memory.forget(&gone).unwrap();
        }
        let gone = Selector::new().id(Seq(6)).project(ProjectScope::All);
        memory.forget(&gone).unwrap();
        look();
        memory.append(event(3, 100)).unwrap();
        look();
        let gone = Selector::new().session("s7").project(ProjectScope::All);
        memory.erase(&gone).unwrap();
        look();
        assert_eq!(memory.check().unwrap().first_divergence, None);
        memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        look();
        let stats = memory.stats().unwrap();
        assert_eq!((stats.sessions, stats.projects), (9, 2));
    }

    #[test]
    fn the_newest_sessions_are_given_and_no_other_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        // Neighbours may share a time, and times go up and down.
        let event = |number: usize| {
            NewEvent::new(EventKind::UserPrompt, format!("s{number}"), "word")
                .project(["", "shop", "bank"][number % 3])
                .timestamp(Timestamp::from_millis_clamped(
                    (number as i64 * 7 % 60 - 30) / 2,
                ))
        };
        memory.append_batch((0..60).map(event).collect()).unwrap();
        for scope in [ProjectScope::All, ProjectScope::Named("shop".into())] {
            let all = memory.sessions(&scope, None).unwrap();
            let mut sorted = all.clone();
            sorted.sort_by(|a, b| (b.last_event, &a.id).cmp(&(a.last_event, &b.id)));
            assert_eq!(all, sorted);
            for limit in [0, 1, 2, 3, 4, 19, 20, 21, 59, 60, 61] {
                let newest = memory.sessions(&scope, Some(limit)).unwrap();
                assert_eq!(newest, all[..limit.min(all.len())], "{limit}");
            }
        }
        let oldest = memory
            .sessions(&ProjectScope::All, None)
            .unwrap()
            .remove(59);
        memory
            .engine
            .store
            .write(|tx| {
                let number = {
                    use crate::store::database::checked::ReadableTable as _;
                    let names = tx.transaction.open_table(tables::NAMES)?;
                    let key = tables::name_key(tables::Facet::Session, &oldest.id);
                    names.get(key.as_slice())?.map(|number| number.value())
                };
                let mut rows = tx.transaction.open_table(tables::SESSIONS)?;
                rows.insert(number.unwrap(), b"damaged".as_slice())?;
                Ok(())
            })
            .unwrap();
        let newest = |limit| memory.sessions(&ProjectScope::All, Some(limit));
        assert_eq!(newest(50).unwrap().len(), 50);
        assert_eq!(
            newest(60).unwrap_err().code(),
            crate::ErrorCode::Corrupt,
            "it is looked at when it is wanted"
        );
    }

    #[test]
    fn a_session_row_comes_back() {
        let row = SessionRow {
            name: "세션-1".into(),
            ended_ms: Some(-3),
            summary: Some("요약".into()),
            tags: vec!["a".into(), "b".into()],
            next_turn: 4,
            tools: 7,
            private_sections: 2,
            is_project_set: true,
            ..SessionRow::default()
        };
        assert_eq!(SessionRow::decode(&row.encode()).unwrap(), row);
    }
}
