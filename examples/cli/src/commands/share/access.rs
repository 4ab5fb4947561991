//! `share grant`, `share revoke`, `share access`: which account sees what on a server.

use recallite_postgres::Access;
use serde_json::{Value, json};

use super::exchange::Meeting;
use crate::arguments::{Account, Place};
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output};

/// The selected project; `None` for all of them.
fn project(place: &Place) -> Outcome<Option<String>> {
    match place.all_projects {
        true => Ok(None),
        false => Ok(Some(place.open()?.project().to_owned())),
    }
}

fn said(project: Option<&str>) -> String {
    match project {
        Some(project) => format!("project {project}"),
        None => "all projects".to_owned(),
    }
}

pub(super) fn grant(place: &Place, asked: &Account, output: &mut Output) -> Outcome {
    let project = project(place)?;
    let mut exchange = Meeting::of(place)?.reach()?;
    exchange
        .server()?
        .grant(&asked.account, project.as_deref())?;
    tell(asked, project.as_deref(), "can now see", output);
    Ok(())
}

pub(super) fn revoke(place: &Place, asked: &Account, output: &mut Output) -> Outcome {
    let project = project(place)?;
    let mut exchange = Meeting::of(place)?.reach()?;
    let was_there = exchange
        .server()?
        .revoke(&asked.account, project.as_deref())?;
    if !was_there {
        return Err(Failure::not_found(format!(
            "{} had no access to {}",
            asked.account,
            said(project.as_deref())
        )));
    }
    tell(asked, project.as_deref(), "can no longer see", output);
    Ok(())
}

fn tell(asked: &Account, project: Option<&str>, verb: &str, output: &mut Output) {
    if output.is_json() {
        output.json(&json!({ "account": asked.account, "project": project }));
        return;
    }
    let line = Line::new().add(Look::Strong, &asked.account);
    output.line(line.plain(format_args!(" {verb} {}", said(project))));
}

pub(super) fn list(place: &Place, output: &mut Output) -> Outcome {
    let accesses = Meeting::of(place)?.reach()?.server()?.accesses()?;
    if output.is_json() {
        let as_json =
            |access: &Access| json!({ "account": access.account, "project": access.project });
        let items: Vec<Value> = accesses.iter().map(as_json).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    for access in &accesses {
        let line = Line::new().add(Look::Strong, &access.account);
        output.line(line.plain(format_args!("  {}", said(access.project.as_deref()))));
    }
    Ok(())
}
