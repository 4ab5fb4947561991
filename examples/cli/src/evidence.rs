//! The words that prove a learned entry, and the events that contain them.

use recallite::rules::entries::{EntryId, EvidenceSpan, LearnedEntry};
use recallite::rules::graph::Relation;
use recallite::{
    EdgeFilter, Event, EventId, EventKind, LearnedHit, Memory, Passage, Result, Timestamp,
};

use crate::lines::shortened;

/// A quote of an entry.
#[derive(Debug)]
pub(crate) struct Quote<'a> {
    pub(crate) span: &'a EvidenceSpan,
    /// The event that it is from; `None` if it is gone.
    pub(crate) event: Option<Event>,
}

impl Quote<'_> {
    /// The quoted words; `None` if the event no longer has them.
    pub(crate) fn words(&self) -> Option<&str> {
        words(self.event.as_ref()?, self.span)
    }
}

/// When it was said, as its first proof has it: a conversation may be imported long after it was.
pub(crate) fn said_at(learned: &LearnedHit) -> Timestamp {
    let first = learned.proofs.first();
    first.map_or(learned.timestamp, |proof| proof.timestamp)
}

/// What a learned item waits for, and what replaced or contests it, as lines.
pub(crate) fn relations(memory: &Memory, learned: &LearnedHit) -> Result<Vec<String>> {
    // The id if it no longer exists.
    let title = |entry: &str| -> Result<String> {
        let known = memory.knowledge().entry(&EntryId::new(entry))?;
        Ok(known.map_or_else(|| entry.to_owned(), |known| known.entry.title))
    };
    let mut lines: Vec<String> = learned
        .blockers
        .iter()
        .map(|blocker| format!("waits for {}", shortened(blocker)))
        .collect();
    if let Some(newer) = &learned.superseded_by {
        lines.push(format!("replaced by {}", shortened(&title(newer)?)));
    }
    for other in &learned.contested_with {
        lines.push(format!("contested by {}", shortened(&title(other)?)));
    }
    Ok(lines)
}

/// A passage, with a mark where its event says more.
pub(crate) fn shown(passage: &Passage) -> String {
    let before = if passage.has_more_before { "… " } else { "" };
    let after = if passage.has_more_after { " …" } else { "" };
    format!("{before}{}{after}", passage.text.trim_end())
}

/// The entry that an event is the record of.
pub(crate) fn entry_of(memory: &Memory, event: &Event) -> Result<Option<LearnedEntry>> {
    if event.kind != EventKind::EntryChanged {
        return Ok(None);
    }
    let mut of_record = EdgeFilter::default().relation(Relation::Produced);
    of_record.from = Some(event.id.to_string());
    let edges = memory.knowledge().edges(&of_record)?;
    match edges.first() {
        Some(edge) => memory
            .knowledge()
            .entry(&EntryId::new(&edge.ends.destination_id)),
        None => Ok(None),
    }
}

/// The quotes of an entry that were found in their events.
pub(crate) fn quotes<'a>(memory: &Memory, learned: &'a LearnedEntry) -> Result<Vec<Quote<'a>>> {
    let quote = |span: &'a EvidenceSpan| {
        let id = span.event_id.as_deref();
        let event = match id.and_then(|id| id.parse::<EventId>().ok()) {
            Some(id) => memory.event(id)?,
            None => None,
        };
        Ok(Quote { span, event })
    };
    spans(learned).iter().map(quote).collect()
}

/// Where the quotes of an entry were found.
pub(crate) fn spans(learned: &LearnedEntry) -> &[EvidenceSpan] {
    learned
        .entry
        .evidence()
        .map_or(&[], |report| report.aligned.as_slice())
}

/// The words of an event at a place.
pub(crate) fn words<'a>(event: &'a Event, span: &EvidenceSpan) -> Option<&'a str> {
    let start = usize::try_from(span.span_start).ok()?;
    let end = usize::try_from(span.span_end).ok()?;
    event.content.get(start..end)
}
