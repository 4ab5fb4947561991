//! `entries` and `insights`: learned entries, and what the use of memories reveals.

use recallite::{EntryFilter, LearnedEntry};
use serde_json::json;

use crate::arguments::{Entries, Place};
use crate::as_json;
use crate::failure::Outcome;
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn entries(place: &Place, asked: &Entries, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let filter = EntryFilter {
        project: place.scope(),
        entry_type: asked.entry_type,
        status: asked.status.clone(),
        session: asked.session.clone(),
        limit: Some(asked.limit),
        is_live: !asked.forgotten,
        ..EntryFilter::default()
    };
    let knowledge = memory.knowledge();
    let found: Vec<LearnedEntry> = match asked.words.is_empty() {
        true => knowledge.entries(&filter)?,
        false => knowledge
            .search(&asked.words.join(" "), &filter)?
            .into_iter()
            .map(|hit| hit.learned)
            .collect(),
    };
    if output.is_json() {
        let items: Vec<_> = found.iter().map(as_json::entry).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if found.is_empty() {
        output.say(format_args!(
            "no learned entries found{}",
            place.where_looked(&memory)
        ));
    }
    for learned in &found {
        show_entry(learned, output);
    }
    Ok(())
}

fn show_entry(learned: &LearnedEntry, output: &mut Output) {
    let entry = &learned.entry;
    let mut line = Line::new()
        .add(Look::Id, entry.entry_type)
        .plain("  ")
        .add(Look::Strong, &entry.title)
        .add(
            Look::Faint,
            format_args!("  {}  {}", entry.stage(), local(learned.created_at)),
        );
    if entry.status.as_str() != "active" {
        line = line.add(Look::Warning, format_args!("  {}", entry.status.as_str()));
    }
    output.line(line);
    output.block(&learned.content);
}

pub(crate) fn insights(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let insights = memory.levels().insights()?;
    if output.is_json() {
        let items: Vec<_> = insights.iter().map(as_json::insight).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if insights.is_empty() {
        output.say("no insights yet; they are derived from memories that are used repeatedly");
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
