//! The mode of the store and its limits, as settings that the log records.

use serde_json::Value;

use crate::engine::Engine;
use crate::learn::history;
use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::projection;
use crate::projection::endless::{self as rows_of, SettingPayload, Settings};
use crate::projection::pauses::{self, ScopeKind};
use crate::rules::endless::MemoryMode;
use crate::rules::endless::config::{EndlessConfig, check_config};
use crate::store::WriteTx;
use crate::store::projected_rows::projected::Rows;
use crate::write::prepare::{SystemEvent, check_required, kept_name};

fn read_endless<T>(engine: &Engine, look: impl FnOnce(&dyn Rows) -> Result<T>) -> Result<T> {
    look(&engine.store.read()?.projected()?)
}

/// [`Endless::mode`](crate::Endless::mode).
pub(crate) fn mode(engine: &Engine) -> Result<MemoryMode> {
    read_endless(engine, |rows| rows_of::mode(rows))
}

/// [`Endless::session_now`](crate::Endless::session_now).
pub(crate) fn session_now(engine: &Engine, session: &str) -> Result<String> {
    check_required("session", session)?;
    let now = engine.store.clock().now();
    let kept = kept_name(engine, session)?;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    // A conversation that is paused keeps its name, under which nothing is recorded.
    let is_of_day = rows_of::mode(&rows)? == MemoryMode::Endless && {
        let key = pauses::key(read.secret(), ScopeKind::Session, &kept);
        !pauses::is_paused(&rows, &key)?
    };
    Ok(match is_of_day {
        true => crate::rules::endless::day_session_id(now, engine.zone.offset_seconds(now)),
        false => session.to_owned(),
    })
}

/// [`Endless::config`](crate::Endless::config).
pub(crate) fn config(engine: &Engine) -> Result<EndlessConfig> {
    read_endless(engine, |rows| rows_of::config(rows))
}

pub(super) fn config_in(tx: &WriteTx<'_>) -> Result<EndlessConfig> {
    rows_of::config(&tx.projected()?)
}

/// [`Endless::set_config`](crate::Endless::set_config).
pub(crate) fn set_config(engine: &Engine, config: &EndlessConfig) -> Result<()> {
    check_config(config)?;
    history::record(
        engine,
        EventKind::SettingChanged,
        "limits of the endless mode set",
        &SettingPayload {
            settings: Settings::one(rows_of::ENDLESS, config),
            ..SettingPayload::default()
        },
    )
}

pub(super) fn setting_event(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    content: String,
    payload: &SettingPayload,
) -> Result<()> {
    let payload = codec::to_value(payload);
    let draft = SystemEvent::new(engine, EventKind::SettingChanged, content, payload).draft(engine);
    projection::append(tx, &[draft])?;
    Ok(())
}

/// The store's values for the settings that apply to it.
pub(crate) fn settings_in_force(engine: &Engine) -> Result<Vec<(&'static str, Value)>> {
    let (config, mode) = (config(engine)?, mode(engine)?);
    let (set, rule) = (&config.working_set, &config.consolidation);
    let joined = &config.continuity;
    Ok(vec![
        ("mode", mode.as_str().into()),
        ("endless.enabled", (mode == MemoryMode::Endless).into()),
        ("endless.workingSet.maxEvents", set.max_events.into()),
        (
            "endless.workingSet.timeWindowHours",
            match set.time_window_ms % 3_600_000 {
                0 => (set.time_window_ms / 3_600_000).into(),
                _ => hours(set.time_window_ms).into(),
            },
        ),
        (
            "endless.workingSet.minRelevanceScore",
            set.min_relevance_score.into(),
        ),
        (
            "endless.consolidation.triggerIntervalMs",
            rule.trigger_interval_ms.into(),
        ),
        (
            "endless.consolidation.triggerEventCount",
            rule.trigger_event_count.into(),
        ),
        (
            "endless.consolidation.triggerIdleMs",
            rule.trigger_idle_ms.into(),
        ),
        (
            "endless.consolidation.useLLMSummarization",
            rule.is_left_to_host.into(),
        ),
        (
            "endless.continuity.minScoreForSeamless",
            joined.min_score_for_seamless.into(),
        ),
        (
            "endless.continuity.topicDecayHours",
            hours(joined.time_decay_ms).into(),
        ),
        ("endless.continuity.topicWeight", joined.topic_weight.into()),
        ("endless.continuity.fileWeight", joined.file_weight.into()),
        ("endless.continuity.timeWeight", joined.time_weight.into()),
        (
            "endless.continuity.entityWeight",
            joined.entity_weight.into(),
        ),
        (
            "endless.continuity.minScoreForTopicShift",
            joined.min_score_for_topic_shift.into(),
        ),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "a time as a host gave it")]
fn hours(millis: i64) -> f64 {
    millis as f64 / 3_600_000.0
}
