//! What an event of the library's own must say to be folded. A fold never runs on
//! a payload that is refused here, so that every row it writes can be read again.

use serde_json::Value;

use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::json::Json;
use crate::model::read::Element;
use crate::projection::{edges, endless, entries, levels, memories, pauses, rows};
use crate::rules::endless::{ContextSnapshot, MemoryMode};
use crate::rules::history::{BuildRun, Conflict, Decision, PipelineMetric, PromotionRecord};
use crate::rules::levels::Level;
use crate::rules::tasks::TaskEvent;

/// Why the payload of an event cannot be folded, without anything of what it holds;
/// `Ok` when it can.
///
/// # Errors
/// `invalid_argument` naming the element that is wrong.
pub(crate) fn check(event: &Event, payload: &Value) -> Result<()> {
    let root = Element::root(event.kind.as_str(), payload);
    match event.kind {
        EventKind::TaskCreated
        | EventKind::TaskStatusChanged
        | EventKind::TaskPriorityChanged
        | EventKind::TaskBlockersSet
        | EventKind::TaskTransitionRejected
        | EventKind::ConditionDeclared
        | EventKind::ArtifactDeclared
        | EventKind::ConditionResolvedTo
        | EventKind::TaskTitleChanged => {
            TaskEvent::from_json(event.kind, &event.session, &rows::payload_json(event)).map(drop)
        }
        EventKind::SessionIngested => check_ingested(&root),
        EventKind::EntryChanged => check_entry(&root, payload),
        EventKind::BuildRun => check_build_run(event, &root),
        EventKind::DecisionMade => Decision::from_json(&rows::payload_json(event)).map(drop),
        EventKind::ConflictChanged => Conflict::from_json(&rows::payload_json(event)).map(drop),
        EventKind::PipelineMetric => {
            PipelineMetric::from_json(&rows::payload_json(event)).map(drop)
        }
        EventKind::EdgeChanged => check_edges(&root),
        EventKind::Accessed => check_accesses(&root),
        EventKind::LevelChanged => check_levels(&root),
        EventKind::Consolidated => {
            let row = endless::consolidated_row(event, payload);
            endless::memory_from(&Json::from_value(&row)).map(drop)
        }
        EventKind::ContinuityScored => check_continuity(event, &root, payload),
        EventKind::SettingChanged => check_setting(&root),
        EventKind::MemoryResolved => memories::check(event, payload),
        EventKind::PinChanged => each(&root, "pins", |pin| {
            pin.required("event_id")?.text()?;
            pin.required("pinned")?.bool().map(drop)
        }),
        _ => Ok(()),
    }
}

/// Looks at each item of a list; there may be none.
fn each(root: &Element<'_>, name: &str, look: impl Fn(&Element<'_>) -> Result<()>) -> Result<()> {
    root.items(name)?.iter().try_for_each(look)
}

fn check_ingested(root: &Element<'_>) -> Result<()> {
    root.optional_string("reader")?;
    if let Some(to) = root.optional("read_through")? {
        to.u64()?;
    }
    Ok(())
}

fn check_entry(root: &Element<'_>, payload: &Value) -> Result<()> {
    if payload["act"] == "created" {
        entries::check_created(root, payload)?;
        return each(root, "sources", |source| {
            source.required("event_id")?.text().map(drop)
        });
    }
    root.required("entry_id")?.text()?;
    entries::check_act(root, payload)?;
    each(root, "promotions", |record| {
        PromotionRecord::from_json(&record.json()).map(drop)
    })
}

fn check_build_run(event: &Event, root: &Element<'_>) -> Result<()> {
    BuildRun::from_json(&rows::payload_json(event))?;
    root.strings("resolved")?;
    root.optional_string("extraction_key")?;
    let Some(report) = root.optional("report")? else {
        return Ok(());
    };
    for name in ["entries", "tasks"] {
        each(&report, name, |pair| {
            pair.required("local_id")?.string()?;
            pair.required("global_id")?.text().map(drop)
        })?;
    }
    Ok(())
}

fn check_edges(root: &Element<'_>) -> Result<()> {
    for name in ["removed", "added"] {
        each(root, name, edges::check_ends)?;
    }
    Ok(())
}

fn check_accesses(root: &Element<'_>) -> Result<()> {
    each(root, "accesses", |access| {
        access.required("event_id")?.text()?;
        access.required("session")?.str()?;
        access.required("at")?.time()?;
        access.optional_string("home_session")?;
        if let Some(count) = access.optional("count")? {
            count.u64()?;
        }
        if let Some(confidence) = access.optional("confidence")? {
            confidence.unit()?;
        }
        Ok(())
    })?;
    each(root, "memories", |memory| {
        memory.required("memory_id")?.text()?;
        memory.required("at")?.time().map(drop)
    })
}

fn check_levels(root: &Element<'_>) -> Result<()> {
    each(root, "insights", |insight| {
        levels::insight_from(&insight.json()).map(drop)
    })?;
    each(root, "levels", |step| {
        step.required("event_id")?.text()?;
        step.required("to")?.parse::<Level>().map(drop)
    })
}

fn check_continuity(event: &Event, root: &Element<'_>, payload: &Value) -> Result<()> {
    ContextSnapshot::from_json(&root.required("current")?.json())?;
    if root.required("is_logged")?.bool()? {
        let row = endless::continuity_row(event, payload);
        endless::continuity_from(&Json::from_value(&row))?;
    }
    Ok(())
}

fn check_setting(root: &Element<'_>) -> Result<()> {
    if let Some(settings) = root.optional("settings")? {
        settings.object()?;
        if let Some(mode) = settings.optional(endless::MODE)? {
            mode.parse::<MemoryMode>()?;
        }
        if let Some(limits) = settings.optional(endless::ENDLESS)? {
            limits.object()?;
        }
    }
    each(root, "pauses", |pause| {
        pause.required("key")?.text()?;
        pause.required("paused")?.bool()?;
        pause.required("scope")?.parse::<pauses::PauseScope>()?;
        pause.required("name")?.str().map(drop)
    })?;
    each(root, "working_set", |item| {
        item.required("event_id")?.text()?;
        item.strings("topics").map(drop)
    })
}
