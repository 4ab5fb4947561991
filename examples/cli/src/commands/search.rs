//! `search`: memories that answer a question, best first.

use recallite::{Hit, MatchClass, Query};
use serde_json::json;

use crate::arguments::{Place, Search};
use crate::as_json;
use crate::failure::Outcome;
use crate::lines::heading;
use crate::output::{Look, Output};

pub(crate) fn search(place: &Place, asked: &Search, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut query = Query::new(asked.words.join(" "))
        .limit(asked.limit)
        .project(place.scope())
        .kinds(asked.narrowed.kinds.iter().copied());
    query.session = asked.narrowed.session.clone();
    query.from = asked.narrowed.since;
    query.until = asked.narrowed.until;
    query.min_relevance = asked.min_relevance;
    let found = memory.search(query)?;
    memory.close()?;
    if output.is_json() {
        output.json(&json!({
            "items": found.items.iter().map(as_json::hit).collect::<Vec<_>>(),
            "confidence": found.confidence.as_str(),
            "degraded": found.degraded,
            "total_matches": found.total_matches,
        }));
        return Ok(());
    }
    if found.items.is_empty() {
        output.say(format_args!("nothing found{}", place.where_looked(&memory)));
        return Ok(());
    }
    if found.confidence == MatchClass::None {
        output.say("nothing certain; the nearest:");
    }
    for hit in &found.items {
        show_hit(hit, place.all_projects, output);
    }
    if found.degraded {
        output.say("a part of the index could not be read: `recallite doctor` says more");
    }
    Ok(())
}

fn show_hit(hit: &Hit, with_project: bool, output: &mut Output) {
    let percent = (hit.relevance * 100.0).round();
    let mut line = heading(&hit.citation, hit.timestamp, hit.kind)
        .add(Look::Faint, format_args!("  {percent} %"));
    if with_project && !hit.project.is_empty() {
        line = line.add(Look::Faint, format_args!("  {}", hit.project));
    }
    output.line(line);
    output.block(&hit.passage.text);
}
