//! Statistics: how much is stored, how it has grown, and the health of every layer.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::State;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventKind, Memory, Session, Stats, Timestamp};
use serde_json::{Value, json};

use super::asked::Asked;
use super::refused::{Answer, Document};
use super::sessions::spoken;
use super::shapes;
use super::viewer::Viewer;
use crate::failure::Outcome;
use crate::time::now;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) async fn alive() -> Document {
    Document(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

pub(super) async fn stats(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&[])?;
    viewer.ask(|memory| Ok(Document(all(memory)?))).await
}

fn all(memory: &Memory) -> Outcome<Value> {
    let stats = memory.stats()?;
    let levels = memory.levels().counts()?;
    let now = now();
    let sessions = spoken(memory, ProjectScope::All)?;
    let week_ago = now.millis() - 7 * DAY_MS;
    let count =
        |fits: &dyn Fn(&Session) -> bool| sessions.iter().filter(|session| fits(session)).count();
    Ok(json!({
        "storage": storage(memory, &stats),
        "sessions": {
            "total": sessions.len(),
            "active": count(&|session| shapes::is_active(session, now)),
            "thisWeek": count(&|session| session.last_event.millis() >= week_ago),
        },
        "embeddings": shapes::embeddings(&stats),
        "memory": {
            "events": stats.prompts + stats.responses + stats.summaries + stats.tools,
            "prompts": stats.prompts,
            "responses": stats.responses,
            "tools": stats.tools,
            "insights": stats.summaries,
            "projects": stats.projects,
            "forgotten": stats.forgotten,
            "erased": stats.erased,
            "oldest": stats.oldest.map(shapes::time),
            "newest": stats.newest.map(shapes::time),
            "lastAppend": stats.last_append.map(shapes::time),
            "lastSeq": stats.last_seq,
        },
        "privacy": {
            "privateSections": stats.privacy.private_sections,
            "secretsMasked": stats.privacy.secrets_masked,
            "bytesFiltered": stats.privacy.bytes_filtered,
        },
        "injections": {
            "count": stats.injections.injections,
            "memories": stats.injections.memories,
            "tokens": stats.injections.tokens,
            "judged": stats.injections.judged,
            "reused": stats.injections.reused,
        },
        "levels": levels.events,
        "lexical": {
            "segments": stats.lexical.segments,
            "flushedEvents": stats.lexical.flushed_events,
            "memtableEvents": stats.lexical.memtable_events,
            "lastFlush": stats.lexical.last_flush.map(shapes::time),
        },
        "layers": stats.layers.iter().map(|layer| json!({
            "name": layer.name,
            "size": layer.size,
            "backlog": layer.backlog,
            "lastMoved": layer.last_moved.map(shapes::time),
        })).collect::<Vec<_>>(),
        "findings": findings(&stats),
    }))
}

fn storage(memory: &Memory, stats: &Stats) -> Value {
    json!({
        "path": memory.path().display().to_string(),
        "sizeBytes": stats.size_bytes,
        "quotaBytes": stats.quota_bytes,
        "isOverQuota": stats.is_over_quota,
        "logBytes": stats.log_bytes,
        "textBytes": stats.payload_bytes,
    })
}

/// What needs attention; usually nothing.
fn findings(stats: &Stats) -> Vec<Value> {
    let mut findings = Vec::new();
    let mut find = |code: &str, count: u64, remedy: &str| {
        if count > 0 {
            findings.push(json!({ "code": code, "count": count, "remedy": remedy }));
        }
    };
    let damaged = stats.lexical.damaged_segments + stats.lexical.damaged_events;
    find("damaged_index", damaged, "recallite maintain --rebuild");
    find("open_erasures", stats.open_erasures, "recallite maintain");
    find(
        "over_quota",
        u64::from(stats.is_over_quota),
        "recallite forget, recallite maintain --compact",
    );
    let failed = stats
        .embedding
        .as_ref()
        .map_or(0, |embedding| embedding.failed);
    find("failed_embeddings", failed, "recallite doctor");
    findings
}

/// The events of each of the last days in local time, oldest first.
pub(super) async fn timeline(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["days", "project"])?;
    let days = asked.number("days", 7, 1..=90)?;
    let scope = asked.scope();
    viewer
        .ask(move |memory| {
            let days = by_day(memory, days, scope)?;
            Ok(Document(json!({ "days": days })))
        })
        .await
}

/// Counts of prompts, responses, tool calls and insights.
type Counts = [u64; 4];

fn by_day(memory: &Memory, days: usize, scope: ProjectScope) -> Outcome<Vec<Value>> {
    let zone = TimeZone::system();
    let day_of = |at: Timestamp| {
        let moment = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
        moment.to_zoned(zone.clone()).date()
    };
    let begin_of = |day: Date| {
        day.to_zoned(zone.clone())
            .map_or(0, |midnight| midnight.timestamp().as_millisecond())
    };
    let today = day_of(now());
    let mut shown: Vec<Date> = today
        .series(jiff::Span::new().days(-1))
        .take(days)
        .collect();
    shown.reverse();
    let mut counts = vec![Counts::default(); shown.len()];
    let begins: Vec<i64> = shown.iter().copied().map(begin_of).collect();
    let end = begin_of(today.saturating_add(jiff::Span::new().days(1)));
    // An event with a time in the future belongs to no day yet.
    let place_of = |at: Timestamp| {
        let begun = begins.partition_point(|begin| *begin <= at.millis());
        begun.checked_sub(1).filter(|_| at.millis() < end)
    };
    let begin = Timestamp::from_millis_clamped(begins.first().copied().unwrap_or(end));
    for session in spoken(memory, scope)? {
        if session.last_event < begin {
            continue;
        }
        let (first, last) = (day_of(session.started), day_of(session.last_event));
        if first == last {
            if let Some(at) = place_of(session.last_event) {
                for (count, more) in counts[at].iter_mut().zip(counts_of(&session)) {
                    *count += more;
                }
            }
            continue;
        }
        // Only conversations that last several days are read.
        let events = EventFilter::new()
            .session(&session.id)
            .project(ProjectScope::All)
            .from(begin);
        memory.scan_events(events, |event| {
            if let Some(at) = place_of(event.timestamp()) {
                counts[at][place(event.kind())] += 1;
            }
            ControlFlow::Continue(())
        })?;
    }
    let shown = shown
        .iter()
        .zip(counts)
        .map(|(day, [prompts, responses, tools, insights])| {
            json!({
                "date": day.to_string(),
                "prompts": prompts,
                "responses": responses,
                "tools": tools,
                "insights": insights,
                "total": prompts + responses + tools + insights,
            })
        });
    Ok(shown.collect())
}

fn counts_of(session: &Session) -> Counts {
    let others = session.prompts + session.responses + session.tools;
    let insights = session.events.saturating_sub(others);
    [session.prompts, session.responses, session.tools, insights]
}

/// The index of an event kind in [`Counts`].
fn place(kind: EventKind) -> usize {
    match kind {
        EventKind::UserPrompt => 0,
        EventKind::AgentResponse => 1,
        EventKind::ToolObservation => 2,
        _ => 3,
    }
}

/// The total number of events of these kinds, in all projects: for a single one, this would need a
/// search.
pub(super) fn of_kinds(memory: &Memory, kinds: &[EventKind]) -> Outcome<u64> {
    let stats = memory.stats()?;
    let all: Counts = [stats.prompts, stats.responses, stats.tools, stats.summaries];
    let places: BTreeSet<usize> = kinds.iter().copied().map(place).collect();
    Ok(places.into_iter().map(|place| all[place]).sum())
}

/// Verifies the whole store, which may take a while.
pub(super) async fn check(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&[])?;
    viewer
        .ask(|memory| {
            let report = memory.check()?;
            Ok(Document(json!({
                "ok": report.ok,
                "events": report.events,
                "stateHash": report.state_hash,
                "ignoredRecords": report.ignored_records.len(),
                "firstDivergence": report.first_divergence.as_ref().map(|found| json!({
                    "place": found.place,
                    "seq": found.seq.map(|seq| seq.0),
                    "problem": found.problem,
                    "remedy": found.remedy,
                })),
            })))
        })
        .await
}
