//! `history` and `sessions`: what was said and done, newest first.

use recallite::{EventFilter, Session};
use serde_json::json;

use super::show::show_list;
use crate::arguments::{History, Limited, Place, narrow};
use crate::as_json;
use crate::conversations::title;
use crate::failure::Outcome;
use crate::lines::{counted, cut_list, more_of, shortened, shown_of};
use crate::named::check_session;
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn history(place: &Place, asked: &History, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut filter = EventFilter::new()
        .project(place.scope())
        .kinds(asked.narrowed.kinds.iter().copied())
        .newest_first()
        // One more reveals whether there are more.
        .limit(asked.limit.saturating_add(1));
    narrow!(filter, asked.narrowed);
    let mut events = memory
        .events(filter)?
        .collect::<recallite::Result<Vec<_>>>()?;
    let has_more = cut_list(&mut events, asked.limit);
    if events.is_empty() {
        check_session(&memory, asked.narrowed.session.as_deref())?;
    }
    if output.is_json() {
        let items: Vec<_> = events.iter().map(as_json::event).collect();
        output.json(&json!({ "items": items, "has_more": has_more }));
        return Ok(());
    }
    if events.is_empty() {
        output.say(format_args!(
            "no memories found{}",
            place.where_looked(&memory)
        ));
    }
    show_list(&events, output);
    if has_more {
        output.say(more_of(events.len()));
    }
    Ok(())
}

pub(crate) fn sessions(place: &Place, asked: &Limited, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut sessions = memory.sessions(&place.scope(), Some(usize::MAX))?;
    // A session that only received context has no events of its own yet.
    sessions.retain(|session| session.events > 0);
    let total = sessions.len();
    sessions.truncate(asked.limit);
    if output.is_json() {
        let mut items = Vec::with_capacity(sessions.len());
        for session in &sessions {
            let mut item = as_json::session(session);
            item["title"] = json!(title(&memory, session)?);
            items.push(item);
        }
        let has_more = total > items.len();
        output.json(&json!({ "items": items, "total": total, "has_more": has_more }));
        return Ok(());
    }
    if sessions.is_empty() {
        output.say(format_args!(
            "no sessions found{}",
            place.where_looked(&memory)
        ));
    }
    for session in &sessions {
        let title = title(&memory, session)?;
        show_session(session, title.as_deref(), place.all_projects, output);
    }
    if total > sessions.len() {
        output.say(shown_of(sessions.len(), total));
    }
    Ok(())
}

fn show_session(session: &Session, title: Option<&str>, with_project: bool, output: &mut Output) {
    let size = counted(session.events, "event", "events");
    let mut line = Line::new()
        .add(Look::Faint, local(session.last_event))
        .plain("  ")
        .add(Look::Id, &session.id)
        .add(Look::Faint, format_args!("  {size}"));
    if with_project && !session.project.is_empty() {
        line = line.add(Look::Faint, format_args!("  {}", session.project));
    }
    if let Some(title) = title {
        line = line.plain("  ").plain(shortened(title));
    }
    output.line(line);
}
