//! `share`: one memory on several machines, through a folder that all can access or a server.

mod access;
mod exchange;
mod show;

use std::time::Duration;

use recallite::{Announced, Member, MemberRole, Memory};
use serde_json::{Value, json};

use self::exchange::{Exchange, Meeting, name_before};
use self::show::{member_json, member_line, pulled_json, sent_json, show_pulled, show_sent};
use crate::arguments::{Members, Paused, Place, Share, SharePlace, SharedPlace};
use crate::busy::Busy;
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::output::{Line, Look, Output};

/// How often a watch checks for news.
const PAUSE: Duration = Duration::from_millis(700);

/// How long a watch waits at most before it asks again: a server that refuses a password may lock
/// the account.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) fn run(place: &Place, act: &Share, output: &mut Output) -> Outcome {
    match act {
        Share::Init(asked) => init(place, asked, output),
        Share::Join(asked) => join(place, asked, output),
        Share::Push => {
            let memory = place.open()?;
            let _busy = Busy::with("pushing new records");
            let sent = Meeting::of(place)?.reach()?.push(&memory)?;
            show_sent(&sent, output);
            Ok(())
        }
        Share::Pull => {
            let memory = place.open()?;
            let _busy = Busy::with("pulling new records");
            let pulled = Meeting::of(place)?.reach()?.pull(&memory)?;
            show_pulled(&pulled, output);
            Ok(())
        }
        Share::Watch => watch(place, output),
        Share::Status => status(place, output),
        Share::Renew => renew(place, output),
        Share::Members(asked) => members(place, asked, output),
        Share::Withhold(asked) => withhold(place, asked, true, output),
        Share::Offer(asked) => withhold(place, asked, false, output),
        Share::Grant(asked) => access::grant(place, asked, output),
        Share::Revoke(asked) => access::revoke(place, asked, output),
        Share::Access => access::list(place, output),
    }
}

/// The name that was asked for, the one that this machine has there already, the one that it had
/// under its former identity or elsewhere, or that of its host.
fn name_of(place: &Place, asked: &SharePlace, memory: &Memory, exchange: &mut Exchange) -> String {
    let host = || {
        std::fs::read_to_string("/etc/hostname")
            .ok()
            .map(|name| name.trim().to_owned())
            .or_else(|| std::env::var("COMPUTERNAME").ok())
            .filter(|name| !name.is_empty())
    };
    let asked = asked.name.clone();
    asked
        .or_else(|| exchange.own_name(memory))
        .or_else(|| name_before(place))
        .or_else(host)
        .unwrap_or_else(|| "a machine".to_owned())
}

fn role(is_owner: bool) -> MemberRole {
    match is_owner {
        true => MemberRole::Owner,
        false => MemberRole::Writer,
    }
}

fn init(place: &Place, asked: &SharePlace, output: &mut Output) -> Outcome {
    // First, so that a wrong place leaves no memory behind.
    let meeting = Meeting::new(place, &asked.place)?;
    let mut exchange = meeting.reach()?;
    let memory = place.open_or_create()?;
    exchange.begin()?;
    let name = name_of(place, asked, &memory, &mut exchange);
    exchange.announce(&memory, &name)?;
    let before = meeting.elsewhere_before(place);
    meeting.keep(place, &name)?;
    let sent = exchange.push(&memory)?;
    let identity = memory.sharing().identity()?;
    if output.is_json() {
        output.json(&json!({
            "place": exchange.shown(),
            "before": before.as_ref().map(Meeting::called),
            "identity": identity,
            "pushed": sent_json(&sent),
        }));
        return Ok(());
    }
    let line = Line::new().add(Look::Good, "shared");
    output.line(line.plain(format_args!(" through {}", exchange.shown())));
    say_before(before.as_ref(), &memory, output)?;
    output.say(format_args!("identity of this store: {identity}"));
    show_sent(&sent, output);
    output.say(
        "next: run `recallite share join` with the same place on the other machine, then here \
         too, to accept it as a member",
    );
    Ok(())
}

fn join(place: &Place, asked: &SharedPlace, output: &mut Output) -> Outcome {
    // First, so that a wrong place leaves no memory behind.
    let meeting = Meeting::existing(&asked.at.place)?;
    let mut exchange = meeting.reach()?;
    if !meeting.may_be_joined() {
        return Err(nobody_shares(&exchange));
    }
    let memory = place.open_or_create()?;
    if exchange.is_empty(&memory)? {
        return Err(nobody_shares(&exchange));
    }
    let name = name_of(place, &asked.at, &memory, &mut exchange);
    exchange.announce(&memory, &name)?;
    let before = meeting.elsewhere_before(place);
    meeting.keep(place, &name)?;
    let added = strangers(&memory, &mut exchange)?;
    for other in &added {
        let role = role(asked.owner);
        memory
            .sharing()
            .add_member(&other.identity, &other.name, role)?;
    }
    // The others receive this memory's records even if those of one of them are damaged.
    let pulled = exchange.pull(&memory);
    let sent = exchange.push(&memory);
    let (pulled, sent) = (pulled?, sent?);
    if output.is_json() {
        output.json(&json!({
            "place": exchange.shown(),
            "before": before.as_ref().map(Meeting::called),
            "identity": memory.sharing().identity()?,
            "added": added.iter().map(announced_json).collect::<Vec<Value>>(),
            "pulled": pulled_json(&pulled),
            "pushed": sent_json(&sent),
        }));
        return Ok(());
    }
    say_before(before.as_ref(), &memory, output)?;
    for other in &added {
        let line = Line::new().add(Look::Good, "new member ");
        let line = line.add(Look::Strong, &other.name);
        output.line(line.add(Look::Id, format_args!("  {}", other.identity)));
    }
    if added.is_empty() {
        output.say("no new members");
    }
    if asked.owner {
        say_writers(&memory, output)?;
    }
    show_pulled(&pulled, output);
    show_sent(&sent, output);
    Ok(())
}

fn nobody_shares(exchange: &Exchange) -> Failure {
    Failure::not_found(format!(
        "nobody shares a memory through {} yet; begin with `recallite share init`, or try again when \
         the files of the others have arrived",
        exchange.shown()
    ))
}

/// Tells that members who were writers already stay so: joining as an owner is about new ones.
fn say_writers(memory: &Memory, output: &mut Output) -> Outcome {
    let members = memory.sharing().members()?.into_iter();
    let writers = members.filter(|member| member.role == MemberRole::Writer);
    for writer in writers {
        output.say(format_args!(
            "{} stays a writer; to make it an owner, run `recallite share members --add {} --owner`",
            writer.name, writer.identity
        ));
    }
    Ok(())
}

/// Tells that the place where this memory was shared is no longer used, and that what it wrote there
/// stays.
fn say_before(before: Option<&Meeting>, memory: &Memory, output: &mut Output) -> Outcome {
    if let Some(before) = before {
        output.say(format_args!(
            "this memory is no longer shared through {}",
            before.called()
        ));
        output.say(format_args!(
            "what it wrote there stays, even if it is erased here later; to remove it, {}",
            before.removal(&memory.sharing().identity()?)
        ));
    }
    Ok(())
}

/// Announced stores that are not members yet.
fn strangers(memory: &Memory, exchange: &mut Exchange) -> Outcome<Vec<Announced>> {
    let members = memory.sharing().members()?;
    let is_new = |other: &Announced| {
        !members
            .iter()
            .any(|member| member.identity == other.identity)
    };
    Ok(exchange
        .others(memory)?
        .into_iter()
        .filter(is_new)
        .collect())
}

fn announced_json(other: &Announced) -> Value {
    json!({ "identity": other.identity, "name": other.name })
}

/// With JSON, each line is one value: `pushed`, `pulled` or `error`.
fn watch(place: &Place, output: &mut Output) -> Outcome {
    let open = || -> Outcome<_> { Ok((place.open()?, Meeting::of(place)?)) };
    let mut opened = Some(open()?);
    let mut exchange = None;
    let mut is_watching = false;
    let mut last_problem = String::new();
    let mut pause = PAUSE;
    loop {
        let shared = match &mut opened {
            Some(shared) => Ok(shared),
            none => open().map(|shared| none.insert(shared)),
        };
        let round = shared.and_then(|(memory, meeting)| {
            // Another call may have begun to share elsewhere.
            let now = Meeting::of(place)?;
            if now != *meeting {
                (*meeting, exchange, is_watching) = (now, None, false);
            }
            let exchange = step(memory, meeting, &mut exchange, output)?;
            if !is_watching && !output.is_json() {
                output.say(format_args!("watching {}", exchange.shown()));
            }
            is_watching = true;
            output.flush()?;
            exchange.wait(PAUSE)
        });
        match round {
            Ok(()) => {
                last_problem.clear();
                pause = PAUSE;
            }
            // Most failures are temporary: a removed drive is reinserted, an incomplete file is
            // completed, a server is restarted.
            Err(failure) => {
                // A server that lets nobody in is asked less and less often.
                pause = match (exchange.take(), &opened) {
                    (None, Some(_)) => (2 * pause).min(LONGEST_PAUSE),
                    _ => PAUSE,
                };
                is_watching = false;
                // The folder may hold another store by now, which is shared elsewhere or not at all.
                if failure.needs_reopen() {
                    opened = None;
                }
                if failure.message() != last_problem {
                    last_problem = failure.message();
                    show_problem(&failure, output);
                }
                output.flush()?;
                std::thread::sleep(pause);
            }
        }
    }
}

fn show_problem(failure: &Failure, output: &mut Output) {
    if output.is_json() {
        output.json(&failure.json());
        return;
    }
    let line = Line::new().add(Look::Warning, "waiting: ");
    output.line(line.plain(failure.message()));
}

/// One round of a watch: pushes, and pulls even if the push failed.
fn step<'e>(
    memory: &Memory,
    meeting: &Meeting,
    exchange: &'e mut Option<Exchange>,
    output: &mut Output,
) -> Outcome<&'e mut Exchange> {
    let exchange = match exchange {
        Some(exchange) => exchange,
        None => exchange.insert(meeting.reach()?),
    };
    let mut sent = exchange.push(memory);
    let pulled = exchange.pull(memory);
    if let Ok(sent) = &sent
        && !sent.is_nothing()
    {
        match output.is_json() {
            true => output.json(&json!({ "pushed": sent_json(sent) })),
            false => show_sent(sent, output),
        }
    }
    if let Ok(pulled) = &pulled
        && pulled.records + pulled.refused + pulled.forgotten > 0
    {
        match output.is_json() {
            true => output.json(&json!({ "pulled": pulled_json(pulled) })),
            false => show_pulled(pulled, output),
        }
        // The others wait for the confirmation.
        if sent.is_ok() {
            sent = exchange.push(memory);
        }
    }
    sent?;
    pulled?;
    Ok(exchange)
}

/// What is known about the place where a memory is shared.
struct Seen {
    shown: String,
    strangers: Vec<Announced>,
}

/// The state of sharing. If the place cannot be reached, that is reported last, and in the exit
/// code.
fn status(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let meeting = Meeting::of(place)?;
    let seen = meeting.reach().and_then(|mut exchange| {
        Ok(Seen {
            strangers: strangers(&memory, &mut exchange)?,
            shown: exchange.shown(),
        })
    });
    match output.is_json() {
        true => output.json(&status_json(&memory, seen.as_ref().ok())?),
        false => show_status(&memory, seen.as_ref().ok(), output)?,
    }
    seen.map(|_| ())
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
    for (member, position) in &positions(memory)? {
        let line = member_line(member);
        output.line(line.plain(format_args!("  received up to position {position}")));
    }
    let strangers = seen.map_or(&[][..], |seen| &seen.strangers);
    for other in strangers {
        let line = Line::new().add(Look::Warning, "not a member yet ");
        let line = line.add(Look::Strong, &other.name);
        output.line(line.add(Look::Id, format_args!("  {}", other.identity)));
    }
    for erasure in &sharing.unanswered_erasures(None)? {
        let line = Line::new().add(Look::Warning, "not yet erased everywhere: ");
        let count = |members: &[String]| counted(members.len() as u64, "member", "members");
        let line = line.plain(format_args!(
            "erased {}, waiting for {}",
            erasure.erased_at,
            count(&erasure.waiting_for)
        ));
        output.line(match erasure.declined_by.as_slice() {
            [] => line,
            declined => line.plain(format_args!(
                "; {} kept what other stores recorded, because this store is not an owner there",
                count(declined)
            )),
        });
    }
    if !strangers.is_empty() {
        output.say(
            "to accept all of them, run `recallite share join` with the same place; to accept one, \
             run `recallite share members --add IDENTITY`",
        );
    }
    Ok(())
}

fn renew(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let identity = memory.sharing().renew_identity()?;
    if output.is_json() {
        output.json(&json!({ "identity": identity }));
        return Ok(());
    }
    output.say(format_args!("new identity of this store: {identity}"));
    output.say(
        "next: run `recallite share join` with the same place here, then on the other machines, \
         to make them accept it as a member; it keeps its name unless you give it another one with \
         --name",
    );
    Ok(())
}

fn members(place: &Place, asked: &Members, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let sharing = memory.sharing();
    if let Some(identity) = &asked.add {
        add_member(&memory, identity, asked)?;
    }
    if let Some(identity) = &asked.remove
        && !sharing.remove_member(identity)?
    {
        return Err(Failure::not_found(format!("{identity} is not a member")));
    }
    let members = sharing.members()?;
    if output.is_json() {
        let items: Vec<Value> = members.iter().map(member_json).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if members.is_empty() {
        output.say("no members; this memory accepts no records from other stores");
    }
    for member in &members {
        output.line(member_line(member));
    }
    Ok(())
}

/// Adds a member, or changes one: what is not asked for stays as it is.
fn add_member(memory: &Memory, identity: &str, asked: &Members) -> Outcome {
    let mut members = memory.sharing().members()?.into_iter();
    let identity = identity.trim().to_lowercase();
    let known = members.find(|member| member.identity == identity);
    let role = match &known {
        Some(known) if !asked.owner => known.role,
        _ => role(asked.owner),
    };
    let known_name = known.map(|known| known.name);
    let name = asked.name.clone().or(known_name);
    let name = name.unwrap_or_else(|| "a machine".to_owned());
    Ok(memory.sharing().add_member(&identity, &name, role)?)
}

fn withhold(place: &Place, asked: &Paused, is_withheld: bool, output: &mut Output) -> Outcome {
    let memory = place.open_or_create()?;
    let (scope, name) = asked.scope(place, &memory)?;
    let is_changed = match is_withheld {
        true => memory.sharing().withhold(scope, &name)?,
        false => memory.sharing().offer(scope, &name)?,
    };
    if output.is_json() {
        output.json(&json!({
            "scope": scope.as_str(),
            "name": name,
            "withheld": is_withheld,
            "changed": is_changed,
        }));
        return Ok(());
    }
    let said = match is_withheld {
        true => "not shared with others:",
        false => "shared with others:",
    };
    let line = Line::new().add(Look::Good, said);
    output.line(line.plain(format_args!(" {scope} {name}")));
    Ok(())
}
