//! `entries` and `insights`: learned entries, and what the use of memories reveals.

use recallite::{CitationId, EntryFilter, LearnedEntry, Memory, Timestamp};
use serde_json::json;

use crate::arguments::{Entries, Place};
use crate::as_json;
use crate::evidence;
use crate::evidence::Quote;
use crate::failure::Outcome;
use crate::insights::insights_of;
use crate::lines::{cut_list, more_of, shortened};
use crate::named::check_session;
use crate::output::{Line, Look, Output};
use crate::time::local;
use crate::words;

pub(crate) fn entries(place: &Place, asked: &Entries, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut filter = EntryFilter::default()
        .project(place.scope())
        .limit(asked.limit.saturating_add(1))
        .is_live(!asked.forgotten);
    filter.entry_type = asked.entry_type;
    filter.status = asked.status.clone();
    filter.session = asked.session.clone();
    let knowledge = memory.knowledge();
    let mut found: Vec<LearnedEntry> = match asked.words.is_empty() {
        true => knowledge.entries(&filter)?,
        false => knowledge
            .search(&asked.words.join(" "), &filter)?
            .into_iter()
            .map(|hit| hit.learned)
            .collect(),
    };
    keep_those_with(&mut found, &asked.words.join(" "));
    if found.is_empty() && !asked.forgotten {
        check_session(&memory, asked.session.as_deref())?;
    }
    let has_more = cut_list(&mut found, asked.limit);
    if output.is_json() {
        let items = found.iter().map(|learned| as_json::entry(&memory, learned));
        let items = items.collect::<recallite::Result<Vec<_>>>()?;
        output.json(&json!({ "items": items, "has_more": has_more }));
        return Ok(());
    }
    if found.is_empty() {
        output.say(format_args!(
            "no learned entries found{}",
            place.where_looked(&memory)
        ));
    }
    for learned in &found {
        show_entry(&memory, learned, output)?;
    }
    if has_more {
        output.say(more_of(found.len()));
    }
    Ok(())
}

/// Leaves out the entries that share no word with what was asked for: the library also finds what
/// only resembles it.
fn keep_those_with(found: &mut Vec<LearnedEntry>, question: &str) {
    let wanted = words::asked(question);
    if !wanted.is_empty() {
        found.retain(|learned| {
            words::has_one_of(&learned.entry.title, &wanted)
                || words::has_one_of(&learned.content, &wanted)
        });
    }
}

/// An entry: what it says, and the words that prove it.
pub(super) fn show_entry(memory: &Memory, learned: &LearnedEntry, output: &mut Output) -> Outcome {
    let entry = &learned.entry;
    let quotes = evidence::quotes(memory, learned)?;
    let mut line = Line::new();
    if let Some(record) = memory.event(learned.event_id)? {
        line = line.add(Look::Id, record.citation).plain("  ");
    }
    line = line
        .plain(entry.entry_type)
        .plain("  ")
        .add(Look::Strong, &entry.title)
        .add(
            Look::Faint,
            format_args!("  {}  {}", entry.stage(), local(said_at(learned, &quotes))),
        );
    if entry.status.as_str() != "active" {
        line = line.add(Look::Warning, format_args!("  {}", entry.status.as_str()));
    }
    output.line(line);
    if learned.content.trim() != entry.title.trim() {
        output.block(&learned.content);
    }
    for quote in &quotes {
        if let (Some(event), Some(words)) = (&quote.event, quote.words()) {
            output.line(proof_line(&event.citation, event.timestamp, words));
        }
    }
    Ok(())
}

/// When an entry was first said: a conversation may be imported, and learned from, long after it was.
fn said_at(learned: &LearnedEntry, quotes: &[Quote<'_>]) -> Timestamp {
    let events = quotes.iter().filter_map(|quote| quote.event.as_ref());
    let said = events.map(|event| event.timestamp).min();
    said.unwrap_or(learned.created_at)
}

/// The words that prove something, with the citation and the time of their event.
pub(super) fn proof_line(citation: &CitationId, at: Timestamp, words: &str) -> Line {
    let (at, words) = (local(at), shortened(words));
    Line::new().add(
        Look::Faint,
        format_args!("    evidence {citation} {at}: {words}"),
    )
}

pub(crate) fn insights(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let insights = insights_of(&memory, &place.scope())?;
    if output.is_json() {
        let items: Vec<_> = insights.iter().map(as_json::insight).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if insights.is_empty() {
        output.say(format_args!(
            "no insights yet{}; they are derived from memories that are used repeatedly",
            place.where_looked(&memory)
        ));
    }
    for insight in &insights {
        let percent = (insight.confidence * 100.0).round();
        let line = Line::new()
            .add(Look::Id, insight.kind)
            .plain("  ")
            .plain(&insight.content)
            .add(Look::Faint, format_args!("  {percent}%"));
        output.line(line);
    }
    Ok(())
}
