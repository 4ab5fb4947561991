//! Graduation: which memories rise or sink, and what repeated use gives away.

use napi_derive::napi;
use recallite::rules::levels::{Insight, Usage};
use recallite::{LevelChange, LevelCounts, Memory, Result};

use crate::input::{self, Name};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::{number, size};

#[napi(object, object_from_js = false)]
pub struct NativeUsage {
    pub access_count: f64,
    pub confidence: f64,
    pub cross_session_refs: f64,
    pub days_since_last_access: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEventLevel {
    pub level: String,
    pub usage: Option<NativeUsage>,
}

#[napi(object, object_from_js = false)]
pub struct NativeLevelMove {
    pub event_id: String,
    pub level: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeInsight {
    pub kind: String,
    pub key: String,
    pub content: String,
    pub confidence: f64,
    pub sources: Vec<String>,
}

#[napi(object, object_from_js = false)]
pub struct NativeGraduated {
    pub judged: f64,
    pub promoted: Vec<NativeLevelMove>,
    pub demoted: Vec<NativeLevelMove>,
    pub insights: Vec<NativeInsight>,
    pub waiting: f64,
}

/// An insight of the core.
pub fn insight(insight: Insight) -> NativeInsight {
    NativeInsight {
        kind: insight.kind.as_str().to_owned(),
        key: insight.key,
        content: insight.content,
        confidence: insight.confidence,
        sources: insight.sources,
    }
}

fn usage(usage: &Usage) -> Result<NativeUsage> {
    Ok(NativeUsage {
        access_count: number(usage.access_count)?,
        confidence: usage.confidence,
        cross_session_refs: number(usage.cross_session_refs)?,
        days_since_last_access: usage.days_since_last_access,
    })
}

fn moves(moves: Vec<LevelChange>) -> Vec<NativeLevelMove> {
    moves
        .into_iter()
        .map(|change| NativeLevelMove {
            event_id: change.event_id.to_string(),
            level: change.level.as_str().to_owned(),
        })
        .collect()
}

fn level(memory: &Memory, event: Name) -> Result<NativeEventLevel> {
    let found = memory.levels().get(input::name("event", event)?)?;
    Ok(NativeEventLevel {
        level: found.level.as_str().to_owned(),
        usage: found.usage.as_ref().map(usage).transpose()?,
    })
}

fn level_counts(memory: &Memory) -> Result<Vec<f64>> {
    let LevelCounts { events, .. } = memory.levels().counts()?;
    events.into_iter().map(number).collect()
}

fn record_access(
    memory: &Memory,
    events: Vec<Name>,
    session: String,
    confidence: f64,
) -> Result<()> {
    memory
        .levels()
        .record_access(&input::names("events", events)?, &session, confidence)
}

fn set_half_life_days(memory: &Memory, half_life_days: Option<f64>) -> Result<()> {
    memory.levels().set_half_life_days(half_life_days)
}

fn graduate(memory: &Memory, budget: f64) -> Result<NativeGraduated> {
    let done = memory.levels().graduate(input::size("budget", budget)?)?;
    Ok(NativeGraduated {
        judged: size(done.judged)?,
        promoted: moves(done.promoted),
        demoted: moves(done.demoted),
        insights: done.insights.into_iter().map(insight).collect(),
        waiting: number(done.waiting)?,
    })
}

fn insights(memory: &Memory) -> Result<Vec<NativeInsight>> {
    Ok(memory
        .levels()
        .insights()?
        .into_iter()
        .map(insight)
        .collect())
}

methods! {
    level / level_sync(event: [Name])
        -> [NativeEventLevel] as "Promise<NativeEventLevel | Failure>" = level;
    level_counts / level_counts_sync()
        -> [Vec<f64>] as "Promise<Array<number> | Failure>" = level_counts;
    record_access / record_access_sync(
        events: [Vec<Name>], session: [String], confidence: [f64])
        -> [()] as "Promise<undefined | Failure>" = record_access;
    set_half_life_days / set_half_life_days_sync(half_life_days: [Option<f64>])
        -> [()] as "Promise<undefined | Failure>" = set_half_life_days;
    graduate / graduate_sync(budget: [f64])
        -> [NativeGraduated] as "Promise<NativeGraduated | Failure>" = graduate;
    insights / insights_sync()
        -> [Vec<NativeInsight>] as "Promise<Array<NativeInsight> | Failure>" = insights;
}
