//! Parses the payloads of events that are folded. A payload is read in full before anything
//! is folded, so that every row that a fold writes can be read back.

use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::projection::edges::EdgePayload;
use crate::projection::endless::{ConsolidatedPayload, ContinuityPayload, SettingPayload};
use crate::projection::entries::EntryPayload;
use crate::projection::history::{BuildRunPayload, IngestedPayload};
use crate::projection::levels::{AccessPayload, LevelPayload};
use crate::projection::memories::MemoryPayload;
use crate::projection::pins::PinPayload;
use crate::projection::rows::payload;
use crate::rules::history::{Conflict, Decision, PipelineMetric};
use crate::rules::tasks::TaskEvent;

/// The payload of one of the library's own events.
pub(super) enum Payload {
    Task(Box<TaskEvent>),
    Ingested(IngestedPayload),
    Entry(Box<EntryPayload>),
    BuildRun(Box<BuildRunPayload>),
    Decision(Box<Decision>),
    Conflict(Box<Conflict>),
    Metric(PipelineMetric),
    Edges(EdgePayload),
    Accesses(AccessPayload),
    Levels(LevelPayload),
    Consolidated(ConsolidatedPayload),
    Continuity(Box<ContinuityPayload>),
    Setting(SettingPayload),
    Memory(MemoryPayload),
    Pins(PinPayload),
    /// Events of this kind change no projection.
    Nothing,
}

impl Payload {
    /// Parses an event's payload.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong, without its content.
    pub(super) fn of(event: &Event) -> Result<Payload> {
        let json = payload(event);
        let name = event.kind.as_str();
        if TaskEvent::is_kind(event.kind) {
            let act = TaskEvent::from_json(event.kind, &event.session, &json)?;
            return Ok(Payload::Task(Box::new(act)));
        }
        Ok(match event.kind {
            EventKind::SessionIngested => Payload::Ingested(codec::from_json(name, &json)?),
            EventKind::EntryChanged => Payload::Entry(Box::new(EntryPayload::of(name, &json)?)),
            EventKind::BuildRun => Payload::BuildRun(Box::new(BuildRunPayload::of(name, json)?)),
            EventKind::DecisionMade => Payload::Decision(Box::new(Decision::from_json(&json)?)),
            EventKind::ConflictChanged => Payload::Conflict(Box::new(Conflict::from_json(&json)?)),
            EventKind::PipelineMetric => Payload::Metric(PipelineMetric::from_json(&json)?),
            EventKind::EdgeChanged => Payload::Edges(codec::from_json(name, &json)?),
            EventKind::Accessed => Payload::Accesses(codec::from_json(name, &json)?),
            EventKind::LevelChanged => Payload::Levels(codec::from_json(name, &json)?),
            EventKind::Consolidated => Payload::Consolidated(codec::from_json(name, &json)?),
            EventKind::ContinuityScored => {
                let scored: ContinuityPayload = codec::from_json(name, &json)?;
                if scored.is_logged && scored.from_context_id.is_none() {
                    let missing = format!("{name}.from_context_id");
                    return Err(Error::invalid(missing, "is missing"));
                }
                Payload::Continuity(Box::new(scored))
            }
            EventKind::SettingChanged => Payload::Setting(codec::from_json(name, &json)?),
            EventKind::MemoryResolved => Payload::Memory(MemoryPayload::of(name, &json)?),
            EventKind::PinChanged => Payload::Pins(codec::from_json(name, &json)?),
            _ => Payload::Nothing,
        })
    }
}
