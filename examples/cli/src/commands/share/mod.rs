//! `share`: one memory on several machines, through a folder that all can access or a server.

mod access;
mod exchange;
mod members;
mod show;
mod status;

use std::collections::BTreeSet;
use std::time::Duration;

use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventKind, MemberRole, Memory, ScopeKind};
use serde_json::{Value, json};

use self::exchange::{Exchange, Meeting, name_before};
use self::show::{announced_json, pulled_json, sent_json, show_pulled, show_sent};
use crate::arguments::{Place, ScopeArguments, Share, SharePlace, SharedPlace};
use crate::busy::Busy;
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output};
use crate::removal::is_done;

/// How many projects are named at most.
const NAMED: usize = 5;

/// What is shown while records are sent, and while they are received.
const PUSHING: &str = "pushing new records";
const PULLING: &str = "pulling new records";

/// How often a watch checks for news.
const PAUSE: Duration = Duration::from_millis(700);

/// How long a watch waits at most before it asks again: a server that refuses a password may lock
/// the account.
const MAX_PAUSE: Duration = Duration::from_secs(30);

pub(crate) fn run(place: &Place, act: &Share, output: &mut Output) -> Outcome {
    match act {
        Share::Init(asked) => init(place, asked, output),
        Share::Join(asked) => join(place, asked, output),
        Share::Push => {
            let memory = place.open()?;
            let busy = Busy::with(PUSHING);
            let sent = Meeting::of(place)?.reach()?.push(&memory, &busy)?;
            drop(busy);
            show_sent(&sent, output);
            Ok(())
        }
        Share::Pull => {
            let memory = place.open()?;
            let busy = Busy::with(PULLING);
            let received = Meeting::of(place)?.reach()?.pull(&memory, &busy)?;
            drop(busy);
            show_pulled(&received, output);
            is_done(&received.erased)
        }
        Share::Watch => watch(place, output),
        Share::Status => status::show(place, output),
        Share::Renew => renew(place, output),
        Share::Members(asked) => members::run(place, asked, output),
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

fn init(place: &Place, asked: &SharePlace, output: &mut Output) -> Outcome {
    // First, so that a wrong place leaves no memory behind.
    let meeting = Meeting::new(place, &asked.place)?;
    let mut exchange = meeting.reach()?;
    let memory = place.open_or_create()?;
    exchange.begin()?;
    let name = name_of(place, asked, &memory, &mut exchange);
    exchange.announce(&memory, &name)?;
    let before = meeting.elsewhere_before(place, &mut exchange);
    meeting.keep(place, &name)?;
    let sent = exchange.push(&memory, &Busy::with(PUSHING))?;
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
    let before = meeting.elsewhere_before(place, &mut exchange);
    meeting.keep(place, &name)?;
    let added = exchange.strangers(&memory)?;
    for other in &added {
        let role = members::role(asked.owner);
        memory
            .sharing()
            .add_member(&other.identity, &other.name, role)?;
    }
    let of_project = of_this_project(&memory)?;
    // The others receive this memory's records even if those of one of them are damaged.
    let pulled = exchange.pull(&memory, &Busy::with(PULLING));
    let sent = exchange.push(&memory, &Busy::with(PUSHING));
    let (received, sent) = (pulled?, sent?);
    if output.is_json() {
        output.json(&json!({
            "place": exchange.shown(),
            "before": before.as_ref().map(Meeting::called),
            "identity": memory.sharing().identity()?,
            "added": added.iter().map(announced_json).collect::<Vec<Value>>(),
            "pulled": pulled_json(&received),
            "pushed": sent_json(&sent),
        }));
        return is_done(&received.erased);
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
    show_pulled(&received, output);
    if received.pulled.records > 0 && of_this_project(&memory)? == of_project {
        say_other_projects(&memory, output)?;
    }
    show_sent(&sent, output);
    is_done(&received.erased)
}

/// How many events are of the selected project.
fn of_this_project(memory: &Memory) -> Outcome<u64> {
    Ok(memory.count_events(&of_any_kind())?)
}

fn of_any_kind() -> EventFilter {
    EventFilter::new().kinds(EventKind::ALL.iter().copied())
}

/// Tells that what was pulled is found in other projects only, and how projects get one name.
fn say_other_projects(memory: &Memory, output: &mut Output) -> Outcome {
    let own = memory.project();
    let sessions = memory.sessions(&ProjectScope::All, None)?.into_iter();
    let others = sessions.map(|session| session.project);
    let others: BTreeSet<String> = others.filter(|name| name != own).collect();
    let mut named: Vec<&str> = others.iter().map(String::as_str).take(NAMED).collect();
    if others.len() > NAMED {
        named.push("…");
    }
    output.say(format_args!(
        "nothing of this belongs to the project of this folder, {own}, but to {}",
        named.join(", ")
    ));
    output.say(
        "projects are matched by name: run `git config recallite.project NAME` in the repository on \
         each machine, or use --project NAME; -a looks in all projects",
    );
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

/// With JSON, each line is one value: `pushed`, `pulled` or `error`. Ends once nobody reads them.
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
            match output.is_abandoned() {
                true => Ok(()),
                false => exchange.wait(PAUSE),
            }
        });
        if output.is_abandoned() {
            return Ok(());
        }
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
                    (None, Some(_)) => (2 * pause).min(MAX_PAUSE),
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
                if output.is_abandoned() {
                    return Ok(());
                }
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
    let silent = Busy::silent();
    let mut sent = exchange.push(memory, &silent);
    let pulled = exchange.pull(memory, &silent);
    if let Ok(sent) = &sent
        && !sent.is_nothing()
    {
        match output.is_json() {
            true => output.json(&json!({ "pushed": sent_json(sent) })),
            false => show_sent(sent, output),
        }
    }
    if let Ok(received) = &pulled
        && let new = &received.pulled
        && new.records + new.refused + new.forgotten > 0
    {
        match output.is_json() {
            true => output.json(&json!({ "pulled": pulled_json(received) })),
            false => show_pulled(received, output),
        }
        // The others wait for the confirmation.
        if sent.is_ok() {
            sent = exchange.push(memory, &silent);
        }
    }
    sent?;
    pulled?;
    Ok(exchange)
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

fn withhold(
    place: &Place,
    asked: &ScopeArguments,
    is_withheld: bool,
    output: &mut Output,
) -> Outcome {
    let memory = place.open_or_create()?;
    let (scope, name) = asked.scope(place, &memory)?;
    let is_changed = match is_withheld {
        true => memory.sharing().withhold(scope, &name)?,
        false => memory.sharing().offer(scope, &name)?,
    };
    let is_stored = match scope {
        ScopeKind::Session => {
            let of_session = of_any_kind().project(ProjectScope::All).session(&name);
            memory.count_events(&of_session)? > 0
        }
        _ => of_this_project(&memory)? > 0,
    };
    if output.is_json() {
        output.json(&json!({
            "scope": scope.as_str(),
            "name": name,
            "withheld": is_withheld,
            "changed": is_changed,
            "stored": is_stored,
        }));
        return Ok(());
    }
    let said = match is_withheld {
        true => "not shared with others:",
        false => "shared with others:",
    };
    let line = Line::new().add(Look::Good, said);
    output.line(line.plain(format_args!(" {scope} {name}")));
    // A wrong name looks like a right one, and `share status` names only what is stored.
    if is_withheld && !is_stored {
        output.say("nothing of it is stored here; if it should be, check the name");
    }
    Ok(())
}
