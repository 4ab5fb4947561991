//! Graduation: which memories rise or sink, and what repeated use gives away.

use napi_derive::napi;
use recallite::{Memory, Result};

use crate::convert::give;
use crate::generated::{NativeEventLevel, NativeGraduated, NativeInsight, NativePinnedEvent};
use crate::input::{self, Name};
use crate::memory::NativeMemory;
use crate::methods::methods;

fn level(memory: &Memory, event: Name) -> Result<NativeEventLevel> {
    give(memory, memory.levels().get(input::name("event", event)?)?)
}

fn level_counts(memory: &Memory) -> Result<Vec<f64>> {
    give(memory, memory.levels().counts()?.events)
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
    give(
        memory,
        memory.levels().graduate(input::size("budget", budget)?)?,
    )
}

fn insights(memory: &Memory) -> Result<Vec<NativeInsight>> {
    give(memory, memory.levels().insights()?)
}

fn pin(memory: &Memory, event: Name) -> Result<bool> {
    memory.levels().pin(input::name("event", event)?)
}

fn unpin(memory: &Memory, event: Name) -> Result<bool> {
    memory.levels().unpin(input::name("event", event)?)
}

fn pinned(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativePinnedEvent>> {
    let scope = input::scope(project, all_projects)?;
    give(memory, memory.levels().pinned(&scope)?)
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
    pin / pin_sync(event: [Name]) -> [bool] as "Promise<boolean | Failure>" = pin;
    unpin / unpin_sync(event: [Name]) -> [bool] as "Promise<boolean | Failure>" = unpin;
    pinned / pinned_sync(project: [Option<String>], all_projects: [Option<bool>])
        -> [Vec<NativePinnedEvent>] as "Promise<Array<NativePinnedEvent> | Failure>" = pinned;
}
