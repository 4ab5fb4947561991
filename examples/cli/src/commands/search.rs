//! `search`: memories that answer a question, best first; learned entries before events.

use std::io::Write as _;

use recallite::rules::entries::EntryType;
use recallite::{
    EventKind, Hit, LearnedHit, LearnedState, MatchClass, Memory, Query, SearchResult,
};
use serde_json::json;

use super::knowledge::proof_line;
use crate::arguments::{Place, Search, narrow};
use crate::as_json;
use crate::evidence;
use crate::failure::{Failure, Outcome};
use crate::lines::heading;
use crate::named::check_session;
use crate::output::{Line, Look, Output};
use crate::place::FOUND_BY_DEFAULT;
use crate::time::local;

pub(crate) fn search(place: &Place, asked: &Search, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut query = Query::new(asked.words.join(" "))
        .project(place.scope())
        .kinds(asked.narrowed.kinds.iter().copied());
    let settings = place.file_settings()?;
    query.limit = asked
        .limit
        .or(settings.unless_set("retrieval.topK", FOUND_BY_DEFAULT));
    narrow!(query, asked.narrowed);
    query.min_level = asked.level;
    query.min_relevance = asked.min_relevance;
    query.as_of = asked.as_of;
    let found = memory.search(query)?;
    if found.items.is_empty() && found.learned.is_empty() {
        check_session(&memory, asked.narrowed.session.as_deref())?;
    }
    show(place, &memory, &found, output)?;
    // The answer is complete, even if the disk is full or another process holds the store.
    if let Err(error) = memory.close() {
        let failure = Failure::from(error);
        let says = failure.message();
        let _ = writeln!(
            std::io::stderr(),
            "warning: the use of what was found is not recorded: {says}"
        );
    }
    Ok(())
}

fn show(place: &Place, memory: &Memory, found: &SearchResult, output: &mut Output) -> Outcome {
    if output.is_json() {
        output.json(&json!({
            "learned": found.learned.iter().map(as_json::learned).collect::<Vec<_>>(),
            "items": found.items.iter().map(as_json::hit).collect::<Vec<_>>(),
            "confidence": found.confidence.as_str(),
            "degraded": found.degraded,
            "total_matches": found.total_matches,
        }));
        return Ok(());
    }
    if found.items.is_empty() && found.learned.is_empty() {
        output.say(format_args!("nothing found{}", place.where_looked(memory)));
    }
    for learned in &found.learned {
        show_learned(memory, learned, place.all_projects, output)?;
    }
    if found.confidence == MatchClass::None && !found.items.is_empty() {
        output.say("no confident answer; closest matches:");
    }
    for hit in found.items.iter().filter(|hit| !hit.is_proof) {
        show_hit(hit, place.all_projects, output);
    }
    if found.degraded {
        output.say("part of the index could not be read; run `recallite doctor` for details");
    }
    Ok(())
}

/// Learned entries with their status and the words that prove them: whether an entry is still valid
/// matters more than how well it matches.
fn show_learned(
    memory: &Memory,
    hit: &LearnedHit,
    with_project: bool,
    output: &mut Output,
) -> Outcome {
    let what = hit.entry_type.map_or(hit.kind.as_str(), EntryType::as_str);
    let at = local(evidence::said_at(hit));
    let line = Line::new()
        .add(Look::Id, &hit.citation)
        .add(Look::Faint, format_args!("  {at}  "))
        .plain(what)
        .plain("  ")
        .add(look(hit.state), hit.state.as_str().replace('_', " "));
    let covers = format!("covers {}", percent(hit.relevance));
    output.line(ended(line, &covers, &hit.project, with_project));
    output.line(Line::new().plain("    ").add(Look::Strong, &hit.title));
    if hit.text != hit.title {
        output.block(&hit.text);
    }
    for relation in evidence::relations(memory, hit)? {
        output.line(Line::new().add(Look::Faint, format_args!("    {relation}")));
    }
    for proof in &hit.proofs {
        output.line(proof_line(&proof.citation, proof.timestamp, &proof.quote));
    }
    Ok(())
}

fn look(state: LearnedState) -> Look {
    match state {
        LearnedState::InForce | LearnedState::Done => Look::Good,
        LearnedState::Pending | LearnedState::InProgress | LearnedState::Cancelled => Look::Plain,
        _ => Look::Warning,
    }
}

fn percent(relevance: f32) -> String {
    format!("{}%", (relevance * 100.0).round())
}

/// The end of a heading: the relevance and the project. Of an entry, it is how much of the question it
/// covers, and of an event, how likely it answers it.
fn ended(line: Line, relevance: &str, project: &str, with_project: bool) -> Line {
    let line = line.add(Look::Faint, format_args!("  {relevance}"));
    match with_project && !project.is_empty() {
        true => line.add(Look::Faint, format_args!("  {project}")),
        false => line,
    }
}

fn show_hit(hit: &Hit, with_project: bool, output: &mut Output) {
    let line = heading(&hit.citation, hit.timestamp, hit.kind);
    let likely = format!("{} likely", percent(hit.relevance));
    output.line(ended(line, &likely, &hit.project, with_project));
    // Part of an output tells nothing without what was called.
    if hit.kind == EventKind::ToolObservation && hit.passage.has_more_before {
        let call = Line::new().add(Look::Faint, format_args!("    {}", hit.summary));
        output.line(call);
    }
    output.block(&evidence::shown(&hit.passage));
}
