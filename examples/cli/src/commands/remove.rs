//! `forget` and `erase`: count first, act when confirmed, and print a receipt.

use recallite::scope::ProjectScope;
use recallite::{EventRef, Memory, Selector};
use serde_json::json;

use crate::arguments::{Place, Remove};
use crate::busy::Busy;
use crate::exit;
use crate::failure::{Failure, Outcome, with_commands};
use crate::lines::{bytes, counted, listed};
use crate::named::check_session;
use crate::output::{Line, Look, Output};
use crate::removal::{Removal, is_done, tell_open};

/// How many of the selected memories are shown before anything is done.
const SHOWN: usize = 5;

pub(crate) fn forget(place: &Place, asked: &Remove, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let selector = selector(place, asked)?;
    check_named(&memory, place, asked)?;
    check_session(&memory, asked.session.as_deref())?;
    if !asked.confirm {
        return count(&memory, place, asked, &selector, Removal::Forget, output);
    }
    let receipt = {
        let _busy = Busy::of(&memory, "forgetting");
        memory.forget(&selector)?
    };
    let elsewhere = elsewhere(&memory, place, asked, &selector, Removal::Forget, 0)?;
    check_project(&memory, asked, receipt.count, elsewhere)?;
    if output.is_json() {
        output.json(&json!({
            "count": receipt.count,
            "content_bytes": receipt.content_bytes,
            "sessions": receipt.sessions,
            "segments_waiting": receipt.segments_waiting,
            "tombstone": receipt.tombstone.map(|seq| seq.0),
        }));
        return Ok(());
    }
    let what = counted(receipt.count, "memory", "memories");
    let line = Line::new()
        .add(Look::Good, format_args!("forgot {what}"))
        .plain(format_args!(
            " in {}",
            counted(receipt.sessions, "session", "sessions")
        ))
        .plain(format_args!(", {}", bytes(receipt.content_bytes)));
    output.line(line);
    if receipt.segments_waiting > 0 {
        output.say("run `recallite maintain` to remove their words from the search index");
    }
    if receipt.count > 0 {
        output.say("they are hidden everywhere; use `recallite erase` to remove them from disk");
    }
    tell_elsewhere(elsewhere, output);
    Ok(())
}

pub(crate) fn erase(place: &Place, asked: &Remove, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let selector = selector(place, asked)?;
    check_named(&memory, place, asked)?;
    if !asked.confirm {
        return count(&memory, place, asked, &selector, Removal::Erase, output);
    }
    let receipt = {
        let _busy = Busy::of(&memory, "erasing");
        memory.erase(&selector)?
    };
    let elsewhere = elsewhere(&memory, place, asked, &selector, Removal::Erase, 0)?;
    // Only erasing finds a session that is forgotten.
    if receipt.count == 0 {
        check_session(&memory, asked.session.as_deref())?;
        check_project(&memory, asked, receipt.count, elsewhere)?;
    }
    if output.is_json() {
        output.json(&json!({
            "count": receipt.count,
            "dependents": receipt.dependents,
            "reduced": receipt.reduced,
            "is_complete": receipt.is_complete,
            "places": receipt.places,
            "unclean_places": receipt.unclean_places,
            "advice": receipt.advice.as_deref().map(with_commands),
            "tombstone": receipt.tombstone.map(|seq| seq.0),
        }));
        return is_done(&receipt);
    }
    let what = counted(receipt.count, "memory", "memories");
    let line = Line::new()
        .add(Look::Good, format_args!("erased {what}"))
        .plain(format_args!(
            " and {} derived from them",
            counted(receipt.dependents, "record", "records")
        ));
    output.line(line);
    for place in &receipt.places {
        output.line(Line::new().plain("    ").plain(place));
    }
    tell_elsewhere(elsewhere, output);
    if receipt.is_complete {
        if receipt.count > 0 {
            output.say(
                "no byte of their text is left in the store; copies elsewhere are up to you: \
                 backups, exports, and the agents' own transcripts; delete these as well, because \
                 `recallite import` stores again what hooks had stored, and every message of Codex \
                 and Gemini CLI",
            );
            if !memory.sharing().members()?.is_empty() {
                output.say(
                    "the other machines and the place where it is shared keep it until \
                     `recallite share push` here and `recallite share pull` there",
                );
            }
        }
        return Ok(());
    }
    tell_open(&receipt, output);
    is_done(&receipt)
}

/// How many of a session's memories belong to other projects than the selected one, in which so
/// many are left.
fn elsewhere(
    memory: &Memory,
    place: &Place,
    asked: &Remove,
    selector: &Selector,
    removal: Removal,
    here: u64,
) -> Outcome<u64> {
    if asked.session.is_none() || place.all_projects {
        return Ok(0);
    }
    let everywhere = selector.clone().project(ProjectScope::All);
    let everywhere = removal.count(memory, &everywhere)?;
    Ok(everywhere.saturating_sub(here))
}

/// Fails if a selection is empty only because its session belongs to another project: removing
/// nothing would look like success.
fn check_project(memory: &Memory, asked: &Remove, count: u64, elsewhere: u64) -> Outcome {
    match (count, elsewhere, &asked.session) {
        (0, 1.., Some(session)) => Err(Failure::not_found(format!(
            "session {session} has no such memories in project {}; use --all-projects",
            memory.project()
        ))),
        _ => Ok(()),
    }
}

fn tell_elsewhere(elsewhere: u64, output: &mut Output) {
    if elsewhere > 0 {
        output.say(format_args!(
            "{} of this session in other projects; use --all-projects to include them",
            counted(elsewhere, "memory is", "memories are")
        ));
    }
}

/// Fails if a named memory belongs to another project than the selected one.
fn check_named(memory: &Memory, place: &Place, asked: &Remove) -> Outcome {
    if place.all_projects || memory.project().is_empty() {
        return Ok(());
    }
    for event in named(&asked.memories)? {
        if let Some(event) = memory.event(event)?
            && event.project != memory.project()
        {
            return Err(Failure::usage(format!(
                "{} belongs to project {}; use --all-projects or --project",
                event.citation, event.project
            )));
        }
    }
    Ok(())
}

/// What would be done, and how to confirm it.
fn count(
    memory: &Memory,
    place: &Place,
    asked: &Remove,
    selector: &Selector,
    removal: Removal,
    output: &mut Output,
) -> Outcome {
    let count = removal.count(memory, selector)?;
    let elsewhere = elsewhere(memory, place, asked, selector, removal, count)?;
    if count == 0 && elsewhere == 0 {
        check_session(memory, asked.session.as_deref())?;
    }
    check_project(memory, asked, count, elsewhere)?;
    if output.is_json() {
        output.json(&json!({ "would_remove": count, "confirmed": false }));
        return Err(Failure::Silent(exit::UNCONFIRMED));
    }
    for name in asked.memories.iter().take(SHOWN) {
        if let Ok(event) = memory.citation(name) {
            output.line(listed(&event));
        }
    }
    output.say(format_args!(
        "this would {} {}; repeat with --confirm to do it",
        removal.as_str(),
        counted(count, "memory", "memories")
    ));
    tell_elsewhere(elsewhere, output);
    Err(Failure::Silent(exit::UNCONFIRMED))
}

fn selector(place: &Place, asked: &Remove) -> Outcome<Selector> {
    let narrowed = asked.session.is_some() || asked.before.is_some() || !asked.kinds.is_empty();
    if asked.memories.is_empty() && !narrowed && !asked.everything {
        return Err(Failure::usage(
            "nothing selected; give citations, --session, --before, --kind or --everything",
        ));
    }
    let mut selector = match asked.everything {
        true => Selector::everything(),
        false => Selector::new(),
    };
    if !asked.memories.is_empty() {
        selector = selector.ids(named(&asked.memories)?);
    }
    if !asked.kinds.is_empty() {
        selector = selector.kinds(asked.kinds.iter().copied());
    }
    if let Some(session) = &asked.session {
        selector = selector.session(session);
    }
    if let Some(before) = asked.before {
        selector = selector.before(before);
    }
    Ok(selector.project(place.scope()))
}

/// The events of citations. Erasing includes forgotten ones, which no read returns, so a
/// well-formed citation is enough.
fn named(names: &[String]) -> Outcome<Vec<EventRef>> {
    Ok(names
        .iter()
        .map(|name| name.parse::<EventRef>())
        .collect::<recallite::Result<_>>()?)
}
