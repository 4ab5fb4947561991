//! Runs the vectors of the outbox: transitions, sequences of operations, table
//! names.

use recallite::Timestamp;
use recallite::rules::outbox::{self, ItemKind, JobKey, JobStatus, Outbox, OutboxTable};
use serde_json::{Value, json};

use super::Runner;

pub const FILES: &[(&str, Runner)] = &[("vector_outbox", run)];

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

fn run(input: &Value, expected: &Value) -> Result<(), String> {
    let actual = match text(&input["kind"]) {
        "transition" => {
            let from: JobStatus = text(&input["from"]).parse().expect("status");
            let to: JobStatus = text(&input["to"]).parse().expect("status");
            json!({ "valid": from.can_move_to(to) })
        }
        "table_name" => {
            let kind: ItemKind = text(&input["item_kind"]).parse().expect("kind");
            outbox::vector_table_name(kind, text(&input["embedding_version"])).into()
        }
        _ => flow(input).map_err(|e| e.to_string())?,
    };
    (actual == *expected)
        .then_some(())
        .ok_or_else(|| actual.to_string())
}

fn flow(input: &Value) -> recallite::Result<Value> {
    let max_retries = u32::try_from(input["max_retries"].as_u64().unwrap_or(3)).expect("small");
    let stuck_ms = input["stuck_threshold_ms"].as_i64().unwrap_or(300_000);
    let keep_ms = input["cleanup_days"].as_i64().unwrap_or(7) * 86_400_000;
    let mut table = Outbox::new();
    let mut log: Vec<Value> = Vec::new();
    let mut millis = 1_769_800_000_000;
    for op in input["ops"].as_array().expect("ops") {
        millis += 1;
        let now = Timestamp::from_millis(millis)?;
        let key = || {
            JobKey::new(
                text(&op[1]).parse::<ItemKind>().expect("kind"),
                text(&op[2]),
                text(&op[3]),
            )
        };
        let id = |table: &Outbox| table.find(&key()).expect("table").expect("job").id;
        log.push(match text(&op[0]) {
            "enqueue" => outbox::enqueue(&mut table, key(), now)?.is_new.into(),
            "claim" => {
                let limit = usize::try_from(op[1].as_u64().expect("limit")).expect("small");
                let jobs = outbox::claim(&mut table, limit, now)?;
                jobs.into_iter().map(|job| job.key.item_id).collect()
            }
            "done" => {
                let id = id(&table);
                outbox::change(&mut table, id, |job| job.complete(now))?;
                Value::Null
            }
            "fail" => {
                let id = id(&table);
                outbox::change(&mut table, id, |job| job.fail(text(&op[4]), now))?;
                Value::Null
            }
            "age" => {
                let id = id(&table);
                let by = op[4].as_i64().expect("milliseconds");
                outbox::change(&mut table, id, |job| {
                    let older = |t: Timestamp| Timestamp::from_millis_clamped(t.millis() - by);
                    job.created_at = older(job.created_at);
                    job.updated_at = older(job.updated_at);
                    Ok(())
                })?;
                Value::Null
            }
            "reconcile_failed" => {
                outbox::reconcile_failed(&mut table, max_retries, false, now)?;
                Value::Null
            }
            "recover_stuck" => {
                outbox::recover_stuck(&mut table, stuck_ms, now)?;
                Value::Null
            }
            "cleanup" => {
                outbox::cleanup_done(&mut table, keep_ms, now)?;
                Value::Null
            }
            other => panic!("unknown operation {other}"),
        });
    }
    let mut jobs: Vec<&outbox::Job> = table.jobs().collect();
    jobs.sort_by_key(|job| job.id);
    let jobs: Vec<Value> = jobs
        .into_iter()
        .map(|job| {
            json!({
                "item_kind": job.key.item_kind.as_str(),
                "item_id": job.key.item_id,
                "embedding_version": job.key.embedding_version,
                "status": job.status.as_str(),
                "retry_count": job.retry_count,
                "error": job.error,
            })
        })
        .collect();
    Ok(json!({ "log": log, "jobs": jobs }))
}
