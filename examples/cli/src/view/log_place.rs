//! How far a browser has followed the log of a store.

use std::fmt;
use std::str::FromStr;

use recallite::{Event, EventId, Memory, Seq};

use crate::failure::Outcome;

/// A position of a log, with the event there, by which the log is told from that of another store,
/// or of an older copy: `17-0190c2a4-…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogPlace {
    pub(super) seq: Seq,
    /// `None` at the beginning of the log, and where nothing is left of the event.
    event: Option<EventId>,
}

impl LogPlace {
    pub(super) fn at(memory: &Memory, seq: Seq) -> Outcome<LogPlace> {
        let event = event_at(memory, seq)?;
        Ok(LogPlace { seq, event })
    }

    pub(super) fn last(memory: &Memory) -> Outcome<LogPlace> {
        LogPlace::at(memory, Seq(memory.stats()?.last_seq))
    }

    pub(super) fn of(event: &Event) -> LogPlace {
        LogPlace {
            seq: event.seq,
            event: Some(event.id),
        }
    }

    /// A position of which nothing is left.
    pub(super) fn erased(seq: Seq) -> LogPlace {
        LogPlace { seq, event: None }
    }

    /// Whether the log goes on from here. An event that was forgotten since says no as well.
    pub(super) fn is_in(&self, memory: &Memory) -> Outcome<bool> {
        if self.seq.0 > memory.stats()?.last_seq {
            return Ok(false);
        }
        Ok(self.event.is_none() || event_at(memory, self.seq)? == self.event)
    }
}

fn event_at(memory: &Memory, seq: Seq) -> Outcome<Option<EventId>> {
    let Some(before) = seq.0.checked_sub(1) else {
        return Ok(None);
    };
    let found = memory.changes_since(Seq(before), 1)?;
    let event = found.into_iter().find(|event| event.seq == seq);
    Ok(event.map(|event| event.id))
}

impl fmt::Display for LogPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            None => write!(f, "{}", self.seq.0),
            Some(event) => write!(f, "{}-{event}", self.seq.0),
        }
    }
}

impl FromStr for LogPlace {
    type Err = ();

    fn from_str(text: &str) -> Result<LogPlace, ()> {
        let (seq, event) = match text.split_once('-') {
            None => (text, None),
            Some((seq, event)) => (seq, Some(event.parse().map_err(drop)?)),
        };
        let seq = Seq(seq.parse().map_err(drop)?);
        Ok(LogPlace { seq, event })
    }
}
