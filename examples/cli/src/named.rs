//! Finds things by their name, or by a part of it.

use recallite::Memory;

use crate::failure::{Failure, Outcome};
use crate::lines::shortened;

/// How many are listed if a name is ambiguous.
const NAMED: usize = 5;

/// Fails if a session is named and there is none of this name. A name with a typo selects nothing,
/// and doing nothing, or finding nothing, would look like success.
pub(crate) fn check_session(memory: &Memory, session: Option<&str>) -> Outcome {
    match session {
        Some(session) if memory.session(session)?.is_none() => Err(Failure::not_found(format!(
            "there is no session {session}; `recallite sessions` lists them"
        ))),
        _ => Ok(()),
    }
}

/// The kind of thing to find, as messages call it.
pub(crate) struct Word {
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    /// The command that lists them.
    pub(crate) listed_by: &'static str,
}

/// The one item of `all` with this name, or with a name or id that begins with it; names are
/// compared without regard to case.
pub(crate) fn the_one<'a, T>(
    named: &str,
    all: &'a [T],
    word: &Word,
    name_and_id: impl Fn(&T) -> (&str, &str),
) -> Outcome<&'a T> {
    let wanted = named.trim().to_lowercase();
    if wanted.is_empty() {
        return Err(Failure::usage(format!(
            "the name of the {} must not be blank",
            word.one
        )));
    }
    let is_it = |thing: &&T| name_and_id(thing).0.to_lowercase() == wanted;
    let begins = |thing: &&T| {
        let (name, id) = name_and_id(thing);
        name.to_lowercase().starts_with(&wanted) || id.starts_with(named.trim())
    };
    let exact: Vec<&T> = all.iter().filter(is_it).collect();
    let found = match exact.is_empty() {
        true => all.iter().filter(begins).collect(),
        false => exact,
    };
    match found.as_slice() {
        [] => Err(Failure::not_found(format!(
            "no {} matches {named:?}; run `{}` to list them",
            word.one, word.listed_by
        ))),
        [one] => Ok(*one),
        several => {
            let names = several.iter().take(NAMED).map(|it| {
                let (name, id) = name_and_id(it);
                format!("{} ({id})", shortened(name))
            });
            Err(Failure::Ambiguous {
                said: format!(
                    "{named:?} matches {} {}, be more specific",
                    several.len(),
                    word.many
                ),
                names: names.collect(),
            })
        }
    }
}
