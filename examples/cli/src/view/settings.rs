//! The settings in effect, and those that can be changed here.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use recallite::Memory;
use recallite::rules::endless::MemoryMode;
use serde_json::{Value, json};

use super::asked::{Asked, Given};
use super::refused::{Answer, Document, Refused};
use super::viewer::Viewer;
use crate::failure::Outcome;

/// The settings that [`patch`] accepts; the others are changed on the command line.
const EDITABLE: [&str; 1] = ["mode"];

pub(super) async fn get(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&[])?;
    let (project, source) = (viewer.project.clone(), viewer.store_source);
    let settings: Vec<Value> = viewer.settings.iter().map(setting).collect();
    viewer
        .ask(move |memory| {
            let config = in_force(memory, project.as_deref(), source)?;
            Ok(Document(json!({
                "config": config,
                "editable": EDITABLE,
                "settings": settings,
            })))
        })
        .await
}

/// A setting of the command under the names of this API.
fn setting(setting: &Value) -> Value {
    json!({
        "name": setting["name"],
        "value": setting["value"],
        "source": setting["source"],
        "sourceName": setting["source_name"],
        "setBy": setting["set_by"],
    })
}

/// `{"updates": {"mode": "endless"}}`.
pub(super) async fn patch(State(viewer): State<Arc<Viewer>>, body: Bytes) -> Answer {
    let given = Given::new(&body, &["updates"])?;
    let updates = given.inside("updates", &EDITABLE)?;
    let mode = match updates.text("mode")? {
        Some("session") => MemoryMode::Session,
        Some("endless") => MemoryMode::Endless,
        Some(_) => return Err(Refused::wrong("mode: must be session or endless")),
        None => return Err(Refused::wrong("updates: must name a setting to change")),
    };
    let (project, source) = (viewer.project.clone(), viewer.store_source);
    viewer
        .ask(move |memory| {
            memory.endless().set_mode(mode)?;
            let config = in_force(memory, project.as_deref(), source)?;
            Ok(Document(json!({
                "success": true,
                "config": config,
                "restartRequired": false,
            })))
        })
        .await
}

fn in_force(memory: &Memory, project: Option<&str>, source: &str) -> Outcome<Value> {
    let endless = memory.endless();
    let limits = endless.config()?;
    let (set, rule, given) = (
        &limits.working_set,
        &limits.consolidation,
        &limits.injection,
    );
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "store": { "path": memory.path().display().to_string(), "source": source },
        "project": project,
        "quotaBytes": memory.stats()?.quota_bytes,
        "mode": endless.mode()?.as_str(),
        "endless": {
            "workingSet": {
                "maxEvents": set.max_events,
                "timeWindowMs": set.time_window_ms,
                "minRelevanceScore": set.min_relevance_score,
            },
            "consolidation": {
                "triggerIntervalMs": rule.trigger_interval_ms,
                "triggerEventCount": rule.trigger_event_count,
                "triggerIdleMs": rule.trigger_idle_ms,
                "minEvents": rule.min_events,
                "maxSummaryChars": rule.max_summary_chars,
            },
            "injection": {
                "minRelevance": given.min_relevance,
                "maxEvents": given.max_events,
                "maxMemories": given.max_memories,
            },
        },
    }))
}
