//! `share members`: whose records a memory accepts.

use recallite::{Announced, Member, MemberRole, Memory};
use serde_json::{Value, json};

use super::exchange::Meeting;
use super::show::{member_json, member_line};
use crate::arguments::{Members, Place};
use crate::failure::{Failure, Outcome};
use crate::output::Output;

/// The length of an identity, in hexadecimal digits.
const DIGITS: usize = 64;

/// Fewer digits are not taken as the beginning of an identity: somebody could make keys until one
/// begins with them.
const MIN_DIGITS: usize = 16;

/// A store that may be meant.
#[derive(Clone)]
struct Candidate {
    identity: String,
    name: String,
}

pub(super) fn role(is_owner: bool) -> MemberRole {
    match is_owner {
        true => MemberRole::Owner,
        false => MemberRole::Writer,
    }
}

pub(super) fn run(place: &Place, asked: &Members, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    if let Some(named) = &asked.add {
        add(place, &memory, named, asked)?;
    }
    if let Some(named) = &asked.remove {
        remove(&memory, named)?;
    }
    let members = memory.sharing().members()?;
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
fn add(place: &Place, memory: &Memory, named: &str, asked: &Members) -> Outcome {
    let members = memory.sharing().members()?;
    let identity = match whole_identity(named) {
        Some(identity) => identity,
        None => announced_or_member(place, memory, named, &members)?.identity,
    };
    let mut known = members.into_iter();
    let known = known.find(|member| member.identity == identity);
    let role = match &known {
        Some(known) if !asked.owner => known.role,
        _ => role(asked.owner),
    };
    let known = known.map(|known| known.name);
    let name = asked.name.clone().or(known);
    let name = name.or_else(|| announced_name(place, memory, &identity));
    let name = name.unwrap_or_else(|| "a machine".to_owned());
    Ok(memory.sharing().add_member(&identity, &name, role)?)
}

fn strangers(place: &Place, memory: &Memory) -> Outcome<Vec<Announced>> {
    Meeting::of(place)?.reach()?.strangers(memory)
}

/// What a store calls itself where this memory is shared. The name can be changed later, so it does
/// not matter if the place cannot be reached.
fn announced_name(place: &Place, memory: &Memory, identity: &str) -> Option<String> {
    let mut strangers = strangers(place, memory).ok()?.into_iter();
    let it = strangers.find(|other| other.identity == identity)?;
    Some(it.name)
}

fn remove(memory: &Memory, named: &str) -> Outcome {
    let identity = match whole_identity(named) {
        Some(identity) => identity,
        None => the_one(named, candidates(&memory.sharing().members()?))?.identity,
    };
    match memory.sharing().remove_member(&identity)? {
        true => Ok(()),
        false => Err(Failure::not_found(format!("{identity} is not a member"))),
    }
}

/// The member, or the store that is announced where this memory is shared, that is meant.
///
/// # Errors
/// That the place cannot be reached, unless a member is meant.
fn announced_or_member(
    place: &Place,
    memory: &Memory,
    named: &str,
    members: &[Member],
) -> Outcome<Candidate> {
    let mut all = candidates(members);
    match strangers(place, memory) {
        Ok(strangers) => all.extend(strangers.into_iter().map(|other| Candidate {
            identity: other.identity,
            name: other.name,
        })),
        Err(problem) if !all.iter().any(|one| is_meant(named, one)) => return Err(problem),
        Err(_) => {}
    }
    the_one(named, all)
}

fn candidates(members: &[Member]) -> Vec<Candidate> {
    let candidate = |member: &Member| Candidate {
        identity: member.identity.clone(),
        name: member.name.clone(),
    };
    members.iter().map(candidate).collect()
}

fn whole_identity(named: &str) -> Option<String> {
    let identity = named.trim().to_lowercase();
    let is_whole = identity.len() == DIGITS && identity.bytes().all(|it| it.is_ascii_hexdigit());
    is_whole.then_some(identity)
}

/// Whether a store has this name, or an identity that begins with it. A name does not hide an
/// identity: every machine chooses its own.
fn is_meant(named: &str, candidate: &Candidate) -> bool {
    let wanted = named.trim().to_lowercase();
    let begins = wanted.len() >= MIN_DIGITS && candidate.identity.starts_with(&wanted);
    begins || candidate.name.to_lowercase() == wanted
}

fn the_one(named: &str, mut all: Vec<Candidate>) -> Outcome<Candidate> {
    all.retain(|candidate| is_meant(named, candidate));
    match (all.pop(), all.len()) {
        (None, _) => Err(Failure::not_found(format!(
            "no store is called {named:?} here; give its identity, as its `share status` prints \
             it, or at least the first {MIN_DIGITS} digits of it"
        ))),
        (Some(one), 0) => Ok(one),
        (Some(last), more) => Err(Failure::Ambiguous {
            said: format!(
                "{} stores are called {named:?}, give the identity",
                more + 1
            ),
            names: all
                .iter()
                .chain([&last])
                .map(|one| format!("{} ({})", one.name, one.identity))
                .collect(),
        }),
    }
}
