//! `pause`, `resume` and `paused`: what is not being recorded.

use serde_json::{Value, json};

use crate::arguments::{Place, ScopeArguments};
use crate::failure::Outcome;
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn pause(place: &Place, asked: &ScopeArguments, output: &mut Output) -> Outcome {
    change(place, asked, true, output)
}

pub(crate) fn resume(place: &Place, asked: &ScopeArguments, output: &mut Output) -> Outcome {
    change(place, asked, false, output)
}

fn change(place: &Place, asked: &ScopeArguments, is_paused: bool, output: &mut Output) -> Outcome {
    // A pause may come before anything is stored.
    let memory = place.open_or_create()?;
    let (scope, name) = asked.scope(place, &memory)?;
    let is_changed = match is_paused {
        true => memory.pauses().pause(scope, &name)?,
        false => memory.pauses().resume(scope, &name)?,
    };
    if output.is_json() {
        output.json(&json!({
            "scope": scope.as_str(),
            "name": name,
            "paused": is_paused,
            "changed": is_changed,
        }));
        return Ok(());
    }
    let said = match (is_paused, is_changed) {
        (true, true) => "paused recording of",
        (true, false) => "already paused:",
        (false, true) => "resumed recording of",
        (false, false) => "was not paused:",
    };
    let line = Line::new().add(Look::Good, said);
    output.line(line.plain(format_args!(" {scope} {name}")));
    if !is_paused && is_changed {
        output.say(
            "the agents' own transcripts have what was said meanwhile; `recallite import` would \
             store it",
        );
    }
    Ok(())
}

pub(crate) fn paused(place: &Place, output: &mut Output) -> Outcome {
    let pauses = place.open()?.pauses().list(None)?;
    if output.is_json() {
        let items: Vec<Value> = pauses
            .iter()
            .map(|pause| {
                json!({
                    "scope": pause.scope.as_str(),
                    "name": pause.name,
                    "paused_at": pause.paused_at.to_string(),
                })
            })
            .collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if pauses.is_empty() {
        output.say("nothing is paused");
    }
    for pause in &pauses {
        let line = Line::new().add(Look::Faint, format_args!("{}  ", local(pause.paused_at)));
        output.line(line.plain(format_args!("{} {}", pause.scope, pause.name)));
    }
    Ok(())
}
