//! Statistics: how much is stored, how it has grown, and the health of every layer.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventKind, Memory, Seq, Session, Stats, Timestamp};
use serde_json::{Value, json};

use super::asked::{Asked, Given};
use super::log_place::LogPlace;
use super::refused::{Answer, Document};
use super::sessions::spoken;
use super::shapes;
use super::viewer::Viewer;
use crate::failure::{Outcome, with_commands};
use crate::time::now;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) async fn alive() -> Document {
    Document(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

pub(super) async fn stats(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["project"])?;
    let scope = asked.scope();
    viewer
        .ask(move |memory| Ok(Document(all(memory, scope)?)))
        .await
}

/// The figures of the store; what was said and done is counted in a scope.
fn all(memory: &Memory, scope: ProjectScope) -> Outcome<Value> {
    let stats = memory.stats()?;
    let [prompts, responses, tools, insights] = counts(memory, &scope)?;
    let levels = memory.levels().counts()?;
    let now = now();
    let sessions = spoken(memory, scope)?;
    let week_ago = now.millis() - 7 * DAY_MS;
    let count =
        |fits: &dyn Fn(&Session) -> bool| sessions.iter().filter(|session| fits(session)).count();
    let position = LogPlace::at(memory, Seq(stats.last_seq))?;
    Ok(json!({
        "storage": storage(memory, &stats),
        "sessions": {
            "total": sessions.len(),
            "active": count(&|session| shapes::is_active(session, now)),
            "thisWeek": count(&|session| session.last_event.millis() >= week_ago),
        },
        "embeddings": shapes::embeddings(&stats),
        "memory": {
            "events": prompts + responses + tools + insights,
            "prompts": prompts,
            "responses": responses,
            "tools": tools,
            "insights": insights,
            "projects": stats.projects,
            "forgotten": stats.forgotten,
            "erased": stats.erased,
            "oldest": stats.oldest.map(shapes::time),
            "newest": stats.newest.map(shapes::time),
            "lastAppend": stats.last_append.map(shapes::time),
            "lastSeq": stats.last_seq,
            "position": position.to_string(),
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
        "levels": [levels.l0, levels.l1, levels.l2, levels.l3, levels.l4],
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

/// The events of each of the last days, oldest first. Days begin in the time zone that the caller
/// names, or else in UTC: whoever looks may be elsewhere than this machine.
pub(super) async fn timeline(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["days", "project", "zone"])?;
    let days = asked.number("days", 7, 1..=90)?;
    let zone = asked.zone("zone")?;
    let scope = asked.scope();
    viewer
        .ask(move |memory| {
            let days = by_day(memory, days, &zone, scope)?;
            let zone = zone.iana_name().unwrap_or("UTC");
            Ok(Document(json!({ "days": days, "zone": zone })))
        })
        .await
}

/// The kinds that are counted, and the names of their counts.
const COUNTED: [(&str, EventKind); 4] = [
    ("prompts", EventKind::UserPrompt),
    ("responses", EventKind::AgentResponse),
    ("tools", EventKind::ToolObservation),
    ("insights", EventKind::SessionSummary),
];

/// How many events of each kind of [`COUNTED`] there are.
fn counts(memory: &Memory, scope: &ProjectScope) -> Outcome<[u64; COUNTED.len()]> {
    let mut counts = [0; COUNTED.len()];
    for (count, (_, kind)) in counts.iter_mut().zip(COUNTED) {
        *count = memory.count_events(&EventFilter::new().project(scope.clone()).kinds([kind]))?;
    }
    Ok(counts)
}

fn by_day(
    memory: &Memory,
    days: usize,
    zone: &TimeZone,
    scope: ProjectScope,
) -> Outcome<Vec<Value>> {
    let begin_of = |day: Date| {
        let midnight = day.to_zoned(zone.clone());
        Timestamp::from_millis_clamped(midnight.map_or(0, |at| at.timestamp().as_millisecond()))
    };
    let now = jiff::Timestamp::from_millisecond(now().millis()).unwrap_or_default();
    let today = now.to_zoned(zone.clone()).date();
    let mut shown: Vec<Date> = today
        .series(jiff::Span::new().days(-1))
        .take(days)
        .collect();
    shown.reverse();
    let mut lines = Vec::with_capacity(shown.len());
    for day in shown {
        let next = day.saturating_add(jiff::Span::new().days(1));
        let mut line = json!({ "date": day.to_string() });
        let mut total = 0;
        for (name, kind) in COUNTED {
            let filter = EventFilter::new()
                .project(scope.clone())
                .kinds([kind])
                .from(begin_of(day))
                .until(begin_of(next));
            let count = memory.count_events(&filter)?;
            line[name] = count.into();
            total += count;
        }
        line["total"] = total.into();
        lines.push(line);
    }
    Ok(lines)
}

/// Verifies the whole store, which may take a while.
pub(super) async fn check(State(viewer): State<Arc<Viewer>>, asked: Asked, body: Bytes) -> Answer {
    asked.only(&[])?;
    Given::nothing(&body)?;
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
                    "problem": with_commands(&found.problem),
                    "remedy": with_commands(&found.remedy),
                })),
            })))
        })
        .await
}
