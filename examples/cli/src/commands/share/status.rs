//! `share status`: what a memory knows about those it is shared with.

use std::collections::BTreeSet;

use recallite::scope::ProjectScope;
use recallite::{Announced, Member, Memory, ScopeKind, UnansweredErasure};
use serde_json::{Value, json};

use super::exchange::Meeting;
use super::show::{announced_json, member_json, member_line};
use crate::arguments::Place;
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output};
use crate::time::local;

/// How many digits of an identity tell two members of one name apart.
const SHORT: usize = 16;

/// What is known about the place where a memory is shared.
struct Seen {
    shown: String,
    strangers: Vec<Announced>,
}

/// The state of sharing. If the place cannot be reached, that is reported last, and in the exit
/// code.
pub(super) fn show(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let meeting = Meeting::of(place)?;
    let seen = meeting.reach().and_then(|mut exchange| {
        Ok(Seen {
            strangers: exchange.strangers(&memory)?,
            shown: exchange.shown(),
        })
    });
    if !output.is_json() {
        show_status(&memory, seen.as_ref().ok(), output)?;
        return seen.map(|_| ());
    }
    let mut status = status_json(&memory, seen.as_ref().ok())?;
    if let Err(failure) = &seen {
        status["error"] = failure.json()["error"].take();
    }
    output.json(&status);
    // There is one document, even for errors.
    seen.map(|_| ())
        .map_err(|failure| Failure::Silent(failure.exit_code()))
}

/// The position up to which each member's log was received.
fn positions(memory: &Memory) -> Outcome<Vec<(Member, u64)>> {
    let marks = memory.sharing().watermarks()?;
    let position = |member: &Member| {
        let mark = marks.iter().find(|mark| mark.identity == member.identity);
        mark.map_or(0, |mark| mark.position)
    };
    let members = memory.sharing().members()?.into_iter();
    Ok(members
        .map(|member| {
            let position = position(&member);
            (member, position)
        })
        .collect())
}

/// The stored projects and sessions that are withheld, and the own project. The names of what is
/// withheld are not kept, so each is asked for.
fn withheld(memory: &Memory) -> Outcome<Vec<(ScopeKind, String)>> {
    let sessions = memory.sessions(&ProjectScope::All, Some(usize::MAX))?;
    let mut projects: BTreeSet<String> = sessions
        .iter()
        .map(|session| session.project.clone())
        .collect();
    projects.insert(memory.project().to_owned());
    let projects = projects.into_iter().map(|it| (ScopeKind::Project, it));
    let sessions = sessions.into_iter().map(|it| (ScopeKind::Session, it.id));
    let mut withheld = Vec::new();
    for (scope, name) in projects
        .chain(sessions)
        .filter(|(_, name)| !name.is_empty())
    {
        if memory.sharing().is_withheld(scope, &name)? {
            withheld.push((scope, name));
        }
    }
    Ok(withheld)
}

fn status_json(memory: &Memory, seen: Option<&Seen>) -> Outcome<Value> {
    let sharing = memory.sharing();
    let list: Vec<Value> = positions(memory)?
        .iter()
        .map(|(member, position)| {
            let mut value = member_json(member);
            value["received_through"] = (*position).into();
            value
        })
        .collect();
    let strangers = seen.map(|seen| {
        seen.strangers
            .iter()
            .map(announced_json)
            .collect::<Vec<_>>()
    });
    let unanswered = sharing.unanswered_erasures(None)?;
    Ok(json!({
        "place": seen.map(|seen| &seen.shown),
        "identity": sharing.identity()?,
        "shared_hash": sharing.shared_hash()?,
        "members": list,
        "strangers": strangers,
        "withheld": withheld(memory)?.iter().map(|(scope, name)| json!({
            "scope": scope.as_str(),
            "name": name,
        })).collect::<Vec<Value>>(),
        "unanswered_erasures": unanswered.iter().map(|erasure| json!({
            "seq": erasure.seq.0,
            "erased_at": erasure.erased_at.to_string(),
            "waiting_for": erasure.waiting_for,
            "declined_by": erasure.declined_by,
        })).collect::<Vec<Value>>(),
    }))
}

fn show_status(memory: &Memory, seen: Option<&Seen>, output: &mut Output) -> Outcome {
    let sharing = memory.sharing();
    if let Some(seen) = seen {
        output.say(format_args!("shared through {}", seen.shown));
    }
    output.say(format_args!(
        "identity of this store: {}",
        sharing.identity()?
    ));
    let positions = positions(memory)?;
    for (member, position) in &positions {
        let line = member_line(member);
        output.line(line.plain(format_args!("  received up to position {position}")));
    }
    for (scope, name) in withheld(memory)? {
        let line = Line::new().add(Look::Warning, "not shared with others: ");
        output.line(line.plain(format_args!("{scope} {name}")));
    }
    let strangers = seen.map_or(&[][..], |seen| &seen.strangers);
    for other in strangers {
        let line = Line::new().add(Look::Warning, "not a member yet ");
        let line = line.add(Look::Strong, &other.name);
        output.line(line.add(Look::Id, format_args!("  {}", other.identity)));
    }
    let members: Vec<&Member> = positions.iter().map(|(member, _)| member).collect();
    for erasure in &sharing.unanswered_erasures(None)? {
        output.line(unanswered_line(erasure, &members));
    }
    if !strangers.is_empty() {
        output.say(
            "to accept all of them, run `recallite share join` with the same place; to accept one, \
             run `recallite share members --add IDENTITY`",
        );
    }
    Ok(())
}

/// Which members have not carried out an erasure, and which have in part.
fn unanswered_line(erasure: &UnansweredErasure, members: &[&Member]) -> Line {
    let line = Line::new().add(Look::Warning, "not yet erased everywhere: ");
    let line = line.plain(format_args!("erased {}", local(erasure.erased_at)));
    let line = match erasure.waiting_for.as_slice() {
        [] => line,
        waiting => line.plain(format_args!(", waiting for {}", called(waiting, members))),
    };
    match erasure.declined_by.as_slice() {
        [] => line,
        declined => line.plain(format_args!(
            "; kept what other stores recorded, because this store is not an owner there: {}",
            called(declined, members)
        )),
    }
}

/// The names of members, with the beginnings of their identities if others have the same name.
fn called(identities: &[String], members: &[&Member]) -> String {
    let of = |identity: &String| {
        let short = identity.get(..SHORT).unwrap_or(identity);
        let member = members.iter().find(|member| member.identity == *identity);
        let Some(member) = member else {
            return short.to_owned();
        };
        let namesakes = members.iter().filter(|other| other.name == member.name);
        match namesakes.count() {
            1 => member.name.clone(),
            _ => format!("{} ({short})", member.name),
        }
    };
    let mut all: Vec<String> = identities.iter().map(of).collect();
    all.sort();
    all.join(", ")
}
