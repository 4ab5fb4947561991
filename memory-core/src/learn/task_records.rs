//! The records of acts on tasks: the event of an act, and the project that it belongs to.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::event::Dedupe;
use crate::projection::tasks as rows_of;
use crate::rules::tasks::keys;
use crate::rules::tasks::{TaskEvent, TaskPayload};
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::Rows;
use crate::write::prepare::SystemEvent;

/// The project of the records of acts on one task or condition: its own, so that whoever forgets
/// or shares a project takes all of its tasks along, and no other's.
pub(super) fn project_of(rows: &dyn Rows, acts: &[TaskEvent], own: &str) -> Result<String> {
    for act in acts {
        let project = match &act.payload {
            TaskPayload::Created { project, .. }
            | TaskPayload::ConditionDeclared { project, .. } => Some(project.clone()),
            _ => {
                let id = act.subject();
                match rows_of::task(rows, id)? {
                    Some(task) => Some(task.project),
                    None => rows_of::condition(rows, id)?.map(|condition| condition.project),
                }
            }
        };
        if let Some(project) = project {
            let is_unnamed = project == keys::DEFAULT_PROJECT && own != keys::DEFAULT_PROJECT;
            return Ok(match is_unnamed {
                true => String::new(),
                false => project,
            });
        }
    }
    Ok(own.to_owned())
}

/// The event of an act on a task. It names the messages that it was learned from, so that they take
/// it along when they are erased, in other stores too.
pub(crate) fn task_event(
    engine: &Engine,
    project: &str,
    act: &TaskEvent,
    source_events: &[String],
) -> Draft {
    let mut payload = act.to_json().to_value();
    if !source_events.is_empty() {
        payload["source_events"] = source_events.into();
    }
    let title = payload["title"].as_str().or(payload["text"].as_str());
    let content = match title {
        Some(title) => format!("{}: {title}", act.kind()),
        None => format!("{}: {}", act.kind(), act.subject()),
    };
    SystemEvent {
        session: act.source.session.clone(),
        project: project.to_owned(),
        dedupe: Dedupe::Key(act.dedupe_key()),
        ..SystemEvent::new(engine, act.kind(), content, payload)
    }
    .draft(engine)
}
